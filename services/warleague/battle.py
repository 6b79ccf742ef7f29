"""A whole game, round after round, played by policies on the same rules that answer single questions.

Every die falls through the table and every decision is a choice at it: which unit has its turn, each of its actions,
and how it parries. NPCs act by their pattern. Labels begin with who decides or acts: `red: unit`, `ann: deed`.
"""

from arbiter.candidates import Candidates
from arbiter.skirmish.battle import Transcript
from arbiter.table import Table
from arbiter.value import Value
from services.warleague import outcome
from services.warleague.battlefield import Battlefield
from services.warleague.chronicle import action_story, changes, npc_story
from services.warleague.open_actions import MOST_ACTIONS, open_actions
from services.warleague.rules import actions, npc, sequence, turn, update
from services.warleague.rules.actions import Action


class BattleOutcome(Value, frozen=True):
    """How a game went: whether it is over, who won, the rounds that began, and what happened."""

    over: bool
    winners: tuple[str, ...]
    rounds: int
    transcript: tuple[str, ...]
    starter: str | None
    idle_rounds: int


def fight(table: Table, field: Battlefield, most_rounds: int) -> tuple[Battlefield, BattleOutcome]:
    """Play from the posted scene until the game is over or `most_rounds` have passed; give the end and how it went.

    A scene that does not track turns begins with the order of its round.
    """
    lines = Transcript()
    rounds = 0
    if not turn.tracks_turns(field):
        field = field.with_(phase="order")
    while rounds < most_rounds and not outcome.over(table, field):
        rounds += 1
        lines.append(f"Round {field.scene.round}")
        before, field = field, _round(table, field, lines)
        lines.end_round(changes(before, field))
    over = outcome.over(table, field)
    won = outcome.winners(table, field) if over else ()
    if over:
        field = field.with_(phase="over", active=None, turn=None)
        lines.append(f"The game is over: {' and '.join(won) or 'nobody'} has won")
    return field, BattleOutcome(over, won, rounds, tuple(lines), lines.starter, lines.idle_rounds)


def _round(table: Table, field: Battlefield, lines: Transcript) -> Battlefield:
    """Play what is left of a round: the update phase, the order, the turns."""
    this = field.scene.round
    up: tuple[str, ...] | None = None
    # No round has more parts than the turns of all units, its two other phases, and its end.
    for _ in range(len(field.scene.units) + 3):
        # Nothing but that somebody falls, or gets up, ends the game.
        if field.scene.round != this or (outcome.standing(field) != up and outcome.over(table, field)):
            break
        up = outcome.standing(field)
        match field.scene.phase:
            case "update":
                before, field = field, update.phase(table, field)
                lines.entry("update", changes(before, field))
            case "order":
                field = sequence.settle(table, field)
                lines.append(f"  order: {', '.join(field.scene.order)}")
            case _:
                field = _turn(table, field, lines)
    return field


def _turn(table: Table, field: Battlefield, lines: Transcript) -> Battlefield:
    """Play the turn of one unit of the side on turn, or go on with the active unit."""
    unit = field.scene.active
    if unit is None:
        side, ready = _ready(table, field)
        if side is None:
            return turn.round_over(table, field)
        unit = str(table.choose(side, f"{side}: unit", ready, about=field, means=field.option))
    lines.begin(field.player(unit))
    field = turn.ensure_begun(table, field, unit)
    story: list[str] = []
    if npc.violations(table, field, unit):
        field = _acted(table, field, unit, story)
    else:
        acting = npc.acted(table, field, unit)
        story += npc_story(field, acting)
        field = turn.ended(table, acting.field, unit)
    lines.entry(unit, story, "does nothing")
    return field


def _ready(table: Table, field: Battlefield) -> tuple[str | None, tuple[str, ...]]:
    """Give whose turn it is, and which of its units may have it; nobody's where none may."""
    side = field.scene.turn
    if side is not None and (ready := turn.units_ready(table, field, side)):
        return side, ready
    side = turn.next_side(table, field)
    return side, () if side is None else turn.units_ready(table, field, side)


def _acted(table: Table, field: Battlefield, unit: str, story: list[str]) -> Battlefield:
    """Let a unit take action after action until its turn or the game is over, which takes that somebody falls."""
    action: Action | None = None
    up = outcome.standing(field)
    for _ in range(MOST_ACTIONS):
        if field.scene.active != unit or (outcome.standing(field) != up and outcome.over(table, field)):
            return field
        open_ = open_actions(table, field, unit, action)
        options = Candidates(open_, lambda words: True)
        label = f"{unit}: deed"
        action = open_.action(table.choose(field.player(unit), label, options, about=open_, means=open_.option))
        before, field = field, actions.carry_out(table, field, action)
        story += action_story(before, action, field)
    return turn.ended(table, field, unit) if field.scene.active == unit else field
