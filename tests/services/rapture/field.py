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
from services.rapture.arbiter import ARBITER
from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked
from services.rapture.scene import Scene

R = TypeVar("R")

FIRST = {"*": ("first", first)}

# Along y = 10, from west to east: ada (base 3 cm across) at x = 10; bob (4) touches her at 13.5; the ferrywoman fay (3)
# at 30 with her hands una (2.5) and vic (2.5), who touch her; a squad of three at 60, and runners far in the north.
SCENE: dict[str, Any] = {
    "sides": [{"id": "red", "edge": "west"}, {"id": "blue", "edge": "east"}],
    "units": [
        {"id": "ada", "side": "red", "profile": "lantern-bearer", "models": [[10, 10]]},
        {"id": "bob", "side": "blue", "profile": "gate-breaker", "models": [[13.5, 10]]},
        {"id": "fay", "side": "blue", "profile": "ferrywoman", "models": [[30, 10]]},
        {"id": "una", "side": "blue", "profile": "ferry-hand", "leader": "fay", "models": [[30, 12.75]]},
        {"id": "vic", "side": "blue", "profile": "ferry-hand", "leader": "fay", "models": [[30, 7.25]]},
        {"id": "gus", "side": "blue", "profile": "ditch-guard", "models": [[60, 10], [60, 14], [60, 18]]},
        {"id": "rob", "side": "red", "profile": "roof-runners", "models": [[20, 80], [24, 80], [28, 80]]},
    ],
}


def scene(**changes: Any) -> dict[str, Any]:
    """Give the table with some members of the scene changed."""
    return {**deepcopy(SCENE), **changes}


def with_unit(id_: str, **changes: Any) -> dict[str, Any]:
    """Give the table with one unit changed."""
    result = deepcopy(SCENE)
    result["units"] = [{**unit, **changes} if unit["id"] == id_ else unit for unit in result["units"]]
    return result


def box(id_: str, x: float, y: float, to_x: float, to_y: float, **rest: Any) -> dict[str, Any]:
    return {"id": id_, "outline": [[x, y], [to_x, y], [to_x, to_y], [x, to_y]], **rest}


def walled(*pieces: dict[str, Any], units: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Give the table with terrain on it, and with other units if some are given."""
    return scene(board={"pieces": list(pieces)}, **({} if units is None else {"units": units}))


def unit(id_: str, at: list[list[float]], side: str = "red", profile: str = "lantern-bearer", **rest: Any) -> Any:
    return {"id": id_, "side": side, "profile": profile, "models": at, **rest}


def field_of(posted: dict[str, Any] | None = None) -> Battlefield:
    return checked(msgspec.convert(SCENE if posted is None else posted, Scene))


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    wanted = ARBITER.question(question)
    query = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return ARBITER.ask(question, query, seed="test", posted=lambda: case["scene"])


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
