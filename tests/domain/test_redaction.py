"""The boundary: what a redactor promises about any text and any JSON value."""

from __future__ import annotations

import ast
import json
import re
import time
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import ai_memory
from ai_memory.domain.folding import fold
from ai_memory.domain.redaction import DEPTH, Redactor
from ai_memory.domain.rule import ALNUM, HEX, MARK, Rule
from ai_memory.domain.rules import RULES

REDACTOR = Redactor()
TOKEN = "ghp_" + ALNUM[:36]
SHAPED = [rule for rule in RULES if rule.shape]
INVISIBLE = "\u200b\u200c\u200d\u2060\u00ad\ufeff\u202e\u200f\ufe0f"
NEAR = st.sampled_from(["", " ", "\n", "\t", '"', "'", "=", ": ", "(", "密钥", "é", "→", "\u200b", "\\n", "%3D", "\x1b[32m", "/", ","])
AROUND = st.text(max_size=40)
SETTINGS = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), max_examples=200)


@st.composite
def secrets(draw: st.DrawFn) -> tuple[Rule, str]:
    rule = draw(st.sampled_from(SHAPED))
    secret = draw(st.from_regex(re.compile(rule.shape, re.ASCII), fullmatch=True))
    assume(not rule.check or rule.check(secret))
    return rule, secret


def wide(secret: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in secret)


@SETTINGS
@given(secrets(), AROUND, NEAR, NEAR, AROUND)
def test_a_secret_of_any_shape_in_any_text_is_gone(made: tuple[Rule, str], before: str, left: str, right: str, after: str) -> None:
    rule, secret = made
    ends, begins = fold(before + left).text[-1:], fold(right + after).text[:1] if right else " "
    assume(not (ends.isascii() and ends.isalnum()) or left in ("\\n", "%3D"))
    assume(not (begins.isascii() and (begins.isalnum() or begins in "-_.")))
    out = REDACTOR.text(before + left + secret + (right or " ") + after)
    assert secret not in out, rule.id


@SETTINGS
@given(secrets(), st.data())
def test_a_secret_interrupted_by_invisible_characters_is_gone(made: tuple[Rule, str], data: st.DataObject) -> None:
    rule, secret = made
    places = data.draw(st.lists(st.integers(1, len(secret) - 1), min_size=1, max_size=5, unique=True))
    broken = "".join((data.draw(st.sampled_from(INVISIBLE)) if n in places else "") + c for n, c in enumerate(secret))
    out = REDACTOR.text("use " + broken + " now")
    assert out == "use " + MARK + " now", rule.id


@SETTINGS
@given(secrets())
def test_a_secret_in_full_width_letters_is_gone(made: tuple[Rule, str]) -> None:
    rule, secret = made
    assert REDACTOR.text("use " + wide(secret) + " now") == "use " + MARK + " now", rule.id


ONE_OF_EACH = {rule.id: rule.cuts[0][1] for rule in SHAPED}
FORMS = {
    "env": "THING={}\n", "export": "export THING='{}'\n", "yaml": "thing: {}\n", "json": '{{"thing": "{}"}}', "json in json": '{{\\"thing\\": \\"{}\\"}}',
    "toml": 'thing = "{}"\n', "header": "X-Thing: {}\r\nHost: x\r\n", "bearer": "Authorization: Bearer {}\n", "curl": "curl -H 'X-Thing: {}' https://x.test",
    "query": "https://x.test/?thing={}&b=1", "prose": "I pasted {} here, sorry.", "brackets": "({})", "code": "`{}`", "csv": "a,{},b", "xml": "<thing>{}</thing>",
    "listing": "     1\t{}\n", "diff": "+{}\n", "escaped lines": "a\\n{}\\nb", "script without spaces": "密钥{}在这里", "nothing around": "{}",
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
def test_each_maker_s_token_is_cut_whole_in_each_form(form: str) -> None:
    before, after = form.format("\x00").split("\x00")
    for rule, secret in ONE_OF_EACH.items():
        assert REDACTOR.text(before + secret + after) == before + MARK + after, rule


NAMED_FORMS = [
    "{N}={}\n", "export {N}={}\n", '{N}="{}"\n', "{n}: {}\n", '{n}: "{}"\n', '{{"{n}": "{}"}}', '{{\\"{n}\\": \\"{}\\"}}', '{n} = "{}"\n', "f({n}='{}')",
    "docker run -e {N}={} img", "      - {N}={}\n", "{n}={}\n", "https://x.test/?{n}={}&a=1", "- name: {N}\n  value: \"{}\"\n", '{{"name": "{N}", "value": "{}"}}',
    "tool --{k} {}\n", "tool --{k}={} x", "the {s} is {}\n", "my {s}: {}\n", "| {N} | {} |", "`{N}={}`", "INFO {n}={} user=ann", "    12\t{N}={}\n",
    "cfg['{n}'] = '{}'", "os.environ.setdefault('{N}', '{}')", "$env:{N} = '{}'", "X-{h}: {}\r\n", "# {N}={}\n", 'gh secret set {N} --body "{}"',
]  # fmt: skip
NAMES = ["db_password", "aws_secret_access_key", "client_secret", "api_key", "auth_token", "access_token", "secret_key", "admin_passwd", "github_token"]


@pytest.mark.parametrize("form", NAMED_FORMS)
def test_a_value_beside_each_name_is_cut_whole_in_each_form(form: str) -> None:
    for name in NAMES:
        said = {"N": name.upper(), "n": name, "s": name.replace("_", " "), "k": name.replace("_", "-"), "h": name.replace("_", "-").title()}
        before, after = form.format("\x00", **said).split("\x00")
        for value in ("Tr0ub4dor&3", "s3cr3t!Pass", "P@ssw0rd2024", "aB3dE6gH9jK2", ALNUM[:20] + "/" + ALNUM[20:39], HEX[:32]):
            assert REDACTOR.text(before + value + after) == before + MARK + after, (name, value)


PASSWORDS = st.text(alphabet="abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNP0123456789!@#%^*_-+~?", min_size=8, max_size=40).filter(
    lambda p: any(c.isdigit() for c in p) and any(c.isalpha() for c in p) and p[0].isalpha() and p[-1].isalnum() and "_" not in p
)
PLACES = [
    "DB_PASSWORD={}\nX=1", "export API_TOKEN={}", "ENV APP_SECRET={}\n", '{{"api_key": "{}"}}', "password: '{}'\n", 'client_secret = "{}"\n',
    "$env:DB_PASSWORD = '{}'", '{{\\"auth_token\\": \\"{}\\"}}', "the password is {}", "a senha é {}", "la contraseña es {}",
    "Authorization: Bearer {}\n", "db.password={}\n", "tool --password '{}' --x", "<password>{}</password>", "const apiKey = `{}`;",
]  # fmt: skip


@SETTINGS
@given(PASSWORDS, st.sampled_from(PLACES))
def test_a_made_up_password_in_any_usual_place_is_gone(password: str, place: str) -> None:
    before, after = place.format("\x00").split("\x00")
    assume(not password.startswith(("your-", "example-", "xxx")) and "xxxxx" not in password.lower())
    assert password not in REDACTOR.text(before + password + after)


_WORDS = """
    the token secret password key is required when user logs in port 8080 and count 512 run tests see file src/app.py line 42 date 2024-01-05
    def return None token: str max_tokens=4096 primary_key=id KEY_LENGTH=32 password=None 127.0.0.1 v1.2.3 -> {} () [] commit é 密码 “x” …
"""
WORDS = st.sampled_from(_WORDS.split())
CLEAN = [
    "2024-01-05T10:11:12.123Z", "http://127.0.0.1:49374/healthz", "3f2b8c1d-" + "77aa-4e05-9c61-0d5be2f4a813", "commit " + HEX[:40],
    '"integrity": "sha512-' + ALNUM[:86] + '=="', "sha256:" + HEX[:64], "the password field is required", "token count is 512", "max_tokens=4096",
    'api_key = os.environ["API_KEY"]', "const token = getToken()", "TOKEN=${SECRET}", "token: <your-token>", "TOKEN=$TOKEN",
    "process.env.TOKEN", "password: ****", "password = prompt('Password: ')", "self.password = password", "if (token === null) {",
    '"token": {"type": "string"}', "password: z.string().min(8)", "api_key: str = Field(...)", 'token := os.Getenv("TOKEN")',
    "GITHUB_TOKEN: ${{ secrets.GITHUB_TOKEN }}", '"password": "Password must be at least 8 characters"', "Authorization header is missing",
    "struct Login { password: String, token: Option<String> }", 'token_endpoint = "https://x.test/oauth/token"', "tokens: 1500",
    '"input_tokens": 55', "toolu_01" + "A09q90qw90lq917835lq9", "key=lambda x: x[1]", 'token="ident"', "passwords do not match",
    "ssh-ed25519 " + "AAAAC3NzaC1lZDI1NTE5AAAAI" + ALNUM[:43] + " ann@x", "Pass: 12 Fail: 3", "PASS: test_foo_bar1", '"key": "ctrl+shift+p"',
    "private_key_path = '~/.ssh/id_rsa'", "api_key=API_KEY", "secrets.token_urlsafe(32)", "password VARCHAR(255) NOT NULL",
    "http://user:password@proxy:8080", "The secret to good code is testing123", "'Token': '#ffffff'", "git@github.test:acme/app.git",
]  # fmt: skip


@pytest.mark.parametrize("text", CLEAN)
def test_text_that_only_looks_like_a_secret_is_kept(text: str) -> None:
    assert REDACTOR.text(text) == text
    assert REDACTOR.value({"text": text, text: 1}) == {"text": text, text: 1}


@SETTINGS
@given(st.lists(WORDS | st.sampled_from(CLEAN), max_size=12))
def test_text_without_secrets_is_unchanged(words: list[str]) -> None:
    text = "\n".join(words)
    assert REDACTOR.text(text) == text


PIECES = st.one_of(
    st.text(max_size=12), st.sampled_from(CLEAN), st.just(MARK), secrets().map(lambda made: made[1]), PASSWORDS,
    st.sampled_from([place.format("hunter2") for place in PLACES]),
    st.sampled_from(["password", "password=", "token: ", '"', "'", "\\", "://a:", "@", "-----BEGIN PRIVATE KEY-----\n", "Bearer ", " is ", "\u200b", "é"]),
)  # fmt: skip


@SETTINGS
@given(st.lists(PIECES, max_size=8), st.sampled_from([Redactor(), Redactor(extra=["[A-Z]{8}", "a.{0,20}b"])]))
def test_redacting_twice_is_redacting_once(pieces: list[str], redactor: Redactor) -> None:
    once = redactor.text("".join(pieces))
    assert redactor.text(once) == once
    assert redactor.found(once) == []


@SETTINGS
@given(st.text(st.characters(), max_size=200) | st.lists(PIECES, max_size=8).map("".join))
def test_no_text_makes_it_fail(text: str) -> None:
    out = REDACTOR.text(text)
    for _, start, end in REDACTOR.found(text):
        assert 0 <= start < end <= len(text)
    assert (out == text) == (REDACTOR.found(text) == [])


def test_lone_surrogates_are_kept() -> None:
    assert REDACTOR.text("\ud800 " + TOKEN + " \udfff") == "\ud800 " + MARK + " \udfff"
    assert REDACTOR.value({"\ud800": ["\udc00", TOKEN]}) == {"\ud800": ["\udc00", MARK]}


def test_what_surrounds_a_cut_keeps_its_own_form() -> None:
    around = "ﬁ … ｆｕｌｌ e\u0301 \u200bx\u00ad "
    assert REDACTOR.text(around + TOKEN + " " + around) == around + MARK + " " + around


def test_offsets_point_into_the_original() -> None:
    text = "… e\u0301 " + TOKEN[:9] + "\u200b" + TOKEN[9:] + " ﬁ"
    [(rule, start, end)] = REDACTOR.found(text)
    assert rule == "github"
    assert text[start:end].replace("\u200b", "") == TOKEN


def test_terminal_colours_do_not_hide_a_secret() -> None:
    assert REDACTOR.text("\x1b[31m" + TOKEN + "\x1b[0m") == "\x1b[31m" + MARK + "\x1b[0m"
    assert TOKEN[4:20] not in REDACTOR.text("\x00".join("DB_TOKEN=" + TOKEN))


@pytest.mark.parametrize("before", ["password is ", "PASSWORD=", "x; password=", "--password ", "ENV DB_PASSWORD ", 'password="', "password: '", "use password "])
def test_a_very_long_secret_is_cut_to_its_end(before: str) -> None:
    for length in (250, 256, 257, 600, 20_000):
        secret = (ALNUM * 80)[:length]
        assert REDACTOR.text(before + secret) == before + MARK
        assert REDACTOR.text(before + secret + "\nnext 'line'") == before + MARK + "\nnext 'line'"


def test_a_value_that_was_cut_off_is_still_cut() -> None:
    assert REDACTOR.text('{"password": "hunt3r\n"x": "y"') == '{"password": "' + MARK + '\n"x": "y"'
    assert REDACTOR.text('{"api_key": "' + ALNUM[:20]) == '{"api_key": "' + MARK


# Values


def test_a_value_is_known_by_its_key() -> None:
    value = {"api_key": "abc123def456", "user": "ann", "nested": [{"Password": "swordfish"}], "passwords": ["one-word", "two2"]}
    assert REDACTOR.value(value) == {"api_key": MARK, "user": "ann", "nested": [{"Password": MARK}], "passwords": [MARK, MARK]}


def test_a_value_beside_a_name_is_known_by_the_name() -> None:
    value = {"env": [{"name": "DB_PASSWORD", "value": "hunter2"}, {"name": "LEVEL", "value": "debug"}]}
    assert REDACTOR.value(value) == {"env": [{"name": "DB_PASSWORD", "value": MARK}, {"name": "LEVEL", "value": "debug"}]}


def test_a_value_after_a_flag_is_known_by_the_flag() -> None:
    assert REDACTOR.value(["tool", "--token", "abc123def456", "x"]) == ["tool", "--token", MARK, "x"]


def test_a_numeric_password_goes_and_a_numeric_count_stays() -> None:
    value = {"password": 12345678, "max_tokens": 4096, "token": 512, "passwordRequired": True, "secret": None}
    assert REDACTOR.value(value) == {**value, "password": MARK}


def test_schemas_and_settings_keep_their_words() -> None:
    value = {"properties": {"password": {"type": "string"}, "token": {"description": "the token"}}, "apiKey": "", "secret": False}
    assert REDACTOR.value(value) == value


def test_keys_are_redacted_and_none_is_lost() -> None:
    out = REDACTOR.value({TOKEN: 1, "ghp_" + ALNUM[5:41]: 2, "x": 3})
    assert out == {MARK: 1, MARK + " 2": 2, "x": 3}


def test_a_value_without_secrets_is_the_same_object() -> None:
    value = {"tool": "Bash", "tool_input": {"command": "ls"}, "n": [1, 2.5, None, True]}
    assert REDACTOR.value(value) is value


def test_a_secret_is_not_put_together_from_two_texts() -> None:
    value = ["password:", "swordfish", "the token is", "abc123def456"]
    assert REDACTOR.value(value) == value


def test_deep_values_are_cut_off_and_never_overflow() -> None:
    deep: Any = TOKEN
    for _ in range(50_000):
        deep = [deep]
    out = REDACTOR.value({"x": deep, "n": 1})
    levels = 0
    inner = out["x"]
    while isinstance(inner, list):
        inner, levels = inner[0], levels + 1
    assert inner == MARK
    assert levels < DEPTH
    assert out["n"] == 1


JSONISH = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20) | PIECES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8) | st.sampled_from(["password", "token", "value", "name"]), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@SETTINGS
@given(JSONISH)
def test_redacting_a_value_twice_is_redacting_it_once(value: Any) -> None:
    once = REDACTOR.value(value)
    assert REDACTOR.value(once) == once


@SETTINGS
@given(secrets(), JSONISH)
def test_a_secret_anywhere_in_a_value_is_gone(made: tuple[Rule, str], value: Any) -> None:
    _, secret = made
    out = REDACTOR.value({"a": [value, {"b": "use " + secret + " now"}], "use " + secret + " now": 1})
    assert secret not in json.dumps(out, ensure_ascii=False)


# A person's own patterns and allow-list


def test_own_patterns_are_cut() -> None:
    redactor = Redactor(extra=[r"acme-\d{4}", r"(?i)corp_[a-z]{1,16}_[0-9a-f]{8,}"])
    assert redactor.text("use acme-1234, CORP_dev_deadbeef99") == f"use {MARK}, {MARK}"
    assert redactor.found("acme-1234")[0][0] == "own-1"
    assert redactor.value({"acme-1234": ["x acme-9876"]}) == {MARK: [f"x {MARK}"]}


def test_own_patterns_see_the_normalised_copy() -> None:
    assert Redactor(extra=["año-[0-9]{4}"]).text("an\u0303o-\u200b１２３４!") == MARK + "!"


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("(", "not a valid regular expression"), ("", "non-empty"), ("a*", "match nothing"), ("(?=x)", "match nothing"), ("x|", "match nothing"),
        ("(a+)+b", "repeats a part that itself varies"), ("(a|aa)+b", "repeats a part that itself varies"), (".*secret", "upper bound"),
        ("x" * 600, "at most 512"), (r"(a)\1", "back-reference"), (r"\d+x", "upper bound"), ("[a-z]{0,200}[a-z]{0,200}!", "steps"),
        ("(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)(?:a|a)!", "steps"), ("(?:a{1,30}){1,30}b", "itself varies"),
        ("(?:(?:a{50}){50}){50}", "steps"), ("(?:a|a){30}b", "itself varies"),
    ],
)  # fmt: skip
def test_a_pattern_that_cannot_be_bounded_is_refused_with_a_sentence(pattern: str, words: str) -> None:
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        Redactor(extra=[pattern])
    assert "pattern 1" in str(refusal.value)
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    "pattern",
    [r"acme-[A-Z0-9]{20,40}", r"corp_[a-z]{1,32}_[0-9a-f]{32,}", r"\bemp\d{6}\b", r"(?i)project[- ]x\w*", r"host-(?:eu|us)-\d{1,4}\.corp\.test",
     r"(?<=id:)\d{8,}", r"10\.\d{1,3}\.\d{1,3}\.\d{1,3}", "secret:.*", r"(?:[0-9a-f]{4}-){3}[0-9a-f]{4}"],
)  # fmt: skip
def test_ordinary_patterns_are_accepted(pattern: str) -> None:
    assert Redactor(extra=[pattern]).text("nothing here") == "nothing here"


def test_too_many_patterns_and_bare_strings_are_refused() -> None:
    with pytest.raises(ValueError, match="at most 64"):
        Redactor(extra=["abc"] * 65)
    with pytest.raises(ValueError, match="lists of texts"):
        Redactor(extra="abc")
    with pytest.raises(ValueError, match="at least 4"):
        Redactor(allow=["a"])


def test_the_allow_list_keeps_a_match_and_only_that_match() -> None:
    redactor = Redactor(allow=["sample-only"])
    assert redactor.text("PASSWORD=sample-only-9 TOKEN=abc123def") == f"PASSWORD=sample-only-9 TOKEN={MARK}"
    assert redactor.value({"password": "sample-only-9"}) == {"password": "sample-only-9"}


def test_a_redactor_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Redactor().allow = ("everything",)  # type: ignore[misc]


# Time


def test_a_hostile_megabyte_takes_seconds_at_most() -> None:
    for unit in ("token=abc123de ", 'password="', "cookie: a="):
        start = time.process_time()
        REDACTOR.value({"text": unit * (1_000_000 // len(unit))})
        assert time.process_time() - start < 20


HOSTILE = [
    "a", "=", "-", "sk-", "password is ", 'password="', "password=", "-----BEGIN ", "-----BEGIN PRIV" "ATE KEY-----\n", "-----END PRIV" "ATE KEY-----\n",
    "eyJ", "://a:", "cookie: a=", "curl -u ", "the password for ", "key: ", "\u200b", "…", "a\u0327\u0301", "\x1b[", "[REDACTED]", "--a", "x-auth: ", "\ud800",
]  # fmt: skip


def _linear(redactor: Redactor, unit: str) -> bool:
    """Four times the text takes at most nine times as long (a quadratic one takes sixteen), in the best of five tries."""
    for _ in range(5):
        times = []
        for size in (25_000, 100_000):
            text = unit * (size // len(unit))
            start = time.process_time()
            redactor.text(text)
            times.append(time.process_time() - start)
        if times[1] <= max(9 * times[0], 0.03):
            return True
    return False


@pytest.mark.parametrize("unit", HOSTILE, ids=[repr(unit) for unit in HOSTILE])
def test_time_grows_in_step_with_the_text(unit: str) -> None:
    assert _linear(REDACTOR, unit)


def test_own_patterns_are_linear_too() -> None:
    assert _linear(Redactor(extra=[r"[a-z]{0,20}[a-z]{0,20}!", r"(?i)x.{0,40}y.{0,4}z"]), "xy")


# The boundary itself


def test_only_the_redactor_makes_redacted_text() -> None:
    makers = []
    root = Path(ai_memory.__file__).parent
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "Redacted":
                makers.append(path.relative_to(root).as_posix())
    assert set(makers) == {"domain/redaction.py"}


def test_the_mark_is_plain_and_stable() -> None:
    assert unicodedata.is_normalized("NFKC", MARK)
    assert REDACTOR.text(MARK) == MARK
