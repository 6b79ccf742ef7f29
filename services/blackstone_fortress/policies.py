"""Policies: named, deterministic ways of making the players' choices, for battles and for odds.

A policy sees the choice (who decides, what about, the options in the book's order) and the battlefield it is made on.
Labels end in what is decided, after the unit's id: `janus: action`, `guard-1: target`.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from arbiter.candidates import Candidates
from arbiter.table import Choice, Policy, first
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.scene import Explorer, Hex, Hostile

FAR = 10_000
"""Further than any route, for hexes to which none leads."""


def bold(choice: Choice) -> Any:
    """Explorers fight: attack whoever they can, the weakest first, else close in; with nobody left, they leave."""
    if isinstance(choice.about, Battlefield) and not choice.about.hostiles:
        return escaping(choice)
    return _picked(choice, _bold_action, lambda field: [hostile.hex for hostile in field.hostiles if hostile.hex])


def escaping(choice: Choice) -> Any:
    """Explorers leave: summon the escape chamber as soon as they can, go to it, and fight with what dice are left."""
    return _picked(choice, _escaping_action, _way_out)


def _picked(
    choice: Choice,
    act: Callable[[Battlefield, Explorer, Sequence[str]], str],
    goals: Callable[[Battlefield], Iterable[Hex]],
) -> Any:
    """Pick an explorer's action, the destination nearest to its goals, or the weakest target; of all else the first."""
    unit_id, _, subject = choice.label.rpartition(": ")
    field = choice.about
    if isinstance(field, Battlefield) and isinstance(unit := field.units.get(unit_id), Explorer):
        if subject == "action":
            return act(field, unit, choice.options)
        if subject == "destination":
            return _nearest(field, choice.options, goals(field))
        if subject == "target":
            return _weakest(field, choice.options)
    return first(choice)


def focused(choice: Choice) -> Any:
    """Hostiles gang up: where they may choose a target, they take the explorer who can bear least."""
    field = choice.about
    if isinstance(field, Battlefield) and all(isinstance(id_, str) and id_ in field.units for id_ in choice.options):
        return _weakest(field, choice.options)
    return first(choice)


POLICIES: Mapping[str, Policy] = {"bold": bold, "escaping": escaping, "focused": focused}


def _remaining(field: Battlefield, id_: str) -> int:
    """Give what a unit can still bear: damage for a hostile, below zero for one slain, or spaces for an explorer."""
    unit = field.units[id_]
    if isinstance(unit, Hostile):
        return field.card(unit).wounds - unit.wounds - 3 * unit.grievous
    return field.book.explorers[unit.profile].spaces - unit.wounds - unit.grievous


def _weakest(field: Battlefield, ids: Iterable[Any]) -> Any:
    return min(ids, key=lambda id_: _remaining(field, id_))


def _nearest(field: Battlefield, options: Iterable[Any], goals: Iterable[Hex]) -> Any:
    routes = field.ground.routes(tuple(goals))
    return min(options, key=lambda hex_: routes.get(hex_, FAR))


def _way_out(field: Battlefield) -> tuple[Hex, ...]:
    """Give where an explorer has to go to leave: into the escape chamber, or beside a portal."""
    board = field.scene.board
    if board.escape_chamber is not None:
        return board.escape_chamber.hexes or tuple(
            hex_ for portal in board.portals if portal.id == board.escape_chamber.portal for hex_ in portal.beside
        )
    return tuple(hex_ for portal in board.portals for hex_ in portal.beside)


def _weapon(options: Sequence[str]) -> str | None:
    every = options.every() if isinstance(options, Candidates) else options
    return next((option for option in every if option not in _BASIC and option in options), None)


_BASIC = frozenset({"move", "recuperate", "search", "summon", "end"})


def _preferred(options: Sequence[str], *wanted: Callable[[], str | None] | str) -> str:
    for want in wanted:
        option = want if isinstance(want, str) else want()
        if option is not None and option in options:
            return option
    first_option: str = options[0]
    return first_option


def _bold_action(field: Battlefield, unit: Explorer, options: Sequence[str]) -> str:
    if unit.wounds >= 2 and "recuperate" in options:
        return "recuperate"
    weapon = _weapon(options)
    if weapon:
        return weapon
    beside = any(unit.hex and other.hex and field.ground.adjacent(unit.hex, other.hex) for other in field.hostiles)
    return _preferred(options, *(() if beside else ("move",)), "summon", "end")


def _escaping_action(field: Battlefield, unit: Explorer, options: Sequence[str]) -> str:
    there = unit.hex in _way_out(field)
    wanted = ["summon", *([] if there else ["move"])]
    return _preferred(options, *wanted, partial(_weapon, options), "recuperate" if unit.wounds else "end", "end")
