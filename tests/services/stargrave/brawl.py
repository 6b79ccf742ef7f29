"""Small scenes for tests of fights, turns and actions."""

from collections.abc import Sequence
from typing import Any

from tests.services.stargrave.asking import box as box
from tests.services.stargrave.asking import field_of as field_of
from tests.services.stargrave.asking import figure
from tests.services.stargrave.asking import handed as table

__all__ = ["box", "duel", "field_of", "fighter", "scene", "table", "walls"]


def fighter(
    id_: str, at: Sequence[float] | None, crew: str | None = "red", profile: str = "sentry", **rest: Any
) -> Any:
    return figure(id_, at, crew, profile, **rest)


def duel(**rest: Any) -> dict[str, Any]:
    """Give Kel (Fight +3, hand weapon) and Rob (Fight +2, knife) in contact, both with Armour 11 and 14 Health."""
    return scene(fighter("kel", [10, 10]), fighter("rob", [11, 10], "blue", "trooper"), **rest)


def scene(*figures: Any, **rest: Any) -> dict[str, Any]:
    return {"board": {"width_in": 24, "depth_in": 24}, "figures": list(figures), **rest}


def walls(*pieces: dict[str, Any]) -> dict[str, Any]:
    return {"width_in": 24, "depth_in": 24, "pieces": list(pieces)}
