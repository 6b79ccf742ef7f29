"""Rules that yield reasons: all of them where somebody reads, the first alone in battles, none without the rule."""

from collections.abc import Iterator

import pytest

from arbiter.dice_sources import SeededDice
from arbiter.rule import Reason
from arbiter.simulation.memo_table import MemoTable
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Chooser, OneTable, Table

LOOKED_FOR: list[str] = []


@violations_rule("test_reasons.too_small", cites="sizes/least")
def too_small(table: Table, sizes: tuple[int, ...], least: int = 3) -> Iterator[Reason]:
    """Decide which sizes are too small."""
    for size in sizes:
        LOOKED_FOR.append(f"{size}")
        if size < least:
            yield table.reason("{size} is less than {least}", size=size, least=least)


@every_reason
def unsuitable(table: Table, sizes: tuple[int, ...]) -> Iterator[Reason]:
    """Give every reason against some sizes."""
    yield from too_small(table, sizes)
    yield from too_small(table, sizes, least=2)


@pytest.fixture
def table() -> OneTable:
    LOOKED_FOR.clear()
    return OneTable(SeededDice("one"), Chooser({}, {}), {})


@pytest.fixture
def memo_table() -> MemoTable:
    LOOKED_FOR.clear()
    return MemoTable(SeededDice("one"), Chooser({}, {}), {})


def test_every_reason_is_given_in_order_with_its_rule_and_citation(table: OneTable) -> None:
    reasons = too_small(table, (1, 5, 2))
    assert [reason.text for reason in reasons] == ["1 is less than 3", "2 is less than 3"]
    assert {(reason.rule, reason.cites) for reason in reasons} == {("test_reasons.too_small", ("sizes/least",))}
    assert too_small(table, (4, 5)) == ()


def test_the_rule_keeps_its_words_and_its_name() -> None:
    assert too_small.gist == "Decide which sizes are too small."
    assert too_small.function.__name__ == "too_small"
    assert too_small.module == __name__


def test_other_functions_collect_reasons_of_rules(table: OneTable) -> None:
    assert [reason.text for reason in unsuitable(table, (1, 2))] == [
        "1 is less than 3",
        "2 is less than 3",
        "1 is less than 2",
    ]


def test_nothing_speaks_against_it_without_the_rule(table: OneTable) -> None:
    with too_small.switched_off():
        assert too_small(table, (1, 5, 2), least=9) == ()
        assert unsuitable(table, (1,)) == ()


def test_a_battle_looks_for_the_first_reason_alone(memo_table: MemoTable) -> None:
    assert len(too_small(memo_table, (5, 1, 2))) == 1
    assert LOOKED_FOR == ["5", "1"]
