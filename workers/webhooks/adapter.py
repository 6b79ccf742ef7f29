"""How a callback is connected to: by `requests`, at an address that was checked, and within one limit of time.

urllib3 looks a name up anew when it connects, and its read timeout starts again with each byte. A stranger's server
could use both: the first to lead us into our own network, the second to hold a worker for hours.
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

# Of an answer with broken headers it logs a warning with the whole url, and a callback's path may be a secret.
logging.getLogger("urllib3.connection").setLevel(logging.ERROR)


class _Connection(HTTPConnection):
    """A connection whose read timeout is for the whole head of an answer."""

    def getresponse(self) -> HTTPResponse:  # type: ignore[override]  # urllib3's own differs from http.client's.
        late, connected = Event(), self.sock

        def cut() -> None:
            late.set()
            with suppress(OSError):  # The receiver may have closed the connection first.
                # Not the method of a TLS socket, which would drop the encryption under who reads.
                socket.socket.shutdown(connected, socket.SHUT_RDWR)

        timer = Timer(Timeout.resolve_default_timeout(self.timeout) or 0.0, cut)
        timer.daemon = True
        timer.start()
        try:
            return super().getresponse()
        finally:
            timer.cancel()
            if late.is_set():
                # A head that is cut short reads like one that is whole.
                raise TimeoutError


class _TLSConnection(_Connection, HTTPSConnection):
    pass


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _TLSPool(HTTPSConnectionPool):
    ConnectionCls = _TLSConnection


class PinnedAdapter(HTTPAdapter):
    """Connects to one checked address of a target, whatever the url says; TLS is agreed on for the target's name."""

    def __init__(self, target: Target, address: str) -> None:
        super().__init__()
        self.target, self.address = target, address

    def get_connection_with_tls_context(
        self, request: PreparedRequest, verify: bool | str | None, proxies: object = None, cert: object = None
    ) -> HTTPConnectionPool:
        """Give connections to the address; how certificates are verified, `requests` adds."""
        if self.target.tls:
            return _TLSPool(self.address, self.target.port, server_hostname=self.target.host)
        return _Pool(self.address, self.target.port)
