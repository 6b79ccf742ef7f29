from fractions import Fraction
from itertools import permutations, product
from math import factorial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from arbiter.fault import Faults
from arbiter.odds.exact import law
from services.blackstone_fortress.rules import covering_fire, initiative, turn
from tests.services.blackstone_fortress.turns import ask, field_of, posted, readings, scene, table

CARDS = ("janus", "espern", "ur-025", "twins", "group-1", "group-2")


def track_of(at, field) -> tuple[str, ...]:
    return initiative.deal(at, field).scene.turn.track


def dice_of(at, field, explorer_id) -> tuple[int, ...]:
    return initiative.activation_roll(at, field, explorer_id).explorer(explorer_id).activation


# Activation rolls


def test_an_activation_roll_is_that_of_plain_dice() -> None:
    field = field_of("turn-track")
    one_by_one: dict[tuple[int, ...], Fraction] = {}
    for rolled in product(range(1, 7), repeat=3):
        key = tuple(sorted(rolled))
        one_by_one[key] = one_by_one.get(key, Fraction(0)) + Fraction(1, 216)
    assert law(dice_of, field, "ur-025", readings=readings()) == one_by_one


@given(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["one", "two"]))
def test_one_die_is_rolled_for_each_empty_space(wounds, grievous, option) -> None:
    field = field_of("turn-track")
    janus = replace(field.explorer("janus"), wounds=wounds, grievous=grievous, activation=())
    rolled = dice_of(table(grievous_spaces=option), field.put(janus), "janus")
    assert len(rolled) == max(0, 4 - wounds - grievous * (2 if option == "two" else 1))


def test_twins_share_one_track_and_the_wounds_on_it() -> None:
    field = field_of("turn-track")
    field = field.put(replace(field.explorer("raus"), wounds=1, activation=(5,)))
    assert initiative.rollers(field) == ("janus", "espern", "ur-025", "rein")
    after = initiative.activation_roll(table(), field, "rein")
    assert len(after.explorer("rein").activation) == 3
    assert after.explorer("raus").activation == ()


def test_both_twins_rolling_is_a_fault() -> None:
    with pytest.raises(Faults) as caught:
        ask("initiative", {"scene": posted("turn-track"), "explorers": ["rein", "raus", "nobody"], "deal": False})
    assert {(fault.pointer, fault.code) for fault in caught.value.faults} == {
        ("/case/explorers", "card-twice"),
        ("/case/explorers/2", "unknown-explorer"),
    }


# The deal


def test_every_order_of_the_cards_is_as_likely() -> None:
    field = field_of("turn-duel")
    result = law(track_of, field, readings=readings())
    assert result == {order: Fraction(1, 6) for order in permutations(("janus", "group-1", "group-2"))}


@given(st.text(min_size=1, max_size=8), st.booleans(), st.integers(1, 3))
def test_the_track_is_a_permutation_of_the_deck(seed, ambush, number) -> None:
    field = field_of("turn-track").with_turn(track=(), ambush=ambush, number=number)
    track = track_of(table(seed=seed), field)
    assert sorted(track) == sorted(CARDS)
    if ambush and number == 1:
        assert set(track[:2]) == {"group-1", "group-2"}


def test_an_ambush_is_dealt_in_two_piles() -> None:
    field = field_of("turn-track").with_turn(track=(), ambush=True)
    result = law(track_of, field, readings=readings())
    assert len(result) == factorial(2) * factorial(4)
    assert set(result.values()) == {Fraction(1, 48)}


@pytest.mark.parametrize(("option", "cards"), [("follows", 5), ("stays", 6)])
def test_the_deck_of_a_later_turn_follows_the_reading(option, cards) -> None:
    field = field_of("turn-track").with_turn(number=3)
    field = field.put(replace(field.explorer("janus"), out_of_action=True, hex=None, wounds=4))
    deck = initiative.deck(table(initiative_deck_changes=option), field)
    assert len(deck) == cards
    assert ("janus" in deck) == (option == "stays")


def test_nobody_new_is_in_a_deck_that_is_made_only_once() -> None:
    field = field_of("turn-track").with_turn(number=3, track=("espern", "twins", "ur-025", "group-1", "group-2"))
    assert "janus" in initiative.deck(table(), field)
    assert "janus" not in initiative.deck(table(initiative_deck_changes="stays"), field)


# The track


tracks = st.lists(st.sampled_from(CARDS), unique=True, min_size=2).map(tuple)


@given(tracks, st.data())
def test_a_swap_keeps_the_cards_and_undoes_itself(track, data) -> None:
    a, b = data.draw(st.permutations(track))[:2]
    once = initiative.swapped(track, a, b)
    assert sorted(once) == sorted(track)
    assert (once.index(a), once.index(b)) == (track.index(b), track.index(a))
    assert initiative.swapped(once, a, b) == track
    others = [card for card in track if card not in (a, b)]
    assert all(once.index(card) == track.index(card) for card in others)


@given(st.permutations(CARDS), st.sets(st.sampled_from(CARDS)))
def test_the_next_card_is_the_first_from_the_left_that_lies_face_up(track, used) -> None:
    field = field_of("turn-track").with_turn(track=tuple(track), phase="activation")
    for card in sorted(used):
        field = turn.card_down(table(), field, card)
    left = [card for card in track if card not in used]
    assert turn.next_card(table(), field) == (left[0] if left else None)
    assert bool(turn.unfinished(_ruling(), field)) == bool(left)
    for card in left:
        assert bool(turn.not_its_turn(_ruling(), field, card)) == (card != left[0])
    for card in used:
        assert turn.already_activated(_ruling(), field, card)


def _ruling():
    return table()


def test_a_group_of_which_nobody_stands_is_still_to_come_until_it_has_had_its_turn() -> None:
    field = field_of("turn-track").with_turn(track=("group-2", "janus"))
    gone = field.put(replace(field.hostile("cultist-1"), slain=True, hex=None))
    assert turn.next_card(table(), gone) == "group-2"
    assert turn.next_card(table(), turn.card_down(table(), gone, "group-2")) == "janus"


def test_a_group_with_only_reinforcements_left_has_had_its_turn() -> None:
    field = field_of("turn-track").with_turn(track=("group-1",))
    first = replace(field.hostile("guard-1"), activated=True)
    second = replace(field.hostile("guard-2"), reinforcement=True)
    assert turn.next_card(table(), field.put(first)) == "group-1"
    assert turn.next_card(table(), field.put(first, second)) is None


# Covering fire


@given(st.permutations(CARDS))
def test_covering_fire_swaps_two_cards_and_uses_both_explorers_up(track) -> None:
    field = field_of("turn-track").with_turn(track=tuple(track))
    assert not covering_fire.violations(table(), field, "janus", "espern")
    after = covering_fire.swap(table(), field, "janus", "espern")
    assert after.scene.turn.track == initiative.swapped(tuple(track), "janus", "espern")
    assert covering_fire.violations(table(), after, "espern", "rein")
    assert covering_fire.violations(table(), after, "rein", "janus")
    assert not covering_fire.violations(table(covering_fire_once="each-pair"), after, "rein", "janus")
    assert covering_fire.violations(table(covering_fire_once="each-pair"), after, "espern", "janus")


def test_the_event_of_a_swap_names_the_two_cards_also_where_twins_share_one() -> None:
    case = {"scene": posted("turn-track"), "explorer": "rein", "other": "janus", "agreed": ["rein", "janus"]}
    ruling = ask("covering-fire", case)
    assert [event.values["cards"] for event in ruling.effects.events] == [("twins", "janus")]


def test_pairs_still_open_are_those_that_nothing_refuses() -> None:
    field = field_of("turn-track")
    pairs = covering_fire.still_open(table(), field)
    for a, b in permutations([one.id for one in scene("turn-track").explorers], 2):
        allowed = (a, b) in pairs or (b, a) in pairs
        assert allowed == (not covering_fire.violations(table(), field, a, b))


def test_who_is_out_of_action_sees_nobody_and_covers_nobody() -> None:
    field = field_of("turn-track")
    field = field.put(replace(field.explorer("espern"), out_of_action=True, hex=None))
    assert [reason.rule for reason in covering_fire.violations(table(), field, "janus", "espern")] == [
        "covering_fire.unseen"
    ]
