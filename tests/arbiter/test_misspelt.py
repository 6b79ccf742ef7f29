"""A label of dice or of a choice that looks misspelt is named while the ruling still waits for others."""

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest

from arbiter.question import Ask, DiceSpec
from arbiter.ruling import Ruling
from services._template.arbiter import ARBITER
from services._template.questions import AttackCase
from tests.reading import load_examples

EXAMPLE = next(each for each in load_examples(ARBITER.folder / "examples") if each.question == "attack")
"""An attack that rolls `to hit`, asks for `dodge of rob`, and rolls `save`."""

HITS = {"to hit": (4, 5, 2)}


def ruled(
    hand: Mapping[str, tuple[int | str, ...]], choices: Mapping[str, tuple[Any, ...]], **more: Any
) -> Ruling[Any]:
    plain = msgspec.convert({"case": EXAMPLE.body()["case"]}, Ask[AttackCase])
    spec = DiceSpec(hand=dict(hand))
    return ARBITER.ask("attack", msgspec.structs.replace(plain, dice=spec, choices=choices, **more), seed="1")


def noticed(ruling: Ruling[Any]) -> list[tuple[str, str, str]]:
    return [(notice.pointer, notice.code, notice.hint) for notice in ruling.notices]


def test_a_label_very_like_the_one_that_is_waited_for_is_named() -> None:
    ruling = ruled({"to hti": (4, 5, 2)}, {})
    assert ruling.status == "needs_dice"
    assert noticed(ruling) == [("/dice/hand/to hti", "unused-die", "did you mean 'to hit'?")]


def test_a_choice_very_like_the_one_that_is_waited_for_is_named() -> None:
    ruling = ruled(HITS, {"dodge of rbo": ("stand",)})
    assert ruling.status == "needs_choice"
    assert noticed(ruling) == [("/choices/dodge of rbo", "unused-choice", "did you mean 'dodge of rob'?")]


def test_a_label_of_what_comes_later_is_named_at_once() -> None:
    ruling = ruled({"svae": (5, 3)}, {"dodge of rbo": ("stand",)})
    assert ruling.status == "needs_dice"
    assert noticed(ruling) == [
        ("/dice/hand/svae", "unused-die", "did you mean 'save'?"),
        ("/choices/dodge of rbo", "unused-choice", "did you mean 'dodge of rob'?"),
    ]


@pytest.mark.parametrize(
    ("hand", "choices"),
    [
        # Needed later.
        ({"save": (5, 3)}, {}),
        ({}, {"dodge of rob": ("stand",)}),
        # Made of words that the scene knows: another unit may come to dodge.
        ({}, {"dodge of sue": ("stand",)}),
        # Like nothing that is needed.
        ({"weather": (5,)}, {"who begins": ("red",)}),
        # Like a label for which dice are given: a finished ruling refuses it as left over.
        ({"saves": (5,), "save": (5, 3)}, {}),
    ],
)
def test_what_may_be_needed_yet_is_not_named(
    hand: dict[str, tuple[int | str, ...]], choices: dict[str, tuple[Any, ...]]
) -> None:
    ruling = ruled(hand, choices)
    assert ruling.status != "ruled"
    assert not ruling.notices


def test_what_is_ignored_in_a_finished_ruling_is_named_too() -> None:
    hand = {**HITS, "save": (5, 3), "to hti": (1,)}
    told = ruled(hand, {}, policies={"*": "first"}, surplus="ignore", readings={})
    assert (told.status, told.surplus) == ("ruled", ("/dice/hand/to hti/0",))
    assert not told.notices  # nothing is missing, for which it could be meant
    told = ruled({**HITS, "save": (5, 3)}, {"dodge of rbo": ("stand",)}, policies={"*": "first"}, surplus="ignore")
    assert noticed(told) == [("/choices/dodge of rbo", "unused-choice", "did you mean 'dodge of rob'?")]
