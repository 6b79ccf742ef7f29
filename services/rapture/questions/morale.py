"""Questions about escape and rescue: where a unit flees to, and which units a move rescues."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.cases import CaseState, case_fault, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import prepared
from services.rapture.questions.moves import off_table_faults
from services.rapture.rules import actions, boxes, escape, movement, routes
from services.rapture.scene import Edge, Place, Scene


class EscapeCase(FactCase, frozen=True):
    """A `unit` that loses MP now; if it loses none, a unit with an Escape Marker flees as in a Preparation Phase.

    A unit with a marker that loses MP does not flee a second time.
    """

    scene: Scene
    unit: Id
    morale: Annotated[int, Meta(ge=0, le=20, description="The MP that are crossed out first.")] = 0


class EscapeAnswer(Value, frozen=True):
    """Whether the unit bears an Escape Marker, whether it flees, and where it stands then.

    `models` are the places of its models, none if it is off the battlefield. `disabled` are all units disabled by the
    escape, and `active` is the active unit afterwards.
    """

    unit: Id
    side: Id
    edge: Annotated[Edge | None, Meta(description="Null where the scene has no board and names none.")]
    mp_left: int
    escaping: bool
    moved: bool
    models: tuple[Place, ...]
    disabled: tuple[Id, ...]
    active: Id | None


class RescueCase(Value, frozen=True):
    """A unit (`rescuer`) that takes a Movement Action to rescue another (`escaping`).

    It goes to a `goal` or by a `way`, else into contact with it.
    """

    scene: Scene
    rescuer: Id
    escaping: Id
    goal: Place | None = None
    way: Annotated[tuple[Place, ...], Meta(min_length=1, max_length=40)] | None = None


class RescueAnswer(Value, frozen=True):
    """Whether the unit is rescued, its MP, whether it counts as activated this round, and the way of its rescuer.

    `rescued` are all units that the move rescues.
    """

    rescuer: Id
    escaping: Id
    saved: bool
    rescued: tuple[Id, ...]
    mp_left: int
    activated: bool
    allowance_cm: float
    length_cm: float
    models: Annotated[tuple[Place, ...], Meta(description="Where the models of the rescuer stand.")]


def _rescue_faults(field: Battlefield, case: RescueCase) -> Iterator[Fault]:
    if case.rescuer == case.escaping:
        yield case_fault("escaping", "itself", "a unit cannot rescue itself", case.escaping, "another unit")
    if not field.unit(case.escaping).escaping:
        text, asked = f"{case.escaping} is not escaping", "a unit with an Escape Marker"
        yield case_fault("escaping", "not-escaping", text, case.escaping, asked)
    if case.goal is not None and case.way is not None:
        text, asked = "the destination is given twice", "`goal`, `way`, or neither"
        yield case_fault("", "goal-or-way", text, expected=asked)
    for index, at in enumerate(case.way or ()):
        yield from off_table_faults(field, at, "way", index)
    if case.goal is not None:
        yield from off_table_faults(field, case.goal, "goal")


def decide_escape(table: Table, state: CaseState[Battlefield, EscapeCase]) -> Decided[EscapeAnswer]:
    """Does this unit escape when it loses MP, and where does it flee to?"""
    before, case = state.field, state.case
    if case.morale:
        field = escape.cross_morale(table, before, case.unit, case.morale)
    elif before.unit(case.unit).escaping:
        field = escape.flight(table, before, case.unit)
    else:
        field = escape.begin(table, before, case.unit)
    unit = field.unit(case.unit)
    answer = EscapeAnswer(
        case.unit,
        unit.side,
        before.side(unit).edge,
        boxes.left(field, case.unit, "mp"),
        unit.escaping,
        unit.models != before.unit(case.unit).models,
        unit.models if field.measures(case.unit) else (),
        tuple(each.id for each in before.units if field.unit(each.id).disabled),
        field.scene.active,
    )
    return Decided(answer, field.scene)


def decide_rescue(table: Table, state: CaseState[Battlefield, RescueCase]) -> Decided[RescueAnswer]:
    """Does this move rescue the escaping unit?"""
    field, case = state.field, state.case
    allowed = movement.allowance(table, field, case.rescuer)
    reasons = actions.violations(table, field, case.rescuer, "movement")
    if case.goal is None and case.way is None:
        way = routes.way_into_contact(table, field, case.rescuer, case.escaping)
    else:
        way = routes.way_by(table, field, case.rescuer, case.goal, case.way)
    if way is None:
        raise Forbidden(*reasons, *movement.no_way_violations(table, field, case.rescuer))
    forbid(reasons, movement.way_violations(table, field, case.rescuer, way, allowed))
    after, _ = movement.move(table, actions.pay(table, field, case.rescuer, "movement"), case.rescuer, way)
    unit = after.unit(case.escaping)
    answer = RescueAnswer(
        case.rescuer,
        case.escaping,
        not unit.escaping,
        tuple(each.id for each in field.units if each.escaping and not after.unit(each.id).escaping),
        boxes.left(after, case.escaping, "mp"),
        unit.activated,
        round(allowed) / PER_UNIT,
        round(way.length) / PER_UNIT,
        after.unit(case.rescuer).models,
    )
    return Decided(answer, after.scene)


QUESTIONS = (
    Question("escape", EscapeCase, prepared("unit"), decide_escape),
    Question("rescue", RescueCase, prepared("rescuer", "escaping", wrong=_rescue_faults), decide_rescue, dice=True),
)
