"""What is sent when a job ends: one small message to the callback the client gave, signed after Standard Webhooks 1.0.

The message says which job ended and how, and nothing of its result, so it may go astray. With a secret it is signed;
without one it goes out without `webhook-signature`, anybody could have sent it, and a receiver should take it only as a
hint to ask for the job at the address it already knows.

Callbacks are addresses chosen by strangers. So the target is judged anew for every attempt
(`workers.webhooks.targets`), the connection goes to an address that was judged, redirects are not followed, no proxy
or password of the environment is used, and of the answer nothing but its status is looked at. That is why the request
is made on a socket of our own: clients that take a url look the name up themselves, and none ends an answer that
arrives drop by drop.
"""

import hashlib
import hmac
import socket
import ssl
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from http.client import HTTPConnection, HTTPException
from threading import Event, Timer
from typing import Annotated, Any, Literal

import certifi
import msgspec
from msgspec import Meta

from arbiter.value import Value
from infra.tracing import HEADER, Trace
from workers.webhooks.targets import Resolve, Target, TargetRefused, check_target, look_up

State = Literal["successful", "failed", "dismissed"]
Outcome = Literal["delivered", "gone", "again"]

MOST_BYTES = 20_000
"""A message is shorter than this; who wants more asks for the job."""

DAY_S = 86_400.0
"""Seconds after the end of a job when it is no longer tried to tell of it."""

GAPS_S = (5.0, 30.0, 120.0, 600.0, 1_800.0, 3_600.0, 7_200.0, 14_400.0)
"""Seconds between one attempt and the next; the last stands for all that follow."""

JITTER = 0.2
"""The part by which a gap is longer or shorter, so that what failed together does not return together."""

_PREFIX = "whsec_"

# 24 to 64 bytes in base64: groups of four letters are three bytes, and the last group may be padded.
_SECRET = (
    r"^whsec_(([A-Za-z0-9+/]{4}){8,20}([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?"
    r"|([A-Za-z0-9+/]{4}){21}([A-Za-z0-9+/]{2}==)?)(?!\n)$"
)


class Callback(Value, frozen=True):
    """Where a client wants to be told that its job ended, and the secret to sign with."""

    url: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=2_000,
            description="An https address on the public internet, port 443 or 8443. It gets a POST when the job ends.",
        ),
    ]
    secret: (
        Annotated[
            str,
            Meta(
                max_length=94,
                pattern=_SECRET,
                description="Signs the message (Standard Webhooks): `whsec_` and 24 to 64 bytes in base64. Without it "
                "the message is not signed, and anybody could have sent it.",
            ),
        ]
        | None
    ) = None

    def __repr__(self) -> str:
        # The path of a callback is often a secret of its own.
        return f"{type(self).__name__}(signed={self.secret is not None})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        return [("signed", self.secret is not None)]


class EndedJob(Value, frozen=True):
    """Which job ended, how, and where more is to be had."""

    id: str
    state: State
    links: dict[str, str]


class Message(Value, frozen=True):
    """What is posted: the kind of event, when it happened (RFC 3339, UTC), and the job it is about."""

    type: Literal["job.successful", "job.failed", "job.dismissed"]
    timestamp: str
    data: EndedJob


class Sending(Value, frozen=True, kw_only=True):
    """How callbacks are called.

    `connect_s` is for each of reaching one address and agreeing on TLS, `answer_s` from then until the answer's
    headers are there; looking the name up takes what the system grants it. `ca_bundle` is a file of certificates that
    are trusted instead of certifi's.
    """

    loopback_allowed: bool = False
    connect_s: float = 5.0
    answer_s: float = 15.0
    ca_bundle: str | None = None


class Delivered(Value, frozen=True):
    """How an attempt came out: `delivered`, `gone` (the receiver wants no more of it) or to be tried `again`.

    `reason` is one sentence for the log and for the client; `status` is the answer's, where there was one.
    """

    outcome: Outcome
    status: int | None
    reason: str


_TYPES: dict[State, Literal["job.successful", "job.failed", "job.dismissed"]] = {
    "successful": "job.successful",
    "failed": "job.failed",
    "dismissed": "job.dismissed",
}


def make_message(job_id: str, state: State, ended: float, links: Mapping[str, str]) -> Message:
    """Make the message about a job that ended, `ended` in seconds since 1970."""
    at = datetime.fromtimestamp(ended, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Message(_TYPES[state], at, EndedJob(job_id, state, dict(links)))


def sign(secret: str, message_id: str, timestamp: int, body: bytes) -> str:
    """Sign a message: HMAC-SHA256 over its id, the second of the attempt and the body, for `webhook-signature`."""
    key = b64decode(secret.removeprefix(_PREFIX))
    mark = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return f"v1,{b64encode(mark).decode()}"


def deliver(
    callback: Callback,
    message_id: str,
    message: Message,
    *,
    now: float,
    sending: Sending,
    resolve: Resolve = look_up,
    trace: Trace | None = None,
) -> Delivered:
    """Try once to post a message; `message_id` is the same for all attempts, `now` in seconds since 1970.

    `trace` is where the attempt stands, and goes with it.

    A status of 200 to 299 is delivered, 410 is gone, everything else is to be tried again: other answers, no answer,
    and a host that cannot be found or has come to lead where it may not. Raises `ValueError` for a message that is
    too long, and `OSError` when the certificates to trust cannot be read.
    """
    body = msgspec.json.encode(message)
    if len(body) >= MOST_BYTES:
        raise ValueError(f"a message of {len(body)} bytes; {MOST_BYTES} and more are too many")
    timestamp = int(now)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "Arbiter-Webhooks/1",
        "Connection": "close",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
    }
    if callback.secret:
        headers["webhook-signature"] = sign(callback.secret, message_id, timestamp, body)
    if trace is not None:
        headers[HEADER] = trace.header
    # Read before anything is tried: a missing file of certificates is our fault, and no reason to try again.
    trusted = _trusting(sending.ca_bundle)
    try:
        target = check_target(callback.url, loopback_allowed=sending.loopback_allowed, resolve=resolve)
        status = _post(target, headers, body, trusted, sending)
    except TargetRefused as refused:
        return Delivered("again", None, str(refused))
    except ssl.SSLCertVerificationError:
        return Delivered("again", None, "The certificate of the callback is not valid for its name.")
    except TimeoutError:
        return Delivered("again", None, "The callback did not answer in time.")
    except (OSError, HTTPException):
        return Delivered("again", None, "The connection to the callback failed or was cut.")
    if status == 410:
        return Delivered("gone", status, "The callback answered 410: it wants no more messages.")
    if 200 <= status <= 299:
        return Delivered("delivered", status, f"The callback answered {status}.")
    unfollowed = "; redirects are not followed" if 300 <= status <= 399 else ""
    return Delivered("again", status, f"The callback answered {status}{unfollowed}.")


def next_attempt(attempt: int, ended: float, seed: str, now: float | None = None) -> float | None:
    """Give the time of the attempt after the given one (the first is 1, made at once), or none a day after the end.

    Times are seconds since 1970. `now` is when the given attempt was over; without it, it was made when it was due.
    The gaps are those of `GAPS_S`, each up to a fifth longer or shorter; equal seeds give equal gaps.
    """
    if attempt < 1:
        raise ValueError(f"attempt {attempt}: the first attempt is 1")
    made = ended + sum(_gap(earlier, seed) for earlier in range(1, attempt)) if now is None else now
    due = made + _gap(attempt, seed)
    return due if due <= ended + DAY_S else None


def _gap(attempt: int, seed: str) -> float:
    drawn = int.from_bytes(hashlib.sha256(f"{seed}/{attempt}".encode()).digest()[:7]) / 2**56
    return GAPS_S[min(attempt, len(GAPS_S)) - 1] * (1 - JITTER + 2 * JITTER * drawn)


def _post(target: Target, headers: Mapping[str, str], body: bytes, trusted: ssl.SSLContext, sending: Sending) -> int:
    """Post to a judged address and give the status; raises `OSError` and `HTTPException` as they come."""
    with _connect(target, trusted, sending.connect_s) as line, _cut_off(line, sending.answer_s):
        line.settimeout(sending.answer_s)
        connection = HTTPConnection(target.host, target.port)
        # A connection that has its line makes none of its own.
        connection.sock = line
        connection.request("POST", target.path, body, {"Host": target.authority, **headers})
        # The body of the answer is left on the line, however long it is.
        with connection.getresponse() as answer:
            return answer.status


def _connect(target: Target, trusted: ssl.SSLContext, connect_s: float) -> socket.socket:
    line = _reach_one(target, connect_s)
    if not target.tls:
        return line
    try:
        return trusted.wrap_socket(line, server_hostname=target.host.rstrip("."))
    except BaseException:
        line.close()
        raise


def _reach_one(target: Target, connect_s: float) -> socket.socket:
    *others, last = target.addresses
    for address in others:
        with suppress(OSError):  # The next address may be within reach; if none is, what the last one says counts.
            return socket.create_connection((address, target.port), connect_s)
    return socket.create_connection((last, target.port), connect_s)


@lru_cache(maxsize=4)
def _trusting(ca_bundle: str | None) -> ssl.SSLContext:
    # The default context asks for a certificate and holds it against the name.
    return ssl.create_default_context(cafile=ca_bundle or certifi.where())


@contextmanager
def _cut_off(line: socket.socket, seconds: float) -> Iterator[None]:
    """End whatever happens on a line after some seconds, with `TimeoutError`.

    The timeout of a socket starts again with each byte, so a drip of bytes would hold us for hours.
    """
    over = Event()

    def cut() -> None:
        over.set()
        with suppress(OSError):  # The other side may have been quicker to close the line.
            socket.socket.shutdown(line, socket.SHUT_RDWR)

    timer = Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    except (OSError, HTTPException) as broken:
        if over.is_set():
            raise TimeoutError from broken
        raise
    finally:
        timer.cancel()
    if over.is_set():
        raise TimeoutError
