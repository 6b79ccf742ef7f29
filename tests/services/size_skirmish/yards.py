"""A yard for whole games with cards that are shipped, and tables at which policies play on it."""

from collections.abc import Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any

from arbiter.dice_sources import SeededDice
from arbiter.table import Chooser, Dice, OneTable, Policy, first
from services.size_skirmish.policies import POLICIES
from tests.services.size_skirmish.field import box, readings

NAMES = ("first", *POLICIES)
EVERY: Mapping[str, Policy] = {"first": first, **POLICIES}


def table_of(
    watch: Policy, wharf: Policy, dice: Dice | None = None, options: Mapping[str, str] = MappingProxyType({})
) -> OneTable:
    policies = {"watch": ("one", watch), "wharf": ("other", wharf), "npc": ("charging", POLICIES["charging"])}
    return OneTable(dice or SeededDice("battle"), Chooser({}, policies), readings(**options))


# A yard of 24 by 24 with a house, crates and a stage: an archer, an imp and an ogre against a warden, a thief and a
# giant; a market-goer that players move, a hound that bites, and a watcher on the stage.
YARD: dict[str, Any] = {
    "board": {
        "width": 24,
        "depth": 24,
        "pieces": [
            box("house", 9, 9, 13, 13, height=6),
            box("crates", 15, 4, 18, 7, height=1.5, climbable=True),
            box("stage", 6, 16, 11, 20, height=2.5, climbable=True),
        ],
    },
    "sides": [{"id": "watch"}, {"id": "wharf"}],
    "items": [{"id": "lamp", "at": [14, 15]}],
    "phase": "start",
    "models": [
        {"id": "ari", "side": "watch", "profile": "marsh-archer", "at": [4, 8], "facing": [1, 0]},
        {"id": "tik", "side": "watch", "profile": "rafter-imp", "at": [4, 14], "facing": [1, 0]},
        {"id": "oda", "side": "watch", "profile": "dray-ogre", "at": [4, 5], "facing": [1, 0]},
        {"id": "wes", "side": "wharf", "profile": "pike-warden", "at": [20, 12], "facing": [-1, 0]},
        {"id": "lil", "side": "wharf", "profile": "lamp-thief", "at": [20, 8], "facing": [-1, 0]},
        {"id": "yan", "side": "wharf", "profile": "harbour-giant", "at": [20, 20], "facing": [-1, 0]},
        {"id": "mia", "side": "npc", "profile": "market-goer", "at": [14, 19], "npc": "passive"},
        {"id": "rex", "side": "npc", "profile": "stray-hound", "at": [14, 22], "npc": "active", "actions": ["strike"]},
        {
            "id": "tom",
            "side": "npc",
            "profile": "tower-watcher",
            "at": [8, 18],
            "npc": "scenario",
            "actions": ["shoot", "block"],
            "height_above": 2.5,
        },
    ],
}


def yard(**changes: Any) -> dict[str, Any]:
    return {**deepcopy(YARD), **changes}


def with_models(scene: dict[str, Any] | None = None, **changes: dict[str, Any]) -> dict[str, Any]:
    posted = scene or yard()
    return {**posted, "models": [{**row, **changes.get(row["id"], {})} for row in posted["models"]]}
