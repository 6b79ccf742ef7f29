"""A small table with the sample cards, and ways to ask about it and to walk single rules."""

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any, TypeVar

import msgspec

from arbiter.dice_sources import SeededDice
from arbiter.odds.exact import law
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.table import Chooser, OneTable, first
from services.warleague.arbiter import ARBITER
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.scene import Scene

R = TypeVar("R")

FIRST = {"*": ("first", first)}

# A yard of 12 by 10 hexes (odd-r). Along row 2, from west to east: ann the scrapper, two tiles on bob the marksman, a
# column, then cid the raider; dot, a watch drone of ann's side, stands beside ann in row 3. A crate and a concealed
# tile lie in row 5, a hole and difficult ground in row 8.
SCENE: dict[str, Any] = {
    "sides": [{"id": "red", "command_points": 2}, {"id": "blue", "command_points": 1}, {"id": "wild"}],
    "units": [
        {"id": "ann", "side": "red", "profile": "scrapper", "at": [2, 2], "facing": 0},
        {"id": "bob", "side": "blue", "profile": "marksman", "at": [4, 2], "facing": 3},
        {"id": "cid", "side": "wild", "profile": "raider", "at": [7, 2], "facing": 3},
        {"id": "dot", "side": "red", "profile": "watch-drone", "at": [2, 3], "facing": 0},
    ],
    "board": {"difficult": [[5, 8]], "killing": [{"at": [6, 8]}]},
    "obstacles": [{"id": "pillar", "at": [5, 2], "kind": "column"}],
    "crates": [{"at": [3, 5], "holds": "trap"}],
    "concealed": [{"at": [6, 5]}],
    "trap_deck": {"cards": ["spike-pit", "powder-keg", "snare"]},
}


def scene(**changes: Any) -> dict[str, Any]:
    """Give the table with some members of the scene changed."""
    return {**deepcopy(SCENE), **changes}


def with_unit(id_: str, **changes: Any) -> dict[str, Any]:
    """Give the table with one unit changed."""
    found = deepcopy(SCENE)
    found["units"] = [{**unit, **changes} if unit["id"] == id_ else unit for unit in found["units"]]
    return found


def unit(id_: str, at: list[int] | None, side: str = "red", profile: str = "scrapper", **rest: Any) -> dict[str, Any]:
    return {"id": id_, "side": side, "profile": profile, "at": at, **rest}


def field_of(posted: dict[str, Any] | None = None) -> Battlefield:
    return checked(msgspec.convert(SCENE if posted is None else posted, Scene))


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    wanted = ARBITER.question(question)
    posted = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return ARBITER.ask(question, posted, seed="test", posted=lambda: case["scene"])


def odds(question: str, case: dict[str, Any], budget: int = 20_000, **rest: Any) -> Odds[Any]:
    wanted = ARBITER.question(question)
    return ARBITER.odds(question, msgspec.convert({"case": case, **rest}, AskOdds[wanted.case]), budget)


def readings(**options: str) -> dict[str, str]:
    """Give every reading's default, with some changed; underscores stand for hyphens."""
    return {**ARBITER.readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(**options: str) -> OneTable:
    return OneTable(SeededDice("test"), Chooser({}, FIRST), readings(**options))


def walked(rule: Callable[..., R], *args: Any, **options: str) -> dict[R, Fraction]:
    """Give the law of a rule, walked path by path."""
    return law(rule, *args, policies=FIRST, readings=readings(**options))
