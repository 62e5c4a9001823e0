"""Rules for secrets known by the place they stand in: headers, URLs, command lines, connection strings, key blocks."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from ai_memory.domain import literals
from ai_memory.domain.rule import ALNUM, HEX, LOW, TEXT, UUID, Rule, Span

_BASE = ALNUM.replace("q", "+").replace("k", "/")

_VALUE = r"(?P<secret>[^\s\"'`,;<>\\]{4,8192})"
_QUOTE = r"\\{0,4}[\"'`]?"
_NAME_END = _QUOTE + r"\]?[ \t]{0,8}(?::|=>?|,)[ \t]{0,8}" + _QUOTE


def _real(value: str) -> bool:
    return not literals.placeholder(value) and not literals.expression(value)


def _bearer(value: str) -> bool:
    return _real(value) and (literals.scrambled(value, 8) or (len(value) >= 20 and "_" not in value))


def _authorized(value: str) -> bool:
    core = _ready(r"[)\]},;\[]").split(value.lstrip("!"))[0]
    named = core.replace("_", "").isalpha() and "_" in core
    return _real(value) and not named and not literals.expression(core) and len(core) >= 8 and (not core.replace("/", "").isalpha() or len(core) >= 20)


def _userinfo(value: str) -> bool:
    return not literals.placeholder(value) and "(" not in value


@lru_cache(maxsize=64)
def _ready(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


_COOKIE = (
    r"(?:(?<![\w-])(?P<set>set-)?cookie\\{0,4}[\"'`]?\]?[ \t]{0,8}[:=,][ \t]{0,8}\\{0,4}[\"'`]?"
    r"|\bcurl\b[^\n]{0,200}?[ \t](?:-b|--cookie)[ \t=]{0,2}\\{0,4}[\"'])(?=[\w.-]{1,128}=)"
)
_PAIR = r"[ \t]{0,4}(?P<name>[\w.%-]{1,128})=\"?(?P<value>[^\s;,\"'`\\]{0,8192})\"?;?"


def _cookies(text: str, low: str) -> Iterator[Span]:
    """The values of a Cookie header, the one value of a Set-Cookie header; names and attributes stay."""
    done = 0
    for match in _ready(_COOKIE).finditer(low):
        at = match.end()
        while at >= done and (pair := _ready(_PAIR).match(text, at)):
            value = pair["value"]
            if len(value) >= 6 and _real(value) and not value.isalpha():
                yield pair.span("value")
            done = at = pair.end()
            if match["set"] or text[at - 1] != ";":
                break


_BEGIN = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_END = r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BREAK = r"(?:\\{0,4}[\"']?[ \t,+]{0,4}\r?\n|\\{1,4}r?\\{0,4}n|\\{0,4}[\"'][ \t]{0,4}\+?[ \t]{0,4}\r?\n)"
_GUTTER = r"[ \t>+|-]{0,40}(?:\d{1,6}[\t→:|][ \t]{0,40})?\\{0,4}[\"']?"
_BODY = r"(?:[A-Za-z0-9+/=]{1,512}|[A-Z][A-Za-z-]{1,20}: [^\n\\]{0,128})?"
_LINES = "(?:" + _BREAK + _GUTTER + _BODY + r"(?![A-Za-z]|[ \t]{1,4}[a-z]))*"
_BODY_LINE = r"[ \t>|]{0,40}(?:\d{1,6}[\t→:|][ \t]{0,40})?(?P<body>[+-]?\\{0,4}[\"']?[A-Za-z0-9+/=]{1,512})\\{0,4}[\"']?[ \t,+]{0,4}\r?"


def _keys(text: str, low: str) -> Iterator[Span]:
    """Blocks from BEGIN to END; without an END, as far as lines of base64 go; before an END without BEGIN, likewise."""
    ends = [match.span() for match in _ready(_END).finditer(text)]
    starts = [match.span() for match in _ready(_BEGIN).finditer(text)]
    firsts = [first for first, _ in ends]
    done = 0
    for index, (first, head) in enumerate(starts):
        if first < done:
            continue
        following = starts[index + 1][0] if index + 1 < len(starts) else len(text)
        at = bisect_left(firsts, head)
        if at < len(ends) and ends[at][0] <= following and ends[at][0] - head < 65_536:
            done = ends[at][1]
            if _ready(r"[A-Za-z0-9+/=]{16}").search(text, head, ends[at][0]):
                yield first, done
            continue
        body = _ready(_LINES).match(text, head)
        if body and _ready(r"[A-Za-z0-9+/=]{4}").search(body.group()):
            done = body.end()
            yield first, done
    floor = 0
    for first, last in ends:
        at = bisect_left(starts, (first, first)) - 1
        if (at < 0 or first - starts[at][0] > 65_536 or first > done) and last > done:
            begin = _above(text, first, max(floor, first - 8192))
            if begin < first:
                yield begin, last
        floor = last


def _above(text: str, first: int, floor: int) -> int:
    """Where the lines of base64 that end at ``first`` begin."""
    breaks = [match.span() for match in _ready(r"\r?\n|\\{1,4}n").finditer(text, floor, first)]
    begin = first
    for index in range(len(breaks) - 1, -1, -1):
        start = breaks[index - 1][1] if index else floor
        line = _ready(_BODY_LINE).fullmatch(text, start, breaks[index][0])
        if not line or (begin == first and len(line["body"]) < 8):
            break
        begin = line.start("body")
    return begin


_COMMANDS = ("mysql", "mariadb", "sshpass", "docker", "podman", "redis-cli", "mongo", "ldap", "sqlcmd")
_COMMAND = (
    r"\b(?:(?:mysql|mysqldump|mysqladmin|mariadb|mariadb-dump)\b[^\n|;&]{0,200}?[ \t]-p\\{0,4}[\"']?"
    r"|sshpass\b[^\n|;&]{0,40}?[ \t]-p[ \t]{0,4}\\{0,4}[\"']?"
    r"|(?:docker|podman)[ \t]login\b[^\n|;&]{0,200}?[ \t]-p[ \t]{0,4}\\{0,4}[\"']?"
    r"|redis-cli\b[^\n|;&]{0,200}?[ \t]-a[ \t]{1,4}\\{0,4}[\"']?"
    r"|(?:mongo|mongosh|mongodump|mongorestore)\b[^\n|;&]{0,200}?[ \t]-p[ \t]{1,4}\\{0,4}[\"']?"
    r"|(?:ldapsearch|ldapmodify|ldapadd)\b[^\n|;&]{0,200}?[ \t]-w[ \t]{1,4}\\{0,4}[\"']?"
    r"|sqlcmd\b[^\n|;&]{0,200}?[ \t]-p[ \t]{1,4}\\{0,4}[\"']?)(?P<secret>[^\s\"'\\]{3,256})"
)


def _commands(text: str, low: str) -> Iterator[Span]:
    """Passwords in one-letter options of database clients and logins."""
    if any(command in low for command in _COMMANDS):
        for match in _ready(_COMMAND).finditer(low):
            first, last = match.span("secret")
            if _userinfo(text[first:last]):
                yield first, last


WIRE = (
    Rule(
        "authorization", ("authorization",),
        (
            ("Authorization: Bearer ", ALNUM[:24], "\nHost: x"),
            ("curl -H 'Authorization: Basic ", "YW5uOmh1bnRlcjI=", "' https://x.test"),
            ('{"Authorization": "Bearer ', ALNUM[:24], '"}'),
            ('{\\"authorization\\": \\"token ', HEX[:20], '\\"}'),
            ("Proxy-Authorization: Digest ", ALNUM[:24], "\n"),
            ("Authorization: ", HEX[:32], "\n"),
        ),
        (
            "Authorization: Bearer $TOKEN", "Authorization: Bearer <token>", "authorization: required", "`Authorization: Bearer/Basic`",
            'headers["Authorization"] = f"Bearer {token}"', "Authorization: Basic realm", "get(path, Authorization=None)[0]",
            '[(b"Proxy-Authorization", authorization), *headers]', "{'Authorization': auth_token}", "noAuthorization = !req.headers.authorization;",
            '"AWS::Config::AggregationAuthorization": "' + HEX[:16] + '"',
        ),
        pattern=r"(?:(?<![a-z])|(?<=proxy)|(?<=\\[nrt]))authorization" + _NAME_END + r"(?:(?:bearer|basic|token|digest|negotiate|apikey|api-key|key|bot|oauth|sso-key)[ \t]{1,4})?"
        + _VALUE.replace(",;", ""),
        where=LOW, check=_authorized,
    ),
    Rule(
        "bearer", ("bearer ",),
        (("auth = 'Bearer ", ALNUM[:32], "'"), ("send bearer ", HEX[:32], " please")),
        ("a bearer token is required", "Bearer ${TOKEN}", "bearer authentication", "Bearer {access_token}"),
        pattern=r"\bbearer[ \t]{1,4}(?P<secret>[a-z0-9._~+/=-]{8,8192})", where=LOW, check=_bearer,
    ),
    Rule(
        "secret-header", ("x-auth", "private-token", "api-key", "functions-key", "subscription-key"),
        (("X-Auth: ", HEX[:24], "\n"), ("x-functions-key: ", ALNUM[:40], "\n")),
        ("X-Request-Id: " + UUID, "x-api-version: 2024-01-01", "X-Auth: none"),
        pattern=r"(?<![a-z0-9])(?:x-(?:auth|functions-key)(?:-[a-z]{1,12})?|"
        r"private-token|api-key|ocp-apim-subscription-key)" + _NAME_END + _VALUE,
        where=LOW, check=lambda v: _real(v) and literals.scrambled(v, 8),
    ),
    Rule(
        "cookie", ("cookie", "curl"),
        (
            ("Cookie: sid=", "s%3A" + ALNUM[:24], "; theme=dark"),
            ("Set-Cookie: session=", ALNUM[:24], "; Path=/; HttpOnly"),
            ("curl -b 'sid=", ALNUM[:24], "' https://x.test"),
            ('{"Cookie": "JSESSIONID=', HEX[:32], '"}'),
        ),
        ("Cookie: theme=dark; lang=en", "the cookie: consent is required", "document.cookie = name", "cookie = request.cookies"),
        where=LOW, scan=_cookies,
    ),
    Rule(
        "url-userinfo", ("://",),
        (
            ("postgres://ann:", "hunter2", "@db.test:5432/app"),
            ("redis://:", "p@ss", "@127.0.0.1:6379"),
            ("git clone https://ann:", ALNUM[:20], "@git.test/x.git"),
        ),
        (
            "http://127.0.0.1:8080/a@b", "postgres://ann:${PASS}@db/app", "https://user:password@host", "ssh://git@host.test/x.git",
            "http://localhost:3000/@vite/client", "see https://x.test/a?b=c:d@e", "postgres://user:<password>@host/db",
        ),
        pattern=r"://[^\s:/@\"'`<>?#\\]{0,128}:(?P<secret>[^\s/\"'`<>?#\\]{1,512}|<[a-z_-]{1,20}>|\$\{[^}\s]{1,40}\})@(?=[\[\w$<{%.-])",
        where=TEXT, check=_userinfo,
    ),
    Rule(
        "url-token", ("://",),
        (("https://", HEX[:40], "@git.test/x.git"), ("https://", ALNUM[:32], "@o1.ingest.test/2")),
        ("ssh://git@host.test/x.git", "https://x-access-token@host.test", "https://first.last.of.a.long.name@host.test"),
        pattern=r"://(?P<secret>[A-Za-z0-9_-]{16,512})@(?=[\[\w$<{%.-])", where=TEXT, check=lambda v: literals.scrambled(v, 16),
    ),
    Rule(
        "azure-connection", ("accountkey=", "accesskey=", "accountkey\"", "sharedsecret"),
        (
            ("AccountName=x;AccountKey=", _BASE[:86] + "==", ";EndpointSuffix=y"),
            ("SharedAccessKeyName=root;SharedAccessKey=", _BASE[:43] + "=", "\n"),
        ),
        ("AccountKey=<key>;", "AccountKey=${KEY};"),
        pattern=r"(?:account|sharedaccess|access)key=(?P<secret>[a-z0-9+/=%]{16,256})", where=LOW, check=_real,
    ),
    Rule(
        "signature", ("sig=", "signature="),
        (
            ("https://x.test/c?sv=2022-11-02&sig=", "aB3%2F" + ALNUM[:36] + "%3D", "&se=1"),
            ("?X-Amz-Signature=", HEX[:64], "&x=1"),
        ),
        ("sig=inspect.signature(f)", "signature=None", "config=abc"),
        pattern=r"(?<![a-z0-9])(?:sig|signature)=(?P<secret>[a-z0-9%+/=_.-]{20,1024})", where=LOW,
        check=lambda v: _real(v) and literals.scrambled(v, 20),
    ),
    Rule(
        "npm-auth", ("_auth",),
        (("//registry.test/:_auth=", "YW5uOmh1bnRlcjI=", "\n"), ("_auth = \"", "YW5uOmh1bnRlcjI=", '"')),
        ("_auth=${NPM_AUTH}", "user_auth=True", "self._auth = auth"),
        pattern=r"(?<![\w.])_auth[ \t]{0,4}=[ \t]{0,4}\"?(?P<secret>[a-z0-9+/=]{8,1024})", where=LOW, check=lambda v: literals.scrambled(v, 8),
    ),
    Rule(
        "docker-auth", ("\"auth",),
        (('{"auths": {"x.test": {"auth": "', "YW5uOmh1bnRlcjI=", '"}}}'),),
        ('{"auth": "required"}', '{"auth": true}', '{"auth": "oauth2"}'),
        pattern=r"\"auth\\{0,4}\":[ \t]{0,4}\\{0,4}\"(?P<secret>[a-z0-9+/=]{8,2048})\\{0,4}\"", where=LOW,
        check=lambda v: len(v) >= 12 and literals.scrambled(v, 12),
    ),
    Rule(
        "curl-user", ("curl",),
        (("curl -u ann:", "hunter2", " https://x.test"), ("curl -s --user 'ann:", "hunt er2", "' https://x.test")),
        ("curl -u $USER:$PASS https://x.test", "curl -u ann https://x.test", "docker run -u 1000:1000 curl"),
        pattern=r"\bcurl\b[^\n|]{0,200}?[ \t](?:-[a-z]{0,6}u|--user|--proxy-user)[ \t=]{0,2}"
        r"(?:\\{0,4}\"[^\s:\"]{1,128}:(?P<a>[^\"\n\\]{1,256})|'[^\s:']{1,128}:(?P<b>[^'\n]{1,256})|[^\s:\"'-][^\s:\"']{0,127}:(?P<secret>[^\s\"']{1,256}))",
        where=LOW, check=_real,
    ),
    Rule(
        "command-password", (" -p", "redis-cli", "ldap"),
        (
            ("mysql -u root -p", "hunter2", " app"), ("mysqldump -uroot -p'", "hunter2", "' app"), ("sshpass -p ", "hunter2", " ssh ann@x"),
            ("docker login -u ann -p ", "hunter2", " x.test"), ("redis-cli -h x -a ", "hunter2", " ping"), ("mongosh -u ann -p ", "hunter2", "\n"),
        ),
        ("mysql -u root -p app", "docker run -p 8080:80 x", "mysql -p$PASS", "docker ps -a", "mysql -P 3306 -h x", "docker compose -p web3 up"),
        where=LOW, scan=_commands,
    ),
    Rule(
        "secret-command", ("secret set", "secretsmanager", "--value"),
        (
            ('gh secret set DB_PASS --body "', "hunter2", '"'), ("gh secret set X -R a/b -b", "hunter2", "\n"),
            ("az keyvault secret set --vault-name v --name n --value ", "hunter2", " -o json"),
            ("aws secretsmanager create-secret --name n --secret-string '", "hunter2", "'"),
            ("aws ssm put-parameter --name /a/b --value ", "hunter2", " --type SecureString"),
        ),
        ("gh secret set X --body $VALUE", "gh secret set X < file", 'gh secret set X --body "$(cat x)"', "aws secretsmanager list-secrets --value"),
        pattern=r"\b(?:gh secret set|keyvault secret set|secretsmanager [a-z-]{1,24}|ssm put-parameter)\b[^\n|;&]{0,200}?[ \t]"
        r"(?:--body|--value|--secret-string|-b)[ \t=]{0,2}\\{0,4}(?:\"(?P<a>[^\"\n\\]{3,4096})|'(?P<b>[^'\n]{3,4096})|(?P<secret>[^\s\"'\\-][^\s\"'\\]{2,4096}))",
        where=LOW, check=_userinfo,
    ),
    Rule(
        "piped-password", ("sudo", "password-stdin", "chpasswd"),
        (
            ("echo ", "hunter2", " | sudo -S ls"), ("echo -n '", "hunter2", "' | docker login -u ann --password-stdin"),
            ("echo 'ann:", "hunter2", "' | chpasswd"),
        ),
        ("echo $PASS | sudo -S ls", "echo done | tee x", "sudo -S ls", "echo hello | sudo tee /etc/x"),
        pattern=r"\becho[ \t]{1,4}(?:-[ne][ \t]{1,4})?[\"']?(?:[a-z_][\w-]{0,32}:)?(?P<secret>[^\s\"'|$:]{3,256})[\"']?[ \t]{0,4}\|[ \t]{0,4}"
        r"(?:sudo[^\n|]{0,40}? -\w{0,4}s|[^\n|]{0,200}?--password-stdin|(?:sudo )?chpasswd)", where=LOW, check=_userinfo,
    ),
    Rule(
        "netrc", ("login ",),
        (("machine x.test login ann password ", "hunter2", "\n"), ("login ann\n  password ", "hunter2", "\n")),
        ("login and password are required", "login with password please"),
        pattern=r"\blogin\s{1,8}[^\s,]{1,128}\s{1,16}password\s{1,8}(?P<secret>\S{3,256})", where=LOW,
        check=lambda v: literals.scrambled(v, 4) or (v.isalpha() and v.lower() not in ("please", "field", "fields", "reset", "form", "prompt")
                                                    and len(v) >= 8),
    ),
    Rule(
        "pgpass", (":5432:",),
        (("db.test:5432:app:ann:", "hunter2", "\n"),), ("ports: 5432:5432", "127.0.0.1:5432:5432", "a:5432:b"),
        pattern=r"(?m)^[\w.*-]{1,128}:5432:[\w.*-]{1,64}:[\w.*-]{1,64}:(?P<secret>\S{1,256})$", where=TEXT, check=_userinfo,
    ),
    Rule(
        "identified-by", ("identified ", "set password"),
        (("CREATE USER ann IDENTIFIED BY '", "hunter2", "';"), ("identified with sha2 by '", "hunter2", "'"),
         ("SET PASSWORD FOR 'ann'@'%' = '", "hunter2", "'")),
        ("IDENTIFIED BY ?", "identified by '${PASS}'", "files identified by 'name'"),
        pattern=r"\b(?:identified (?:with [\w']{1,40} )?by|identified with [\w']{1,40} as|set password(?: for [^=\n]{1,80})? ?=(?: ?password\()?)[ \t]{0,4}\\{0,4}[\"'](?P<secret>[^\"'\n\\]{1,256})", where=LOW,
        check=lambda v: not literals.placeholder(v) and (literals.scrambled(v, 4) or len(v) > 7),
    ),
    Rule(
        "xml-element", ("password>", "secret>", "token>", "apikey>", "pwd>", "passwd>", "passphrase>", "api-key>", "api_key>", "privatekey>"),
        (("<password>", "hunter2", "</password>"), ("<db:ApiKey>", "abc123def456", "</db:ApiKey>")),
        ("<password>${env.PASS}</password>", "<token>string</token>", "Option<Token>"),
        pattern=r"<[\w:.-]{0,40}(?:password|passwd|passphrase|pwd|secret|token|api[_-]?key|privatekey)>\s{0,40}(?P<secret>[^<>\s]{3,2048})\s{0,40}</",
        where=LOW, check=lambda v: _real(v) and (not v.isalpha() or len(v) > 7),
    ),
    Rule(
        "private-key", ("-----",),
        (
            ("a\n", "-----BEGIN RSA PRIV" "ATE KEY-----\n" + (_BASE[:64] + "\n") * 3 + "-----END RSA PRIV" "ATE KEY-----", "\nb"),
            ('{"private_key": "', "-----BEGIN PRIV" "ATE KEY-----\\n" + (_BASE[:64] + "\\n") * 3 + "-----END PRIV" "ATE KEY-----", '\\n"}'),
            ("cut off:\n", "-----BEGIN OPENSSH PRIV" "ATE KEY-----\n" + _BASE[:64] + "\n" + _BASE[:10], ""),
            ("     1\t", "-----BEGIN PRIV" "ATE KEY-----\n     2\t" + _BASE[:64] + "\n     3\t" + _BASE[:40], ""),
            ("tail:\n", _BASE[:64] + "\n" + _BASE[:30] + "\n-----END EC PRIV" "ATE KEY-----", "\nnext"),
        ),
        (
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
            "A = '-----BEGIN RSA PRIV" "ATE KEY-----'\nB = '-----END RSA PRIV" "ATE KEY-----'",
            "a file starts with -----BEGIN RSA PRIV" "ATE KEY----- and so on",
        ),
        where=TEXT, scan=_keys,
    ),
    Rule(
        "putty-key", ("Private-Lines: ",),
        (("x\nPrivate-Lines: 2\n", _BASE[:64] + "\n" + _BASE[:40], "\nPrivate-MAC: 00"),), ("Private-Lines: unknown",),
        pattern=r"Private-Lines: \d{1,4}\s{1,4}(?P<secret>[A-Za-z0-9+/=]{16,128}(?:\r?\n[A-Za-z0-9+/=]{1,128}){0,400})(?![A-Za-z0-9+/=-])", where=TEXT,
    ),
    Rule(
        "openssh-body", ("b3BlbnNzaC1rZXktdjE",),
        (("key: ", "b3BlbnNzaC1rZXkt" "djE" + _BASE[:80], "\n"),), ("openssh-key-v1",),
        pattern=r"b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{16,}(?:\s{1,8}[A-Za-z0-9+/=]{40,128}){0,100}", where=TEXT,
    ),
    Rule(
        "slack-webhook", ("hooks.slack.com/",),
        (("post to https://hooks.slack.com/", "services/T0" + "1234567/B0" + "1234567/" + ALNUM[:24], " now"),),
        ("https://hooks.slack.com/services/<path>", "see hooks.slack.com/docs"),
        pattern=r"hooks\.slack\.com/(?P<secret>(?:services|workflows|triggers)/[A-Za-z0-9_+/-]{20,200})", where=TEXT,
    ),
    Rule(
        "discord-webhook", ("/api/webhooks/",),
        (("https://discord.com/api/webhooks/", "123456789012345678/" + ALNUM[:68], "\n"),), ("https://x.test/api/webhooks/list",),
        pattern=r"/api/webhooks/(?P<secret>\d{10,24}/[A-Za-z0-9_-]{20,200})", where=TEXT,
    ),
    Rule(
        "office-webhook", ("webhook.office.com",),
        (("https://acme.webhook.office.com/webhookb2/", UUID + "@" + UUID + "/IncomingWebhook/" + HEX[:32] + "/" + UUID, "\n"),),
        ("https://acme.webhook.office.com/help",),
        pattern=r"webhook\.office\.com/webhookb?2?/(?P<secret>[A-Za-z0-9@/-]{40,300})", where=TEXT,
    ),
    Rule(
        "service-account-key-id", ("private_key_id",),
        (('"private_key_id": "', HEX[:40], '",'),), ('"private_key_id": "<id>"',),
        pattern=r"private_key_id\\{0,4}\":[ \t]{0,4}\\{0,4}\"(?P<secret>[a-f0-9]{40})", where=LOW,
    ),
)  # fmt: skip
