import pytest

from arbiter.fault import Faults
from services._template.questions import AttackCase, prepare_attack
from tests.services._template.tables import fighter, rock, scene

RED, BLUE = fighter("red", "scout", (1, 1)), fighter("blue", "scout", (2, 1), side="blue")
SLAIN = fighter("blue", "scout", (2, 1), wounds_lost=1)


@pytest.mark.parametrize(
    ("fighters", "faults"),
    [
        ((RED, fighter("blue", "dragon", (2, 1))), {("/case/scene/fighters/1/profile", "unknown-profile")}),
        (
            (RED, fighter("blue", "scout", (2, 1), wounds_lost=1)),
            {("/case/scene/fighters/1/wounds_lost", "slain-already")},
        ),
        ((RED, fighter("blue", "scout", (9, 0))), {("/case/scene/fighters/1/hex", "off-board")}),
        ((RED, fighter("blue", "scout", (1, 1))), {("/case/scene/fighters/1/hex", "taken-hex")}),
        ((RED, fighter("blue", "scout", (2, 2))), {("/case/scene/fighters/1/hex", "taken-hex")}),
        ((RED, BLUE, fighter("red", "scout", (3, 1))), {("/case/scene/fighters/2/id", "repeated-id")}),
        ((RED,), {("/case/target", "unknown-fighter")}),
        (
            (fighter("green", "dragon", (10, 10)), BLUE),
            {
                ("/case/scene/fighters/0/profile", "unknown-profile"),
                ("/case/scene/fighters/0/hex", "off-board"),
                ("/case/attacker", "unknown-fighter"),
            },
        ),
    ],
)
def test_every_fault_is_named_at_its_place(fighters, faults) -> None:
    with pytest.raises(Faults) as caught:
        prepare_attack(AttackCase(scene(*fighters, rocks=[rock((2, 2))]), "red", "blue"))
    assert {(fault.pointer, fault.code) for fault in caught.value.faults} == faults


def test_a_possible_case_names_who_shoots_at_whom() -> None:
    prepared = prepare_attack(AttackCase(scene(RED, BLUE), "red", "blue"))
    assert (prepared.attacker, prepared.target) == (RED, BLUE)
