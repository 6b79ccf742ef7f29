"""Initiative: who chooses the player who starts the round, and who starts.

Follows step 2 of "Gameplay". The rules that roll take numbers instead of the battlefield, so that a law merges.
"""

from typing import Final

from arbiter.option import single
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.book import number
from services.size_skirmish.rules import dice

MOST_AGAIN: Final = 20
"""How often ties are rolled again; after that the order of the scene decides."""

Standing = tuple[tuple[str, int], ...]
"""Players who may still win, each with the morale value that is added."""


def started(table: Table, field: Battlefield) -> Battlefield:
    """Return the battlefield with the player who starts the round, whose turn it then is."""
    side = named(table, field) or decided(table, winner(table, field), tuple(side.id for side in field.scene.sides))
    table.event("round_started", round=field.scene.round, side=side)
    return field.with_(starting=side, turn=side)


@rule("initiative.named", cites="round/scenario-starts", neutral=None)
def named(table: Table, field: Battlefield) -> str | None:
    """Decide whether the scenario names the player who starts; then nobody rolls."""
    side = field.scene.scenario_starts
    if side is not None:
        table.find("The scenario lets {side} start", side=side)
    return side


def winner(table: Table, field: Battlefield) -> str:
    """Return the player who wins the roll; the reading `initiative-tie` settles ties."""
    players = tuple((side.id, highest(table, field, side.id)) for side in field.scene.sides)
    standing = table.call(rolled, players)
    if len(standing) > 1 and field.scene.round > 1 and field.scene.starting is not None:
        standing = tied(table, standing, field.scene.starting)
    return table.iterate(rolled, standing, lambda left: len(left) == 1, MOST_AGAIN)[0][0]


@rule("initiative.tied", cites="round/initiative-roll", neutral=lambda standing, last: standing)
def tied(table: Table, standing: Standing, last: str) -> Standing:
    """Decide who may still win after a tie: all, or by `initiative-tie` those who did not start the previous round."""
    others = tuple(player for player in standing if player[0] != last)
    if len(others) == len(standing) or table.read("initiative-tie") == "again":
        return standing
    names = Listing(side for side, _ in others)
    table.find("Tie: {names} did not start the previous round", names=names)
    return others


@rule("initiative.highest", cites="round/initiative-morale", neutral=0)
def highest(table: Table, field: Battlefield, side: str) -> int:
    """Decide the modifier of a player's roll: the highest morale value among the player's models.

    Which of them count is the reading `initiative-morale`.
    """

    def best(counted: str) -> int:
        own = (model for model in field.scene.models if model.side == side and (counted == "all" or in_play(model)))
        steady = (model for model in own if counted != "steady" or model.fleeing is None)
        return max((field.profile(model).morale for model in steady), default=0)

    result = settled(table, best, ("initiative-morale", ("steady", "standing", "all")))
    table.find("{side}: highest morale value {morale}", side=side, morale=result)
    return result


@rule("initiative.rolled", cites="round/initiative-roll", neutral=lambda standing: standing[:1])
def rolled(table: Table, standing: Standing) -> Standing:
    """Decide who rolls highest: each player rolls a d6 and adds the morale value; ties remain."""
    totals = {}
    for side, morale in standing:
        die = dice.added(table, side, side, "initiative", number("initiative-dice"))
        totals[side] = die + morale
        table.record(f"{side}: initiative total", modifiers={"roll": die, "morale": morale}, total=totals[side])
        text = "{side}, initiative: {die} + {morale} = {total}"
        table.find(text, side=side, die=die, morale=morale, total=die + morale)
    most = max(totals.values())
    return tuple(player for player in standing if totals[player[0]] == most)


@rule("initiative.decided", cites="round/winner-decides", neutral=lambda side, sides: side)
def decided(table: Table, side: str, sides: tuple[str, ...]) -> str:
    """Decide who starts the round: the player that the winner of the roll chooses."""
    options = (side, *(other for other in sides if other != side))
    starts = table.choose(side, f"{side}: starts", options, means=single("side", "{} starts"))
    table.find("{side} won the roll and lets {starts} start", side=side, starts=starts)
    return str(starts)
