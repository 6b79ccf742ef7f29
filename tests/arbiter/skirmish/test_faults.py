"""Faults that look the same in every game: what is a fault, where it is, and what the hint names."""

from typing import Any

import pytest

from arbiter.fault import Fault
from arbiter.skirmish.faults import (
    active_faults,
    case_pointer,
    order_faults,
    own_targets,
    repeated_ids,
    unknown_id,
    unknown_ids,
)
from tests.arbiter.skirmish.arena import Pawn

PAWNS = (Pawn("ann", "red"), Pawn("bob", "blue", lives=0))


def hint(id_: str, *ids: str) -> str:
    (fault,) = unknown_id("pawn", id_, "/case/by", ids)
    return fault.hint


def test_a_pointer_into_the_case_may_be_a_path() -> None:
    assert case_pointer("targets/2") == case_pointer("targets", 2) == "/case/targets/2"
    assert case_pointer() == "/case"
    assert case_pointer("a~b") == "/case/a~0b"


def test_an_unknown_id_is_named_with_those_that_there_are() -> None:
    assert not list(unknown_id("pawn", "ann", "/case/by", ("ann", "bob")))
    assert list(unknown_id("war wolf", "x", "/case/by", ("ann", "bob"))) == [
        Fault("/case/by", "unknown-war-wolf", "there is no war wolf 'x'", "x", "one of ann, bob")
    ]
    (fault,) = unknown_id("pawn", "ann", "/case/by", ())
    assert fault.expected == "a pawn of the scene, which has none"
    (fault,) = unknown_id("pawn", "zoe", "/case/by", [f"pawn-{number}" for number in range(50)])
    assert fault.expected.count(",") == 39


@pytest.mark.parametrize(
    ("id_", "ids", "expected"),
    [
        ("guard-1", ("guards", "guard-11", "wolf"), "did you mean 'guard-11' or 'guards'?"),
        ("wofl", ("guard", "wolf"), "did you mean 'wolf'?"),
        ("gaurdsmna", ("guardsman",), "did you mean 'guardsman'?"),
        ("dragon", ("guard", "wolf"), ""),
        ("ann", (), ""),
        ("abcd", ("abxy", "abxz", "zzzz"), "did you mean 'abxy' or 'abxz'?"),
        ("abc", ("xyz",), ""),
    ],
)
def test_the_hint_names_ids_with_at_most_two_letters_wrong(id_: str, ids: tuple[str, ...], expected: str) -> None:
    assert hint(id_, *ids) == expected


def test_a_long_id_is_compared_no_further_than_an_id_may_go() -> None:
    assert hint("w" * 5000, "w" * 60) == f"did you mean {'w' * 60!r}?"


def test_every_unknown_id_of_a_list_is_named_at_its_place() -> None:
    faults = unknown_ids("card", ("wolf", "x", "squire", "y"), "/case/cards", {"wolf": 1, "squire": 2})
    assert [fault.pointer for fault in faults] == ["/case/cards/1", "/case/cards/3"]


def test_an_id_that_appears_again_is_a_fault_each_time_but_the_first() -> None:
    rows = [Pawn(id_, "red") for id_ in ("ann", "bob", "ann", "ann")]
    assert [(fault.pointer, fault.message) for fault in repeated_ids(rows, "/case/pawns", "pawn")] == [
        ("/case/pawns/2/id", "the pawn 'ann' appears twice"),
        ("/case/pawns/3/id", "the pawn 'ann' appears twice"),
    ]


def test_nobody_is_its_own_target() -> None:
    faults = own_targets("ann", ("bob", "ann"), "ann cannot aim at herself", "/case/targets")
    assert [(fault.pointer, fault.code) for fault in faults] == [("/case/targets/1", "itself")]


@pytest.mark.parametrize(
    ("order", "sound"),
    [
        ((), True),
        (("red", "blue"), True),
        (("blue", "red"), True),
        (("red",), False),
        (("red", "red"), False),
        (("red", "blue", "red"), False),
        (("red", "green"), False),
    ],
)
def test_an_order_names_each_side_once(order: tuple[str, ...], sound: bool) -> None:
    faults = list(order_faults(order, ("red", "blue"), "/case/scene/order", "side"))
    assert [fault.code for fault in faults] == ([] if sound else ["order"])


def test_the_active_unit_exists_can_be_active_and_is_on_turn() -> None:
    def codes(active: str | None, turn: str | None = None) -> list[Any]:
        found = active_faults(active, PAWNS, turn, lambda pawn: None if pawn.lives else "is out", "a pawn")
        return [(fault.pointer, fault.code, fault.message) for fault in found]

    here = "/case/scene/active"
    assert codes(None) == codes("ann") == codes("ann", "red") == codes(None, "green") == []
    assert codes("zoe") == [(here, "unknown-unit", "there is no unit 'zoe'")]
    assert codes("bob", "blue") == codes("bob", "red") == [(here, "active", "is out")]
    assert codes("ann", "blue") == [(here, "active", "ann is of the side red, but it is the turn of blue")]
