"""The way to a game's own service when something on it fails: what is asked again, what is given up, and how soon."""

import json
import socket
import ssl
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Event

import pytest
import trustme

from api.arbiters.identity import Identity
from api.arbiters.local import Reply
from api.arbiters.remote import NoAnswer, RemoteArbiter
from api.problems.handlers import OverBudget
from api.settings import Settings
from arbiter.odds.exact import PathBudgetExceeded, TimeBudgetExceeded
from tests.api.arbiters.away import BODY, FINE, HERE, PROBLEM, arbiter, refused
from tests.api.arbiters.away import nowhere as nowhere
from tests.api.posting import TEMPLATE, attack
from tests.api.scripted import DROP, HANG, answer, scripted

# What is passed on


def test_the_question_goes_out_whole_with_its_name_and_its_seed() -> None:
    with scripted(FINE) as script:
        asked = arbiter(script.address + "/below/")
        assert asked.ask("attack", BODY, "my-id", "my-seed") == Reply(b'{"fine":1}')
        line, *fields = script.heads[0].decode().split("\r\n")
        said = {name.lower(): value for name, value in (field.split(": ", 1) for field in fields)}
    assert line == f"POST /below/v1/games/{TEMPLATE.name}/attack HTTP/1.1"
    assert script.bodies == [BODY]
    assert said["x-request-id"] == "my-id"
    assert said["arbiter-seed"] == "my-seed"
    assert said["content-type"] == said["accept"] == "application/json"
    assert said["accept-encoding"] == "identity"
    assert not {"idempotency-key", "prefer", "authorization", "cookie"} & said.keys()


def test_a_question_without_a_seed_is_given_one_that_stays_when_it_is_asked_again() -> None:
    with scripted(DROP, FINE) as script:
        asked = arbiter(script.address)
        asked.ask("attack", BODY, "id")
        asked.ask("attack", BODY, "id")
        seeds = [head.lower().split(b"arbiter-seed: ")[1].split(b"\r\n")[0] for head in script.heads]
    assert len(seeds[0]) == 16
    assert seeds[0] == seeds[1]
    assert seeds[1] != seeds[2]


def test_a_question_without_dice_draws_no_seed() -> None:
    assert not TEMPLATE.questions["moves"].dice
    with scripted(FINE) as script:
        asked = arbiter(script.address)
        asked.ask("moves", BODY, "id")
        asked.ask("moves", BODY, "id", "my-seed")
        asked.ask("no-such-question", BODY, "id")
        seeds = [head.lower().split(b"arbiter-seed: ")[1].split(b"\r\n")[0] for head in script.heads]
    assert seeds[:2] == [b"none", b"my-seed"]
    assert len(seeds[2]) == 16


def test_further_headers_are_asked_for_each_time() -> None:
    numbers = iter(range(9))
    with scripted(FINE) as script:
        asked = RemoteArbiter(TEMPLATE, script.address, Settings(), headers=lambda: {"X-Number": str(next(numbers))})
        asked.ask("attack", BODY, "id")
        asked.odds("attack", BODY, "id")
        assert [b"X-Number: %d" % number in script.heads[number].split(b"\r\n") for number in range(2)] == [True, True]


def test_nothing_of_the_environment_reaches_the_service(monkeypatch: pytest.MonkeyPatch, nowhere: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", nowhere)
    monkeypatch.setenv("ALL_PROXY", nowhere)
    with scripted(FINE) as script:
        assert arbiter(script.address).ask("attack", BODY, "id").status == 200


def test_a_cookie_is_not_carried_from_one_question_to_the_next() -> None:
    with scripted(answer(200, b"{}", HERE, **{"Set-Cookie": "who=you; Path=/"})) as script:
        asked = arbiter(script.address)
        asked.ask("attack", BODY, "id")
        asked.ask("attack", BODY, "id")
        assert b"cookie" not in script.heads[1].lower()


# What is repeated


def test_a_connection_that_ends_without_a_byte_is_made_anew_once() -> None:
    for drops in (0, 1):
        with scripted(*[DROP] * drops, FINE) as script:
            assert arbiter(script.address).ask("attack", BODY, "id").body == b'{"fine":1}'
            assert script.asked == drops + 1
    with scripted(DROP) as script:
        assert TEMPLATE.name in refused(arbiter(script.address)).detail
        assert script.asked == 2


def test_a_proxy_may_say_once_that_it_cannot_reach_the_service() -> None:
    for status in (502, 503, 504):
        with scripted(answer(status), FINE) as script:
            assert arbiter(script.address).ask("attack", BODY, "id").status == 200
        with scripted(answer(status, b"{}", HERE)) as script:
            refused(arbiter(script.address))
            assert script.asked == 2


@pytest.mark.parametrize(
    "told",
    [
        answer(404),
        answer(200),
        answer(301, Location="http://127.0.0.1:1/"),
        answer(200, b"<p>", HERE, "text/html"),
        answer(401, b"{}", HERE, PROBLEM),
        answer(404, b"{}", HERE, PROBLEM),
        answer(429, b"{}", HERE, PROBLEM),
        answer(422, b"{}", HERE),
        answer(202, b"{}", HERE),
        b"HTTP/1.1 200 OK\r\n\r\n",
        FINE[:-1],
    ],
    ids=["404", "no arbiter", "elsewhere", "a page", "401", "404 here", "429", "no problem", "job", "empty", "cut"],
)
def test_what_is_no_answer_of_an_arbiter_is_not_passed_on_and_not_asked_again(told: bytes) -> None:
    with scripted(told) as script:
        refused(arbiter(script.address))
        assert script.asked == 1


def test_what_is_no_http_at_all_is_given_up() -> None:
    for nonsense in (b"SSH-2.0-nobody\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"1" * 70_000):
        with scripted(nonsense) as script:
            refused(arbiter(script.address))
            assert script.asked <= 2


@pytest.mark.parametrize(
    "framing",
    [b'Transfer-Encoding: chunked\r\n\r\n4\r\n{"fi\r\n6;x=y\r\nne":1}\r\n0\r\n\r\n', b'\r\n{"fine":1}'],
    ids=["chunks", "to the end"],
)
def test_an_answer_without_a_length_is_read_as_well(framing: bytes) -> None:
    head = FINE[: FINE.index(b"Content-Length")]
    with scripted(head.replace(b"close", b"close\r\nX: y") + b"Connection: close\r\n" + framing) as script:
        assert arbiter(script.address).ask("attack", BODY, "id") == Reply(b'{"fine":1}')


def test_an_answer_that_breaks_off_is_never_taken_for_whole() -> None:
    begun = FINE.index(b"\r\n\r\n") + 4
    for cut in range(begun, len(FINE)):
        with scripted(FINE[:cut]) as script:
            refused(arbiter(script.address))
            assert script.asked == 1


@pytest.mark.parametrize("status", [413, 422, 500])
def test_a_problem_of_the_arbiter_is_passed_on_to_the_byte(status: int) -> None:
    body = b'{"type": "/problems/x",  "seen": 123456789012345678901234567890.50}'
    with scripted(answer(status, body, HERE, PROBLEM)) as script:
        assert arbiter(script.address).ask("attack", BODY, "id") == Reply(body, status, PROBLEM)
        assert arbiter(script.address).odds("attack", BODY, "id") == Reply(body, status, PROBLEM)
        assert script.asked == 2


def test_too_many_paths_are_told_as_the_gateway_tells_them() -> None:
    told = answer(422, b'{"type":"/problems/too-many-paths","budget":77}', HERE, PROBLEM)
    with scripted(told) as script, pytest.raises(OverBudget) as over:
        arbiter(script.address).odds("attack", json.dumps(attack(heads=9, policies={"*": "best"})).encode(), "id")
    assert (over.value.heads, over.value.policies) == (9, {"*": "best"})
    assert isinstance(over.value.why, PathBudgetExceeded)
    assert over.value.why.budget == 77


def test_odds_that_take_too_long_are_told_as_the_gateway_tells_them() -> None:
    told = answer(422, b'{"type":"/problems/odds-too-long","limit_s":1.5}', HERE, PROBLEM)
    with scripted(told) as script, pytest.raises(OverBudget) as over:
        arbiter(script.address).odds("attack", json.dumps(attack()).encode(), "id")
    assert isinstance(over.value.why, TimeBudgetExceeded)
    assert over.value.why.seconds == 1.5


def test_a_slow_answer_is_given_up_and_not_asked_for_again() -> None:
    with scripted(HANG) as script:
        refused(arbiter(script.address, read_s=0.1))
        assert script.asked == 1


def test_an_answer_that_trickles_is_given_up_at_the_deadline() -> None:
    ended = Event()

    def trickle(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.recv(65_536)
            head, _, _ = answer(200, b"1" * 100_000, HERE).partition(b"111")
            connection.sendall(head)
            while not ended.wait(0.02):
                connection.sendall(b"1")

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        served = pool.submit(trickle, listening)
        try:
            refusal = refused(arbiter(f"http://127.0.0.1:{listening.getsockname()[1]}", connect_s=0.1, read_s=0.2))
        finally:
            ended.set()
        served.result()
    assert "in time" in str(refusal.__cause__)


def test_an_answer_without_end_is_given_up() -> None:
    for size, framed in ((1_000, True), (1_001, True), (1_001, False)):
        told = answer(200, b"1" * size, HERE)
        with scripted(told if framed else told.replace(b"Content-Length", b"X-Length")) as script:
            asked = arbiter(script.address)
            asked.max_answer_bytes = 1_000
            if size <= 1_000:
                assert len(asked.ask("attack", BODY, "id").body) == size
            else:
                assert "1,000 bytes" in str(refused(asked).__cause__)


# Another edition


@pytest.mark.parametrize(
    "there",
    [
        Identity(HERE.game, HERE.edition, "9.9.9"),
        Identity(HERE.game, "invented-2", HERE.engine),
        Identity("warleague", HERE.edition, HERE.engine),
    ],
    ids=["engine", "edition", "game"],
)
@pytest.mark.parametrize("status", [200, 422])
def test_an_answer_of_another_edition_is_refused_and_both_are_named(there: Identity, status: int) -> None:
    with scripted(answer(status, b'{"fine":1}', there)) as script:
        refusal = refused(arbiter(script.address), "edition-mismatch")
        assert script.asked == 1
    assert str(there) in refusal.detail
    assert str(HERE) in refusal.detail


def test_an_arbiter_of_another_edition_is_not_away() -> None:
    other = answer(200, b"{}", Identity(HERE.game, "invented-2", HERE.engine))
    with scripted(*[other] * 30, FINE) as script:
        asked = arbiter(script.address)
        for _ in range(30):
            refused(asked, "edition-mismatch")
        assert asked.ask("attack", BODY, "id").status == 200


def test_who_answers_is_looked_at() -> None:
    there = Identity("warleague", "invented-2", "9")
    with scripted(answer(200, b"{}", there), answer(200), answer(500, b"{}", HERE)) as script:
        asked = arbiter(script.address)
        assert asked.look(1.0) == there
        for _ in range(2):
            with pytest.raises(NoAnswer):
                asked.look(1.0)
        assert script.heads[0].startswith(b"GET /healthz ")


def test_an_edition_of_any_letters_goes_into_a_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TEMPLATE, "edition", "zweite Auflage, „Winter“\r\nX: y")
    told = Identity.of(TEMPLATE)
    assert all(value.isascii() and value.isprintable() for _, value in told.headers())
    assert Identity.from_headers(dict(told.headers())) == told


# Over TLS


@pytest.mark.parametrize("name", ["127.0.0.1", "elsewhere.example"])
def test_a_service_has_to_prove_its_name_before_it_is_asked(name: str) -> None:
    authority = trustme.CA()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(context)
    heard: list[bytes] = []

    def serve(listening: socket.socket) -> None:
        for _ in range(2):
            connection, _ = listening.accept()
            with connection, suppress(OSError), context.wrap_socket(connection, server_side=True) as secret:
                head = secret.recv(65_536)
                heard.append(head if head.endswith(BODY) else head + secret.recv(65_536))
                secret.sendall(FINE)

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        served = pool.submit(serve, listening)
        address = f"https://127.0.0.1:{listening.getsockname()[1]}"
        refused(arbiter(address))
        assert heard == [], "nobody knows its authority"
        with authority.cert_pem.tempfile() as bundle:
            # The authority is known now; the name still has to be the one in the address.
            asked = arbiter(address)
            asked.session.verify = bundle
            if name == "127.0.0.1":
                assert asked.ask("attack", BODY, "id").status == 200
            else:
                refused(asked)
        served.result()
    assert len(heard) == (name == "127.0.0.1")
