"""The server process: the only place that builds objects."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import ipaddress
import logging
import signal
import socket
import sys
import threading
from collections.abc import AsyncIterator
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.types import Receive, Scope, Send

from ai_memory.api import app as api
from ai_memory.api.hooks import Hooks
from ai_memory.config import Config
from ai_memory.errors import Invalid, Unreachable
from ai_memory.memory import opening, upkeep
from ai_memory.memory.core import Core
from ai_memory.serve.pickup import Pickup
from ai_memory.serve.watch import Watch

log = logging.getLogger(__name__)
_UPKEEP = 30.0
# Seconds a busy thread may keep the interpreter: the writer, back from each of SQLite's calls, waits no longer.
_SWITCH = 0.001


class Mcp:
    """``/mcp``. The SDK is imported in the background; a request that comes first waits for it."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._ready = asyncio.Event()
        self._stop = asyncio.Event()
        self._manager: Any = None

    async def run(self) -> None:
        face = await run_in_threadpool(importlib.import_module, "ai_memory.mcp.face")
        self._manager = face.build(self._core)
        async with self._manager.run():
            self._ready.set()
            await self._stop.wait()

    def stop(self) -> None:
        self._stop.set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._ready.wait()
        await self._manager.handle_request(scope, receive, send)


def run(config: Config) -> None:
    """Serve until a signal says stop. Raises ``Invalid`` for an address that may not be used, ``Unreachable`` if taken."""
    if not config.token.isascii() or not config.token.isprintable():
        raise Invalid("The token holds characters that a header cannot carry. Make a new one with `ai-memory setup`.")
    host, port = _address(config)
    listener = _listen(host, port)
    url = f"http://{_bracketed(host)}:{listener.getsockname()[1]}"
    try:
        lock = opening.Lock(config.data, url)
    except BaseException:
        listener.close()
        raise
    try:
        core = opening.open_core(config)
        try:
            _serve(core, config, listener, host, url)
        finally:
            opening.close(core)
    finally:
        lock.close()
        listener.close()


def _serve(core: Core, config: Config, listener: socket.socket, host: str, url: str) -> None:
    sys.setswitchinterval(_SWITCH)
    pickup = Pickup(core)
    hosts = [*config["allowed_hosts"], host]

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        threads = [threading.Thread(target=opening.settle, args=(core,), name="settle", daemon=True)]
        threads[0].start()
        pickup.start()
        watch = Watch(core)
        watch.start()
        background = [asyncio.create_task(mcp.run(), name="mcp"), asyncio.create_task(_tick(core), name="upkeep")]
        print(f"ai-memory serves {url}" + ("" if config.token else " (open to every user of this machine)"), flush=True)
        yield
        mcp.stop()
        background[1].cancel()
        await asyncio.gather(*background, return_exceptions=True)
        watch.stop()
        await run_in_threadpool(pickup.stop)
        await run_in_threadpool(threads[0].join)

    mcp = Mcp(core)
    app = api.build(core, hosts, Hooks(core, pickup.drain, pickup.facts), mcp, lifespan)
    settings = uvicorn.Config(
        app, http="httptools", ws="none", loop="asyncio", log_config=None, access_log=False, lifespan="on",
        timeout_graceful_shutdown=5, server_header=False, backlog=1024,
    )  # fmt: skip
    server = uvicorn.Server(settings)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    for number in (signal.SIGTERM, signal.SIGINT):  # uvicorn raises it once more at its end, which must not be ours
        signal.signal(number, lambda *_: setattr(server, "should_exit", True))
    asyncio.run(server.serve(sockets=[listener]))


async def _tick(core: Core) -> None:
    while True:
        await asyncio.sleep(_UPKEEP)
        try:
            await run_in_threadpool(upkeep.tick, core)
        except Exception:
            log.exception("upkeep failed")


def _address(config: Config) -> tuple[str, int]:
    host, _, port = str(config["bind"]).rpartition(":")
    host = host.strip("[]") or "127.0.0.1"
    if not port.isdigit() or int(port) > 65_535:
        raise Invalid(f"bind is host:port, such as 127.0.0.1:49374, not {config['bind']!r}.")
    if not _loopback(host) and not config.token:
        raise Invalid(
            f"{host} can be reached from other machines, and there is no token. Make one with "
            "`ai-memory generate-auth-token --write`, or bind to 127.0.0.1."
        )
    return host, int(port)


def _loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named outright, for asyncio turns Nagle's delay off only where it sees that a socket is TCP.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        why = f"{host}:{port} cannot be bound ({error.strerror}). Is ai-memory running already? Try --bind."
        raise Unreachable(why) from error
    listener.listen(1024)
    listener.setblocking(False)
    return listener


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
