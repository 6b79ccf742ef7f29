"""Movement: what a step costs, onto which tiles it may go, where a unit can come, and what happens on its way."""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from typing import Any, TypeVar

from msgspec.structs import replace

from arbiter.readings import Options, settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.ground import Prices, Reach
from services.warleague.rules import chains, kills, points, targeting, traps
from services.warleague.rules.happenings import Arrival
from services.warleague.scene import Tile

T = TypeVar("T")

FRIENDS: Options = ("through-friends", ("no", "yes"))
SQUEEZE: Options = ("squeeze", ("yes", "no"))

FAR = 1_000_000
"""More points than any way costs."""


class Turn(Value, frozen=True):
    """A unit that turns to face a direction."""

    actor: str
    facing: int


# What a step costs


@rule("movement.step", cites="move/step", neutral=lambda: number("step-difficult"))
def step(table: Table) -> int:
    """Decide what a step to an adjacent tile costs; without it there is only the price of difficult terrain."""
    return number("step")


def cost(table: Table, field: Battlefield, to: Tile) -> int:
    """Give what a step onto a tile costs."""
    return difficult(table, field, to) if to in field.ground.difficult else step(table)


@rule("movement.difficult", cites="move/difficult", neutral=lambda field, to: number("step"))
def difficult(table: Table, field: Battlefield, to: Tile) -> int:
    """Decide what a step onto difficult terrain costs."""
    ap = number("step-difficult")
    table.find("A step onto the difficult terrain of {tile} costs {price} AP", tile=targeting.tile(to), price=ap)
    return ap


@rule("movement.price", cites="move/step", neutral=0)
def price(table: Table, field: Battlefield, way: tuple[Tile, ...]) -> int:
    """Decide what a way costs: each of its steps."""
    costs = [cost(table, field, to) for to in way]
    table.find("The path of {steps} costs {price} AP", steps=Quantity(len(way), "step"), price=sum(costs))
    return sum(costs)


# Whether a step may be taken


def way_violations(
    table: Table, field: Battlefield, unit: str, way: tuple[Tile, ...], facing: int | None = None
) -> tuple[Reason, ...]:
    """Give every reason why a unit may not go a way, as things stand: each step, its end, and its price.

    With `facing` it turns at the end, and pays for that too.
    """
    reasons = list(move_violations(table, field, unit))
    here = field.at(unit)
    for place, to in enumerate(way):
        if not field.ground.adjacent(here, to):
            reasons += apart(table, here, to)
        else:
            reasons += squeezed(table, field, unit, here, to)
        reasons += closed(table, field, unit, to, last=place == len(way) - 1)
        here = to
    ap = price(table, field, way)
    if facing is not None:
        ap += _turn_after(table, field, unit, way, facing)
    return (*dict.fromkeys(reasons), *points.violations(table, field, unit, ap))


def _turn_after(table: Table, field: Battlefield, unit: str, way: tuple[Tile, ...], facing: int) -> int:
    """Give what it costs to turn after the last step of a way, by which the unit faces where it goes."""
    faced = _facing(field, unit, *(field.at(unit), *way)[-2:])
    return turn_price(table, field.put(replace(field.unit(unit), facing=faced)), Turn(unit, facing))


def _facing(field: Battlefield, unit: str, before: Tile, to: Tile) -> int | None:
    """Give where a unit faces after a step: as before where its facing is unknown, or the step leads nowhere."""
    facing = field.unit(unit).facing
    return facing if facing is None or before == to else field.ground.towards(before, to)[0]


@violations_rule("movement.move_violations", cites="move/step")
def move_violations(table: Table, field: Battlefield, unit: str) -> Iterator[Reason]:
    """Decide whether a unit can move at all: a downed unit cannot."""
    if field.unit(unit).downed:
        yield table.reason("{unit} is downed", unit=field.name(unit), cites="kill/heroes")


@violations_rule("movement.apart", cites="move/step")
def apart(table: Table, here: Tile, to: Tile) -> Iterator[Reason]:
    """Decide whether a step may go to a tile that is not adjacent: it may not."""
    text = "The step from {here} to {tile} is not to an adjacent tile"
    yield table.reason(text, tile=targeting.tile(to), here=targeting.tile(here))


@violations_rule("movement.squeezed", cites=("move/step", "move/free-tile"))
def squeezed(table: Table, field: Battlefield, unit: str, here: Tile, to: Tile) -> Iterator[Reason]:
    """Decide whether a diagonal step may go between two tiles that are closed to the unit: that is `squeeze`."""
    (x, y), (to_x, to_y) = here, to
    if field.ground.posted.grid != "square-8" or x == to_x or y == to_y:
        return

    def shut(friends: str, squeeze: str) -> bool:
        no_way = blocked(field, unit, friends)
        closed = (tile not in field.ground.tiles or tile in no_way for tile in ((x, to_y), (to_x, y)))
        return squeeze == "no" and all(closed)

    if settled(table, shut, FRIENDS, SQUEEZE):
        text = "The way from {here} to {tile} is blocked on both sides"
        yield table.reason(text, here=targeting.tile(here), tile=targeting.tile(to))


@violations_rule("movement.closed", cites="move/free-tile")
def closed(table: Table, field: Battlefield, unit: str, to: Tile, last: bool) -> Iterator[Reason]:
    """Decide whether a tile is free to be stepped onto: no obstacle and nobody else is there, and it does not kill.

    Whether a friend's tile may be passed is `through-friends`, and whether a unit may go to its death
    `walk-into-killing`. A crate or concealed ground closes nothing.
    """
    words: dict[str, Any] = {"tile": targeting.tile(to)}
    for each in field.scene.obstacles:
        if each.at == to:
            yield table.reason("The {obstacle} is on {tile}", obstacle=targeting.obstacle_name(each), **words)
    others = [other for other in field.on(to) if other.id != unit]
    hostile = [other for other in others if field.opposed(field.player(unit), other.side)]
    if hostile:
        yield table.reason("{other} is on {tile}", other=field.name(hostile[0].id), **words)
    elif others and not field.scene.shared_tiles and (last or table.read("through-friends") == "no"):
        yield table.reason("{other} is on {tile}", other=field.name(others[0].id), **words)
    kind = field.ground.killing.get(to)
    if kind is not None and not last:
        yield table.reason("No path leads over the {kind} on {tile}", kind=kind, **words)
    elif kind is not None and table.read("walk-into-killing") == "no":
        yield table.reason("Nobody may step into the {kind} on {tile}", kind=kind, **words)


# Taking it


def take_step(table: Table, field: Battlefield, unit: str, to: Tile) -> Battlefield:
    """Take an allowed step: the unit pays, faces where it goes, and suffers what the tile does to it."""
    here = field.at(unit)
    with table.without_findings():
        ap = cost(table, field, to)
    field = points.paid(table, field, unit, ap, "a step")
    table.event("moved", unit=unit, to=to)
    field = field.put(replace(field.unit(unit), at=to, facing=_facing(field, unit, here, to)))
    if to in field.ground.killing:
        return plunged(table, field, unit, to)
    return chains.resolve(table, field, Arrival(unit, to, thrown=False)).field


@rule("movement.plunged", cites="throw/killing-tile", neutral=unchanged)
def plunged(table: Table, field: Battlefield, unit: str, at: Tile) -> Battlefield:
    """Decide what becomes of a unit that steps onto a killing tile by itself: it dies as one that is thrown there."""
    table.find("{unit} steps into the {kind} and dies", unit=field.name(unit), kind=field.ground.killing[at])
    return kills.killed(table, field, unit)


def walk(table: Table, field: Battlefield, unit: str, way: tuple[Tile, ...]) -> Battlefield:
    """Go an allowed way step by step; it ends where the unit falls, is moved or held, or cannot go on."""
    while way:
        to = way[0]
        hidden = to in field.hidden
        field = take_step(table, field, unit, to)
        if not stands(field, unit, to) or (hidden and traps.stops(table, field, unit)):
            break
        way = onward(table, field, unit, way[1:])
    return field


@rule("movement.onward", cites=("move/step", "move/free-tile"), neutral=lambda field, unit, way: way)
def onward(table: Table, field: Battlefield, unit: str, way: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Decide how much of its way a unit can still go after a step: as far as its points last and tiles are free."""
    with table.without_findings():
        parts = (way[:many] for many in range(len(way), 0, -1))
        left = next((part for part in parts if not way_violations(table, field, unit, part)), ())
    if left != way:
        steps = Quantity(len(way), "remaining step")
        table.find("{unit} can take {many} of {steps}", unit=field.name(unit), many=len(left), steps=steps)
    return left


def stands(field: Battlefield, unit: str, at: Tile) -> bool:
    """Say whether a unit is on a tile, and is not downed."""
    return field.stands(unit) and field.at(unit) == at


# Where a unit can come


def reach(table: Table, field: Battlefield, unit: str, at_most: int) -> Reach:
    """Give the tiles to which a unit can go alive for so many points, as things stand: nothing on the way goes off."""
    by_options = partial(reached_by, field, unit, at_most, prices(table, field))
    return by_readings(table, by_options, lambda reach: reach, *open_readings(field, unit))


def by_readings(table: Table, decided: Callable[..., T], matters: Callable[[T], object], *readings: Options) -> T:
    """Decide by the table's readings, and consult those alone that make a difference to what matters of it."""
    found: dict[tuple[str, ...], T] = {}

    def mattering(*options: str) -> object:
        found[options] = decided(*options)
        return matters(found[options])

    settled(table, mattering, *readings)
    options = tuple(table.readings[reading] for reading, _ in readings)
    return found[options] if options in found else decided(*options)


def way_to(table: Table, field: Battlefield, unit: str, goal: Tile) -> tuple[Tile, ...]:
    """Give a cheapest way to a tile, however long; to one on which it could not stop, onto it from beside; or none."""
    costs = prices(table, field)

    def shortest(friends: str, squeeze: str) -> tuple[Tile, ...]:
        reached = reached_by(field, unit, FAR, costs, friends, squeeze)
        if goal in reached:
            return reached.path(goal)
        return next(((*reached.path(at), goal) for at in reached if field.ground.adjacent(at, goal)), ())

    way: tuple[Tile, ...] = settled(table, shortest, *open_readings(field, unit))
    return way


@violations_rule("movement.no_way", cites="move/free-tile")
def no_way(table: Table, field: Battlefield, unit: str, goal: Tile) -> Iterator[Reason]:
    """Decide why a unit cannot go to a tile to which no way leads over free ones."""
    text = "{unit} has no path over free tiles to {tile}"
    yield table.reason(text, unit=field.name(unit), tile=targeting.tile(goal))


def deadly(table: Table, field: Battlefield, unit: str, at_most: int) -> dict[Tile, int]:
    """Give the killing tiles that a unit can step into for so many points, if it may: `walk-into-killing`."""
    with table.without_findings():
        near = reach(table, field, unit, at_most)
        costs = {
            at: near[start] + cost(table, field, at)
            for start in reversed(tuple(near))
            for at in field.ground.neighbours(start)
            if at in field.ground.killing and not squeezed(table, field, unit, start, at)
        }
    tiles = {at: ap for at in field.ground.in_order if (ap := costs.get(at, at_most + 1)) <= at_most}
    return tiles if tiles and table.read("walk-into-killing") == "yes" else {}


def open_readings(field: Battlefield, unit: str) -> tuple[Options, Options]:
    """Give the readings on which ways depend, with only those options between which they could differ."""
    friends = FRIENDS if field.friends(field.unit(unit)) else (FRIENDS[0], FRIENDS[1][:1])
    squeeze = SQUEEZE if field.ground.posted.grid == "square-8" else (SQUEEZE[0], SQUEEZE[1][:1])
    return friends, squeeze


def prices(table: Table, field: Battlefield) -> Prices:
    """Give what a step onto a tile costs, and onto difficult terrain."""
    with table.without_findings():
        usual = step(table)
        return Prices(usual, next((difficult(table, field, at) for at in field.ground.difficult), usual))


def reached_by(
    field: Battlefield, unit: str, at_most: int, costs: Prices, friends: str, squeeze: str, shut: Collection[Tile] = ()
) -> Reach:
    """Give what `reach` gives by the options of `open_readings`, over no tiles that are `shut`."""
    no_stop = _friendly(field, unit) if friends == "yes" else frozenset[Tile]()
    no_way = blocked(field, unit, friends).union(shut)
    return field.ground.reach(field.at(unit), at_most, costs, no_way, no_stop, squeeze == "yes")


def blocked(field: Battlefield, unit: str, friends: str) -> frozenset[Tile]:
    """Give the tiles over which no way leads: obstacles, what kills, enemies, and friends unless they may be passed."""
    closed = field.closed | field.tiles_of_enemies(field.unit(unit))
    return closed if friends == "yes" else closed | _friendly(field, unit)


def _friendly(field: Battlefield, unit: str) -> frozenset[Tile]:
    if field.scene.shared_tiles:
        return frozenset()
    return field.tiles_of(field.friends(field.unit(unit)))


# Turning


def turns(table: Table, field: Battlefield, unit: str) -> Iterator[Turn]:
    """Give every turn of a unit to a direction that it does not face."""
    directions = range(len(field.ground.directions) if field.scene.board.facing else 0)
    return (Turn(unit, facing) for facing in directions if facing != field.unit(unit).facing)


@rule("movement.turn_price", cites=("move/turning", "flanking/from-behind"), neutral=0)
def turn_price(table: Table, field: Battlefield, turn: Turn) -> int:
    """Decide what it costs a unit to face another way: nothing, or 1 action point, by `turning`."""
    if field.unit(turn.actor).facing == turn.facing:
        return 0
    ap = 1 if table.read("turning") == "point" else 0
    table.find("Turning costs {unit} {price} AP", unit=field.name(turn.actor), price=ap)
    return ap


def turn_to_face(table: Table, field: Battlefield, turn: Turn) -> Battlefield:
    """Turn a unit that may turn, and pay for it."""
    with table.without_findings():
        ap = turn_price(table, field, turn)
    if ap:
        field = points.paid(table, field, turn.actor, ap, "turning")
    table.event("turned", unit=turn.actor, facing=turn.facing)
    return field.put(replace(field.unit(turn.actor), facing=turn.facing))
