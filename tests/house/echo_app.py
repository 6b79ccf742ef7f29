"""A WSGI app without a framework, for tests of the process that serves it."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any

BIG = 16 * 1024 * 1024


def app(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
    """Say what was sent; `/who` names the process, and `/nap` takes a moment.

    `/big` is longer than any socket holds, and `/stream` never ends.
    """
    path, body = environ["PATH_INFO"], environ["wsgi.input"].read()
    if path == "/big":
        start("200 OK", [("Content-Length", str(BIG))])
        return [b"x" * BIG]
    if path == "/stream":
        start("200 OK", [("Content-Type", "text/event-stream")])
        return _forever()
    if path == "/nap":
        time.sleep(0.3)
    if path == "/fault":
        raise RuntimeError("as asked")
    said = f"{environ['REQUEST_METHOD']} {path} {len(body)} {sha256(body).hexdigest()}".encode()
    if path == "/who":
        said = str(os.getpid()).encode()
    start("200 OK", [("Content-Length", str(len(said)))])
    return [said]


def _forever() -> Iterator[bytes]:
    while True:
        yield b": still here\n\n" * 1_000
