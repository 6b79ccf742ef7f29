"""Questions about escape and rescue: where a unit flees to, and which units a move rescues."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, pointer
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import point
from arbiter.table import Table
from arbiter.value import Value
from services.rapture import ways
from services.rapture.battlefield import Battlefield
from services.rapture.checks import on_battlefield
from services.rapture.questions.moves import off_table_faults, raise_faults
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


@dataclass(frozen=True)
class EscapeState:
    """The battlefield and the case."""

    field: Battlefield
    case: EscapeCase


@dataclass(frozen=True)
class RescueState:
    """The battlefield and the case."""

    field: Battlefield
    case: RescueCase


def prepare_escape(case: EscapeCase) -> EscapeState:
    """Find the unit, which is in play; raises `Faults`."""
    return EscapeState(on_battlefield(case.scene, ("unit", case.unit)), case)


def prepare_rescue(case: RescueCase) -> RescueState:
    """Check both units and the goal or way; raises `Faults`."""
    field = on_battlefield(case.scene, ("rescuer", case.rescuer), ("escaping", case.escaping))
    faults: list[tuple[Fault, ...]] = []
    if case.rescuer == case.escaping:
        text = "a unit cannot rescue itself"
        faults.append((Fault(pointer("case", "escaping"), "itself", text, case.escaping, "another unit"),))
    if not field.unit(case.escaping).escaping:
        text = f"{case.escaping} is not escaping"
        expected = "a unit with an Escape Marker"
        faults.append((Fault(pointer("case", "escaping"), "not-escaping", text, case.escaping, expected),))
    if case.goal is not None and case.way is not None:
        text = "the destination is given twice"
        faults.append((Fault(pointer("case"), "goal-or-way", text, expected="`goal`, `way`, or neither"),))
    faults += [off_table_faults(field, at, "way", index) for index, at in enumerate(case.way or ())]
    faults += [off_table_faults(field, case.goal, "goal")] if case.goal is not None else []
    raise_faults(*faults)
    return RescueState(field, case)


def decide_escape(table: Table, state: EscapeState) -> Decided[EscapeAnswer]:
    """Decide whether a unit escapes after it loses MP, and where it flees to."""
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


def decide_rescue(table: Table, state: RescueState) -> Decided[RescueAnswer]:
    """Decide whether a move rescues the escaping unit."""
    field, case = state.field, state.case
    allowed = movement.allowance(table, field, case.rescuer)
    reasons = actions.violations(table, field, case.rescuer, "movement")
    if case.way is not None:
        first = ways.straight_legs(field.solids(field.unit(case.rescuer))[0], case.way)
        way = routes.way_with(table, field, case.rescuer, first)
    elif case.goal is not None:
        way = routes.way_to(table, field, case.rescuer, point(case.goal))
    else:
        way = routes.way_into_contact(table, field, case.rescuer, case.escaping)
    if way is None:
        raise Forbidden(*reasons, *movement.no_way_violations(table, field, case.rescuer))
    reasons += movement.way_violations(table, field, case.rescuer, way, allowed)
    if reasons:
        raise Forbidden(*reasons)
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
    Question(
        name="escape",
        gist="Does this unit escape when it loses MP, and where does it flee to?",
        case=EscapeCase,
        answer=EscapeAnswer,
        prepare=prepare_escape,
        rule=decide_escape,
        dice=False,
    ),
    Question(
        name="rescue",
        gist="Does this move rescue the escaping unit?",
        case=RescueCase,
        answer=RescueAnswer,
        prepare=prepare_rescue,
        rule=decide_rescue,
        dice=True,
    ),
)
