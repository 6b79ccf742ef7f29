"""Questions about moving: where a unit can go by a Movement Action or a retreat, and the result of one way."""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.fault import Fault, pointer
from arbiter.geometry.plane.paths import reach as paths_reach
from arbiter.geometry.plane.shapes import thousandths
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.cases import CaseState, case_fault, forbid, refuse
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import bends, point, rounded, rounded_place
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.checks import on_battlefield, prepared
from services.rapture.contacts import contacts_on
from services.rapture.rules import actions, bands, boxes, movement, retreat, routes
from services.rapture.scene import MOST_MODELS, Place, Scene

Kind = Literal["movement", "retreat"]

RULES = {"movement": movement, "retreat": retreat}
"""The rules of each kind of move: both have an allowance, and reasons against ways."""


class MovesCase(Value, frozen=True):
    """A unit and a kind of move; the answer has the area that its first model can reach.

    Whether the move is available now, by its price and limit, is the question `actions`.
    """

    scene: Scene
    unit: Annotated[Id, Meta(description="The unit that moves.")]
    kind: Kind = "movement"
    spacing_cm: Annotated[
        Annotated[float, Meta(ge=1, le=20)] | None,
        Meta(description="The distance between sample places; null for no samples."),
    ] = None
    to: Annotated[tuple[Place, ...], Meta(max_length=40, description="Places to which the way is looked for.")] = ()


class Sample(Value, frozen=True):
    """A place that can be reached, and the length of the shortest way there."""

    at: Place
    length_cm: float


class Shape(Value, frozen=True):
    """A polygon with holes, in centimetres; the rings do not repeat their first point."""

    outside: tuple[Place, ...]
    holes: tuple[tuple[Place, ...], ...] = ()


class Moves(Value, frozen=True):
    """Where a unit can go.

    `area` is where the centre of its first model's base can go, clear of opponents; places in contact with one are
    asked for as `to`. A retreat has to end where the unit is in contact with no opponent.
    """

    unit: Id
    allowance_cm: Annotated[float, Meta(description="How far it may go.")]
    area: tuple[Shape, ...]
    area_error_cm: Annotated[
        float,
        Meta(description="By how much the area may be too large: its border is simplified, and leaves nothing out."),
    ]
    samples: tuple[Sample, ...] = ()
    to: Annotated[
        tuple[Sample | None, ...], Meta(description="For each place in `to`: the way; null if out of reach.")
    ] = ()


class Along(Value, frozen=True):
    """An apprentice (`unit`) that moves along, and its place at the end (`at`)."""

    unit: Id
    at: Place


class PathCase(Value, frozen=True):
    """A unit and either a goal, for which the shortest way is found, or a way, place by place.

    Both are for its first model. `models` are the end places of a squad's other models, in order, and `along` those of
    apprentices; without them they keep their places beside the first model, or as near as there is room.
    """

    scene: Scene
    unit: Annotated[Id, Meta(description="The unit that moves.")]
    kind: Kind = "movement"
    goal: Annotated[Place | None, Meta(description="Where the centre of the first base ends.")] = None
    way: Annotated[
        Annotated[tuple[Place, ...], Meta(min_length=1, max_length=40)] | None,
        Meta(description="Places that it visits in straight lines, one after the other."),
    ] = None
    models: Annotated[tuple[Place, ...], Meta(max_length=MOST_MODELS)] = ()
    along: Annotated[tuple[Along, ...], Meta(max_length=MOST_MODELS)] = ()


class Countershot(Value, frozen=True):
    """A countershot on the way: `by` whom, `at` which unit, an apprentice perhaps, and its result."""

    by: Id
    at: Id
    hits: int
    blocks: int
    wounds: int


class PathAnswer(Value, frozen=True):
    """The result of a paid movement.

    `touches` are the opponents in contact with it, or with its apprentices, afterwards; `rescued` are the units that
    it has rescued. `lost` are the boxes, HP and MP, lost by its side, `others_lost` by all other sides; a disabled unit
    loses all that it had left.
    """

    unit: Id
    side: Id
    allowance_cm: float
    length_cm: Annotated[float, Meta(description="The length of the longest way among its models.")]
    way: Annotated[tuple[Place, ...], Meta(description="Where the first model's way begins, bends and ends.")]
    contacts: Annotated[tuple[Id, ...], Meta(description="Opponents with which the way comes into contact.")]
    countershots: tuple[Countershot, ...]
    arrived: Annotated[bool, Meta(description="Whether the unit stands at the end of its way.")]
    models: Annotated[tuple[Place, ...], Meta(description="Where its models stand now.")]
    touches: tuple[Id, ...]
    rescued: tuple[Id, ...]
    escaping: bool
    disabled: bool
    lost: int
    others_lost: int


def _moves_faults(field: Battlefield, case: MovesCase) -> Iterator[Fault]:
    return chain.from_iterable(off_table_faults(field, at, "to", index) for index, at in enumerate(case.to))


def prepare_path(case: PathCase) -> CaseState[Battlefield, PathCase]:
    """Check the scene, the places and the companions; raises `Faults`."""
    named = ((f"along/{index}/unit", row.unit) for index, row in enumerate(case.along))
    field = on_battlefield(case.scene, ("unit", case.unit), *named)
    refuse(_path_faults(field, case))
    return CaseState(field, case)


def _path_faults(field: Battlefield, case: PathCase) -> Iterator[Fault]:
    if (case.goal is None) == (case.way is None):
        yield case_fault("", "goal-or-way", "the case needs either a goal or a way", expected="`goal` or `way`")
    if case.goal is not None:
        yield from off_table_faults(field, case.goal, "goal")
    for index, at in enumerate(case.way or ()):
        yield from off_table_faults(field, at, "way", index)
    for index, at in enumerate(case.models):
        yield from off_table_faults(field, at, "models", index)
    for index, row in enumerate(case.along):
        yield from off_table_faults(field, row.at, "along", index, "at")
    many = len(field.unit(case.unit).models) - 1
    if case.models and len(case.models) != many:
        text = f"{case.unit} has {many} other models"
        yield case_fault("models", "models", text, len(case.models), f"{many} places, or none")
    apprentices = [apprentice.id for apprentice in field.apprentices(case.unit)]
    for index, row in enumerate(case.along):
        if row.unit not in apprentices:
            text = f"{row.unit} does not move along with {case.unit}"
            yield case_fault(f"along/{index}/unit", "along", text, row.unit, "one of its apprentices")


def off_table_faults(field: Battlefield, at: Place, *where: str | int) -> Iterator[Fault]:
    """Find a place of the case that lies off the battlefield."""
    (x, y), ground, board = point(at), field.ground, field.scene.board
    if x > ground.width or y > ground.depth:
        text, inside = "this place lies off the battlefield", f"inside {board.width_cm} by {board.depth_cm} cm"
        yield Fault(pointer("case", *where), "off-the-table", text, list(at), inside)


def decide_moves(table: Table, state: CaseState[Battlefield, MovesCase]) -> Decided[Moves]:
    """Where can this unit go, by a Movement Action or a retreat?"""
    field, case = state.field, state.case
    allowed = RULES[case.kind].allowance(table, field, case.unit)
    forbid(actions.requirement_violations(table, field, case.unit, case.kind))
    reach = routes.reach(table, field, case.unit, allowed)
    spacing = None if case.spacing_cm is None else thousandths(case.spacing_cm)
    area = None if reach is None else reach.area(spacing)
    reached = tuple(_reachable(table, field, case, allowed, at) for at in case.to)
    answer = Moves(
        case.unit,
        rounded(allowed),
        tuple(Shape(_ring(shape.outside), tuple(map(_ring, shape.holes))) for shape in area.shapes) if area else (),
        rounded(area.error) if area else 0.0,
        _samples(table, field, case, allowed, area.samples) if area else (),
        reached,
    )
    return Decided(answer)


def _samples(
    table: Table, field: Battlefield, case: MovesCase, allowed: int, samples: tuple[paths_reach.Sample, ...]
) -> tuple[Sample, ...]:
    """Give the sample places that a whole unit can reach, among those that its first model reaches."""
    places = [Sample(rounded_place(spot.at), rounded(spot.cost)) for spot in samples]
    with table.without_findings():
        alone = len(field.unit(case.unit).models) == 1 and not bands.companions(table, field, case.unit)
    if alone:
        return tuple(places)
    ways_there = (_reachable(table, field, case, allowed, sample.at) for sample in places)
    return tuple(sample for sample in ways_there if sample is not None)


def _reachable(table: Table, field: Battlefield, case: MovesCase, allowed: int, at: Place) -> Sample | None:
    with table.without_findings():
        way = routes.way_to(table, field, case.unit, point(at))
        if way is None or RULES[case.kind].way_violations(table, field, case.unit, way, allowed):
            return None
    return Sample(at, rounded(way.length))


def decide_path(table: Table, state: CaseState[Battlefield, PathCase]) -> Decided[PathAnswer]:
    """Can this unit take this way, which opponents shoot at it before contact, and where does it end?"""
    before, case = state.field, state.case
    allowed = RULES[case.kind].allowance(table, before, case.unit)
    reasons = actions.violations(table, before, case.unit, case.kind)
    along = tuple((row.unit, point(row.at)) for row in case.along)
    way = routes.way_by(table, before, case.unit, case.goal, case.way, case.models, along)
    if way is None:
        raise Forbidden(*reasons, *movement.no_way_violations(table, before, case.unit))
    forbid(reasons, RULES[case.kind].way_violations(table, before, case.unit, way, allowed))
    contacts = tuple(contact.unit for contact in contacts_on(before, case.unit, way))
    if case.kind == "retreat":
        after, outcomes = retreat.retreat(table, before, case.unit, way)
    else:
        after, outcomes = movement.move(table, actions.pay(table, before, case.unit, case.kind), case.unit, way)
    unit, losses = after.unit(case.unit), boxes.lost(before, after)
    touches = bands.touched(table, after, case.unit) if in_play(unit) else ()
    answer = PathAnswer(
        case.unit,
        unit.side,
        rounded(allowed),
        rounded(way.length),
        tuple(bends(way.paths[0])),
        contacts,
        tuple(Countershot(shot.by, shot.against, shot.hits, shot.blocks, shot.wounds) for shot in outcomes),
        unit.models == tuple(rounded_place(one.end) for one in way.paths),
        unit.models,
        touches,
        tuple(each.id for each in before.units if each.escaping and not after.unit(each.id).escaping),
        unit.escaping,
        unit.disabled is not None,
        losses[unit.side],
        sum(many for side, many in losses.items() if side != unit.side),
    )
    return Decided(answer, after.scene)


def worth(answer: PathAnswer, side: str) -> int:
    """Give the worth of a way to a side: boxes lost by the others, minus its own."""
    less = answer.others_lost - answer.lost
    return less if side == answer.side else -less


def _ring(ring: tuple[tuple[float, float], ...]) -> tuple[Place, ...]:
    # Corners that differ by less than a thousandth are one.
    return tuple(dict.fromkeys(rounded_place(at) for at in ring))


QUESTIONS = (
    Question("moves", MovesCase, prepared("unit", wrong=_moves_faults), decide_moves),
    Question("path", PathCase, prepare_path, decide_path, dice=True, worth=worth),
)
