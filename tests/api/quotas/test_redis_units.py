"""Quotas in a real server: one bucket for all processes, by its clock, that never fails a request."""

import logging
import socket
import time
from threading import Thread

import pytest
import structlog

from api.problems.handlers import ProblemError
from api.quotas.limiter import AnonymousClient, Rates, UnitsAway
from api.quotas.redis_units import RedisUnits
from api.settings import Settings
from cli.serve import free_port
from tests.workers.service import Server

SLOW = 1e-9
"""Units a second: as good as none, so that a test may count."""


@pytest.fixture
def server(one_server: Server) -> Server:
    if not one_server.answers():
        one_server.start()
    one_server.client.flushall()
    return one_server


@pytest.fixture
def units(server: Server) -> RedisUnits:
    # A machine that is busy with other tests may take longer than a gateway waits.
    return RedisUnits(server.url, answer_s=5.0)


def rates(units: RedisUnits, **said: int) -> Rates:
    return Rates(Settings(**said), structlog.get_logger(), units)


def asked(one: Rates, count: int, who: str = "ann") -> bool:
    try:
        one.begin({}, AnonymousClient(who)).charge(count)
    except ProblemError:
        return False
    return True


def test_a_bucket_is_full_at_first_and_gives_what_it_has(units: RedisUnits) -> None:
    assert units.take("ann", 100, SLOW, 10, 0, 0) == (10, 90.0)
    assert units.take("ann", 100, SLOW, 90, 0, 0) == (90, 0.0)
    assert units.take("ann", 100, SLOW, 1, 0, 0) == (0, 0.0)
    assert units.take("bob", 100, SLOW, 100, 0, 0) == (100, 0.0)


@pytest.mark.parametrize(
    ("level", "need", "share", "granted"),
    [(100, 10, 5, 15), (20, 10, 5, 15), (19, 10, 5, 10), (10, 10, 5, 10), (9, 10, 5, 0), (10, 10, 0, 10)],
)
def test_a_share_is_given_where_two_of_them_remain(
    units: RedisUnits, level: int, need: int, share: int, granted: int
) -> None:
    units.take("ann", 100, SLOW, 100 - level, 0, 0)
    assert units.take("ann", 100, SLOW, need, share, 0) == (granted, float(level - granted))


def test_what_is_handed_back_is_there_again_and_never_more_than_the_quota(units: RedisUnits) -> None:
    units.take("ann", 100, SLOW, 60, 0, 0)
    assert units.take("ann", 100, SLOW, 50, 0, 20) == (50, 10.0)
    assert units.take("ann", 100, SLOW, 1, 0, 5_000) == (1, 99.0)
    assert units.take("ann", 100, SLOW, 101, 0, 0) == (0, 99.0)


def test_what_is_handed_back_counts_even_when_nothing_is_granted(units: RedisUnits) -> None:
    units.take("ann", 100, SLOW, 100, 0, 0)
    assert units.take("ann", 100, SLOW, 50, 0, 20) == (0, 20.0)
    assert units.take("ann", 100, SLOW, 20, 0, 0) == (20, 0.0)


def test_debts_are_taken_down_to_a_whole_quota(units: RedisUnits) -> None:
    assert units.take("ann", 100, SLOW, 70, 0, 0, forced=True) == (70, 30.0)
    assert units.take("ann", 100, SLOW, 70, 0, 0, forced=True) == (70, -40.0)
    assert units.take("ann", 100, SLOW, 70, 0, 0, forced=True) == (70, -100.0)
    assert units.take("ann", 100, SLOW, 1, 0, 0) == (0, -100.0)


def test_units_flow_back_by_the_clock_of_the_server(units: RedisUnits) -> None:
    began = time.monotonic()
    units.take("ann", 1_000, 500.0, 1_000, 0, 0)
    time.sleep(0.1)
    granted, level = units.take("ann", 1_000, 500.0, 40, 0, 0)
    assert granted == 40
    assert 10.0 <= level <= (time.monotonic() - began) * 500 - 40 + 1


def test_a_quota_that_is_made_smaller_holds_at_once(units: RedisUnits) -> None:
    units.take("ann", 1_000, SLOW, 1, 0, 0)
    assert units.take("ann", 100, SLOW, 101, 0, 0) == (0, 100.0)


def test_a_bucket_is_forgotten_when_it_is_full_again(units: RedisUnits, server: Server) -> None:
    units.take("ann", 600, 10.0, 300, 0, 0)
    assert server.names() == {"arbiter:units:ann"}
    assert 30_500 <= server.client.pttl("arbiter:units:ann") <= 31_000


def test_processes_share_one_bucket(server: Server) -> None:
    # A unit flows back each six seconds, so that all that is counted here is there from the beginning.
    processes = [rates(RedisUnits(server.url, answer_s=5.0), anonymous_units_per_minute=10) for _ in range(3)]
    assert sum(asked(one, 1) for _ in range(5) for one in processes) == 10


def test_threads_of_many_processes_spend_no_more_than_there_is(server: Server) -> None:
    processes = [rates(RedisUnits(server.url, answer_s=5.0), gateway_workers=3) for _ in range(3)]
    taken: list[bool] = []

    def ask(one: Rates) -> None:
        taken.extend([asked(one, 7) for _ in range(60)])

    began = time.monotonic()
    threads = [Thread(target=ask, args=(one,)) for one in processes for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    there = 600 + 60 + (time.monotonic() - began) * 10
    assert len(taken) == 540
    assert 600 - 60 - 7 <= sum(taken) * 7 <= there


def test_a_server_that_restarts_without_its_scripts_is_told_them_again(units: RedisUnits, server: Server) -> None:
    units.take("ann", 100, SLOW, 1, 0, 0)
    server.client.script_flush()
    assert units.take("ann", 100, SLOW, 1, 0, 0) == (1, 98.0)
    server.kill()
    with pytest.raises(UnitsAway):
        units.take("ann", 100, SLOW, 1, 0, 0)
    server.start()
    assert units.take("ann", 100, SLOW, 1, 0, 0)[0] == 1


def test_nobody_who_listens_makes_no_request_fail(caplog: pytest.LogCaptureFixture) -> None:
    lines: list[str] = []

    class Log:
        def warning(self, event: str, **_: object) -> None:
            lines.append(event)

    units = RedisUnits(f"redis://127.0.0.1:{free_port()}/0")
    one = Rates(Settings(anonymous_units_per_minute=10), Log(), units)
    assert [asked(one, 1) for _ in range(12)] == [True] * 10 + [False] * 2
    assert lines == ["rates-alone"], "it is said once, not for each request"
    assert caplog.records == [] or caplog.records[0].levelno < logging.ERROR


def test_a_server_that_never_answers_is_not_waited_for() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        units = RedisUnits(f"redis://127.0.0.1:{deaf.getsockname()[1]}/0", answer_s=0.01)
        one = rates(units)
        assert all(asked(one, 1) for _ in range(50))


def test_a_server_that_is_full_or_strange_counts_as_away(server: Server) -> None:
    server.client.set("arbiter:units:ann", "not a bucket")
    with pytest.raises(UnitsAway):
        RedisUnits(server.url, answer_s=5.0).take("ann", 100, SLOW, 1, 0, 0)
