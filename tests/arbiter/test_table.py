"""One path at a table: tallies, pools, choices, findings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.caching import Memory
from arbiter.dice import D6, Die
from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.option import Option, freeze, with_labels
from arbiter.rule import Forbidden, rule
from arbiter.table import Choice, ChoiceNeeded, Chooser, OneTable, Tally, WrongOption, first


def seat(said=None, policies=None, *, keep: bool = True) -> OneTable:
    named = {who: ("first", first) if policy is None else ("own", policy) for who, policy in (policies or {}).items()}
    return OneTable(SeededDice("x"), Chooser(said or {}, named), {"unclear": "this"}, keep=keep)


@rule("chapter.decide", cites=("a/one", "a/two"), neutral=None)
def decide(table) -> None:
    table.find("{what} is {how}", what="it", how=3)
    table.find("only the second", cites="a/two")
    table.event("changed", what="it")


# Tallies


@given(st.lists(st.integers(0, 4), max_size=30))
def test_a_tally_counts_whatever_the_order(results: list[int]) -> None:
    left, right = iter(results), iter(reversed(results))
    forth = seat().repeat(len(results), lambda table: next(left))
    back = seat().repeat(len(results), lambda table: next(right))
    assert forth == back
    assert hash(forth) == hash(back)
    assert all(forth[value] == results.count(value) for value in range(6))
    assert forth.total(lambda value: value) == sum(results)
    assert forth.total(lambda value: 1) == len(results)


def test_an_empty_tally_has_nothing() -> None:
    assert Tally(frozenset())["anything"] == 0
    assert seat().repeat(0, lambda table: 1) == Tally(frozenset())


# Dice


def test_a_pool_shows_its_faces_in_the_order_of_the_die() -> None:
    die = Die("symbols", ("miss", "hit", "miss", "crit"))
    table = OneTable(HandedDice({"x": ["crit", "miss", "hit", "miss"]}), Chooser({}, {}), {})
    assert table.pool(4, die, "x") == ("miss", "miss", "hit", "crit")
    assert [throw.face for throw in table.throws] == ["crit", "miss", "hit", "miss"]
    assert [throw.index for throw in table.throws] == [0, 1, 2, 3]


def test_without_keeping_nothing_is_written_down() -> None:
    table = seat(policies={"*": None}, keep=False)
    table.roll(D6, "x")
    table.choose("red", "y", (1, 2))
    decide(table)
    assert (table.throws, table.made, table.findings, table.events) == ([], [], [], [])


# Choices


def test_a_single_option_is_no_choice() -> None:
    table = seat()
    assert table.choose("red", "x", ("only",)) == "only"
    assert table.made == []


def test_what_a_player_says_goes_before_policies_and_in_order() -> None:
    table = seat({"x": ["b", "c"]}, {"red": None})
    picked = [table.choose("red", "x", ("a", "b", "c")) for _ in range(3)]
    assert picked == ["b", "c", "a"]
    assert [(made.index, made.origin) for made in table.made] == [(0, "player"), (1, "player"), (2, "policy first")]


def test_a_players_own_policy_goes_before_everyones() -> None:
    table = seat(policies={"red": lambda choice: choice.options[-1], "*": None})
    assert table.choose("red", "x", (1, 2)) == 2
    assert table.choose("blue", "x", (1, 2)) == 1


def test_a_policy_may_look_at_what_the_choice_is_about() -> None:
    seen: list[Choice] = []

    def policy(choice: Choice) -> object:
        seen.append(choice)
        return choice.options[0]

    seat(policies={"red": policy}).choose("red", "x", (1, 2), about="the state")
    assert seen == [Choice("red", "x", (1, 2), "the state")]


def test_a_choice_nobody_makes_is_asked_for_with_what_its_options_mean() -> None:
    with pytest.raises(ChoiceNeeded) as caught:
        seat({"other": ["a"]}, {"blue": None}).choose(
            "red", "x", ("a", "b"), means=with_labels({"a": "one", "b": "two"}, "a", x=1)
        )
    needs = caught.value.needs
    assert (needs.who, needs.label) == ("red", "x")
    assert needs.options == (Option("a", "one"), Option("b", "two", {"x": 1}))


@pytest.mark.parametrize("said", ["b", {"id": "b"}, {"id": "b", "label": "whatever"}, Option("b", "two")])
def test_an_option_is_said_by_its_id_or_as_it_is_listed(said: object) -> None:
    assert seat({"x": [said]}).choose("red", "x", ("a", "b")) == "b"


def test_what_is_said_must_be_an_option() -> None:
    with pytest.raises(WrongOption, match="'z' is no option of 'x'"):
        seat({"x": ["z"]}).choose("red", "x", ("a", "b"))


def test_a_hex_may_be_said_as_json_has_it() -> None:
    assert seat({"x": [[1, [2, 3]]]}).choose("red", "x", ((0, (0, 0)), (1, (2, 3)))) == (1, (2, 3))
    assert freeze([1, [2, [3]], "a"]) == (1, (2, (3,)), "a")


@pytest.mark.parametrize("said", [1.0, True])
def test_the_rule_goes_on_with_its_own_option(said: object) -> None:
    picked = seat({"x": [said]}).choose("red", "x", (0, 1))
    assert picked == 1
    assert type(picked) is int


def test_what_is_said_and_not_asked_is_left_over() -> None:
    table = seat({"x": ["a", "b"], "idle": ["c"], "empty": []})
    table.choose("red", "x", ("a", "b"))
    assert table.chooser.left_over() == {"x": 1, "idle": 0}


# What is said about it


def test_findings_carry_the_rule_the_values_and_the_units() -> None:
    table = seat()
    decide(table)
    whole, part = table.findings
    assert (whole.rule, whole.text, whole.values, whole.cites) == (
        "chapter.decide",
        "it is 3",
        {"what": "it", "how": 3},
        ("a/one", "a/two"),
    )
    assert part.cites == ("a/two",)
    assert [(event.name, event.values) for event in table.events] == [("changed", {"what": "it"})]


def test_outside_a_rule_nothing_can_be_found_or_reasoned() -> None:
    with pytest.raises(LookupError, match="only inside a rule"):
        seat().find("something")
    with pytest.raises(LookupError, match="only inside a rule"):
        seat().reason("something")


def test_a_reading_that_is_consulted_is_remembered() -> None:
    table = seat()
    assert table.read_ids == {}
    assert table.read("unclear") == "this"
    assert table.read_ids == {"unclear": "this"}


def test_rounds_end_when_it_is_over_or_after_the_last() -> None:
    def step(table, state: int) -> int:
        return state + 1

    assert seat().iterate(step, 0, lambda state: state == 3, 9) == 3
    assert seat().iterate(step, 0, lambda state: state == 30, 9) == 9
    assert seat().iterate(step, 3, lambda state: state == 3, 9) == 3


# What lasts


class Ground:
    def __init__(self, number: int) -> None:
        self.number = number


class Decided:
    """A rule that counts how often it was worked out, at tables that share what they were told."""

    def __init__(self) -> None:
        self.times = 0
        self.known: Memory = Memory(2)

        @rule("ground.far", cites="a/one", neutral=0)
        def far(table, ground, a: int) -> int:
            self.times += 1
            table.find("{a} is far on {ground}", a=a, ground=ground.number)
            table.find("it is {how}", cites="a/two", how=table.read("unclear"))
            return a * ground.number

        self.far = far

    def seat(self) -> OneTable:
        return OneTable(SeededDice("x"), Chooser({}, {}), {"unclear": "this"}, known=self.known)


def test_what_was_decided_is_told_again_as_it_was_found() -> None:
    decided, ground = Decided(), Ground(7)
    seats = [decided.seat() for _ in range(3)]
    assert [table.always(decided.far, ground, 2) for table in seats] == [14] * 3
    assert decided.times == 1
    plain = seat()
    assert plain.always(decided.far, ground, 2) == 14
    assert decided.times == 2
    for table in seats:
        assert (table.findings, table.read_ids) == (plain.findings, {"unclear": "this"})
    assert [finding.rule for finding in plain.findings] == ["ground.far"] * 2


def test_other_grounds_and_arguments_are_decided_anew_and_what_is_not_asked_for_is_forgotten() -> None:
    decided = Decided()
    table = decided.seat()
    assert [table.always(decided.far, Ground(number), a) for number in (1, 2) for a in (3, 4)] == [3, 4, 6, 8]
    assert decided.times == 4
    for a in range(10):
        table.always(decided.far, Ground(9), a)
    assert len(decided.known) <= 2
    table.always(decided.far, Ground(1), 3)
    assert decided.times == 15


def test_what_is_found_again_is_said_again_only_after_something_has_happened() -> None:
    decided, ground = Decided(), Ground(1)
    table = decided.seat()
    table.always(decided.far, ground, 2)
    table.always(decided.far, ground, 2)
    decided.far(table, ground, 2)
    assert len(table.findings) == 2
    table.event("changed")
    table.always(decided.far, ground, 2)
    assert [finding.text for finding in table.findings] == ["2 is far on 1", "It is this"] * 2


def test_in_a_hush_nothing_is_found_and_nothing_learned() -> None:
    decided, ground = Decided(), Ground(5)
    table = decided.seat()
    with table.without_findings():
        assert table.always(decided.far, ground, 1) == 5
    assert (table.findings, len(decided.known)) == ([], 0)
    table.always(decided.far, ground, 1)
    assert len(table.findings) == 2


@pytest.mark.parametrize(
    "does",
    [
        lambda table, ground: table.roll(D6, "x"),
        lambda table, ground: table.pool(2, D6, "x"),
        lambda table, ground: table.choose("red", "y", (1, 2)),
        lambda table, ground: table.event("changed"),
    ],
)
def test_what_lasts_rolls_and_chooses_and_changes_nothing(does) -> None:
    table = Decided().seat()
    with pytest.raises(TypeError, match="where nothing but the arguments is to decide"):
        table.always(does, Ground(1))
    assert (table.throws, table.made, table.events) == ([], [], [])


def test_what_is_forbidden_is_forbidden_each_time() -> None:
    def forbidding(table, ground) -> None:
        raise Forbidden

    table = Decided().seat()
    for _ in range(2):
        with pytest.raises(Forbidden):
            table.always(forbidding, Ground(1))
