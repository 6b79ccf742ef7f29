"""Damage: what layers take in against a second count of it, death, and what comes back."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.warleague.profiles import LayerModifier
from services.warleague.rules import damage, layers, recovery
from services.warleague.rules.happenings import Blow, Loss
from tests.services.warleague.field import ask, field_of, scene, table, unit, with_unit

LAYERS = ("energy-shield", "armor-upgrade", "armor", "health")

amounts = st.integers(0, 30)
lefts = st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 6), st.integers(1, 8))


def target(left: tuple[int, int, int, int], threshold: int = 0) -> Any:
    """Give a scene with one critter that has so much of each layer."""
    shield, upgrade, armor, health = left
    items = [
        {"id": "s", "kind": "energy-shield", "level": 6, "regenerates": 1},
        {"id": "u", "kind": "armor-upgrade", "armor": 6, "threshold": threshold},
    ]
    card = {"id": "beast", "role": "critter", "ap": 4, "health": 8, "armor": 6, "slots": 2}
    slots = [{"item": "s", "left": shield}] + ([{"item": "u", "left": upgrade}] if upgrade else [])
    beast = unit("bob", [1, 1], "blue", "beast", slots=slots, armor_lost=6 - armor, health_lost=8 - health)
    return {"sides": [{"id": "blue"}], "units": [beast], "profiles": {"units": [card], "items": items}}


def taken(losses: tuple[Loss, ...]) -> dict[str, int]:
    return {layer: sum(loss.points for loss in losses if loss.layer == layer) for layer in LAYERS}


@given(amounts, lefts)
@settings(deadline=None)
def test_damage_dealt_is_damage_absorbed_and_what_is_over(amount: int, left: tuple[int, int, int, int]) -> None:
    """Layer by layer from the outside, each takes what it has, and the rest goes on."""
    dealt = layers.absorb(table(), field_of(target(left)), "bob", Blow(amount, "it"))
    assert sum(loss.points for loss in dealt.losses) + dealt.left == amount
    rest = amount
    for layer, has in zip(LAYERS, left, strict=True):
        assert taken(dealt.losses)[layer] == min(rest, has)
        rest -= min(rest, has)
    assert dealt.left == rest


@given(amounts, lefts, st.sets(st.sampled_from(LAYERS)), st.booleans())
@settings(deadline=None)
def test_what_is_passed_takes_nothing_in(
    amount: int, left: tuple[int, int, int, int], bypasses: set[Any], melee: bool
) -> None:
    blow = Blow(amount, "it", melee=melee, bypasses=tuple(sorted(bypasses)))
    dealt = layers.absorb(table(), field_of(target(left)), "bob", blow)
    passed = bypasses | ({"energy-shield"} if melee else set())
    assert all(not taken(dealt.losses)[layer] for layer in passed)
    open_ = sum(has for layer, has in zip(LAYERS, left, strict=True) if layer not in passed)
    assert sum(taken(dealt.losses).values()) == min(amount, open_)


@given(
    amounts,
    lefts,
    st.dictionaries(st.sampled_from(LAYERS), st.integers(-4, 4)),
    st.sampled_from(["base-first", "bonus-first", "carried"]),
    st.sampled_from(["gone", "layer-alone"]),
)
@settings(deadline=None)
def test_bonuses_and_penalties_count_at_their_own_layer(
    amount: int, left: tuple[int, int, int, int], steps: dict[Any, int], bonus: str, penalty: str
) -> None:
    """A second count, point by point: which of the points at hand each point of a layer meets."""
    blow = Blow(amount, "it", against=tuple(LayerModifier(layer, step) for layer, step in steps.items()))
    dealt = layers.absorb(table(layer_bonus=bonus, layer_penalty=penalty), field_of(target(left)), "bob", blow)
    points, expected = ["base"] * amount, dict.fromkeys(LAYERS, 0)
    for layer, has in zip(LAYERS, left, strict=True):
        if not points or not has:
            continue
        step = steps.get(layer, 0)
        off, points = points[: max(0, -step)], points[max(0, -step) :]
        added = ["bonus"] * max(0, step)
        points = added + points if bonus == "bonus-first" else points + added
        while points and expected[layer] < has:
            points.pop(0)
            expected[layer] += 1
        if bonus != "carried":
            points = [point for point in points if point == "base"]
        if penalty == "layer-alone" and expected[layer] == has:
            points += off
    assert taken(dealt.losses) == expected
    assert dealt.left == len(points)


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 4)), min_size=1, max_size=5),
    st.integers(1, 20),
    st.integers(1, 6),
)
@settings(deadline=None)
def test_an_attack_never_does_more_than_its_damage_and_its_bonus(
    many: list[tuple[int, int]], amount: int, bonus: int
) -> None:
    """However many units share a tile, of damage with one bonus they lose no more than both together."""
    card = {"id": "beast", "role": "critter", "ap": 4, "health": 8, "armor": 6}
    units = [
        unit(f"u{index}", [1, 1], "blue", "beast", health_lost=8 - health, armor_lost=6 - armor)
        for index, (armor, health) in enumerate(many)
    ]
    posted = {"sides": [{"id": "blue"}], "units": units, "shared_tiles": True, "profiles": {"units": [card]}}
    blow = Blow(amount, "it", against=(LayerModifier("armor", bonus),))
    for option, most in (("base-first", amount + bonus), ("bonus-first", amount + bonus), ("carried", amount + bonus)):
        dealt = damage.on_units(table(layer_bonus=option), field_of(posted), [each["id"] for each in units], blow)
        assert sum(loss.points for loss in dealt.losses) <= most
        # What was left of the damage itself is used up before anybody survives.
        assert not dealt.left or all(each.dead for each in dealt.field.scene.units)


@given(st.integers(1, 12), st.integers(0, 5), st.integers(1, 6))
@settings(deadline=None)
def test_an_upgrade_is_there_at_or_above_its_threshold_or_not_at_all(amount: int, threshold: int, has: int) -> None:
    for at in ("below", "at"):
        for last in ("whole", "to-threshold"):
            field = field_of(target((0, has, 6, 8), min(threshold, has)))
            dealt = layers.absorb(table(upgrade_threshold=at, upgrade_last_hit=last), field, "bob", Blow(amount, "it"))
            kept = [item.left for item in dealt.field.unit("bob").slots if item.item == "u"]
            least = min(threshold, has)
            assert all(left and (left > least or (at == "below" and left == least)) for left in kept)
            assert sum(loss.points for loss in dealt.losses) + dealt.left == amount
            if last == "whole":
                assert taken(dealt.losses)["armor-upgrade"] == min(amount, has)


def test_a_broken_suit_no_longer_changes_its_bearer() -> None:
    field = field_of(with_unit("bob", slots=[{"item": "bulwark-suit"}]))
    assert field.full("bob", "ap") == 4
    assert layers.absorb(table(), field, "bob", Blow(5, "it")).field.full("bob", "ap") == 5


def test_what_an_upgrade_added_is_gone_with_it() -> None:
    """A suit that adds 2 health and 1 AP breaks: no more is lost or at hand than there is."""
    suit = {
        "id": "suit",
        "kind": "armor-upgrade",
        "armor": 1,
        "changes": [{"stat": "health", "step": 2}, {"stat": "ap", "step": 1}],
    }
    posted = with_unit("bob", slots=[{"item": "suit"}], health_lost=8, ap=6)
    field = field_of({**posted, "profiles": {"items": [suit]}})
    after = layers.absorb(table(), field, "bob", Blow(1, "it")).field.unit("bob")
    assert (after.health_lost, after.ap, after.slots) == (7, 5, ())


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 6)), min_size=1, max_size=4), amounts)
@settings(deadline=None)
def test_several_on_a_tile_share_one_damage_the_weakest_first(many: list[tuple[int, int]], amount: int) -> None:
    card = {"id": "beast", "role": "critter", "ap": 4, "health": 8, "armor": 6}
    units = [
        unit(f"u{index}", [1, 1], "blue", "beast", health_lost=8 - health, armor_lost=6 - armor)
        for index, (health, armor) in enumerate(many)
    ]
    posted = {"sides": [{"id": "blue"}], "units": units, "shared_tiles": True, "profiles": {"units": [card]}}
    dealt = damage.on_units(table(), field_of(posted), [each["id"] for each in units], Blow(amount, "it"))
    assert sum(loss.points for loss in dealt.losses) + dealt.left == amount
    rest, expected = amount, {}
    for strength, index in sorted((sum(each), index) for index, each in enumerate(many)):
        expected[f"u{index}"] = min(rest, strength)
        rest -= expected[f"u{index}"]
    lost = {each["id"]: sum(loss.points for loss in dealt.losses if loss.unit == each["id"]) for each in units}
    assert lost == expected
    dead = {loss.unit for loss in dealt.losses if loss.died}
    assert dead == {id_ for index, (id_, points) in enumerate(sorted(expected.items())) if points == sum(many[index])}
    assert dead == {each.id for each in dealt.field.scene.units if each.dead}


# Recovery


@pytest.mark.parametrize(
    ("left", "options", "expected"),
    [
        (0, {}, 2),
        (1, {}, 3),
        (3, {}, 4),
        (4, {}, 4),
        (1, {"shield_recovery": "full"}, 4),
        (0, {"shield_empty": "no"}, 0),
        (1, {"shield_empty": "no"}, 3),
    ],
)
def test_shields_recover_up_to_their_level(left: int, options: dict[str, str], expected: int) -> None:
    field = field_of(with_unit("bob", slots=[{"item": "tower-shield", "left": left}]))
    after = recovery.shields(table(**options), field, "bob")
    (item,) = after.unit("bob").slots
    assert layers.level(after.book.items["tower-shield"], item) == expected


def test_a_shield_in_the_inventory_recovers_where_it_protects() -> None:
    field = field_of(with_unit("bob", inventory=[{"item": "small-shield", "left": 0}]))
    assert recovery.shields(table(), field, "bob") == field
    after = recovery.shields(table(equipment_where="anywhere"), field, "bob")
    assert after.unit("bob").inventory[0].left == 1


@given(st.integers(0, 7), st.integers(0, 9))
@settings(deadline=None)
def test_no_more_comes_back_than_was_lost(lost: int, points: int) -> None:
    field = field_of(with_unit("bob", health_lost=min(lost, 6), armor_lost=min(lost, 2)))
    healed, repaired = recovery.healed(table(), field, "bob", points), recovery.repaired(table(), field, "bob", points)
    assert healed.unit("bob").health_lost == max(0, min(lost, 6) - points)
    assert repaired.unit("bob").armor_lost == max(0, min(lost, 2) - points)
    assert healed.unit("bob").armor_lost == repaired.unit("bob").armor_lost + min(points, min(lost, 2))


# The question


@pytest.mark.parametrize(
    ("case", "where"),
    [
        ({}, "/case/unit"),
        ({"unit": "bob", "tile": [4, 2]}, "/case/unit"),
        ({"unit": "nobody"}, "/case/unit"),
        ({"tile": [0, 0]}, "/case/tile"),
        ({"tile": [12, 0]}, "/case/tile"),
        ({"unit": "bob", "weapon": "spoon"}, "/case/weapon"),
        ({"unit": "bob", "by": "nobody"}, "/case/by"),
    ],
)
def test_what_cannot_be_hurt_is_refused_at_its_place(case: dict[str, Any], where: str) -> None:
    with pytest.raises(Faults) as caught:
        ask("damage", {"scene": scene(), "amount": 1, **case})
    assert [fault.pointer for fault in caught.value.faults] == [where]


def test_no_damage_hurts_nobody() -> None:
    ruling = ask("damage", {"scene": scene(), "amount": 0, "unit": "bob"})
    assert ruling.answer is not None
    assert ruling.answer.losses == ()
    assert not ruling.effects.patch


def test_a_ruling_says_in_numbers_what_each_layer_takes_off() -> None:
    """A shot of 3 on the 2 armor of bob: 2 off by armor, 1 by health. Of 14, 5 are left over after 2 and 7."""
    rolls = {}
    for amount in (3, 14):
        (roll,) = ask("damage", {"scene": scene(), "unit": "bob", "amount": amount}).rolls
        rolls[amount] = (roll.label, {each.id: each.value for each in roll.modifiers}, roll.total, roll.outcome)
    assert rolls == {
        3: ("bob: damage", {"damage": 3, "armor": -2, "health": -1}, 0, "3 damage"),
        14: ("bob: damage", {"damage": 14, "armor": -2, "health": -7}, 5, "9 damage"),
    }
