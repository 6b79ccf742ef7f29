"""Laws of chunks: whatever workers and messages do, each chunk is counted once, none is lost, none waits twice."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from infra.settings import WorkerSettings
from tests.effort import cases
from tests.workers.naps import naps
from tests.workers.service import Server, expected
from workers.celery_config import make_celery
from workers.jobs import work
from workers.jobs.chunk_store import FINISH, PATIENT, BegunChunk, ChunkStore, SentChunk
from workers.jobs.store import Jobs
from workers.runner import WorkerContext, run_chunk

MANY = 4
ALL = {str(chunk) for chunk in range(MANY)}


class Workshop(RuleBasedStateMachine):
    """One job, the messages that are in its queue, workers at chunks, and workers that are only slow.

    A message may come late, twice, or not at all; a worker may be believed lost and go on nevertheless.
    """

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.redis = server.client
        self.redis.flushall()
        given = WorkerSettings(redis_url=server.url, most_attempts=100)
        self.jobs, self.store = Jobs(given), ChunkStore(given)
        self.messages: list[str] = []
        self.working: dict[str, BegunChunk] = {}
        self.slow: list[BegunChunk] = []

    @initialize()
    def submit(self) -> None:
        self.id = self.jobs.submit(naps(MANY), caller="me", estimate_ms=1_000.0 * MANY).job.id
        self.queued, self.messages, self.newest = {"0"}, ["0"], 0
        self.stored: set[str] = set()

    def state(self) -> str:
        job = self.jobs.job(self.id)
        assert job is not None
        return job.state

    def send(self, sent: SentChunk | None) -> None:
        if sent is not None:
            assert sent.queue == "simulations"
            self.messages.append(sent.chunk)
            self.queued.add(sent.chunk)

    @precondition(lambda self: self.messages)
    @rule(data=st.data(), again=st.booleans())
    def message_comes(self, data: st.DataObject, again: bool) -> None:
        at = data.draw(st.integers(0, len(self.messages) - 1))
        chunk = self.messages[at] if again else self.messages.pop(at)
        begun = self.store.begin(self.id, chunk)
        assert (begun is not None) == (chunk in self.queued)
        if begun is None:
            return
        assert begun.chunk not in self.working
        self.queued.discard(chunk)
        self.working[chunk] = begun
        # The newest chunk alone has the next one sent, so that a job never has more in the queue than it lost.
        is_newest = chunk == str(self.newest) and self.newest + 1 < MANY
        assert (begun.following is not None) == is_newest
        if begun.following is not None:
            self.newest += 1
            assert begun.following.chunk == str(self.newest)
            self.send(begun.following)

    @rule(chunk=st.sampled_from([*sorted(ALL), FINISH, "7"]))
    def message_comes_that_was_not_sent(self, chunk: str) -> None:
        if chunk not in self.queued:
            assert self.store.begin(self.id, chunk) is None

    @precondition(lambda self: self.working)
    @rule(data=st.data(), over=st.integers(0, 1))
    def sign_of_life(self, data: st.DataObject, over: int) -> None:
        begun = self.one(data)
        assert self.store.heartbeat(begun, 0 if begun.chunk == FINISH else over) == (self.state() == "running")

    @precondition(lambda self: self.slow)
    @rule(data=st.data())
    def slow_worker_gives_a_sign_of_life(self, data: st.DataObject) -> None:
        begun = data.draw(st.sampled_from(self.slow))
        wanted = self.store.heartbeat(begun, 0)
        assert wanted == (self.state() == "running" and begun.chunk not in self.stored)
        if wanted:
            # It need not be replaced.
            self.queued.discard(begun.chunk)
            self.working.setdefault(begun.chunk, begun)

    @precondition(lambda self: self.working)
    @rule(data=st.data())
    def chunk_is_done(self, data: st.DataObject) -> None:
        self.done(self.one(data))

    @precondition(lambda self: self.slow)
    @rule(data=st.data())
    def slow_worker_is_done(self, data: st.DataObject) -> None:
        self.done(self.slow.pop(data.draw(st.integers(0, len(self.slow) - 1))))

    def done(self, begun: BegunChunk) -> None:
        running = self.state() == "running"
        if begun.chunk == FINISH:
            assert sorted(begun.parts) == sorted(chunk.encode() for chunk in self.stored)
            self.store.finish(begun, b"result")
            if running:
                assert self.jobs.result(self.id) == b"result"
                self.over()
            return
        is_new = running and begun.chunk not in self.stored
        last = self.store.store(begun, begun.chunk.encode(), 1, 0.1)
        if is_new:
            self.stored.add(begun.chunk)
            self.working.pop(begun.chunk, None)
            self.queued.discard(begun.chunk)
        assert (last is not None) == (is_new and self.stored == ALL)
        if last is not None:
            self.working[FINISH] = last

    @precondition(lambda self: self.working)
    @rule(data=st.data())
    def chunk_is_given_back(self, data: st.DataObject) -> None:
        begun = self.one(data)
        self.lose(lambda: self.send(self.store.give_back(begun)), begun)

    @precondition(lambda self: self.working)
    @rule(data=st.data())
    def process_ends(self, data: st.DataObject) -> None:
        begun = self.one(data)
        self.lose(lambda: self.send(self.store.lose(self.id, begun.chunk, "")), begun)

    @precondition(lambda self: self.working)
    @rule(data=st.data(), slow=st.booleans())
    def worker_is_believed_lost(self, data: st.DataObject, slow: bool) -> None:
        begun = self.one(data)
        self.redis.zadd("arbiter:running", {f"{self.id}:{begun.chunk}": 1.0})
        self.lose(self.sweep, begun)
        if slow:
            self.slow.append(begun)

    def sweep(self) -> None:
        self.redis.delete("arbiter:sweeping")
        for sent in self.store.sweep(PATIENT):
            self.send(sent)

    def lose(self, act: Callable[[], None], begun: BegunChunk) -> None:
        act()
        del self.working[begun.chunk]
        assert (begun.chunk in self.queued) == (self.state() == "running")

    @rule()
    def messages_are_lost_and_missed(self) -> None:
        self.messages = []
        self.redis.delete("simulations", *self.redis.keys("arbiter:resent:*") or ["none"])
        if self.queued:
            self.redis.zadd("arbiter:queued:simulations", {f"{self.id}:{chunk}": 1.0 for chunk in self.queued})
        self.sweep()
        assert set(self.messages) == self.queued

    @precondition(lambda self: self.state() == "running")
    @rule(sure=st.integers(0, 9))
    def job_is_dismissed(self, sure: int) -> None:
        if sure == 0:
            self.jobs.dismiss(self.id)
            assert self.state() == "dismissed"
            self.over()

    def over(self) -> None:
        self.queued = set()
        self.slow += self.working.values()
        self.working = {}

    def one(self, data: st.DataObject) -> BegunChunk:
        return self.working[data.draw(st.sampled_from(sorted(self.working)))]

    @invariant()
    def store_agrees(self) -> None:
        if not hasattr(self, "id"):
            return
        job: Any = self.jobs.job(self.id)
        is_open = job.state in {"accepted", "running"}
        assert self.members("queued:simulations") == self.queued
        assert self.members("running") == set(self.working)
        assert len(self.stored) <= job.done <= job.total
        if is_open:
            stored = self.redis.hkeys(f"arbiter:job:{self.id}:chunks")
            assert {name.decode() for name in stored} == self.stored
            started = {str(chunk) for chunk in range(self.newest + 1)}
            assert started == self.stored | (self.queued | set(self.working)) - {FINISH}
            # Whatever waits has a message, and the job goes on.
            assert self.queued <= set(self.messages)
            assert self.queued | set(self.working)
        assert self.jobs.depths()["simulations"].open_jobs == int(is_open)
        waiting = MANY - len(self.stored) if is_open else 0
        assert self.jobs.depths()["simulations"].waiting_s == waiting

    def members(self, name: str) -> set[str]:
        return {member.decode().split(":")[1] for member in self.redis.zrange(f"arbiter:{name}", 0, -1)}


@pytest.mark.usefixtures("only_naps")
def test_a_process_decodes_the_work_of_a_job_once(one_server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    one_server.client.flushall()
    settings_ = WorkerSettings(redis_url=one_server.url)
    job = Jobs(settings_).submit(naps(3, number=5), caller="me", estimate_ms=3_000.0).job
    context = WorkerContext(settings_, make_celery(settings_))
    decoded: list[Any] = []
    read = work._read
    monkeypatch.setattr(work, "_read", lambda *args: decoded.append(args) or read(*args))
    work._decode.cache_clear()
    for chunk in range(3):
        run_chunk(context, job.id, str(chunk))
    assert Jobs(settings_).result(job.id) == expected(naps(3, number=5))
    # Once whole, and once at the one point of its grid.
    assert len(decoded) == 2


@pytest.mark.usefixtures("only_naps")
def test_each_chunk_is_counted_once_and_none_is_lost(one_server: Server) -> None:
    run_state_machine_as_test(
        lambda: Workshop(one_server), settings=settings(max_examples=cases(60), stateful_step_count=40, deadline=None)
    )
