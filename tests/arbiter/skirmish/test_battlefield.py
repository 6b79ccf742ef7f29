"""The battlefield: who is in play, who is against whom, names, and new battlefields from old ones."""

import pytest
from msgspec.structs import replace

from arbiter.fault import Faults
from arbiter.skirmish.sight import observe
from tests.arbiter.skirmish.arena import BOOK, GROUND, Arena, Book, Pawn, Scene, arena

ANN, ROB = Pawn("ann", "red"), Pawn("rob", "red")
BOB, OUT = Pawn("bob", "blue"), Pawn("eve", "blue", lives=0)
WOLF = Pawn("fang", "red", "wolf")
FIELD = arena(BOB, ANN, OUT, ROB, WOLF)


def ids(pawns: tuple[Pawn, ...]) -> list[str]:
    return [pawn.id for pawn in pawns]


def test_units_are_those_in_play_in_the_order_of_the_scene() -> None:
    assert ids(FIELD.units) == ["bob", "ann", "rob", "fang"]
    assert FIELD.unit("eve") is OUT


def test_enemies_and_friends_are_in_play_and_as_the_game_has_them() -> None:
    assert (ids(FIELD.enemies(ANN)), ids(FIELD.friends(ANN))) == (["bob", "fang"], ["rob"])
    assert (ids(FIELD.enemies(BOB)), ids(FIELD.friends(BOB))) == (["ann", "rob", "fang"], [])
    assert (ids(FIELD.enemies(WOLF)), ids(FIELD.friends(WOLF))) == (["bob", "ann", "rob"], [])


def test_a_name_is_that_of_the_card_with_the_id() -> None:
    assert FIELD.name("fang") == FIELD.name(WOLF) == "Wolf (fang)"
    assert f"{FIELD.names(('ann', 'eve'))}" == "Squire (ann) and Squire (eve)"
    # A unit that has changed is named by what it is now.
    assert FIELD.name(replace(ANN, card="wolf")) == "Wolf (ann)"


def test_changed_units_take_the_places_of_those_of_their_id() -> None:
    hurt = replace(ANN, lives=0)
    after = FIELD.put(hurt)
    assert (ids(after.units), after.unit("ann")) == (["bob", "rob", "fang"], hurt)
    assert after.scene.pawns == (BOB, hurt, OUT, ROB, WOLF)
    assert FIELD.unit("ann") is ANN
    assert (after.ground, after.book) == (GROUND, BOOK)


def test_changed_fields_of_the_scene_bring_their_units_along() -> None:
    after = FIELD.with_(pawns=(ROB,), turn="blue")
    assert (ids(after.units), list(after.by_id), after.scene.turn) == (["rob"], ["rob"], "blue")


def test_battlefields_are_equal_when_their_scenes_are_on_one_ground_with_one_book() -> None:
    assert FIELD.put(ANN) == FIELD
    assert hash(FIELD) == hash(FIELD.put(ANN))
    assert len({FIELD, FIELD.put(), FIELD.put(replace(ANN, lives=2))}) == 2
    scene = Scene(FIELD.scene.pawns)
    assert Arena.of(object(), BOOK, scene) != FIELD
    assert Arena.of(GROUND, Book(BOOK.cards), scene) != FIELD
    assert scene != FIELD


def test_an_observer_looks_at_its_enemies_or_at_whom_it_is_told_and_not_at_itself() -> None:
    assert observe(FIELD, "ann", (), "no") == ("bob", "fang")
    assert observe(FIELD, "ann", ("rob", "bob"), "no") == ("rob", "bob")
    with pytest.raises(Faults) as caught:
        observe(FIELD, "ann", ("rob", "ann"), "no mirrors")
    assert [(fault.pointer, fault.message) for fault in caught.value.faults] == [("/case/targets/1", "no mirrors")]
