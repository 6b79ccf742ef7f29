"""Questions that are about one explorer and nothing else: its vitality roll and its inspiration roll."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import State, checking, id_faults
from services.blackstone_fortress.rules import inspiration, vitality
from services.blackstone_fortress.scene import Scene


class ExplorerCase(FactCase, frozen=True):
    """An `explorer` of the scene, as its card lies now."""

    scene: Scene
    explorer: Id


def explorer_faults(field: Battlefield, id_: str, where: str = "explorer") -> Iterator[Fault]:
    """Find fault with an id that is none of an explorer."""
    yield from id_faults("explorer", id_, where, [explorer.id for explorer in field.scene.explorers])


def _faults(field: Battlefield, case: ExplorerCase) -> Iterator[Fault]:
    yield from explorer_faults(field, case.explorer)


prepare_explorer = checking(_faults)


class VitalityAnswer(Value, frozen=True):
    """How many wounds were healed, and the counters that are left."""

    healed: int
    wounds: int
    grievous: int


def heal(table: Table, state: State[ExplorerCase]) -> Decided[VitalityAnswer]:
    """What an explorer's vitality roll heals."""
    before = state.field.explorer(state.case.explorer)
    field = vitality.vitality_roll(table, state.field, before.id)
    after = field.explorer(before.id)
    healed = before.wounds + before.grievous - after.wounds - after.grievous
    return Decided(VitalityAnswer(healed, after.wounds, after.grievous), field.scene)


class InspirationAnswer(Value, frozen=True):
    """Whether a point was gained, and what the explorer has now."""

    gained: bool
    points: Annotated[int, Meta(description="The inspiration points that the explorer has now.")]
    inspired: Annotated[bool, Meta(description="Whether the explorer is inspired now.")]
    wounds: Annotated[int, Meta(description="What the Wounds values of the slain came to.")]


def roll_inspiration(table: Table, state: State[ExplorerCase]) -> Decided[InspirationAnswer]:
    """Whether an explorer gains an inspiration point for hostiles slain in its activation, and becomes inspired."""
    field, gained, wounds = inspiration.rolled(table, state.field, state.case.explorer)
    after = field.explorer(state.case.explorer)
    return Decided(InspirationAnswer(gained, after.inspiration, after.inspired, wounds), field.scene)


INSPIRATION = Question("inspiration", ExplorerCase, prepare_explorer, roll_inspiration, dice=True)

QUESTIONS = (Question("vitality", ExplorerCase, prepare_explorer, heal, dice=True), INSPIRATION)
