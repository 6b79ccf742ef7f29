"""Line of sight: what a unit sees, what blocks its view, how far away it is, and what it can attack."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.skirmish.sight import observed
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import on_battlefield
from services.rapture.rules import boxes, reach
from services.rapture.scene import MOST_UNITS, Scene


class LineOfSightCase(Value, frozen=True):
    """An observer and its targets; without targets, all opponents in play."""

    scene: Scene
    observer: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=MOST_UNITS)] = ()


class Line(Value, frozen=True):
    """The line from the observer to one target.

    `blocked_by` are the pieces, or by a reading the units, on the line between the nearest models of both, if the
    target is not seen. `contact` is base contact. `close` and `shot` say whether the observer reaches it for a close
    combat attack and a ranged attack, with how many models and dice; the side of the target does not matter.
    """

    target: Id
    seen: bool
    blocked_by: tuple[str, ...]
    distance_cm: Annotated[float, Meta(description="Rounded to thousandths.")]
    contact: bool
    close: bool
    close_models: int
    close_dice: int
    shot: bool
    shot_models: int
    shot_dice: int
    why_not: tuple[str, ...]


class LineOfSightAnswer(Value, frozen=True):
    """The number of targets seen, and the line to each."""

    seen: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class LineOfSightState:
    """The battlefield, and the ids of the observer and its targets."""

    field: Battlefield
    observer: str
    targets: tuple[str, ...]


def prepare_line_of_sight(case: LineOfSightCase) -> LineOfSightState:
    """Find the observer and the targets on the battlefield; raises `Faults`."""
    named = ((f"targets/{index}", id_) for index, id_ in enumerate(case.targets))
    field = on_battlefield(case.scene, ("observer", case.observer), *named)
    targets = observed(field, case.observer, case.targets, "a unit is not a target of its own sight")
    return LineOfSightState(field, case.observer, targets)


def decide_line_of_sight(table: Table, state: LineOfSightState) -> Decided[LineOfSightAnswer]:
    """Decide what an observer sees and reaches, target by target."""
    lines = tuple(_line(table, state.field, state.observer, target) for target in state.targets)
    return Decided(LineOfSightAnswer(sum(line.seen for line in lines), lines))


def _line(table: Table, field: Battlefield, observer: str, target: str) -> Line:
    away = reach.distance(table, field, observer, target)
    seen = reach.sight(table, field, observer, target)
    close, shot = reach.close(table, field, observer, target), reach.shot(table, field, observer, target)
    now = boxes.values(table, field, observer)
    return Line(
        target,
        seen.seen,
        seen.by,
        round(float(away)) / PER_UNIT,
        reach.touches(table, field, observer, target),
        close.open,
        close.models,
        reach.dice(table, close, now.att) if close.open else 0,
        shot.open,
        shot.models,
        reach.dice(table, shot, now.rof) if shot.open else 0,
        tuple(reason.text for reason in (*close.reasons, *shot.reasons)),
    )


QUESTIONS = (
    Question(
        name="line-of-sight",
        gist="What does this unit see, how far away is it, and what does it reach?",
        case=LineOfSightCase,
        answer=LineOfSightAnswer,
        prepare=prepare_line_of_sight,
        rule=decide_line_of_sight,
        dice=False,
    ),
)
