"""Scenes and cases: every fault at once, at its place; a sound scene is prepared once."""

from collections.abc import Callable
from typing import Any

import pytest

from arbiter.fault import Fault, Faults
from tests.arbiter.skirmish.arena import VALIDATOR, Pawn, Scene, prepared

ANN, BOB, OUT = Pawn("ann", "red"), Pawn("bob", "blue"), Pawn("eve", "blue", lives=0)


def found(ask: Callable[[], Any]) -> list[tuple[str, str]]:
    with pytest.raises(Faults) as caught:
        ask()
    assert all(fault.message and fault.expected for fault in caught.value.faults)
    return [(fault.pointer, fault.code) for fault in caught.value.faults]


def test_a_sound_scene_is_prepared_once_for_all_its_questions() -> None:
    scene = Scene((ANN, BOB))
    before = len(prepared)
    fields = [VALIDATOR.scene(scene), VALIDATOR.case(scene, ("by", "pawn", "ann")), VALIDATOR.in_play(scene)]
    assert all(field is fields[0] for field in fields)
    assert prepared[before:] == [scene]


def test_an_unsound_scene_is_never_prepared_and_stays_unsound() -> None:
    scene = Scene((ANN, ANN))
    before = len(prepared)
    for _ in range(2):
        assert found(lambda: VALIDATOR.scene(scene)) == [("/case/scene/pawns/1/id", "repeated-id")]
    assert len(prepared) == before


def test_faults_of_scene_and_case_come_together() -> None:
    scene = Scene((ANN, OUT, ANN))
    more = Fault("/case/way", "way", "the way ends nowhere", expected="a way")
    named = (("by", "ann"), ("targets/0", "eve"), ("targets/1", "zoe"))
    assert found(lambda: VALIDATOR.in_play(scene, *named, more=(more,))) == [
        ("/case/scene/pawns/2/id", "repeated-id"),
        ("/case/targets/1", "unknown-pawn"),
        ("/case/targets/0", "not-in-play"),
        ("/case/way", "way"),
    ]


def test_each_kind_has_its_own_names() -> None:
    scene = Scene((ANN, OUT))
    assert VALIDATOR.case(scene, ("by", "side", "blue"), ("unit", "pawn", "eve")).unit("eve") is OUT
    assert found(lambda: VALIDATOR.case(scene, ("by", "side", "ann"))) == [("/case/by", "unknown-side")]


def test_who_is_out_of_play_is_told_from_who_does_not_exist() -> None:
    scene = Scene((ANN, OUT))
    (fault,) = VALIDATOR.absent(scene, ("unit", "ann"), ("other", "eve"), ("third", "zoe"))
    assert (fault.pointer, fault.message, fault.expected) == ("/case/other", "eve has no life left", "one of ann")
    (fault,) = VALIDATOR.absent(Scene((OUT,)), ("unit", "eve"))
    assert fault.expected == "a pawn in play, but there is none"
