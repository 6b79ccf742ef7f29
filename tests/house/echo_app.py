"""A WSGI app without a framework, for tests of the servers before it; `beside_gateway` serves it together with ours."""

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

from api.web import drain

BIG = 16 * 1024 * 1024

PREFIX = "/~"
"""What the paths of this app begin with where it is beside the gateway."""

App = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Say what was sent; `/who` names the process, `/headers` gives what came in the head, `/nap` takes a moment.

    `/big` is longer than any socket holds; `/stream` never ends, and `/events` ends with its process.
    """
    path, body = environ["PATH_INFO"].removeprefix(PREFIX), environ["wsgi.input"].read()
    if path == "/big":
        start("200 OK", [("Content-Length", str(BIG))])
        return [b"x" * BIG]
    if path in {"/stream", "/events"}:
        start("200 OK", [("Content-Type", "text/event-stream"), ("X-Accel-Buffering", "no")])
        return _forever() if path == "/stream" else _events()
    if path == "/nap":
        time.sleep(0.3)
    said = f"{environ['REQUEST_METHOD']} {path} {len(body)} {sha256(body).hexdigest()}".encode()
    if path == "/who":
        said = str(os.getpid()).encode()
    if path == "/headers":
        said = json.dumps({name: value for name, value in environ.items() if isinstance(value, str)}).encode()
    start("200 OK", [("Content-Length", str(len(said))), ("X-Request-Id", "echo")])
    return [said]


def beside_gateway() -> App:
    """Give our own gateway, with this app under the paths that begin with `PREFIX`."""
    from api import create_app

    gateway = create_app()

    def both(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        chosen: App = app if environ["PATH_INFO"].startswith(PREFIX) else gateway
        return chosen(environ, start)

    return both


def _forever() -> Iterator[bytes]:
    while True:
        yield b": still here\n\n" * 1_000


def _events() -> Iterator[bytes]:
    while not drain.begun():
        yield b"data: now\n\n"
        time.sleep(0.05)
