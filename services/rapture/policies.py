"""Policies: named, deterministic ways of making the players' choices, for battles and for odds.

A policy sees the choice (player, label, options in the book's order) and the battlefield. Labels begin with the unit
or side that acts and end with the decision: `ada: action`, `ned: before the hit roll`.
"""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from arbiter.candidates import Candidates, least
from arbiter.geometry.plane.shapes import Figure
from arbiter.skirmish.plane import point
from arbiter.table import Choice, Policy, first
from services.rapture.battlefield import Battlefield
from services.rapture.ground import gap, in_touch
from services.rapture.rules import answers, boxes
from services.rapture.scene import spot_of

ABILITIES = "abilities"

REACTIONS = ("countershot", "dodge", "counterblow", "seek-shelter")
"""The reactions in the order in which they are preferred; a retreat, which crosses out MP, is none of them."""

STANDING = ("countershot", "dodge", "counterblow")

CHARGE = ("get-up", "extinguish-fire", "close-combat", "movement", "ranged", ABILITIES)
SHOOT = ("get-up", "extinguish-fire", "ranged", "close-combat", "movement", ABILITIES)


def charge(choice: Choice) -> Any:
    """Move into contact and attack the weakest target in reach; react, but never seek shelter."""
    return _play(choice, CHARGE, STANDING)


def shoot(choice: Choice) -> Any:
    """Shoot at the weakest target in sight, rescue friends, hold objectives and come nearer; take every reaction."""
    return _play(choice, SHOOT, REACTIONS)


POLICIES: Mapping[str, Policy] = {"reacting": answers.first_reaction, "charging": charge, "shooting": shoot}


def _react(choice: Choice, reactions: Sequence[str]) -> Any:
    useful = tuple(answers.useful_reactions(choice))
    return next((reaction for reaction in reactions if reaction in useful), first(choice))


def _play(choice: Choice, order: Sequence[str], reactions: Sequence[str]) -> Any:
    if not isinstance(choice.about, Battlefield):
        return _react(choice, reactions)
    field: Battlefield = choice.about
    id_, _, decided = choice.label.partition(": ")
    match decided:
        case "activation":
            return least(choice.options, lambda unit: _nearest(field, unit))
        case "action":
            return _action(choice, order)
        case "towards":
            return _goal(field, id_, choice.options, saving=order is SHOOT)
        case "target" | "engage":
            return _weakest(field, choice)
        case _:
            return _react(choice, reactions)


def _action(choice: Choice, order: Sequence[str]) -> Any:
    """Choose the first available action of an order, of abilities those that cost no boxes; else the end."""
    every = tuple(choice.options.every() if isinstance(choice.options, Candidates) else choice.options)
    free = every[: every.index("end")] if "end" in every else every

    def rank(action: str) -> int:
        kind = ABILITIES if action.startswith("ability ") else action
        if action in free and kind in order:
            return order.index(kind)
        return len(order) + (0 if action == "end" else 1 if kind == ABILITIES else 2)

    return least(choice.options, rank)


def _weakest(field: Battlefield, choice: Choice) -> Any:
    """Choose the unit with the least HP left, and take a free attack."""
    return least(choice.options, lambda option: boxes.left(field, option, "hp") if option in field.by_id else inf)


def _nearest(field: Battlefield, unit_id: str) -> Any:
    """Give the distance from the first model of a unit to the nearest opponent."""
    here = field.solids(field.unit(unit_id))[0]
    return min(gap(here, solid) for enemy in field.enemies(field.unit(unit_id)) for solid in field.solids(enemy))


def _goal(field: Battlefield, unit_id: str, options: Sequence[str], *, saving: bool) -> str:
    """Choose a goal: the nearest opponent, or with `saving` first the nearest escaping friend or free objective."""
    own = field.solids(field.unit(unit_id))
    side = field.unit(unit_id).side
    wanted = [id_ for id_ in options if id_ in field.by_id and field.unit(id_).side != side]
    if saving:
        friends = [id_ for id_ in options if id_ in field.by_id and field.unit(id_).side == side]
        free = [id_ for id_ in options if id_ not in field.by_id and not _is_held(field, side, id_)]
        wanted = friends or free or wanted
    return min(wanted or options, key=lambda id_: min(gap(own[0], there) for there in _positions(field, id_)))


def _positions(field: Battlefield, id_: str) -> tuple[Figure, ...]:
    if id_ in field.by_id:
        return field.solids(field.unit(id_))
    return tuple(Figure(row.id, point(spot_of(row)), 1, 1) for row in field.scene.objectives if row.id == id_)


def _is_held(field: Battlefield, side: str, objective: str) -> bool:
    """Decide whether a unit of a side stands at an objective."""
    (spot,) = _positions(field, objective)
    return any(in_touch(body, spot) for unit in field.units if unit.side == side for body in field.solids(unit))
