"""Work that nobody else waits for, by the workers of the service: for what is short, for what is long, for callbacks.

That nobody waits is shown by the order in which things end: what holds a worker up is there still.
"""

import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from http.server import BaseHTTPRequestHandler
from threading import Event

import pytest

from cli.serve import WORKERS
from tests.patience import within
from tests.workers.naps import ruling
from tests.workers.receiving import receiver, status
from tests.workers.service import Server, begun, ended, job_of, ready, running
from workers.jobs.store import Jobs
from workers.webhooks.callback import Callback


@pytest.fixture(scope="module")
def server(one_server: Server) -> Iterator[Server]:
    """Give a server with the workers of the service."""
    with ExitStack() as workers:
        for _, queues, *options in WORKERS.values():
            workers.enter_context(running(one_server, queues, options, ARBITER_CALLBACKS_TO_LOOPBACK="true"))
        assert within(lambda: ready(one_server) == len(WORKERS))
        yield one_server


def test_a_job_that_is_estimated_to_be_long_holds_no_short_one_up(server: Server, jobs: Jobs) -> None:
    long = jobs.submit(ruling(1, seconds=60.0), caller="a", estimate_ms=60_000.0).job
    assert begun(server, jobs, long.id, 0)
    short = jobs.submit(ruling(2, seconds=0.2), caller="b", estimate_ms=200.0).job
    assert ended(jobs, short.id).state == "successful"
    assert job_of(jobs, long.id).state == "running"
    jobs.dismiss(long.id)


def test_a_job_that_turns_out_long_makes_room_for_a_short_one(server: Server, jobs: Jobs) -> None:
    long = jobs.submit(ruling(3, mischief="busy"), caller="a", estimate_ms=1.0).job
    assert begun(server, jobs, long.id, 0)
    short = jobs.submit(ruling(4), caller="b", estimate_ms=1.0).job
    assert ended(jobs, short.id).state == "successful"
    assert job_of(jobs, long.id).state == "running"
    # It was given back, not lost, and goes on where it delays nobody.
    assert within(lambda: jobs.depths()["long"].open_jobs == 1)
    assert begun(server, jobs, long.id, 0)
    assert job_of(jobs, long.id).attempts == 0
    jobs.dismiss(long.id)


def test_receivers_that_drip_delay_no_job_and_no_callback_of_others(server: Server, jobs: Jobs) -> None:
    let_go = Event()
    held: list[str] = []

    def drip(handler: BaseHTTPRequestHandler) -> None:
        held.append(handler.path)
        with suppress(OSError):
            handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while not let_go.wait(0.2):
                handler.wfile.write(b"X-Slow: a\r\n")
        held.remove(handler.path)

    with ExitStack() as stack:
        drippers = [stack.enter_context(receiver(drip)) for _ in range(6)]
        honest = stack.enter_context(receiver(status(204)))
        stack.callback(let_go.set)
        for number, to in enumerate(drippers):
            callback = Callback(f"http://127.0.0.1:{to.port}/{number}")
            jobs.submit(ruling(10 + number), caller=f"hostile {number}", estimate_ms=1.0, callback=callback)
        # Each has a caller and a host of its own, and so none waits for another.
        assert within(lambda: len(held) == len(drippers))
        callback = Callback(f"http://127.0.0.1:{honest.port}/")
        job = jobs.submit(ruling(20), caller="honest", estimate_ms=1.0, callback=callback).job
        assert ended(jobs, job.id).state == "successful"
        assert within(lambda: honest.seen)
        assert held, "the honest caller waited for all of them"
        # An attempt is over after five seconds, however it drips; its host is left alone for as long at least.
        assert within(lambda: not held)


def test_one_caller_has_one_attempt_at_a_time_however_many_receivers_are_mute(server: Server, jobs: Jobs) -> None:
    with ExitStack() as stack:
        mute = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(3)]
        for number, each in enumerate(mute):
            each.setblocking(False)
            callback = Callback(f"http://127.0.0.1:{each.getsockname()[1]}/")
            job = jobs.submit(ruling(30 + number), caller="mute", estimate_ms=1.0, callback=callback).job
            assert ended(jobs, job.id).state == "successful"
        open_: list[socket.socket] = []

        def accept() -> int:
            for each in mute:
                with suppress(BlockingIOError):
                    open_.append(stack.enter_context(each.accept()[0]))
            return len(open_)

        assert within(lambda: accept() == 1)
        assert within(lambda: accept() == 2)
        # The second attempt began when the first was over: its connection is closed.
        open_[0].settimeout(0)
        while open_[0].recv(65_536):
            pass
