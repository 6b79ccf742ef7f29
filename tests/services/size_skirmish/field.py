"""A small table with cards of its own, and ways to ask about it and to walk single rules."""

from collections.abc import Callable
from copy import deepcopy
from fractions import Fraction
from typing import Any, TypeVar

import msgspec

from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.odds.exact import law
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.table import Chooser, OneTable, first
from services.size_skirmish.arbiter import ARBITER
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import checked
from services.size_skirmish.scene import Scene

R = TypeVar("R")

FIRST = {"*": ("first", first)}

CARDS: dict[str, Any] = {
    "sizes": [
        {"id": "XS", "base": 0.5, "height": 0.5},
        {"id": "M", "base": 1, "height": 2},
        {"id": "L", "base": 2, "height": 4},
    ],
    "weapons": [
        {"id": "blade", "kind": "melee", "attack_dice": 3, "reach": 1.5},
        {"id": "club", "kind": "melee", "attack_dice": 4, "reach": 2.5},
        {
            "id": "bow",
            "kind": "ranged",
            "attack_dice": 2,
            "reload": "fast",
            "bands": [{"up_to": 6, "modifier": 1}, {"up_to": 12}, {"up_to": 24, "modifier": -1}],
        },
        {"id": "arbalest", "kind": "ranged", "attack_dice": 3, "reload": "slow", "bands": [{"up_to": 20}]},
    ],
    "abilities": [{"id": "deft", "rerolls": ["hit"]}, {"id": "brave", "rerolls": ["morale"]}],
    "models": [
        {
            "id": "guard",
            "name": "Guard",
            "size": "M",
            "movement": 5,
            "hit_points": 3,
            "armour": 2,
            "morale": 3,
            "weapons": ["blade", "bow"],
            "abilities": ["deft"],
        },
        {
            "id": "sapper",
            "name": "Sapper",
            "size": "M",
            "movement": 4,
            "hit_points": 2,
            "armour": 1,
            "morale": 2,
            "weapons": ["arbalest", "blade"],
            "abilities": ["brave"],
        },
        {
            "id": "ogre",
            "name": "Ogre",
            "size": "L",
            "movement": 6,
            "hit_points": 6,
            "armour": 3,
            "morale": 2,
            "weapons": ["club"],
        },
        {"id": "goat", "size": "XS", "movement": 6, "hit_points": 1, "morale": 1},
    ],
}

# Ada at (10, 10) and bob at (20, 10) face each other; an ogre and a sapper stand north of them, and a goat, an NPC that
# is moved by players, far in the north-east.
SCENE: dict[str, Any] = {
    "sides": [{"id": "red"}, {"id": "blue"}],
    "board": {"width": 48, "depth": 48, "pieces": []},
    "models": [
        {"id": "ada", "side": "red", "profile": "guard", "at": [10, 10], "facing": [1, 0]},
        {"id": "bob", "side": "blue", "profile": "guard", "at": [20, 10], "facing": [-1, 0]},
        {"id": "ole", "side": "blue", "profile": "ogre", "at": [10, 20], "facing": [0, -1]},
        {"id": "sam", "side": "red", "profile": "sapper", "at": [20, 20], "facing": [0, -1]},
        {"id": "nan", "side": "npc", "profile": "goat", "at": [40, 40], "npc": "passive"},
    ],
    "profiles": CARDS,
}


def scene(**changes: Any) -> dict[str, Any]:
    """Return the table with some members of the scene changed."""
    return {**deepcopy(SCENE), **changes}


def with_model(id_: str, **changes: Any) -> dict[str, Any]:
    """Return the table with one model changed."""
    return with_models(**{id_: changes})


def with_models(**changes: dict[str, Any]) -> dict[str, Any]:
    """Return the table with some models changed, by their ids."""
    found = deepcopy(SCENE)
    found["models"] = [{**model, **changes.get(model["id"], {})} for model in found["models"]]
    return found


def box(id_: str, x: float, y: float, to_x: float, to_y: float, **rest: Any) -> dict[str, Any]:
    return {"id": id_, "outline": [[x, y], [to_x, y], [to_x, to_y], [x, to_y]], **rest}


def walled(*pieces: dict[str, Any], posted: dict[str, Any] | None = None) -> dict[str, Any]:
    """Return the table, or another one, with terrain on it."""
    return {**deepcopy(posted or SCENE), "board": {"width": 48, "depth": 48, "pieces": list(pieces)}}


def carded(**rows: Any) -> dict[str, Any]:
    """Return the table with one more row among its cards, by the list it goes to."""
    return scene(profiles={**CARDS, **{name: [*CARDS.get(name, []), row] for name, row in rows.items()}})


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
    """Return every reading's default, with some changed; underscores stand for hyphens."""
    return {**ARBITER.readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(hand: dict[str, list[int]] | None = None, **options: str) -> OneTable:
    """Seat players who choose what comes first, with dice that are handed or else drawn from a seed."""
    dice = SeededDice("test") if hand is None else HandedDice(hand)
    return OneTable(dice, Chooser({}, FIRST), readings(**options))


def walked(rule: Callable[..., R], *args: Any, **options: str) -> dict[R, Fraction]:
    """Return the law of a rule, walked path by path."""
    return law(rule, *args, policies=FIRST, readings=readings(**options))
