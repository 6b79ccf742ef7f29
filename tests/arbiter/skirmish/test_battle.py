"""The frame of whole games: who starts, rounds without a change, margins and kills, by hand."""

from collections.abc import Iterator

import pytest

from arbiter.skirmish.battle import Transcript, kills, margins


def test_the_first_side_on_turn_is_the_starter() -> None:
    lines = Transcript()
    assert lines.starter is None
    for side in (None, "red", "blue"):
        lines.begin(side)
    assert lines.starter == "red"


def test_a_round_without_a_change_is_idle_and_one_change_is_enough() -> None:
    def changes() -> Iterator[str]:
        yield "ann moves"
        pytest.fail("nobody reads further")

    lines = Transcript()
    for each in (iter(()), changes(), iter(())):
        lines.end_round(each)
    assert lines.idle_rounds == 2


def test_a_margin_is_to_the_best_of_the_others() -> None:
    assert margins({"red": 5, "blue": 2, "gold": 4}) == {"margin of red": 1, "margin of blue": -3, "margin of gold": -1}
    assert margins({"red": 5}) == {}


def test_kills_are_the_killed_of_all_other_sides() -> None:
    assert kills(["red", "npc", "red"], ["red", "blue"]) == {"kills of red": 1, "kills of blue": 3}
