"""Throwing and pulling: along which tiles a unit is catapulted, what stops it, and what its landing does."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from arbiter.geometry.tile.board import Grazes
from arbiter.option import Option
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.warleague.battlefield import Battlefield, elsewhere
from services.warleague.ground import Ground
from services.warleague.rules import kills, observed, rad, targeting, traps
from services.warleague.rules.happenings import Arrival, Happening, HappeningOutcome, Springing, Throwing, uneventful
from services.warleague.scene import Hidden, Tile

Way = tuple[Tile | None, ...]
"""The tiles over which a unit is catapulted, in their order; null where the board ends."""


@dataclass(frozen=True)
class Flight:
    """How a unit flies: where it comes to rest, the crates that it hits, and whether it falls off the board.

    It is `deadly` where only the players see that the tile kills.
    """

    to: Tile
    crates: tuple[Tile, ...] = ()
    fell: bool = False
    deadly: bool = False


@rule("throwing.flew", cites="throw/sources", neutral=uneventful)
def flew(table: Table, field: Battlefield, throwing: Throwing) -> HappeningOutcome:
    """Decide what comes of an ability, an item or a trap that catapults a unit: where it goes, and what it hits."""
    unit = throwing.unit
    if field.unit(unit).at is None:
        return HappeningOutcome(field)
    start, tiles = field.at(unit), throwing.throw.tiles
    words: dict[str, Any] = {"why": throwing.why, "unit": field.name(unit), "tiles": Quantity(tiles, "tile")}
    pulls = throwing.throw.way == "towards"
    table.find("{why} pulls {unit} up to {tiles}" if pulls else "{why} throws {unit} up to {tiles}", **words)
    field, flight = _flight(table, field, throwing)
    table.event("thrown", unit=unit, **{"from": start}, to=flight.to)
    if flight.to != start:
        field = faced(table, field.put(replace(field.unit(unit), at=flight.to)), unit)
    if flight.fell:
        return HappeningOutcome(kills.killed(table, field, unit, throwing.attacker, True))
    if flight.deadly:
        return HappeningOutcome(plunged(table, field, unit, flight.to, throwing.attacker))
    more: tuple[Happening, ...] = ()
    for at in flight.crates:
        went = struck(table, field, unit, at)
        field, more = went.field, (*more, *went.more)
    landing = () if flight.to == start else (Arrival(unit, flight.to, True, throwing.attacker),)
    return HappeningOutcome(field, (*more, *landing))


# The way


@rule("throwing.way", cites=("throw/values", "throw/sources"), neutral=())
def way(table: Table, field: Battlefield, throwing: Throwing) -> Way:
    """Decide over which tiles a unit is catapulted: away from where it is thrown, or towards it, or as is chosen.

    What if that is no line of tiles is `throw-direction`. Between several ways the thrower decides.
    """
    ways = _ways(table, field, throwing)
    if len(ways) == 1:
        return ways[0]
    parts = next(index for index in range(len(ways[0])) if len({each[index : index + 1] for each in ways}) > 1)
    options = [each[parts] if parts < len(each) else None for each in ways]
    who = "table" if throwing.attacker is None else field.player(throwing.attacker)

    def means(at: Tile | None) -> Option:
        return Option(at, str(_named(at)), {"at": at})

    chosen = table.choose(who, f"{throwing.unit}: thrown over", options, about=field, means=means)
    table.find("{unit} is thrown over {tile}", unit=field.name(throwing.unit), tile=_named(chosen))
    return ways[options.index(chosen)]


def _ways(table: Table, field: Battlefield, throwing: Throwing) -> tuple[Way, ...]:
    """Give the ways that a throw can take, each once."""
    start, origin, throw = field.at(throwing.unit), throwing.origin, throwing.throw
    if throw.way == "chosen" or origin is None or origin == start:
        every = range(len(field.ground.directions))
        return _each_once(_straight(field.ground, start, direction, throw.tiles) for direction in every)
    a, b = (origin, start) if throw.way == "away" else (start, origin)

    def by_direction(how: str) -> tuple[Way, ...]:
        if how == "line":
            return _each_once(_lines(field.ground, a, b, start, throw.tiles))
        nearest = field.ground.towards(a, b)
        return _each_once(_straight(field.ground, start, direction, throw.tiles) for direction in nearest)

    return settled(table, by_direction, ("throw-direction", ("nearest", "line")))


def _each_once(ways: Iterator[Way]) -> tuple[Way, ...]:
    return tuple(dict.fromkeys(ways))


def _straight(ground: Ground, start: Tile, direction: int, tiles: int) -> Way:
    """Give the tiles in a direction, as far as the board goes."""
    tiles_over: list[Tile | None] = []
    at: Tile | None = start
    while at is not None and len(tiles_over) < tiles:
        at = ground.step(at, direction)
        tiles_over.append(at)
    return tuple(tiles_over)


def _lines(ground: Ground, a: Tile, b: Tile, start: Tile, tiles: int) -> Iterator[Way]:
    """Give the tiles that a line from `start` in the direction from `a` to `b` enters.

    Where it runs between two tiles without entering either, there are two ways, one on each hand.
    """
    (aq, ar), (bq, br), (q, r) = ground.inner(a), ground.inner(b), ground.inner(start)
    times = -(-tiles // ground.grid.distance((aq, ar), (bq, br)))
    end = (times * (bq - aq), times * (br - ar))
    for hand in (0, -1):
        inner, last = [], (0, 0)
        for offset in (*ground.grid.contacts(end).entered, end):
            if not ground.grid.adjacent(last, offset):
                inner.append(
                    [each for each in ground.grid.neighbours(last) if ground.grid.adjacent(each, offset)][hand]
                )
            inner.append(offset)
            last = offset
        yield _on_board(ground, [(q + dq, r + dr) for dq, dr in inner[:tiles]])


def _on_board(ground: Ground, inner: list[tuple[int, int]]) -> Way:
    tiles = tuple(map(ground.posted_tile, inner))
    return tiles[: tiles.index(None) + 1] if None in tiles else tiles


# The flight


def fly(table: Table, field: Battlefield, unit: str, over: Way) -> Flight:
    """Give how a unit flies over tiles: on to the last of them, unless something stops it before."""
    at = field.at(unit)
    for index, tile in enumerate(over):
        if tile is None:
            return Flight(at, fell=falls(table, field, unit, at))
        if hit := stopped(table, field, unit, at, tile):
            return _stop(table, field, at, tile, hit)
        if index and _pit(field, at) and not passes(table, field, unit, at):
            return Flight(at)
        at = tile
    if over:
        goes_on(table, field, unit, len(over))
    return Flight(at)


def _flight(table: Table, field: Battlefield, throwing: Throwing) -> tuple[Battlefield, Flight]:
    """Give how a unit flies, as the board shows it or as the players see it, with what is hidden where it ends."""
    unit = throwing.unit
    start = field.at(unit)

    def measured() -> Flight:
        return fly(table, field, unit, way(table, field, throwing))

    if table.facts is None or not throwing.throw.tiles:
        return field, measured() if throwing.throw.tiles else Flight(start)
    flights: list[Flight] = []

    def measure() -> str:
        flights.append(measured())
        return _end(field, start, flights[-1])

    end = observed.flight(table, field, unit, measure)
    if not observed.is_somewhere(start):
        return field, flights[-1] if flights else measured()
    to = elsewhere(start)
    match end:
        case "crate":
            field = field.with_(crates=(*field.scene.crates, Hidden(to)))
            return field, _stop(table, field, start, to, (to,))
        case "concealed":
            return field.with_(concealed=(*field.scene.concealed, Hidden(to))), Flight(to)
        case "edge":
            return field, Flight(to, fell=falls(table, field, unit, start))
        case _:
            return field, Flight(start if end == "stays" else to, deadly=end == "deadly")


def _end(field: Battlefield, start: Tile, flight: Flight) -> str:
    """Give in one word how a flight ends, as players would."""
    ends = {
        "edge": flight.fell,
        "crate": bool(flight.crates),
        "stays": flight.to == start,
        "deadly": flight.to in field.ground.killing,
        "concealed": field.concealed(flight.to) is not None,
    }
    return next((end for end, is_so in ends.items() if is_so), "free")


def _stop(table: Table, field: Battlefield, before: Tile, tile: Tile, hit: tuple[Tile, ...]) -> Flight:
    """Give where a unit comes to rest when it hits something; at a crate that is `throw-stops`."""
    crates = tuple(at for at in hit if field.crate(at) is not None)
    return Flight(before if tile not in crates or table.read("throw-stops") == "before" else tile, crates)


@rule("throwing.stopped", cites="throw/stops", neutral=())
def stopped(table: Table, field: Battlefield, unit: str, at: Tile, tile: Tile) -> tuple[Tile, ...]:
    """Decide what a catapulted unit hits that goes on to a tile: a unit, a crate or an obstacle stops it.

    Whether it gets between two things that touch at a corner is `grazes`, as it is for lines.
    """
    blockers = (field.solid | field.occupied) - {field.at(unit)}

    def flanking(grazes: Grazes) -> tuple[Tile, ...]:
        contacts = field.ground.contacts(at, tile, blockers, grazes)
        return tuple(there for one in contacts if one.blocks for there in one.tiles)

    hit = (tile,) if tile in blockers else settled(table, flanking, targeting.GRAZES)
    things = Listing(name for there in hit for name, _ in targeting.standing(field, there))
    if hit:
        table.find("{unit} hits {things} and stops", unit=field.name(unit), things=things)
    return hit


def _pit(field: Battlefield, tile: Tile) -> bool:
    """Say whether a tile holds something that a thrown unit passes over."""
    hidden = field.concealed(tile) is not None or any(trap.at == tile for trap in field.scene.traps)
    return hidden or tile in field.ground.killing


@rule("throwing.passes", cites="throw/passes", neutral=False)
def passes(table: Table, field: Battlefield, unit: str, tile: Tile) -> bool:
    """Decide whether a unit passes over a hole, a trap or concealed ground on its way: it does."""
    table.find("{unit} passes over {tile}", unit=field.name(unit), tile=targeting.tile(tile))
    return True


@rule("throwing.goes_on", cites="throw/maximum", neutral=None)
def goes_on(table: Table, field: Battlefield, unit: str, tiles: int) -> None:
    """Decide how far a unit flies that nothing stops: the whole distance."""
    table.find("{unit} flies the whole distance of {tiles}", unit=field.name(unit), tiles=Quantity(tiles, "tile"))


@rule("throwing.falls", cites=("throw/maximum", "throw/killing-tile"), neutral=False)
def falls(table: Table, field: Battlefield, unit: str, at: Tile) -> bool:
    """Decide whether a unit that is catapulted to where the board ends falls off it: `throw-edge`."""
    lost = table.read("throw-edge") == "lost"
    text = "{unit} falls off the board" if lost else "{unit} stops on {tile}, where the board ends"
    table.find(text, unit=field.name(unit), tile=targeting.tile(at))
    return lost


@rule("throwing.faced", cites=("throw/sources", "flanking/from-behind"), neutral=unchanged)
def faced(table: Table, field: Battlefield, unit: str) -> Battlefield:
    """Decide which way a unit faces after it was catapulted: `thrown-facing`."""
    each, directions = field.unit(unit), field.ground.directions
    if each.facing is None or table.read("thrown-facing") == "kept":
        return field

    def means(to: str) -> Option:
        return Option(to, to, {"facing": directions.index(to)})

    chosen = table.choose(field.player(unit), f"{unit}: faces", directions, about=field, means=means)
    table.find("{unit} faces {direction}", unit=field.name(unit), direction=chosen)
    table.event("turned", unit=unit, facing=directions.index(chosen))
    return field.put(replace(each, facing=directions.index(chosen)))


@rule("throwing.struck", cites=("throw/crate-destroyed", "throw/crate-flipped", "throw/crate-trap"), neutral=uneventful)
def struck(table: Table, field: Battlefield, unit: str, at: Tile) -> HappeningOutcome:
    """Decide what becomes of a crate that a thrown unit hits: it is destroyed and flipped, and its trap is drawn.

    Whom the trap works on is `throw-crate-trap`; loot lies on the tile.
    """
    words = {"unit": field.name(unit), "tile": targeting.tile(at)}
    table.find("{unit} destroys the crate on {tile}", cites="throw/crate-destroyed", **words)
    table.event("destroyed", what="crate", at=at)
    table.find("The crate on {tile} is flipped", cites="throw/crate-flipped", **words)
    field, holds = traps.revealed(table, field, at)
    went = traps.content(table, field, at, holds, unit, taker=None)
    return HappeningOutcome(
        went.field, tuple(_aimed(table, went.field, each, unit) for each in went.more if isinstance(each, Springing))
    )


def _aimed(table: Table, field: Battlefield, springing: Springing, unit: str) -> Springing:
    """Give whom the trap of a crate that was hit works on."""
    words = {"trap": traps.titled(field, springing.trap), "unit": field.name(unit)}
    table.find("The crate that {unit} hits holds a trap: {trap}", cites="throw/crate-trap", **words)
    if traps.explosive(field, springing.trap) or table.read("throw-crate-trap") == "thrown":
        return springing
    return replace(springing, on=tuple(each.id for each in field.on(springing.at)))


# The landing


def arrive(table: Table, field: Battlefield, arrival: Arrival) -> HappeningOutcome:
    """Give what its tile does to a unit that has come there: Rad, a crate or concealed ground, and open traps.

    Who is thrown onto a killing tile dies there.
    """
    unit, at = arrival.unit, arrival.at
    if not traps.here(field, unit, at):
        return HappeningOutcome(field)
    if arrival.thrown and at in field.ground.killing:
        return HappeningOutcome(plunged(table, field, unit, at, arrival.attacker))
    field = gathered(table, field, unit, at) if arrival.thrown else rad.collected(table, field, unit)
    uncovered = (revealed if arrival.thrown else traps.opened)(table, field, unit, at)
    lying = traps.stepped_into(table, uncovered.field, unit, at)
    return HappeningOutcome(lying.field, (*uncovered.more, *lying.more))


@rule("throwing.plunged", cites="throw/killing-tile", neutral=unchanged)
def plunged(table: Table, field: Battlefield, unit: str, at: Tile, attacker: str | None) -> Battlefield:
    """Decide what a killing tile does to a unit that lands on it: it dies at once, whatever it has left.

    `attacker` is the unit that has thrown it there.
    """
    kind = field.ground.killing.get(at, "killing tile")
    table.find("{unit} lands in the {kind} and dies", unit=field.name(unit), kind=kind)
    return kills.killed(table, field, unit, attacker, fell=observed.is_somewhere(at))


@rule("throwing.revealed", cites=("throw/concealed", "throw/concealed-trap"), neutral=uneventful)
def revealed(table: Table, field: Battlefield, unit: str, at: Tile) -> HappeningOutcome:
    """Decide what comes of concealed ground under a landing: it is revealed, and a trap there is drawn and goes off."""
    if field.concealed(at) is None:
        return HappeningOutcome(field)
    words = {"unit": field.name(unit), "tile": targeting.tile(at)}
    table.find("{unit} lands on the concealed ground of {tile} and reveals it", cites="throw/concealed", **words)
    field, holds = traps.revealed(table, field, at)
    if holds == "trap":
        table.find("The trap on {tile} goes off", cites="throw/concealed-trap", **words)
    went = traps.content(table, field, at, holds, unit, taker=None)
    if holds == "trap" or table.read("landing-trap") == "content":
        return went
    table.find("A trap card is drawn for {tile}, whatever it holds", cites="throw/concealed-trap", **words)
    more = traps.content(table, went.field, at, "trap", unit, taker=None)
    return HappeningOutcome(more.field, (*went.more, *more.more))


@rule("throwing.gathered", cites=("rad/collected", "throw/maximum"), neutral=unchanged)
def gathered(table: Table, field: Battlefield, unit: str, at: Tile) -> Battlefield:
    """Decide whether a unit collects the Rad of the tile to which it was thrown: `landing-collects`."""
    lies = any(each.at == at for each in field.scene.rads)
    if not lies or table.read("landing-collects") == "no":
        return field
    table.find("{unit} lands on Rad", unit=field.name(unit))
    return rad.collected(table, field, unit)


def _named(tile: Tile | None) -> str | targeting.TileName:
    return "the edge of the board" if tile is None else targeting.tile(tile)
