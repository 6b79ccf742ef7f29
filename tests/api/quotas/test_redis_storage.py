"""Quotas in a real server: one count for all processes, by its clock, that never fails a request."""

import socket
import time
from threading import Thread

import pytest
from limits.errors import StorageError
from limits.storage import RedisStorage

from api.auth.callers import Caller
from api.problems.handlers import ProblemError
from api.quotas.limiter import Limiter, redis_storage
from api.settings import Settings
from cli.serve import free_port
from tests.api.quotas.test_limiter_laws import ANN, Log, asked
from tests.workers.service import Server


@pytest.fixture
def server(one_server: Server) -> Server:
    if not one_server.answers():
        one_server.start()
    one_server.client.flushall()
    return one_server


@pytest.fixture
def shared(server: Server) -> RedisStorage:
    # A machine that is busy with other tests may take longer than a gateway waits.
    return redis_storage(server.url, answer_s=5.0)


def limiter(shared: RedisStorage, log: Log | None = None, units: int = 600) -> Limiter:
    settings = Settings(anonymous_units_per_minute=units)
    return Limiter(settings, log or Log(), lambda _: ANN, lambda _: ANN, shared)


def test_processes_share_one_quota(server: Server) -> None:
    processes = [limiter(redis_storage(server.url, answer_s=5.0), units=10) for _ in range(3)]
    assert sum(asked(one, 1) for _ in range(5) for one in processes) == 10
    assert asked(processes[0], 1, Caller("bob", ()))


def test_threads_of_many_processes_spend_no_more_than_there_is(server: Server) -> None:
    processes = [limiter(redis_storage(server.url, answer_s=5.0)) for _ in range(3)]
    taken: list[bool] = []
    threads = [
        Thread(target=lambda one=one: taken.extend([asked(one, 7) for _ in range(30)]))
        for one in processes
        for _ in range(3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # The first window begins with the first charge, and lasts for longer than this test.
    assert len(taken) == 270
    assert sum(taken) == 600 // 7


def test_a_request_is_charged_and_paid_back_to_the_unit(shared: RedisStorage) -> None:
    request = limiter(shared, units=100).begin({}, ANN)
    assert request.state() == (100, 1)
    assert request.charge(10) == 10
    assert request.state()[0] == 90
    request.give_back(4)
    assert request.state()[0] == 94
    request.settle(1_000)
    assert (request.spent, request.state()[0]) == (50, 50)


def test_a_refusal_gives_the_wait_and_debts_count(shared: RedisStorage) -> None:
    one = limiter(shared, units=100)
    for _ in range(3):
        one.begin({}, ANN).settle(50)
    with pytest.raises(ProblemError) as refused:
        one.begin({}, ANN).charge(1)
    # 150 weigh less than 100 when a third of the next window has passed.
    assert refused.value.more["left"] == 0
    assert 78 <= refused.value.more["wait_s"] <= 81


def test_a_caller_is_forgotten_after_two_windows(shared: RedisStorage, server: Server) -> None:
    asked(limiter(shared), 1)
    (name,) = server.names()
    assert name.startswith("arbiter:quota:")
    assert 110_000 <= server.client.pttl(name) <= 120_000


def test_a_server_that_restarts_without_its_scripts_gets_them_again(shared: RedisStorage, server: Server) -> None:
    log = Log()
    one = limiter(shared, log, units=100)
    assert asked(one, 1)
    server.client.script_flush()
    assert asked(one, 1)
    server.kill()
    assert asked(one, 1)
    assert log.events == ["quotas-without-redis"]
    server.start()
    time.sleep(1.0)
    assert asked(one, 1)
    assert server.names(), "it is counted there again"


def test_nobody_who_listens_makes_no_request_fail() -> None:
    log = Log()
    one = limiter(redis_storage(f"redis://127.0.0.1:{free_port()}/0"), log, units=10)
    assert [asked(one, 1) for _ in range(12)] == [True] * 10 + [False] * 2
    assert log.events == ["quotas-without-redis"], "it is said once, not for each request"


def test_a_server_that_never_answers_is_not_waited_for() -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        one = limiter(redis_storage(f"redis://127.0.0.1:{deaf.getsockname()[1]}/0", answer_s=0.01))
        assert all(asked(one, 1) for _ in range(50))


def test_a_server_that_is_full_or_strange_counts_as_away(shared: RedisStorage, server: Server) -> None:
    asked(limiter(shared), 1)
    (name,) = server.names()
    server.client.delete(name)
    server.client.hset(name, "not", "a number")
    with pytest.raises(StorageError):
        shared.get_sliding_window(name.removeprefix("arbiter:quota:").strip("{}"), 60)
    assert asked(limiter(shared), 1)
