"""What the check for contradictions knows of words: alternatives of a kind, opposites, verbs, and what makes a claim weak."""

from __future__ import annotations


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


# One line a kind: things of which a given place has one. A blank inside a name is written "_".
_KINDS = """
postgres postgresql mysql mariadb sqlite mongodb mongo cassandra dynamodb cockroachdb oracle duckdb redis clickhouse couchdb
redis memcached valkey dragonfly
kafka rabbitmq nats sqs pulsar redis activemq zeromq mqtt pubsub postgres
elasticsearch opensearch solr meilisearch typesense algolia sphinx lucene
github_actions gitlab_ci circleci jenkins travis travis_ci buildkite drone teamcity azure_pipelines
python go golang rust java kotlin ruby javascript typescript php elixir scala swift perl clojure haskell ocaml zig
webpack vite rollup esbuild parcel turbopack snowpack
npm yarn pnpm bun
pip poetry uv pdm pipenv conda
pytest unittest nose
jest vitest mocha jasmine ava
playwright cypress selenium puppeteer
vercel netlify heroku render railway aws gcp azure digitalocean cloudflare kubernetes
s3 gcs minio azure_blob local_disk disk filesystem
json yaml toml xml ini csv protobuf msgpack avro parquet
rest grpc graphql soap websocket websockets sse http thrift
bcrypt argon2 scrypt pbkdf2 md5 sha1 sha256 sha512
celery rq dramatiq huey sidekiq resque bullmq delayed_job
react vue svelte angular solid preact ember
tailwind bootstrap sass less styled_components
string str integer int bigint uuid float decimal boolean bool list tuple dict dataclass object array map set enum json bytes
hourly daily nightly weekly monthly yearly
main master develop dev trunk
trace debug info warning warn error critical
tab space
utc local_time
sendgrid ses amazon_ses mailgun postmark mailchimp
stripe adyen paypal braintree square
sentry rollbar bugsnag honeybadger airbrake
consul etcd zookeeper eureka
terraform pulumi cloudformation ansible chef puppet
bazel nx turborepo gradle maven make cmake buck
jwt oauth saml basic_auth session_cookie cookie api_key
django flask fastapi starlette rails sinatra express koa nestjs spring laravel
docker podman containerd
nomad kubernetes ecs swarm
nginx apache caddy traefik haproxy envoy
prometheus datadog influxdb graphite newrelic
gcc clang msvc llvm
mit apache gpl bsd agpl lgpl mpl
ruff flake8 pylint
eslint biome tslint
vault doppler 1password
monolith microservice
optimistic pessimistic
squash rebase merge
blue/green canary rolling
"""
KIND: dict[str, frozenset[int]] = {}
for _at, _line in enumerate(_KINDS.strip().splitlines()):
    for _name in _line.split():
        KIND[_name] = KIND.get(_name, frozenset()) | {_at}
PHRASES = sorted((name.replace("_", " ") for name in KIND if "_" in name), key=len, reverse=True)

# Opposites: the second of each pair says that the first is not so.
OPPOSITES = {
    second: first
    for first, seconds in {
        "enabled": "disabled", "enable": "disable", "enables": "disables", "allow": "reject deny forbid disallow block",
        "allows": "rejects denies forbids disallows blocks", "allowed": "forbidden disallowed rejected denied prohibited",
        "mandatory": "optional", "supported": "unsupported", "stable": "unstable", "safe": "unsafe", "valid": "invalid",
        "public": "private", "mutable": "immutable", "include": "exclude", "includes": "excludes", "synchronous": "asynchronous",
        "sync": "async", "encrypted": "unencrypted", "case-sensitive": "case-insensitive", "blocking": "non-blocking",
        "stateful": "stateless",
    }.items()
    for second in seconds.split()
}  # fmt: skip
SAME = {
    "required": "mandatory", "compulsory": "mandatory", "accept": "allow", "accepts": "allows", "permits": "allows",
    "permit": "allow", "permitted": "allowed",
    "uses": "use", "using": "use", "used": "use", "has": "have", "runs": "run", "picked": "chose",
    "selected": "chose", "chosen": "chose", "choose": "chose", "postgresql": "postgres", "golang": "go", "mongo": "mongodb",
    "needs": "require", "need": "require", "requires": "require", "wants": "require", "amazon_ses": "ses",
    "websockets": "websocket", "k8s": "kubernetes",
    "js": "javascript", "ts": "typescript", "int": "integer", "str": "string", "bool": "boolean",
    "travis_ci": "travis", "directory": "folder", "lives": "live", "allows": "allow", "rejects": "reject", "enables": "enable",
    "includes": "include", "max": "maximum", "min": "minimum", "db": "database", "repo": "repository", "config": "configuration",
}  # fmt: skip

# Words that say nothing of which thing is meant, or how.
STOP = _set(
    """
    the a an our this that these those of to be been being is are am it its we you i they their there here your my
    and in on at for with by from as into onto via through over under up do does did please also so then which who
    just now currently still actually simply really very all any each every both own only same out per
    """
)
# With these words or without, a subject is the same.
VACUOUS = _set(
    """
    client server service layer value setting option system project component module number default app code
    """
)
# A subject of only these needs its page to say what it belongs to.
GENERIC = _set(
    """
    server service app api client system project code test build script function job worker database module page
    file command user it repository library tool package component class method endpoint process task port timeout
    version size limit name path type owner status configuration default value
    """
)

VERBS = _set(
    """
    is are be must should can cannot has have uses use run runs return returns require requires need needs default
    defaults listen listens live lives expire expires store stores talk talks support supports accept accepts reject
    rejects allow allows keep keeps write writes read reads chose choose take takes retry retries last lasts send
    sends serve serves build builds deploy deploys ship ships point points target targets speak speaks start starts
    refill refills raise raises emit emits hold holds pin pins equals do does not never always hash hashes compile
    compiles
    """
)
# Verbs of which one thing has many: another object is no contradiction.
MANY = _set(
    """
    support check checks handle export import retry accept allow contain include provide offer have list call test
    cover read log emit raise catch ignore trigger depend document reference mention share touch send publish
    subscribe expose return_many note see call called tested imported mentioned referenced covered triggered needed
    documented shared logged owned reviewed done affect affected seen found shown listed described explained fixed
    introduced added changed reported known related based
    """
)
# Verbs and nouns of which one thing has one.
ONE_VERBS = _set(
    """
    live listen default chose return point target equal expire
    """
)
ONE_NOUNS = _set(
    """
    branch port path endpoint format language provider region url type broker backend engine framework encoding
    license level mode database driver strategy separator delimiter prefix suffix timezone directory folder scheme
    algorithm policy
    """
)
# What is measured changes with each measure.
MEASURED = _set(
    """
    take takes took usage latency coverage p50 p90 p95 p99 duration throughput faster slower spent benchmark score
    passed accuracy recall precision uptime cost costs saved grew fell dropped improved average median measured
    users stars downloads left remaining done today
    """
)
# A number after these words is no version of them.
ATTRIBUTES = _set(
    """
    port limit size count ttl version timeout at to of for than maximum minimum
    """
)
# A number after these words is a name.
NUMBERED = _set(
    """
    step phase issue pr line page chapter section ticket bug version release sprint level tier
    """
)
PREPOSITIONS = _set(
    """
    in on at to with by from via through over as into after under
    """
)
# With these words a version is one that has to be.
REQUIREMENTS = _set(
    """
    required mandatory require minimum pinned run use target build
    """
)
# Pages whose headings differ in these speak of different things.
ENVIRONMENTS = _set(
    """
    staging production prod development dev local test testing ci preview qa linux macos windows docker legacy old
    new v1 v2 v3 beta archive ios android
    """
)
# What lines with these keys say is true of a moment or of a page, not of a thing.
KEYS = _set(
    """
    date status created updated author see note source title tags type kind id line todo warning tip why branch
    commit duration result session started ended owner assignee priority progress
    """
)
PASSING = ("current", "last", "latest", "next", "total", "number of", "session", "previous")
