"""The round: who starts it, whose turn it is, what goes at its end, NPCs, and the end of the game."""

from arbiter.facts import FactCase
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import Action, Actions
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import checked, prepared
from services.size_skirmish.questions import outcomes
from services.size_skirmish.questions.outcomes import Course
from services.size_skirmish.rules import ending, initiative, npc, rounds
from services.size_skirmish.scene import Phase, Scene


class SceneCase(Value, frozen=True):
    """The table as it stands."""

    scene: Scene


def prepare_scene(case: SceneCase) -> Battlefield:
    """Check the scene; raises `Faults`."""
    return checked(case.scene)


class InitiativeAnswer(Value, frozen=True):
    """Who starts the round, and so has the first turn."""

    starts: Id


def decide_initiative(table: Table, field: Battlefield) -> Decided[InitiativeAnswer]:
    """Who wins the roll for the start of the round, and who starts it?"""
    forbid(rounds.only_in(table, field, "start"))
    field = initiative.started(table, field)
    field = rounds.following(table, rounds.cleared(field))
    return Decided(InitiativeAnswer(field.scene.starting or ""), field.scene)


class TurnCase(Value, frozen=True):
    """Whose turn it is. `acted` is the side that has just activated a model; null before the first of the phase."""

    scene: Scene
    acted: Id | None = None


class TurnAnswer(Value, frozen=True):
    """The side whose turn it is, null when the phase is over; the phase then, and whom the side may still activate."""

    turn: Id | None
    phase: Phase
    left: tuple[Id, ...]


def decide_turn(table: Table, state: CaseState[Battlefield, TurnCase]) -> Decided[TurnAnswer]:
    """Whose turn is it to activate a model, or has every model been activated?"""
    field, case = state.field, state.case
    forbid(rounds.only_in(table, field, "action"))
    turn = rounds.alternate(table, field, case.acted)
    left = () if turn is None else rounds.left(table, field, turn)
    field = field.with_(turn=turn)
    if turn is None:
        field = rounds.following(table, field)
    return Decided(TurnAnswer(turn, field.scene.phase, left), field.scene)


class RoundEndAnswer(Value, frozen=True):
    """Who has lost status tokens, and whether markers have been removed."""

    cleared: tuple[Id, ...]
    markers_removed: bool


def decide_round_end(table: Table, field: Battlefield) -> Decided[RoundEndAnswer]:
    """What goes at the end of the round?"""
    forbid(rounds.not_over(table, field))
    after = rounds.tokens_removed(table, field)
    cleared = tuple(model.id for model in field.units if model.statuses and not after.unit(model.id).statuses)
    marked = any(
        (model.acted, model.reacted) != (after.unit(model.id).acted, after.unit(model.id).reacted)
        for model in field.units
    )
    after = rounds.following(table, after.with_(phase="end", turn=None))
    return Decided(RoundEndAnswer(cleared, marked), after.scene)


class NpcCase(FactCase, frozen=True):
    """What an NPC does in the NPC phase, and the reactions to it.

    Of an NPC that players move it is the turn of the scene's `turn`, or else of the player who started the round.
    Without an action in `deed`, that player moves no more NPCs.
    """

    scene: Scene
    deed: Action | None = None
    reactions: Actions | None = None


class NpcAnswer(Value, frozen=True):
    """How the action went, null without one; who moves the next NPC, and which NPCs are left.

    When no NPC is left, or no player moves one any more, the phase is over, and the next round begins.
    """

    course: Course | None
    turn: Id | None
    left: tuple[Id, ...]
    phase: Phase


def prepare_npc(case: NpcCase) -> Announced | Battlefield:
    """Check the actions; raises `Faults`."""
    if case.deed is None:
        return checked(case.scene)
    return actionchecks.checked_announcement(case.scene, case.deed, case.reactions)


def decide_npc(table: Table, state: Announced | Battlefield) -> Decided[NpcAnswer]:
    """May this NPC do that in the NPC phase, and how does it go; and who moves the next one?"""
    field, announced = (state, None) if isinstance(state, Battlefield) else (state.field, state)
    forbid(rounds.only_in(table, field, "npc"))
    by_player = announced is None or npc.by_players(table, field, announced.action.model)
    mover = npc.mover(table, field) if by_player else None
    if mover is not None:
        forbid(npc.scenario_first(table, field), npc.quota(table, field, mover))
    course = None
    if announced is not None:
        field, _, _, course = outcomes.carried_out(table, announced)
    if mover is not None:
        field = npc.moved(table, field, mover) if announced else npc.forgone(table, field, mover)
    turn, left = field.scene.turn, npc.left(table, field)
    if not left or (mover is not None and turn is None):
        field = rounds.following(table, field.with_(turn=None))
    return Decided(NpcAnswer(course, field.scene.turn, left, field.scene.phase), field.scene)


class EndingAnswer(Value, frozen=True):
    """Who has won: one side, or several that draw; and the victory points, side by side."""

    winners: tuple[Id, ...]
    victory_points: tuple[int, ...]


def decide_ending(table: Table, field: Battlefield) -> Decided[EndingAnswer]:
    """Who has won the game?"""
    winners = ending.victory(table, field)
    points = tuple(side.victory_points for side in field.scene.sides)
    return Decided(EndingAnswer(winners, points), field.with_(phase="over", turn=None).scene)


QUESTIONS = (
    Question("initiative", SceneCase, prepare_scene, decide_initiative, dice=True),
    Question("turn", TurnCase, prepared("acted"), decide_turn),
    Question("round-end", SceneCase, prepare_scene, decide_round_end),
    Question("npc", NpcCase, prepare_npc, decide_npc, dice=True, worth=outcomes.worth),
    Question("ending", SceneCase, prepare_scene, decide_ending),
)
