"""Setting up: the steps in order, the battlefield, terrain, missions, and deployment."""

from collections.abc import Iterator
from typing import Literal, get_args

from arbiter.dice import numbered
from arbiter.geometry.plane.shapes import PER_UNIT, thousandths
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.rapture.battlefield import Battlefield
from services.rapture.book import Book, number
from services.rapture.placing import Placed, put
from services.rapture.rules import bands, contest
from services.rapture.scene import Unit, edge_of

Step = Literal["assemble", "measure", "terrain", "missions", "objectives", "deploy"]
"""The steps, in the text's order."""


@rule("setup.steps", cites=("setup/steps", "setup/objectives"), neutral=lambda begin: (begin,))
def steps(table: Table, begin: Step) -> tuple[Step, ...]:
    """Decide which steps of the setup follow, in order, from one of them on."""
    every = get_args(Step)
    following: tuple[Step, ...] = every[every.index(begin) :]
    table.find("Steps: {steps}", cites="setup/steps", steps=Listing(following))
    if "objectives" in following:
        table.find("Objectives are placed after the missions are drawn", cites="setup/objectives")
    return following


@violations_rule("setup.battlefield_violations", cites="setup/battlefield")
def battlefield_violations(table: Table, field: Battlefield) -> Iterator[Reason]:
    """Decide why a battlefield has the wrong size: it must be a square of 90 cm."""
    side, board = number("battlefield-side"), field.scene.board
    if field.ground.width == field.ground.depth == side * PER_UNIT:
        table.find("The battlefield is {side} by {side} cm", side=side)
    else:
        text = "The battlefield is {width:g} by {depth:g} cm; it must be {side} by {side} cm"
        yield table.reason(text, width=board.width_cm, depth=board.depth_cm, side=side)


@rule(
    "setup.terrain_first",
    cites=("setup/terrain-roll", "setup/first-terrain"),
    neutral=lambda field: field.scene.all_sides[-1].id,
)
def terrain_first(table: Table, field: Battlefield) -> str:
    """Decide which side places the first piece of terrain: the highest roll; a tie is `terrain-tie`."""
    players = tuple(side.id for side in field.scene.all_sides)
    highest = contest.roll_once(table, players, "terrain") if len(players) > 1 else players
    first = highest[0]
    if len(highest) > 1 and table.read("terrain-tie") == "scene-order":
        table.find("{sides} tie: {side} places the first piece of terrain", sides=Listing(highest), side=first)
        return first
    if len(highest) > 1:
        first = contest.highest(table, highest, "terrain")
    table.find("{side} rolls highest and places the first piece of terrain", side=first)
    return first


@violations_rule("setup.mission_violations", cites="setup/three-missions")
def mission_violations(table: Table, book: Book, side: str, missions: tuple[str, ...]) -> Iterator[Reason]:
    """Decide why a pick of missions is wrong: it must be three cards, of different missions (`mission-copies`)."""
    required = number("missions-picked")
    if len(missions) != required:
        text = "{side} has picked {many} missions and must pick {asked}"
        yield table.reason(text, side=side, many=len(missions), asked=required)
    copied = [id_ for id_ in dict.fromkeys(missions) if missions.count(id_) > 1]
    if copied and table.read("mission-copies") == "different":
        text = "{side} has picked {missions} more than once"
        yield table.reason(text, side=side, missions=Listing(_mission_name(book, id_) for id_ in copied))


@rule("setup.draw_mission", cites="setup/mission-drawn", neutral=lambda book, side, missions: missions[0])
def draw_mission(table: Table, book: Book, side: str, missions: tuple[str, ...]) -> str:
    """Decide which mission a side has: one of its picks, drawn at random."""
    mission: str = missions[table.roll(numbered(len(missions)), f"{side}: mission") - 1]
    table.find("{side} draws {mission}", side=side, mission=_mission_name(book, mission))
    return mission


def _mission_name(book: Book, id_: str) -> str:
    return book.missions[id_].name or id_


def cards(field: Battlefield, side: str) -> tuple[str, ...]:
    """Give the cards of a side's battlegroup, each band together."""
    own = [unit for unit in field.scene.units if unit.side == side]
    heads = [unit for unit in own if unit.leader is None]
    return tuple(unit.profile for head in heads for unit in (head, *(each for each in own if each.leader == head.id)))


@rule("setup.deploys_first", cites="setup/most-units", neutral=lambda field, terrain_first: field.scene.all_sides[0].id)
def deploys_first(table: Table, field: Battlefield, terrain_first: str | None) -> str:
    """Decide which side deploys the first unit: the one with the most units; a tie is `deployment-tie`.

    A band counts as one unit, or as its models where they are activated apart (`band-activation`). `terrain_first` is
    the side that placed the first piece of terrain, if known.
    """

    def most_units(band: str) -> tuple[str, ...]:
        units = [unit for unit in field.scene.units if band == "apart" or unit.leader is None]
        many = {side.id: sum(unit.side == side.id for unit in units) for side in field.scene.all_sides}
        return tuple(side for side, own in many.items() if own == max(many.values()))

    most = settled(table, most_units, ("band-activation", ("together", "apart")))
    if len(most) == 1:
        table.find("{side} has the most units and deploys first", side=most[0])
        return most[0]
    if table.read("deployment-tie") == "terrain" and terrain_first is not None:
        table.find("{side} placed the first piece of terrain and deploys first", side=terrain_first)
        return terrain_first
    first = contest.highest(table, most, "deployment")
    table.find("{side} rolls highest and deploys first", side=first)
    return first


@rule(
    "setup.deploys_next",
    cites="setup/deployment-turns",
    neutral=lambda field, first: first if heads(field, first, deployed=False) else None,
)
def deploys_next(table: Table, field: Battlefield, first: str) -> str | None:
    """Decide which side deploys the next unit: sides take turns; null if no unit is left."""
    sides = [side.id for side in field.scene.all_sides]
    start = sides.index(first)
    left = [side for side in (*sides[start:], *sides[:start]) if heads(field, side, deployed=False)]
    if not left:
        table.find("Every unit is deployed")
        return None
    following = min(left, key=lambda side: len(heads(field, side, deployed=True)))
    table.find("{side} deploys the next unit", side=following)
    return following


def heads(field: Battlefield, side: str, *, deployed: bool) -> tuple[Unit, ...]:
    """Give the units of a side that are deployed, or are not yet; a leader stands for its band."""
    own = (unit for unit in field.scene.units if unit.side == side and unit.leader is None)
    return tuple(unit for unit in own if deployed == (bool(unit.models) or unit.disabled is not None))


@violations_rule("setup.deployment_violations", cites="setup/deployment-turns")
def deployment_violations(
    table: Table, field: Battlefield, placed: tuple[Placed, ...], following: str | None
) -> Iterator[Reason]:
    """Decide why a deployment is not allowed: wrong side, unit already deployed, or more than one unit.

    Models stand in the zone of their side, or by the reading `deployment-zone`.
    """
    heads = tuple(dict.fromkeys(field.unit(row.unit).leader or row.unit for row in placed))
    if len(heads) > 1:
        yield table.reason("One unit is deployed at a time, not {many}", many=len(heads))
    for row in placed:
        unit = field.unit(row.unit)
        if unit.models or unit.disabled is not None:
            yield table.reason("{unit} is already deployed", unit=field.name(unit.id))
    if placed and (side := field.unit(placed[0].unit).side) != following:
        yield table.reason("It is the turn of {turn}, not of {side}", turn=following, side=side)
    named = {row.unit for row in placed}
    for head in heads:
        band = (head, *(unit.id for unit in field.scene.units if unit.leader == head))
        missing = [field.name(id_) for id_ in band if id_ not in named]
        if missing:
            yield table.reason("A band is deployed together; missing: {missing}", missing=Listing(missing))
        else:
            yield from bands.contact_violations(table, put(field, placed), head)
    yield from zone_violations(table, field, placed)


def deploy(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Battlefield:
    """Give the battlefield after a unit is deployed."""
    for row in placed:
        table.event("deployed", unit=row.unit, models=row.models)
    return put(field, placed)


@violations_rule("setup.zone_violations", cites="setup/deployment-turns")
def zone_violations(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Iterator[Reason]:
    """Decide which units stand outside the zone of their side, with any part of a base (`deployment-zone`)."""
    after, ground = put(field, placed), field.ground
    for row in placed:
        unit = after.unit(row.unit)
        side = after.side(unit)
        edge = edge_of(side)
        deep = ground.across(edge) // 2 if side.zone_cm is None else thousandths(side.zone_cm)
        outside = any(ground.from_edge(edge, body.at) + body.radius > deep for body in after.solids(unit))
        if outside and (side.zone_cm is not None or table.read("deployment-zone") != "anywhere"):
            text = "{unit} is not within {deep:g} cm of the {edge} edge"
            yield table.reason(text, unit=after.name(unit.id), deep=deep / PER_UNIT, edge=edge)
