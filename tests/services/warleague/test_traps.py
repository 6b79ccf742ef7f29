"""Traps and what is hidden, kills and Rad, effects, items and abilities: laws, boundaries, and the update phase."""

from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from services.warleague.checks import checked
from services.warleague.profiles import Change, TrapCard
from services.warleague.rules import abilities, actions, chains, effects, items, kills, points, rad, tile_effects, traps
from services.warleague.rules.abilities import Cast
from services.warleague.rules.happenings import Arrival, Springing
from services.warleague.rules.items import PickUp, Use
from services.warleague.scene import Item
from tests.services.warleague.field import ask, field_of, scene, table, unit, walked, with_unit

# Hidden things


@given(cards=st.lists(st.sampled_from(["spike-pit", "snare", "powder-keg"]), min_size=1, max_size=6))
def test_a_shuffled_deck_gives_each_card_as_often_as_it_is_in_it(cards: list[str]) -> None:
    field = field_of(scene(trap_deck={"cards": cards, "shuffled": True}))
    law = walked(traps.draw, field, (3, 5))
    for (after, card), mass in law.items():
        assert mass * len(cards) == cards.count(card or "")
        assert sorted((*after.scene.trap_deck.cards, card or "")) == sorted(cards)
    assert sum(law.values()) == 1


def test_an_open_deck_gives_its_top_card() -> None:
    after, card = traps.draw(table(), field_of(), (3, 5))
    assert card == "spike-pit"
    assert after.scene.trap_deck.cards == ("powder-keg", "snare")


def test_without_cards_there_is_no_trap_and_no_reading_is_asked_for() -> None:
    at = table()
    field, card = traps.draw(at, field_of(scene(trap_deck={})), (3, 5))
    assert card is None
    assert field == field_of(scene(trap_deck={}))
    assert at.read_ids == {}


def test_a_unit_that_moves_there_sets_off_every_open_trap_of_its_tile() -> None:
    posted = with_unit("ann", at=[3, 4])
    posted["traps"] = [{"at": [3, 4], "trap": "spike-pit"}, {"at": [3, 4], "trap": "snare"}]
    after = chains.resolve(table(), field_of(posted), Arrival("ann", (3, 4), thrown=False)).field
    assert after.scene.traps == ()
    assert (after.unit("ann").armor_lost, points.left(after, "ann")) == (3, 4)
    assert after.scene.trap_deck.discard == ("spike-pit", "snare")


def test_whether_one_stops_where_one_has_revealed_something_is_a_reading() -> None:
    assert not traps.stops(table(), field_of(), "ann")
    assert traps.stops(table(reveal_stops="stops"), field_of(), "ann")


def test_a_trap_sprung_by_itself_works_on_who_is_named() -> None:
    for on, lost in ((("ann",), 3), ((), 0)):
        after = chains.resolve(table(), field_of(), Springing("spike-pit", (2, 2), on)).field
        assert after.unit("ann").armor_lost == lost


# Kills and Rad


def test_whoever_falls_in_its_turn_has_it_no_more() -> None:
    posted = {**with_unit("dot", armor_lost=4), "active": "dot", "turn": "red"}
    after = kills.killed(table(), field_of(posted), "dot", "bob")
    assert after.scene.active is None
    assert after.unit("dot").dead
    assert [(each.at, each.number) for each in after.scene.rads] == [((2, 3), 2)]
    checked(after.scene)


def test_the_dead_and_the_downed_are_not_killed_again() -> None:
    once = kills.killed(table(), field_of(), "cid")
    assert kills.killed(table(), once, "cid") == once
    downed = kills.killed(table(), field_of(), "ann")
    assert downed.unit("ann").downed
    assert kills.killed(table(), downed, "ann") == downed


def test_a_downed_hero_gets_up_with_one_health_where_heroes_recover() -> None:
    posted = with_unit("ann", health_lost=8, armor_lost=4, downed=True)
    assert kills.recovered(table(), field_of(posted), ("ann",)).unit("ann").downed
    up = kills.recovered(table(downed_hero="yes"), field_of(posted), ("ann",))
    assert (up.unit("ann").downed, up.unit("ann").health_lost) == (False, 7)
    checked(up.scene)


@given(updates=st.integers(0, 5))
def test_a_rad_tag_lies_for_two_update_phases(updates: int) -> None:
    field = field_of(scene(rads=[{"at": [1, 1], "number": 4}]))
    for _ in range(updates):
        field = rad.turned(table(), field)
    assert len(field.scene.rads) == (updates < 2)


# Effects

STEPS = st.integers(-12, 12)


@given(
    step=STEPS,
    stat=st.sampled_from(["ap", "health", "armor"]),
    lasts=st.integers(1, 3),
    ap=st.none() | st.integers(0, 6),
    health=st.integers(0, 7),
    armor=st.integers(0, 4),
)
def test_an_effect_leaves_a_possible_unit_and_ends_after_its_rounds(
    step: int, stat: Any, lasts: int, ap: int | None, health: int, armor: int
) -> None:
    field = field_of(with_unit("ann", ap=ap, health_lost=health, armor_lost=armor))
    card = TrapCard("test", changes=(Change(stat, step),), lasts=lasts)
    now = traps.changed(table(), field, card, "ann")
    checked(now.scene)  # raises Faults where counters are beyond what is left
    for left in range(lasts, 0, -1):
        assert [effect.rounds for effect in now.unit("ann").effects] == [left]
        now = effects.moved_on(table(), now)
        checked(now.scene)
    ann, before = now.unit("ann"), field.unit("ann")
    assert ann.effects == ()
    if step > 0:
        assert (ann.ap, ann.health_lost, ann.armor_lost) == (ap, before.health_lost, before.armor_lost)


def test_an_effect_for_good_stays_and_a_cooldown_runs_out() -> None:
    posted = with_unit("ann", cooldowns=[{"ability": "hurl", "rounds": 2}])
    field = traps.changed(table(), field_of(posted), TrapCard("test", changes=(Change("ap", -1),)), "ann")
    for cooldowns in ([1], [], []):
        field = effects.moved_on(table(), field)
        assert [each.rounds for each in field.unit("ann").cooldowns] == cooldowns
        assert [each.rounds for each in field.unit("ann").effects] == [None]


def test_an_effect_that_ends_can_be_the_end_of_who_lived_by_it() -> None:
    """Four health, two more for a round, five of them lost: when the round is over there is nothing left."""
    effect = {"card": "vigour", "changes": [{"stat": "health", "step": 2}], "rounds": 1}
    after = effects.moved_on(table(), field_of(with_unit("cid", health_lost=5, effects=[effect])))
    assert after.unit("cid").dead


# Items


def lying(*at: list[int], **changes: Any) -> dict[str, Any]:
    return scene(items=[{"at": each, "item": "slug-box", "left": 4} for each in at], **changes)


def test_who_picks_up_stands_there_and_has_room() -> None:
    field = field_of(lying([2, 2], [4, 2]))
    assert actions.violations(table(), field, PickUp("ann", 0)) == ()
    assert [each.rule for each in actions.violations(table(), field, PickUp("ann", 1))] == ["items.beyond_reach"]
    full = replace(field.unit("ann"), inventory=(Item("plating"),) * 4)
    assert len(actions.violations(table(), field.put(full), PickUp("ann", 0))) == 1


@pytest.mark.parametrize(("price", "left"), [("free", 6), ("point", 5)])
def test_what_is_picked_up_is_paid_by_the_reading_and_keeps_what_is_left_of_it(price: str, left: int) -> None:
    after = items.picked_up(table(pick_up=price), field_of(lying([2, 2], [4, 2])), PickUp("ann", 0))
    assert after.unit("ann").inventory == (Item("slug-box", 4),)
    assert [each.at for each in after.scene.items] == [(4, 2)]
    assert points.left(after, "ann") == left


def test_picking_up_for_a_point_needs_one() -> None:
    posted = {**with_unit("ann", ap=0), "items": [{"at": [2, 2], "item": "slug-box"}]}
    at = table(pick_up="point")
    assert [each.rule for each in actions.violations(at, field_of(posted), PickUp("ann", 0))] == ["points.violations"]


SUPPLIES = st.lists(
    st.sampled_from(["healing-stimulant", "nano-repair-droids", "frag-grenade", "slug-box", "plating", "blast-ram"]),
    max_size=3,
)


@given(slots=SUPPLIES, ap=st.integers(0, 6), readings=st.sampled_from(["yes", "no"]))
def test_every_use_that_is_listed_is_allowed_and_leaves_a_possible_scene(
    slots: list[str], ap: int, readings: str
) -> None:
    field = field_of(with_unit("ann", slots=[{"item": item} for item in slots], ap=ap))
    for use in islice(items.uses(table(), field, "ann"), 12):
        assert items.violations(table(), field, use) == ()
        after = tile_effects.use_item(table(used_up=readings), field, use)
        checked(after.scene)
        assert points.left(after, "ann") == ap - items.price(table(), field, use)
        used = slots[use.item]
        kept = [item.item for item in after.unit("ann").slots].count(used)
        assert kept == slots.count(used) - (readings == "yes")


def test_a_grenade_is_listed_for_each_tile_that_it_reaches() -> None:
    """On an open board of hexes a range of 4 takes in 1 + 6 + 12 + 18 + 24 tiles, and no enemy has to be there."""
    posted = scene(obstacles=[], board={"columns": 20, "rows": 20})
    posted["units"] = [unit("ann", [9, 9], slots=[{"item": "frag-grenade"}])]
    uses = tuple(items.uses(table(), field_of(posted), "ann"))
    assert len(uses) == 61
    assert uses[0].to is not None
    assert not tuple(items.uses(table(thrown_at_tile="no"), field_of(posted), "ann"))


# Abilities


@given(ap=st.integers(0, 6), rounds=st.integers(0, 2), at=st.sampled_from([[3, 2], [4, 2], [3, 1]]))
def test_every_cast_that_is_listed_is_allowed_and_no_other_is(ap: int, rounds: int, at: list[int]) -> None:
    """Hurl takes 2 AP, rests for a round after its use, and reaches who stands beside ann: dot does, bob perhaps."""
    posted = with_unit("ann", ap=ap, cooldowns=[{"ability": "hurl", "rounds": rounds}] * bool(rounds))
    posted["units"][1]["at"] = at
    field = field_of(posted)
    near = [(column, row) for column, row in ([2, 3], at) if field.ground.adjacent((2, 2), (column, row))]
    found = tuple(abilities.casts(table(), field, "ann"))
    expected = near if ap >= 2 and not rounds else []
    assert {cast.to for cast in found} == set(expected)
    for cast in found:
        after = abilities.use(table(), field, cast)
        checked(after.scene)
        assert points.left(after, "ann") == ap - 2
        assert abilities.violations(table(), after, cast) != ()


def test_an_ability_of_a_weapon_is_had_while_the_weapon_is_in_a_hand() -> None:
    field = field_of(with_unit("bob", hands=[{"weapon": "phase-lance"}]))
    cast = Cast("bob", "dazzle", (2, 2))
    assert abilities.violations(table(), field, cast) == ()
    assert len(abilities.violations(table(), field_of(), cast)) == 1


@pytest.mark.parametrize(
    ("question", "case", "where", "code"),
    [
        ("use-item", {"unit": "ann", "item": 0}, "/case/item", "no-item"),
        ("use-item", {"unit": "dot", "item": 3}, "/case/item", "no-item"),
        ("ability", {"unit": "ann", "ability": "hurl", "to": [3, 2], "target": "bob"}, "/case/to", "two-places"),
        ("ability", {"unit": "ann", "ability": "nothing"}, "/case/ability", "unknown-ability"),
        ("ability", {"unit": "ann", "ability": "hurl", "to": [30, 2]}, "/case/to", "off-the-board"),
        ("reveal", {"at": [1, 1]}, "/case/at", "nothing-hidden"),
        ("reveal", {"at": [40, 1]}, "/case/at", "off-the-board"),
    ],
)
def test_impossible_cases_are_faults(question: str, case: dict[str, Any], where: str, code: str) -> None:
    with pytest.raises(Faults) as caught:
        ask(question, {"scene": scene(), **case})
    assert (where, code) in [(fault.pointer, fault.code) for fault in caught.value.faults]


def test_a_grenade_needs_a_target_and_a_tile_room_for_the_unit_that_enters_it() -> None:
    with pytest.raises(Faults, match="a grenade needs a target or a tile"):
        ask("use-item", {"scene": with_unit("ann", slots=[{"item": "frag-grenade"}]), "unit": "ann", "item": 0})
    posted = {**scene(), "concealed": [{"at": [4, 2]}]}
    with pytest.raises(Faults, match="bob stands there"):
        ask("reveal", {"scene": posted, "at": [4, 2], "unit": "ann"})


def test_a_recovery_item_that_says_how_others_are_reached_is_for_them_too() -> None:
    spray = {"id": "spray", "kind": "stimulant", "heals": 2, "method": "direct", "range": 1}
    posted = {**with_unit("bob", at=[3, 2], health_lost=3), "profiles": {"items": [spray]}}
    posted["units"][0]["slots"] = [{"item": "spray"}]
    field = field_of(posted)
    use = Use("ann", "slots", 0, on="bob")
    assert items.violations(table(), field, use) == ()
    assert tile_effects.use_item(table(), field, use).unit("bob").health_lost == 1
    assert len(items.violations(table(), field, Use("ann", "slots", 0, on="dot"))) == 1
