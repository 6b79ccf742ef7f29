"""A process that sees a new board with each question forgets the old ones: only so many grounds are alive.

Held over the registry's games whose scenes hold boards; a new one says in `ANOTHER` how its boards can differ.
"""

import gc
import random
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

import msgspec
import pytest

from api.boards_by_digest import with_boards
from arbiter.arbiter import Arbiter
from arbiter.example import Example
from arbiter.memory import BOARDS_KEPT
from arbiter.question import Ask
from arbiter.registry import games
from arbiter.simulation import Simulate
from tests.services.asking import FIRST, examples, is_light, question

Board = dict[str, Any]

EACH = 3
"""Boards that each question is asked about first."""

AFTER = BOARDS_KEPT + 6
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
    assert set(ANOTHER) == set(with_boards(games()))


@pytest.mark.parametrize("name", sorted(ANOTHER))
def test_no_more_grounds_are_alive_than_are_kept(name: str) -> None:
    game = games()[name]
    before = _grounds(game)
    first = {example.question: example for example in reversed(examples(game)) if _on_a_board(example)}
    for example in first.values():
        for number in range(1, EACH + 1):
            _ask(game, example, number)
    for number in range(EACH + 1, EACH + 1 + AFTER):
        for asked in ("line-of-sight", "attack"):
            _ask(game, first[asked], number)
    known = {id(ground) for ground in before}
    alive = [ground for ground in _grounds(game) if id(ground) not in known]
    assert 0 < len(alive) <= BOARDS_KEPT * GROUNDS_OF_A_BOARD.get(name, 1)


def _on_a_board(example: Example) -> bool:
    return is_light(example) and "scene" in example.case


def _ask(game: Arbiter, example: Example, number: int) -> None:
    """Ask an example's question on another board, and play it as a simulation does where dice fall in it."""
    scene = example.case["scene"]
    board = ANOTHER[game.name](scene.get("board", {}), number)
    body = {**example.body(), "case": {**example.case, "scene": {**scene, "board": board}}}
    asked = question(game, example)
    case: Any = asked.case
    game.ask(example.question, msgspec.convert(body, Ask[case]), seed="boards")
    if asked.dice:
        played = {"case": body["case"], "policies": FIRST, "readings": body.get("readings", {})}
        game.player(example.question, msgspec.convert(played, Simulate[case]))("boards")


def _grounds(game: Arbiter) -> list[Any]:
    """Give the prepared boards of a game that are alive."""
    return list(_alive(import_module(f"{game.package}.ground").Ground))


def _alive(kind: type) -> Iterator[Any]:
    gc.collect()
    return (each for each in gc.get_objects() if type(each) is kind)
