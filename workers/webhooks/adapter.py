"""Connections to callbacks: with `requests`, to a checked address, and within one time limit.

urllib3 looks a name up again when it connects, and its read timeout restarts with each byte. A malicious server could
use the first to reach our internal network, and the second to hold a worker for hours.
"""

import logging
import socket
from contextlib import suppress
from threading import Event, Timer

from requests import PreparedRequest
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool, HTTPResponse, HTTPSConnectionPool
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.util import Timeout

from workers.webhooks.targets import Target

# It logs a warning with the whole url for broken headers, and a callback's path may be a secret.
logging.getLogger("urllib3.connection").setLevel(logging.ERROR)


class _Connection(HTTPConnection):
    """A connection whose read timeout covers the whole header of an answer."""

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # urllib3's own differs from http.client's.
        late, connected = Event(), self.sock

        def cut() -> None:
            late.set()
            with suppress(OSError):  # The receiver may have closed the connection first.
                # Not the method of a TLS socket, which would drop the encryption during a read.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

        timer = Timer(Timeout.resolve_default_timeout(self.timeout) or 0.0, cut)
        timer.daemon = True
        timer.start()
        try:
            return super().getresponse()
        finally:
            timer.cancel()
            if late.is_set():
                # A truncated header looks like a complete one.
                raise TimeoutError


class _TLSConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


class PinnedAdapter(HTTPAdapter):
    """Connects to one checked address of a target, whatever the url says; TLS uses the target's name."""

    def __init__(self, target: Target, address: str) -> None:
        super().__init__()
        self.target, self.address = target, address

    def get_connection_with_tls_context(
        self, request: PreparedRequest, verify: bool | str | None, proxies: object = None, cert: object = None
    ) -> HTTPConnectionPool:
        """Give connections to the address; `requests` adds the verification of certificates."""
        if self.target.tls:
            return _TLSPool(self.address, self.target.port, server_hostname=self.target.host)
        return _Pool(self.address, self.target.port)
