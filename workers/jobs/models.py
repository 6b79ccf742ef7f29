"""Jobs: the state of background work that clients see, and the reasons to refuse work.

The store (`workers.jobs.store`) keeps jobs, workers (`workers.runner`) run them, the gateway submits and shows them.
"""

from typing import Literal

from arbiter.fault import Fault
from arbiter.value import Value
from workers.jobs.work import Kind

State = Literal["accepted", "running", "successful", "failed", "dismissed"]

FINAL: frozenset[State] = frozenset({"successful", "failed", "dismissed"})
"""Final states of a job; the same work submitted again starts a new attempt after the last two."""

Queue = Literal["short", "simulations", "long", "callbacks"]
"""The queues of workers; all but the last are for chunks of jobs."""

SHORT_MS = 1_000.0
"""The longest time that a chunk in a queue other than `long` may delay others."""


BUCKETS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds of the histogram of chunk times."""


class Cause(Value, frozen=True):
    """Why a job failed: a short name for programs, a sentence, and the faults of an impossible body."""

    code: str
    detail: str
    errors: tuple[Fault, ...] = ()


class Job(Value, frozen=True):
    """A job in its current state: its progress, in games of all points, and its times, in seconds since 1970.

    `seconds_left` is an estimate, present only while it runs; `attempts` counts chunks that were repeated because their
    worker was lost. After `expires` the job and its result are deleted. `owner` is the only caller that may read it;
    any client that knows its id may read a job without an owner.
    """

    id: str
    kind: Kind
    game: str
    question: str
    state: State
    done: int
    total: int
    estimate_ms: float
    created: float
    expires: float
    started: float | None = None
    finished: float | None = None
    seconds_left: float | None = None
    attempts: int = 0
    cause: Cause | None = None
    owner: str = ""


class Submitted(Value, frozen=True):
    """The job of the submitted work, and whether it is new."""

    job: Job
    fresh: bool


class Event(Value, frozen=True):
    """An event of a job: its id, after which a client can continue, and the state of the job at that time."""

    id: str
    job: Job


class QueueFull(Exception):
    """There is too much work already; states the estimated time of the waiting work."""

    def __init__(self, waiting_s: float) -> None:
        self.waiting_s = waiting_s


class ShareFull(Exception):
    """A caller has too much open work: its amount, the limit, and the amount to finish before more is accepted.

    All are estimated seconds of one core.
    """

    def __init__(self, waiting_s: float, most_s: float, wait_s: float) -> None:
        self.waiting_s, self.most_s, self.wait_s = waiting_s, most_s, wait_s


class TooManyOpen(Exception):
    """A caller has the maximum of open jobs."""

    def __init__(self, most: int) -> None:
        self.most = most


class KeyReused(Exception):
    """An idempotency key was used before, for other work."""


def queue_of(kind: Kind, estimate_ms: float, chunks: int) -> Queue:
    """Give the queue for work by its estimate: no chunk with an estimate over a second delays others.

    Odds without an estimate begin as short, and a worker moves them if they turn out long.
    """
    if estimate_ms <= SHORT_MS:
        return "short"
    return "simulations" if kind == "simulation" and estimate_ms / chunks <= SHORT_MS else "long"
