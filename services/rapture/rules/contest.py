"""Contests: players roll a die against each other, and roll again while they tie.

After many ties lots are drawn, so that nobody is favoured and every contest ends.
"""

from math import factorial

from msgspec.structs import replace

from arbiter.dice import D6, numbered
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value

MOST_AGAIN = 20

Standing = tuple[tuple[str, ...], ...]
"""Players in groups, the best first; players of one group tie."""


class State(Value, frozen=True):
    """The state of a contest: its purpose, whether every place counts or only the first, and the groups."""

    what: str
    wholly: bool
    standing: Standing


def ranking(table: Table, players: tuple[str, ...], purpose: str) -> tuple[str, ...]:
    """Give players in the order of their rolls, highest first."""
    state = table.iterate(roll_again, State(purpose, True, (players,)), _decided, MOST_AGAIN)
    return _draw_lots(table, state.standing, purpose)


def highest(table: Table, players: tuple[str, ...], purpose: str) -> str:
    """Give the player who rolls highest; only players who tie for the highest roll again."""
    state = table.iterate(roll_again, State(purpose, False, (players,)), _decided, MOST_AGAIN)
    return _draw_lots(table, state.standing, purpose)[0]


def roll_once(table: Table, players: tuple[str, ...], purpose: str) -> tuple[str, ...]:
    """Give the players with the highest roll when each rolls once."""
    return table.call(roll_again, State(purpose, False, (players,))).standing[0]


def roll_again(table: Table, state: State) -> State:
    """Give the contest after all players who tie have rolled again."""
    groups: list[tuple[str, ...]] = []
    for group in state.standing:
        if len(group) == 1:
            groups.append(group)
            continue
        faces = {player: table.roll(D6, f"{player}: {state.what}") for player in group}
        table.find("{rolls}", rolls=Listing(f"{player} rolls {face}" for player, face in faces.items()))
        for player, face in faces.items():
            table.record(f"{player}: {state.what}", total=face)
        ranks = sorted(set(faces.values()), reverse=True)
        groups += [tuple(player for player in group if faces[player] == face) for face in ranks]
    return replace(state, standing=tuple(groups if state.wholly else groups[:1]))


def _decided(state: State) -> bool:
    return all(len(group) == 1 for group in state.standing)


def _draw_lots(table: Table, standing: Standing, purpose: str) -> tuple[str, ...]:
    """Give all players in order; the order within a group is drawn by lot."""
    order: list[str] = []
    for group in standing:
        rest = list(group)
        lot = table.roll(numbered(factorial(len(group))), f"{purpose}: lot") - 1 if len(group) > 1 else 0
        while rest:
            lot, place = divmod(lot, len(rest))
            order.append(rest.pop(place))
    return tuple(order)
