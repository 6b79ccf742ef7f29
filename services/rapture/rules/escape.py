"""Escape: which units get an Escape Marker, where they flee to, and when they leave the battlefield.

Each model flees separately, those nearest to the edge first. Lengths are thousandths of a centimetre.
"""

from collections.abc import Iterable
from math import ceil
from typing import get_args

from msgspec.structs import replace

from arbiter.facts import YesNo, fact
from arbiter.geometry.plane.paths.moves import clipped
from arbiter.geometry.plane.paths.room import TOUCH as EQUAL
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, Point, whole
from arbiter.nowhere import PlaceNeeded, unplaced
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.value import Value
from services.rapture import ways
from services.rapture.battlefield import Battlefield
from services.rapture.rules import activation, bands, boxes, rescue
from services.rapture.scene import Edge, edge_of


class Run(Value, frozen=True):
    """The flight of one model: where it ends, its length, and whether it leaves the battlefield."""

    at: Point
    length: int
    off: bool


def cross_morale(table: Table, field: Battlefield, unit_id: str, points: int) -> Battlefield:
    """Give the battlefield after MP are crossed out; a unit that loses its last MP may begin to escape."""
    unit = field.unit(unit_id)
    if points <= 0 or unit.disabled is not None:
        return field
    lost = boxes.lose_morale(table, field.book, unit, points)
    if lost is unit:
        return field
    after = field.put(lost)
    return after if boxes.left(after, unit_id, "mp") else begin(table, after, unit_id)


def begin(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield after a unit has lost its last MP: it may get an Escape Marker and flee at once."""
    after = mark(table, field, unit_id)
    if not after.unit(unit_id).escaping or field.unit(unit_id).escaping:
        return after
    return flee_at_once(table, end_activation(table, after, unit_id), unit_id)


def restore_morale(table: Table, field: Battlefield, unit_id: str, points: int) -> Battlefield:
    """Give the battlefield after MP come back otherwise than by a rescue; an Escape Marker may go with them."""
    after = boxes.restore(table, field, unit_id, "mp", points)
    came_back = after.unit(unit_id) != field.unit(unit_id)
    if came_back and after.unit(unit_id).escaping and not keeps_marker(table, after, unit_id):
        return rescue.remove_marker(table, after, unit_id)
    return after


@rule("escape.keeps_marker", cites=("escape/marker", "rescue/marker-gone"), neutral=True)
def keeps_marker(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Decide whether an escaping unit that regains MP without a rescue keeps its Escape Marker: `marker-healed`."""
    if table.read("marker-healed") == "gone":
        return False
    text = "{unit} has MP again and keeps its Escape Marker: only a rescue removes it"
    table.find(text, unit=field.name(unit_id))
    return True


@rule("escape.mark", cites=("escape/marker", "escape/only-with-word"), neutral=unchanged)
def mark(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide whether a unit without MP gets an Escape Marker: only if the last box of its bar says so."""
    unit = field.unit(unit_id)
    bar, name = field.profile(unit).mp, field.name(unit)
    if unit.mp_crossed < len(bar):
        return field
    if unit.escaping:
        table.find("{unit} has an Escape Marker already and does not flee again", unit=name)
    elif not (bar and bar[-1].escape):
        table.find("{unit} has no MP left, but its last box does not say Escape", unit=name)
    else:
        table.find("{unit} has no MP left and gets an Escape Marker", unit=name)
        table.event("escaping", unit=unit_id)
        return field.put(replace(unit, escaping=True))
    return field


@rule("escape.end_activation", cites="activation/escaping", neutral=unchanged)
def end_activation(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide whether the activation in which a unit begins to escape ends (`escape-in-activation`)."""
    if field.scene.active != unit_id or table.read("escape-in-activation") == "goes-on":
        return field
    table.find("{unit} has an Escape Marker: its activation ends", unit=field.name(unit_id))
    return activation.end(table, field, unit_id)


@rule("escape.flee_at_once", cites="escape/at-once", neutral=unchanged)
def flee_at_once(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide when a unit with a new Escape Marker flees: immediately."""
    if field.unit(unit_id).models:
        table.find("{unit} flees immediately", unit=field.name(unit_id))
    return flight(table, field, unit_id)


def flight(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield after a unit with an Escape Marker flees, possibly off the battlefield."""
    unit = field.unit(unit_id)
    if not unit.models or unit.disabled is not None or stays(table, field, unit_id):
        return field
    if not field.measures(unit_id):
        return _unseen_flight(table, field, unit_id)
    edge, far = own_edge(table, field, unit_id), pace(table, field, unit_id)
    before = rescue.adjacent_friends(field, unit_id)
    after, runs = _run(table, field, unit_id, edge, far)
    if runs and leaves_battlefield(table, field, unit_id, runs):
        return boxes.disable(table, after, unit_id, "fled", None)
    return rescue.rescue_by_flight(table, after, unit_id, before)


def _unseen_flight(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield after a flight that only the players see."""
    pace(table, field, unit_id)
    band = unit_id, *bands.companions(table, field, unit_id)
    if leaves_battlefield(table, field, unit_id, ()):
        return boxes.disable(table, field, unit_id, "fled", None)
    for id_ in band:
        table.event("fled", unit=id_, models=())
        unit = field.unit(id_)
        field = field.put(replace(unit, models=unplaced(len(unit.models), elsewhere=True)))
    return rescue.rescue_by_flight(table, field, unit_id, ())


@rule("escape.stays", cites="kinds/apprentice-contact", neutral=False)
def stays(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Decide whether an escaping unit stays: an apprentice may, by the reading `apprentice-flight`."""
    if field.unit(unit_id).leader is None or table.read("apprentice-flight") == "flees":
        return False
    table.find("{unit} stays beside its leader", unit=field.name(unit_id))
    return True


@rule("escape.own_edge", cites="escape/own-edge", neutral=lambda field, unit_id: nearest_edge(field, unit_id))
def own_edge(table: Table, field: Battlefield, unit_id: str) -> Edge:
    """Decide towards which edge a unit flees: the edge of its own side."""
    unit = field.unit(unit_id)
    edge = edge_of(field.side(unit))
    table.find("{unit} flees towards its own edge in the {edge}", unit=field.name(unit.id), edge=edge)
    return edge


def way_left(field: Battlefield, unit_id: str) -> int:
    """Give how far the first model of a unit to get there is from its own edge."""
    unit = field.unit(unit_id)
    edge = edge_of(field.side(unit))
    return min(field.ground.from_edge(edge, body.at) - body.radius for body in field.solids(unit))


def nearest_edge(field: Battlefield, unit_id: str) -> Edge:
    """Give the edge of the battlefield nearest to a unit's first model."""
    at = field.solids(field.unit(unit_id))[0].at
    return min(get_args(Edge), key=lambda edge: field.ground.from_edge(edge, at))


@rule("escape.pace", cites="escape/full-move", neutral=0)
def pace(table: Table, field: Battlefield, unit_id: str) -> int:
    """Decide how far a unit flees: its full current MOV."""
    with table.without_findings():
        far = boxes.values(table, field, unit_id).mov
    table.find("{unit} flees up to {far:g} cm", unit=field.name(unit_id), far=far / PER_UNIT)
    return far


@fact(
    "crosses_edge",
    "Does {unit} flee across its own edge, with all its models?",
    of=("unit",),
    kind=YesNo(usual=False),
    says=("{unit} flees across its own edge", "{unit} does not flee across its own edge"),
    cites="escape/off-the-edge",
)
@rule("escape.leaves_battlefield", cites="escape/off-the-edge", neutral=False)
def leaves_battlefield(table: Table, field: Battlefield, unit_id: str, runs: tuple[Run, ...]) -> bool:
    """Decide whether a unit is disabled because it has fled across the edge.

    A squad is disabled with its last model, or by the reading `squad-over-edge` with its first.
    """
    if not runs:
        raise PlaceNeeded
    off = sum(run.off for run in runs)
    if not off:
        return False
    name = field.name(unit_id)
    if off < len(runs) and table.read("squad-over-edge") == "last":
        table.find("{off} of {many} models of {unit} have crossed the edge", off=off, many=len(runs), unit=name)
        return False
    table.find("{unit} has crossed the edge of the battlefield and is disabled", unit=name)
    return True


def _run(table: Table, field: Battlefield, unit_id: str, edge: Edge, far: int) -> tuple[Battlefield, tuple[Run, ...]]:
    """Give the battlefield after each model has fled, those nearest to the edge first, with apprentices."""
    unit, ground = field.unit(unit_id), field.ground
    along = bands.companions(table, field, unit_id)
    bodies, runs = dict(enumerate(field.solids(unit))), {}
    for number in sorted(bodies, key=lambda number: ground.from_edge(edge, bodies[number].at)):
        rest = (body for other, body in bodies.items() if other != number)
        run = runs[number] = _model_run(table, field, (unit_id, *along), bodies[number], rest, edge, far)
        if run.off:
            del bodies[number]
        else:
            bodies[number] = replace(bodies[number], at=run.at)
    ordered = tuple(runs[number] for number in sorted(runs))
    if not bodies:
        return field, ordered
    after = field.put(ways.put(unit, [body.at for body in bodies.values()]))
    after = _place_apprentices(after, field, unit_id, along)
    if after is field:
        return field, ()
    for id_ in (unit_id, *along):
        if after.unit(id_).models != field.unit(id_).models:
            table.event("fled", unit=id_, models=after.unit(id_).models)
    return after, ordered


def _model_run(
    table: Table, field: Battlefield, band: tuple[str, ...], body: Figure, rest: Iterable[Figure], edge: Edge, far: int
) -> Run:
    """Give the flight of a model of the first unit of a band; readings are read only where they make a difference."""
    side, others = field.player(band[0]), ways.others(field, band)
    bases = [(other, 0 if whose.side == side else ways.apart(other), False) for whose, other in others]
    bases += [(other, 0, False) for other in rest]

    def run(way: str, models: str, crossed: str) -> Run:
        path, short = ways.towards(field, body, edge, () if models == "through" else bases, way == "round")
        needed = path.length + (2 * body.radius if crossed == "whole-base" else 0)
        off = not short and (far >= needed - EQUAL if crossed == "whole-base" else far > needed + EQUAL)
        flight_path = clipped(path, 0.0, float(far))
        if models == "through" and not off:
            flight_path = ways.clear_of_bases(flight_path, body.radius, [other for other, *_ in bases])
        return Run(whole(flight_path.end), ceil(flight_path.length - EQUAL), off)

    return settled(
        table,
        run,
        ("flight-way", ("round", "straight")),
        ("flight-through-models", ("around", "through")),
        ("edge-crossed", ("any-part", "whole-base")),
    )


def _place_apprentices(after: Battlefield, before: Battlefield, leader_id: str, along: tuple[str, ...]) -> Battlefield:
    """Place apprentices beside their leader after its flight; without room for all of them it has not fled."""
    if not along:
        return after
    (leader,), (was,) = (field.solids(field.unit(leader_id)) for field in (after, before))
    side = after.unit(leader_id).side
    enemies = [other for unit, other in after.bodies if unit.side != side]
    for number, id_ in enumerate(along):
        unit = after.unit(id_)
        (body,) = after.solids(unit)
        wish = body.at[0] + leader.at[0] - was.at[0], body.at[1] + leader.at[1] - was.at[1]
        bodies = ways.others(after, along[number:])
        at = ways.beside(after, body, leader, wish, bodies, enemies)
        if at is None:
            return before
        after = after.put(ways.put(unit, (at,)))
    return after
