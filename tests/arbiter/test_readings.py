"""Readings that are asked for only where they matter: counted by hand over every option."""

import pytest

from arbiter.dice_sources import SeededDice
from arbiter.readings import settled
from arbiter.simulation.memo_table import MemoTable
from arbiter.table import Chooser, OneTable

EDGE = ("edge", ("in", "out"))
HEIGHT = ("height", ("counts", "is-nothing"))


def table(edge: str, height: str) -> OneTable:
    return OneTable(SeededDice("test"), Chooser({}, {}), {"edge": edge, "height": height})


def asked(decided: dict[tuple[str, str], str], edge: str, height: str) -> tuple[str, list[str]]:
    at = table(edge, height)
    found = settled(at, lambda *options: decided[options[0], options[1]], EDGE, HEIGHT)
    return found, sorted(at.read_ids)


ALL_ALIKE = dict.fromkeys([("in", "counts"), ("in", "is-nothing"), ("out", "counts"), ("out", "is-nothing")], "yes")
ONLY_EDGE = {key: "yes" if key[0] == "in" else "no" for key in ALL_ALIKE}
BOTH = {key: "yes" if key == ("in", "counts") else "no" for key in ALL_ALIKE}


def test_where_all_options_agree_nothing_is_asked() -> None:
    assert asked(ALL_ALIKE, "out", "is-nothing") == ("yes", [])


def test_a_reading_that_changes_nothing_is_not_asked() -> None:
    assert asked(ONLY_EDGE, "in", "is-nothing") == ("yes", ["edge"])
    assert asked(ONLY_EDGE, "out", "is-nothing") == ("no", ["edge"])


def test_what_an_earlier_answer_has_settled_is_not_asked() -> None:
    assert asked(BOTH, "in", "is-nothing") == ("no", ["edge", "height"])
    assert asked(BOTH, "out", "counts") == ("no", ["edge"])


@pytest.mark.parametrize("decided", [ALL_ALIKE, ONLY_EDGE, BOTH])
@pytest.mark.parametrize("key", list(ALL_ALIKE))
def test_in_bulk_the_case_is_decided_once_and_alike(decided: dict[tuple[str, str], str], key: tuple[str, str]) -> None:
    swift = MemoTable(SeededDice("test"), Chooser({}, {}), {"edge": key[0], "height": key[1]})
    times = []

    def once(*options: str) -> str:
        times.append(options)
        return decided[options[0], options[1]]

    assert settled(swift, once, EDGE, HEIGHT) == asked(decided, *key)[0]
    assert times == [key]
