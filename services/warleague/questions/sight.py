"""Line of sight: which targets a unit reaches by each targeting method, and what is in the way."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState
from arbiter.skirmish.faults import case_pointer, own_targets
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import naming
from services.warleague.ground import Contact
from services.warleague.profiles import Method
from services.warleague.rules import targeting
from services.warleague.scene import MOST_UNITS, Scene, Tile


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


def _faults(field: Battlefield, case: LineOfSightCase) -> Iterator[Fault]:
    """Find the observer among its targets."""
    return own_targets(case.observer, case.targets, "a unit cannot be its own target", case_pointer("targets"))


def decide_line_of_sight(table: Table, state: CaseState[Battlefield, LineOfSightCase]) -> Decided[LineOfSightAnswer]:
    """Which targets does this unit reach by each targeting method, and what is in the way?"""
    field, case = state.field, state.case
    targets = case.targets or tuple(enemy.id for enemy in field.enemies(field.unit(case.observer)))
    methods = tuple(targeting.METHODS) if case.method is None else (case.method,)
    lines = tuple(_line(table, field, case.observer, target, methods) for target in targets)
    clear = [row.open for line in lines for row in line.methods if row.method == "clear-line"]
    return Decided(LineOfSightAnswer(sum(clear) if "clear-line" in methods else None, lines))


def _line(table: Table, field: Battlefield, observer: str, target: str, methods: tuple[Method, ...]) -> LineTo:
    to = field.at(target)
    away = targeting.distance(table, field, field.at(observer), to)
    return LineTo(target, away, tuple(_by_method(table, field, observer, to, method) for method in methods))


def _by_method(table: Table, field: Battlefield, observer: str, to: Tile, method: Method) -> ByMethod:
    line = targeting.METHODS[method](table, field, observer, to)
    return ByMethod(method, line.open, line.blockers, line.contacts, tuple(reason.text for reason in line.reasons))


QUESTIONS = (
    Question("line-of-sight", LineOfSightCase, naming("observer", "targets", faults=_faults), decide_line_of_sight),
)
