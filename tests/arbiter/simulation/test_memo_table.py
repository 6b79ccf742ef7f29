"""The table for battles in bulk: dice and choices as at any other table, and nothing decided twice."""

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from arbiter.dice import D6
from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.rule import Reason, rule
from arbiter.simulation.memo_table import Experience, MemoTable, collector_at_rest
from arbiter.table import Chooser, OneTable, Table, first

FIRST = {"*": ("first", first)}
READINGS = {"sum": "plain"}

asked: list[int] = []


class Moment:
    """A holder that caches answers."""

    def __init__(self) -> None:
        self.answers: dict[Any, Any] = {}


def doubled_at(table: Table, moment: Moment, number: int) -> int:
    """Decide by rule twice the number at a moment."""
    return doubled(table, number)


def rolled_at(table: Table, moment: Moment, number: int) -> int:
    """Decide the number and a die at a moment."""
    return rolled(table, number)


@rule("chapter.doubled", cites="a/doubled", neutral=lambda number: number)
def doubled(table: Table, number: int) -> int:
    """Decide twice the number, or three times it by the other reading."""
    asked.append(number)
    return number * (2 if table.read("sum") == "plain" else 3)


@rule("chapter.rolled", cites="a/rolled", neutral=0)
def rolled(table: Table, number: int) -> int:
    """Decide the number and a die."""
    asked.append(number)
    return number + int(table.roll(D6, "die"))


@rule("chapter.chosen", cites="a/chosen", neutral=lambda options: options[0])
def chosen(table: Table, options: tuple[str, ...]) -> str:
    """Let somebody choose."""
    asked.append(len(options))
    return str(table.choose("anyone", "option", options))


def numbers(table: Table, most: int) -> Iterator[int]:
    yield from range(most)


@pytest.fixture(autouse=True)
def nothing_asked() -> None:
    asked.clear()


def swift(experience: Experience | None = None, **readings: str) -> MemoTable:
    return MemoTable(SeededDice("test"), Chooser({}, FIRST), {**READINGS, **readings}, experience)


def test_a_question_asked_again_is_not_decided_again() -> None:
    table = swift()
    assert [table.once(doubled, 4), table.once(doubled, 4), table.once(doubled, 5)] == [8, 8, 10]
    assert asked == [4, 5]


def test_any_other_table_decides_every_time() -> None:
    table = OneTable(SeededDice("test"), Chooser({}, FIRST), READINGS)
    assert [table.once(doubled, 4), table.once(doubled, 4)] == [8, 8]
    assert asked == [4, 4]


def test_tables_share_what_they_know() -> None:
    experience = Experience()
    assert swift(experience).once(doubled, 4) == swift(experience).once(doubled, 4) == 8
    assert asked == [4]


def test_without_shared_experience_every_table_begins_anew() -> None:
    assert swift().once(doubled, 4) == swift().once(doubled, 4) == 8
    assert asked == [4, 4]


def test_other_readings_are_other_answers() -> None:
    experience = Experience()
    assert swift(experience).once(doubled, 4) == 8
    assert swift(experience, sum="thrice").once(doubled, 4) == 12
    assert swift(experience).once(doubled, 4) == 8


def test_a_rule_that_is_switched_off_is_not_remembered_as_it_was() -> None:
    experience = Experience()
    assert swift(experience).once(doubled, 4) == 8
    with doubled.switched_off():
        assert swift(experience).once(doubled, 4) == 4
    assert swift(experience).once(doubled, 4) == 8


def test_what_rolls_is_decided_every_time() -> None:
    table = swift()
    dice = OneTable(SeededDice("test"), Chooser({}, FIRST), READINGS)
    assert [table.once(rolled, 10) for _ in range(6)] == [rolled(dice, 10) for _ in range(6)]
    assert asked == [10] * 12


def test_what_lets_somebody_choose_is_decided_every_time_and_a_single_option_is_no_choice() -> None:
    table = swift()
    assert [table.once(chosen, ("a", "b")), table.once(chosen, ("a", "b"))] == ["a", "a"]
    assert asked == [2, 2]
    assert [table.once(chosen, ("a",)), table.once(chosen, ("a",))] == ["a", "a"]
    assert asked == [2, 2, 1]


def test_a_generator_is_no_answer_to_remember() -> None:
    with pytest.raises(TypeError, match="tuple"):
        swift().once(numbers, 3)


def test_a_rule_that_forbids_is_asked_again_and_the_rule_at_work_is_the_outer_one() -> None:
    @rule("chapter.forbids", cites="a/forbids", neutral=None)
    def forbids(table: Table) -> None:
        asked.append(0)
        raise ValueError("not allowed")

    @rule("chapter.outer", cites="a/outer", neutral="")
    def outer(table: Table) -> str:
        for _ in range(2):
            with pytest.raises(ValueError, match="not allowed"):
                table.once(forbids)
        return table.reason("why").rule

    assert outer(swift()) == "chapter.outer"
    assert asked == [0, 0]


def test_a_reason_that_takes_work_is_put_into_words_only_where_somebody_reads_it() -> None:
    def composed(table: Table, number: int) -> Reason:
        asked.append(number)
        return table.reason("It is {number}", number=number)

    @rule("chapter.forbidding", cites="a/forbidding", neutral=None)
    def forbidding(table: Table) -> Reason:
        return table.reason_of(composed, 7)

    assert (forbidding(swift()).rule, asked) == ("chapter.forbidding", [])
    reason = forbidding(OneTable(SeededDice("test"), Chooser({}, FIRST), READINGS))
    assert (reason.rule, reason.text, reason.cites, asked) == ("chapter.forbidding", "It is 7", ("a/forbidding",), [7])


def test_dice_and_choices_are_those_of_any_other_table() -> None:
    def play(table: Table) -> list[Any]:
        faces = [table.roll(D6, "one"), *table.pool(3, D6, "two"), table.roll(D6, "one")]
        return [*faces, table.choose("anyone", "first", ("x", "y")), table.choose("anyone", "second", ("x", "y"))]

    said = {"second": ["y"]}
    hand = {"one": [6, 5], "two": [3, 1, 2]}
    tables: list[Table] = [kind(HandedDice(hand), Chooser(said, FIRST), READINGS) for kind in (OneTable, MemoTable)]
    assert play(tables[0]) == play(tables[1]) == [6, 1, 2, 3, 5, "x", "y"]


def test_the_collector_rests_while_games_are_played_and_is_at_work_again_after_them() -> None:
    assert gc.isenabled()
    with collector_at_rest():
        assert not gc.isenabled()
        with collector_at_rest():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ValueError, match="broken off"), collector_at_rest():
        raise ValueError("broken off")
    assert gc.isenabled()


def test_somebody_can_hear_of_events() -> None:
    for table in (swift(), OneTable(SeededDice("test"), Chooser({}, FIRST), READINGS, keep=False)):
        on_event: list[Any] = []
        table.event("before", unit="a")
        with table.notifying(lambda name, values, on_event=on_event: on_event.append((name, values))):
            table.event("within", unit="b")
        table.event("after", unit="c")
        assert on_event == [("within", {"unit": "b"})]


def test_a_moment_holds_what_was_asked_of_it() -> None:
    moment, other, experience = Moment(), Moment(), Experience()
    assert [swift(experience).held(doubled_at, each, 4) for each in (moment, moment, other)] == [8, 8, 8]
    assert asked == [4, 4]


def test_a_moment_holds_an_answer_for_the_same_readings_and_rules_alone() -> None:
    moment, experience = Moment(), Experience()
    assert swift(experience).held(doubled_at, moment, 4) == 8
    assert swift(experience, sum="thrice").held(doubled_at, moment, 4) == 12
    with doubled.switched_off():
        assert swift(experience).held(doubled_at, moment, 4) == 4
    assert swift(Experience()).held(doubled_at, moment, 4) == 8
    assert asked == [4, 4, 4]


def test_a_moment_holds_nothing_for_which_a_die_fell() -> None:
    moment, table = Moment(), swift()
    table.held(rolled_at, moment, 4)
    table.held(rolled_at, moment, 4)
    assert asked == [4, 4]
    assert not moment.answers


def test_any_other_table_asks_every_time_what_a_moment_could_hold() -> None:
    moment, table = Moment(), OneTable(SeededDice("test"), Chooser({}, FIRST), READINGS)
    assert [table.held(doubled_at, moment, 4), table.held(doubled_at, moment, 4)] == [8, 8]
    assert asked == [4, 4]
    assert not moment.answers
