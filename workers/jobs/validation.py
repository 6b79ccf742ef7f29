"""What comes back from the store and is to be acted on: read anew and held to its job's id, or refused.

A store can be shared, restored from an old copy, or reached by somebody it was not meant for. So nothing is done
because it lies there: work has to be whole, of our type, not longer than the gateway takes, and the very work that its
job's id is the digest of. That way nobody makes a worker do other work under a known id, or gives a client the result
of another question.
"""

import re
from collections.abc import Sequence

import msgspec

from arbiter.fault import Faults, UnknownName
from workers.jobs.models import Cause, CorruptRecord
from workers.jobs.records import Handed, unpack
from workers.jobs.work import Work, identify, pieces

_PIECE = re.compile(r"([0-9]{1,9})-([0-9]{1,9})")


class TamperedJob(Exception):
    """What lies in the store is not what was put there; nothing of it was done. `cause` is what the client is told."""

    def __init__(self, why: str) -> None:
        self.cause = Cause("altered", f"What was kept of the job is not what was handed in: {why}. It was not done.")
        super().__init__(why)


def work_of(job_id: str, kept: bytes | None) -> Work:
    """Read the work of a job; raises `TamperedJob` for anything but the work that was handed in under this id."""
    if kept is None:
        raise TamperedJob("the work is gone")
    try:
        handed = msgspec.json.decode(unpack(kept), type=Handed)
        found = identify(handed.work, handed.caller)
    except CorruptRecord as damaged:
        raise TamperedJob(str(damaged)) from damaged
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as wrong:
        raise TamperedJob("the work cannot be read") from wrong
    except (Faults, UnknownName, ValueError) as wrong:
        raise TamperedJob("there is no such work") from wrong
    if found != job_id:
        raise TamperedJob("the work is another, or that of another version of the service")
    return handed.work


def games_of(work: Work, piece: str) -> range:
    """Read which games a piece is; raises `TamperedJob` for what is no piece of the work."""
    (whole,) = pieces(work, 0.0)
    said = _PIECE.fullmatch(piece)
    if said is None or not 0 <= int(said[1]) < int(said[2]) <= whole.stop:
        raise TamperedJob("it has no such piece")
    return range(int(said[1]), int(said[2]))


def parts_of(kept: Sequence[bytes]) -> tuple[bytes, ...]:
    """Read what the pieces of a job gave; raises `TamperedJob` for what was damaged since."""
    try:
        return tuple(map(unpack, kept))
    except CorruptRecord as damaged:
        raise TamperedJob(f"of a piece, {damaged}") from damaged
