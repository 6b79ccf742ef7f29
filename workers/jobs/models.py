"""Jobs: what a client sees of work that goes on by itself, and why work may not be accepted.

The store (`workers.jobs.store`) keeps jobs; workers (`workers.runner`) do them; the gateway submits and shows them.
"""

from typing import Literal

from arbiter.fault import Fault
from arbiter.value import Value
from workers.jobs.work import Kind

State = Literal["accepted", "running", "successful", "failed", "dismissed"]

FINAL: frozenset[State] = frozenset({"successful", "failed", "dismissed"})
"""States that a job does not leave by itself; the same work submitted again begins anew after the last two."""

Queue = Literal["short", "simulations", "long", "callbacks"]
"""The queues of workers; all but the last are for chunks of jobs."""

SHORT_MS = 1_000.0
"""The longest time for which others may wait behind work of a queue that is not `long`."""


BUCKETS_S = (0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
"""Upper bounds by which the times of chunks are counted."""


class Cause(Value, frozen=True):
    """Why a job failed: a short name for programs, a sentence, and the faults of a body that turned out impossible."""

    code: str
    detail: str
    errors: tuple[Fault, ...] = ()


class Job(Value, frozen=True):
    """A job as it stands: how far it is, in games of all points, and when things happened, in seconds since 1970.

    `seconds_left` is an estimate and there only while it runs; `attempts` counts chunks that had to be done again
    because their worker was lost. After `expires` the job and its result are forgotten. `owner` is the only caller who
    may see it; a job without one may be seen by whoever knows its id.
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
    """The job that stands for the work that was submitted, and whether it is new."""

    job: Job
    fresh: bool


class Event(Value, frozen=True):
    """An event of a job: its id, after which a client can go on, and the job as it was then."""

    id: str
    job: Job


class QueueFull(Exception):
    """There is too much work already; says how long the waiting work is estimated to take."""

    def __init__(self, waiting_s: float) -> None:
        self.waiting_s = waiting_s


class ShareFull(Exception):
    """A caller has too much open work: how much, the most, and how much of it has to be done before there is room.

    All are estimated seconds of one core.
    """

    def __init__(self, waiting_s: float, most_s: float, wait_s: float) -> None:
        self.waiting_s, self.most_s, self.wait_s = waiting_s, most_s, wait_s


class TooManyOpen(Exception):
    """A caller has as many open jobs as one caller may have."""

    def __init__(self, most: int) -> None:
        self.most = most


class KeyReused(Exception):
    """An idempotency key was used before, for other work."""


def queue_of(kind: Kind, estimate_ms: float, chunks: int) -> Queue:
    """Give the queue for work by its estimate: no chunk that is estimated to take over a second delays others.

    Where nobody can estimate odds they begin as short, and a worker moves them when they turn out long.
    """
    if estimate_ms <= SHORT_MS:
        return "short"
    return "simulations" if kind == "simulation" and estimate_ms / chunks <= SHORT_MS else "long"
