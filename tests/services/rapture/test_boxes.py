"""Boxes crossed out and restored: values, points at hand, casualties and bands, by hand from the sample cards."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rapture.rules import boxes, escape, prices
from services.rapture.rules.prices import Price
from tests.services.rapture.field import SCENE, ask, field_of, scene, table, walked, with_unit


def values(changes: dict[str, Any], id_: str = "ada", **options: str) -> boxes.Values:
    return boxes.values(table(**options), field_of(with_unit(id_, **changes)), id_)


def test_a_fresh_card_has_its_values() -> None:
    assert values({}) == boxes.Values(4, 4, 3, 3, 2, 2, 4, 12_000, 40_000, 3, 3)
    assert values({}, "bob") == boxes.Values(3, None, 4, 0, 1, 3, 2, 10_000, None, 3, 2)


def test_each_crossed_box_counts_from_its_own_on() -> None:
    """The lantern bearer's third HP takes one ATT, and her fifth would take 2 cm of MOV."""
    assert [values({"hp_crossed": n}).att for n in range(5)] == [3, 3, 3, 2, 2]
    assert [values({"mp_crossed": n}).ini for n in range(7)] == [4, 4, 4, 3, 3, 3, 3]
    assert [values({"mp_crossed": n}).rp for n in range(7)] == [3, 3, 3, 3, 3, 2, 2]


def test_of_one_bar_all_boxes_hold_or_the_latest() -> None:
    """Six HP of the gate breaker: the fourth gives an ATT, the sixth takes a DEF."""
    both = values({"hp_crossed": 6}, "bob")
    assert (both.att, both.def_) == (5, 2)
    latest = values({"hp_crossed": 6, "mp_crossed": 2}, "bob", boxes_add_up="latest")
    assert (latest.att, latest.def_, latest.ccs) == (4, 2, 4)


def test_the_reading_of_several_boxes_is_asked_only_where_several_say_something() -> None:
    at_table = table()
    boxes.values(at_table, field_of(with_unit("bob", hp_crossed=5, mp_crossed=3)), "bob")
    assert "boxes-add-up" not in at_table.read_ids


def test_a_box_sets_its_ability_off() -> None:
    """The last HP of this card but one sets off an ability of one ATT more."""
    card = {
        "id": "stubborn",
        "kind": "hero",
        "ccs": 4,
        "att": 2,
        "mov_cm": 10,
        "def": 1,
        "hp": [{"ability": "last-stand"}, {}],
        "abilities": ["last-stand", "nimble"],
    }
    nimble = {"id": "nimble", "when": "passive", "modifiers": {"tec": 2}}
    one = {"id": "ada", "side": "red", "profile": "stubborn", "models": [[10, 10]], "hp_crossed": 1}
    scene_json = scene(units=[one], profiles={"units": [card], "abilities": [nimble]})
    assert boxes.values(table(), field_of(scene_json), "ada").att == 3
    assert boxes.values(table(box_abilities="once"), field_of(scene_json), "ada").att == 2
    assert boxes.values(table(), field_of(scene_json), "ada").tec == 2


def test_effects_and_ascension_count() -> None:
    assert values({"effects": [{"ability": "steeled"}, {"ability": "watchful"}]}).mms == 3
    assert values({"effects": [{"ability": "watchful"}]}).tec == 4
    assert values({"ascended": True}).tec == 3


def test_nothing_falls_below_zero() -> None:
    card = {
        "id": "frail",
        "kind": "hero",
        "ccs": 4,
        "att": 1,
        "mov_cm": 3,
        "rof": 1,
        "mms": 6,
        "range_cm": 2,
        "rp": 1,
        "hp": [{"att": -3, "mov": -4, "rof": -2, "range": -5, "rp": -2, "def": -1, "mms": 1}, {}],
    }
    one = {"id": "ada", "side": "red", "profile": "frail", "models": [[10, 10]], "hp_crossed": 1}
    now = boxes.values(table(), field_of(scene(units=[one], profiles={"units": [card]})), "ada")
    assert now == boxes.Values(4, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0)


@pytest.mark.parametrize(("wounds", "crossed"), [(0, 0), (1, 1), (4, 4), (-1, 0)])
def test_wounds_cross_out_as_many_boxes(wounds: int, crossed: int) -> None:
    after = boxes.cross_health(table(), field_of(), "ada", wounds, "blue")
    assert (after.unit("ada").hp_crossed, after.unit("ada").disabled) == (crossed, None)


@pytest.mark.parametrize("wounds", [5, 6, 20])
def test_the_last_box_makes_a_casualty(wounds: int) -> None:
    at_table = table()
    field = field_of({**with_unit("ada"), "active": "ada"})
    after = boxes.cross_health(at_table, field, "ada", wounds, "blue")
    ada = after.unit("ada")
    assert (ada.hp_crossed, ada.models, ada.disabled, ada.disabled_by) == (5, (), "casualty", "blue")
    assert [event.name for event in at_table.events] == ["crossed-out", "casualty"]
    assert after.scene.active is None
    assert "ada" not in [unit.id for unit in after.units]
    assert boxes.cross_health(at_table, after, "ada", 1, "red") is after


def test_apprentices_fall_with_their_leader_alone() -> None:
    after = boxes.cross_health(table(), field_of(), "fay", 4, None)
    assert [after.unit(id_).disabled for id_ in ("fay", "una", "vic", "bob")] == ["casualty"] * 3 + [None]
    after = boxes.cross_health(table(), field_of(), "una", 2, None)
    assert [after.unit(id_).disabled for id_ in ("fay", "una", "vic")] == [None, "casualty", None]


def test_who_flees_off_the_battlefield_is_disabled_and_its_apprentices_fall() -> None:
    at_table = table()
    after = boxes.disable(at_table, field_of(), "fay", "fled", None)
    assert [after.unit(id_).disabled for id_ in ("fay", "una", "vic")] == ["fled", "casualty", "casualty"]
    assert [event.name for event in at_table.events] == ["fled", "casualty", "casualty"]


def test_points_at_hand_change_at_once_or_with_the_next_fill() -> None:
    """The fifth MP of the lantern bearer takes an RP of her three."""
    for posted_rp, at_once, next_fill in ((None, 2, 3), (3, 2, 3), (1, 0, 1), (0, 0, 0)):
        for option, expected in (("at-once", at_once), ("next-fill", next_fill)):
            at_table = table(points_boxes=option)
            field = field_of(with_unit("ada", mp_crossed=4, rp=posted_rp))
            after = escape.cross_morale(at_table, field, "ada", 1)
            assert boxes.points(at_table, after, "ada")[1] == expected


def test_the_last_mp_begins_an_escape_only_where_it_says_so() -> None:
    assert not escape.cross_morale(table(), field_of(), "ada", 5).unit("ada").escaping
    assert escape.cross_morale(table(), field_of(), "ada", 6).unit("ada").escaping
    after = escape.cross_morale(table(), field_of(), "bob", 4)
    assert (after.unit("bob").mp_crossed, after.unit("bob").escaping) == (4, False)
    assert escape.cross_morale(table(), after, "bob", 1) is after


def test_restored_boxes_end_their_changes() -> None:
    field = field_of(with_unit("ada", hp_crossed=3, mp_crossed=5, rp=1))
    restored = boxes.restore(table(), field, "ada", "hp", 1)
    assert (restored.unit("ada").hp_crossed, boxes.values(table(), restored, "ada").att) == (2, 3)
    assert boxes.restore(table(), field, "ada", "hp", 9).unit("ada").hp_crossed == 0
    assert boxes.restore(table(), field, "ada", "mp", 1).unit("ada").rp == 2
    fallen = boxes.cross_health(table(), field, "ada", 5, None)
    assert boxes.restore(table(), fallen, "ada", "hp", 1) is fallen


@given(st.integers(0, 4), st.integers(0, 6), st.integers(0, 6), st.sampled_from(["all", "latest"]))
def test_what_is_crossed_out_and_restored_leaves_everything_as_it_was(
    crossed: int, wounds: int, morale: int, add_up: str
) -> None:
    """Points at hand that are not posted come back with their boxes."""
    wounds = min(wounds, 4 - crossed)
    before = field_of(with_unit("ada", hp_crossed=crossed))
    at_table = table(boxes_add_up=add_up)
    after = escape.cross_morale(
        at_table, boxes.cross_health(at_table, before, "ada", wounds, None), "ada", min(morale, 5)
    )
    after = boxes.restore(at_table, boxes.restore(at_table, after, "ada", "hp", wounds), "ada", "mp", min(morale, 5))
    assert after.scene == before.scene


@given(st.integers(0, 3), st.integers(0, 3), st.lists(st.sampled_from(["hit", "heal", "spend"]), max_size=8))
def test_no_healing_gives_back_a_point_that_was_spent(ap: int, rp: int, deeds: list[str]) -> None:
    """The points at hand never exceed those that the card gives now, less all that were spent since the fill."""
    card = {
        "id": "frail",
        "kind": "hero",
        "ccs": 4,
        "att": 1,
        "mov_cm": 9,
        "ap": ap,
        "rp": rp,
        "hp": [{"rp": -1}, {"ap": -1, "rp": -1}, {"rp": -2}, {}],
    }
    one = {"id": "ada", "side": "red", "profile": "frail", "models": [[10, 10]], "ap": ap, "rp": rp}
    field = field_of(scene(units=[one], profiles={"units": [card]}))
    spent = 0
    for deed in deeds:
        if deed == "hit" and boxes.left(field, "ada", "hp") > 1:
            field = boxes.cross_health(table(), field, "ada", 1, None)
        elif deed == "heal":
            field = boxes.restore(table(), field, "ada", "hp", 1)
        elif deed == "spend" and boxes.points(table(), field, "ada")[1]:
            field = prices.spend(table(), field, "ada", Price(rp=1))
            spent += 1
    given_now = rp - sum((1, 1, 2)[: field.unit("ada").hp_crossed])
    assert boxes.points(table(), field, "ada")[1] == max(0, given_now - spent)


def test_rules_of_boxes_walk_over_units_alone() -> None:
    field = field_of()
    ada = field.unit("ada")
    (hurt, chance), *others = walked(boxes.lose_health, field.book, ada, 3).items()
    assert (hurt.hp_crossed, chance, others) == (3, 1, [])
    assert hash(hurt) != hash(ada)


def test_the_question_tells_values_boxes_points_and_who_fell() -> None:
    answer = ask("boxes", {"scene": SCENE, "unit": "fay", "wounds": 4, "by": "red"}).answer
    assert (answer.hp_left, answer.mp_left, answer.disabled) == (0, 5, ("fay", "una", "vic"))
    again = ask("boxes", {"scene": with_unit("ada", hp_crossed=3, mp_crossed=6), "unit": "ada", "mp_back": 2}).answer
    assert (again.values.att, again.values.mov_cm, again.mp_left, again.rp_at_hand) == (2, 12, 2, 3)


@pytest.mark.parametrize(
    ("active", "turn", "falls", "now"),
    [
        ("ada", "red", "ada", "blue"),
        ("bob", "blue", "bob", "red"),
        ("ada", "red", "bob", "red"),
        ("una", "blue", "una", "blue"),
    ],
)
def test_the_turn_goes_on_from_a_unit_that_falls_while_it_is_active(
    active: str, turn: str, falls: str, now: str
) -> None:
    """Of a band the leader may still act when its apprentice has fallen."""
    field = boxes.disable(table(), field_of(scene(active=active, turn=turn)), falls, "casualty", None)
    assert field.scene.turn == now
    assert field.scene.active == (None if active == falls else active)
