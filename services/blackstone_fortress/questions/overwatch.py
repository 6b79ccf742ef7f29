"""Overwatch: which dice are kept for it, and what explorers do when a hostile triggers it."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import State, checking, standing
from services.blackstone_fortress.questions.explorers import ExplorerCase, prepare_explorer
from services.blackstone_fortress.rules import overwatch
from services.blackstone_fortress.rules.explorer_actions import Violation, as_violations
from services.blackstone_fortress.rules.overwatch import Reaction
from services.blackstone_fortress.rules.wounds import remaining
from services.blackstone_fortress.scene import Scene


class OverwatchCase(FactCase, frozen=True):
    """A `hostile` that has just finished a move or an attack, or has just been deployed, as the scene stands after it.

    Each explorer that could react is asked whether it does, and then how.
    """

    scene: Scene
    hostile: Id
    by: Annotated[Literal["move", "attack", "deployment"], Meta(description="What it has just finished.")] = "move"
    made: Annotated[
        bool, Meta(description="False for a move of no hexes, or an attack without an eligible target.")
    ] = True
    more: Annotated[bool, Meta(description="Whether more steps of the same hostile action are still to come.")] = False


class Unable(Value, frozen=True):
    """An explorer that cannot react, and every reason why not."""

    explorer: Id
    reasons: tuple[Violation, ...]


class OverwatchAnswer(Value, frozen=True):
    """Who reacted and how, and what became of the hostile."""

    damage: Annotated[int, Meta(description="What the hostile suffered: 1 for a wound, 3 for a grievous wound.")]
    slain: Annotated[bool, Meta(description="Whether the hostile is slain.")]
    remaining: Annotated[int, Meta(description="The damage that the hostile still stands.")]
    reactions: tuple[Reaction, ...]
    unable: Annotated[tuple[Unable, ...], Meta(description="The explorers on the battlefield who cannot react.")] = ()


def _faults(field: Battlefield, case: OverwatchCase) -> Iterator[Fault]:
    yield from standing(field, "hostile", case.hostile, "hostile", field.hostiles)


def react(table: Table, state: State[OverwatchCase]) -> Decided[OverwatchAnswer]:
    """Who may react to a hostile that has moved, attacked or arrived, and how the reactions go, in leader order."""
    case = state.case
    unable = tuple(_unable(table, state))
    field, reactions = overwatch.reactions(table, state.field, case.hostile, case.by, case.made, case.more)
    outcomes = [outcome for reaction in reactions for outcome in reaction.attacks if outcome.target == case.hostile]
    damage = sum(outcome.wounds + 3 * outcome.grievous for outcome in outcomes)
    slain = field.hostile(case.hostile).slain
    return Decided(
        OverwatchAnswer(damage, slain, 0 if slain else remaining(field, case.hostile), reactions, unable), field.scene
    )


def _unable(table: Table, state: State[OverwatchCase]) -> Iterator[Unable]:
    """Give the explorers who cannot react; what the rules find on the way is found again when the others do."""
    field, case = state.field, state.case
    with table.without_findings():
        untriggered = overwatch.unfinished(table, case.made, case.more)
        for explorer in field.explorers:
            reasons = untriggered or overwatch.unable(table, field, explorer.id, case.hostile)
            if reasons:
                yield Unable(explorer.id, as_violations(reasons))


class SaveOverwatchAnswer(Value, frozen=True):
    """The overwatch dice that the explorer has now, and how many dice were removed because they showed 1."""

    overwatch: tuple[int, ...]
    removed: int


def save(table: Table, state: State[ExplorerCase]) -> Decided[SaveOverwatchAnswer]:
    """Which dice an explorer keeps for overwatch when its activation ends, and what they are worth then."""
    field = overwatch.save_dice(table, state.field, state.case.explorer)
    before, dice = (one.explorer(state.case.explorer).overwatch for one in (state.field, field))
    lying, left = (sum(len(one.activation) for one in each.scene.explorers) for each in (state.field, field))
    return Decided(SaveOverwatchAnswer(dice, lying - left + len(before) - len(dice)), field.scene)


OVERWATCH = Question("overwatch", OverwatchCase, checking(_faults), react, dice=True)

QUESTIONS = (OVERWATCH, Question("save-overwatch", ExplorerCase, prepare_explorer, save))
