"""Is the value beside a secret's name a secret, or a placeholder, a piece of code, a word?"""

from __future__ import annotations

import re
from functools import lru_cache

from ai_memory.domain.rule import MARK

PASSWORD, SECRET, TOKEN, KEY, ENVKEY, CREDENTIAL = "password", "secret", "token", "key", "envkey", "credential"

_PASSWORDS = ("password", "passwords", "passwd", "passphrase", "passcode", "passwort", "pswd", "pwd",
              "senha", "passe", "contraseña", "contrasena", "motdepasse")  # fmt: skip
_PASSES = frozenset(f"{who}pass" for who in "db user root admin my require ssh sudo become login smtp mail ftp sql pg auth".split())
_KEYS = (
    "apikey", "accesskey", "accesskeyid", "privatekey", "authkey", "encryptionkey", "signingkey", "masterkey",
    "accountkey", "servicekey", "licensekey", "deploykey", "adminkey", "rootkey", "hmackey", "aeskey", "webhookkey",
    "sharedkey", "clientkey", "appkey", "cookiekey", "jwtkey", "chaveapi", "chavedeapi", "chavedaapi", "chavedoapi", "clavedeapi", "clavesecreta",
)  # fmt: skip
_BENIGN = re.compile(
    r"(?:primary|foreign|public|pub|sort|partition|cache|hash|range|index|unique|routing|idempotency|ingest|object|map|"
    r"storage|group|lookup|row|column|shard|pagination|page|nextpage|continuation|cont|sync|cancellation|cancel|pad|eos|bos|"
    r"unk|sep|cls|mask|start|starting|input|output|lock|change|limit|stop|end|special|max|min|num|prev|current|last|first|next|image|vocab|sub|per|each|type|hot)"
    r"(?:key|token)\Z"
)
_WORDS = frozenset(
    """
    str string text varchar char bytes byte int integer number float bool boolean any object none null nullptr nil undefined void
    optional required true false yes no on off type unknown never self this secretstr empty unset default example
    placeholder changeme change-me change_me todo tbd n/a na foo bar baz dummy sample redacted removed hidden masked secret
    secrets password passwords passwd passphrase token tokens key keys apikey credential credentials bearer basic digest
    oauth oauth2 jwt header query cookie body env environment vault file plain plaintext text hash hashed encrypted input
    prompt ask stdin md5 sha1 sha-1 sha256 sha-256 sha384 sha512 sha-512 hs256 rs256 es256 hs512 rs512 ed25519 x509 base64
    base64url utf8 utf-8 utf16 ascii latin1 latin-1 argon2 argon2id bcrypt scrypt pbkdf2 oauth1 http2 uint8array uuid uuid4
    senha senhas contraseña contrasena clave claves chave passwort kennwort
    username userinfo userpass result results response request payload content contents buffer decoded
    """.split()
)
_ALGORITHMS = re.compile(
    r"(?:md5|sha-?\d{1,3}|hs\d+|rs\d+|es\d+|base\d\d(?:url)?|utf-?\d+|argon2\w*|oauth\d|ed25519|x509|v\d+|[ui](?:nt)?\d+|"
    r"f(?:loat)?\d+|\d{1,4}|http\d?|http2|s3|ec2|k8s|i18n|l10n|p\d+|uuid\d?)",
    re.IGNORECASE,
)
_TEMPLATE = re.compile(
    r"\$\{?[A-Za-z_]|\$\{|\$\(|\$\d+\Z|<[^<>\n]{0,80}>?\Z|\{{1,3}[^{}\n]{0,80}\}{0,3}\Z|%[A-Za-z_]\w*%|%\(|(?:%[sdvqr]\W?)+\Z|[#@]\{|"
    r"&(?:mut\b|str\b|'|\w+;)|!(?:secret|ref|sub|vault|env\w*|getatt|importvalue)\b|\[[A-Za-z _-]{0,40}\]?\Z",
    re.IGNORECASE,
)
_FILLER = re.compile(
    r"(?:your|insert|enter|replace|put|example|sample|dummy|placeholder|redacted|change)(?:[-_ .]|\Z)|.*(?:x{5}|\*{3}|•{3}|\.\.\.\Z|…)|"
    r"(?:sk-|[a-z]{0,8}[-_])?(?:\.{3}|…)",
    re.IGNORECASE | re.DOTALL,
)
_SECRET_WORD = re.compile(r"pass|secret|token|key|cred|senha|contrase|pwd|auth|clave|chave|code|hash", re.IGNORECASE)
_PLAIN_WORDS = re.compile(r"[^\W\d][^\W\d_./: -]*(?:[_./: -]+[^\W\d_./: -]*)*\Z")
_CALL = re.compile(r"(?:await |new |\*{0,2}|!|&)?[A-Za-z_$][\w$]*(?:(?:\?\.|!?\.|::|->)[A-Za-z_$#][\w$]*)*[!?]?\s?[(\[]")
_DOTTED = re.compile(r"(?:\.\.\.)?[A-Za-z_$][\w$]*(?:(?:\?\.|!?\.|::|->)[A-Za-z_$][\w$]*)+[;,)!]?\Z")
_RANDOM_PART = re.compile(r"(?=[^.:>-]{0,40}\d)(?=[^.:>-]{0,40}[A-Za-z])[\w]{9,}")
_IDENTIFIER = re.compile(r"[A-Za-z_$][\w$]*\Z")
_TYPE = re.compile(r"(?:[\w$]{1,40}\.){0,4}[A-Z]\w{0,40}(?:Token|Key|Secret|Password|Credential)(?:s|Types?)?\Z")
_REGEX = re.compile(r"\\[wWdDsSbB]|a-z|A-Z|0-9|\[\^")
_PHRASE = re.compile(r"[A-Za-z0-9]{1,24}(?:-[A-Za-z0-9]{1,24}){1,11}[!?.]?\Z")
_PATH = re.compile(r"(?:~|\.{1,2})?/(?:[\w.@+-]+/)*[\w.@+-]*\Z|[A-Za-z]:[\\/]|[\w.-]+/[\w./-]+\.[a-z]{1,5}\Z")
_FILE = re.compile(r"[\w-]+(?:\.[\w-]+)*\.(?:py|js|ts|tsx|json|ya?ml|toml|md|txt|go|rs|rb|java|pem|key|crt|env|html?|sh|c|h|cpp|sql|db|lock|log)\Z")
_NUMERIC = re.compile(r"[+-]?[\d.,:/ _TZ+-]+(?:[kKmMgG]?[bB]?|ms|s|px|%|em|rem|h|d)\Z|(?:0x|#)[0-9a-fA-F]{1,8}\Z|v?\d+(?:\.\d+)+\S{0,12}\Z")
_SYMBOL = re.compile(r"\S[!@#$%^&*+=?~]|[!@#$^*+=?~]\S")
_PROSE = frozenset(
    """
    a an the your you my is are was be been must should can cannot may not no for to of and or in on with at from this that
    enter required forgot reset invalid incorrect wrong new old current confirm repeat least characters match please
    too short long set use used missing expired optional
    """.split()
)

_ADJECTIVE = re.compile(
    r".*(?:ed|ing|able|ible|ful|less|ory|ive|ent|ant|ic|al|ous|ly|ado|ada|ido|ida|ória|oria|ário|ável|ível|cta|cto|eto|eta|"
    r"vo|va|lido|lida|io|ia)\Z"
)
_COMMON = frozenset(
    """
    wrong correct incorrect invalid absent unsafe perfect bad new old right empty missing here there okay fine long short weak strong secret blank broken unset unknown gone
    same different good stale fresh sent kept known public stolen hidden clear given shown written never always still also
    just only then that this what where when like more less about being used wired exposed okay lost chosen null none
    errada errado certa certo fraca forte curta longa vazia secreta nova velha igual correta aqui para necessaria
    larga corta nueva vieja debil fuerte mala buena incorrecta
    """.split()
)


@lru_cache(maxsize=4096)
def classify(name: str) -> str:
    """The class of secret that a name such as ``DB_PASSWORD``, ``apiKey`` or ``"client-secret"`` announces, or ''."""
    low = name.lower().strip("_-. $")
    compact = low.translate(_JOINTS)
    if not compact or _BENIGN.search(compact):
        return ""
    if compact.endswith(_PASSWORDS):
        return PASSWORD
    if compact.endswith("pass") and (low == "pass" or low[-5] in "_-." or name.endswith("Pass") or compact in _PASSES):
        return PASSWORD
    if compact.endswith(("secret", "secrets", "secretkey", "secretaccesskey", "keysecret")):
        return SECRET
    if compact.endswith("token") or low in ("clave", "chave") or low in ("auth", "authorization"):
        return TOKEN
    if compact.endswith(_KEYS):
        return KEY
    if name.endswith("_KEY") or (name.endswith("_KEYS") and name.isupper()):
        return ENVKEY
    if compact.endswith(("credential", "credentials")):
        return CREDENTIAL
    return ""


_JOINTS = str.maketrans("", "", "_-. ")


def placeholder(value: str) -> bool:
    """Stands for a secret without being one: ``${X}``, ``<your-token>``, ``****``, ``changeme``, our own mark."""
    core = value.replace(MARK, "").strip()
    if not core or (len(set(core)) == 1 and not core.isdigit()):
        return True
    low = core.lower()
    if low in _WORDS or low.startswith("arn:aws") or _TEMPLATE.match(core) or _FILLER.match(core):
        return True
    return bool(_SECRET_WORD.search(core)) and bool(_PLAIN_WORDS.match(core.lstrip("@:$%")))


def ordinary(word: str) -> bool:
    """A word that prose uses of a password: wrong, required, obrigatória."""
    low = word.lower()
    return low in _COMMON or bool(_ADJECTIVE.match(low))


def expression(value: str) -> bool:
    """Code that fetches a value or names its type: a call, a subscript, a dotted name, ``x509.PrivateKey``."""
    if _CALL.match(value) or _TYPE.match(value):
        return True
    return bool(_DOTTED.match(value)) and not _RANDOM_PART.search(value)


def scrambled(value: str, least: int) -> bool:
    """Letters mixed with digits or with signs, ``least`` characters or more, and not a date, path, file, number or version."""
    if len(value) < least or "://" in value:
        return False
    letters = any(c.isalpha() for c in value)
    digits = any(c.isdigit() for c in value)
    if not ((letters and digits) or ((letters or digits) and _SYMBOL.search(value))):
        return False
    if _NUMERIC.match(value) or _FILE.match(value) or (_PATH.match(value) and not _deep(value)):
        return False
    return not all(not part or part.isalpha() or _ALGORITHMS.fullmatch(part) for part in re.split(r"[-_./: ]", value))


def phrase(value: str, least: int) -> bool:
    """Words joined by hyphens, ``least`` or more, that prose would not use of a password: correct-horse-7, not hard-coded."""
    if len(value) < 8 or not _PHRASE.match(value) or _NUMERIC.match(value):
        return False
    words = value.rstrip("!?.").lower().split("-")
    letters = [word for word in words if word.isalpha()]
    if len(words) < least or not letters or not _PROSE.isdisjoint(words) or any(_ALGORITHMS.fullmatch(word) for word in words[:-1]):
        return False
    return not ordinary(letters[-1])


def _deep(value: str) -> bool:
    return any(len(part) > 19 and scrambled(part, 20) for part in value.split("/"))


def quoted(value: str, kind: str) -> bool:
    """A literal in quotes beside a name of class ``kind``."""
    value = value.replace(MARK, "")
    if placeholder(value) or "${" in value or "{{" in value or "#{" in value or "://" in value:
        return False
    if _PATH.match(value) and not _deep(value):
        return False
    if value[0] in ",;)+]" and not scrambled(value.strip(",;)+] "), 8):
        return False
    if any(c.isspace() for c in value):
        return kind == PASSWORD and value == value.strip() and len(value) < 200 and not (_PROSE & set(re.findall(r"[^\W\d_]+", value.lower())))
    if kind == PASSWORD:
        return len(value) >= 3
    if kind == SECRET:
        return len(value) >= 4 and not _NUMERIC.match(value)
    if expression(value) or _NUMERIC.match(value) or ("[" in value and _REGEX.search(value)):
        return False
    if kind == KEY:
        return scrambled(value, 6) or (len(value) >= 8 and "_" not in value and "-" not in value)
    if kind == TOKEN:
        return scrambled(value, 6) or (len(value) >= 16 and value.isalnum())
    return scrambled(value, 8) or (len(value) >= 20 and value.isdigit())


def env(value: str, kind: str) -> bool:
    """An unquoted value of an upper-case name, ``NAME=value``."""
    value = value.replace(MARK, "")
    if placeholder(value) or "://" in value or _CALL.match(value) or (_PATH.match(value) and not _deep(value)):
        return False
    if _NUMERIC.match(value.rstrip(",;")) and kind != PASSWORD and not value.isdigit():
        return False
    if _DOTTED.match(value) and _SECRET_WORD.search(value.rpartition(".")[2]):
        return False
    if kind == PASSWORD:
        return len(value) >= 3
    if kind == SECRET:
        return len(value) >= 3 and not _NUMERIC.match(value)
    if kind == TOKEN:
        return (len(value) >= 6 and not _NUMERIC.match(value)) or (value.isdigit() and len(value) >= 12)
    if kind == CREDENTIAL:
        return len(value) >= 6 and not value.isalpha() and not _NUMERIC.match(value) and not _FILE.match(value)
    return scrambled(value, 8) or (len(value) >= 12 and value.isalnum() and not value.isdigit())


def bare(value: str, kind: str, alone: bool, tight: bool) -> bool:
    """An unquoted value of any other name. ``alone``: nothing follows it on its line; ``tight``: ``name=value``."""
    value = value.replace(MARK, "")
    if placeholder(value) or expression(value) or "://" in value:
        return False
    if value[0] == "#" and value[1:].replace("-", "").isalpha():
        return False
    if value.isdigit():
        return kind == PASSWORD and len(value) >= 4 and (alone or tight)
    if scrambled(value, 6 if kind in (PASSWORD, SECRET, TOKEN) else 8):
        return not ("_" in value and _IDENTIFIER.match(value) and not tight and len(value) < 20)
    if kind == PASSWORD and (alone or tight) and phrase(value, 2):
        return True
    if kind in (PASSWORD, SECRET) and value.isalpha():
        return len(value) >= 6 and alone and (tight or (kind == PASSWORD and value.islower() and not ordinary(value)))
    return value.isalnum() and len(value) >= 20 and alone
