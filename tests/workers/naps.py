"""A game whose one question takes as long as it is told, or does harm to its worker, and then rolls a die."""

import os
import signal
import time
from collections.abc import Callable
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from arbiter.dice import D6
from arbiter.fault import Fault, Faults
from arbiter.game import Arbiter
from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from workers.jobs.work import Work

BUSY_S = 20.0
"""Seconds of a core that nobody has estimated."""

Mischief = Literal["none", "kill", "exit", "raise", "impossible", "memory", "once", "busy"]


class NapCase(Value, frozen=True):
    """How long the nap is, what else happens, and a number that makes it another case."""

    seconds: Annotated[float, Meta(ge=0, le=100)] = 0.0
    mischief: Mischief = "none"
    number: int = 0
    lies: str = ""


class NapAnswer(Value, frozen=True):
    """What was dreamt of."""

    dream: int


sleep: Callable[[float], None] = time.sleep


def nap(table: Table, case: NapCase) -> Decided[NapAnswer]:
    sleep(case.seconds)
    match case.mischief:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "busy":
            # A time of a core, and not of the clock: the other naps take none.
            until = time.process_time() + BUSY_S
            while time.process_time() < until:
                pass
        case "exit":
            os._exit(3)
        case "raise":
            raise ZeroDivisionError
        case "impossible":
            raise Faults([Fault("/case/seconds", "too-short", "nobody sleeps so short")])
        case "memory":
            raise MemoryError
        case "once" if not os.path.exists(case.lies):
            # The first who comes by leaves a mark and is lost.
            os.close(os.open(case.lies, os.O_CREAT))
            os.kill(os.getpid(), signal.SIGKILL)
    return Decided(NapAnswer(table.roll(D6, "dream")))


NAPS = Arbiter(
    package="services._template",
    name="naps",
    title="Naps",
    edition="invented-1",
    gist="Who sleeps, dreams.",
    questions=[
        Question(
            "nap",
            NapCase,
            lambda case: case,
            nap,
            dice=True,
            gist="What is dreamt of?",
            # Laws are not walked for what is heavy.
            cost=lambda case: 1_000 * case.seconds + 0.1,
        )
    ],
)


def naps(count: int, seconds: float = 0.0, mischief: Mischief = "none", number: int = 0, lies: str = "") -> Work:
    """Give a simulation of so many naps."""
    case = NapCase(seconds, mischief, number, lies)
    body = msgspec.json.encode({"case": case, "count": count, "seed": number})
    return Work("simulation", "naps", "nap", body.decode())


def ruling(number: int = 0, seconds: float = 0.0, mischief: Mischief = "none") -> Work:
    """Give a single nap."""
    body = msgspec.json.encode({"case": NapCase(seconds, mischief, number)})
    return Work("ruling", "naps", "nap", body.decode(), seed="s")
