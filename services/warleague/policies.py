"""Policies: named, deterministic ways of making the players' choices, for battles and for odds.

A policy sees the choice (who decides, what about, the options in the book's order). Where a unit acts,
`about` holds its open actions; else it is the battlefield.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any

from arbiter.table import Choice, Policy, first
from services.warleague import tactics
from services.warleague.battle import OpenActions
from services.warleague.battlefield import Battlefield
from services.warleague.rules import ammo, points
from services.warleague.rules.actions import Action, Walk
from services.warleague.rules.ammo import Reload
from services.warleague.rules.items import PickUp, Use, card
from services.warleague.rules.movement import Turn
from services.warleague.rules.parry import Reserve
from services.warleague.rules.weapons import Swap
from services.warleague.scene import Tile

Goes = Callable[[OpenActions, Mapping[str, Walk]], str | None]
"""Where a unit goes: one of its ways, or none."""


def charging(choice: Choice) -> Any:
    """Close in on the nearest enemy and strike where it hurts most, parry with the points left, ignore the ground."""
    return _played(choice, _at_them, parries=True)


def shooting(choice: Choice) -> Any:
    """Strike from as far away as possible, avoid crates and concealed ground, and retreat from close enemies."""
    return _played(choice, _afar, parries=False)


def gathering(choice: Choice) -> Any:
    """Go for crates, concealed ground, items and Rad as long as there are any, and strike on the way; then charge."""
    return _played(choice, _for_loot, parries=True)


POLICIES: Mapping[str, Policy] = {"charging": charging, "shooting": shooting, "gathering": gathering}


def _played(choice: Choice, goes: Goes, *, parries: bool) -> Any:
    about = choice.about
    if isinstance(about, OpenActions):
        return _action(about, goes, parries=parries)
    if choice.label.endswith(": parry"):
        return choice.options[-1]
    if isinstance(about, Battlefield) and choice.label.endswith(": unit"):
        return min(choice.options, key=lambda unit: tactics.distance(about, about.at(unit), tactics.foes(about, unit)))
    return first(choice)


def _action(open_: OpenActions, goes: Goes, *, parries: bool) -> str:
    """Pick what to do next: load, pick up, heal, strike, go, parry, face the nearest; and then no more."""
    field = open_.field
    for words, action in open_.of("reload", "item", "swap", "pick-up").items():
        if _useful(field, action):
            return words
    harms = {words: tactics.harm(field, action) for words, action in open_.of("attack", "ability", "item").items()}
    if harms and max(harms.values()) > 0:
        return max(harms, key=harms.__getitem__)
    ways = {words: action for words, action in open_.of("move").items() if isinstance(action, Walk)}
    if ways and (way := goes(open_, ways)) is not None:
        return way
    for words, action in open_.of("parry", "turn").items():
        if (parries and isinstance(action, Reserve)) or (isinstance(action, Turn) and _faces(field, action)):
            return words
    return "end"


def _useful(field: Battlefield, action: Action) -> bool:
    """Say whether an action is useful at once: it loads an empty weapon, or heals as much as it can."""
    match action:
        case Reload():
            return any(ammo.left(field, action.actor, hand) == 0 for hand in action.hands)
        case Swap(actor=actor, hand=hand, spare=int() as spare):
            held = range(len(field.hands(actor)))
            return hand in held and ammo.left(field, actor, hand) == 0 and field.unit(actor).spare[spare].ammo != 0
        case PickUp():
            return True
        case Use(to=None):
            unit, item = field.unit(action.actor), card(field, action)
            return (item.heals or unit.health_lost) <= unit.health_lost and item.repairs <= unit.armor_lost
        case _:
            return False


def _faces(field: Battlefield, action: Turn) -> bool:
    """Say whether a unit turns to the nearest enemy, which it does not face yet."""
    at = field.at(action.actor)
    near = min(
        (field.at(foe.id) for foe in tactics.foes(field, action.actor)),
        key=lambda to: field.ground.distance(at, to),
        default=at,
    )
    ahead = field.ground.towards(at, near)
    return action.facing in ahead and field.unit(action.actor).facing not in ahead


# Ways


def _at_them(open_: OpenActions, ways: Mapping[str, Walk]) -> str | None:
    return _nearer(open_, ways, {open_.field.at(foe.id) for foe in tactics.foes(open_.field, open_.unit)})


def _for_loot(open_: OpenActions, ways: Mapping[str, Walk]) -> str | None:
    return _nearer(open_, ways, tactics.loot(open_.field, open_.unit)) or _at_them(open_, ways)


def _afar(open_: OpenActions, ways: Mapping[str, Walk]) -> str | None:
    """Give a way to where an enemy is in reach, far away, with points left to strike; else nearer, or away if close."""
    field, unit, foes = open_.field, open_.unit, tactics.foes(open_.field, open_.unit)
    hidden, spots = tactics.hidden(field), tactics.spots(field, unit)
    safe = {words: walk for words, walk in ways.items() if hidden.isdisjoint(walk.way)}

    def far(words: str) -> tuple[int, int]:
        return tactics.distance(field, safe[words].way[-1], foes), -len(safe[words].way)

    near = tactics.distance(field, field.at(unit), foes)
    if near > 1 and field.at(unit) in spots:
        return None
    cheapest = min((weapon.ap for weapon in field.weapons(unit)), default=0)
    steps = points.left(field, unit) - cheapest
    firing = [words for words, walk in safe.items() if walk.way[-1] in spots and len(walk.way) <= steps]
    if firing or near <= 1:
        return max(firing or (words for words in safe if far(words)[0] > near), key=far, default=None)
    return _nearer(open_, safe, {field.at(foe.id) for foe in foes})


def _nearer(open_: OpenActions, ways: Mapping[str, Walk], goals: Collection[Tile]) -> str | None:
    """Give the way that brings a unit nearest to a goal on foot, the shortest of them, or none if none does."""
    routes = tactics.on_foot(open_.field, goals)
    here = routes.get(open_.field.at(open_.unit), tactics.NOWHERE)
    best = min(
        ways, key=lambda words: (routes.get(ways[words].way[-1], tactics.NOWHERE), len(ways[words].way)), default=None
    )
    if best is None or routes.get(ways[best].way[-1], tactics.NOWHERE) >= here:
        return None
    return best
