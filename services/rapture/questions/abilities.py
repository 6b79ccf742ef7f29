"""Abilities: whether a unit can use one, and the result."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, gather, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.faults import unknown_id
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.book import Book
from services.rapture.checks import checked_case
from services.rapture.questions.losses import boxes_lost
from services.rapture.rules import abilities, uses
from services.rapture.rules.uses import Left
from services.rapture.scene import Scene


class AbilityCase(FactCase, frozen=True):
    """A `unit` uses an `ability` of its card or of its side's mission.

    `target` is a unit or an objective; abilities that work on their user take none.
    """

    scene: Scene
    unit: Id
    ability: Id
    target: Id | None = None


class AbilityAnswer(Value, frozen=True):
    """Whether the ability succeeds, its difficulty, how often it is left, and its effects.

    `crossed_own` and `crossed_others` are the boxes lost by the side of the user and by all other sides; a disabled
    unit loses all that it had left.
    """

    side: Id
    success: bool
    difficulty: Annotated[int | None, Meta(description="The lowest face that passes the test; null without one.")]
    left: Left
    crossed_own: int
    crossed_others: int
    disabled: tuple[Id, ...]
    escaping: tuple[Id, ...]


@dataclass(frozen=True)
class AbilityState:
    """The battlefield and the case."""

    field: Battlefield
    case: AbilityCase


def prepare_ability(case: AbilityCase) -> AbilityState:
    """Find the unit, the ability and the target; raises `Faults`."""
    gather(lambda: _scene_faults(case), lambda: _name_faults(case))
    return AbilityState(checked_case(case.scene), case)


def _scene_faults(case: AbilityCase) -> Iterable[Fault]:
    checked_case(case.scene, ("unit", "unit", case.unit))
    return ()


def _name_faults(case: AbilityCase) -> Iterator[Fault]:
    yield from unknown_id("ability", case.ability, pointer("case", "ability"), Book.of(case.scene.profiles).abilities)
    if case.target is not None:
        ids = [*(unit.id for unit in case.scene.units), *(row.id for row in case.scene.objectives)]
        yield from unknown_id("target", case.target, pointer("case", "target"), ids)


def decide_ability(table: Table, state: AbilityState) -> Decided[AbilityAnswer]:
    """Decide whether a unit can use an ability, and the result."""
    before, case = state.field, state.case
    if reasons := abilities.violations(table, before, case.unit, case.ability, case.target):
        raise Forbidden(*reasons)
    card, side = before.book.abilities[case.ability], before.unit(case.unit).side
    difficulty = None if card.test is None else abilities.difficulty(table, before, case.unit, case.ability)
    field, success = abilities.use(table, before, case.unit, case.ability, case.target)
    units, losses = field.scene.units, boxes_lost(before, field)
    answer = AbilityAnswer(
        side,
        success,
        difficulty,
        uses.left(table, field, case.unit, case.ability),
        losses[side],
        sum(many for other, many in losses.items() if other != side),
        tuple(unit.id for unit in units if unit.disabled and not before.unit(unit.id).disabled),
        tuple(unit.id for unit in units if unit.escaping and not before.unit(unit.id).escaping),
    )
    return Decided(answer, field.scene)


def worth(answer: AbilityAnswer, side: str) -> int:
    """Give the worth of an ability to a side: boxes lost by the others, minus its own."""
    gain = answer.crossed_others - answer.crossed_own
    return gain if side == answer.side else -gain


ABILITY = Question(
    name="ability",
    gist="Can this unit use this ability, and what is the result?",
    case=AbilityCase,
    answer=AbilityAnswer,
    prepare=prepare_ability,
    rule=decide_ability,
    dice=True,
    worth=worth,
)

QUESTIONS = (ABILITY,)
