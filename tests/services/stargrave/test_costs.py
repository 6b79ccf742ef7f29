"""Estimates: more to do is never estimated to be less, and every heavy question is weighed before it is played."""

from typing import Any

import msgspec
import pytest

from arbiter.question import Ask
from arbiter.registry import game
from services.stargrave import costs
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import checked
from services.stargrave.scene import Board, Figure, Piece, Scene

WALL = Piece("wall", ((10.0, 5.0), (11.0, 5.0), (11.0, 15.0), (10.0, 15.0)))


def field(*pieces: Piece, figures: int = 2, side: float = 36.0) -> Battlefield:
    everyone = tuple(
        Figure(f"f{n}", "recruit", at=(2.0 + n, 30.0 if n else 10.0), crew=("red", "blue")[n % 2])
        for n in range(figures)
    )
    return checked(Scene(Board(side, side, pieces), everyone))


def squares(many: int) -> tuple[Piece, ...]:
    return tuple(
        Piece(f"s{n}", ((x, y), (x + 0.5, y), (x + 0.5, y + 0.5), (x, y + 0.5)))
        for n in range(many)
        for x, y in [(1.0 + n % 20 * 1.5, 12.0 + n // 20 * 2.5)]
    )


def test_a_game_of_more_turns_or_more_figures_is_estimated_to_take_longer() -> None:
    by_turns = [costs.of_battle(field(), turns) for turns in (1, 2, 4)]
    assert by_turns == sorted(set(by_turns))
    by_figures = [costs.of_battle(field(figures=many), 3) for many in (2, 10, 20)]
    assert by_figures == sorted(set(by_figures))


def test_on_a_table_with_more_terrain_everything_is_estimated_to_take_longer() -> None:
    bare, some, full = field(), field(*squares(20)), field(*squares(80))
    for estimate in (
        lambda on: costs.of_battle(on, 3),
        costs.of_activation,
        lambda on: costs.of_moves(on, "f0", "move", 1.0, 0),
        lambda on: costs.of_lines(on, "f0", ("f1",), 0),
        lambda on: costs.of_path(on, "f0", (30.0, 25.0)),
    ):
        result = [estimate(on) for on in (bare, some, full)]
        assert result == sorted(result)
        assert result[0] < result[-1]


def test_a_way_that_is_open_is_estimated_to_take_next_to_nothing_however_full_the_rest_of_the_table_is() -> None:
    table = field(WALL)
    assert costs.of_path(table, "f0", (9.0, 10.0)) == costs.MS_AT_LEAST
    assert costs.of_path(table, "f0", (14.0, 10.0)) > costs.MS_AT_LEAST
    assert costs.of_path(table, "f0", None) == costs.MS_AT_LEAST


def test_finer_samples_and_longer_moves_are_estimated_to_take_longer() -> None:
    table = field(WALL)
    assert costs.of_moves(table, "f0", "move", 0.5, 0) > costs.of_moves(table, "f0", "move", 1.0, 0)
    assert costs.of_moves(table, "f0", "move", 1.0, 0) > costs.of_moves(table, "f0", "run", 1.0, 0)
    assert costs.of_moves(table, "f0", "run", None, 40) > costs.of_moves(table, "f0", "run", None, 0)


def test_points_are_lines_too() -> None:
    table = field(WALL)
    assert costs.of_lines(table, "f0", (), 60) > costs.of_lines(table, "f0", (), 1)


@pytest.mark.parametrize(
    ("question", "case"),
    [
        ("battle", {"turns": 6}),
        ("moves", {"figure": "f0"}),
        ("path", {"figure": "f0", "goal": [20.0, 20.0]}),
        ("line-of-sight", {"observer": "f0"}),
        ("behaviour", {"creature": "rat"}),
    ],
)
def test_every_heavy_question_is_weighed(question: str, case: dict[str, Any]) -> None:
    rat = {"id": "rat", "profile": "recruit", "role": "creature", "at": [30.0, 20.0]}
    scene = msgspec.to_builtins(field(WALL).scene)
    scene["figures"] = [*scene["figures"], rat]
    known = game("stargrave").questions[question]
    ask = msgspec.convert({"case": {"scene": scene, **case}}, Ask[known.case])
    assert known.cost is not None
    assert known.cost(known.prepare(ask.case)) >= costs.MS_AT_LEAST
