"""Small scenes for tests of attacks, and ways to ask about them and to walk single rules."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, TypeVar

import msgspec

from arbiter.dice_sources import SeededDice
from arbiter.game import Arbiter
from arbiter.odds.exact import law
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.table import Chooser, OneTable, Policy, first
from services.blackstone_fortress.battlefield import Battlefield, prepare
from services.blackstone_fortress.questions import attacks, sight
from services.blackstone_fortress.scene import Scene

R = TypeVar("R")

FIRST = {"*": ("first", first)}


@cache
def arbiter() -> Arbiter:
    """Give an arbiter that is asked about sight and attacks alone."""
    return Arbiter(
        package="services.blackstone_fortress",
        name="blackstone-fortress",
        title="Blackstone Fortress",
        edition="test",
        gist="Sight and attacks.",
        questions=(*sight.QUESTIONS, *attacks.QUESTIONS),
    )


def block(wide: int = 8, high: int = 5) -> list[list[int]]:
    """Give the axial hexes of a parallelogram."""
    return [[q, r] for r in range(high) for q in range(wide)]


def scene(
    explorers: list[dict[str, Any]], hostiles: list[dict[str, Any]], board: dict[str, Any] | None = None, **rest: Any
) -> dict[str, Any]:
    """Give a scene as it is posted."""
    return {"board": {"hexes": block(), **(board or {})}, "explorers": explorers, "hostiles": hostiles, **rest}


def guard(id_: str, hex_: list[int] | None, **rest: Any) -> dict[str, Any]:
    """Give a Traitor Guardsman with a lasgun."""
    return {"id": id_, "group": "guards", "profile": "traitor-guardsman", "hex": hex_, "weapon": "lasgun", **rest}


def janus(hex_: list[int] | None, **rest: Any) -> dict[str, Any]:
    """Give Janus Draik."""
    return {"id": "janus", "profile": "janus-draik", "hex": hex_, **rest}


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    """Ask for a ruling, with dice from a fixed seed unless some are handed."""
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return arbiter().ask(question, posted, seed="test", posted=lambda: case["scene"])


def odds(question: str, case: dict[str, Any], **rest: Any) -> Odds[Any]:
    """Ask for the odds."""
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, AskOdds[wanted.case])
    return arbiter().odds(question, posted, 200_000)


def marginal(odds: Odds[Any], field: str) -> dict[Any, Fraction]:
    """Give the exact chances of one field of the answer."""
    (values,) = [one.values for one in odds.marginals if one.field == field]
    return {chance.answer: Fraction(chance.mass) for chance in values}


def field_of(posted: dict[str, Any]) -> Battlefield:
    """Give the battlefield of a posted scene."""
    return prepare(msgspec.convert(posted, Scene))


def readings(**options: str) -> dict[str, str]:
    """Give every reading's default, with some changed; underscores stand for hyphens."""
    return {**arbiter().readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(seed: str = "test", *, policy: Policy = first, **options: str) -> OneTable:
    """Give a table with dice from a seed where everyone picks by one policy, by default the first option."""
    return OneTable(SeededDice(seed), Chooser({}, {"*": ("test", policy)}), readings(**options))


def walked(rule: Callable[..., R], *args: Any, **options: str) -> dict[R, Fraction]:
    """Give the law of a rule, walked path by path."""
    return law(rule, *args, policies=FIRST, readings=readings(**options))
