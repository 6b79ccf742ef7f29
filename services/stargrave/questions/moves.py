"""Questions about moving: where a figure can go, one way of it, and what a fall does."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.fault import Fault
from arbiter.geometry.plane.shapes import thousandths
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.cases import forbid
from arbiter.skirmish.faults import case_pointer
from arbiter.skirmish.fields import Id
from arbiter.skirmish.plane import bends, place, point, rounded, rounded_place
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave import costs
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import absent, off_table
from services.stargrave.geometry.ways import Step, Way, follow_steps
from services.stargrave.profiles import Inches
from services.stargrave.questions.cases import State, prepared
from services.stargrave.rules import allowance, falling, interception, movement, reaching, routes
from services.stargrave.scene import Place, Scene

Kind = Literal["move", "second-move", "run", "power-move"]


class MovesCase(Value, frozen=True):
    """A figure, and the kind of move of which it is to be known where it leads."""

    scene: Scene
    figure: Annotated[Id, Meta(description="The figure that moves.")]
    kind: Kind = "move"
    first_action: Annotated[bool, Meta(description="Whether this would be its first action; who runs has to.")] = True
    spacing_in: Annotated[
        Annotated[float, Meta(ge=0.5, le=4)] | None,
        Meta(description="How far the sample places are apart; null for none."),
    ] = 1.0
    to: Annotated[tuple[Place, ...], Meta(max_length=40, description="Places of which the cost is asked.")] = ()


class Sample(Value, frozen=True):
    """A place that a figure can reach, how high it stands there, and what a way there costs."""

    at: Place
    cost_in: Annotated[float, Meta(description="What the cheapest way that is found costs.")]
    elevation_in: float = 0.0


class Shape(Value, frozen=True):
    """A polygon with holes, in inches; the rings do not repeat their first point."""

    outside: tuple[Place, ...]
    holes: tuple[tuple[Place, ...], ...] = ()


class Moves(Value, frozen=True):
    """Where a figure can go.

    `area` is where the middle of its base can come on the level: around everything that would have to be climbed, and
    as if rough ground cost nothing extra. `samples` count everything: they lie on multiples of the spacing.
    """

    figure: Id
    allowance_in: Annotated[float, Meta(description="How many inches it has.")]
    area: tuple[Shape, ...]
    area_error_in: Annotated[
        float,
        Meta(description="By how much the area may be too large: its border is simplified, and leaves nothing out."),
    ]
    even: Annotated[bool, Meta(description="Whether no rough ground makes the area smaller than it is drawn.")]
    samples: tuple[Sample, ...] = ()
    to: Annotated[
        tuple[Sample | None, ...], Meta(description="For each place that was asked for: the cost; null out of reach.")
    ] = ()


class PathCase(Value, frozen=True):
    """A figure and either a goal, to which the cheapest way is looked for, or a way, step by step."""

    scene: Scene
    figure: Annotated[Id, Meta(description="The figure that moves.")]
    goal: Annotated[Place | None, Meta(description="Where the middle of its base is to come.")] = None
    way: Annotated[
        Annotated[tuple[Step, ...], Meta(min_length=1, max_length=40)] | None,
        Meta(description="Straight steps, one after the other."),
    ] = None
    as_far: Annotated[
        bool,
        Meta(description="Whether it goes as far as it can where the way is too long, part-way up a climb as well."),
    ] = False
    kind: Kind = "move"
    first_action: Annotated[bool, Meta(description="Whether this would be its first action; who runs has to.")] = True
    straight_before_in: Annotated[
        Inches, Meta(description="How far it moved in a straight line earlier in this activation.")
    ] = 0.0
    carry_out: Annotated[bool, Meta(description="Whether it takes the way; enemies may force combat then.")] = True


class Climb(Value, frozen=True):
    """A change of height on a way: how far along it, from which height to which, climbed or fallen."""

    along_in: float
    from_in: float
    to_in: float
    how: Literal["climb", "fall"]


class Threat(Value, frozen=True):
    """An enemy who may force combat, and how far along the way."""

    figure: Id
    along_in: float
    at: Place


class PathAnswer(Value, frozen=True):
    """A way, what it costs, and where the figure has come to stand."""

    figure: Id
    allowance_in: float
    length_in: Annotated[float, Meta(description="How long the way is on the plan.")]
    cost_in: Annotated[float, Meta(description="How much movement it costs.")]
    error_in: Annotated[float, Meta(description="By how much the cheapest way could be cheaper, at most.")]
    way: Annotated[tuple[Place, ...], Meta(description="Where it begins, bends and ends; arcs by some points.")]
    rough_in: Annotated[float, Meta(description="How much of it is rough ground.")]
    climbs: tuple[Climb, ...]
    threats: Annotated[tuple[Threat, ...], Meta(description="Enemies within 1 inch of it who may force combat.")]
    at: Annotated[Place | None, Meta(description="Where the figure stands now; null if it is out of the game.")]
    elevation_in: float = 0.0
    stopped_by: Annotated[tuple[Id, ...], Meta(description="Who has forced combat with it.")] = ()


class FallCase(Value, frozen=True):
    """A figure that falls some height."""

    scene: Scene
    figure: Annotated[Id, Meta(description="The figure that falls.")]
    height_in: Annotated[Inches, Meta(description="How far it falls.")]


class FallAnswer(Value, frozen=True):
    """What a fall does to a figure."""

    figure: Id
    damage: int
    health: Annotated[int, Meta(description="Its Health after the fall.")]
    out_of_game: bool


def _moves_faults(field: Battlefield, case: MovesCase) -> Iterator[Fault]:
    yield from absent(field, "figure", case.figure)
    for index, to in enumerate(case.to):
        yield from off_table(field, to, "to", index)


def _path_faults(field: Battlefield, case: PathCase) -> Iterator[Fault]:
    yield from absent(field, "figure", case.figure)
    if (case.goal is None) == (case.way is None):
        text = "exactly one of `goal` and `way` must be given"
        yield Fault(case_pointer(), "goal-or-way", text, expected="`goal` or `way`")
    if case.goal is not None:
        yield from off_table(field, case.goal, "goal")
    for index, step in enumerate(case.way or ()):
        yield from off_table(field, step.to, "way", index, "to")


def _allowed(table: Table, field: Battlefield, case: MovesCase | PathCase) -> tuple[int, tuple[Reason, ...]]:
    """Give how far the figure may go with such a move, and why it may not move at all."""
    by_kind = {
        "move": allowance.move,
        "second-move": allowance.second_move,
        "run": allowance.run,
        "power-move": allowance.power_move,
    }
    running = case.kind == "run"
    reasons = movement.violations(table, field, case.figure, running)
    allowed = by_kind[case.kind](table, field, case.figure)
    if running:
        reasons = (*allowance.run_violations(table, field, case.figure, case.first_action), *reasons)
    return allowed, reasons


def moves(table: Table, state: State[MovesCase]) -> Decided[Moves]:
    """Where a figure can go with a Move, a second Move, a run or a Power Move, and what that costs."""
    field, case = state.field, state.case
    allowed, reasons = _allowed(table, field, case)
    forbid(reasons)
    spacing = None if case.spacing_in is None else thousandths(case.spacing_in)
    wanted = tuple(map(point, case.to))
    area = reaching.reach(table, field, case.figure, allowed, spacing, wanted, case.kind == "run")
    shapes = tuple(Shape(_places(shape.outside), tuple(map(_places, shape.holes))) for shape in area.shapes)
    samples = tuple(map(_sample, area.samples))
    requested = tuple(None if sample is None else _sample(sample) for sample in area.requested)
    return Decided(Moves(case.figure, rounded(allowed), shapes, rounded(area.error), area.even, samples, requested))


def path(table: Table, state: State[PathCase]) -> Decided[PathAnswer]:
    """The cheapest way to a place, or a given way: what it costs, who may intercept it, and where it ends."""
    field, case = state.field, state.case
    running = case.kind == "run"
    allowed, reasons = _allowed(table, field, case)
    error = 0

    def cut(way: Way) -> Way:
        """Give as much of a way as the figure goes: all of it, unless the case wants it to go as far as it can."""
        return routes.as_far(table, field, case.figure, way, allowed, running) if case.as_far else way

    if case.way is not None:
        way = cut(follow_steps(field, field.figure(case.figure), case.way))
        earlier = thousandths(case.straight_before_in)
        reasons += movement.way_violations(table, field, case.figure, way, allowed, running, earlier)
    else:
        route = routes.shortest(table, field, case.figure, point(case.goal or (0.0, 0.0)), running=running)
        if route is None:
            raise Forbidden(*reasons, *reaching.no_way(table, field, case.figure))
        way, error = cut(route.way), route.error
        reasons += movement.too_far(table, field, case.figure, way, allowed, running)
    forbid(reasons)
    with table.without_findings():
        cost = movement.cost(table, field, case.figure, way, running)
    threats = _threats(table, field, case.figure, way)
    after, stopped = movement.resolve_movement(table, field, case.figure, way) if case.carry_out else (field, ())
    figure = after.figure(case.figure)
    answer = PathAnswer(
        case.figure,
        rounded(allowed),
        rounded(way.path.length),
        rounded(cost),
        rounded(error),
        tuple(bends(way.path)),
        rounded(sum(part.until - part.since for part in way.rough)),
        tuple(Climb(rounded(one.along), rounded(one.start), rounded(one.end), one.how) for one in way.changes),
        threats,
        figure.at,
        figure.elevation_in,
        stopped,
    )
    return Decided(answer, after.scene if case.carry_out else None)


def fall(table: Table, state: State[FallCase]) -> Decided[FallAnswer]:
    """What a fall of some inches does to a figure."""
    field, case = state.field, state.case
    after = falling.fall(table, field, case.figure, thousandths(case.height_in))
    before, left = (of.health(of.figure(case.figure)) for of in (field, after))
    return Decided(FallAnswer(case.figure, before - left, left, not left), after.scene)


def _threats(table: Table, field: Battlefield, mover: str, way: Way) -> tuple[Threat, ...]:
    with table.without_findings():
        threats = interception.threats(table, field, mover, way)
    return tuple(Threat(enemy, rounded(along), rounded_place(way.path.at(along))) for along, enemy in threats)


def _places(ring: tuple[tuple[float, float], ...]) -> tuple[Place, ...]:
    # Corners that differ by less than a thousandth are one.
    return tuple(dict.fromkeys(map(rounded_place, ring)))


def _sample(sample: reaching.PricedPlace) -> Sample:
    return Sample(place(sample.at), rounded(sample.cost), rounded(sample.elevation))


QUESTIONS = (
    Question(
        "moves",
        MovesCase,
        prepared("figure", in_play=False, faults=_moves_faults),
        moves,
        cost=lambda state: costs.of_moves(
            state.field, state.case.figure, state.case.kind, state.case.spacing_in, len(state.case.to)
        ),
    ),
    Question(
        "path",
        PathCase,
        prepared("figure", in_play=False, faults=_path_faults),
        path,
        cost=lambda state: costs.of_path(state.field, state.case.figure, state.case.goal),
    ),
    Question("fall", FallCase, prepared("figure"), fall),
)
