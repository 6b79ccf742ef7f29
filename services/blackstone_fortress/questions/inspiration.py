"""Inspiration rolls: whether an explorer gains a point for the hostiles it has slain."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import checked_case, id_faults
from services.blackstone_fortress.profiles import Id
from services.blackstone_fortress.rules import inspiration
from services.blackstone_fortress.scene import Scene


class InspirationCase(Value, frozen=True):
    """The end of an explorer's activation; whom it slew in it stands in the scene, as the explorer's `slain`."""

    scene: Scene
    explorer: Id


class InspirationAnswer(Value, frozen=True):
    """Whether a point was gained, and what the explorer has now."""

    gained: bool
    points: Annotated[int, Meta(description="The inspiration points that the explorer has now.")]
    inspired: Annotated[bool, Meta(description="Whether the explorer is inspired now.")]
    wounds: Annotated[int, Meta(description="What the Wounds values of the slain came to.")]


@dataclass(frozen=True)
class InspirationState:
    """The battlefield, and the explorer's id."""

    field: Battlefield
    explorer: str


def prepare(case: InspirationCase) -> InspirationState:
    """Find the explorer; raises `Faults`."""
    return InspirationState(
        checked_case(
            case.scene,
            lambda field: id_faults(
                field, "explorer", case.explorer, "explorer", tuple(one.id for one in field.scene.explorers)
            ),
        ),
        case.explorer,
    )


def roll(table: Table, state: InspirationState) -> Decided[InspirationAnswer]:
    """Decide the inspiration roll and what the point does."""
    field, gained, wounds = inspiration.rolled(table, state.field, state.explorer)
    after = field.explorer(state.explorer)
    return Decided(InspirationAnswer(gained, after.inspiration, after.inspired, wounds), field.scene)


INSPIRATION = Question(
    name="inspiration",
    gist="Whether an explorer gains an inspiration point for hostiles slain in its activation, and becomes inspired.",
    case=InspirationCase,
    answer=InspirationAnswer,
    prepare=prepare,
    rule=roll,
    dice=True,
)

QUESTIONS = (INSPIRATION,)
