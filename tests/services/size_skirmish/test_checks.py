"""Scenes that cannot be: each fault at its place, and the limits up to which a scene is sound."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arbiter.fault import Faults
from services.size_skirmish.checks import checked, checked_case, on_battlefield
from services.size_skirmish.scene import Scene
from tests.services.size_skirmish.field import CARDS, SCENE, ask, box, carded, field_of, scene, walled, with_model

GONE = {"at": None, "out": "eliminated"}

WEAPON: dict[str, Any] = {"id": "thing", "kind": "melee", "attack_dice": 1, "reach": 1}
BOW: dict[str, Any] = {"id": "thing", "kind": "ranged", "attack_dice": 1, "bands": [{"up_to": 6}]}
CARD: dict[str, Any] = {"id": "card", "size": "M", "movement": 5, "hit_points": 1}
TOWER = box("tower", 9, 9, 11, 11, height=4, climbable=True)
BLOCK = box("block", 9, 9, 11, 11, height=4)


def faults(posted: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(Faults) as caught:
        checked(msgspec.convert(posted, Scene))
    assert all(fault.message and fault.expected for fault in caught.value.faults)
    return {fault.pointer.removeprefix("/case/scene"): fault.code for fault in caught.value.faults}


def high(posted: dict[str, Any], id_: str, height: float) -> dict[str, Any]:
    for model in posted["models"]:
        if model["id"] == id_:
            model["height_above"] = height
    return posted


@pytest.mark.parametrize(
    ("posted", "where", "code"),
    [
        (with_model("ada", side="green"), "/models/0/side", "unknown-side"),
        (with_model("ada", profile="ghost"), "/models/0/profile", "unknown-profile"),
        (with_model("ada", facing=[0, 0]), "/models/0/facing", "facing"),
        (with_model("ada", hit_points_lost=4), "/models/0/hit_points_lost", "hit-points"),
        (with_model("ada", hit_points_lost=3), "/models/0/hit_points_lost", "no-hit-points"),
        (with_model("ada", losses_restored=1), "/models/0/losses_restored", "hit-points"),
        (with_model("ada", in_hand="club"), "/models/0/in_hand", "unknown-weapon"),
        (with_model("ada", unloaded=["club"]), "/models/0/unloaded/0", "unknown-weapon"),
        (with_model("ada", unloaded=["blade"]), "/models/0/unloaded/0", "reload"),
        (with_model("ada", unloaded=["bow", "bow"]), "/models/0/unloaded/1", "repeated-id"),
        (with_model("ada", out="fled"), "/models/0/at", "out"),
        (with_model("ada", fleeing={"direction": [0, 0]}), "/models/0/fleeing/direction", "direction"),
        (with_model("ada", fleeing={"direction": [0, 1], "cause": "zoe"}), "/models/0/fleeing/cause", "unknown-model"),
        (with_model("ada", fleeing={"direction": [0, 1], "cause": "ada"}), "/models/0/fleeing/cause", "unknown-model"),
        (with_model("ada", npc="active"), "/models/0/npc", "npc"),
        (with_model("ada", actions=["move"]), "/models/0/actions", "npc"),
        (with_model("nan", npc=None), "/models/4/npc", "npc"),
        (with_model("nan", actions=["fly"]), "/models/4/actions/0", "unknown-action"),
        (carded(npc_actions={"id": "strike"}), "/profiles/npc_actions/0/id", "repeated-id"),
        (carded(npc_actions={"id": "march"}), "/profiles/npc_actions/0/id", "repeated-id"),
        (with_model("ada", at=[0.494, 10]), "/models/0/at", "off-the-table"),
        (with_model("ada", at=[19.1, 10]), "/models/1/at", "figures-overlap"),
        (with_model("ada", height_above=1), "/models/0/height_above", "height-above"),
        (walled(BLOCK), "/models/0/at", "in-impassable"),
        (walled(TOWER), "/models/0/height_above", "in-impassable"),
        (high(walled(TOWER), "ada", 3.999), "/models/0/height_above", "in-impassable"),
        (high(walled(TOWER), "ada", 4.001), "/models/0/height_above", "height-above"),
        (high(walled(BLOCK), "ada", 4), "/models/0/height_above", "height-above"),
        (scene(sides=[{"id": "red"}, {"id": "blue"}, {"id": "red"}]), "/sides/2/id", "repeated-id"),
        (scene(sides=[{"id": "red"}, {"id": "blue"}, {"id": "npc"}]), "/sides/2/id", "npc"),
        (scene(models=[SCENE["models"][0], {**SCENE["models"][1], "id": "ada"}]), "/models/1/id", "repeated-id"),
        (scene(items=[{"id": "key", "at": [48.5, 1]}]), "/items/0/at", "off-the-table"),
        (scene(items=[{"id": "key", "at": [1, 1]}] * 2), "/items/1/id", "repeated-id"),
        (
            {**with_model("ada", items=["key"]), "items": [{"id": "key", "at": [1, 1]}]},
            "/models/0/items/0",
            "repeated-id",
        ),
        (scene(melees=[{"one": "ada", "other": "zoe"}]), "/melees/0/other", "unknown-model"),
        (scene(melees=[{"one": "ada", "other": "sam"}]), "/melees/0", "one-side"),
        (scene(melees=[{"one": "ada", "other": "bob"}, {"one": "bob", "other": "ada"}]), "/melees/1", "repeated-melee"),
        ({**with_model("ada", **GONE), "melees": [{"one": "ada", "other": "bob"}]}, "/melees/0/one", "not-in-play"),
        (scene(turn="green"), "/turn", "unknown-side"),
        (scene(starting="green"), "/starting", "unknown-side"),
        (scene(scenario_starts="npc"), "/scenario_starts", "unknown-side"),
        (walled(box("a", 40, 0, 49, 3)), "/board/pieces/0/outline/1", "off-the-table"),
        (walled(box("a", 30, 30, 31, 31), box("a", 33, 30, 34, 31)), "/board/pieces/1/id", "same-id"),
        (carded(models={**CARD, "weapons": ["x"]}), "/profiles/models/4/weapons/0", "unknown-weapon"),
        (carded(models={**CARD, "abilities": ["x"]}), "/profiles/models/4/abilities/0", "unknown-ability"),
        (carded(models=CARDS["models"][0]), "/profiles/models/4/id", "repeated-id"),
        (carded(weapons={**WEAPON, "reach": None}), "/profiles/weapons/4/reach", "reach"),
        (carded(weapons={**WEAPON, "reload": "slow"}), "/profiles/weapons/4/reload", "reload"),
        (carded(weapons={**WEAPON, "bands": BOW["bands"]}), "/profiles/weapons/4/bands", "bands"),
        (carded(weapons={**BOW, "reach": 1}), "/profiles/weapons/4/reach", "reach"),
        (carded(weapons={**BOW, "bands": []}), "/profiles/weapons/4/bands", "bands"),
        (carded(weapons={**BOW, "bands": [{"up_to": 6}, {"up_to": 6}]}), "/profiles/weapons/4/bands", "bands"),
    ],
)
def test_what_cannot_be_is_named_at_its_place(posted: dict[str, Any], where: str, code: str) -> None:
    assert (where, code) in faults(posted).items()


@pytest.mark.parametrize(
    "posted",
    [
        SCENE,
        with_model("ada", hit_points_lost=2, in_hand="bow", unloaded=["bow"], items=["key"], statuses=["blocking"]),
        with_model("ada", hit_points_lost=3, **GONE),
        with_model("ada", at=None),
        with_model("ada", at=[0.5, 10]),
        with_model("ada", at=[19, 10]),
        # A touch on a slant: the nearest whole thousandths lie a little in each other.
        with_model("ada", at=[19.293, 9.293]),
        with_model("ada", fleeing={"direction": [0, 1], "cause": "bob"}),
        with_model("nan", npc="active", actions=["strike", "walk"]),
        scene(melees=[{"one": "ada", "other": "bob"}, {"one": "ada", "other": "nan"}], turn="red", starting="blue"),
        # On top of what is climbed, half-way up its side, and above one who stands below.
        high(walled(TOWER), "ada", 4),
        high(walled(box("tower", 10.5, 9, 12, 11, height=4, climbable=True)), "ada", 2.5),
        walled(box("mire", 9, 9, 11, 11, impassable=False)),
        carded(weapons=WEAPON),
        carded(weapons=BOW),
    ],
)
def test_what_can_be_is_a_battlefield(posted: dict[str, Any]) -> None:
    assert field_of(posted).scene == msgspec.convert(posted, Scene)


def test_one_may_stand_above_another() -> None:
    posted = high(walled(box("tower", 10.6, 9, 12, 11, height=4, climbable=True)), "bob", 4)
    posted["models"][1]["at"] = [10.7, 10]
    assert len(field_of(posted).units) == 5
    posted["models"][1]["height_above"] = 1.999
    assert faults(posted)["/models/1/height_above"] == "in-impassable"


def test_every_fault_comes_at_once() -> None:
    posted = {**with_model("ada", hit_points_lost=9, facing=[0, 0]), "turn": "green"}
    assert {"/models/0/hit_points_lost", "/models/0/facing", "/turn"} <= set(faults(posted))


def test_names_of_a_case_are_looked_up() -> None:
    sound = msgspec.convert(SCENE, Scene)
    assert checked_case(sound, ("model", "model", "ada"), ("by", "side", "red")).unit("nan").side == "npc"
    with pytest.raises(Faults) as caught:
        checked_case(sound, ("targets/1", "model", "zoe"), ("item", "item", "key"))
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        ("/case/targets/1", "unknown-model"),
        ("/case/item", "unknown-item"),
    ]
    with pytest.raises(Faults, match="not on the battlefield"):
        on_battlefield(msgspec.convert(with_model("ada", **GONE), Scene), ("model", "ada"))


def test_a_battlefield_knows_who_is_who() -> None:
    field = field_of(with_model("bob", at=None))
    ada, nan = field.unit("ada"), field.unit("nan")
    assert [each.id for each in field.enemies(ada)] == ["ole", "nan"]
    assert [each.id for each in field.enemies(nan)] == ["ada", "ole", "sam"]
    assert [each.id for each in field.friends(ada)] == ["sam"]
    assert [each.id for each in field.of_side("blue")] == ["ole"]
    assert [each.id for each in field.of_side("npc")] == ["nan"]
    assert (field.name(ada.id), field.name("nan")) == ("Guard (ada)", "nan")
    assert (field.side("blue").id, field.after("blue"), field.after("red")) == (
        "blue",
        ("red", "blue"),
        ("blue", "red"),
    )
    assert field.solid(field.unit("ole")).radius == 1000
    assert field.rerolls(ada, "hit")
    assert not field.rerolls(ada, "morale")
    assert field == field.put(ada)
    assert len({field, field.put(), field.put(nan)}) == 1
    assert field != field.changed("ada", hit_points_lost=1)
    assert field.hit_points(replace(ada, hit_points_lost=2)) == 1


def test_the_weapon_in_hand_is_the_first_of_the_card_unless_said() -> None:
    field = field_of(with_model("ada", in_hand="bow"))
    in_hand = [field.weapon(field.unit(id_)) for id_ in ("ada", "bob", "nan")]
    assert [weapon and weapon.id for weapon in in_hand] == ["bow", "blade", None]


def test_melees_join_two_models_until_one_parts() -> None:
    field = field_of().joined("ada", "bob").joined("bob", "ada").joined("ole", "ada")
    assert len(field.scene.melees) == 2
    assert (field.opponents("ada"), field.opponents("bob"), field.opponents("sam")) == (("bob", "ole"), ("ada",), ())
    assert field.parted("bob").opponents("ada") == ("ole",)


def test_an_unknown_side_that_acted_is_reported_with_the_faults_of_the_scene() -> None:
    with pytest.raises(Faults) as caught:
        ask("turn", {"scene": with_model("ada", hit_points_lost=9), "acted": "green"})
    pointers = [fault.pointer for fault in caught.value.faults]
    assert pointers == ["/case/scene/models/0/hit_points_lost", "/case/acted"]
