"""Boxes: what a unit's values are now, and what becomes of it when boxes of its bars are crossed out or come back."""

from collections.abc import Iterator
from typing import Annotated

import msgspec
from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.geometry.plane.shapes import units
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState, case_fault
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import prepared
from services.rapture.rules import boxes, escape
from services.rapture.scene import Scene

Boxes = Annotated[int, Meta(ge=0, le=20)]


class BoxesCase(FactCase, frozen=True):
    """A `unit`, and how many of its boxes are crossed out and restored: HP and then MP, then what comes back.

    `by` is the side that crosses out HP, if one does. With nothing to cross out the answer has the current values.
    """

    scene: Scene
    unit: Id
    wounds: Boxes = 0
    morale: Boxes = 0
    hp_back: Boxes = 0
    mp_back: Boxes = 0
    by: Id | None = None


class Current(Value, frozen=True):
    """The current values of a unit. `mms` and `range_cm` are null without a ranged weapon."""

    ccs: int
    mms: int | None
    att: int
    rof: int
    tec: int
    def_: int = msgspec.field(name="def")
    ini: int
    mov_cm: float
    range_cm: float | None
    ap: int
    rp: int


class BoxesAnswer(Value, frozen=True):
    """The values afterwards, the boxes and points left, and which units are disabled or escape."""

    values: Current
    hp_left: int
    mp_left: int
    ap_at_hand: int
    rp_at_hand: int
    escaping: bool
    disabled: tuple[Id, ...]


def _boxes_faults(field: Battlefield, case: BoxesCase) -> Iterator[Fault]:
    if field.unit(case.unit).disabled is not None:
        yield case_fault("unit", "disabled", f"{case.unit} is disabled", case.unit, "a unit that is not")


def decide_boxes(table: Table, state: CaseState[Battlefield, BoxesCase]) -> Decided[BoxesAnswer]:
    """What are this unit's values after so many of its boxes are crossed out or restored?"""
    before, case = state.field, state.case
    field = boxes.cross_health(table, before, case.unit, case.wounds, case.by)
    field = escape.cross_morale(table, field, case.unit, case.morale)
    field = boxes.restore(table, field, case.unit, "hp", case.hp_back)
    field = escape.restore_morale(table, field, case.unit, case.mp_back)
    now = boxes.values(table, field, case.unit)
    far, reach = float(units(now.mov)), None if now.range is None else float(units(now.range))
    answer = BoxesAnswer(
        Current(now.ccs, now.mms, now.att, now.rof, now.tec, now.def_, now.ini, far, reach, now.ap, now.rp),
        boxes.left(field, case.unit, "hp"),
        boxes.left(field, case.unit, "mp"),
        *boxes.points(table, field, case.unit),
        field.unit(case.unit).escaping,
        tuple(unit.id for unit in before.scene.units if unit.disabled is None and field.unit(unit.id).disabled),
    )
    return Decided(answer, field.scene)


QUESTIONS = (
    Question(
        "boxes",
        BoxesCase,
        prepared("unit", "by", kinds={"by": "side"}, in_play=False, wrong=_boxes_faults),
        decide_boxes,
    ),
)
