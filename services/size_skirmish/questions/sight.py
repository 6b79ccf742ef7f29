"""Line of sight: what a model sees, what hides the others, and how far away they are."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.skirmish.lines import in_units
from arbiter.skirmish.sight import Contact, Spot, observe
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import on_battlefield, on_board
from services.size_skirmish.rules import view
from services.size_skirmish.scene import MOST_MODELS, Scene


class LineOfSightCase(Value, frozen=True):
    """What an `observer` sees of others. Without `targets` it is all models in play of other sides, and all NPCs."""

    scene: Scene
    observer: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=MOST_MODELS)] = ()


class Line(Value, frozen=True):
    """What there is between the observer and one target.

    It is `seen` if it is `ahead`, in the front of the observer, and the line of sight is `free`. If that is not,
    `blocked_by` are the pieces and models that hide some of it. The line is drawn from `start`, the eye of the
    observer, to `end`, a place of the target that is seen, or else its middle. `contacts` are what hides a part of the
    target, each where the line to that part meets it; it counts where it is why the line is not free.
    """

    target: Id
    seen: bool
    ahead: bool
    free: bool
    blocked_by: tuple[str, ...]
    distance: Annotated[float, Meta(description="In the scene's unit, rounded to thousandths.")]
    start: Spot
    end: Spot
    contacts: tuple[Contact, ...]


class LineOfSightAnswer(Value, frozen=True):
    """How many targets are seen, and the line to each."""

    seen: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class LineOfSightState:
    """The battlefield, the observer and what it looks at, by their ids."""

    field: Battlefield
    observer: str
    targets: tuple[str, ...]


def prepare_line_of_sight(case: LineOfSightCase) -> LineOfSightState:
    """Find the observer and the targets on the battlefield; raises `Faults`."""
    named = ((f"targets/{index}", id_) for index, id_ in enumerate(case.targets))
    field = on_battlefield(on_board(case.scene), ("observer", case.observer), *named)
    targets = observe(field, case.observer, case.targets, "the observer cannot be its own target")
    return LineOfSightState(field, case.observer, targets)


def line_of_sight(table: Table, state: LineOfSightState) -> Decided[LineOfSightAnswer]:
    """Answer the question `line-of-sight`: each target by itself."""
    lines = tuple(_line(table, state.field, state.observer, target) for target in state.targets)
    return Decided(LineOfSightAnswer(sum(line.seen for line in lines), lines))


def _line(table: Table, field: Battlefield, observer: str, target: str) -> Line:
    away = view.distance(table, field, observer, target)
    seen = view.view(table, field, observer, target)
    drawn = view.drawn(table, field, observer, target, seen.free)
    return Line(
        target,
        seen.seen,
        seen.ahead,
        seen.free,
        seen.by,
        round(float(away)) / PER_UNIT,
        in_units(drawn.start),
        in_units(drawn.end),
        drawn.contacts,
    )


QUESTIONS = (
    Question(
        name="line-of-sight",
        gist="What does this model see in its front, what hides the others, and how far away are they?",
        case=LineOfSightCase,
        answer=LineOfSightAnswer,
        prepare=prepare_line_of_sight,
        rule=line_of_sight,
        dice=False,
    ),
)
