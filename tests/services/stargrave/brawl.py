"""An arbiter that is asked about fights, turns and deeds alone, small scenes for it, and ways to walk single rules."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

import msgspec
import pytest

from arbiter.arbiter import Arbiter
from arbiter.fault import Faults
from arbiter.law import law
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.table import Chooser, OneTable, first
from arbiter.throwing import HandedDice
from services.stargrave.battlefield import Battlefield, prepare
from services.stargrave.model import Scene
from services.stargrave.questions import combat, deeds, turn

R = TypeVar("R")

FIRST = {"*": ("first", first)}


@cache
def arbiter() -> Arbiter:
    return Arbiter(
        package="services.stargrave",
        name="stargrave",
        title="Stargrave",
        edition="test",
        gist="Fights, turns and deeds.",
        questions=(*combat.QUESTIONS, *turn.QUESTIONS, *deeds.QUESTIONS),
    )


def fighter(
    id_: str, at: Sequence[float] | None, crew: str | None = "red", profile: str = "sentry", **rest: Any
) -> Any:
    return {"id": id_, "profile": profile, "crew": crew, "at": at, **({} if crew else {"role": "creature"}), **rest}


def duel(**rest: Any) -> dict[str, Any]:
    """Give Kel (Fight +3, hand weapon) and Rob (Fight +2, knife) in contact, both with Armour 11 and 14 Health."""
    return scene(fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue", "trooper"), **rest)


def scene(*figures: Any, **rest: Any) -> dict[str, Any]:
    return {"board": {"width_in": 24, "depth_in": 24}, "figures": list(figures), **rest}


def walls(*pieces: dict[str, Any]) -> dict[str, Any]:
    return {"width_in": 24, "depth_in": 24, "pieces": list(pieces)}


def box(id_: str, x: float, y: float, to_x: float, to_y: float, **rest: Any) -> dict[str, Any]:
    return {"id": id_, "outline": [[x, y], [to_x, y], [to_x, to_y], [x, to_y]], **rest}


def field_of(posted: Mapping[str, Any]) -> Battlefield:
    return prepare(msgspec.convert(posted, Scene))


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    """Ask for a ruling, with dice from a fixed seed unless some are handed."""
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return arbiter().ask(question, posted, seed="test", posted=lambda: case["scene"])


def faults(question: str, case: dict[str, Any]) -> list[tuple[str, str]]:
    """Give the pointers and codes of what is impossible about a case."""
    with pytest.raises(Faults) as caught:
        ask(question, case)
    return [(fault.pointer, fault.code) for fault in caught.value.faults]


def odds(question: str, case: dict[str, Any], **rest: Any) -> Odds[Any]:
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, AskOdds[wanted.case])
    return arbiter().odds(question, posted, 20_000)


def marginal(found: Odds[Any], field: str) -> dict[Any, Fraction]:
    """Give the exact chances of one field of the answer."""
    (values,) = [one.values for one in found.marginals if one.field == field]
    return {chance.answer: Fraction(chance.mass) for chance in values}


def readings(**options: str) -> dict[str, str]:
    """Give every reading's default, with some changed; underscores stand for hyphens."""
    return {**arbiter().readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(hand: Mapping[str, Sequence[int]] | None = None, **options: str) -> OneTable:
    """Give a table with handed dice, where everybody picks the first option."""
    return OneTable(HandedDice(hand or {}), Chooser({}, FIRST), readings(**options))


def walked(rule: Callable[..., R], *args: Any, **options: str) -> dict[R, Fraction]:
    """Give the law of a rule, walked path by path."""
    return law(rule, *args, policies=FIRST, readings=readings(**options))
