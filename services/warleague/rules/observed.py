"""What players see for themselves: the facts that a board shows, or at a table of wood the players give.

Each has a question about an attacker and whoever is on a tile. Nobody is asked about a tile on which nobody is.
"""

from collections.abc import Callable, Iterator
from typing import Any

from msgspec.structs import replace

from arbiter.facts import Against, Fact, Facts, Number, OneOf, Units, YesNo, fact
from arbiter.nowhere import Nowhere, Somewhere
from arbiter.skirmish.contacts_given import Clash, opponents_of
from arbiter.table import Table
from services.warleague.battlefield import Battlefield
from services.warleague.scene import Tile

Measure = Callable[[], Any]
"""What measures a fact on a board."""

BETWEEN = ("attacker", "target")


def seen(
    observed: Fact[..., Any], table: Table, field: Battlefield, attacker: str, to: Tile, own: Any, measure: Measure
) -> Any:
    """Give a fact about an attacker and whoever is on a tile: `own` of its own tile, and by its measure of nobody."""
    target = None if table.facts is None else someone_on(field, to)
    if target is None:
        return measure()
    return own if to == field.at(attacker) else observed(table, field, attacker, target, measure)


def someone_on(field: Battlefield, to: Tile) -> str | None:
    """Give the unit by which players know a tile, if somebody is there."""
    if isinstance(to, Somewhere):
        return to.of
    return next((unit.id for unit in field.on(to)), None)


def is_somewhere(to: Tile) -> bool:
    """Say whether a tile is one that only the players see."""
    return isinstance(to, Nowhere)


def _clashing(other: str, clash: Callable[[Any, Any], bool]) -> Against:
    """Give what finds the fact `other` of the same two units where that cannot be so beside a value of this one."""

    def found(facts: Facts, field: Battlefield, value: Any, *pair: str) -> Iterator[Clash]:
        beside_it = facts.peek(facts.known[other], field, *pair)
        if beside_it is not None and clash(value, beside_it):
            yield facts.known[other], pair

    return found


def _obstructed(facts: Facts, field: Battlefield, *pair: str) -> bool | None:
    """Decide that a line is not clear, where players say that an obstacle is in between."""
    return False if facts.value(no_obstacle, field, *pair) is False else None


def _unobstructed(facts: Facts, field: Battlefield, *pair: str) -> bool | None:
    """Decide that no obstacle is in between, where players say that the line is clear."""
    return True if facts.value(clear_line, field, *pair) else None


@fact(
    "clear_line",
    "Does {attacker} have a clear line to {target}, with nobody, no obstacle and no crate in between?",
    of=BETWEEN,
    says=("{attacker} has a clear line to {target}", "{attacker} has no clear line to {target}"),
    cites=("targeting/clear-line", "targeting/clear-line-blockers"),
    follows=_obstructed,
    against=_clashing("over_obstacles", lambda clear, free: clear and not free),
)
def clear_line(table: Table, field: Battlefield, attacker: str, target: str, measure: Measure) -> bool:
    """Decide whether a unit has a clear line to another."""
    return bool(measure())


@fact(
    "over_obstacles",
    "Is there no obstacle between {attacker} and {target}? Units and crates do not matter.",
    of=BETWEEN,
    says=("No obstacle is between {attacker} and {target}", "An obstacle is between {attacker} and {target}"),
    cites=("targeting/ballistics", "targeting/ballistics-blockers"),
    follows=_unobstructed,
    against=_clashing("clear_line", lambda free, clear: clear and not free),
)
def no_obstacle(table: Table, field: Battlefield, attacker: str, target: str, measure: Measure) -> bool:
    """Decide whether a trajectory passes over no obstacle."""
    return bool(measure())


@fact(
    "distance",
    "How many tiles is it from {attacker} to {target}?",
    of=BETWEEN,
    kind=Number("tiles", most=100, whole=True, usual=1),
    says="Tiles from {attacker} to {target}: {value}",
    cites=("targeting/in-range", "ranged/range"),
    # A diagonal neighbour is one or two tiles away.
    against=_clashing("adjacent", lambda tiles, next_to: next_to and tiles not in (1, 2)),
)
def distance(table: Table, field: Battlefield, attacker: str, target: str, measure: Measure) -> int:
    """Decide how many tiles away a unit is from another."""
    return int(measure())


@fact(
    "adjacent",
    "Is {target} on a tile next to {attacker}?",
    of=BETWEEN,
    says=("{target} is next to {attacker}", "{target} is not next to {attacker}"),
    cites="targeting/direct",
    follows=lambda facts, *pair: None if (tiles := facts.value(distance, *pair)) is None else tiles == 1,
    against=_clashing("distance", lambda next_to, tiles: next_to and tiles not in (1, 2)),
)
def adjacent(table: Table, field: Battlefield, attacker: str, target: str, measure: Measure) -> bool:
    """Decide whether two units are on adjacent tiles."""
    return bool(measure())


@fact(
    "behind",
    "Does the attack of {attacker} come from behind {target}?",
    of=BETWEEN,
    kind=YesNo(usual=False),
    says=("{attacker} attacks from behind {target}", "{attacker} does not attack from behind {target}"),
    cites="flanking/from-behind",
)
def behind(table: Table, field: Battlefield, attacker: str, target: str, measure: Measure) -> bool:
    """Decide whether an attack comes from behind its target."""
    return bool(measure())


@fact(
    "engaged",
    "Is an enemy of {target} other than {attacker} next to it?",
    of=BETWEEN,
    kind=YesNo(usual=False),
    says=("Another enemy than {attacker} is next to {target}", "No other enemy than {attacker} is next to {target}"),
    cites="flanking/from-behind",
)
def engaged(table: Table, field: Battlefield, attacker: str, target: str, measure: Measure) -> bool:
    """Decide whether the target of an attack has another enemy next to it."""
    return bool(measure())


def _told_of_another(facts: Facts, field: Battlefield, unit: str) -> tuple[str, ...] | None:
    """Decide who shares the tile of a unit by what players say of another unit on it."""
    for other in field.by_id:
        found = facts.value(same_tile, field, other) or ()
        if unit in found:
            return tuple(id_ for id_ in field.by_id if id_ != unit and id_ in (other, *found))
    return None


def _tile_clashes(facts: Facts, field: Battlefield, found: tuple[str, ...], unit: str) -> Iterator[Clash]:
    """Find what contradicts that just these others stand on the tile of a unit."""
    for other in field.by_id:
        if other != unit and other not in found and unit in (facts.peek(same_tile, field, other) or ()):
            yield same_tile, (other,)


@fact(
    "same_tile",
    "Who else stands on the tile of {unit}?",
    of=("unit",),
    kind=Units(),
    says="On the tile of {unit} there stands also {value}",
    cites="damage/several",
    follows=_told_of_another,
    against=_tile_clashes,
)
def same_tile(table: Table, field: Battlefield, unit: str) -> tuple[str, ...]:
    """Decide who shares the tile of a unit, in the order of the scene."""
    return tuple([other.id for other in field.on(field.at(unit)) if other.id != unit])


@fact(
    "caught",
    "Who else is within the radius of the explosion on the tile of {target}, the nearest first?",
    of=("target",),
    kind=Units(),
    says="Within the radius around {target}: {value}",
    cites=("explosion/area", "explosion/everything"),
)
def caught(table: Table, field: Battlefield, target: str, area: Callable[[], tuple[Tile, ...]]) -> tuple[str, ...]:
    """Decide who is within the radius of an explosion beside those on its own tile, the nearest first."""
    there = field.at(target)
    return tuple([unit.id for at in area() if at != there for unit in field.on(at)])


FLIGHTS = ("free", "stays", "crate", "concealed", "deadly", "edge")
"""How a flight can end: on a free tile, where it began, at a crate, on what is hidden, in a hole, or off the board."""


@fact(
    "flight",
    "Where does {unit} come to rest: on a free tile, where it stands, at a crate, on a concealed or a deadly tile, or "
    "beyond the edge?",
    of=("unit",),
    kind=OneOf(FLIGHTS),
    says="The flight of {unit} ends: {value}",
    cites=("throw/maximum", "throw/stops", "throw/passes"),
)
def flight(table: Table, field: Battlefield, unit: str, measure: Measure) -> str:
    """Decide how the flight of a unit ends that is thrown or pulled, in one word of `FLIGHTS`."""
    return str(measure())


@fact(
    "closest",
    "Which enemy of {unit} is the closest? Several only if they are equally close.",
    of=("unit",),
    kind=Units(),
    says="The closest to {unit}: {value}",
    cites="npc/closest",
    among=opponents_of,
)
def closest(table: Table, field: Battlefield, unit: str, measure: Callable[[], tuple[str, ...]]) -> tuple[str, ...]:
    """Decide which enemies of an NPC are the closest."""
    return measure()


@fact(
    "approach",
    "How many action points does it cost {unit} to come to where it can attack {target}? 0 if it stands there.",
    of=("unit", "target"),
    kind=Number("action points", most=100, whole=True, usual=0),
    says="Action points for {unit} to come to where it can attack {target}: {value}",
    cites=("npc/closest", "move/step"),
)
def approach(table: Table, field: Battlefield, unit: str, target: str, measure: Measure) -> int:
    """Decide how far an NPC is from where it can attack an enemy, in action points."""
    return int(measure())


@fact(
    "room",
    "Is a tile next to {unit} free for it to enter?",
    of=("unit",),
    says=("{unit} has a free tile next to it", "{unit} has no free tile next to it"),
    cites="move/free-tile",
)
def room(table: Table, field: Battlefield, unit: str) -> bool:
    """Decide whether a unit has a free tile next to it."""
    closed = field.obstacles | field.occupied | field.ground.killing.keys()
    return bool(set(field.ground.neighbours(field.at(unit))) - closed)


def together(table: Table, field: Battlefield, unit: str | None) -> Battlefield:
    """Give the battlefield with all who share the tile of a unit on it: players see that where no board shows it."""
    if table.facts is None or unit is None or not field.scene.shared_tiles:
        return field
    at, others = field.at(unit), same_tile(table, field, unit)
    there = [replace(other, at=at) for other in field.units if other.id in others]
    return field.put(*there) if is_somewhere(at) else field
