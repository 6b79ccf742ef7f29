"""A server on this machine that takes messages, as the tests of webhooks call it."""

import contextlib
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import trustme

from workers.webhooks.callback import Callback
from workers.webhooks.delivery import DeliveryResult, DeliverySettings, deliver, make_message
from workers.webhooks.targets import Resolve

SECRET = "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw" + "MfKQ9r8GKYqrTwjU"
ENDED = make_message("ab12", "successful", 1_770_000_000.0)
ID = "ab12.successful"
NAME = "callback.example"
LOCAL = DeliverySettings(loopback_allowed=True)
HASTY = DeliverySettings(loopback_allowed=True, total_s=0.4)

Answer = Callable[[BaseHTTPRequestHandler], None]


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Receiver:
    """A server that records what it gets; over TLS also the names it is asked for."""

    port: int
    seen: list[Received] = field(default_factory=list)
    names: list[str | None] = field(default_factory=list)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Log nothing: connections are cut on purpose here."""


def status(code: int, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(code)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", "0")
        handler.end_headers()

    return answer


@contextlib.contextmanager
def receiver(
    answer: Answer, *, host: str = "127.0.0.1", port: int = 0, certificate: trustme.LeafCert | None = None
) -> Iterator[Receiver]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            record.seen.append(Received(self.path, {k.lower(): v for k, v in self.headers.items()}, body))
            answer(self)

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with _Server((host, port), Handler) as server:
        record = Receiver(server.server_address[1])
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            certificate.configure_cert(context)
            context.sni_callback = lambda _, name, __: record.names.append(name)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield record
        finally:
            server.shutdown()
            thread.join()


def leads_to(*addresses: str) -> Resolve:
    return lambda host, port: addresses


def call(
    to: Receiver, secret: str | None = None, settings: DeliverySettings = LOCAL, resolve: Resolve | None = None
) -> DeliveryResult:
    callback = Callback(f"http://{NAME}:{to.port}/hook?job=1", secret)
    return deliver(callback, ID, ENDED, now=time.time(), settings=settings, resolve=resolve or leads_to("127.0.0.1"))
