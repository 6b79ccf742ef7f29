"""Laws of leases: whatever workers and messages do, a piece is never given twice at a time, and none is lost."""

from collections.abc import Callable, Iterator
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

from infra.redis import RedisStore
from infra.settings import WorkerSettings
from tests.workers.naps import naps
from tests.workers.service import Server
from workers.jobs import chunks
from workers.jobs.chunks import SUM, ClaimedChunk, Pieces, Turn
from workers.jobs.store import Jobs

MANY = 4


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("server"))
    server.start()
    yield server
    server.kill()


class Workshop(RuleBasedStateMachine):
    """One job, the messages that are under way for it, workers that hold pieces, and workers that are only slow.

    A message may come late, twice, or not at all; a worker may be believed lost and go on nevertheless.
    """

    def __init__(self, server: Server) -> None:
        super().__init__()
        self.redis = server.client
        self.redis.flushall()
        given = WorkerSettings(redis_url=server.url, most_attempts=100)
        self.jobs, self.hands = Jobs(given), Pieces(Store(given))
        self.messages: list[int] = []
        self.holding: dict[str, ClaimedChunk] = {}
        self.slow: list[ClaimedChunk] = []
        self.tokens = 0

    @initialize()
    def hand_in(self) -> None:
        self.work = naps(MANY)
        self.id = self.jobs.submit(self.work, caller="me", estimate_ms=1_000.0 * MANY).job.id
        self.messages = [self.turn() or 0]
        self.free = {f"{first}-{first + 1}" for first in range(MANY)}
        self.stored: set[str] = set()

    def turn(self) -> int | None:
        found = self.redis.hget(f"arbiter:job:{self.id}", "turn")
        return None if found is None else int(found)

    def state(self) -> str:
        job = self.jobs.job(self.id)
        assert job is not None
        return job.state

    def post(self, turn: Turn | None) -> None:
        if turn is not None:
            assert turn.queue == "simulations"
            self.messages.append(turn.turn)

    def hold(self, taken: ClaimedChunk) -> None:
        assert taken.piece not in self.holding
        self.holding[taken.piece] = taken
        self.free.discard(taken.piece)

    @precondition(lambda self: self.messages)
    @rule(data=st.data(), again=st.booleans())
    def message_comes(self, data: st.DataObject, again: bool) -> None:
        at = data.draw(st.integers(0, len(self.messages) - 1))
        number = self.messages[at] if again else self.messages.pop(at)
        is_next = number == self.turn() and self.state() in {"accepted", "running"}
        self.tokens += 1
        taken = self.hands.take(self.id, number, f"token {self.tokens}", "worker")
        assert (taken is not None) == (is_next and bool(self.free))
        if taken is not None:
            assert taken.piece in self.free
            self.hold(taken)
            assert (taken.following is not None) == bool(self.free)
            if taken.following is not None:
                self.messages.append(taken.following)

    @rule(number=st.integers(1, 50))
    def message_of_another_time_comes(self, number: int) -> None:
        if number != self.turn():
            assert self.hands.take(self.id, number, "stranger", "worker") is None

    @precondition(lambda self: self.holding)
    @rule(data=st.data(), over=st.integers(0, 1))
    def sign_of_life(self, data: st.DataObject, over: int) -> None:
        taken = self.one(data)
        # Adding up counts no games.
        assert self.hands.wanted(taken, 0 if taken.piece == SUM else over) == (self.state() == "running")

    @precondition(lambda self: self.holding)
    @rule(data=st.data())
    def piece_is_done(self, data: st.DataObject) -> None:
        self.hand_over(self.one(data))

    @precondition(lambda self: self.slow)
    @rule(data=st.data())
    def slow_worker_is_done(self, data: st.DataObject) -> None:
        self.hand_over(self.slow.pop(data.draw(st.integers(0, len(self.slow) - 1))))

    @precondition(lambda self: self.slow)
    @rule(data=st.data())
    def slow_worker_hears_of_it(self, data: st.DataObject) -> None:
        assert not self.hands.wanted(data.draw(st.sampled_from(self.slow)), 1)

    def hand_over(self, taken: ClaimedChunk) -> None:
        running = self.state() == "running"
        if taken.piece == SUM:
            assert sorted(taken.done) == sorted(piece.encode() for piece in self.stored)
            self.hands.finish(taken, b"result")
            if running:
                assert self.jobs.result(self.id) == b"result"
                self.over()
            return
        is_new = running and taken.piece not in self.stored
        whole = self.hands.put(taken, taken.piece.encode(), 1, 0.1)
        if is_new:
            self.stored.add(taken.piece)
            self.holding.pop(taken.piece, None)
            self.free.discard(taken.piece)
        assert (whole is not None) == (is_new and len(self.stored) == MANY)
        if whole is not None:
            self.hold(whole)

    @precondition(lambda self: self.holding)
    @rule(data=st.data())
    def piece_is_given_back(self, data: st.DataObject) -> None:
        taken = self.one(data)
        self.lose(lambda: self.post(self.hands.give_back(taken)), taken)

    @precondition(lambda self: self.holding)
    @rule(data=st.data(), slow=st.booleans())
    def worker_is_believed_lost(self, data: st.DataObject, slow: bool) -> None:
        taken = self.one(data)
        self.redis.zadd("arbiter:leases", {f"{self.id}:{taken.piece}": 1.0})
        self.lose(self.look_after, taken)
        if slow:
            self.slow.append(taken)

    def look_after(self) -> None:
        self.redis.delete("arbiter:tending")
        turns, _ = self.hands.tend()
        for turn in turns:
            self.post(turn)

    def lose(self, act: Callable[[], None], taken: ClaimedChunk) -> None:
        running = self.state() == "running"
        act()
        del self.holding[taken.piece]
        if running:
            self.free.add(taken.piece)

    @rule()
    def messages_are_lost_and_missed(self) -> None:
        self.messages = []
        self.redis.delete("simulations")
        self.redis.zadd("arbiter:unsent", {self.id: 1.0})
        self.look_after()

    @precondition(lambda self: self.state() == "running")
    @rule(sure=st.integers(0, 9))
    def job_is_dismissed(self, sure: int) -> None:
        if sure == 0:
            self.jobs.dismiss(self.id)
            assert self.state() == "dismissed"
            self.over()

    def over(self) -> None:
        self.free = set()
        self.slow += self.holding.values()
        self.holding = {}

    def one(self, data: st.DataObject) -> ClaimedChunk:
        return self.holding[data.draw(st.sampled_from(sorted(self.holding)))]

    @invariant()
    def store_agrees(self) -> None:
        if not hasattr(self, "id"):
            return
        job: Any = self.jobs.job(self.id)
        is_open = job.state in {"accepted", "running"}
        parts = {name: f"arbiter:job:{self.id}:{name}" for name in ("free", "leases", "pieces")}
        assert {name.decode() for name in self.redis.lrange(parts["free"], 0, -1)} == self.free
        assert {name.decode() for name in self.redis.hkeys(parts["leases"])} == set(self.holding)
        assert self.redis.zcard("arbiter:leases") == len(self.holding)
        assert 0 <= job.done <= job.total
        assert (self.turn() is not None) >= bool(self.free)
        if is_open:
            assert {name.decode() for name in self.redis.hkeys(parts["pieces"])} == self.stored
            assert (
                self.stored | self.free | (set(self.holding) - {SUM})
                == {f"{first}-{first + 1}" for first in range(MANY)}
                or SUM in self.free
            )
            # Whatever is free, a message is under way for it.
            assert not self.free or self.turn() in self.messages
        assert self.jobs.depths()["simulations"].open_jobs == int(is_open)
        waiting = MANY - len(self.stored) if is_open else 0
        assert self.jobs.depths()["simulations"].waiting_s == waiting


@pytest.mark.usefixtures("only_naps")
def test_no_piece_is_given_twice_and_none_is_lost(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chunks, "UNSENT_S", 1.0)
    run_state_machine_as_test(
        lambda: Workshop(server), settings=settings(max_examples=60, stateful_step_count=40, deadline=None)
    )
