"""Pairs of statements as coding projects make them: those that contradict each other, and those that only look so.

``KNOWN`` is the set that the check was made with; ``HELD_OUT`` was written before and never looked at while making it.
"""

from __future__ import annotations

CONTRADICT = """
The API server listens on port 8080. | The API server listens on port 9090.
The HTTP client timeout is 30 s. | The HTTP client timeout is set to 60 seconds.
`REQUEST_TIMEOUT` defaults to 30. | `REQUEST_TIMEOUT` defaults to 45.
We use Postgres for the job queue. | We use Redis for the job queue.
The billing service uses MySQL. | The billing service uses Postgres.
The default branch is main. | The default branch is develop.
max_connections: 100 | max_connections: 250
Session tokens expire after 15 minutes. | Session tokens expire after 24 hours.
Always run migrations before deploying. | Never run migrations before deploying.
Commits must be signed. | Commits must not be signed.
Feature flags are enabled by default. | Feature flags are disabled by default.
The search index is rebuilt on every deploy. | The search index is not rebuilt on every deploy.
Python 3.9 is supported. | Python 3.9 is no longer supported.
The worker uses Celery. | We dropped Celery from the worker.
The cache layer uses Redis. | Redis was replaced by Memcached in the cache layer.
The frontend uses webpack. | We migrated the frontend from webpack to Vite.
Image uploads are stored in S3. | Image uploads are stored on the local disk.
The retry limit is 3. | The retry limit is 5.
Retry failed webhooks 3 times. | Retry failed webhooks 10 times.
Logs are kept for 30 days. | Logs are kept for 90 days.
We chose SQLite for the event store. | We chose Postgres for the event store.
Node 18 is required to build the dashboard. | Node 20 is required to build the dashboard.
The build requires Go 1.20. | The build requires Go 1.22.
Rate limit: 100 requests per minute per key. | Rate limit: 500 requests per minute per key.
The CI pipeline runs on GitHub Actions. | The CI pipeline runs on CircleCI.
The deploy script must be run from the repository root. | The deploy script must not be run from the repository root.
The auth middleware caches tokens. | The auth middleware does not cache tokens.
The scheduler is written in Go. | The scheduler is written in Rust.
The default log level is info. | The default log level is debug.
Passwords are hashed with bcrypt. | Passwords are hashed with argon2.
The payments webhook endpoint is /hooks/pay. | The payments webhook endpoint is /v2/payments/hook.
The upload size limit is 10 MB. | The upload size limit is 25 MB.
The orders table has a unique index on email. | The orders table has no unique index on email.
Integration tests run in parallel. | Integration tests do not run in parallel.
Never edit generated files by hand. | Always edit generated files by hand.
The mobile app talks to the backend over REST. | The mobile app talks to the backend over gRPC.
The config file is YAML. | The config file is TOML.
Background jobs are processed by Sidekiq. | Background jobs are processed by Resque.
`parse_config` raises ValueError on unknown keys. | `parse_config` ignores unknown keys.
`parse_config` returns a dict. | `parse_config` returns a dataclass.
The linter is optional in CI. | The linter is mandatory in CI.
The export job runs nightly. | The export job runs hourly.
The staging database is shared by all branches. | The staging database is not shared by all branches.
We no longer use Docker Compose for local development. | We use Docker Compose for local development.
The release branch is cut from develop. | The release branch is cut from main.
Pull requests need two approvals. | Pull requests need one approval.
The public API supports XML responses. | The public API does not support XML responses.
The admin dashboard is deployed to Vercel. | The admin dashboard is deployed to Netlify.
The ingest worker pool size is 4. | The ingest worker pool size is 16.
Dates are stored in UTC. | Dates are stored in local time.
The gateway allows anonymous requests. | The gateway rejects anonymous requests.
`user_id` is a UUID. | `user_id` is an integer.
User ids are not unique across tenants. | User ids are unique across tenants.
Telemetry is on by default. | Telemetry is off by default.
The token bucket refills at 10 per second. | The token bucket refills at 50 per second.
The project uses tabs for indentation. | The project uses spaces for indentation.
Production runs PostgreSQL 14. | Production runs PostgreSQL 16.
Terraform state is stored in GCS. | Terraform state is stored in S3.
The minimum supported iOS version is 14. | The minimum supported iOS version is 16.
Kafka was removed from the event pipeline. | The event pipeline uses Kafka.
The health check path is /healthz. | The health check path is /status.
The websocket gateway supports compression. | The websocket gateway no longer supports compression.
api port: 8080 ~ api port: 8443
Cache TTL: 5 minutes ~ Cache TTL: 1 hour
You should squash commits before merging. | You should not squash commits before merging.
Protobuf files live in /proto. | Protobuf files live in /schemas.
"""

AGREE = """
The API server listens on port 8080. | The metrics server listens on port 9090.
In staging the API listens on port 8080. | In production the API listens on port 9090.
The staging timeout is 30 s. | The production timeout is 60 s.
The HTTP timeout is 60 s. | The HTTP timeout is 1 minute.
The upload limit is 1 GB. | The upload limit is 1024 MB.
Version 1 of the API uses XML. | Version 2 of the API uses JSON.
The v1 endpoint returns a list. | The v2 endpoint returns an object.
We used MySQL until 2024. | We use Postgres.
We used to store sessions in Redis. | We store sessions in Postgres.
If the cache is cold, the request takes 3 s. | If the cache is warm, the request takes 20 ms.
Should the API listen on port 8080? | The API listens on port 9090.
For example, set the port to 8080. | The API port is 9090.
The billing service uses MySQL. | The search service uses Elasticsearch.
We use Postgres for the job queue. | We use Redis for the cache.
The app supports PDF exports. | The app supports CSV exports.
The linter checks imports. | The linter checks naming.
The server is written in Go. | The server is written in Go 1.22.
The service uses Postgres. | The service uses Postgres 16 with pgvector.
The worker retries 3 times. | The worker waits 5 seconds between retries.
Always run migrations before deploying. | Always run the smoke tests after deploying.
Never commit secrets. | Always commit the lock file.
Commits must be signed. | Commits must be small.
Feature flags are enabled by default in development. | Feature flags are disabled by default in production.
When running in Docker, the database host is db. | When running locally, the database host is localhost.
Before 2.0 the default was JSON. | The default is YAML.
The max retry count for webhooks is 5. | The max retry count for emails is 3.
Alice owns the billing module. | Bob owns the search module.
The build takes 4 minutes. | The test suite takes 12 minutes.
The read timeout is 30 s. | The connect timeout is 5 s.
min_pool_size: 2 | max_pool_size: 10
Redis runs on port 6379. | Postgres runs on port 5432.
The primary database is in eu-west-1. | The replica database is in us-east-1.
We dropped Redis. | We use Postgres for the queue instead.
We dropped Redis from the search service. | The session service uses Redis.
We migrated from Jenkins to GitHub Actions. | We use GitHub Actions.
Python 3.8 is no longer supported. | Python 3.12 is supported.
The parser does not support comments. | The formatter supports comments.
The tests must not touch the network. | The tests must run in under a minute.
The dashboard is deployed to Vercel. | The dashboard is written in TypeScript.
The config file is YAML. | The config file is read at startup.
Tokens expire after 15 minutes. | Refresh tokens expire after 30 days.
Access tokens expire after 15 minutes. | Refresh tokens expire after 30 days.
The queue uses at-least-once delivery. | The queue uses a dead letter topic.
The client retries on 503. | The client retries on 429.
The nightly job runs at 02:00 UTC. | The nightly job takes 40 minutes.
The orders table has a unique index on email. | The orders table has a foreign key to users.
Do not use print in library code. | Use the logger in library code.
Use pytest for unit tests. | Use Playwright for end-to-end tests.
Linux builds use gcc. | Windows builds use MSVC.
On macOS the socket path is /tmp/app.sock. | On Linux the socket path is /run/app.sock.
The bug was fixed in 1.4.2. | The bug was introduced in 1.3.0.
The 1.3 release broke imports. | The 1.4 release fixed imports.
Memory use dropped from 900 MB to 300 MB. | Memory use is 300 MB.
The endpoint returns 404 for missing users. | The endpoint returns 403 for blocked users.
`parse_config` returns a dict. | `load_config` returns a dataclass.
`MAX_RETRIES` defaults to 3. | `MAX_BACKOFF` defaults to 30.
The gateway uses JWT for authentication. | The gateway uses Redis for rate limiting.
We decided against GraphQL. | We use REST for the public API.
The team considered Kafka for the event pipeline. | The event pipeline uses NATS.
Logs are shipped to Loki. | Metrics are shipped to Prometheus.
The cache is not shared between tenants. | The cache is invalidated on deploy.
Unless the flag is set, writes are disabled. | Writes are enabled.
Writes are disabled during maintenance. | Writes are enabled.
The importer is slow. | The importer is written in Python.
The importer is slow on large files. | The importer is not slow on small files.
Admins can delete projects. | Viewers cannot delete projects.
The free plan allows 3 projects. | The team plan allows 50 projects.
We will move the queue to Kafka next quarter. | The queue uses RabbitMQ.
TODO: raise the timeout to 60 s. | The timeout is 30 s.
The default page size is 20. | The maximum page size is 100.
The API is versioned by URL. | The API is documented with OpenAPI.
The service listens on 0.0.0.0. | The service listens on port 8080.
The service must start within 5 s. | The service must stop within 30 s.
Use `make test` to run the tests. | Use `make lint` to run the linter.
The schema has 12 tables. | The schema is defined in db/schema.sql.
Postgres is the source of truth. | Elasticsearch is a derived index.
The session cookie is HttpOnly. | The session cookie is SameSite=Lax.
The old dashboard uses jQuery. | The new dashboard uses React.
The legacy importer ignores unknown keys. | The importer rejects unknown keys.
Set LOG_LEVEL to debug to see queries. | The default log level is info.
The first attempt used threads. | The current scheduler uses asyncio.
The rate limit was 100 requests per minute. | The rate limit is 500 requests per minute.
The payment provider is Stripe. | The email provider is Postmark.
The main bundle is 300 kB. | The vendor bundle is 800 kB.
"""

HELD_OUT_CONTRADICT = """
The inventory service listens on port 7001. | The inventory service listens on port 7002.
Heartbeat interval is 10 seconds. | The heartbeat interval is 25 s.
`BATCH_SIZE` defaults to 500. | `BATCH_SIZE` defaults to 2000.
We use RabbitMQ as the message broker. | We use Kafka as the message broker.
The mailer uses SendGrid. | The mailer uses Amazon SES.
Invoices are rendered with wkhtmltopdf. | Invoices are rendered with headless Chrome.
Never force push to main. | Always force push to main.
Database access must go through the repository layer. | Database access must not go through the repository layer.
Two-factor login is enabled for all staff accounts. | Two-factor login is disabled for all staff accounts.
The crawler respects robots.txt. | The crawler does not respect robots.txt.
Windows is supported. | Windows is no longer supported.
The thumbnailer uses ImageMagick. | ImageMagick was replaced by libvips in the thumbnailer.
We dropped Elasticsearch from the product search. | The product search uses Elasticsearch.
Backups are kept for 14 days. | Backups are kept for 35 days.
The build requires Java 17. | The build requires Java 21.
Service discovery is done with Consul. | Service discovery is done with etcd.
The compiler backend is LLVM. | The compiler backend is Cranelift.
queue_depth_alert = 1000 | queue_depth_alert = 5000
The lock lease lasts 30 seconds. | The lock lease lasts 2 minutes.
`fetch_user` returns None for a missing user. | `fetch_user` raises KeyError for a missing user.
Snapshots are taken hourly. | Snapshots are taken daily.
Error reports are sent to Sentry. | Error reports are sent to Rollbar.
The CLI is distributed through Homebrew. | The CLI is not distributed through Homebrew.
The tenant id is part of the primary key. | The tenant id is not part of the primary key.
Audit logging is off by default. | Audit logging is on by default.
The search API accepts wildcards. | The search API rejects wildcards.
The monorepo is built with Bazel. | The monorepo is built with Nx.
We no longer use feature branches. | We use feature branches.
Hotfixes are cut from the release tag. | Hotfixes are cut from main.
The gRPC deadline is 800 ms. | The gRPC deadline is 2 s.
The plugin API is stable. | The plugin API is not stable.
New endpoints should be documented in Swagger. | New endpoints should not be documented in Swagger.
"""

HELD_OUT_AGREE = """
The inventory service listens on port 7001. | The pricing service listens on port 7002.
The lock lease lasts 120 seconds. | The lock lease lasts 2 minutes.
In the test environment the mailer is a stub. | In production the mailer uses Amazon SES.
The consumer timeout is 10 s. | The producer timeout is 30 s.
We used Bazel before 2023. | We use Nx.
Mongo was our first store. | Cassandra is our store today.
When the breaker is open, calls fail fast. | When the breaker is closed, calls go through.
Is the deadline 800 ms or 2 s? | The gRPC deadline is 2 s.
e.g. `BATCH_SIZE=100` | `BATCH_SIZE` defaults to 500.
The crawler respects robots.txt. | The crawler respects rate limits.
The CLI supports bash completion. | The CLI supports zsh completion.
The mailer uses SendGrid. | The mailer uses a queue.
The compiler is written in OCaml. | The compiler is written in OCaml 5.
Never push to main directly. | Always open a pull request.
The tenant id is part of the primary key. | The tenant id is an integer.
Backups are kept for 14 days. | Backups are taken every 6 hours.
Backups are kept for 14 days. | Audit logs are kept for 35 days.
The ARM image is 80 MB. | The x86 image is 95 MB.
The read replica lags by 2 s. | The primary accepts 400 writes per second.
We dropped Consul. | We use etcd for service discovery.
We migrated from Travis to Buildkite. | The pipeline runs on Buildkite.
Java 8 is no longer supported. | Java 21 is supported.
The importer does not validate emails. | The signup form validates emails.
The header is 64 bytes. | The footer is 16 bytes.
The editor role can publish articles. | The reader role cannot publish articles.
Enterprise customers get 1000 seats. | Starter customers get 10 seats.
We plan to switch the broker to Pulsar. | We use Kafka as the message broker.
Wildcards are rejected in the admin search. | Wildcards are accepted in the public search.
The scheduler locks the row before it starts a job. | The scheduler unlocks the row after it finishes a job.
The worker handles images. | The worker handles videos.
The snapshot is written to disk. | The snapshot is compressed with zstd.
Snapshots are taken hourly. | Snapshots are tested weekly.
The 3.1 migration adds a column. | The 3.2 migration drops a column.
CPU use fell from 80 % to 35 %. | CPU use is 35 %.
On Windows the cache lives in %APPDATA%. | On Linux the cache lives in ~/.cache.
`encode` accepts bytes. | `decode` accepts str.
The old search used Solr. | The product search uses Elasticsearch.
TODO: switch the monorepo to Nx. | The monorepo is built with Bazel.
Audit logging is off by default in tests. | Audit logging is on by default.
The plugin API is not stable yet in 0.9. | The plugin API is stable since 1.0.
The web client sends JSON. | The device client sends protobuf.
Errors are logged with a request id. | Errors are not retried.
Two-factor login is enabled for staff. | Two-factor login is optional for guests.
"""


def _pairs(text: str) -> list[tuple[str, str]]:
    pairs = []
    for line in text.strip().splitlines():
        one, other = line.split(" ~ ") if " ~ " in line else line.split(" | ")
        pairs.append((one, other))
    return pairs


KNOWN = [(*pair, True) for pair in _pairs(CONTRADICT)] + [(*pair, False) for pair in _pairs(AGREE)]
HELD_OUT = [(*pair, True) for pair in _pairs(HELD_OUT_CONTRADICT)] + [(*pair, False) for pair in _pairs(HELD_OUT_AGREE)]
