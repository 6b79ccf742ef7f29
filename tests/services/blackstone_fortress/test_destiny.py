from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.odds.exact import law
from services.blackstone_fortress.rules import destiny
from tests.services.blackstone_fortress.turns import field_of, readings, table

dice = st.lists(st.integers(1, 6), max_size=8).map(lambda faces: tuple(sorted(faces)))


def number_available(at, field) -> int:
    return len(destiny.sort(at, destiny.roll(at, field)).available)


@pytest.mark.parametrize("option", ["shown-once", "one-of-each"])
def test_the_number_of_available_dice_is_that_of_all_7776_rolls(option) -> None:
    counted = Counter()
    for rolled in product(range(1, 7), repeat=5):
        if option == "shown-once":
            counted[sum(rolled.count(face) == 1 for face in rolled)] += 1
        else:
            counted[len(set(rolled))] += 1
    result = law(number_available, field_of("turn-duel"), readings=readings(destiny_unique=option))
    assert result == {number: Fraction(count, 7776) for number, count in counted.items()}


@given(dice)
def test_every_die_is_available_or_discarded(faces) -> None:
    for option in ("shown-once", "one-of-each"):
        pools = destiny.sort(table(destiny_unique=option), faces)
        assert tuple(sorted(pools.available + pools.discarded)) == faces
        assert len(set(pools.available)) == len(pools.available)


@given(dice)
def test_a_number_that_is_repeated_is_not_available(faces) -> None:
    pools = destiny.sort(table(), faces)
    assert set(pools.available) == {face for face in faces if faces.count(face) == 1}


@given(dice, st.integers(1, 6))
def test_foresight_moves_one_die_and_loses_none(faces, wish) -> None:
    field = field_of("turn-track").with_turn(destiny=(), discarded_destiny=faces)
    choices = {"espern: returned destiny die": [wish]} if wish in faces and len(set(faces)) > 1 else {}
    now = destiny.foresight(table(choices=choices), field).scene.turn
    assert sorted(now.destiny + now.discarded_destiny) == sorted(faces)
    assert len(now.destiny) == min(1, len(faces))
    if choices:
        assert now.destiny == (wish,)


def test_without_a_seer_nothing_comes_back() -> None:
    field = field_of("turn-duel").with_turn(discarded_destiny=(3, 3))
    assert destiny.foresight(table(), field).scene.turn.destiny == ()


@given(dice, dice)
def test_without_a_roll_no_die_is_made_or_lost(available, discarded) -> None:
    field = field_of("turn-duel").with_turn(destiny=available, discarded_destiny=discarded, no_destiny_roll=True)
    for option in ("leftovers", "none"):
        after, faces = destiny.phase(table(hand={}, unfulfilled_dice=option), field)
        now = after.scene.turn
        assert faces == ()
        assert sorted(now.destiny + now.discarded_destiny) == sorted(available + discarded)
        assert now.destiny == (available if option == "leftovers" else ())
        assert not now.no_destiny_roll
