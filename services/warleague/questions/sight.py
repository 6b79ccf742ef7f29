"""Line of sight: which targets a unit reaches by each targeting method, and what is in the way."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.skirmish.sight import observe
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case
from services.warleague.ground import Contact
from services.warleague.profiles import Method
from services.warleague.rules import targeting
from services.warleague.scene import MOST_UNITS, Scene


class LineOfSightCase(Value, frozen=True):
    """What an `observer` reaches of others.

    Without `targets` it is all enemies in play, without a `method` it is all four.
    """

    scene: Scene
    observer: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=MOST_UNITS)] = ()
    method: Method | None = None


class ByMethod(Value, frozen=True):
    """Whether a target is reached by one method, whatever its range.

    `blocked_by` are the ids of units and obstacles in the way, crates as `crate column,row`. `met` is all that the line
    meets of what could be in the way, tile by tile.
    """

    method: Method
    open: bool
    blocked_by: tuple[str, ...]
    met: tuple[Contact, ...]
    why_not: tuple[str, ...]


class LineTo(Value, frozen=True):
    """How far away a target is, and by which methods it is reached."""

    target: Id
    distance: Annotated[int, Meta(description="Tiles.")]
    methods: tuple[ByMethod, ...]


class LineOfSightAnswer(Value, frozen=True):
    """To how many targets there is a clear line, and the line to each. `seen` is null without that method."""

    seen: int | None
    lines: tuple[LineTo, ...]


@dataclass(frozen=True)
class LineOfSightState:
    """The battlefield, the observer and what it looks at, by their ids, and the methods that count."""

    field: Battlefield
    observer: str
    targets: tuple[str, ...]
    methods: tuple[Method, ...]


def prepare_line_of_sight(case: LineOfSightCase) -> LineOfSightState:
    """Find the observer and the targets on the battlefield; raises `Faults`."""
    named = ((f"targets/{index}", "unit", id_) for index, id_ in enumerate(case.targets))
    field = checked_case(case.scene, ("observer", "unit", case.observer), *named, playing=True)
    targets = observe(field, case.observer, case.targets, "a unit cannot be its own target")
    methods = tuple(targeting.METHODS) if case.method is None else (case.method,)
    return LineOfSightState(field, case.observer, targets, methods)


def decide_line_of_sight(table: Table, state: LineOfSightState) -> Decided[LineOfSightAnswer]:
    """Answer the question `line-of-sight`: each target by itself."""
    lines = tuple(_line(table, state, target) for target in state.targets)
    clear = [row.open for line in lines for row in line.methods if row.method == "clear-line"]
    return Decided(LineOfSightAnswer(sum(clear) if "clear-line" in state.methods else None, lines))


def _line(table: Table, state: LineOfSightState, target: str) -> LineTo:
    field = state.field
    away = targeting.distance(table, field, field.at(state.observer), field.at(target))
    return LineTo(target, away, tuple(_by_method(table, state, target, method) for method in state.methods))


def _by_method(table: Table, state: LineOfSightState, target: str, method: Method) -> ByMethod:
    line = targeting.METHODS[method](table, state.field, state.observer, state.field.at(target))
    return ByMethod(method, line.open, line.blockers, line.contacts, tuple(reason.text for reason in line.reasons))


QUESTIONS = (
    Question(
        name="line-of-sight",
        gist="Which targets does this unit reach by each targeting method, and what is in the way?",
        case=LineOfSightCase,
        answer=LineOfSightAnswer,
        prepare=prepare_line_of_sight,
        rule=decide_line_of_sight,
        dice=False,
    ),
)
