"""Phases: combat value and first activation, preparation, cleanup, and the victory points if the game ended now."""

from functools import partial
from typing import Annotated, TypeVar

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import pointer
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState, forbid, refuse
from arbiter.skirmish.faults import unknown_id
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked
from services.rapture.placing import Placed, checked_places
from services.rapture.rules import cleanup, ending, preparation, victory
from services.rapture.rules.victory import Standing
from services.rapture.scene import MOST_SIDES, MissionPoints, Phase, Scene

Placements = Annotated[tuple[Placed, ...], Meta(max_length=60)]
MissionPointsRows = Annotated[tuple[MissionPoints, ...], Meta(max_length=MOST_SIDES)]
P = TypeVar("P", bound="PreparationCase | CleanupCase")


class CombatValueCase(FactCase, frozen=True):
    """A scene whose combat values and first activation are decided."""

    scene: Scene


class SideValue(Value, frozen=True):
    """The combat value of a side, and the units that count towards it."""

    side: Id
    value: int
    units: tuple[Id, ...]


class CombatValueAnswer(Value, frozen=True):
    """The combat values in the order of the scene, the first side, and the order of all sides."""

    values: tuple[SideValue, ...]
    first: Id
    order: tuple[Id, ...]


def decide_combat_value(table: Table, field: Battlefield) -> Decided[CombatValueAnswer]:
    """What are the combat values, and which side activates first?"""
    values = tuple(
        SideValue(side.id, preparation.combat_value(table, field, side.id), preparation.counted_units(field, side.id))
        for side in field.scene.all_sides
    )
    order = preparation.order(table, field)
    return Decided(CombatValueAnswer(values, order[0], order), field.with_(order=order, turn=order[0]).scene)


class PreparationCase(FactCase, frozen=True):
    """The preparation phase of a round, from the scene's step on.

    `formations` are the places of squads and apprentices; units that are not named stay. `mission_points` are victory
    points that replace the count of the missions.
    """

    scene: Scene
    formations: Placements = ()
    mission_points: MissionPointsRows = ()


class PreparationAnswer(Value, frozen=True):
    """The next phase, the units that are now disabled, escaping or ascended, and the order of activation.

    The phase is `over`, and there is no order, if a side has no operational unit left.
    """

    phase: Phase
    disabled: tuple[Id, ...]
    escaping: tuple[Id, ...]
    ascended: tuple[Id, ...]
    order: tuple[Id, ...]
    victory_points: Annotated[tuple[int, ...], Meta(description="Points of missions so far, side by side.")]


def prepare_phase(member: str, case: P) -> CaseState[Battlefield, P]:
    """Check the scene, and the places in the member that has them; raises `Faults`."""
    sides, rows = [side.id for side in case.scene.all_sides], case.mission_points
    refuse(
        fault
        for index, row in enumerate(rows)
        for fault in unknown_id("side", row.side, pointer("case", "mission_points", index, "side"), sides)
    )
    return CaseState(checked_places(case.scene, getattr(case, member), member), case)


def decide_preparation(table: Table, state: CaseState[Battlefield, PreparationCase]) -> Decided[PreparationAnswer]:
    """The preparation phase: points, formations, refill, escape movements, ascensions, combat value and order."""
    before, placed = state.field, state.case.formations
    forbid(preparation.violations(table, before), preparation.formation_violations(table, before, placed))
    field = preparation.steps(table, before, placed, state.case.mission_points)
    units = field.scene.units
    answer = PreparationAnswer(
        field.scene.phase,
        tuple(unit.id for unit in units if unit.disabled and not before.unit(unit.id).disabled),
        tuple(unit.id for unit in units if unit.escaping and not unit.disabled),
        tuple(unit.id for unit in units if unit.ascended and not before.unit(unit.id).ascended),
        field.scene.order,
        tuple(side.victory_points for side in field.scene.all_sides),
    )
    return Decided(answer, field.scene)


class CleanupCase(FactCase, frozen=True):
    """The cleanup phase of a round, from the scene's step on.

    `engage` are the places of units in close combat that move models into contact; models that stay are named where
    they stand. `mission_points` are victory points that replace the count of the missions.
    """

    scene: Scene
    engage: Placements = ()
    mission_points: MissionPointsRows = ()


class CleanupAnswer(Value, frozen=True):
    """The next phase and round, the units that are now disabled, and the victory points of missions so far."""

    phase: Phase
    round: int
    disabled: tuple[Id, ...]
    victory_points: Annotated[tuple[int, ...], Meta(description="Points of missions so far, side by side.")]


def decide_cleanup(table: Table, state: CaseState[Battlefield, CleanupCase]) -> Decided[CleanupAnswer]:
    """The cleanup phase: points, status effects, unused points, engaging; and the next phase."""
    before, placed = state.field, state.case.engage
    forbid(cleanup.violations(table, before), cleanup.engagement_violations(table, before, placed))
    field = cleanup.steps(table, before, placed, state.case.mission_points)
    answer = CleanupAnswer(
        field.scene.phase,
        field.scene.round,
        tuple(unit.id for unit in field.scene.units if unit.disabled and not before.unit(unit.id).disabled),
        tuple(side.victory_points for side in field.scene.all_sides),
    )
    return Decided(answer, field.scene)


class VictoryCase(FactCase, frozen=True):
    """A scene whose victory points are counted as if the game ended now."""

    scene: Scene


class VictoryAnswer(Value, frozen=True):
    """Whether the game is over, the points of each side in the order of the scene, and the leader; null if none."""

    over: bool
    without_units: tuple[Id, ...]
    sides: tuple[Standing, ...]
    winner: Id | None


def decide_victory(table: Table, field: Battlefield) -> Decided[VictoryAnswer]:
    """Is the game over, and how many victory points has each side?"""
    over = ending.over(table, field)
    without_units = ending.without_units(table, field)
    totals = tuple(victory.total(table, field, side.id) for side in field.scene.all_sides)
    return Decided(VictoryAnswer(over, without_units, totals, victory.best(table, totals)))


QUESTIONS = (
    Question("combat-value", CombatValueCase, lambda case: checked(case.scene), decide_combat_value, dice=True),
    Question("preparation", PreparationCase, partial(prepare_phase, "formations"), decide_preparation, dice=True),
    Question("cleanup", CleanupCase, partial(prepare_phase, "engage"), decide_cleanup, dice=True),
    Question("victory", VictoryCase, lambda case: checked(case.scene), decide_victory),
)
