"""Messages that are really sent, to servers on this machine: where they go, what they carry, and how they come out."""

import hmac
import json
import logging
import socket
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
import trustme
from standardwebhooks import Webhook, WebhookVerificationError

from infra.tracing import Trace
from tests.workers.receiving import ENDED, HASTY, ID, LOCAL, NAME, SECRET, Receiver, call, leads_to, receiver, status
from workers.webhooks.callback import Callback
from workers.webhooks.delivery import DeliveryResult, DeliverySettings, deliver

LATE = DeliveryResult("again", None, "The callback did not answer in time.")
CUT = DeliveryResult("again", None, "The connection to the callback failed or was closed.")


def test_a_message_is_posted_and_verified_as_the_standard_says() -> None:
    with receiver(status(204)) as to:
        assert call(to, SECRET) == DeliveryResult("delivered", 204, "The callback answered 204.")
    (seen,) = to.seen
    assert seen.path == "/hook?job=1"
    assert seen.headers["host"] == f"{NAME}:{to.port}"
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["webhook-id"] == ID
    assert seen.headers["content-length"] == str(len(seen.body))
    assert Webhook(SECRET).verify(seen.body, seen.headers) == {
        "type": "job.successful",
        "timestamp": "2026-02-02T02:40:00.000Z",
        "data": {
            "id": "ab12",
            "state": "successful",
            "links": {"self": "/v1/jobs/ab12", "result": "/v1/jobs/ab12/result"},
        },
    }
    earlier = str(int(seen.headers["webhook-timestamp"]) - 1)
    for changed in ({"webhook-id": "ab13.successful"}, {"webhook-timestamp": earlier}):
        with pytest.raises(WebhookVerificationError):
            Webhook(SECRET).verify(seen.body, {**seen.headers, **changed})
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(seen.body + b" ", seen.headers)


def test_the_signature_is_an_hmac_over_id_second_and_body() -> None:
    """What `standardwebhooks` signs and verifies is worked out once more, as the standard writes it down."""
    for key in (bytes(range(24)), bytes(range(25)), bytes(64)):
        secret = "whsec_" + b64encode(key).decode()
        with receiver(status(200)) as to:
            deliver(Callback(f"http://127.0.0.1:{to.port}/", secret), ID, ENDED, now=1_770_000_000.9, settings=LOCAL)
        (seen,) = to.seen
        version, signature = seen.headers["webhook-signature"].split(",")
        signed = b"ab12.successful.1770000000." + seen.body
        assert (version, b64decode(signature)) == ("v1", hmac.digest(key, signed, "sha256"))


def test_without_a_secret_there_is_no_signature() -> None:
    with receiver(status(200)) as to:
        call(to)
    (seen,) = to.seen
    assert "webhook-signature" not in seen.headers
    assert json.loads(seen.body)["type"] == "job.successful"


def test_the_trace_of_an_attempt_goes_with_it() -> None:
    trace = Trace("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "00f067aa0ba902b7", True)
    with receiver(status(200)) as to:
        callback = Callback(f"http://127.0.0.1:{to.port}/")
        deliver(callback, ID, ENDED, now=0.0, settings=LOCAL, trace=trace)
        deliver(callback, ID, ENDED, now=0.0, settings=LOCAL)
    sent = [seen.headers.get("traceparent") for seen in to.seen]
    assert sent == ["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", None]


def test_every_attempt_has_the_same_id_and_its_own_second() -> None:
    with receiver(status(503)) as to:
        for second in (1_770_000_000.9, 1_770_000_005.1):
            callback = Callback(f"http://127.0.0.1:{to.port}/", SECRET)
            assert deliver(callback, ID, ENDED, now=second, settings=LOCAL).outcome == "again"
    assert [seen.headers["webhook-id"] for seen in to.seen] == [ID, ID]
    assert [seen.headers["webhook-timestamp"] for seen in to.seen] == ["1770000000", "1770000005"]


OUTCOMES = {
    "delivered": (200, 202, 204, 299),
    "gone": (410,),
    "again": (300, 304, 400, 401, 404, 409, 411, 413, 429, 500, 502, 503, 504, 599),
}


def test_the_status_decides() -> None:
    """An answer that names a time to return at changes nothing: when it is tried again, the schedule says."""
    expected = [(code, outcome) for outcome, codes in OUTCOMES.items() for code in codes]
    codes = iter(expected)
    with receiver(lambda handler: status(next(codes)[0], **{"Retry-After": "0"})(handler)) as to:
        results = [call(to) for _ in expected]
    assert [(result.status, result.outcome) for result in results] == expected
    assert all(str(result.status) in result.reason for result in results)
    assert len(to.seen) == len(expected)


def test_no_redirect_is_followed() -> None:
    with receiver(status(200)) as inside:
        for code in (301, 302, 303, 307, 308):
            with receiver(status(code, Location=f"http://127.0.0.1:{inside.port}/")) as to:
                result = call(to)
            assert (result.outcome, result.status) == ("again", code)
            assert "redirects are not followed" in result.reason
            assert len(to.seen) == 1
    assert inside.seen == []


def test_no_proxy_and_no_password_of_the_environment_is_used(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    netrc = tmp_path_factory.mktemp("home") / "netrc"
    netrc.write_text("default login ann password hush\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with receiver(status(500)) as proxy, receiver(status(200)) as to:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv(name.upper(), f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert call(to).outcome == "delivered"
    assert proxy.seen == []
    assert "authorization" not in to.seen[0].headers


@pytest.fixture
def second_loopback() -> str:
    """Give another address of this machine; some systems answer at one alone."""
    try:
        socket.create_server(("127.0.0.2", 0)).close()
    except OSError:
        pytest.skip("this system has no 127.0.0.2")
    return "127.0.0.2"


def test_a_connection_goes_to_the_address_that_was_checked_whatever_the_name_leads_to_later(
    second_loopback: str,
) -> None:
    """The name leads to one address once, and to another, where a trap listens on the same port, ever after."""
    hosts: list[str] = []

    def rebinding(host: str, port: int) -> Sequence[str]:
        hosts.append(host)
        return ["127.0.0.1"] if len(hosts) == 1 else [second_loopback]

    with receiver(status(200)) as to, receiver(status(200), host=second_loopback, port=to.port) as trap:
        assert call(to, resolve=rebinding).outcome == "delivered"
        assert (len(to.seen), len(trap.seen)) == (1, 0)
        assert hosts == [NAME]
        # The target is checked anew for the next attempt, so that one goes where the name leads by then.
        assert call(to, resolve=rebinding).outcome == "delivered"
        assert (len(to.seen), len(trap.seen)) == (1, 1)


def test_the_system_is_asked_for_the_name_once(monkeypatch: pytest.MonkeyPatch) -> None:
    hosts: list[str] = []
    genuine = socket.getaddrinfo

    def rebinding(host: str, *rest: Any, **more: Any) -> Any:
        hosts.append(host)
        if host == NAME:
            host = "127.0.0.1" if hosts.count(NAME) == 1 else "127.0.0.2"
        return genuine(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with receiver(status(200)) as to:
        callback = Callback(f"http://{NAME}:{to.port}/")
        assert deliver(callback, ID, ENDED, now=time.time(), settings=LOCAL).outcome == "delivered"
    assert hosts.count(NAME) == 1
    assert set(hosts) <= {NAME, "127.0.0.1"}


def test_a_public_name_that_turns_to_loopback_is_still_called_where_it_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name is public when it is checked and loopback from then on; what is dialled is the public number."""
    dialled: list[tuple[str, int]] = []

    def unreachable(host: str, port: int, *_: object) -> Any:
        dialled.append((host, port))
        raise OSError("out of reach")

    answers = iter((["93.184.216.34"], ["127.0.0.1"]))
    monkeypatch.setattr(socket, "getaddrinfo", unreachable)
    callback, settings = Callback(f"https://{NAME}/"), DeliverySettings()
    for _ in range(2):
        result = deliver(callback, ID, ENDED, now=0.0, settings=settings, resolve=lambda host, port: next(answers))
        assert result.outcome == "again"
    assert "not on the public internet" in result.reason
    assert dialled == [("93.184.216.34", 443)]


def test_a_name_with_a_good_and_a_bad_address_is_not_called() -> None:
    with receiver(status(200)) as to:
        for addresses in (("93.184.216.34", "127.0.0.1"), ("127.0.0.1", "93.184.216.34")):
            result = call(to, resolve=leads_to(*addresses))
            assert result.outcome == "again"
            assert "not on the public internet" in result.reason
    assert to.seen == []


def test_loopback_is_not_called_unless_that_is_allowed() -> None:
    settings = DeliverySettings()
    with receiver(status(200)) as to:
        for url in (f"http://127.0.0.1:{to.port}/", f"https://localhost:{to.port}/", "https://127.0.0.1/"):
            result = deliver(Callback(url), ID, ENDED, now=0.0, settings=settings, resolve=leads_to("127.0.0.1"))
            assert (result.outcome, result.status) == ("again", None)
    assert to.seen == []


def test_another_address_is_tried_when_the_first_is_out_of_reach() -> None:
    with receiver(status(200)) as to:
        assert call(to, resolve=leads_to("127.0.0.3", "127.0.0.1")).outcome == "delivered"
        assert call(to, resolve=leads_to("::1", "127.0.0.1")).outcome == "delivered"
    assert len(to.seen) == 2


def test_a_message_that_was_sent_goes_to_no_other_address(second_loopback: str) -> None:
    with receiver(lambda handler: None) as to, receiver(status(200), host=second_loopback, port=to.port) as other:
        assert call(to, resolve=leads_to("127.0.0.1", second_loopback)) == CUT
    assert (len(to.seen), len(other.seen)) == (1, 0)


def test_no_address_is_tried_after_the_limit_of_time() -> None:
    """The look-up of a name counts as well, though only the system can end it."""

    def slow(host: str, port: int) -> Sequence[str]:
        time.sleep(HASTY.total_s)
        return ["127.0.0.1"]

    with receiver(status(200)) as to:
        assert call(to, settings=HASTY, resolve=slow) == LATE
    assert to.seen == []


class Endless:
    """Answers that go on for ten seconds, each byte in time, unless they are cut or the test lets go of them."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def repeat(self, handler: BaseHTTPRequestHandler, first: bytes, part: bytes) -> None:
        handler.wfile.write(first)
        for _ in range(200):
            if self.over.wait(0.05):
                break
            handler.wfile.write(part)

    def silent(self, handler: BaseHTTPRequestHandler) -> None:
        self.repeat(handler, b"", b"")

    def dripping_status(self, handler: BaseHTTPRequestHandler) -> None:
        self.repeat(handler, b"HTTP/1.1 200 ", b"O")

    def dripping_header(self, handler: BaseHTTPRequestHandler) -> None:
        self.repeat(handler, b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a")

    def preambles(self, handler: BaseHTTPRequestHandler) -> None:
        self.repeat(handler, b"", b"HTTP/1.1 100 Continue\r\n\r\n")


@pytest.mark.parametrize("tls", [False, True])
def test_an_answer_that_does_not_come_to_an_end_is_cut_off(
    tls: bool, authority: trustme.CA, trusting: DeliverySettings
) -> None:
    certificate = authority.issue_cert(NAME) if tls else None
    settings = DeliverySettings(loopback_allowed=True, total_s=2.0, ca_bundle=trusting.ca_bundle)
    endless = Endless()

    def attempt(answer: Callable[[BaseHTTPRequestHandler], None]) -> tuple[DeliveryResult, int]:
        with receiver(answer, certificate=certificate) as to:
            callback = Callback(f"{'https' if tls else 'http'}://{NAME}:{to.port}/")
            result = deliver(callback, ID, ENDED, now=0.0, settings=settings, resolve=leads_to("127.0.0.1"))
        return result, len(to.seen)

    answers = (endless.silent, endless.dripping_status, endless.dripping_header, endless.preambles)
    with ThreadPoolExecutor(len(answers)) as threads:
        assert list(threads.map(attempt, answers)) == [(LATE, 1)] * len(answers)
    endless.over.set()


def test_the_limit_of_time_is_for_the_whole_attempt() -> None:
    """An answer may come at any time within it, however long one read or the connection would be allowed to take."""
    assert DeliverySettings().total_s == 5.0

    def late(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(0.8)
        status(200)(handler)

    with receiver(late) as to:
        assert call(to, settings=DeliverySettings(loopback_allowed=True, total_s=0.4)) == LATE
        assert call(to).outcome == "delivered"


def test_a_receiver_that_never_agrees_on_tls_is_given_up() -> None:
    """Neither silence nor a handshake that comes drop by drop goes on beyond the limit."""
    with socket.create_server(("127.0.0.1", 0)) as mute:
        callback = Callback(f"https://127.0.0.1:{mute.getsockname()[1]}/")
        assert deliver(callback, ID, ENDED, now=0.0, settings=HASTY) == LATE

        def drip() -> None:
            connection, _ = mute.accept()
            with connection:
                # The head of a handshake record of 16 KB, and then one byte of it at a time.
                connection.sendall(b"\x16\x03\x03\x40\x00\x02\x00\x3f\xfc")
                while not over.wait(0.05):
                    connection.sendall(b"\x03")

        mute.accept()[0].close()
        over = threading.Event()
        dripper = threading.Thread(target=drip)
        dripper.start()
        result = deliver(callback, ID, ENDED, now=0.0, settings=HASTY)
        over.set()
        dripper.join()
    assert result == LATE


@pytest.mark.parametrize("head", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 302 Found\r\nLocation: /a\r\n\r\n"])
def test_the_body_of_an_answer_is_not_read(head: bytes) -> None:
    """That of a redirect neither, which a session of `requests` would read to its end."""
    written: list[int] = []
    broken = threading.Event()

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        try:
            while True:
                written.append(handler.wfile.write(b"a" * 65_536))
        except OSError:
            broken.set()

    with receiver(endless) as to:
        assert call(to).status == int(head[9:12])
        assert broken.wait(5)
    # What was written is what fits on the way, and nobody read it.
    assert sum(written) < 50_000_000


NO_ANSWERS = (
    b"",
    b"\r\n\r\n",
    b"SSH-2.0-OpenSSH_9.6\r\n",
    b"HTTP/1.1 twohundred OK\r\n\r\n",
    b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n",
    b"HTTP/1.1 200 OK\r\nA: " + b"b" * 100_000 + b"\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nContent-Length: 1, 2\r\n\r\n",
)


def test_what_is_no_answer_is_tried_again() -> None:
    answers = iter(NO_ANSWERS)

    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(next(answers))

    with receiver(answer) as to:
        assert [call(to) for _ in NO_ANSWERS] == [CUT] * len(NO_ANSWERS)


def test_an_answer_with_odd_headers_puts_no_path_into_the_log(caplog: pytest.LogCaptureFixture) -> None:
    """The path of a callback is often a secret of its own."""

    def odd(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(
            b"HTTP/1.1 200 OK\r\nSet-Cookie: =;;\xff\r\nContent-Type: \xff;;=\r\n: \r\nno header\r\n\r\n"
        )

    with receiver(odd) as to, caplog.at_level(logging.WARNING):
        assert call(to).outcome == "delivered"
    assert "hook" not in caplog.text


def test_nobody_listening_is_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert call(Receiver(port)) == CUT


def test_no_header_can_be_slipped_in_with_the_id() -> None:
    with receiver(status(200)) as to, pytest.raises(ValueError, match="header"):
        deliver(Callback(f"http://127.0.0.1:{to.port}/"), "a\r\nX: y", ENDED, now=0.0, settings=LOCAL)
    assert to.seen == []
