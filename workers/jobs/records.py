"""The records of jobs in Redis or Valkey, and how they are read; `workers/README.md` lists the keys.

A store can be shared, restored from an old copy, or reached by an attacker. So work from the store is not trusted: it
has to be complete, of our type, and match the digest in its job's id.
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
    """Submitted work and its caller; the digest of both is the id of its job. The estimate decides its chunks."""

    work: Work
    caller: str
    estimate_ms: float = 0.0


class AlteredJob(Exception):
    """The stored work is not the submitted work; none of it was done. `cause` is what the client gets."""

    def __init__(self, why: str) -> None:
        self.cause = Cause("altered", f"The stored work of the job is not what was submitted: {why}. It was not done.")
        super().__init__(why)


def pack_work(work: Work, caller: str, estimate_ms: float = 0.0) -> bytes:
    """Give the record of work."""
    return pack(msgspec.json.encode(StoredWork(work, caller, estimate_ms)))


@lru_cache(maxsize=8)  # A process that runs many chunks of a job decodes its work once.
def read_work(job_id: str, record: bytes | None) -> tuple[Work, dict[str, range]]:
    """Read the work of a job and its chunks by name; raises `AlteredJob` for work that does not match its id."""
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
        raise AlteredJob("the work differs, or comes from another version of the service")
    return stored.work, {str(number): games for number, games in enumerate(chunks)}


def read_parts(records: Sequence[bytes]) -> tuple[bytes, ...]:
    """Read the results of a job's chunks; raises `AlteredJob` for damaged ones."""
    try:
        return tuple(map(unpack, records))
    except CorruptRecord as damaged:
        raise AlteredJob(f"of a chunk, {damaged}") from damaged


def read_job(job_id: str, row: list[bytes | None]) -> Job | None:
    """Read a job from its record, with the fields of `scripts.FIELDS`; None if there is no record.

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
    """Estimate the remaining time of a running job from its pace so far; `at` is when `done` was counted."""
    if job.state != "running" or not job.done or job.started is None:
        return job
    left = (at - job.started) * (job.total - job.done) / job.done
    return msgspec.structs.replace(job, seconds_left=max(0.0, round(left, 3)))
