"""Scenes that cannot be: each fault at its place, and the limits up to which a scene is sound."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arbiter.fault import Faults
from services.warleague.book import Book
from services.warleague.cardchecks import card_faults
from services.warleague.checks import checked, checked_case
from services.warleague.profiles import Profiles
from services.warleague.scene import Scene
from tests.services.warleague.field import SCENE, field_of, scene, unit, with_unit


def faults(posted: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(Faults) as caught:
        checked(msgspec.convert(posted, Scene))
    assert all(fault.message and fault.expected for fault in caught.value.faults)
    return {fault.pointer.removeprefix("/case/scene"): fault.code for fault in caught.value.faults}


def with_cards(**rows: Any) -> dict[str, Any]:
    return scene(profiles={name: [{"id": "card", **row}] for name, row in rows.items()})


def board(**changes: Any) -> dict[str, Any]:
    return scene(board={**SCENE["board"], **changes})


HERO = {"role": "hero", "ap": 4, "health": 5}

# The board


@pytest.mark.parametrize(
    ("posted", "where", "code"),
    [
        (board(missing=[[12, 0]]), "/board/missing/0", "off-the-board"),
        (board(missing=[[0, 10]]), "/board/missing/0", "off-the-board"),
        (board(difficult=[[5, 8], [12, 8]]), "/board/difficult/1", "off-the-board"),
        (board(killing=[{"at": [5, 10]}]), "/board/killing/0/at", "off-the-board"),
        (board(missing=[[4, 2]]), "/units/1/at", "off-the-board"),
        (
            {"sides": [{"id": "red"}], "board": {"columns": 2, "rows": 1, "missing": [[0, 0], [1, 0]]}},
            "/board/missing",
            "no-board",
        ),
        (with_unit("ann", at=[2, 10]), "/units/0/at", "off-the-board"),
        (scene(obstacles=[{"id": "pillar", "at": [12, 2]}]), "/obstacles/0/at", "off-the-board"),
        (scene(crates=[{"at": [12, 2]}]), "/crates/0/at", "off-the-board"),
        (scene(concealed=[{"at": [12, 2]}]), "/concealed/0/at", "off-the-board"),
        (scene(traps=[{"at": [12, 2], "trap": "snare"}]), "/traps/0/at", "off-the-board"),
        (scene(items=[{"at": [12, 2], "item": "slug-box"}]), "/items/0/at", "off-the-board"),
        (scene(rads=[{"at": [12, 2], "number": 1}]), "/rads/0/at", "off-the-board"),
    ],
)
def test_what_is_off_the_board_is_named(posted: dict[str, Any], where: str, code: str) -> None:
    assert (where, code) in faults(posted).items()


@pytest.mark.parametrize(
    ("posted", "where", "code"),
    [
        (with_unit("ann", at=[5, 2]), "/units/0/at", "no-room"),
        (with_unit("ann", at=[3, 5]), "/units/0/at", "no-room"),
        (with_unit("ann", at=[6, 8]), "/units/0/at", "no-room"),
        (with_unit("ann", at=[4, 2]), "/units/1/at", "tile-shared"),
        (with_unit("ann", at=[2, 3]), "/units/3/at", "tile-shared"),
        ({**with_unit("ann", at=[4, 2]), "shared_tiles": True}, "/units/1/at", "tile-shared"),
        (scene(obstacles=[{"id": "a", "at": [5, 2]}, {"id": "b", "at": [5, 2]}]), "/obstacles/1/at", "no-room"),
        (scene(crates=[{"at": [5, 2]}]), "/crates/0/at", "no-room"),
        (scene(crates=[{"at": [3, 5]}, {"at": [3, 5]}]), "/crates/1/at", "no-room"),
        (scene(concealed=[{"at": [3, 5]}]), "/concealed/0/at", "no-room"),
        (scene(concealed=[{"at": [6, 8]}]), "/concealed/0/at", "no-room"),
        (scene(rads=[{"at": [6, 8], "number": 1}]), "/rads/0/at", "no-room"),
        (scene(items=[{"at": [5, 2], "item": "slug-box"}]), "/items/0/at", "no-room"),
    ],
)
def test_what_has_no_room_is_named(posted: dict[str, Any], where: str, code: str) -> None:
    assert (where, code) in faults(posted).items()


# Units


def hand(weapon: str = "slug-pistol", **rest: Any) -> dict[str, Any]:
    return {"weapon": weapon, **rest}


@pytest.mark.parametrize(
    ("posted", "where", "code"),
    [
        (with_unit("ann", side="green"), "/units/0/side", "unknown-side"),
        (with_unit("ann", profile="ghost"), "/units/0/profile", "unknown-profile"),
        (with_unit("ann", facing=6), "/units/0/facing", "facing"),
        (board(facing=False), "/units/0/facing", "facing"),
        (board(grid="square-4"), None, None),
        ({**board(grid="square-4"), "units": [unit("ann", [2, 2], facing=4)]}, "/units/0/facing", "facing"),
        ({**board(grid="square-8"), "units": [unit("ann", [2, 2], facing=7)]}, None, None),
        (with_unit("ann", ap=7), "/units/0/ap", "counters"),
        (
            with_unit("ann", ap=5, effects=[{"card": "x", "changes": [{"stat": "ap", "step": -2}]}]),
            "/units/0/ap",
            "counters",
        ),
        (with_unit("ann", health_lost=9), "/units/0/health_lost", "counters"),
        (with_unit("ann", armor_lost=5), "/units/0/armor_lost", "counters"),
        (with_unit("dot", health_lost=1), "/units/3/health_lost", "counters"),
        (with_unit("ann", health_lost=8, armor_lost=4), "/units/0/health_lost", "no-health"),
        (with_unit("dot", armor_lost=5), "/units/3/health_lost", "no-health"),
        (with_unit("cid", dead=True), "/units/2/at", "dead-on-board"),
        (with_unit("cid", downed=True), "/units/2/downed", "downed"),
        (with_unit("ann", hands=[hand("laser")]), "/units/0/hands/0/weapon", "unknown-weapon"),
        (with_unit("ann", hands=[hand(), hand("beam-rifle")]), "/units/0/hands", "hands"),
        (with_unit("dot", hands=[hand(), hand()]), "/units/3/hands", "hands"),
        (with_unit("ann", hands=[hand(ammo=5)]), "/units/0/hands/0/ammo", "ammo"),
        (with_unit("ann", hands=[hand("cleaver", ammo=1)]), "/units/0/hands/0/ammo", "ammo"),
        (with_unit("ann", hands=[hand(parries=1)]), "/units/0/hands/0/parries", "parries"),
        (with_unit("ann", spare=[hand("cleaver", parries=1)]), "/units/0/spare/0/parries", "parries"),
        (with_unit("ann", slots=[{"item": "slug-box"}] * 4), "/units/0/slots", "too-many-items"),
        (with_unit("ann", slots=[{"item": "plating", "left": 0}]), "/units/0/slots/0/left", "destroyed"),
        (with_unit("ann", slots=[{"item": "bulwark-suit", "left": 1}]), "/units/0/slots/0/left", "destroyed"),
        (with_unit("ann", slots=[{"item": "bulwark-suit", "left": 2}]), None, None),
        (
            with_unit("ann", inventory=[{"item": "slug-box"}] * 3, spare=[hand()] * 2),
            "/units/0/inventory",
            "too-many-items",
        ),
        (with_unit("ann", slots=[{"item": "gold"}]), "/units/0/slots/0/item", "unknown-item"),
        (with_unit("ann", slots=[{"item": "slug-box", "left": 7}]), "/units/0/slots/0/left", "left"),
        (with_unit("ann", slots=[{"item": "small-shield", "left": 3}]), "/units/0/slots/0/left", "left"),
        (with_unit("ann", slots=[{"item": "plating", "left": 4}]), "/units/0/slots/0/left", "left"),
        (with_unit("ann", inventory=[{"item": "frag-grenade", "left": 1}]), "/units/0/inventory/0/left", "left"),
        (
            with_unit("ann", cooldowns=[{"ability": "fly", "rounds": 1}]),
            "/units/0/cooldowns/0/ability",
            "unknown-ability",
        ),
    ],
)
def test_what_a_unit_cannot_be_is_named(posted: dict[str, Any], where: str | None, code: str | None) -> None:
    if where is None:
        assert field_of(posted).scene == msgspec.convert(posted, Scene)
    else:
        assert (where, code) in faults(posted).items()


# Cards, decks and the round


@pytest.mark.parametrize(
    ("posted", "where", "code"),
    [
        (with_cards(units={"role": "hero", "ap": 4}), "/profiles/units/0/health", "no-layers"),
        (with_cards(units={**HERO, "weapons": ["laser"]}), "/profiles/units/0/weapons/0", "unknown-weapon"),
        (with_cards(units={**HERO, "hands": 1, "weapons": ["maul"]}), "/profiles/units/0/weapons", "hands"),
        (with_cards(units={**HERO, "abilities": ["fly"]}), "/profiles/units/0/abilities/0", "unknown-ability"),
        (with_cards(weapons={"targeting": "melee", "damage": [3, 2]}), "/profiles/weapons/0/damage", "damage"),
        (with_cards(weapons={"targeting": "ranged", "ammo": "slugs"}), "/profiles/weapons/0/magazine", "magazine"),
        (with_cards(weapons={"targeting": "ranged", "magazine": 2}), "/profiles/weapons/0/magazine", "magazine"),
        (
            with_cards(weapons={"targeting": "ranged", "ammo": "slugs", "magazine": 2, "self_powered": True}),
            "/profiles/weapons/0/ammo",
            "self-powered",
        ),
        (
            with_cards(weapons={"targeting": "melee", "abilities": ["x"]}),
            "/profiles/weapons/0/abilities/0",
            "unknown-ability",
        ),
        (with_cards(items={"kind": "ammo", "rounds": 3}), "/profiles/items/0/ammo", "ammo"),
        (with_cards(items={"kind": "repair", "repairs": 1, "ammo": "slugs"}), "/profiles/items/0/ammo", "ammo"),
        (with_cards(items={"kind": "ammo", "ammo": "slugs"}), "/profiles/items/0/rounds", "empty-item"),
        (with_cards(items={"kind": "energy-shield"}), "/profiles/items/0/level", "empty-item"),
        (with_cards(items={"kind": "armor-upgrade"}), "/profiles/items/0/armor", "empty-item"),
        (with_cards(items={"kind": "repair"}), "/profiles/items/0/repairs", "empty-item"),
        (
            with_cards(items={"kind": "armor-upgrade", "armor": 2, "threshold": 3}),
            "/profiles/items/0/threshold",
            "threshold",
        ),
        (with_cards(abilities={"damage": [1]}), "/profiles/abilities/0/method", "method"),
        (with_cards(traps={"damage": [1, 1]}), "/profiles/traps/0/damage", "damage"),
        (scene(profiles={"traps": [{"id": "a"}, {"id": "a"}]}), "/profiles/traps/1/id", "repeated-id"),
        (scene(sides=[{"id": "red"}, {"id": "blue"}, {"id": "wild"}, {"id": "red"}]), "/sides/3/id", "repeated-id"),
        (scene(units=[unit("ann", [1, 1]), unit("ann", [2, 1])]), "/units/1/id", "repeated-id"),
        (scene(obstacles=[{"id": "a", "at": [1, 1]}, {"id": "a", "at": [2, 1]}]), "/obstacles/1/id", "repeated-id"),
        (scene(traps=[{"at": [1, 1], "trap": "bog"}]), "/traps/0/trap", "unknown-trap"),
        (scene(items=[{"at": [1, 1], "item": "gold"}]), "/items/0/item", "unknown-item"),
        (scene(items=[{"at": [1, 1], "item": "slug-box", "left": 7}]), "/items/0/left", "left"),
        (scene(trap_deck={"cards": ["snare", "bog"]}), "/trap_deck/cards/1", "unknown-trap"),
        (scene(trap_deck={"discard": ["slug-box"]}), "/trap_deck/discard/0", "unknown-trap"),
        (scene(loot_deck={"cards": ["slug-box", "snare", "gold"]}), "/loot_deck/cards/2", "unknown-card"),
        (scene(order=["red", "blue"]), "/order", "order"),
        (scene(order=["red", "blue", "blue"]), "/order", "order"),
        (scene(order=["red", "blue", "green"]), "/order", "order"),
        (scene(turn="green"), "/turn", "unknown-side"),
        (scene(active="zoe"), "/active", "unknown-unit"),
        (scene(active="ann", turn="blue"), "/active", "active"),
        (scene(active="ann", phase="update"), "/active", "active"),
        ({**with_unit("ann", acted=True), "active": "ann"}, "/active", "active"),
        ({**with_unit("ann", at=None), "active": "ann"}, "/active", "active"),
    ],
)
def test_what_cannot_be_is_named_at_its_place(posted: dict[str, Any], where: str, code: str) -> None:
    assert (where, code) in faults(posted).items()


@pytest.mark.parametrize(
    "posted",
    [
        SCENE,
        with_unit("ann", ap=6, health_lost=8, armor_lost=3),
        with_unit("ann", health_lost=8, armor_lost=4, downed=True),
        with_unit("cid", at=None, dead=True, health_lost=4),
        with_unit("cid", at=None),
        with_unit("ann", hands=[hand("cleaver", parries=2), hand(ammo=4)], spare=[hand(ammo=0)]),
        with_unit("ann", hands=[]),
        with_unit("ann", slots=[{"item": "small-shield", "left": 0}, {"item": "slug-box", "left": 6}]),
        with_unit("ann", health_lost=9, effects=[{"card": "x", "changes": [{"stat": "health", "step": 2}]}]),
        with_unit("ann", at=[6, 5]),
        {**with_unit("ann", at=[2, 3]), "shared_tiles": True},
        scene(loot_deck={"cards": ["slug-box", "snare"], "shuffled": True}),
        scene(order=["wild", "red", "blue"], turn="red", active="ann"),
        scene(traps=[{"at": [4, 2], "trap": "snare"}], rads=[{"at": [4, 2], "number": 3, "updates": 1}]),
        with_cards(units={**HERO, "weapons": ["cleaver", "cleaver"], "dual": True}),
    ],
)
def test_what_can_be_is_a_battlefield(posted: dict[str, Any]) -> None:
    assert field_of(posted).scene == msgspec.convert(posted, Scene)


def test_more_cards_than_can_lie_together_are_too_many() -> None:
    """What is drawn comes to lie with the discards, so that all together have to fit there."""
    discard = ["snare"] * 997
    assert field_of(scene(trap_deck={"cards": ["snare"] * 3, "discard": discard}))
    full = scene(trap_deck={"cards": ["snare"] * 3, "discard": discard}, traps=[{"at": [0, 0], "trap": "snare"}])
    assert faults(full) == {"/trap_deck": "too-many"}


def test_every_fault_comes_at_once() -> None:
    posted = with_unit("ann", ap=9, facing=7, at=[12, 2])
    assert {"/units/0/ap", "/units/0/facing", "/units/0/at"} <= set(faults(posted))


def test_names_and_tiles_of_a_case_are_looked_up() -> None:
    sound = msgspec.convert(SCENE, Scene)
    assert checked_case(sound, ("unit", "unit", "ann"), ("by", "side", "red"), tiles=[("at", (11, 9))]).scene == sound
    with pytest.raises(Faults) as caught:
        checked_case(sound, ("targets/1", "unit", "zoe"), ("trap", "trap", "bog"), tiles=[("way/0", (0, 10))])
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        ("/case/targets/1", "unknown-unit"),
        ("/case/trap", "unknown-trap"),
        ("/case/way/0", "off-the-board"),
    ]
    absent = msgspec.convert(with_unit("cid", at=None), Scene)
    assert checked_case(absent, ("unit", "unit", "cid"))
    with pytest.raises(Faults, match="not on the board"):
        checked_case(absent, ("unit", "unit", "cid"), playing=True)


def test_the_sample_cards_are_sound() -> None:
    book = Book.of(Profiles())
    rows = (book.units, book.weapons, book.items, book.abilities, book.traps)
    assert not [fault for cards in rows for card in cards.values() for fault in card_faults(card, book, "")]


# The battlefield


def test_a_battlefield_knows_who_is_who() -> None:
    field = field_of(scene(sides=[{"id": "red", "team": "a"}, {"id": "blue", "team": "a"}, {"id": "wild"}]))
    assert [each.id for each in field.enemies(field.unit("ann"))] == ["cid"]
    assert [each.id for each in field.friends(field.unit("ann"))] == ["bob", "dot"]
    assert [each.id for each in field_of().enemies(field_of().unit("ann"))] == ["bob", "cid"]
    assert (field.side("red").team, field.name("ann"), field.player("dot")) == ("a", "Scrapper (ann)", "red")
    assert [each.id for each in field.on((2, 2))] == ["ann"]
    assert field.at("bob") == (4, 2)
    assert field.occupied == {(2, 2), (4, 2), (7, 2), (2, 3)}
    assert field.obstacles == {(5, 2)}
    assert field.crates == {(3, 5)}
    gone = field_of(with_unit("cid", at=None, dead=True))
    assert [each.id for each in gone.units] == ["ann", "bob", "dot"]
    with pytest.raises(LookupError):
        gone.at("cid")


def test_battlefields_are_equal_when_their_scenes_are() -> None:
    field = field_of()
    ann = field.unit("ann")
    assert len({field, field.put(), field.put(ann), field_of()}) == 1
    assert field != field.put(replace(ann, health_lost=1))
    assert field.side_put(replace(field.side("red"), rad=3)).side("red").rad == 3


def test_a_unit_has_what_its_card_its_equipment_and_effects_give() -> None:
    field = field_of()
    assert [hand.weapon for hand in field.hands("ann")] == ["slug-pistol", "slug-pistol"]
    assert (field.full("ann", "ap"), field.full("ann", "health"), field.full("ann", "armor")) == (6, 8, 4)
    # The bulwark suit takes an action point; what is in the inventory does nothing, nor does a stimulant in its slot.
    worn = [{"item": "bulwark-suit"}, {"item": "rush-stimulant"}]
    dressed = field_of(with_unit("ann", slots=worn, hands=[hand("guard-blade")], ap=5))
    assert dressed.full("ann", "ap") == 5
    assert [(each.stat, each.step) for each in dressed.changes("ann")] == [("damage", 1), ("ap", -1)]
    assert field_of(with_unit("ann", inventory=[{"item": "bulwark-suit"}])).full("ann", "ap") == 6
    dazed = field_of(with_unit("dot", effects=[{"card": "x", "changes": [{"stat": "ap", "step": -9}]}]))
    assert dazed.full("dot", "ap") == 0
    # A drone has no health, and nothing gives it any.
    grown = field_of(with_unit("dot", effects=[{"card": "x", "changes": [{"stat": "health", "step": 3}]}]))
    assert grown.full("dot", "health") == 0
    assert field.abilities("ann") == ("hurl",)


def test_a_held_weapon_gives_its_abilities() -> None:
    lance = {"id": "lance", "targeting": "ranged", "abilities": ["dazzle", "hurl"]}
    posted = {**with_unit("ann", hands=[hand("lance")]), "profiles": {"weapons": [lance]}}
    assert field_of(posted).abilities("ann") == ("hurl", "dazzle")
