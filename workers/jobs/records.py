"""What is kept of jobs in Redis or Valkey, and how it is read; `workers/README.md` lists the keys.

A store can be shared, restored from an old copy, or reached by somebody it was not meant for. So no work is done
because it lies there: it has to be whole, of our type, and the very work whose digest its job's id is.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import msgspec

from arbiter.fault import Faults, UnknownName
from arbiter.value import Value
from infra.codec import pack, unpack
from infra.errors import CorruptRecord
from workers.jobs.models import Cause, Job
from workers.jobs.scripts import FIELDS
from workers.jobs.work import Work, identify, split


class StoredWork(Value, frozen=True):
    """Work as it was submitted, and by whom: the two whose digest is the id of its job. The estimate cuts it."""

    work: Work
    caller: str
    estimate_ms: float = 0.0


class AlteredJob(Exception):
    """What is in the store is not what was put there; nothing of it was done. `cause` is what the client gets."""

    def __init__(self, why: str) -> None:
        self.cause = Cause("altered", f"What was kept of the job is not what was submitted: {why}. It was not done.")
        super().__init__(why)


def pack_work(work: Work, caller: str, estimate_ms: float = 0.0) -> bytes:
    """Give the record of work."""
    return pack(msgspec.json.encode(StoredWork(work, caller, estimate_ms)))


@lru_cache(maxsize=8)  # A process that does many chunks of a job decodes its work once.
def read_work(job_id: str, record: bytes | None) -> tuple[Work, dict[str, range]]:
    """Read the work of a job and its chunks by name; raises `AlteredJob` for any but that submitted under its id."""
    if record is None:
        raise AlteredJob("the work is gone")
    try:
        stored = msgspec.json.decode(unpack(record), type=StoredWork)
        id_ = identify(stored.work, stored.caller)
        chunks = split(stored.work, stored.estimate_ms)
    except CorruptRecord as damaged:
        raise AlteredJob(str(damaged)) from damaged
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise AlteredJob("the work cannot be read") from wrong
    except (Faults, UnknownName, ValueError, OverflowError) as wrong:
        raise AlteredJob("there is no such work") from wrong
    if id_ != job_id:
        raise AlteredJob("the work is another, or that of another version of the service")
    return stored.work, {str(number): games for number, games in enumerate(chunks)}


def read_parts(records: Sequence[bytes]) -> tuple[bytes, ...]:
    """Read what the chunks of a job gave; raises `AlteredJob` for what was damaged since."""
    try:
        return tuple(map(unpack, records))
    except CorruptRecord as damaged:
        raise AlteredJob(f"of a chunk, {damaged}") from damaged


def read_job(job_id: str, row: list[bytes | None]) -> Job | None:
    """Read a job from its record, as `scripts.FIELDS` lists it; None where there is no record.

    Raises `CorruptRecord` for a record that we did not write.
    """
    try:
        fields: dict[str, Any] = {
            name: value.decode() for name, value in zip(FIELDS, row, strict=True) if value is not None
        }
        if not fields:
            return None
        at = float(fields.pop("at", 0.0))
        if "cause" in fields:
            fields["cause"] = msgspec.json.decode(fields["cause"])
        return with_time_left(msgspec.convert({"id": job_id, **fields}, Job, strict=False), at)
    except (msgspec.MsgspecError, ValueError) as wrong:
        raise CorruptRecord(f"the record of job {job_id} cannot be read") from wrong


def with_time_left(job: Job, at: float) -> Job:
    """Estimate what is left of a running job from its pace so far; `at` is when `done` was counted."""
    if job.state != "running" or not job.done or job.started is None:
        return job
    left = (at - job.started) * (job.total - job.done) / job.done
    return msgspec.structs.replace(job, seconds_left=max(0.0, round(left, 3)))
