"""The tolerance of the table: rounded places of what touches are neither impossible nor out of contact."""

from math import cos, dist, pi, sin
from typing import Any

import pytest

from services.stargrave.rules import combat
from tests.services.stargrave.asking import ask, box, faults, field_of, figure, table


def loose(tolerance: float | None, *figures: Any, pieces: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    """Give a table with figures, on a board with a tolerance or the usual one."""
    board = {"width_in": 24, "depth_in": 24, "pieces": list(pieces)}
    return {"board": board if tolerance is None else {**board, "tolerance_in": tolerance}, "figures": list(figures)}


def test_a_ring_of_rounded_places_is_in_combat_by_the_tolerance() -> None:
    """Six enemies around a figure, 1 inch from its middle, rounded to a tenth: (10.5, 10.9) is 1.0296 inches away."""
    turns = [turn * pi / 3 for turn in range(6)]
    ring = [(round(10 + cos(turn), 1), round(10 + sin(turn), 1)) for turn in turns]
    figures = [figure("ann", [10, 10]), *(figure(f"b{n}", list(at), "blue") for n, at in enumerate(ring))]
    assert dist((0, 0), (0.5, 0.9)) == pytest.approx(1.0296, abs=1e-4)
    assert combat.opponents(table(), field_of(loose(None, *figures)), "ann") == ("b0", "b3")
    every = tuple(f"b{number}" for number in range(6))
    assert combat.opponents(table(), field_of(loose(0.05, *figures)), "ann") == every


@pytest.mark.parametrize(("tolerance", "sound"), [(None, False), (0.01, False), (0.012, True)])
def test_bases_stand_in_each_other_by_the_tolerance_at_most(tolerance: float | None, sound: bool) -> None:
    """At (0.7, 0.7) from another middle a base is 0.98995 inches away: it stands 0.01005 inches in the other."""
    posted = loose(tolerance, figure("ann", [10, 10]), figure("bob", [10.7, 10.7], "blue"))
    if sound:
        assert ask("actions", {"scene": posted, "figure": "ann"}).allowed
    else:
        assert faults("actions", {"scene": posted, "figure": "ann"})[0][0].startswith("/case/scene/figures/")


def test_who_stands_in_a_friend_by_the_tolerance_moves_freely_and_no_deeper() -> None:
    case = {"scene": loose(0.1, figure("ann", [10, 10]), figure("amy", [10.93, 10])), "figure": "ann"}
    away = ask("path", {**case, "goal": [6, 10]})
    assert away.allowed
    assert (away.answer.length_in, away.answer.cost_in) == (4.0, 4.0)
    around = ask("path", {**case, "goal": [12.2, 10]})
    assert around.allowed
    # Half a circle of an inch around amy's middle, less what is nearer to it at the start and further at the end.
    assert 2.2 < around.answer.cost_in < 3.5
    through = ask("path", {**case, "way": [{"to": [12.2, 10]}]})
    assert [reason.text for reason in through.reasons] == ["Recruit (amy) is in the way of Recruit (ann)"]


@pytest.mark.parametrize(("tolerance", "text"), [(None, []), (0.2, ["The way goes on after contact with"])])
def test_a_way_past_an_enemy_within_the_tolerance_is_contact(tolerance: float | None, text: list[str]) -> None:
    figures = (figure("ann", [8, 10]), figure("bob", [10, 11.04], "blue"))
    case = {"scene": loose(tolerance, *figures), "figure": "ann"}
    straight = ask("path", {**case, "way": [{"to": [12, 10]}]})
    assert [reason.text[: len("The way goes on after contact with")] for reason in straight.reasons] == text
    found = ask("path", {**case, "goal": [12, 10], "carry_out": False})
    assert found.allowed
    assert found.answer.length_in == pytest.approx(4.0, abs=0.02)
    assert (found.answer.length_in > 4.0) is bool(text)


@pytest.mark.parametrize(("tolerance", "cover"), [(None, "none"), (0.03, "none"), (0.05, "heavy")])
def test_a_wall_within_the_tolerance_is_cover(tolerance: float | None, cover: str) -> None:
    """The wall ends at 10.46, and the base of a figure at 11 begins at 10.5: 0.04 inches are between them."""
    wall = box("wall", 10, 4, 10.46, 10.2, height_in=3)
    posted = loose(tolerance, figure("ann", [2, 10]), figure("bob", [11, 10], "blue"), pieces=(wall,))
    (line,) = ask("line-of-sight", {"scene": posted, "observer": "ann", "targets": ["bob"]}).answer.lines
    assert line.cover == cover
