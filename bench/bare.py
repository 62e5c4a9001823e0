"""The floor beside durable ingest: a bare Starlette application that decodes JSON, appends in groups and syncs. No memory.

    python -m bench.bare PORT FILE
"""

from __future__ import annotations

import asyncio
import json
import os
import queue
import sys
import threading

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


class Log:
    """One file, one thread, everything that waits in one write and one fdatasync."""

    def __init__(self, path: str) -> None:
        self._fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        self._queue: queue.Queue[tuple[bytes, asyncio.AbstractEventLoop, asyncio.Future[None]]] = queue.Queue()
        threading.Thread(target=self._work, daemon=True).start()

    def put(self, data: bytes) -> asyncio.Future[None]:
        loop = asyncio.get_running_loop()
        done: asyncio.Future[None] = loop.create_future()
        self._queue.put((data, loop, done))
        return done

    def _work(self) -> None:
        while True:
            taken = [self._queue.get()]
            while not self._queue.empty():
                taken.append(self._queue.get_nowait())
            os.write(self._fd, b"".join(item[0] for item in taken))
            os.fdatasync(self._fd)
            taken[0][1].call_soon_threadsafe(_settle, [item[2] for item in taken])


def _settle(waiting: list[asyncio.Future[None]]) -> None:
    for done in waiting:
        done.set_result(None)


def build(path: str) -> Starlette:
    log = Log(path)

    async def one(request: Request) -> JSONResponse:
        data = await request.body()
        json.loads(data)
        await log.put(data + b"\n")
        return JSONResponse({"outcome": "stored"}, 202)

    async def many(request: Request) -> JSONResponse:
        lines = [json.dumps(item["body"]).encode() + b"\n" for item in json.loads(await request.body())]
        await log.put(b"".join(lines))
        return JSONResponse({"accepted": len(lines)})

    async def health(request: Request) -> JSONResponse:
        return JSONResponse({})

    post = ["POST"]
    return Starlette(routes=[Route("/hook", one, methods=post), Route("/hook/batch", many, methods=post), Route("/healthz", health)])


if __name__ == "__main__":
    uvicorn.run(build(sys.argv[2]), host="127.0.0.1", port=int(sys.argv[1]), http="httptools", access_log=False, log_level="error")
