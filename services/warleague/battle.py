"""A whole game, round after round, played by policies on the same rules that answer single questions.

Every die falls through the table and every decision is a choice at it: which unit has its turn, each of its actions,
and how it parries. NPCs act by their pattern. Labels begin with who decides or acts: `red: unit`, `ann: deed`.

The text says when a player has lost, and leaves it to the mode what ends a game. Here it is over when no two enemies
are left among the players, or, where all players are on one side, when they or all of their enemies are gone.
"""

from collections.abc import Iterator
from functools import partial
from itertools import tee

from arbiter.candidates import Candidates
from arbiter.option import Option
from arbiter.skirmish.battle import Transcript
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield, foes, in_play
from services.warleague.chronicle import action_story, changes, npc_story
from services.warleague.rules import actions, npc, sequence, turn, update, victory
from services.warleague.rules.actions import Action, ActionKind
from services.warleague.rules.movement import Turn
from services.warleague.scene import Side


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
    while rounds < most_rounds and not over(table, field):
        rounds += 1
        lines.append(f"Round {field.scene.round}")
        before, field = field, _round(table, field, lines)
        lines.end_round(changes(before, field))
    won: tuple[str, ...] = ()
    if ended := over(table, field):
        won = winners(table, field)
        field = field.with_(phase="over", active=None, turn=None)
        lines.append(f"The game is over: {' and '.join(won) or 'nobody'} has won")
    return field, BattleOutcome(ended, won, rounds, tuple(lines), lines.starter, lines.idle_rounds)


def _round(table: Table, field: Battlefield, lines: Transcript) -> Battlefield:
    """Play what is left of a round: the update phase, the order, the turns."""
    this = field.scene.round
    up: tuple[str, ...] | None = None
    # No round has more parts than the turns of all units, its two other phases, and its end.
    for _ in range(len(field.scene.units) + 3):
        # Nothing but that somebody falls, or gets up, ends the game.
        if field.scene.round != this or (standing(field) != up and over(table, field)):
            break
        up = standing(field)
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
    up = standing(field)
    for _ in range(MOST_ACTIONS):
        if field.scene.active != unit or (standing(field) != up and over(table, field)):
            return field
        open_ = OpenActions(table, field, unit, action)
        options = Candidates(open_, lambda words: True)
        label = f"{unit}: deed"
        action = open_.action(table.choose(field.player(unit), label, options, about=open_, means=open_.option))
        before, field = field, actions.carry_out(table, field, action)
        story += action_story(before, action, field)
    return turn.ended(table, field, unit) if field.scene.active == unit else field


# What is open to a unit


MOST_ACTIONS = 60
"""More than action points pay for; a bound, so that a turn ends even where actions cost nothing."""


AFTER_TURNING = tuple(kind for kind in actions.ACTION_KINDS if kind != "turn")
"""What a unit can do that has just turned: one turn is enough."""


class OpenActions:
    """What a policy sees when a unit acts: the battlefield, the unit, and its open actions by their words.

    They are in the book's order, and the last of them ends its turn; `before` is what it has done last. Actions are
    generated when they are read: a policy reads as far as it needs, and only a player is given all of them.
    """

    def __init__(self, table: Table, field: Battlefield, unit: str, before: Action | None) -> None:
        self.field, self.unit = field, unit
        self._each_of = partial(actions.each, table, actions.at_hand(table, field, unit), unit)
        self._kinds = AFTER_TURNING if isinstance(before, Turn) else actions.ACTION_KINDS
        self._listed: dict[ActionKind, Iterator[str]] = {}
        self._actions: dict[str, Action] = {}

    def __iter__(self) -> Iterator[str]:
        """Go through the words of all open actions, in the book's order."""
        for kind in self._kinds:
            yield from self._each(kind)

    def of(self, *kinds: ActionKind) -> dict[str, Action]:
        """Give the open actions of some kinds by their words, in the book's order."""
        return {words: self._actions[words] for kind in self._kinds if kind in kinds for words in self._each(kind)}

    @property
    def actions(self) -> dict[str, Action]:
        """All open actions by their words."""
        return self.of(*self._kinds)

    def action(self, words: str) -> Action:
        """Give an open action that is listed, by its words."""
        return self._actions[words]

    def option(self, words: str) -> Option:
        """Give what the words mean to players."""
        return actions.option(self.field, self.action(words), words)

    def _each(self, kind: ActionKind) -> Iterator[str]:
        listed = self._listed[kind] if kind in self._listed else self._list(kind)
        # One goes through them now, the other waits for whoever asks again, and knows what was listed before.
        now, self._listed[kind] = tee(listed)
        return now

    def _list(self, kind: ActionKind) -> Iterator[str]:
        for action in self._each_of(kind):
            described = actions.describe(self.field, action)
            words = kind if described == kind else f"{kind} {described}"
            self._actions[words] = action
            yield words


# When a game is over


def playing(table: Table, field: Battlefield, side: str) -> bool:
    """Say whether a side is still in the game: it has not lost, and some unit of it is not down for good."""
    if victory.has_lost(table, field, side):
        return False
    return any(
        unit.side == side and in_play(unit) and not victory.for_good(table, field, unit) for unit in field.scene.units
    )


def standing(field: Battlefield) -> tuple[str, ...]:
    """Give the units that are in play and not downed: as long as they are the same, the game goes on."""
    return tuple([unit.id for unit in field.units if not unit.downed])


def over(table: Table, field: Battlefield) -> bool:
    """Say whether the game is over."""
    rivals = contenders(field)
    every = rivals if _opposed(rivals) else taking_part(field)
    left = tuple(side for side in every if playing(table, field, side.id))
    return not _opposed(left) or not any(side in left for side in rivals)


def winners(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Give the winners of a game that is over: the players that are still in it."""
    return tuple(side.id for side in contenders(field) if playing(table, field, side.id))


def contenders(field: Battlefield) -> tuple[Side, ...]:
    """Give the players, or in a game without any the sides of the NPCs."""
    sides = taking_part(field)
    return tuple(side for side in sides if not turn.npcs(field, side.id)) or sides


def taking_part(field: Battlefield) -> tuple[Side, ...]:
    """Give the sides that have units, fallen ones included."""
    having = {unit.side for unit in field.scene.units}
    return tuple(side for side in field.scene.sides if side.id in having)


def _opposed(sides: tuple[Side, ...]) -> bool:
    return any(foes(one, other) for one in sides for other in sides)
