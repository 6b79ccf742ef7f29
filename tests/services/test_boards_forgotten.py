"""A process that sees a new board with each question or battle forgets the old ones: only so many grounds are alive.

Held over the registry's games whose scenes hold boards; a new one says in `ANOTHER` how its boards can differ.
"""

import gc
import random
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any
from weakref import ref

import msgspec
import pytest

from api.caching.board_library import board_type
from arbiter.caching import MAX_BOARDS
from arbiter.game import Arbiter
from arbiter.question import Ask
from arbiter.registry import games
from arbiter.simulation.simulate import Simulate
from arbiter.sources.examples import Example
from tests.effort import cases
from tests.services.asking import FIRST, examples, is_light, is_on_board, question

Board = dict[str, Any]

EACH = cases(3, 1)
"""Boards that each question is asked about first, and that battles are played on."""

AFTER = MAX_BOARDS + 6
"""Boards that come after them, and should take the places of all."""


def _wider(member: str, usual: float) -> Callable[[Board, int], Board]:
    return lambda board, number: {**board, member: board.get(member, usual) + number / 1000}


def _larger(board: Board, number: int) -> Board:
    more, further = number % 10, number // 10
    return {**board, "columns": board.get("columns", 12) + more, "rows": board.get("rows", 10) + further}


def _in_another_order(board: Board, number: int) -> Board:
    hexes = board["hexes"]
    return {**board, "hexes": random.Random(number).sample(hexes, len(hexes))}


ANOTHER: Mapping[str, Callable[[Board, int], Board]] = {
    "blackstone-fortress": _in_another_order,
    "rapture": _wider("width_cm", 90.0),
    "size-skirmish": _wider("width", 48.0),
    "stargrave": _wider("width_in", 36.0),
    "warleague": _larger,
}
"""For each game another board for each number from 1 on: as good as the first, for whatever stands on it."""


GROUNDS_OF_A_BOARD = {"blackstone-fortress": 2}
"""A board of hexes may hold a ground more: itself with its edges as the other reading has them."""


def test_every_game_with_boards_is_held_to_this() -> None:
    assert set(ANOTHER) == {name for name, game in games().items() if board_type(game) is not None}


@pytest.mark.parametrize("name", sorted(ANOTHER))
def test_no_more_grounds_are_alive_than_are_kept(name: str) -> None:
    game = games()[name]
    # What other tests have left is passed over from here on, both in the search for garbage and in that for grounds.
    gc.collect()
    gc.freeze()
    on_boards = [example for example in examples(game) if is_on_board(game, example)]
    first = {example.question: example for example in reversed(on_boards) if is_light(example)}
    for example in first.values():
        for number in range(1, EACH + 1):
            _ask(game, example, number)
    # Policies look at the board, too, and only whole games are played by all of them.
    battles = [example for example in on_boards if not is_light(example)]
    policies, times = sorted(game.policies), max(len(game.policies), len(battles))
    played = [(policies[turn % len(policies)], battles[turn % len(battles)]) for turn in range(times)]
    for turn, (policy, battle) in enumerate(played):
        _play(game, battle, 1 + turn % EACH, {"*": policy})
    early = [ref(ground) for ground in _grounds(game)]
    assert len(early) >= EACH
    later = range(EACH + 1, EACH + 1 + AFTER)
    for number in later:
        for asked in ("line-of-sight", "attack"):
            _ask(game, first[asked], number)
    # The few boards that battles keep besides make room for those of other battles.
    for number, (policy, battle) in zip(reversed(later), played, strict=False):
        _play(game, battle, number, {"*": policy})
    assert 0 < len(_grounds(game)) <= MAX_BOARDS * GROUNDS_OF_A_BOARD.get(name, 1)
    assert not [number for number, ground in enumerate(early) if ground() is not None]


def _ask(game: Arbiter, example: Example, number: int) -> None:
    """Ask an example's question on another board, and play it as a simulation does where dice fall in it."""
    asked = question(game, example)
    body = {**example.body(), "case": _on_another(game, example, number)}
    case: Any = asked.case
    game.ask(example.question, msgspec.convert(body, Ask[case]), seed="boards")
    if asked.dice:
        _play(game, example, number, FIRST)


def _play(game: Arbiter, example: Example, number: int, policies: Mapping[str, str]) -> None:
    """Play an example's question on another board."""
    case: Any = question(game, example).case
    body = {"case": _on_another(game, example, number), "policies": policies, "readings": example.readings}
    game.player(example.question, msgspec.convert(body, Simulate[case]))("boards")


def _on_another(game: Arbiter, example: Example, number: int) -> dict[str, Any]:
    scene = example.case["scene"]
    return {**example.case, "scene": {**scene, "board": ANOTHER[game.name](scene.get("board", {}), number)}}


def _grounds(game: Arbiter) -> list[Any]:
    """Give the prepared boards of a game that are alive, of those that were prepared in this test."""
    return list(_alive(import_module(f"{game.package}.ground").Ground))


def _alive(kind: type) -> Iterator[Any]:
    gc.collect()
    return (each for each in gc.get_objects() if type(each) is kind)
