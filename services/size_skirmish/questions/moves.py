"""Movement: where a model can go, and a movement, a push or a fall with the reactions to it."""

from itertools import chain
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.geometry.plane.cut import Ring
from arbiter.geometry.plane.shapes import PER_UNIT, thousandths, whole
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState, forbid, refuse
from arbiter.skirmish.faults import case_pointer
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import place
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks, areas
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import MOST_STEPS, Action, Actions
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import Movement
from services.size_skirmish.checks import on_board
from services.size_skirmish.questions import outcomes
from services.size_skirmish.questions.outcomes import Course
from services.size_skirmish.rules import action_table, ranges
from services.size_skirmish.scene import Direction, Facing, Length, Place, Scene


class MovesCase(Value, frozen=True):
    """A model, and one of its movements.

    The question `actions` says whether the movement is open now, by turns and markers. `turned` is the free turn
    before it; a model that moves towards a `target` turns to it anyway.
    """

    scene: Scene
    model: Annotated[Id, Meta(description="The model that moves.")]
    movement: Annotated[Id, Meta(description="A row of the table of movements.")] = "walk"
    target: Annotated[Id | None, Meta(description="Who is charged, shot at or pursued.")] = None
    turned: Facing | None = None
    rolled: Annotated[
        Annotated[int, Meta(ge=0, le=24)] | None,
        Meta(description="The sum of the dice of the range; null for the maximum."),
    ] = None
    spacing: Annotated[
        Annotated[float, Meta(ge=0.5, le=20)] | None,
        Meta(description="How far the sample places are apart; null for none."),
    ] = None
    to: Annotated[tuple[Place, ...], Meta(max_length=40, description="Places whose ways are asked for.")] = ()


class RangeRow(Value, frozen=True):
    """The range of a movement, from the least to the most that its dice can make it."""

    movement: Id
    name: str
    type: str
    least: float
    most: float


class Sample(Value, frozen=True):
    """A place that can be reached, and how long the shortest way there is."""

    at: Place
    length: float


class Shape(Value, frozen=True):
    """A polygon with holes, in the scene's unit; the rings do not repeat their first point."""

    outside: tuple[Place, ...]
    holes: tuple[tuple[Place, ...], ...] = ()


class MovesAnswer(Value, frozen=True):
    """How far each movement goes, and where the one in the case leads.

    `area` is where the middle of the base can come; climbing, falling, fleeing and aligning have none. Where a way must
    be straight, get clear of a melee, or by a reading lead nowhere backwards, `area` may show more than `samples` and
    `to`, which are exact. `ends` is where it leads without a posted way: into contact with a target, down a drop, or to
    the end of a flight.
    """

    model: Id
    rows: tuple[RangeRow, ...]
    allowance: Annotated[float, Meta(description="How far the movement in the case may lead.")]
    area: tuple[Shape, ...]
    area_error: Annotated[
        float,
        Meta(description="By how much the area may be too large: its border is simplified, and leaves nothing out."),
    ]
    ends: Place | None
    samples: tuple[Sample, ...] = ()
    to: Annotated[
        tuple[Sample | None, ...], Meta(description="For each place of `to`: the way; null out of reach.")
    ] = ()


class PathCase(Value, frozen=True):
    """A movement with its way, and the reactions to it in their order; without them, the passive players choose.

    The way is posted place by place (`way`), or is the shortest to a `goal`; an attack, run and shoot, and a pursuit
    without either lead into contact with the `target`.
    """

    scene: Scene
    model: Annotated[Id, Meta(description="The model that moves.")]
    movement: Annotated[Id, Meta(description="A row of the table of movements.")] = "walk"
    way: Annotated[
        tuple[Place, ...], Meta(max_length=MOST_STEPS, description="Places, one straight after the other.")
    ] = ()
    goal: Annotated[Place | None, Meta(description="Where the middle of the base is to come.")] = None
    target: Annotated[Id | None, Meta(description="Who is charged, shot at or pursued.")] = None
    height_above: Annotated[Length | None, Meta(description="How high a climb ends.")] = None
    turned: Annotated[Facing | None, Meta(description="The free turn before the movement.")] = None
    facing: Annotated[Facing | None, Meta(description="The free turn after it; how who aligns faces.")] = None
    reactions: Actions | None = None


class PathAnswer(Value, frozen=True):
    """A movement as carried out, and where the model stands now.

    `distance` is its range, as it was determined before the reactions; null for what has none.
    """

    model: Id
    done: Annotated[bool, Meta(description="Whether it was carried out, at least in part.")]
    distance: float | None
    way: Annotated[tuple[Place, ...], Meta(description="Where the way begins, bends and ends.")]
    at: Annotated[Place | None, Meta(description="Null for a model that is out.")]
    height_above: float
    facing: Direction
    course: Course


def prepare_moves(case: MovesCase) -> CaseState[Battlefield, MovesCase]:
    """Check the movement and the places; raises `Faults`."""
    # The facing of who is aligned is none of the question.
    facing = (0, 1) if case.movement == "align" else None
    field = actionchecks.on_table(on_board(case.scene), ("", replace(_movement(case), facing=facing)))
    board, message = field.scene.board, "this place lies off the battlefield"
    off = (actionchecks.off_board(board, at, case_pointer("to", index), message) for index, at in enumerate(case.to))
    refuse(chain.from_iterable(off))
    return CaseState(field, case)


def _movement(case: MovesCase) -> Action:
    return Action(case.model, "move", case.movement, case.target, turned=case.turned)


def prepare_path(case: PathCase) -> Announced:
    """Check the actions; raises `Faults`."""
    action = Action(
        case.model,
        "move",
        case.movement,
        case.target,
        way=case.way,
        goal=case.goal,
        height_above=case.height_above,
        turned=case.turned,
        facing=case.facing,
    )
    return actionchecks.checked_announcement(on_board(case.scene), action, case.reactions, "")


def moves(table: Table, state: CaseState[Battlefield, MovesCase]) -> Decided[MovesAnswer]:
    """How far does each movement of this model go, and where does one of them lead?"""
    field, case, action = state.field, state.case, _movement(state.case)
    movement = field.book.movements[case.movement]
    with table.without_findings():
        rows = tuple(_row(table, field, case.model, each) for each in field.book.movements.values())
    most = ranges.fixed(table, field, case.model, movement)
    if movement.dice:
        most += ranges.rolled(table, movement)[1] if case.rolled is None else PER_UNIT * case.rolled
    forbid(action_table.violations(table, field, action))
    spacing = None if case.spacing is None else thousandths(case.spacing)
    area = areas.area(table, field, action, most, spacing)
    lengths = tuple((to, areas.reached(table, field, action, to, most)) for to in case.to)
    answer = MovesAnswer(
        case.model,
        rows,
        most / PER_UNIT,
        tuple(Shape(_ring(outside), tuple(map(_ring, holes))) for outside, holes in area.shapes),
        _units(area.error),
        areas.end(table, field, action, most),
        tuple(Sample(at, _units(length)) for at, length in area.samples),
        tuple(None if length is None else Sample(at, _units(length)) for at, length in lengths),
    )
    return Decided(answer)


def _row(table: Table, field: Battlefield, mover: str, movement: Movement) -> RangeRow:
    far = ranges.fixed(table, field, mover, movement)
    least, most = ranges.rolled(table, movement)
    return RangeRow(movement.id, movement.name, movement.type, (far + least) / PER_UNIT, (far + most) / PER_UNIT)


def path(table: Table, state: Announced) -> Decided[PathAnswer]:
    """How does this movement go on this way, with all reactions to it?"""
    field, _, done, course = outcomes.carried_out(table, state)
    model, step = field.unit(state.action.model), course.action
    at, above, facing = model.at, model.height_above, model.facing
    return Decided(PathAnswer(model.id, done, step.distance, step.way, at, above, facing, course), field.scene)


def cost(state: CaseState[Battlefield, MovesCase]) -> float:
    """Estimate what drawing an area costs, in milliseconds: more with every piece, and with every sample place."""
    spacing, around = state.case.spacing, 1 + len(state.field.ground.pieces) / 10
    movement = state.field.book.movements[state.case.movement]
    far = float(movement.times) * state.field.profile(state.field.unit(state.case.model)).movement + 6 * movement.dice
    samples = 0 if spacing is None else (2 * far / spacing) ** 2
    return around * (20 + samples + len(state.case.to))


def _units(length: float) -> float:
    return round(length) / PER_UNIT


def _ring(ring: Ring) -> tuple[Place, ...]:
    # Corners that differ by less than a thousandth are one.
    return tuple(dict.fromkeys(place(whole(at)) for at in ring))


class PushCase(FactCase, frozen=True):
    """A model that pushes another, and the reactions to it; without them, the passive players choose."""

    scene: Scene
    model: Annotated[Id, Meta(description="The model that pushes.")]
    target: Annotated[Id, Meta(description="The model that is pushed.")]
    reactions: Actions | None = None


class FallCase(FactCase, frozen=True):
    """A model that falls on purpose, and the reactions to it; without them, the passive players choose.

    `goal` is where it comes down beside what it stands on or hangs at; without it, that is the nearest place with room.
    """

    scene: Scene
    model: Annotated[Id, Meta(description="The model that falls.")]
    goal: Place | None = None
    facing: Facing | None = None
    reactions: Actions | None = None


class PushAnswer(Value, frozen=True):
    """What became of a model that was pushed or fell.

    `distance` is what was rolled for a push. `damage` is that of a fall, null where nobody fell, and `lost` are the hit
    points that the model has lost by all of it; of one that is out, all that it had.
    """

    model: Id
    done: bool
    distance: float | None
    at: Annotated[Place | None, Meta(description="Null for a model that is out.")]
    height_above: float
    damage: int | None
    lost: int
    out: bool
    course: Course


def _prepared(case: PushCase | FallCase, action: Action) -> Announced:
    return actionchecks.checked_announcement(case.scene, action, case.reactions, "")


def moved(table: Table, state: Announced) -> Decided[PushAnswer]:
    """Answer the questions `push` and `fall`: whether it may be announced, and what becomes of the model."""
    before, action, _ = state
    field, outcome, done, course = outcomes.carried_out(table, state)
    model = field.unit(action.target or action.model)
    falls = [blow.damage for blow in outcome.blows if blow.kind == "fall"]
    answer = PushAnswer(
        model.id,
        done,
        course.action.distance,
        model.at,
        model.height_above,
        sum(falls) if falls else None,
        before.hit_points(before.unit(model.id)) - (field.hit_points(model) if model.out is None else 0),
        model.out is not None,
        course,
    )
    return Decided(answer, field.scene)


QUESTIONS = (
    Question("moves", MovesCase, prepare_moves, moves, cost=cost),
    Question("path", PathCase, prepare_path, path, dice=True, worth=outcomes.worth),
    Question(
        "push",
        PushCase,
        lambda case: _prepared(case, Action(case.model, "push", target=case.target)),
        moved,
        gist="How far is this model pushed, what stops it, and does it fall?",
        dice=True,
        worth=outcomes.worth,
    ),
    Question(
        "fall",
        FallCase,
        lambda case: _prepared(case, Action(case.model, "move", "fall", goal=case.goal, facing=case.facing)),
        moved,
        gist="Where does this model come down that falls, and how much does it suffer?",
        dice=True,
        worth=outcomes.worth,
    ),
)
