"""What policies measure before they decide: the harm of an action, the distance of enemies, the ways to them."""

from collections.abc import Collection, Mapping

from services.warleague.battlefield import Battlefield
from services.warleague.ground import Prices
from services.warleague.profiles import TargetedCard
from services.warleague.rules import items, layers
from services.warleague.rules.abilities import Cast
from services.warleague.rules.actions import Action
from services.warleague.rules.happenings import Strike
from services.warleague.rules.items import Use
from services.warleague.scene import Tile, Unit

ON_FOOT = Prices(1, 2)
"""What a step costs."""

NOWHERE = 10_000
"""Farther than any way."""

FELLED = 2
"""What it counts more to fell somebody than to hurt."""

HERO = 2
"""How much more a hero counts than others, with whom the game is lost."""


def foes(field: Battlefield, unit: str) -> tuple[Unit, ...]:
    """Give the enemies of a unit that are not downed."""
    return tuple(enemy for enemy in field.enemies(field.unit(unit)) if not enemy.downed)


def harm(field: Battlefield, action: Action) -> float:
    """Give a rough estimate of the harm of an action to enemies, less that to friends; 0 for peaceful actions."""
    match action:
        case Strike():
            weapons = field.weapons(action.actor, action.hands)
            return sum(_harm(field, action.actor, weapon, action.to) for weapon in weapons)
        case Cast():
            return _harm(field, action.actor, field.book.abilities[action.ability], action.to)
        case Use() if action.to is not None:
            return _harm(field, action.actor, items.card(field, action), action.to)
        case _:
            return 0


def _harm(field: Battlefield, actor: str, card: TargetedCard, to: Tile) -> float:
    """Give the mean damage to each enemy in the area, no more than it has left, less that to friends."""
    mean = sum(card.damage) / max(1, len(card.damage))
    total = 0.0
    area = field.ground.area(to, card.explosion_radius or 0, "steps")
    for unit in field.units:
        if unit.downed or unit.at not in area:
            continue
        left = layers.remaining(field, unit.id, "armor") + layers.remaining(field, unit.id, "health")
        worth = min(mean, left) + (FELLED if mean >= left else 0)
        worth *= HERO if field.profile(unit).role == "hero" else 1
        total += worth if field.opposed(field.player(actor), unit.side) else -worth
    return total


def distance(field: Battlefield, at: Tile, units: Collection[Unit]) -> int:
    """Give how many tiles away the nearest of some units is."""
    return min((field.ground.distance(at, unit.at) for unit in units if unit.at is not None), default=NOWHERE)


def on_foot(field: Battlefield, targets: Collection[Tile]) -> Mapping[Tile, int]:
    """Give how far it is on foot from each tile to the nearest of some, as if nobody stood in the way."""
    goals = frozenset(targets)
    return field.ground.routes(goals, ON_FOOT, field.closed - goals, True)


def hidden(field: Battlefield) -> frozenset[Tile]:
    """Give the tiles on which something may wait: crates, concealed ground and open traps."""
    return field.hidden | {each.at for each in field.scene.traps}


def loot(field: Battlefield, unit: str) -> frozenset[Tile]:
    """Give the tiles on which a unit may get something: crates, concealed ground, Rad, and items if it has room."""
    scene = field.scene
    lying = {each.at for each in scene.items} if field.has_room(unit) else set()
    return field.hidden | {each.at for each in scene.rads} | lying


def spots(field: Battlefield, unit: str) -> frozenset[Tile]:
    """Give the tiles from which a unit has an enemy in sight and in reach of a weapon that is loaded."""
    cards = [field.book.weapons[each.weapon] for each in field.hands(unit) if each.ammo != 0]
    most = max((each.range if each.range is not None else 1 for each in cards), default=1)
    tiles: frozenset[Tile] = frozenset()
    for enemy in foes(field, unit):
        there = field.at(enemy.id)
        tiles |= field.ground.visible_from(there, field.solid, "both") & field.ground.area(there, most, "steps")
    return tiles
