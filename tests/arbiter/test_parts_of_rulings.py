"""What a client leaves out of a ruling, and what it says in advance that turns out not to be needed."""

import msgspec
import pytest

from arbiter.fault import Faults
from arbiter.question import Ask, DiceSpec
from arbiter.ruling import Effects
from services._template.arbiter import ARBITER
from services._template.questions import AttackCase
from tests.reading import load_examples

EXAMPLE = next(each for each in load_examples(ARBITER.folder / "examples") if each.question == "attack")
EMPTY = {
    "answer": None,
    "findings": (),
    "throws": (),
    "rolls": (),
    "choices": (),
    "effects": Effects(),
    "citations": (),
    "readings": (),
}


def asked(**members: object) -> Ask[AttackCase]:
    return msgspec.structs.replace(msgspec.convert(EXAMPLE.body(), Ask[AttackCase]), **members)


def test_parts_that_are_not_included_are_empty_and_all_else_is_as_it_was() -> None:
    whole = ARBITER.ask("attack", asked(), seed="1")
    for include in ((), ("answer",), ("answer", "effects"), tuple(EMPTY)):
        slim = ARBITER.ask("attack", asked(include=include), seed="1")
        for member in whole.__struct_fields__:
            left_out = member in EMPTY and member not in include
            assert getattr(slim, member) == (EMPTY[member] if left_out else getattr(whole, member)), member


def test_what_is_not_needed_is_refused_with_the_nearest_label_or_listed() -> None:
    whole = ARBITER.ask("attack", asked(dice=DiceSpec(seed=1), choices={}, policies={"*": "first"}), seed="1")
    hand: dict[str, tuple[int | str, ...]] = {}
    for throw in whole.throws:
        hand[throw.label] = (*hand.get(throw.label, ()), throw.face)
    label = next(iter(hand))
    spec = DiceSpec(hand={**hand, f"{label}x": (1,), label: (*hand[label], 6)})
    choices = {"no such choice": ("dodge",)}
    with pytest.raises(Faults) as refused:
        ARBITER.ask("attack", asked(dice=spec, choices=choices, policies={"*": "first"}), seed="1")
    faults = {fault.pointer: fault for fault in refused.value.faults}
    assert set(faults) == {
        f"/dice/hand/{label}/{len(hand[label])}",
        f"/dice/hand/{label}x/0",
        "/choices/no such choice/0",
    }
    assert repr(label) in faults[f"/dice/hand/{label}x/0"].hint
    ruled = ARBITER.ask(
        "attack", asked(dice=spec, choices=choices, policies={"*": "first"}, surplus="ignore"), seed="1"
    )
    assert set(ruled.surplus) == set(faults)
    assert (ruled.answer, ruled.effects) == (whole.answer, whole.effects)


def test_a_wrong_face_is_refused_even_where_surplus_is_ignored() -> None:
    whole = ARBITER.ask("attack", asked(dice=DiceSpec(seed=1), policies={"*": "first"}, choices={}), seed="1")
    spec = DiceSpec(hand={whole.throws[0].label: (7,)})
    with pytest.raises(Faults):
        ARBITER.ask("attack", asked(dice=spec, surplus="ignore"), seed="1")
