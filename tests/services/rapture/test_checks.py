"""Scenes that cannot be: each fault at its place, and the limits up to which a scene is sound."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arbiter.fault import Faults
from services.rapture.checks import checked, checked_case, on_battlefield
from services.rapture.scene import Scene, Times, counted, times
from tests.services.rapture.field import SCENE, box, field_of, scene, unit, walled, with_unit

GONE = {"models": [], "disabled": "casualty"}

CARD: dict[str, Any] = {"id": "card", "kind": "hero", "ccs": 4, "att": 2, "mov_cm": 10, "hp": [{}]}


def faults(posted: dict[str, Any]) -> dict[str, str]:
    with pytest.raises(Faults) as caught:
        checked(msgspec.convert(posted, Scene))
    assert all(fault.message and fault.expected for fault in caught.value.faults)
    return {fault.pointer.removeprefix("/case/scene"): fault.code for fault in caught.value.faults}


def carded(**changes: Any) -> dict[str, Any]:
    return scene(profiles={"units": [{**CARD, **changes}]})


@pytest.mark.parametrize(
    ("posted", "where", "code"),
    [
        (with_unit("ada", hp_crossed=6), "/units/0/hp_crossed", "boxes"),
        (with_unit("ada", mp_crossed=7), "/units/0/mp_crossed", "boxes"),
        (with_unit("ada", hp_crossed=5), "/units/0/hp_crossed", "no-health"),
        (with_unit("ada", models=[[10, 10], [40, 40]]), "/units/0/models", "models"),
        (with_unit("gus", models=[[60, 10], [61, 10]]), "/units/5/models/1", "figures-overlap"),
        (with_unit("ada", models=[[1, 40]]), "/units/0/models/0", "off-the-table"),
        (with_unit("ada", models=[[12, 10]]), "/units/1/models/0", "figures-overlap"),
        (with_unit("una", leader="bob"), "/units/3/leader", "leader"),
        (with_unit("una", leader=None), "/units/3/leader", "leader"),
        (with_unit("ada", leader="fay"), "/units/0/leader", "leader"),
        (with_unit("una", side="red"), "/units/3/leader", "leader"),
        (with_unit("fay", **GONE), "/units/3/models", "leader-not-in-play"),
        (with_unit("fay", models=[]), "/units/3/models", "leader-not-in-play"),
        (with_unit("ada", disabled="fled"), "/units/0/models", "disabled"),
        (with_unit("ada", disabled_by="blue"), "/units/0/disabled_by", "disabled"),
        (with_unit("ada", ap=4), "/units/0/ap", "points"),
        (with_unit("ada", rp=4), "/units/0/rp", "points"),
        (with_unit("ada", side="green"), "/units/0/side", "unknown-side"),
        (with_unit("ada", profile="ghost"), "/units/0/profile", "unknown-profile"),
        (with_unit("ada", used=[{"id": "fly", "times": 1}]), "/units/0/used/0/id", "unknown-action"),
        (with_unit("ada", used=[{"id": "ranged", "times": 1}] * 2), "/units/0/used", "counted-twice"),
        (with_unit("ada", effects=[{"ability": "x"}]), "/units/0/effects/0/ability", "unknown-ability"),
        (with_unit("ada", statuses=["in-contact"]), "/units/0/statuses/0", "unknown-status"),
        (with_unit("ada", statuses=["escaping"]), "/units/0/statuses/0", "unknown-status"),
        (
            with_unit("una", charges_left=[{"id": "field-dressing", "times": 3}]),
            "/units/3/charges_left/0/times",
            "charges",
        ),
        (scene(active="zoe"), "/active", "unknown-unit"),
        ({**with_unit("ada", activated=True), "active": "ada"}, "/active", "active"),
        (scene(active="ada", turn="blue"), "/active", "active"),
        (scene(active="ada", phase="cleanup"), "/active", "active"),
        (scene(turn="green"), "/turn", "unknown-side"),
        (scene(order=["red"]), "/order", "order"),
        (scene(order=["red", "red"]), "/order", "order"),
        (scene(first_last_round="green"), "/first_last_round", "unknown-side"),
        (scene(objectives=[{"id": "boat", "at": [91, 3]}]), "/objectives/0/at", "off-the-table"),
        (scene(units=[unit("ada", [[9, 9]]), unit("ada", [[20, 9]])]), "/units/1/id", "repeated-id"),
        (scene(sides=[*SCENE["sides"], {"id": "red", "edge": "north"}]), "/sides/2/id", "repeated-id"),
        (
            scene(sides=[{"id": "red", "edge": "west", "mission": "m"}, SCENE["sides"][1]]),
            "/sides/0/mission",
            "unknown-mission",
        ),
        (walled(box("a", 0, 0, 91, 3)), "/board/pieces/0/outline/1", "off-the-table"),
        (walled(box("a", 40, 40, 43, 43), box("a", 50, 40, 53, 43)), "/board/pieces/1/id", "same-id"),
        (carded(models=2), "/profiles/units/0/models", "models"),
        (carded(kind="squad"), "/profiles/units/0/models", "models"),
        (carded(mms=4), "/profiles/units/0/mms", "ranged-weapon"),
        (carded(abilities=["x"]), "/profiles/units/0/abilities/0", "unknown-ability"),
        (carded(hp=[{"ability": "x"}]), "/profiles/units/0/hp/0/ability", "unknown-ability"),
        (carded(apprentices=["x"]), "/profiles/units/0/apprentices/0", "unknown-profile"),
        (
            scene(profiles={"abilities": [{"id": "a", "when": "action", "test": "number"}]}),
            "/profiles/abilities/0/difficulty",
            "difficulty",
        ),
        (
            scene(profiles={"abilities": [{"id": "a", "when": "action", "status": "x"}]}),
            "/profiles/abilities/0/status",
            "unknown-status",
        ),
    ],
)
def test_what_cannot_be_is_named_at_its_place(posted: dict[str, Any], where: str, code: str) -> None:
    assert (where, code) in faults(posted).items()


def test_actions_and_abilities_are_listed_in_the_order_of_the_tables() -> None:
    with pytest.raises(Faults) as caught:
        checked(msgspec.convert(with_unit("ada", used=[{"id": "fly", "times": 1}]), Scene))
    (fault,) = caught.value.faults
    book = field_of().book
    assert fault.expected == f"one of {', '.join((*book.actions, *book.abilities))}"
    assert fault.expected.startswith("one of movement, countershot, close-combat, dodge")


@pytest.mark.parametrize(
    "posted",
    [
        SCENE,
        with_unit("ada", hp_crossed=4, mp_crossed=6, ap=3, rp=3, escaping=True),
        with_unit("una", models=[[30, 70]], escaping=True),
        with_unit("una", models=[]),
        with_unit("gus", models=[[60, 10]]),
        with_unit("ada", hp_crossed=5, **GONE, disabled_by="blue"),
        {**SCENE, "active": "ada", "turn": "red", "order": ["blue", "red"], "first_last_round": "blue"},
        # A touch on a slant: the nearest whole thousandths lie a little in each other.
        with_unit("bob", models=[[12.474, 12.474]]),
        carded(mms=4, range_cm=20, rof=1),
        with_unit("ada", used=[{"id": "ranged", "times": 2}, {"id": "grit", "times": 1}], statuses=["burning"]),
    ],
)
def test_what_can_be_is_a_battlefield(posted: dict[str, Any]) -> None:
    assert field_of(posted).scene == msgspec.convert(posted, Scene)


def test_every_fault_comes_at_once() -> None:
    scene = with_unit("ada", hp_crossed=6, ap=9)
    assert {"/units/0/hp_crossed", "/units/0/ap"} <= set(faults(scene))


def test_names_of_a_case_are_looked_up() -> None:
    sound = msgspec.convert(SCENE, Scene)
    assert checked_case(sound, ("unit", "unit", "ada"), ("by", "side", "red")).player("una") == "blue"
    with pytest.raises(Faults) as caught:
        checked_case(sound, ("targets/1", "unit", "zoe"), ("at", "objective", "boat"))
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        ("/case/targets/1", "unknown-unit"),
        ("/case/at", "unknown-objective"),
    ]
    with pytest.raises(Faults, match="not on the battlefield"):
        on_battlefield(msgspec.convert(with_unit("ada", **GONE), Scene), ("unit", "ada"))


def test_a_battlefield_knows_who_is_who() -> None:
    field = field_of(with_unit("bob", models=[]))
    ada = field.unit("ada")
    assert [each.id for each in field.enemies(ada)] == ["fay", "una", "vic", "gus"]
    assert [each.id for each in field.friends(ada)] == ["rob"]
    assert [each.id for each in field.apprentices("fay")] == ["una", "vic"]
    assert (field.side(ada).edge, field.name("ada")) == ("west", "Lantern Bearer (ada)")
    assert [body.radius for body in field.solids(field.unit("gus"))] == [1250] * 3
    assert field == field.put(ada)
    assert len({field, field.put(), field.put(field.unit("fay"))}) == 1
    assert field != field.put(replace(ada, hp_crossed=1))


def test_counts_add_up() -> None:
    tally = counted(counted((), "ranged"), "movement", 2)
    assert counted(tally, "ranged") == (Times("ranged", 2), Times("movement", 2))
    assert (times(tally, "movement"), times(tally, "dodge")) == (2, 0)


def test_an_apprentice_may_stand_apart_from_its_leader_for_it_may_have_been_saved_there() -> None:
    assert checked(msgspec.convert(with_unit("una", models=[[30, 12.77]]), Scene)).unit("una").models == ((30, 12.77),)
