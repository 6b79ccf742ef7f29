"""Candidates: to whoever looks at all of them a tuple of what passes, and no more tests than it takes."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.candidates import Candidates, least
from arbiter.dice_sources import SeededDice
from arbiter.simulation.memo_table import MemoTable
from arbiter.table import Chooser, OneTable, first

NUMBERS = st.lists(st.integers(0, 9), unique=True)


def even(tested: list[int], every: list[int] | tuple[int, ...] | Iterator[int]) -> Candidates[int]:
    def passes(number: int) -> bool:
        tested.append(number)
        return number % 2 == 0

    return Candidates(every, passes)


@given(NUMBERS, st.booleans())
def test_they_are_what_passes_in_order_and_each_is_tested_once(numbers: list[int], once: bool) -> None:
    tested: list[int] = []
    found, expected = even(tested, iter(numbers) if once else numbers), [n for n in numbers if n % 2 == 0]
    assert bool(found) is bool(expected)
    assert [number in found for number in range(11)] == [number in expected for number in range(11)]
    assert (len(found), list(found), found[0:], found[:1]) == (
        len(expected),
        expected,
        tuple(expected),
        tuple(expected[:1]),
    )
    assert [found[place] for place in range(-len(expected), len(expected))] == expected * 2
    assert sorted(tested) == sorted(numbers)
    for key in (lambda number: number // 3, lambda number: -number):
        if expected:
            assert least(found, key) == least(expected, key) == min(expected, key=key)
    assert sorted(tested) == sorted(numbers)


def test_no_more_is_tested_than_somebody_looks_at() -> None:
    tested: list[int] = []
    assert even(tested, [3, 4, 5, 6])[0] == 4
    assert tested == [3, 4]
    tested.clear()
    assert least(even(tested, [3, 4, 5, 6]), key=lambda number: -number) == 6
    assert tested == [6]
    tested.clear()
    assert bool(even(tested, [2, 4]))
    assert tested == [2]


def test_whether_there_is_any_is_found_out_in_the_order_that_is_given() -> None:
    tested: list[int] = []

    def even_only(number: int) -> bool:
        tested.append(number)
        return number % 2 == 0

    found = Candidates([2, 4, 5], even_only, lambda number: -number)
    assert bool(found)
    assert tested == [5, 4]
    assert found[0] == 2


def test_an_iterator_is_asked_for_no_more_than_is_looked_at() -> None:
    listed: list[int] = []

    def every() -> Iterator[int]:
        for number in range(5):
            listed.append(number)
            yield number

    found = Candidates(every(), bool)
    assert listed == []
    assert found[0] == 1
    assert listed == [0, 1]
    assert (list(found), list(found)) == ([1, 2, 3, 4], [1, 2, 3, 4])
    assert listed == [0, 1, 2, 3, 4]


def test_where_nothing_passes_there_is_none() -> None:
    nothing = Candidates([1, 2], lambda _: False)
    assert (bool(nothing), len(nothing), tuple(nothing)) == (False, 0, ())
    with pytest.raises(ValueError, match="none of the candidates"):
        nothing.least(key=abs)
    with pytest.raises(IndexError):
        _ = nothing[0]


def test_a_table_in_bulk_lets_a_policy_look_and_any_other_lists_all() -> None:
    tested: list[int] = []
    chooser = Chooser({}, {"ann": ("first", first)})
    bulk, one = MemoTable(SeededDice("a"), chooser, {}), OneTable(SeededDice("a"), chooser, {})
    assert bulk.choose("ann", "which", even(tested, [2, 4, 6])) == 2
    assert tested == [2]
    tested.clear()
    assert one.choose("ann", "which", even(tested, [2, 4, 6])) == 2
    assert tested == [2, 4, 6]
    # Without a policy a single option is no choice, as at any other table.
    for table in (bulk, one):
        assert table.choose("bob", "which", even([], [1, 2, 3])) == 2
    assert bulk.choose("ann", "which", even([], [4])) == 4


def test_what_was_said_goes_before_a_policy() -> None:
    tested: list[int] = []
    bulk = MemoTable(SeededDice("a"), Chooser({"which": [4]}, {"*": ("first", first)}), {})
    assert bulk.choose("ann", "which", even(tested, [2, 4, 6])) == 4
    assert tested == [2, 4, 6]
