"""An arbiter that is asked about sight and shooting alone, and ways to ask it and to walk single rules."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

import msgspec

from arbiter.arbiter import Arbiter
from arbiter.law import law
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.table import Chooser, OneTable, first
from arbiter.throwing import SeededDice
from services.stargrave.battlefield import Battlefield, prepare
from services.stargrave.model import Scene
from services.stargrave.questions import shooting, sight

R = TypeVar("R")

FIRST = {"*": ("first", first)}


@cache
def arbiter() -> Arbiter:
    return Arbiter(
        package="services.stargrave",
        name="stargrave",
        title="Stargrave",
        edition="test",
        gist="Sight and shooting.",
        questions=(*sight.QUESTIONS, *shooting.QUESTIONS),
    )


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    """Ask for a ruling, with dice from a fixed seed unless some are handed."""
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return arbiter().ask(question, posted, seed="test", posted=lambda: case["scene"])


def odds(question: str, case: dict[str, Any], budget: int = 20_000, **rest: Any) -> Odds[Any]:
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, AskOdds[wanted.case])
    return arbiter().odds(question, posted, budget)


def marginal(found: Odds[Any], field: str) -> dict[Any, Fraction]:
    """Give the exact chances of one field of the answer."""
    (values,) = [one.values for one in found.marginals if one.field == field]
    return {chance.answer: Fraction(chance.mass) for chance in values}


def field_of(posted: dict[str, Any]) -> Battlefield:
    return prepare(msgspec.convert(posted, Scene))


def figure(id_: str, at: list[float] | None, crew: str | None = "red", profile: str = "recruit", **rest: Any) -> Any:
    return {"id": id_, "profile": profile, "crew": crew, "at": at, **({} if crew else {"role": "creature"}), **rest}


def box(id_: str, x: float, y: float, to_x: float, to_y: float, **rest: Any) -> dict[str, Any]:
    return {"id": id_, "outline": [[x, y], [to_x, y], [to_x, to_y], [x, to_y]], **rest}


def readings(**options: str) -> dict[str, str]:
    """Give every reading's default, with some changed; underscores stand for hyphens."""
    return {**arbiter().readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(**options: str) -> OneTable:
    return OneTable(SeededDice("test"), Chooser({}, FIRST), readings(**options))


def walked(rule: Callable[..., R], *args: Any, **options: str) -> dict[R, Fraction]:
    """Give the law of a rule, walked path by path."""
    return law(rule, *args, policies=FIRST, readings=readings(**options))
