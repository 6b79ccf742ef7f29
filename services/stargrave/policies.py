"""Policies: named, deterministic ways of making the players' choices, for battles and for odds.

A policy sees the choice (who decides, what about, the options in the book's order) and the battlefield it is made on.
Labels begin with the figure's id and end in what is decided: `kel: action`, `kel: towards`.
"""

from collections.abc import Mapping
from typing import Any

from arbiter.candidates import least
from arbiter.geometry.plane.measure import between
from arbiter.table import Choice, Policy, first
from services.stargrave.battlefield import Battlefield


def charging(choice: Choice) -> Any:
    """Close in and fight: shoot only at enemies out of reach, and always at the weakest."""
    return _play(choice, ("fight", "move", "shoot", "second-move", "clear-jam"))


def shooting(choice: Choice) -> Any:
    """Shoot whenever there is a target, the weakest first; else come nearer."""
    return _play(choice, ("fight", "shoot", "clear-jam", "move", "second-move"))


POLICIES: Mapping[str, Policy] = {"charging": charging, "shooting": shooting}


def _play(choice: Choice, order: tuple[str, ...]) -> Any:
    if not isinstance(choice.about, Battlefield):
        return first(choice)
    field: Battlefield = choice.about
    id_, _, decided = choice.label.partition(": ")
    match decided:
        case "action":
            preferred = next((action for action in order if action in choice.options), None)
            return choice.options[-1] if preferred is None else preferred
        case "towards":
            here = field.solid(field.figure(id_))
            return min(choice.options, key=lambda other: between(here, field.solid(field.figure(other))))
        case "opponent" | "target":
            return least(choice.options, lambda option: field.health(field.figure(option.split(" with ")[0])))
        case _:
            return first(choice)
