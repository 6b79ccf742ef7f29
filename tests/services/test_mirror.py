"""Mirrored battles: two mirrors are none, armies keep what they are, and what cannot be mirrored is refused."""

from typing import Any

import msgspec
import pytest

from api.schemas import codec
from api.schemas.bodies import simulation_type
from arbiter import registry
from arbiter.dice import D6
from arbiter.dice_sources import MirroredDice, SeededDice
from arbiter.fault import Faults
from arbiter.game import Arbiter
from arbiter.simulation.simulate import Simulate
from tests.services.asking import examples

TWO_SIDED = ("rapture", "size-skirmish", "stargrave", "warleague")


def last_battle(game: Arbiter) -> Simulate[Any]:
    """Give the last battle of the examples, as a simulation."""
    posted = [each for each in examples(game) if each.question == "battle"][-1].ready_body()
    body = {name: posted[name] for name in ("case", "policies") if name in posted}
    ask: Simulate[Any] = codec.decode_object(simulation_type(game.question("battle")), body)
    return ask


@pytest.mark.parametrize("name", TWO_SIDED)
def test_the_mirror_of_a_mirror_is_the_battle_itself(name: str) -> None:
    game = registry.game(name)
    case = last_battle(game).case
    once = game.mirrored("battle", case)
    assert once.case != case
    assert game.mirrored("battle", once.case) == (case, once.sides)
    assert len(set(once.sides)) == 2


@pytest.mark.parametrize("name", TWO_SIDED)
def test_a_mirrored_battle_is_played_by_the_same_armies(name: str) -> None:
    game = registry.game(name)
    ask = last_battle(game)
    played = game.player("battle", ask, mirrored=True)("mirror/0")
    assert played.counted.keys() == game.player("battle", ask)("mirror/0").counted.keys()


def test_who_starts_by_the_scene_comes_second_in_the_mirror() -> None:
    game = registry.game("size-skirmish")
    ask = last_battle(game)
    scene = ask.case.scene
    sides = [side.id for side in scene.sides]
    case = msgspec.structs.replace(ask.case, scene=msgspec.structs.replace(scene, starting=sides[0], turn=sides[0]))
    mirrored = game.mirrored("battle", case).case.scene
    assert (mirrored.starting, mirrored.turn) == (sides[1], sides[1])
    board = scene.board
    for before, after in zip(scene.models, mirrored.models, strict=True):
        if before.at is not None and before.npc is None:
            assert after.at == pytest.approx((board.width - before.at[0], board.depth - before.at[1]))
            assert after.facing == (-before.facing[0], -before.facing[1])


def test_dice_of_a_side_are_the_other_side_s_in_the_mirror() -> None:
    dice, mirror = SeededDice("7/0"), MirroredDice("7/0", ("red", "blue"))
    for label, other in (
        ("red: order", "blue: order"),
        ("initiative of blue", "initiative of red"),
        ("ann: hit", "ann: hit"),
        ("redder: order", "redder: order"),
    ):
        assert [mirror.face(D6, label, index, 1) for index in range(20)] == [
            dice.face(D6, other, index, 1) for index in range(20)
        ]


def test_a_combat_against_hostiles_has_no_mirror() -> None:
    game = registry.game("blackstone-fortress")
    with pytest.raises(Faults) as faults:
        game.mirrored("battle", last_battle(game).case)
    assert [(fault.pointer, fault.code) for fault in faults.value.faults] == [("/mirror", "no-mirror")]
