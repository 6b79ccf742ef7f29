"""The clash: its law against plain enumeration of both dice, and against icepool."""

from collections import Counter
from fractions import Fraction
from itertools import product

import icepool
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.stargrave.rules import clash
from services.stargrave.rules.clash import Clash, Side
from tests.effort import cases
from tests.services.stargrave.asking import handed, walked


def sides(bonus: int = 0, other: int = 0, damage: int = 0, armour: int = 10) -> tuple[Side, Side]:
    return Side("a", "A", bonus, damage, armour), Side("b", "B", other, damage, armour)


def by_hand(a: Side, b: Side, *, critical: str, tie: str, both: str) -> Counter[Clash]:
    """Count what all 400 pairs of faces give, written down once more from the text."""
    result: Counter[Clash] = Counter()
    for x, y in product(range(1, 21), repeat=2):
        crits = (x == 20, y == 20)
        if critical == "not-in-fights" or (all(crits) and both == "totals"):
            crits = (False, False)
        totals = x + a.bonus, y + b.bonus
        hurt = [0, 0]
        for place, (own, striker, struck) in enumerate(((totals[1], b, a), (totals[0], a, b))):
            left = own + striker.damage - struck.armour
            if crits[1 - place] and not struck.immune:
                if critical == "double":
                    left = left * 2
                elif critical == "five":
                    left += 5
            hurt[place] = max(0, left * striker.multiplier)
        if crits[0] != crits[1]:
            won = 0 if crits[0] else 1
        elif totals[0] != totals[1]:
            won = 0 if totals[0] > totals[1] else 1
        else:
            outcome = Clash("nobody", hurt[0], hurt[1], any(crits)) if tie == "both" else Clash("nobody")
            result[outcome] += 1
            continue
        result[Clash("fighter", 0, hurt[1], crits[0]) if won == 0 else Clash("opponent", hurt[0], 0, crits[1])] += 1
    return result


stats = st.integers(-6, 12)
a_side = st.builds(
    Side, st.just("a"), st.just("A"), stats, st.integers(-3, 3), st.integers(6, 16), st.integers(1, 3), st.booleans()
)
b_side = st.builds(
    Side, st.just("b"), st.just("B"), stats, st.integers(-3, 3), st.integers(6, 16), st.integers(1, 3), st.booleans()
)


@settings(max_examples=cases(25), deadline=None)
@given(
    a_side,
    b_side,
    st.sampled_from(["double", "five", "none", "not-in-fights"]),
    st.sampled_from(["both", "nobody"]),
    st.sampled_from(["totals", "critical"]),
)
def test_the_law_of_a_clash_is_that_of_all_400_pairs(a: Side, b: Side, critical: str, tie: str, both: str) -> None:
    options = {"fight_tie": tie, "critical_both": both}
    options |= {"critical_in_fights": "no"} if critical == "not-in-fights" else {"critical_damage": critical}
    expected = {
        result: Fraction(count, 400) for result, count in by_hand(a, b, critical=critical, tie=tie, both=both).items()
    }
    assert walked(clash.clash, a, b, **options) == expected


@pytest.mark.parametrize(
    ("lead", "wins", "ties", "loses"),
    [(0, 190, 20, 190), (1, 210, 19, 171), (2, 229, 18, 153), (3, 247, 17, 136), (4, 264, 16, 120), (5, 280, 15, 105)],
)
def test_opposed_dice_have_the_known_chances(lead: int, wins: int, ties: int, loses: int) -> None:
    law = walked(clash.clash, *sides(lead), critical_in_fights="no")
    chances = Counter[str]()
    for result, mass in law.items():
        chances[result.winner] += mass * 400
    assert chances == {"fighter": wins, "nobody": ties, "opponent": loses}


@pytest.mark.parametrize(("bonus", "other", "armour"), [(3, 2, 11), (0, 6, 9), (5, 0, 14)])
def test_the_damage_agrees_with_icepool(bonus: int, other: int, armour: int) -> None:
    mine = walked(clash.clash, *sides(bonus, other, armour=armour), critical_in_fights="no", fight_tie="nobody")

    def hurt(x: int, y: int) -> int:
        return max(0, x + bonus - armour) if x + bonus > y + other else 0

    theirs = icepool.map(hurt, icepool.d20, icepool.d20)
    found: dict[int, Fraction] = {}
    for result, mass in mine.items():
        found[result.to_opponent] = found.get(result.to_opponent, Fraction(0)) + mass
    assert found == {damage: Fraction(theirs.quantity(damage), 400) for damage in theirs.outcomes()}


def test_rolling_equal_rolls_again_is_the_law_without_them() -> None:
    """By this reading a clash is decided as if equal rolls could not be, but for 20 ties in a row."""
    a, b = sides(1, 0)
    again = walked(clash.clash, a, b, fight_tie="again")
    once = by_hand(a, b, critical="double", tie="nobody", both="totals")
    ties = once.pop(Clash("nobody"))
    unsettled = Fraction(ties, 400) ** 21
    assert again.pop(Clash("nobody")) == unsettled
    whole = 400 - ties
    assert again == {result: Fraction(count, whole) * (1 - unsettled) for result, count in once.items()}


def test_equal_rolls_are_made_again_until_they_differ() -> None:
    at = handed({"a: combat": [7, 7, 12], "b: combat": [7, 7, 3]}, fight_tie="again")
    assert clash.clash(at, *sides()) == Clash("fighter", 0, 2)


def test_neither_side_is_favoured() -> None:
    a, b = sides(2, 5, 1, 12)
    swapped = {
        Clash(
            {"fighter": "opponent", "opponent": "fighter", "nobody": "nobody"}[one.winner],
            one.to_opponent,
            one.to_fighter,
            one.critical,
        ): mass
        for one, mass in walked(clash.clash, b, a).items()
    }
    assert walked(clash.clash, a, b) == swapped
