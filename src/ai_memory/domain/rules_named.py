"""Rules for secrets known by the name beside them; the scanners are in ``labelled``."""

from __future__ import annotations

from ai_memory.domain import labelled
from ai_memory.domain.rule import ALNUM, HEX, LOW, LOWER, UUID, Rule, Sample


def _rule(id: str, needle: str, word: str, cuts: tuple[Sample, ...], keeps: tuple[str, ...]) -> Rule:
    return Rule(id, (needle,), cuts, keeps, where=LOW, scan=labelled.named(word))


NAMED = (
    _rule(
        "password", "pass", r"pass(?:word|wd|phrase|code|wort|e)?",
        (
            ("DB_PASSWORD=", "hunter2", "\nDB_HOST=db"),
            ("export PGPASSWORD='", "s3cr3t pa55", "'"),
            ('{"user": "ann", "password": "', "hunter2!!", '"}'),
            ('{\\"password\\": \\"', "hunter2", '\\"}'),
            ("password: ", "swordfish", "\nuser: ann"),
            ("  - name: DB_PASSWORD\n    value: ", "hunter2", "\n"),
            ('password = "', "hunter2!!", '"'),
            ("the password is ", "hunter2", ", keep it"),
            ("The password for the staging box is `", "swordfish", "`."),
            ("psql postgres://db?user=ann&password=", "hunter2", "&sslmode=on"),
            ("Server=db;User Id=sa;Password=", "p4ss,w0rd!", ";Encrypt=true"),
            ("$env:DB_PASSWORD = '", "hunter2", "'"),
            ("spring.datasource.password=", "hunter2", "\n"),
            ("     3\tDB_PASSWORD=", "hunter2;&x", "\n     4\tDB=x"),
            ("ALTER USER ann WITH PASSWORD '", "hunter2", "';"),
            ("password = ", "hunter2", "\n"),
            ("Passwort: ", "Sommer2024!", "\n"),
            ("changed the password to ", "hunter2", " today"),
            ("the root password is now ", "hunter2", "\n"),
            ("password for staging: ", "hunter2", "\n"),
            ("mot de passe : ", "hunter2", "\n"),
            ('{"name":"DB_PASSWORD","value":"', "hunter2", '"}'),
            ('process.env.DB_PASSWORD || "', "hunter2", '"'),
            ("${DB_PASSWORD:-", "hunter2", "}"),
            ("requirepass ", "hunter2", "\n"),
            ("password: ", "Tr0ub4dor&3", "\n"),
            ("x.test/?password=", "abc123&def", "&user=ann"),
            ("db_password: ", "correct-horse-7", "\n"),
            ("the password is ", "correct-horse-battery-staple", "."),
            ("| DB_PASSWORD | ", "hunter2", " |"),
            ("| `password` | `", "hunter2", "` | the database |"),
            (" password | ", "hunter2", "\n"),
        ),
        (
            "the password field is required", "password=None", "password: str", "password = getpass.getpass()",
            "if password == '': raise ValueError('password is empty')", "password=os.environ['DB_PASSWORD']",
            "def login(user, password): pass", "DB_PASSWORD=${DB_PASSWORD}", "password: <your-password>", "password=password,",
            'label = {"password": "Enter your password"}', "all tests pass: 12", "The password is required.",
            "DB_PASSWORD=****", "password = user_input", "password: Optional[str] = None", "bypass=true",
            "{'password': self.password}", "password = request.form['password']", "the password is stored in the vault",
            "password=[REDACTED]", "PASSWORD=%DB_PASSWORD%", "password: !secret db_password", "const { password } = body",
            "${DB_PASSWORD:?missing}", "user_pass = '%s:%s' % (u, p)", "passes = 1000", "values to pass to `boxcox1`", "p = getpass(prompt='Password: ', stream=None)", "print('Password:'+x+'!')", "password: @password", "password: obrigatória", "the password is incorrect",
            "password = username\n", "the password is hard-coded", "password: read-only\n", "password: new-password\n", "the password is sha-256-hashed.",
            "| password | string | the password |", "| password | VARCHAR(255) |", "the password is case-sensitive.", "passed | failed",
            "a value to pass is zero.", "Pass *Isel = nullptr;", "\"def f(): pass\", \"line4 = '%s'\"", "positions--pass `strict=False`",
        ),
    ),
    _rule("pwd", "pwd", r"pwd", (("pwd=", "hunter2", ";"), ('Pwd="', "hunter2!", '"')), ("PWD=/home/ann", "cd $(pwd)", "pwd: string")),
    _rule(
        "secret", "secret", r"secret(?:[_-]?(?:access[_-]?)?key)?",
        (
            ("CLIENT_SECRET=", "abcDEF123ghi", "\n"),
            ("client_secret: '", "abcDEF123ghi", "'"),
            ("AWS_SECRET_ACCESS_KEY=", ALNUM[:20] + "/" + ALNUM[20:39], "\n"),
            ("aws_secret_access_key = ", ALNUM[:20] + "/" + ALNUM[20:39], "\n"),
            ("SECRET_KEY = '", "django-insecure-" + LOWER[:50], "'"),
            ("SecretAccessKey: ", ALNUM[:40], "\n"),
        ),
        (
            "the secret: always read logs", "secret: string", "secretName: tls", "secret = load_secret()",
            "the secret is kept in vault", "arn:aws:secretsmanager:us-west-2:123456789012:secret:MySecret2-a1b2c3", "SECRET=$(openssl rand -hex 32)", "secret: ${{ secrets.TOKEN }}",
        ),
    ),
    _rule(
        "token", "token", r"token",
        (
            ("API_TOKEN=", "abc123def456", "\n"),
            ('"access_token":"', ALNUM[:32], '"'),
            ("https://x.test/cb?access_token=", HEX[:32], "&state=1"),
            ("my token is ", ALNUM[:24], "."),
            ("//registry.test/:_authToken=", ALNUM[:36], "\n"),
            ("token: ", HEX[:40], "\n"),
        ),
        (
            "token count is 512", "max_tokens=4096", "token: str", "const token = getToken()", "token = process.env.TOKEN",
            "TOKEN=$TOKEN", '{"token": "hello"}', "CSRF token: request.headers value", "pad_token = '<pad>'",
            "the token is invalid", "next_page_token: " + HEX[:20], "//registry.test/:_authToken=${NPM_TOKEN}",
            "token_type=bearer", "the token is base64-encoded",
            "token: OAuth2Token", "| token | 512 | base64 |", '"input_token": "ExclusiveStartShardId"', "UNEXPECTED_TOKEN=0x10100,", r"token = r'[a-z0-9][^\s]*'",
        ),
    ),
    _rule(
        "key", "key", r"key",
        (
            ("OPENAI_API_KEY=", HEX[:32], "\n"),
            ('{"api_key": "', "abc123def456", '"}'),
            ("HEROKU_API_KEY=", UUID, "\n"),
            ("my api key is ", ALNUM[:24], "\n"),
            ("ENCRYPTION_KEY: ", HEX[:64], "\n"),
            ("X-API-Key: ", HEX[:32], "\n"),
            ('<add key="ApiKey" value="', "abc123def456", '"/>'),
            ("os.environ['API_KEY'] = '", "abc123def456", "'"),
        ),
        (
            "primary_key=id", "KEY_LENGTH=32", 'api_key = os.environ["API_KEY"]', "key: value", "for key in keys:",
            "SORT_KEY=created_at", "apiKey: process.env.API_KEY", "API_KEY=<your-api-key>", "cache_key = 'user:12:profile'",
            '"encryptionKey": "arn:aws:kms:us-west-2:123456789012:alias/aws/s3"', "[shared keys]: #pre-shared-keys", 'CONTEXT_KEY = "ApplyTypeAnnotationsVisitor"',
            "private_key: ed25519.Ed25519PrivateKey", '"X25519PrivateKey", "X25519PublicKey"', "public_key: " + HEX[:64], '"AWS::IAM::AccessKey": "' + HEX[:16] + '"',
        ),
    ),
    _rule(
        "credential", "credential", r"credential",
        (("DB_CREDENTIALS=", "ann:hunter2", "\n"),), ("GOOGLE_APPLICATION_CREDENTIALS=/etc/key.json", "credentials: include"),
    ),
    _rule(
        "senha", "senha", r"senha",
        (("a senha é ", "hunter2", "."), ("senha: ", "abacaxi9", "\n"), ("a senha do banco é ", "s3nh4!", " ok")),
        ("a senha é obrigatória", "senha: string", "senha e usuário são obrigatórios"),
    ),
    _rule(
        "contraseña", "contrase", r"contrase(?:ñ|n)a",
        (("la contraseña es ", "hunter2", "."), ("contraseña: ", "manzana9", "\n"), ("la contrasen\u0303a es ", "hunter2", ".")),
        ("la contraseña es incorrecta", "contraseña: string"),
    ),
    _rule(
        "clave", "clave", r"clave",
        (("la clave es ", "hunter2", "."), ("clave: ", "manzana9", "\n")), ("la clave es ser constante", "clave: valor", "enclave: x1y2z3w4"),
    ),
    _rule(
        "chave", "chave", r"chave(?: d[aeo] api| api)?",
        (("a chave da API é ", ALNUM[:24], "."),), ("a chave é a paciência", "chave: valor"),
    ),
    Rule(
        "password-before", ("password", "passphrase", "senha", "contrase"),
        (("log in with ", "hunter2", " as the password"), ("`", "hunter2", "` is the admin password"), ("", "hunter2", " é a senha")),
        ("the field is the password", "what is the password", "step2 as a password", "sha256 is the password hash"),
        where=LOW, scan=labelled.before,
    ),
    Rule(
        "flag", ("--", "-pass"),
        (("tool --password ", "hunter2", " --host db"), ('["--token", "', "abc123def456", '"]')),
        ("tool --password $PASS", "tool --token-file x", "use --password to set it", "--max-tokens 4096"),
        where=LOW, scan=labelled.flags,
    ),
    Rule(
        "env-word", ("env ", "setx ", "set -"),
        (("ENV DB_PASSWORD ", "hunter2", "\n"), ("setx API_KEY ", "abc123def456", "\n"), ("set -gx API_TOKEN ", "abc123def456", "\n")),
        ("ENV KEY_LENGTH 32", "setx API_KEY %KEY%", "ENV PATH /usr/bin"),
        where=LOW, scan=labelled.words,
    ),
)  # fmt: skip
