"""Tables to ask rules at, and scenes to ask them about."""

from collections.abc import Mapping, Sequence
from typing import Any

from arbiter.dice_sources import HandedDice
from arbiter.table import Chooser, OneTable
from services._template.arbiter import ARBITER
from services._template.ground import Hex, Rock
from services._template.scene import Fighter, Scene

BOARD = {"radius_hexes": 8}


def table(
    hand: Mapping[str, Sequence[int]] | None = None,
    choices: Mapping[str, Sequence[Any]] | None = None,
    policies: Mapping[str, str] | None = None,
    readings: Mapping[str, str] | None = None,
) -> OneTable:
    """Seat somebody who hands these dice and makes these choices."""
    named = {who: (name, ARBITER.policies[name]) for who, name in (policies or {}).items()}
    return OneTable(HandedDice(hand or {}), Chooser(choices or {}, named), ARBITER.readings.complete(readings or {}))


def fighter(id_: str, profile: str, hex_: Hex, **more: Any) -> Fighter:
    """A red fighter, unless said otherwise."""
    return Fighter(**{"id": id_, "side": "red", "profile": profile, "hex": hex_, **more})


def rock(hex_: Hex) -> Rock:
    """A rock in a hex."""
    return hex_


def scene(*fighters: Fighter, rocks: Sequence[Rock] = ()) -> Scene:
    return Scene(fighters, rocks=tuple(rocks), **BOARD)
