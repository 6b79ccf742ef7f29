"""Behaviour: what an NPC does in its turn, and what comes of it."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked_case
from services.warleague.questions import losses
from services.warleague.questions.losses import SideLoss
from services.warleague.rules import npc, points, turn
from services.warleague.rules.npc import NpcAttack
from services.warleague.scene import Scene, Tile


class BehaviourCase(FactCase, frozen=True):
    """The whole turn of an NPC, the `unit`."""

    scene: Scene
    unit: Id


class BehaviourAnswer(Value, frozen=True):
    """Whom an NPC has gone for, one after the other, the tiles that it has stepped onto, and its attacks.

    `left` are its action points afterwards, `at` where it is then.
    """

    side: Id
    targets: tuple[Id, ...]
    way: tuple[Tile, ...]
    attacks: tuple[NpcAttack, ...]
    left: int
    at: Annotated[Tile | None, Meta(description="Null for the dead.")]
    damage: Annotated[int, Meta(description="Points that other sides have lost in its turn.")]
    fallen: Annotated[tuple[Id, ...], Meta(description="Who has died or been downed, in the order of the scene.")]
    lost: tuple[SideLoss, ...]


MS_ACTION, MS_WAY = 2.0, 0.01
"""What a step or an attack takes, and for each enemy a tile of the board, with a little to spare."""


@dataclass(frozen=True)
class BehaviourState:
    """The battlefield and the NPC."""

    field: Battlefield
    unit: str


def prepare_behaviour(case: BehaviourCase) -> BehaviourState:
    """Find the unit; raises `Faults`."""
    return BehaviourState(checked_case(case.scene, ("unit", "unit", case.unit), playing=True), case.unit)


def decide_behaviour(table: Table, state: BehaviourState) -> Decided[BehaviourAnswer]:
    """Answer the question `behaviour`: the turn of an NPC from its beginning to its end."""
    before, unit = state.field, state.unit
    if reasons := (*npc.violations(table, before, unit), *turn.act_violations(table, before, unit)):
        raise Forbidden(*reasons)
    acting = npc.acted(table, turn.ensure_begun(table, before, unit), unit)
    field, side = acting.field, before.player(unit)
    lost = losses.by_side(before, field)
    answer = BehaviourAnswer(
        side,
        acting.targets,
        acting.way,
        acting.attacks,
        points.left(field, unit),
        field.unit(unit).at,
        sum(row.points for row in lost if row.side != side),
        losses.fallen(before, field),
        lost,
    )
    return Decided(answer, turn.ended(table, field, unit).scene)


def cost(state: BehaviourState) -> float:
    """Estimate how many milliseconds a turn takes: each step or attack looks for the ways to every enemy."""
    field, unit = state.field, state.unit
    actions = 1 + min(npc.MOST_ACTIONS, points.left(field, unit))
    return actions * (MS_ACTION + MS_WAY * len(field.ground.tiles) * (1 + len(field.enemies(field.unit(unit)))))


def worth(answer: BehaviourAnswer, who: str) -> int:
    """Give what a turn is worth to a side: what its enemies have lost in it, less what it has."""
    return losses.worth(answer.lost, who)


QUESTIONS = (
    Question(
        name="behaviour",
        gist="What does this NPC do in its turn: whom does it go for, which way, and how do its attacks go?",
        case=BehaviourCase,
        answer=BehaviourAnswer,
        prepare=prepare_behaviour,
        rule=decide_behaviour,
        dice=True,
        cost=cost,
        worth=worth,
    ),
)
