"""A store of jobs in memory that keeps the promises of the real one, and does work only when it is told to."""

import time
from dataclasses import dataclass, field
from typing import Any, get_args

import msgspec

from arbiter.fault import Faults
from arbiter.odds.exact import PathBudgetExceeded
from infra.errors import StoreUnavailable
from infra.tracing import Trace
from workers.jobs.models import FINAL, Cause, Event, Job, KeyReused, Queue, QueueFull, Submitted, queue_of
from workers.jobs.store import Depth
from workers.jobs.work import Work, compute, identify, result, split
from workers.webhooks.callback import Callback


@dataclass
class Kept:
    """What is kept of one job."""

    job: Job
    work: Work
    trace: Trace | None = None
    callers: list[str] = field(default_factory=list)
    callbacks: list[Callback] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    result: bytes | None = None


class MemoryJobs:
    """Jobs in memory. `prompt` does work as soon as it is handed in; `away` and `full` refuse it."""

    def __init__(self, *, prompt: bool = False, path_budget: int = 200_000) -> None:
        self.prompt, self.path_budget = prompt, path_budget
        self.away = False
        self.full: float | None = None
        self.kept: dict[str, Kept] = {}
        self.keys: dict[tuple[str, str], str] = {}
        self.asked = 0

    def submit(
        self,
        work: Work,
        *,
        caller: str,
        keyed: bool = False,
        estimate_ms: float,
        callback: Callback | None = None,
        key: str | None = None,
        trace: Trace | None = None,
    ) -> Submitted:
        self._reach()
        id_ = identify(work, caller)
        if key is not None and self.keys.get((caller, key), id_) != id_:
            raise KeyReused
        found = self.kept.get(id_)
        fresh = found is None or found.job.state in {"failed", "dismissed"}
        if fresh:
            if self.full is not None:
                raise QueueFull(self.full)
            now = time.time()
            job = Job(
                id_,
                work.kind,
                work.game,
                work.question,
                "accepted",
                0,
                work.total,
                estimate_ms,
                now,
                now + 86_400,
                owner=caller if keyed else "",
            )
            self.kept[id_] = found = Kept(job, work, trace)
            self._tell(found)
        assert found is not None
        if key is not None:
            self.keys[caller, key] = id_
        found.callers.append(caller)
        if callback is not None:
            found.callbacks.append(callback)
        if self.prompt and fresh:
            self.do(id_)
        return Submitted(found.job, fresh=fresh)

    def job(self, id_: str) -> Job | None:
        self._reach()
        return self.kept[id_].job if id_ in self.kept else None

    def result(self, id_: str) -> bytes | None:
        self._reach()
        return self.kept[id_].result if id_ in self.kept else None

    def dismiss(self, id_: str) -> Job | None:
        self._reach()
        if id_ in self.kept and self.kept[id_].job.state not in FINAL:
            self.change(id_, state="dismissed", finished=time.time())
        return self.job(id_)

    def list_jobs(self, caller: str, after: str | None, most: int) -> tuple[tuple[Job, ...], str | None]:
        self._reach()
        mine = [kept.job for kept in reversed(self.kept.values()) if caller in kept.callers]
        start = int(after) if after and after.isdecimal() else 0
        return tuple(mine[start : start + most]), str(start + most) if start + most < len(mine) else None

    def events(self, id_: str, after: str | None) -> tuple[Event, ...]:
        self._reach()
        events = self.kept[id_].events if id_ in self.kept else []
        ids = [event.id for event in events]
        return tuple(events[ids.index(after) + 1 :] if after in ids else events)

    def depths(self) -> dict[Queue, Depth]:
        self._reach()
        open_ = [kept.job for kept in self.kept.values() if kept.job.state not in FINAL]
        queues: tuple[Queue, ...] = get_args(Queue)
        return {
            queue: Depth(0, sum(queue_of(job.kind, job.estimate_ms, 1) == queue for job in open_), 1.5)
            for queue in queues
        }

    def counters(self) -> dict[str, int]:
        self._reach()
        ended = len([kept for kept in self.kept.values() if kept.job.state == "successful"])
        took = {"took:0.5": 1, "took:60.0": 1, "took:more": 1, "took_ms": 4_500}
        return {"job:successful": ended, "cause:too-long": 2, "chunks": 3, "lost": 1, "webhook:delivered": 7, **took}

    # What a worker does

    def do(self, id_: str) -> None:
        """Do the work of a job from beginning to end."""
        kept = self.kept[id_]
        self.change(id_, state="running", started=time.time())
        try:
            done = [
                compute(kept.work, games, self.path_budget, lambda _: None)
                for games in split(kept.work, kept.job.estimate_ms)
            ]
            kept.result = result(kept.work, done)
        except Faults as faults:
            self.fail(id_, Cause("invalid", "It turned out impossible.", faults.faults))
        except PathBudgetExceeded as exceeded:
            self.fail(id_, Cause("too-many-paths", f"The law has more than {exceeded.budget} paths."))
        else:
            self.change(id_, state="successful", done=kept.job.total, finished=time.time())

    def fail(self, id_: str, cause: Cause) -> None:
        """Let a job fail."""
        self.change(id_, state="failed", finished=time.time(), cause=cause)

    def change(self, id_: str, **fields: Any) -> None:
        """Let something happen to a job."""
        kept = self.kept[id_]
        kept.job = msgspec.structs.replace(kept.job, **fields)
        self._tell(kept)

    def _tell(self, kept: Kept) -> None:
        kept.events.append(Event(f"{len(kept.events) + 1}-0", kept.job))

    def _reach(self) -> None:
        self.asked += 1
        if self.away:
            raise StoreUnavailable("nobody answers")
