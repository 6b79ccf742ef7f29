"""Questions about moving: where a unit can go, and what becomes of it on one way."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.cases import CaseState, case_fault, forbid, refuse
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case, naming
from services.warleague.profiles import Number
from services.warleague.questions import losses
from services.warleague.questions.losses import SideLoss
from services.warleague.rules import actions, movement, points, turn
from services.warleague.scene import Facing, Scene, Tile

MOST_STEPS = 200
"""Steps of a way that is posted, more than any unit can pay for."""


class MovesCase(Value, frozen=True):
    """A `unit`, and for how many action `points` it goes; null is all that it has left.

    Whose turn it is does not matter here: what is open now is the question `actions`.
    """

    scene: Scene
    unit: Id
    points: Number | None = None


class ReachableTile(Value, frozen=True):
    """A tile to which a unit can go, and what the cheapest way there costs.

    `hides`: there is a crate or concealed ground, or a trap lies open. `kills`: it would go to its death.
    """

    at: Tile
    ap: int
    hides: bool
    kills: bool


class MovesAnswer(Value, frozen=True):
    """Where a unit can go, its own tile first; ways are those of the table as it stands, with nothing going off."""

    unit: Id
    points: int
    tiles: tuple[ReachableTile, ...]


class PathCase(Value, frozen=True):
    """A `unit`, and either a `goal`, to which it takes a cheapest way, or the `way` itself, tile by tile from the next.

    `facing` is where it turns at the end; without it, it faces where its last step went.
    """

    scene: Scene
    unit: Id
    goal: Tile | None = None
    way: Annotated[tuple[Tile, ...], Meta(min_length=1, max_length=MOST_STEPS)] | None = None
    facing: Facing | None = None


class PathAnswer(Value, frozen=True):
    """A way that may be taken, and what became of the unit on it.

    `ap` is the price of all steps, and `left` are the unit's action points afterwards. It has not `arrived` where
    something stopped, threw, downed or killed it before.
    """

    unit: Id
    side: Id
    way: tuple[Tile, ...]
    ap: int
    left: int
    at: Annotated[Tile | None, Meta(description="Where it is now; null for the dead.")]
    facing: Facing | None
    arrived: bool
    fallen: Annotated[tuple[Id, ...], Meta(description="Who has died or been downed on the way, in the scene's order.")]
    lost: tuple[SideLoss, ...]


def prepare_path(case: PathCase) -> tuple[Battlefield, PathCase]:
    """Find the unit and the tiles; raises `Faults`."""
    asked = ("goal", case.goal), *((f"way/{index}", at) for index, at in enumerate(case.way or ()))
    field = checked_case(case.scene, ("unit", "unit", case.unit), tiles=asked, playing=True)
    refuse(_path_faults(field, case))
    return field, case


def _path_faults(field: Battlefield, case: PathCase) -> Iterator[Fault]:
    yield from facing_faults(field, case.facing)
    if (case.goal is None) == (case.way is None):
        yield case_fault("", "goal-or-way", "a path needs either a goal or a way", expected="`goal` or `way`")
    if case.goal is not None and case.goal == field.at(case.unit):
        yield case_fault("goal", "goal", f"{case.unit} is already on this tile", list(case.goal), "another tile")


def facing_faults(field: Battlefield, facing: int | None) -> Iterator[Fault]:
    """Report a direction that the grid does not have."""
    many = len(field.ground.directions) if field.scene.board.facing else 0
    if facing is not None and facing >= many:
        asked = f"0 to {many - 1}" if many else "none: this board has no facing"
        yield case_fault("facing", "facing", "the grid has no such direction", facing, asked)


def decide_moves(table: Table, state: CaseState[Battlefield, MovesCase]) -> Decided[MovesAnswer]:
    """Where can this unit go, and what does it cost?"""
    field, unit, most = state.field, state.case.unit, state.case.points
    forbid(movement.move_violations(table, field, unit))
    most = points.left(field, unit) if most is None else most
    reach = movement.reach(table, field, unit, most)
    hidden = field.hidden | {trap.at for trap in field.scene.traps}
    tiles = [ReachableTile(at, ap, at in hidden, kills=False) for at, ap in reach.items()]
    deadly = movement.deadly(table, field, unit, most)
    tiles += [ReachableTile(at, ap, hides=False, kills=True) for at, ap in deadly.items()]
    return Decided(MovesAnswer(unit, most, tuple(tiles)))


def decide_path(table: Table, state: tuple[Battlefield, PathCase]) -> Decided[PathAnswer]:
    """May this unit take this way, what does it cost, and what happens to it?"""
    before, case = state
    forbid(turn.act_violations(table, before, case.unit))
    begun = turn.ensure_begun(table, before, case.unit)
    goal = case.goal or begun.at(case.unit)
    way = case.way or movement.way_to(table, begun, case.unit, goal)
    if why := (
        movement.way_violations(table, begun, case.unit, way, case.facing)
        if way
        else movement.no_way(table, begun, case.unit, goal)
    ):
        raise Forbidden(*why)
    with table.without_findings():
        price = movement.price(table, begun, way)
    field = movement.walk(table, begun, case.unit, way)
    arrived = bool(way) and movement.stands(field, case.unit, way[-1])
    if case.facing is not None and arrived:
        turning = movement.Turn(case.unit, case.facing)
        if not actions.violations(table, field, turning):
            field = movement.turn_to_face(table, field, turning)
    after = turn.after_action(table, begun, field)
    unit = field.unit(case.unit)
    answer = PathAnswer(
        unit.id,
        unit.side,
        way,
        price,
        points.left(field, case.unit),
        unit.at,
        unit.facing,
        arrived,
        losses.fallen(before, field),
        losses.by_side(before, field),
    )
    return Decided(answer, after.scene)


QUESTIONS = (
    Question("moves", MovesCase, naming("unit"), decide_moves),
    Question("path", PathCase, prepare_path, decide_path, dice=True, worth=losses.worth),
)
