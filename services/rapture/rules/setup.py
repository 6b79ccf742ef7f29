"""Setting up: the steps in order, the battlefield, terrain, missions, and deployment."""

from collections.abc import Mapping
from typing import Literal, get_args

from msgspec.structs import replace

from arbiter.dice import numbered
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, thousandths
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Listing
from services.rapture.battlefield import Battlefield
from services.rapture.book import Book, number
from services.rapture.placing import Placed, put
from services.rapture.rules import contest
from services.rapture.scene import Side, Unit, edge_of

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


@rule("setup.battlefield_violations", cites="setup/battlefield", neutral=())
def battlefield_violations(table: Table, field: Battlefield) -> tuple[Reason, ...]:
    """Decide why a battlefield has the wrong size: it must be a square of 90 cm."""
    side = number("battlefield-side")
    board = field.scene.board
    if field.ground.width == field.ground.depth == side * PER_UNIT:
        table.find("The battlefield is {side} by {side} cm", side=side)
        return ()
    text = "The battlefield is {width:g} by {depth:g} cm; it must be {side} by {side} cm"
    return (table.reason(text, width=board.width_cm, depth=board.depth_cm, side=side),)


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
    if len(highest) > 1 and table.read("terrain-tie") == "again":
        first = contest.highest(table, highest, "terrain")
    table.find("{side} rolls highest and places the first piece of terrain", side=first)
    return first


@rule("setup.mission_violations", cites="setup/three-missions", neutral=())
def mission_violations(table: Table, book: Book, side: str, missions: tuple[str, ...]) -> tuple[Reason, ...]:
    """Decide why a pick of missions is wrong: it must be three cards, of different missions (`mission-copies`)."""
    required = number("missions-picked")
    reasons = []
    if len(missions) != required:
        text = "{side} has picked {many} missions and must pick {asked}"
        reasons.append(table.reason(text, side=side, many=len(missions), asked=required))
    copied = [id_ for id_ in dict.fromkeys(missions) if missions.count(id_) > 1]
    if copied and table.read("mission-copies") == "different":
        text = "{side} has picked {missions} more than once"
        reasons.append(table.reason(text, side=side, missions=Listing(_mission_name(book, id_) for id_ in copied)))
    return tuple(reasons)


@rule("setup.draw_mission", cites="setup/mission-drawn", neutral=lambda book, side, missions: missions[0])
def draw_mission(table: Table, book: Book, side: str, missions: tuple[str, ...]) -> str:
    """Decide which mission a side has: one of its picks, drawn at random."""
    mission: str = missions[table.roll(numbered(len(missions)), f"{side}: mission") - 1]
    table.find("{side} draws {mission}", side=side, mission=_mission_name(book, mission))
    return mission


def _mission_name(book: Book, id_: str) -> str:
    return book.missions[id_].name or id_


def with_missions(field: Battlefield, missions: Mapping[str, str]) -> Battlefield:
    """Give the battlefield after sides have drawn their missions."""
    sides = tuple(
        replace(side, mission=missions[side.id]) if side.id in missions else side for side in field.scene.all_sides
    )
    return field.with_(sides=sides)


def cards(field: Battlefield, side: str) -> tuple[str, ...]:
    """Give the cards of a side's battlegroup, each band together."""
    own = tuple(unit for unit in field.scene.units if unit.side == side)
    profiles: list[str] = []
    for head in own:
        if head.leader is None:
            profiles += (head.profile, *(unit.profile for unit in own if unit.leader == head.id))
    return tuple(profiles)


# Deployment


def undeployed_units(field: Battlefield, side: str) -> tuple[Unit, ...]:
    """Give the units of a side that are not deployed yet; a leader stands for its band."""
    return tuple(unit for unit in _deployable_units(field, side) if not unit.models and unit.disabled is None)


def _most_units(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Give the sides with the most units; how many units a band is follows from `band-activation`."""

    def most(band: str) -> tuple[str, ...]:
        units = [unit for unit in field.scene.units if band == "apart" or unit.leader is None]
        many = {side.id: sum(unit.side == side.id for unit in units) for side in field.scene.all_sides}
        return tuple(side for side, own in many.items() if own == max(many.values()))

    return settled(table, most, ("band-activation", ("together", "apart")))


def _deployable_units(field: Battlefield, side: str) -> tuple[Unit, ...]:
    return tuple(unit for unit in field.scene.units if unit.side == side and unit.leader is None)


@rule("setup.deploys_first", cites="setup/most-units", neutral=lambda field, terrain_first: field.scene.all_sides[0].id)
def deploys_first(table: Table, field: Battlefield, terrain_first: str | None) -> str:
    """Decide which side deploys the first unit: the one with the most units; a tie is `deployment-tie`.

    A band counts as one unit, or as its models where they are activated apart (`band-activation`). `terrain_first` is
    the side that placed the first piece of terrain, if known.
    """
    most = _most_units(table, field)
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
    neutral=lambda field, first: first if undeployed_units(field, first) else None,
)
def deploys_next(table: Table, field: Battlefield, first: str) -> str | None:
    """Decide which side deploys the next unit: sides take turns; null if no unit is left."""
    sides = tuple(side.id for side in field.scene.all_sides)
    start = sides.index(first)
    turns = (*sides[start:], *sides[:start])
    done = {side: len(_deployable_units(field, side)) - len(undeployed_units(field, side)) for side in sides}
    left = [side for side in turns if undeployed_units(field, side)]
    if not left:
        table.find("Every unit is deployed")
        return None
    following = min(left, key=lambda side: done[side])
    table.find("{side} deploys the next unit", side=following)
    return following


@rule("setup.deployment_violations", cites="setup/deployment-turns", neutral=())
def deployment_violations(
    table: Table, field: Battlefield, placed: tuple[Placed, ...], following: str | None
) -> tuple[Reason, ...]:
    """Decide why a deployment is not allowed: wrong side, unit already deployed, or more than one unit.

    Models stand in the zone of their side, or by the reading `deployment-zone`.
    """
    reasons = []
    heads = tuple(dict.fromkeys(field.unit(row.unit).leader or row.unit for row in placed))
    if len(heads) > 1:
        reasons.append(table.reason("One unit is deployed at a time, not {many}", many=len(heads)))
    for row in placed:
        unit = field.unit(row.unit)
        if unit.models or unit.disabled is not None:
            reasons.append(table.reason("{unit} is already deployed", unit=field.name(unit.id)))
    if placed and (side := field.unit(placed[0].unit).side) != following:
        reasons.append(table.reason("It is the turn of {turn}, not of {side}", turn=following, side=side))
    named = {row.unit for row in placed}
    for head in heads:
        band = (head, *(unit.id for unit in field.scene.units if unit.leader == head))
        missing = [field.name(id_) for id_ in band if id_ not in named]
        if missing:
            reasons.append(table.reason("A band is deployed together; missing: {missing}", missing=Listing(missing)))
    return (*reasons, *zone_violations(table, field, placed))


def deploy(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> Battlefield:
    """Give the battlefield after a unit is deployed."""
    for row in placed:
        table.event("deployed", unit=row.unit, models=row.models)
    return put(field, placed)


@rule("setup.zone_violations", cites="setup/deployment-turns", neutral=())
def zone_violations(table: Table, field: Battlefield, placed: tuple[Placed, ...]) -> tuple[Reason, ...]:
    """Decide which units stand outside the zone of their side, with any part of a base (`deployment-zone`)."""
    after = put(field, placed)
    reasons = []
    for row in placed:
        unit = after.unit(row.unit)
        side = after.side(unit)
        deep = _half(field, side) if side.zone_cm is None else thousandths(side.zone_cm)
        outside = any(_depth(field, side, body) > deep for body in after.solids(unit))
        if not outside or (side.zone_cm is None and table.read("deployment-zone") == "anywhere"):
            continue
        text = "{unit} is not within {deep:g} cm of the {edge} edge"
        reasons.append(table.reason(text, unit=after.name(unit.id), deep=deep / PER_UNIT, edge=edge_of(side)))
    return tuple(reasons)


def _half(field: Battlefield, side: Side) -> int:
    return (field.ground.width if edge_of(side) in ("west", "east") else field.ground.depth) // 2


def _depth(field: Battlefield, side: Side, body: Figure) -> int:
    """Give the distance from a side's edge to the far side of a base."""
    x, y = body.at
    away = {"west": x, "east": field.ground.width - x, "south": y, "north": field.ground.depth - y}
    return away[edge_of(side)] + body.radius
