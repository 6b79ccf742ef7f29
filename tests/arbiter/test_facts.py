"""Facts: asked for where nobody gives them, taken from the players, held against the board, and listed."""

from typing import Any

import pytest

from arbiter.asking.fact_needs import independent
from arbiter.dice import D6
from arbiter.dice_sources import HandedDice
from arbiter.facts import Fact, FactNeeded, Facts, Number, OneOf, Units, YesNo, fact
from arbiter.fault import Faults
from arbiter.rule import rule
from arbiter.table import Chooser, OneTable


class Field:
    """Two units on a board that shows everything, or on none."""

    def __init__(self, *, has_board: bool, bob_at: int = 0) -> None:
        self.has_board, self.places, self.lone = has_board, {"ann": 0, "bob": bob_at}, False
        self.by_id: dict[str, Any] = {"ann": None, "bob": None}

    def measures(self, *ids: str) -> bool:
        return self.has_board

    def name(self, unit: str) -> str:
        if unit not in self.places:
            raise KeyError(unit)
        return unit.capitalize()

    def place(self, unit: str) -> Any:
        return self.places[unit]


@fact("sees", "Does {a} see {b}?", of=("a", "b"), says=("{a} sees {b}", "{a} does not see {b}"), cites="sight/line")
@rule("sight.line", cites="sight/line", neutral=True)
def sees(table: Any, field: Field, a: str, b: str) -> bool:
    """Decide whether one sees another."""
    return True


def far_away(facts: Facts, field: Field, touches: bool, *pair: str) -> Any:
    if touches and (facts.peek(steps, field, *pair) or 0) > 1:
        yield steps, pair


def not_next_to(facts: Facts, field: Field, away: int, *pair: str) -> Any:
    if facts.peek(touch, field, *pair) and away > 1:
        yield touch, pair


@fact(
    "steps",
    "How far is {b} from {a}?",
    of=("a", "b"),
    kind=Number("steps", whole=True),
    says="{value}",
    cites="r/a",
    against=not_next_to,
)
def steps(table: Any, field: Field, a: str, b: str) -> int:
    """Count the steps from one to another."""
    return 4


@fact("cover", "In cover?", of=("b",), kind=OneOf(("none", "heavy")), says="{b}: {value}", cites="cover/some")
def cover(table: Any, field: Field, b: str) -> str:
    """Decide what cover one has."""
    return "none"


@fact("near", "Who is near {a}?", of=("a",), kind=Units(), says="Near {a}: {value}", cites="r/a")
def near(table: Any, field: Field, a: str) -> tuple[str, ...]:
    """List who is near another."""
    return () if field.lone else ("bob",)


@fact(
    "touch",
    "Do they touch?",
    of=("a", "b"),
    says=("{a} and {b} touch", "they do not"),
    cites="r/a",
    mutual=True,
    against=far_away,
)
def touch(table: Any, field: Field, a: str, b: str) -> bool:
    """Decide whether two touch each other."""
    return True


FACTS: dict[str, Fact[..., Any]] = {each.name: each for each in (sees, steps, cover, near, touch)}


@rule("shots.shoot", cites="shots/shoot", neutral=None)
def shoot(table: Any, field: Field) -> tuple[Any, ...]:
    """Decide a shot: in sight and range it is rolled for, and cover matters then alone."""
    is_open, away = sees(table, field, "ann", "bob"), steps(table, field, "ann", "bob")
    if not is_open or away > 6:
        return ("forbidden",)
    return cover(table, field, "bob"), table.roll(D6, "to hit")


@rule("turns.wait", cites="shots/shoot", neutral=None)
def wait(table: Any, field: Field) -> Any:
    """Decide whether somebody near, or nobody in sight, is waited for: how far it is matters to neither."""
    seen = [sees(table, field, *pair) for pair in (("ann", "bob"), ("bob", "ann"))]
    if near(table, field, "ann") or not any(seen):
        return "waits"
    return steps(table, field, "ann", "bob")


@rule("turns.go", cites="shots/shoot", neutral=None)
def go(table: Any, field: Field) -> Any:
    """Decide whom somebody goes to: whoever is near, and else bob."""
    return steps(table, field, *("ann", *near(table, field, "ann"), "bob")[:2])


@rule("turns.both", cites="shots/shoot", neutral=None)
def both(table: Any, field: Field) -> Any:
    """Decide whether somebody sees another, unless they touch."""
    return touch(table, field, "ann", "bob") or sees(table, field, "ann", "bob")


def table_of(given: dict[str, Any], *, wins: bool = False, assumes: bool = False) -> OneTable:
    table = OneTable(HandedDice({"to hit": [3]}), Chooser({}, {}), {})
    table.facts = Facts(FACTS, given, given_wins=wins, assumes=assumes)
    return table


def facts_of(table: OneTable) -> Facts:
    assert table.facts is not None
    return table.facts


def test_without_facts_the_board_is_measured() -> None:
    table = OneTable(HandedDice({"to hit": [3]}), Chooser({}, {}), {})
    assert shoot(table, Field(has_board=True)) == ("none", 3)


def test_given_facts_are_believed_where_no_board_is() -> None:
    table = table_of({"sees": True, "steps": 6, "cover:bob": "heavy"})
    assert shoot(table, Field(has_board=False)) == ("heavy", 3)
    used = [(each.fact, each.value, each.origin, each.rules) for each in facts_of(table).used.values()]
    assert used == [
        ("sees", True, "given", ("shots.shoot",)),
        ("steps", 6, "given", ("shots.shoot",)),
        ("cover", "heavy", "given", ("shots.shoot",)),
    ]
    assert [finding.text for finding in table.findings] == [
        "Ann sees Bob (as the players say)",
        "6 (as the players say)",
        "Bob: heavy (as the players say)",
    ]
    assert table.findings[0].rule == "sight.line"


@pytest.mark.parametrize(
    ("given", "value"),
    [({"steps:ann,bob": 7, "steps": 2}, 7), ({"steps:bob": 7, "steps": 2}, 7), ({"steps:bob,ann": 7, "steps": 2}, 2)],
)
def test_a_fact_of_some_units_goes_before_one_of_all(given: dict[str, Any], value: int) -> None:
    table = table_of(given)
    assert steps(table, Field(has_board=False), "ann", "bob") == value
    left = [key for key in given if given[key] != value]
    assert facts_of(table).unneeded() == tuple(f"/case/given/{key}" for key in left)


@pytest.mark.parametrize("key", ["touch", "touch:ann", "touch:bob", "touch:ann,bob", "touch:bob,ann"])
def test_a_mutual_fact_is_one_fact_in_either_order(key: str) -> None:
    table, field = table_of({key: False}), Field(has_board=False)
    assert facts_of(table).knows(touch, field, "ann", "bob")
    assert not facts_of(table).knows(sees, field, "ann", "bob")
    assert not touch(table, field, "ann", "bob")
    assert not touch(table, field, "bob", "ann")
    assert list(facts_of(table).used) == ["touch:ann,bob"]
    assert facts_of(table).unneeded() == ()


def test_a_board_that_shows_something_else_is_a_fault_unless_the_players_win() -> None:
    with pytest.raises(Faults) as refused:
        steps(table_of({"steps": 5}), Field(has_board=True), "ann", "bob")
    (fault,) = refused.value.faults
    assert (fault.pointer, fault.code, fault.seen) == ("/case/given/steps", "fact-contradicts-board", 5)
    assert "4" in fault.message
    assert steps(table_of({"steps": 5}, wins=True), Field(has_board=True), "ann", "bob") == 5
    assert steps(table_of({"steps": 4}), Field(has_board=True), "ann", "bob") == 4


def test_what_a_board_shows_beside_given_facts_is_listed_too() -> None:
    table = table_of({"cover": "none"})
    assert shoot(table, Field(has_board=True)) == ("none", 3)
    assert [each.origin for each in facts_of(table).used.values()] == ["board", "board", "given"]


def test_usual_values_are_assumed_where_the_caller_says_so() -> None:
    table = table_of({"steps": 1}, assumes=True)
    assert shoot(table, Field(has_board=False)) == ("none", 3)
    assert [each.origin for each in facts_of(table).used.values()] == ["assumed", "given", "assumed"]
    with pytest.raises(FactNeeded):  # a number has no usual value here
        steps(table_of({}, assumes=True), Field(has_board=False), "ann", "bob")


def _needed(given: dict[str, Any], rule_: Any = shoot) -> tuple[str, ...]:
    def attempt(assumed: Any) -> FactNeeded | None:
        table = table_of({**given, **assumed})
        try:
            rule_(table, Field(has_board=False))
        except FactNeeded as needed:
            return needed
        return None

    first = attempt({})
    assert first is not None
    return tuple(needs.key for needs in independent(first, attempt))


def test_what_is_needed_in_any_case_is_asked_at_once_and_nothing_else() -> None:
    # Cover matters only in sight and range.
    assert _needed({}) == ("sees:ann,bob", "steps:ann,bob")
    assert _needed({"sees": True}) == ("steps:ann,bob",)
    assert _needed({"sees": True, "steps": 3}) == ("cover:bob",)


def test_what_does_not_matter_if_somebody_is_there_or_if_two_facts_are_otherwise_is_not_asked_yet() -> None:
    assert _needed({}, wait) == ("sees:ann,bob", "sees:bob,ann", "near:ann")
    # If neither sees the other, how far it is does not matter.
    assert _needed({"near": []}, wait) == ("sees:ann,bob", "sees:bob,ann")
    assert _needed({"near": [], "sees:ann": True}, wait) == ("sees:ann,bob", "steps:ann,bob")


def test_how_far_somebody_is_who_need_not_be_the_one_is_not_asked_yet() -> None:
    assert _needed({}, go) == ("near:ann", "steps:ann,bob")  # there is nobody else
    assert _needed({"near": ["bob"]}, go) == ("steps:ann,bob",)


def test_impossible_facts_are_faults_at_their_place() -> None:
    given = {"see": True, "steps": 2.5, "steps:bob": -1, "cover": "dense", "sees": "yes"}
    faults = {fault.pointer: fault for fault in Facts(FACTS, given, given_wins=False, assumes=False).faults()}
    assert {pointer: fault.code for pointer, fault in faults.items()} == {
        "/case/given/see": "unknown-fact",
        "/case/given/steps": "fact-value",
        "/case/given/steps:bob": "fact-value",
        "/case/given/cover": "fact-value",
        "/case/given/sees": "fact-value",
    }
    assert "'sees'" in faults["/case/given/see"].hint
    assert faults["/case/given/steps"].message == "2.5 is no answer to this: How far is the b from the a?"


def test_nobody_is_among_the_others_about_whom_it_is_asked() -> None:
    given = {"near:ann": ["bob", "ann"], "near:bob": ["ann"], "near": ["ann", "bob"]}
    (fault,) = Facts(FACTS, given, given_wins=True, assumes=False).faults()
    assert (fault.pointer, fault.code, fault.expected) == (
        "/case/given/near:ann",
        "fact-value",
        "a list of ids of other units",
    )
    assert fault.message == "'ann' cannot be in the answer about itself: Who is near ann?"


def test_a_list_that_is_meant_for_all_leaves_out_whom_it_is_asked_about() -> None:
    table, field = table_of({"near": ["ann", "bob"]}), Field(has_board=False)
    assert (near(table, field, "ann"), near(table, field, "bob")) == (("bob",), ("ann",))
    assert [each.text for each in facts_of(table).used.values()] == ["Near Ann: Bob", "Near Bob: Ann"]
    assert facts_of(table).peek(near, field, "bob") == facts_of(table).value(near, field, "bob") == ("ann",)


def test_only_those_are_listed_who_can_be_in_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "among", lambda field, a: [id_ for id_ in field.by_id if id_ != "bob"])
    field = Field(has_board=False)
    field.by_id["cy"], field.places["cy"] = None, 0
    assert near(table_of({"near": ["ann", "bob", "cy"]}), field, "ann") == ("cy",)
    with pytest.raises(Faults) as refused:
        near(table_of({"near:ann": ["cy", "bob"]}), field, "ann")
    (fault,) = refused.value.faults
    assert (fault.pointer, fault.code, fault.seen) == ("/case/given/near:ann/1", "fact-value", "bob")
    assert fault.message == "'bob' cannot be in the answer to this: Who is near ann?"
    assert fault.expected == "some of cy, or an empty list"
    with pytest.raises(FactNeeded) as needed:
        near(table_of({}), field, "ann")
    assert needed.value.samples == ((), ("cy",))


def test_nobody_is_listed_twice() -> None:
    (fault,) = Facts(FACTS, {"near": ("bob", "bob")}, given_wins=True, assumes=False).faults()
    assert (fault.pointer, fault.code) == ("/case/given/near", "fact-value")
    assert fault.message == "['bob', 'bob'] is no answer to this: Who is near the a?"


def test_a_fact_is_not_asked_yet_if_a_number_in_between_makes_it_needless(monkeypatch: pytest.MonkeyPatch) -> None:
    def strike(table: Any, field: Field) -> str:
        return "close" if 2 <= steps(table, field, "ann", "bob") <= 3 else cover(table, field, "bob")

    assert _needed({}, strike) == ("steps:ann,bob", "cover:bob")
    monkeypatch.setattr(steps, "kind", Number("steps", whole=True, among=(2.0,)))
    assert _needed({}, strike) == ("steps:ann,bob",)
    assert _needed({"steps": 4}, strike) == ("cover:bob",)


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (YesNo(), 1),
        (OneOf(("a",)), "b"),
        (Number("steps"), True),
        (Number("steps", most=3), 4.0),
        (Units(), "bob"),
        (Units(), ("bob", "ann", "bob")),
    ],
)
def test_kinds_refuse_what_they_are_not(kind: Any, value: Any) -> None:
    with pytest.raises(ValueError, match=kind.asked):
        kind.read(value)


def test_what_is_no_unit_is_called_by_its_id() -> None:
    table = table_of({"cover": "heavy"})
    assert cover(table, Field(has_board=False), "red") == "heavy"
    assert [used.text for used in facts_of(table).used.values()] == ["red: heavy"]


def test_a_unit_that_nobody_knows_is_a_fault_at_its_place() -> None:
    with pytest.raises(Faults) as refused:
        near(table_of({"near:ann": ["bob", "cy"]}), Field(has_board=False), "ann")
    assert [(fault.pointer, fault.code) for fault in refused.value.faults] == [
        ("/case/given/near:ann/1", "unknown-unit")
    ]


def test_what_was_given_of_a_unit_holds_until_it_moves() -> None:
    table = table_of({"steps": 5, "steps_then:bob": 9})
    assert steps(table, Field(has_board=False), "ann", "bob") == 5
    assert steps(table, Field(has_board=False, bob_at=3), "ann", "bob") == 9
    assert [(each.fact, each.value) for each in facts_of(table).used.values()] == [("steps", 5), ("steps_then", 9)]
    with pytest.raises(FactNeeded) as needed:
        sees(table, Field(has_board=False, bob_at=3), "ann", "bob")
    assert needed.value.needs.key == "sees_then:ann,bob"
    # A board shows the new place itself, and what was given of the old one contradicts nothing.
    table = table_of({"sees": True, "steps": 7})
    assert sees(table, Field(has_board=True), "ann", "bob")
    assert steps(table, Field(has_board=True, bob_at=3), "ann", "bob") == 4


def test_what_changes_within_a_ruling_contradicts_nothing_that_was_given() -> None:
    table, field = table_of({"near": ["bob"]}), Field(has_board=True)
    assert near(table, field, "ann") == ("bob",)
    field.lone = True
    assert near(table, field, "ann") == ()
    assert [(each.fact, each.value, each.origin) for each in facts_of(table).used.values()] == [
        ("near", ("bob",), "given")
    ]
    with pytest.raises(Faults):
        near(table_of({"near": ["bob"]}), field, "ann")


@pytest.mark.parametrize("given", [{"steps:ann,bob": 4, "touch:ann,bob": True}, {"steps": 4, "touch": True}])
def test_facts_that_contradict_each_other_are_faults_at_both_places(given: dict[str, Any]) -> None:
    with pytest.raises(Faults) as refused:
        steps(table_of(given), Field(has_board=False), "ann", "bob")
    faults = {fault.pointer: fault for fault in refused.value.faults}
    assert faults.keys() == {f"/case/given/{key}" for key in given}
    assert {fault.code for fault in faults.values()} == {"facts-contradict"}
    assert {fault.message for fault in faults.values()} == {"4, and yet: Ann and Bob touch"}


def test_what_holds_for_all_may_have_an_exception_and_be_meant_of_others() -> None:
    assert steps(table_of({"steps": 4, "touch:ann,bob": True}), Field(has_board=False), "ann", "bob") == 4
    field = Field(has_board=False)
    field.by_id["cy"] = None
    assert steps(table_of({"steps": 4, "touch": True}), field, "ann", "bob") == 4


def test_what_cannot_be_so_beside_what_is_given_does_not_decide_what_is_needed() -> None:
    # Whether they touch is not open: 4 steps apart they do not, and what that would lead to is not tried.
    assert _needed({"steps:ann,bob": 4}, both) == ("touch:ann,bob", "sees:ann,bob")


def test_a_fact_that_is_only_looked_at_for_contradictions_is_not_taken_for_needed() -> None:
    table = table_of({"steps": 1, "touch": True})
    assert steps(table, Field(has_board=False), "ann", "bob") == 1
    assert facts_of(table).unneeded() == ("/case/given/touch",)


def test_what_a_ruling_has_used_or_players_give_is_settled() -> None:
    table, field = table_of({"steps": 1}, assumes=True), Field(has_board=False)
    assert facts_of(table).settled(steps, field, "ann", "bob") == 1
    assert facts_of(table).settled(sees, field, "ann", "bob") is None
    assert sees(table, field, "ann", "bob")
    assert facts_of(table).settled(sees, field, "ann", "bob") is True
    assert facts_of(table).unneeded() == ("/case/given/steps",)
