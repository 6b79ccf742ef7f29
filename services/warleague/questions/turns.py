"""Rounds and turns: the order of the sides, turns of players and of NPCs, the update phase, and who has lost."""

from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Reason
from arbiter.skirmish.cases import CaseState, case_fault, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked, naming
from services.warleague.questions import losses
from services.warleague.questions.losses import SideLoss
from services.warleague.rules import npc, points, sequence, turn, update, victory
from services.warleague.rules.npc import NpcAttack
from services.warleague.scene import Phase, Scene, Tile

# The order


class OrderCase(Value, frozen=True):
    """The order of the sides in a round. Sides whose die the scene has do not roll again."""

    scene: Scene


class OrderAnswer(Value, frozen=True):
    """The sides from first to last, whose turn it is then, and the phase that follows.

    Where nobody can act the round is over at once: there is no order any more, and nobody's turn.
    """

    order: tuple[Id, ...]
    turn: Id | None
    phase: Phase


def decide_order(table: Table, before: Battlefield) -> Decided[OrderAnswer]:
    """In which order do the sides act in this round?"""
    forbid(sequence.order_violations(table, before))
    field = sequence.settle(table, before)
    return Decided(OrderAnswer(field.scene.order, field.scene.turn, field.scene.phase), field.scene)


# Turns


class TurnCase(Value, frozen=True):
    """Whose turn it is; with a `unit`, that it begins its turn, or ends it; with a `side`, that this passes."""

    scene: Scene
    step: Literal["look", "begin", "end", "pass"] = "look"
    unit: Id | None = None
    side: Id | None = None


class TurnAnswer(Value, frozen=True):
    """Where the round stands: phase, whose turn it is, the unit that has it, and who may begin one now.

    `side` and `active` are null where there is none; `units` are those of the side on turn.
    """

    phase: Phase
    round: int
    side: Id | None
    active: Id | None
    units: tuple[Id, ...]
    command_points: Annotated[int | None, Meta(description="Those of the side on turn.")]


def _turn_faults(field: Battlefield, case: TurnCase) -> Iterator[Fault]:
    """Find the unit or the side missing that a step needs."""
    needed = {"begin": "unit", "end": "unit", "pass": "side"}.get(case.step)
    if needed is not None and getattr(case, needed) is None:
        text = f"the step {case.step} needs a {needed}"
        yield case_fault(needed, "missing", text, None, f"a {needed} of the scene")


STEPS: Mapping[str, tuple[Callable[..., tuple[Reason, ...]], Callable[..., Battlefield]]] = {
    "begin": (turn.violations, turn.begin),
    "end": (turn.end_violations, turn.ended),
    "pass": (turn.pass_violations, turn.pass_turn),
}
"""What may forbid each step to a unit or a side, and what it brings."""


def decide_turn(table: Table, state: CaseState[Battlefield, TurnCase]) -> Decided[TurnAnswer]:
    """Whose turn is it, and may this unit begin or end its turn, or this side pass?"""
    field, case = state.field, state.case
    if case.step != "look":
        violations, take = STEPS[case.step]
        who = case.side if case.step == "pass" else case.unit
        forbid(violations(table, field, who))
        field = take(table, field, who)
    return Decided(_standing(table, field), None if case.step == "look" else field.scene)


def _standing(table: Table, field: Battlefield) -> TurnAnswer:
    scene = field.scene
    side = turn.next_side(table, field) if scene.phase == "turns" else None
    units = turn.units_ready(table, field, side) if side is not None and scene.active is None else ()
    left = None if side is None else field.side(side).command_points
    return TurnAnswer(scene.phase, scene.round, side, scene.active, units, left)


# The update phase


class UpdateCase(Value, frozen=True):
    """The update phase of a round."""

    scene: Scene


class UpdateAnswer(Value, frozen=True):
    """The phase and the round that follow, how much Rad is left, and who has fallen in it."""

    phase: Phase
    round: int
    rads: Annotated[int, Meta(description="How many Rad tags are left on the map.")]
    fallen: tuple[Id, ...]


def decide_update(table: Table, before: Battlefield) -> Decided[UpdateAnswer]:
    """What does the update phase bring: durations, shields, Rad, reactions?"""
    forbid(update.violations(table, before))
    field = update.phase(table, before)
    scene = field.scene
    answer = UpdateAnswer(scene.phase, scene.round, len(scene.rads), losses.fallen(before, field))
    return Decided(answer, scene)


# The turn of an NPC


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


def decide_behaviour(table: Table, state: CaseState[Battlefield, BehaviourCase]) -> Decided[BehaviourAnswer]:
    """What does this NPC do in its turn: whom does it go for, which way, and how do its attacks go?"""
    before, unit = state.field, state.case.unit
    forbid(npc.violations(table, before, unit), turn.act_violations(table, before, unit))
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


def cost(state: CaseState[Battlefield, BehaviourCase]) -> float:
    """Estimate how many milliseconds a turn takes: each step or attack looks for the ways to every enemy."""
    field, unit = state.field, state.case.unit
    actions = 1 + min(npc.MOST_ACTIONS, points.left(field, unit))
    return actions * (MS_ACTION + MS_WAY * len(field.ground.tiles) * (1 + len(field.enemies(field.unit(unit)))))


# Victory and defeat


class VictoryCase(Value, frozen=True):
    """How the game stands."""

    scene: Scene


class VictoryAnswer(Value, frozen=True):
    """The sides that have lost, and those with heroes that have not.

    What else wins or loses a game is a matter of its mode and its level, which are not part of the text.
    """

    lost: tuple[Id, ...]
    playing: tuple[Id, ...]


def decide_victory(table: Table, field: Battlefield) -> Decided[VictoryAnswer]:
    """Which players have lost, and who is still in the game?"""
    lost = victory.lost(table, field)
    players = (side.id for side in field.scene.sides if victory.heroes(field, side.id))
    return Decided(VictoryAnswer(lost, tuple(side for side in players if side not in lost)))


def prepare(case: OrderCase | UpdateCase | VictoryCase) -> Battlefield:
    """Check the scene of a question that names nothing else; raises `Faults`."""
    return checked(case.scene)


QUESTIONS = (
    Question("turn", TurnCase, naming("unit", "side", in_play=False, faults=_turn_faults), decide_turn),
    Question("order", OrderCase, prepare, decide_order, dice=True),
    Question("update", UpdateCase, prepare, decide_update),
    Question("behaviour", BehaviourCase, naming("unit"), decide_behaviour, dice=True, cost=cost, worth=losses.worth),
    Question("victory", VictoryCase, prepare, decide_victory),
)
