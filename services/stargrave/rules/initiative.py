"""Initiative: the roll for the order of the players, and how long that order holds.

Follows the first line of "Turn Order". Players are the crews of the scene.
"""

from arbiter.dice import D20
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from services.stargrave.battlefield import Battlefield, Ids, crews_of
from services.stargrave.scene import Phase

MOST_AGAIN = 20
"""How often equal rolls are made again; who is equal 20 times over, once in 10**26 turns, keeps the order before."""

Standing = tuple[Ids, ...]
"""The crews in groups, the first group first; those of one group are equal so far."""


FIRST: Phase = "captain"


def crews(field: Battlefield) -> Ids:
    """Give the crews in the order of the last roll, or else in that of the scene."""
    return field.scene.turn.order or crews_of(field.scene.figures)


@rule("initiative.roll", cites="turn-order/initiative", neutral=lambda players: players)
def roll(table: Table, players: Ids) -> Ids:
    """Decide the order of the players: each rolls a die, and the highest goes first.

    `players` come in the order of the turn before. What equal rolls do is the reading `initiative-tie`.
    """
    totals: Standing = table.call(rank, (players,))
    if len(totals) < len(players) and table.read("initiative-tie") == "again":
        totals = table.iterate(rank, totals, lambda groups: all(len(group) == 1 for group in groups), MOST_AGAIN)
    order = tuple(player for group in totals for player in group)
    table.find("The order is {order}", order=Listing(order))
    return order


def rank(table: Table, standing: Standing) -> Standing:
    """Give the crews in order; those who are equal roll again."""
    ranked: list[Ids] = []
    for group in standing:
        if len(group) == 1:
            ranked.append(group)
            continue
        faces = {player: table.roll(D20, f"{player}: initiative") for player in group}
        rolls = Listing(f"{player} rolls {face}" for player, face in faces.items())
        table.find("{rolls}", cites="turn-order/initiative", rolls=rolls)
        for player, face in faces.items():
            table.record(f"{player}: initiative", total=face)
        for face in sorted(set(faces.values()), reverse=True):
            ranked.append(tuple(player for player in group if faces[player] == face))
    return tuple(ranked)


@rule("initiative.order", cites="turn-order/in-each-phase", neutral=lambda field, phase: crews_of(field.scene.figures))
def order(table: Table, field: Battlefield, phase: Phase) -> Ids:
    """Decide in which order the players go in a phase: in that which has been rolled, or else they roll now.

    Whether the roll of the turn holds in the later phases is the reading `initiative-scope`.
    """
    rolled = field.scene.turn.order
    if not rolled or phase == "initiative":
        return roll(table, crews(field))
    # What was rolled last was rolled for the first phase by either reading.
    if phase != FIRST and table.read("initiative-scope") == "phase":
        return roll(table, rolled)
    table.find("The order already rolled applies: {order}", order=Listing(rolled))
    return rolled
