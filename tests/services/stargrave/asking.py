"""Ways to ask the arbiter of the game, tables to walk single rules at, and pieces of scenes."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

import msgspec
import pytest

from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.fault import Faults
from arbiter.game import Arbiter
from arbiter.odds.exact import law
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.table import Chooser, OneTable, first
from services.stargrave.arbiter import ARBITER
from services.stargrave.battlefield import Battlefield, prepare
from services.stargrave.scene import Scene

R = TypeVar("R")

FIRST = {"*": ("first", first)}


def arbiter() -> Arbiter:
    return ARBITER


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    """Ask for a ruling, with dice from a fixed seed unless some are handed."""
    wanted = ARBITER.question(question)
    posted = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return ARBITER.ask(question, posted, seed="test", posted=lambda: case["scene"])


def faults(question: str, case: dict[str, Any]) -> list[tuple[str, str]]:
    """Give the pointers and codes of what is impossible about a case."""
    with pytest.raises(Faults) as caught:
        ask(question, case)
    return [(fault.pointer, fault.code) for fault in caught.value.faults]


def odds(question: str, case: dict[str, Any], budget: int = 20_000, **rest: Any) -> Odds[Any]:
    wanted = ARBITER.question(question)
    posted = msgspec.convert({"case": case, **rest}, AskOdds[wanted.case])
    return ARBITER.odds(question, posted, budget)


def marginal(result: Odds[Any], field: str) -> dict[Any, Fraction]:
    """Give the exact chances of one field of the answer."""
    (values,) = [one.values for one in result.marginals if one.field == field]
    return {chance.answer: Fraction(chance.mass) for chance in values}


def readings(**options: str) -> dict[str, str]:
    """Give every reading's default, with some changed; underscores stand for hyphens."""
    return {**ARBITER.readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(seed: str = "test", **options: str) -> OneTable:
    """Give a table with dice from a seed, where everybody picks the first option."""
    return OneTable(SeededDice(seed), Chooser({}, FIRST), readings(**options))


def handed(hand: Mapping[str, Sequence[int]] | None = None, **options: str) -> OneTable:
    """Give a table with these dice and no others, where everybody picks the first option."""
    return OneTable(HandedDice(hand or {}), Chooser({}, FIRST), readings(**options))


def walked(rule: Callable[..., R], *args: Any, **options: str) -> dict[R, Fraction]:
    """Give the law of a rule, walked path by path."""
    return law(rule, *args, policies=FIRST, readings=readings(**options))


def field_of(posted: Mapping[str, Any]) -> Battlefield:
    return prepare(msgspec.convert(posted, Scene))


def figure(
    id_: str, at: Sequence[float] | None, crew: str | None = "red", profile: str = "recruit", **rest: Any
) -> Any:
    return {"id": id_, "profile": profile, "crew": crew, "at": at, **({} if crew else {"role": "creature"}), **rest}


def box(id_: str, x: float, y: float, to_x: float, to_y: float, **rest: Any) -> dict[str, Any]:
    return {"id": id_, "outline": [[x, y], [to_x, y], [to_x, to_y], [x, to_y]], **rest}
