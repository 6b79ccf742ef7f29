"""The breaker and the threads of a remote arbiter: when it is refused at once, waited for, and asked again."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import inf
from threading import Event

from pybreaker import STATE_CLOSED, STATE_OPEN, CircuitBreakerError

from api.arbiters.health import BreakerListener
from api.arbiters.identity import Identity
from api.arbiters.remote import FAILURES, NoAnswer
from tests.api.arbiters.away import BODY, FINE, HERE, PROBLEM, arbiter, refused
from tests.api.arbiters.away import nowhere as nowhere
from tests.api.posting import TEMPLATE
from tests.api.scripted import DROP, HANG, answer, scripted

# The breaker and the threads


def test_a_dead_arbiter_is_refused_at_once_after_some_failures(nowhere: str) -> None:
    asked = arbiter(nowhere)
    asked.breaker.reset_timeout = 50
    reasons = [refused(asked) for _ in range(FAILURES + 2)]
    at_once = [isinstance(reason.__cause__, CircuitBreakerError) for reason in reasons]
    assert at_once == [False] * FAILURES + [True] * 2
    assert all(nowhere not in reason.detail and TEMPLATE.name in reason.detail for reason in reasons)
    assert reasons[-1].headers["Retry-After"] == "50"


def test_failures_have_to_be_in_a_row() -> None:
    failure = [answer(404)] * (FAILURES - 1)
    with scripted(*failure, FINE, *failure, FINE) as script:
        asked = arbiter(script.address)
        for _ in range(2):
            for _ in failure:
                refused(asked)
            assert asked.ask("attack", BODY, "id").status == 200


def test_an_arbiter_that_comes_back_is_asked_again_and_each_change_is_called_back_once() -> None:
    changes: list[tuple[str, bool]] = []
    with scripted(*[DROP] * 4, FINE) as script:
        asked = arbiter(script.address)
        asked.breaker.add_listener(BreakerListener(lambda *change: changes.append(change)))
        asked.breaker.fail_max, asked.breaker.reset_timeout = 1, 50
        for _ in range(3):
            refused(asked)
        assert script.asked == 2
        # What comes first after a while fails, and the breaker stays open; then an answer closes it.
        asked.breaker.half_open()
        refused(asked)
        assert (script.asked, asked.breaker.current_state) == (4, STATE_OPEN)
        assert changes == [(TEMPLATE.name, True)]
        asked.breaker.reset_timeout = 0
        assert asked.ask("attack", BODY, "id").status == 200
        assert asked.breaker.current_state == STATE_CLOSED
        assert changes == [(TEMPLATE.name, True), (TEMPLATE.name, False)]
        assert asked.odds("attack", BODY, "id").status == 200


def test_problems_of_the_question_do_not_open_the_breaker() -> None:
    with scripted(answer(422, b"{}", HERE, PROBLEM)) as script:
        asked = arbiter(script.address)
        asked.breaker.fail_max = 1
        for _ in range(5):
            assert asked.ask("attack", b"{}", "id").status == 422


def test_a_silent_arbiter_holds_half_of_the_threads_and_opens_the_breaker() -> None:
    with ThreadPoolExecutor(2) as pool:
        with scripted(HANG) as script:
            asked = arbiter(script.address, threads=4, read_s=30.0)
            asked.quiet_s = 0.05
            held = [pool.submit(refused, asked) for _ in range(2)]
            deadline = time.monotonic() + 20
            # Both reach the service side by side: the breaker lets nobody wait for another.
            while script.asked < 2 and time.monotonic() < deadline:
                Event().wait(0.01)
            reasons = [refused(asked).__cause__ for _ in range(2)]
            assert isinstance(reasons[0], NoAnswer)
            assert isinstance(reasons[1], CircuitBreakerError)
            # On trial it is still silent, which takes no time to see.
            asked.breaker.half_open()
            asked.quiet_s = 1_000
            assert isinstance(refused(asked).__cause__, NoAnswer)
            assert asked.breaker.current_state == STATE_OPEN
            assert not any(each.done() for each in held), "nobody waited for them"
            assert script.asked == 2
        # The service is gone now, and those who waited for it get a problem.
        assert all(each.result() for each in held)


def test_a_busy_arbiter_is_waited_for() -> None:
    with scripted(FINE) as script, ThreadPoolExecutor(8) as pool:
        asked = arbiter(script.address, threads=2)
        # Each of many questions gets its answer over one slot, and nobody takes the arbiter for silent.
        replies = list(pool.map(lambda _: asked.ask("attack", BODY, "id"), range(40)))
        assert [reply.status for reply in replies] == [200] * 40
        # Nor while answers come and the slot is never free.
        asked.slots.acquire()
        asked.quiet_s, asked.answered_at = 0.01, inf
        waiting = pool.submit(asked.ask, "attack", BODY, "id")
        with suppress(TimeoutError):
            waiting.result(0.1)
        asked.slots.release()
        assert waiting.result(10).status == 200


def test_a_slot_is_free_again_after_every_outcome() -> None:
    other = answer(200, b"{}", Identity(HERE.game, "invented-2", HERE.engine))
    with scripted(DROP, DROP, answer(404), other, FINE) as script:
        asked = arbiter(script.address, threads=1)
        asked.quiet_s = 0.0
        for slug in ("arbiter-away", "arbiter-away", "edition-mismatch"):
            refused(asked, slug)
        for _ in range(2):
            assert asked.ask("attack", BODY, "id").status == 200


def test_a_connection_is_kept_for_the_next_question() -> None:
    kept = FINE.replace(b"Connection: close\r\n", b"")
    received: list[bytes] = []

    def serve(listening: socket.socket) -> None:
        # Only one connection is ever taken.
        connection, _ = listening.accept()
        with connection:
            for _ in range(3):
                request = b""
                while not request.endswith(BODY):
                    request += connection.recv(65_536)
                received.append(request)
                connection.sendall(kept)

    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as pool:
        served = pool.submit(serve, listening)
        asked = arbiter(f"http://127.0.0.1:{listening.getsockname()[1]}")
        assert [asked.ask("attack", BODY, "id").status for _ in range(3)] == [200] * 3
        served.result()
    assert [each[:5] for each in received] == [b"POST "] * 3


def test_a_kept_connection_that_was_closed_meanwhile_is_no_failure() -> None:
    # Each answer says that the connection stays, and then it is closed all the same.
    broken = FINE.replace(b"Connection: close\r\n", b"")
    with scripted(broken) as script:
        asked = arbiter(script.address)
        asked.breaker.fail_max = 1
        for _ in range(10):
            assert asked.ask("attack", BODY, "id").status == 200
