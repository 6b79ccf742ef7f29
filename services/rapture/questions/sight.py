"""Line of sight: what a unit sees, what blocks its view, how far away it is, and what it can attack."""

from itertools import product
from typing import Annotated, cast

from msgspec import Meta
from msgspec.structs import replace

from arbiter.geometry.plane.gaps import Line as Between
from arbiter.geometry.plane.measure import between
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.geometry.plane.witness import Grazes
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState
from arbiter.skirmish.fields import Id
from arbiter.skirmish.lines import in_units
from arbiter.skirmish.sight import Contact, observe
from arbiter.table import Table
from arbiter.value import Value
from services.rapture import lines
from services.rapture.battlefield import Battlefield
from services.rapture.checks import on_battlefield
from services.rapture.rules import boxes, reach
from services.rapture.scene import MOST_UNITS, Place, Scene


class LineOfSightCase(Value, frozen=True):
    """An `observer` and its `targets`; without targets, all opponents in play."""

    scene: Scene
    observer: Id
    targets: Annotated[tuple[Id, ...], Meta(max_length=MOST_UNITS)] = ()


class Line(Value, frozen=True):
    """The line from the observer to one target.

    The line is drawn from `start` to `end`, which is a free one between the nearest models that see each other; if the
    target is not seen it is that between the middles of the nearest models. Without a board there is none.
    `blocked_by` are the pieces, or by a reading the units, on the line between the nearest models of both, if the
    target is not seen; `contacts` are all that the line from `start` to `end` meets, and where. `contact` is base
    contact. `close` and `shot` say whether the observer reaches it for a close combat attack and a ranged attack, with
    how many models and dice; the side of the target does not matter.
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
    start: Place | None = None
    end: Place | None = None
    contacts: tuple[Contact, ...] = ()


class LineOfSightAnswer(Value, frozen=True):
    """The number of targets seen, and the line to each."""

    seen: int
    lines: tuple[Line, ...]


def prepare_line_of_sight(case: LineOfSightCase) -> CaseState[Battlefield, LineOfSightCase]:
    """Find the observer and the targets on the battlefield; raises `Faults`."""
    named = ((f"targets/{index}", id_) for index, id_ in enumerate(case.targets))
    field = on_battlefield(case.scene, ("observer", case.observer), *named)
    targets = observe(field, case.observer, case.targets, "a unit is not a target of its own sight")
    return CaseState(field, replace(case, targets=targets))


def decide_line_of_sight(table: Table, state: CaseState[Battlefield, LineOfSightCase]) -> Decided[LineOfSightAnswer]:
    """What does this unit see, how far away is it, and what does it reach?"""
    rows = tuple(_line(table, state.field, state.case.observer, target) for target in state.case.targets)
    return Decided(LineOfSightAnswer(sum(line.seen for line in rows), rows))


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
        *_drawn(table, field, observer, target, seen.seen),
    )


def _drawn(
    table: Table, field: Battlefield, observer: str, target: str, seen: bool
) -> tuple[Place | None, Place | None, tuple[Contact, ...]]:
    """Give the ends of the line that shows whether a unit sees another, in centimetres, and what it meets."""
    if not field.measures(observer, target):
        return None, None, ()
    every = product(field.solids(field.unit(observer)), field.solids(field.unit(target)))
    pairs = sorted(every, key=lambda pair: between(*pair))
    readings = table.readings
    counting = readings["models-block-sight"] == "yes"
    others = (unit for unit in field.units if counting and unit.id not in (observer, target))
    third = tuple(body for unit in others for body in field.solids(unit))
    origin, grazes = cast(lines.From, readings["sight-from"]), cast(Grazes, readings["graze"])
    heights, ground = cast(lines.Heights, readings["sight-in-height"]), field.ground
    for one, other in pairs if seen else ():
        line = lines.line_on(ground, one, other, lines.near_on(ground, one, other, third), origin, grazes, heights)
        if line is not None:
            break
    else:
        one, other = pairs[0]
        line = Between(one.at, other.at)
    contacts = lines.met_on(ground, line, one, other, lines.near_on(ground, one, other, third), grazes, heights)
    start, end = (at[:2] for at in (in_units((*spot, 0)) for spot in line))
    # Bases that touch see each other whatever stands there.
    return start, end, tuple(replace(contact, counts=contact.counts and not seen) for contact in contacts)


QUESTIONS = (Question("line-of-sight", LineOfSightCase, prepare_line_of_sight, decide_line_of_sight),)
