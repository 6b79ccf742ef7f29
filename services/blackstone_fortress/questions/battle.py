"""A whole combat by policies: who wins, and the story of it."""

from collections import Counter
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.nowhere import PlaceNeeded
from arbiter.question import Counted, Decided, Question
from arbiter.skirmish.battle import BattleState, margins
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battle import Loss, fight
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import checked
from services.blackstone_fortress.rules import ending
from services.blackstone_fortress.rules.ending import Outcome
from services.blackstone_fortress.scene import Hex, Scene

MS_OF_A_TURN, MS_OF_AN_EXPLORER, MS_OF_A_HOSTILE = 0.26, 0.16, 0.05
"""What a turn takes on one core of 2026, in milliseconds: by itself, and for each unit."""

USUAL_TURNS = 18
"""More turns than most combats last."""

BEFORE = "before"
"""The cause of a unit that was lost when the combat began."""

Turns = Annotated[int, Meta(ge=1, le=50, description="The turns after which the combat is broken off.")]


class BattleCase(Value, frozen=True):
    """A combat from the scene as it stands, with a new turn to begin, until it ends or `turns` are over."""

    scene: Scene
    turns: Turns = 20


class Fate(Value, frozen=True):
    """What became of a unit: where it stands, its wounds, and whether it is slain or out of action."""

    unit: Id
    hex: Hex | None
    wounds: int
    grievous: int
    lost: bool


class BattleAnswer(Value, frozen=True):
    """How the combat went: `on` means that the turns ran out. The transcript has it line by line.

    `fates` are as they were at the end; a combat that has ended is then cleared off the battlefield.
    """

    outcome: Outcome
    turns: int
    explorers_lost: int
    hostiles_slain: int
    fates: tuple[Fate, ...]
    transcript: tuple[str, ...]
    losses: Annotated[tuple[Loss, ...], Meta(description="Who fell, in this order; one that came back may fall again.")]
    starter: Annotated[
        Literal["explorers", "hostiles"] | None, Meta(description="Whose card is activated first; null where none is.")
    ]
    explorer_falls: Annotated[int, Meta(description="How often an explorer fell; one that came back may fall again.")]
    hostile_falls: Annotated[int, Meta(description="How many hostiles were slain, also those that came back since.")]
    idle_turns: Annotated[int, Meta(description="The turns in which nothing changes.")]


def prepare(case: BattleCase) -> BattleState[Battlefield]:
    """Check the scene, which has to have a board; raises `Faults`."""
    field = checked(case.scene)
    if field.scene.is_partial:
        raise PlaceNeeded
    return BattleState(field, case.turns)


def battle(table: Table, state: BattleState[Battlefield]) -> Decided[BattleAnswer]:
    """Plays a whole combat by policies and reports it turn by turn."""
    with table.without_findings():
        field, result = fight(table, state.field, state.rounds)
        after = ending.after(table, field, result.outcome)
    scene = field.scene
    fates = (
        *(Fate(one.id, one.hex, one.wounds, one.grievous, one.out_of_action) for one in scene.explorers),
        *(Fate(one.id, one.hex, one.wounds, one.grievous, one.slain) for one in scene.hostiles),
    )
    explorers = {explorer.id for explorer in scene.explorers}
    falls = Counter("explorers" if loss.unit in explorers else "hostiles" for loss in result.losses)
    answer = BattleAnswer(
        outcome=result.outcome,
        turns=result.turns,
        explorers_lost=sum(one.out_of_action for one in scene.explorers),
        hostiles_slain=sum(one.slain for one in scene.hostiles),
        fates=fates,
        transcript=result.transcript,
        losses=result.losses,
        starter=result.starter,
        explorer_falls=falls["explorers"],
        hostile_falls=falls["hostiles"],
        idle_turns=result.idle_turns,
    )
    return Decided(answer, after.scene)


def measures(answer: BattleAnswer) -> dict[str, Counted]:
    """Give what a simulation counts of a combat: its end, the losses, and of each unit its wounds and what it fell to.

    Kills count every fall, also of units that came back since. The cause is that of its last fall, and
    `none` for a unit that is not lost.
    """
    cause = {loss.unit: loss.cause for loss in answer.losses}
    counted: dict[str, Counted] = {
        "outcome": answer.outcome,
        "turns": answer.turns,
        "explorers_lost": answer.explorers_lost,
        "hostiles_slain": answer.hostiles_slain,
        "starter": answer.starter,
        "idle turns": answer.idle_turns,
        **margins({"explorers": -answer.explorers_lost, "hostiles": -answer.hostiles_slain}),
        "kills of explorers": answer.hostile_falls,
        "kills of hostiles": answer.explorer_falls,
    }
    for fate in answer.fates:
        counted[f"wounds of {fate.unit}"] = fate.wounds
        counted[f"grievous wounds of {fate.unit}"] = fate.grievous
        counted[f"{fate.unit} is lost"] = fate.lost
        counted[f"cause of {fate.unit}"] = cause.get(fate.unit, BEFORE) if fate.lost else "none"
    return counted


def cost(state: BattleState[Battlefield]) -> float:
    """Estimate how many milliseconds of one core a combat takes at a table that remembers.

    Each explorer and each hostile has its share in a turn. Most combats are over before twenty turns are.
    """
    scene = state.field.scene
    a_turn = MS_OF_A_TURN + MS_OF_AN_EXPLORER * len(scene.explorers) + MS_OF_A_HOSTILE * len(scene.hostiles)
    return a_turn * min(state.rounds, USUAL_TURNS)


QUESTIONS = (
    Question("battle", BattleCase, prepare, battle, dice=True, metrics=measures, ranked_by="turns", cost=cost),
)
