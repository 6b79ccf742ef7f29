"""The actions a unit can take next in a battle, those with a target or goal, and taking one; and where a unit goes.

It goes into contact with a goal if it can, else as near to it as possible.
"""

from functools import partial
from math import dist, inf
from typing import Final

from arbiter.candidates import Candidates
from arbiter.geometry.plane.measure import between
from arbiter.geometry.plane.paths.moves import clipped
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure, Point
from arbiter.option import Option
from arbiter.skirmish.plane import point
from arbiter.table import Table
from services.rapture import ways
from services.rapture.battlefield import Battlefield
from services.rapture.book import Book
from services.rapture.ground import Ground
from services.rapture.rules import abilities, actions, aims, attack, movement, reach, retreat, routes
from services.rapture.rules.prices import Price
from services.rapture.scene import Scene, spot_of
from services.rapture.ways import Way

MOST_ACTIONS = 40
"""More actions than points and limits allow; a bound, so that every activation ends."""

Offers = tuple[tuple[str, ...], tuple[str, ...]]
"""Actions, and those that cost boxes."""

SIMPLE = ("get-up", "close-combat", "ranged", "movement", "extinguish-fire")
"""The actions of the overview that cost points, in the order in which they are offered."""

ATTACKS = ("close-combat", "ranged")

ABILITY = "ability "


def actions_of(table: Table, field: Battlefield, unit_id: str, excluded: frozenset[str]) -> Offers:
    """Give the actions a unit may have, except `excluded`: those without effect, or not to be repeated.

    Abilities are `ability <id>`. Which of them are open is for `Deeds` to say.
    """
    free, paid_in_boxes = [*SIMPLE], ["retreat"]
    with table.without_findings():
        for id_ in (*abilities.of_card(field, unit_id), *abilities.of_mission(field, unit_id)):
            price = abilities.price(table, field, id_)
            (paid_in_boxes if price.lp or price.mp else free).append(ABILITY + id_)
    free_left, boxed_left = (tuple(each for each in some if each not in excluded) for some in (free, paid_in_boxes))
    return free_left, boxed_left


class Deeds:
    """What a unit can do next in a battle; the targets of each action are looked for once."""

    def __init__(self, table: Table, field: Battlefield, unit_id: str) -> None:
        self._table, self._field, self._unit_id = table, field, unit_id
        self._targets: dict[str, Candidates[str]] = {}

    def targets(self, action: str) -> Candidates[str]:
        """Give what an action that is available can be aimed at, in the order of the scene."""
        known = self._targets.get(action)
        if known is None:
            aims_at = partial(_can_aim, self._table, self._field, self._unit_id, action)
            known = self._targets[action] = Candidates(_aims(self._field, self._unit_id, action), aims_at)
        return known

    def is_open(self, action: str) -> bool:
        """Decide whether a unit can take an action next: it is available, and has a target or a goal.

        A retreat leads straight away from the opponent.
        """
        table, field, unit_id = self._table, self._field, self._unit_id
        with table.without_findings():
            if action.startswith(ABILITY):
                ability = action.removeprefix(ABILITY)
                unavailable = abilities.untargeted_violations(table, field, unit_id, ability)
                return not unavailable and bool(self.targets(action))
            if action in ATTACKS:
                unarmed = action == "ranged" and reach.weapon_violations(table, field, unit_id)
                unavailable = unarmed or actions.untargeted_violations(table, field, unit_id, action)
                return not unavailable and bool(self.targets(action))
            match action:
                case "movement" if not goals(field, unit_id):
                    return False
                case "get-up" | "extinguish-fire" if actions.requirement_violations(table, field, unit_id, action):
                    return False
            if actions.violations(table, field, unit_id, action):
                return False
            return action != "retreat" or retreat.way_out(table, field, unit_id) is not None


def named(field: Battlefield, action: str) -> Option:
    """Give what an option of `actions_of` means, or the end."""
    ability = action.removeprefix(ABILITY)
    if ability != action:
        return Option(action, f"use {field.ability_name(ability)}", {"action": "ability", "ability": ability})
    return Option(action, action.replace("-", " "), {"action": action})


def _goal(field: Battlefield, goal: str) -> Option:
    return field.option(goal) if goal in field.by_id else Option(goal, f"the objective {goal}", {"objective": goal})


def perform(
    table: Table, field: Battlefield, unit_id: str, action: str, deeds: Deeds, excluded: frozenset[str]
) -> tuple[Battlefield, frozenset[str]]:
    """Give the battlefield after one of the deeds that are open, and the actions excluded from then on."""
    player = field.player(unit_id)
    match action:
        case "get-up":
            return actions.get_up(table, field, unit_id), excluded
        case "extinguish-fire":
            return actions.extinguish_fire(table, field, unit_id), excluded
        case "movement":
            label, means = f"{unit_id}: towards", partial(_goal, field)
            goal = table.choose(player, label, goals(field, unit_id), about=field, means=means)
            with table.without_findings():
                way = towards(table, field, unit_id, goal)
            if way is None:
                return field, excluded | {action}
            return movement.move(table, actions.pay(table, field, unit_id, action), unit_id, way)[0], excluded
        case "retreat":
            with table.without_findings():
                way = retreat.way_out(table, field, unit_id)
            assert way is not None, "a retreat is offered only where there is a way"
            return retreat.retreat(table, field, unit_id, way)[0], excluded
    targets = deeds.targets(action)
    target = table.choose(player, f"{unit_id}: target", targets, about=field, means=field.option)
    if action in ATTACKS:
        made = attack.close_combat if action == "close-combat" else attack.ranged
        return made(table, field, unit_id, target)[0], excluded
    return _use_ability(table, field, unit_id, action.removeprefix(ABILITY), target, excluded)


def _use_ability(
    table: Table, field: Battlefield, unit_id: str, ability: str, target: str, excluded: frozenset[str]
) -> tuple[Battlefield, frozenset[str]]:
    """Give the battlefield after an ability is used; without price and limit it is used once per activation."""
    card = field.book.abilities[ability]
    limits = (card.per_round, card.per_match, card.charges)
    if abilities.price(table, field, ability) == Price() and all(limit is None for limit in limits):
        excluded |= {ABILITY + ability}
    return abilities.use(table, field, unit_id, ability, target)[0], excluded


def _aims(field: Battlefield, unit_id: str, action: str) -> tuple[str, ...]:
    """Give what an attack or an ability may aim at, allowed or not: units or objectives, in the order of the scene."""
    if action in ATTACKS:
        return tuple(enemy.id for enemy in field.enemies(field.unit(unit_id)))
    match field.book.abilities[action.removeprefix(ABILITY)].target:
        case "self":
            return (unit_id,)
        case "objective":
            return tuple(row.id for row in field.scene.objectives)
        case _:
            return tuple(unit.id for unit in field.units)


def _can_aim(table: Table, field: Battlefield, unit_id: str, action: str, target: str) -> bool:
    """Decide whether a unit that can take an action now can take it against a target."""
    with table.without_findings():
        match action:
            case "close-combat":
                return not attack.close_target_violations(table, field, unit_id, target)
            case "ranged":
                return not attack.ranged_target_violations(table, field, unit_id, target)
            case _:
                return not aims.violations(table, field, unit_id, action.removeprefix(ABILITY), target)


PARTS: Final = (1.0, 0.9, 0.75, 0.5, 0.25)
"""Shares of the movement that are tried when the whole of it has no place for all models."""

LEAST = 500
"""The least approach, in thousandths, that is worth an action."""


def goals(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the goals of a unit: opponents, escaping friends, and objectives, each in the scene's order."""
    unit = field.unit(unit_id)
    escaping = (friend for friend in field.friends(unit) if friend.escaping)
    units = (each.id for each in (*field.enemies(unit), *escaping))
    return (*units, *(row.id for row in field.scene.objectives if row.id not in field.by_id))


def towards(table: Table, field: Battlefield, unit_id: str, goal: str) -> Way | None:
    """Give a way that brings a unit into contact with another, onto an objective, or nearer to it.

    None where it comes no nearer.
    """
    far = movement.allowance(table, field, unit_id)
    return table.once(way_towards, field.ground, field.book, field.layout, unit_id, goal, far)


def way_towards(
    table: Table, ground: Ground, book: Book, layout: Scene, unit_id: str, goal: str, far: int
) -> Way | None:
    """Give such a way of a unit that can move so far; it hangs on nothing but the layout."""
    field = Battlefield.of(ground, book, layout)
    body = field.solids(field.unit(unit_id))[0]
    if goal in field.by_id:
        others = field.solids(field.unit(goal))
        other = min(others, key=lambda body_there: between(body, body_there))
        if between(body, other) <= far:
            way = routes.way_into_contact(table, field, unit_id, goal, far)
            if way is not None and not movement.way_violations(table, field, unit_id, way, far):
                return way
        spot = other.at
    else:
        spot = next(point(spot_of(row)) for row in field.scene.objectives if row.id == goal)
    return _nearer(table, field, unit_id, body, spot, goal, far)


def _nearer(
    table: Table, field: Battlefield, unit_id: str, body: Figure, spot: Point, goal: str, far: int
) -> Way | None:
    """Give as much of the way to a place as a unit can move, short of contact with opponents."""
    path = _path(table, field, unit_id, body, spot, goal)
    if path is None:
        return None
    for part in PARTS:
        short = clipped(path, 0.0, min(far * part, path.length))
        if dist(short.end, body.at) < LEAST:
            return None
        way = routes.way_with(table, field, unit_id, short, at_most=far)
        if way is not None and not movement.way_violations(table, field, unit_id, way, far):
            return way
    return None


def _path(table: Table, field: Battlefield, unit_id: str, body: Figure, spot: Point, goal: str) -> Path | None:
    """Give the shortest path of a base to a place, past all units except the one at the place.

    Where a base cannot stand at the place of a unit, it leads to one beside it.
    """
    unit = field.unit(unit_id)
    band = {unit_id, goal, *(other.id for other in field.apprentices(unit_id))}
    bodies = tuple(
        [
            (other, gap, False)
            for whose, other in ways.others(field, band)
            if dist(other.at, spot)
            >= other.radius + body.radius + (gap := 0 if whose.side == unit.side else ways.apart(other))
        ]
    )
    spots = [spot] if ways.free(field, body, spot) else _beside(field, body, spot, goal)
    paths = (ways.shortest(field.ground, body, goal_spot, bodies, inf) for goal_spot in spots)
    return next((path for path in paths if path is not None), None)


def _beside(field: Battlefield, body: Figure, spot: Point, goal: str) -> list[Point]:
    """Give the places beside a unit at which a base can stand, the nearest to it first."""
    if goal not in field.by_id:
        return []
    other = next(solid for solid in field.solids(field.unit(goal)) if solid.at == spot)
    spots = ways.around(field, body, other, ())
    return sorted(spots, key=lambda at: (dist(at, body.at), at))
