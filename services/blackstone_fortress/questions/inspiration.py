"""Inspiration rolls: whether an explorer gains a point for the hostiles it has slain."""

from typing import Annotated

from msgspec import Meta

from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.questions.explorers import ExplorerCase, ExplorerState, prepare_explorer
from services.blackstone_fortress.rules import inspiration


class InspirationAnswer(Value, frozen=True):
    """Whether a point was gained, and what the explorer has now."""

    gained: bool
    points: Annotated[int, Meta(description="The inspiration points that the explorer has now.")]
    inspired: Annotated[bool, Meta(description="Whether the explorer is inspired now.")]
    wounds: Annotated[int, Meta(description="What the Wounds values of the slain came to.")]


def roll(table: Table, state: ExplorerState) -> Decided[InspirationAnswer]:
    """Decide the inspiration roll at the end of an activation, for the hostiles slain in it, and what a point does."""
    field, gained, wounds = inspiration.rolled(table, state.field, state.id)
    after = field.explorer(state.id)
    return Decided(InspirationAnswer(gained, after.inspiration, after.inspired, wounds), field.scene)


INSPIRATION = Question(
    name="inspiration",
    gist="Whether an explorer gains an inspiration point for hostiles slain in its activation, and becomes inspired.",
    case=ExplorerCase,
    answer=InspirationAnswer,
    prepare=prepare_explorer,
    rule=roll,
    dice=True,
)

QUESTIONS = (INSPIRATION,)
