"""Messages that are really sent: to servers on this machine, over http and https."""

import json
import socket
import threading
import time
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest
import trustme
from standardwebhooks import Webhook, WebhookVerificationError

from tests.workers.receiving import (
    ENDED,
    HASTY,
    ID,
    LOCAL,
    NAME,
    SECRET,
    Answer,
    Receiver,
    call,
    leads_to,
    receiver,
    status,
)
from workers.webhooks.delivery import Callback, Delivered, DeliverySettings, deliver, make_message


def test_a_message_is_posted_and_verified_as_the_standard_says() -> None:
    with receiver(status(204)) as to:
        assert call(to, SECRET) == DeliveryResult("delivered", 204, "The callback answered 204.")
    (seen,) = to.seen
    assert seen.path == "/hook?job=1"
    assert seen.headers["host"] == f"{NAME}:{to.port}"
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["webhook-id"] == ID
    assert seen.headers["content-length"] == str(len(seen.body))
    said = Webhook(SECRET).verify(seen.body, seen.headers)
    assert said == {
        "type": "job.successful",
        "timestamp": "2026-02-02T02:40:00.000Z",
        "data": {"id": "ab12", "state": "successful", "links": {"self": "/v1/jobs/ab12"}},
    }
    earlier = str(int(seen.headers["webhook-timestamp"]) - 1)
    for changed in ({"webhook-id": "ab13.successful"}, {"webhook-timestamp": earlier}):
        with pytest.raises(WebhookVerificationError):
            Webhook(SECRET).verify(seen.body, {**seen.headers, **changed})
    with pytest.raises(WebhookVerificationError):
        Webhook(SECRET).verify(seen.body + b" ", seen.headers)


def test_without_a_secret_there_is_no_signature() -> None:
    with receiver(status(200)) as to:
        call(to)
    (seen,) = to.seen
    assert "webhook-signature" not in seen.headers
    assert json.loads(seen.body)["type"] == "job.successful"


def test_every_attempt_has_the_same_id_and_its_own_second() -> None:
    with receiver(status(503)) as to:
        for second in (1_770_000_000.9, 1_770_000_005.1):
            callback = Callback(f"http://127.0.0.1:{to.port}/", SECRET)
            assert deliver(callback, ID, ENDED, now=second, settings=LOCAL).outcome == "again"
    assert [seen.headers["webhook-id"] for seen in to.seen] == [ID, ID]
    assert [seen.headers["webhook-timestamp"] for seen in to.seen] == ["1770000000", "1770000005"]


@pytest.mark.parametrize(
    ("code", "outcome"),
    [(200, "delivered"), (202, "delivered"), (204, "delivered"), (299, "delivered"), (410, "gone")]
    + [(code, "again") for code in (300, 304, 400, 401, 404, 409, 411, 429, 500, 502, 503, 504, 599)],
)
def test_the_status_decides(code: int, outcome: str) -> None:
    with receiver(status(code)) as to:
        delivered = call(to)
    assert (delivered.outcome, delivered.status) == (outcome, code)
    assert str(code) in delivered.reason


@pytest.mark.parametrize("code", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(code: int) -> None:
    with receiver(status(200)) as inside, receiver(status(code, Location=f"http://127.0.0.1:{inside.port}/")) as to:
        delivered = call(to)
    assert (delivered.outcome, delivered.status) == ("again", code)
    assert "redirects are not followed" in delivered.reason
    assert inside.seen == []
    assert len(to.seen) == 1


def test_no_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with receiver(status(500)) as proxy, receiver(status(200)) as to:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv(name.upper(), f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("no_proxy", raising=False)
        assert call(to).outcome == "delivered"
    assert proxy.seen == []


@pytest.fixture
def second_loopback() -> str:
    """Give another address of this machine; some systems answer at one alone."""
    try:
        socket.create_server(("127.0.0.2", 0)).close()
    except OSError:
        pytest.skip("this system has no 127.0.0.2")
    return "127.0.0.2"


def test_a_connection_goes_to_the_address_that_was_judged_whatever_the_name_leads_to_later(
    second_loopback: str,
) -> None:
    """The name leads to one address once, and to another, where a trap listens on the same port, ever after."""
    asked: list[str] = []

    def rebinding(host: str, port: int) -> Sequence[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else [second_loopback]

    with receiver(status(200)) as to, receiver(status(200), host=second_loopback, port=to.port) as trap:
        assert call(to, resolve=rebinding).outcome == "delivered"
        assert (len(to.seen), len(trap.seen)) == (1, 0)
        assert asked == [NAME]
        # The target is judged anew for the next attempt, so that one goes where the name leads by then.
        assert call(to, resolve=rebinding).outcome == "delivered"
        assert (len(to.seen), len(trap.seen)) == (1, 1)


def test_the_system_is_asked_for_the_name_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    genuine = socket.getaddrinfo

    def rebinding(host: str, *rest: Any, **more: Any) -> Any:
        asked.append(host)
        if host == NAME:
            host = "127.0.0.1" if asked.count(NAME) == 1 else "127.0.0.2"
        return genuine(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    with receiver(status(200)) as to:
        callback = Callback(f"http://{NAME}:{to.port}/")
        assert deliver(callback, ID, ENDED, now=time.time(), settings=LOCAL).outcome == "delivered"
    assert asked.count(NAME) == 1
    assert set(asked) <= {NAME, "127.0.0.1"}


def test_a_public_name_that_turns_to_loopback_is_still_called_where_it_was_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name is public when judged and loopback from then on; what is dialled is the public number."""
    dialled: list[tuple[str, int]] = []

    def unreachable(place: tuple[str, int], *_: object) -> socket.socket:
        dialled.append(place)
        raise ConnectionRefusedError

    answers = iter((["93.184.216.34"], ["127.0.0.1"]))
    monkeypatch.setattr(socket, "create_connection", unreachable)
    callback = Callback(f"https://{NAME}/")
    for _ in range(2):
        delivered = deliver(callback, ID, ENDED, now=0.0, settings=DeliverySettings(), resolve=lambda host, port: next(answers))
        assert delivered.outcome == "again"
    assert "not on the public internet" in delivered.reason
    assert dialled == [("93.184.216.34", 443)]


@pytest.mark.parametrize("addresses", [("93.184.216.34", "127.0.0.1"), ("127.0.0.1", "93.184.216.34")])
def test_a_name_with_a_good_and_a_bad_address_is_not_called(addresses: tuple[str, str]) -> None:
    with receiver(status(200)) as to:
        delivered = call(to, resolve=leads_to(*addresses))
    assert delivered.outcome == "again"
    assert "not on the public internet" in delivered.reason
    assert to.seen == []


def test_loopback_is_not_called_unless_that_is_allowed() -> None:
    with receiver(status(200)) as to:
        for url in (f"http://127.0.0.1:{to.port}/", f"https://localhost:{to.port}/", "https://127.0.0.1/"):
            delivered = deliver(Callback(url), ID, ENDED, now=0.0, settings=DeliverySettings(), resolve=leads_to("127.0.0.1"))
            assert (delivered.outcome, delivered.status) == ("again", None)
    assert to.seen == []


def test_another_address_is_tried_when_the_first_is_out_of_reach() -> None:
    with receiver(status(200)) as to:
        assert call(to, resolve=leads_to("127.0.0.3", "127.0.0.1")).outcome == "delivered"
        assert call(to, resolve=leads_to("::1", "127.0.0.1")).outcome == "delivered"
    assert len(to.seen) == 2


def silent(handler: BaseHTTPRequestHandler) -> None:
    """Say nothing for a long time."""
    time.sleep(5.0)


def dripping(handler: BaseHTTPRequestHandler) -> None:
    """Send headers a byte at a time, each in time, without end."""
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    for _ in range(100):
        handler.wfile.write(b"a")
        time.sleep(0.05)


def preambles(handler: BaseHTTPRequestHandler) -> None:
    """Promise an answer again and again."""
    for _ in range(100):
        handler.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        time.sleep(0.05)


@pytest.mark.parametrize("answer", [silent, dripping, preambles])
@pytest.mark.parametrize("tls", [False, True])
def test_an_answer_that_does_not_come_to_an_end_is_cut_off(
    answer: Answer, tls: bool, authority: trustme.CA, trusting: DeliverySettings
) -> None:
    certificate = authority.issue_cert(NAME) if tls else None
    settings = DeliverySettings(loopback_allowed=True, connect_s=2.0, answer_s=0.3, ca_bundle=trusting.ca_bundle)
    with receiver(answer, certificate=certificate) as to:
        callback = Callback(f"{'https' if tls else 'http'}://{NAME}:{to.port}/")
        before = time.monotonic()
        delivered = deliver(callback, ID, ENDED, now=0.0, settings=settings, resolve=leads_to("127.0.0.1"))
        took = time.monotonic() - before
    assert delivered == DeliveryResult("again", None, "The callback did not answer in time.")
    assert len(to.seen) == 1
    # Every one of these servers goes on for five seconds.
    assert took < 4.0


def test_an_answer_has_its_own_time_beside_that_of_the_connection() -> None:
    def late(handler: BaseHTTPRequestHandler) -> None:
        time.sleep(0.4)
        status(200)(handler)

    with receiver(late) as to:
        assert call(to, settings=DeliverySettings(loopback_allowed=True, connect_s=0.1, answer_s=5.0)).outcome == "delivered"


def test_a_line_that_never_agrees_on_tls_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        callback = Callback(f"https://127.0.0.1:{mute.getsockname()[1]}/")
        delivered = deliver(callback, ID, ENDED, now=0.0, settings=HASTY)
    assert delivered == DeliveryResult("again", None, "The callback did not answer in time.")


def test_a_big_answer_is_left_on_the_line() -> None:
    written: list[int] = []
    broken = threading.Event()

    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
        try:
            while True:
                written.append(handler.wfile.write(b"a" * 65_536))
        except OSError:
            broken.set()

    with receiver(endless) as to:
        assert call(to).outcome == "delivered"
        assert broken.wait(5)
    # What was written is what fits on the way, and nobody read it.
    assert sum(written) < 50_000_000


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"HTTP/1.1 twohundred OK\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nA: " + b"b" * 100_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_answer_is_tried_again(said: bytes) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(said)

    with receiver(answer) as to:
        assert call(to) == DeliveryResult("again", None, "The connection to the callback failed or was cut.")


def test_nobody_listening_is_tried_again() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    assert call(Receiver(port)) == DeliveryResult("again", None, "The connection to the callback failed or was cut.")


def test_a_message_stays_small() -> None:
    callback = Callback("http://127.0.0.1:5000/")
    long = make_message("ab12", "failed", 0.0, {"self": "a" * 20_000})
    with pytest.raises(ValueError, match="too many"):
        deliver(callback, ID, long, now=0.0, settings=LOCAL)


def test_no_header_can_be_slipped_in_with_the_id() -> None:
    with receiver(status(200)) as to, pytest.raises(ValueError, match="Invalid header"):
        deliver(Callback(f"http://127.0.0.1:{to.port}/"), "a\r\nX: y", ENDED, now=0.0, settings=LOCAL)
    assert to.seen == []
