"""Summaries: intervals by a second way, means and medians by hand, the law beside, and games that are told whole."""

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import comb, sqrt
from statistics import median_low, stdev
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from arbiter.odds.exact import Budget
from arbiter.question import AskOdds, Counted
from arbiter.simulation.simulate import PointCount, Shift, Simulate, as_key, played
from arbiter.simulation.statistics import Metric, Point, newcombe, pick_samples, point, wilson
from services._template.arbiter import ARBITER
from services._template.questions import AttackCase
from tests.arbiter.simulation.test_simulate import ATTACK, counts, no_word, player, scripted

Z = 1.959963984540054
"""The 97.5th percentile of the normal distribution, as every table of it has it."""


def summed(*games: dict[str, Counted] | None, base: Iterable[dict[str, Counted] | None] | None = None) -> Point:
    players = [scripted(*(base or games)), scripted(*games)]
    return point({}, counts(players, range(len(games)))[1], {})


def metric(of: Point, name: str) -> Metric:
    return next(each for each in of.metrics if each.name == name)


def test_wilson_against_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), table I, method 3: the score interval without correction.
    for seen, of, low, high in (
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ):
        assert wilson(seen, of) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_the_ends_of_wilson_solve_its_quadratic(of: int, part: float) -> None:
    seen = round(of * part)
    low, high = wilson(seen, of)
    # (share - p)² = z² p (1 - p) / n, as a quadratic in p, is solved by the ends.
    share, z2n = seen / of, Z * Z / of
    root = sqrt((2 * share + z2n) ** 2 - 4 * (1 + z2n) * share * share)
    ends = [(2 * share + z2n + sign * root) / (2 * (1 + z2n)) for sign in (-1, 1)]
    assert (low, high) == pytest.approx(ends, abs=1e-9)
    assert 0 <= low <= share <= high <= 1
    assert (low == 0) == (seen == 0)
    assert (high == 1) == (seen == of)
    assert wilson(of - seen, of) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_of_no_games_nothing_is_known() -> None:
    assert wilson(0, 0) == (0, 1)


def test_intervals_hold_the_law_as_often_as_they_say() -> None:
    # Three shots that wound with 1/3 each: the scout, who has one wound, is slain with 19/27.
    chance, games, seeds, play = 19 / 27, 40, 400, player(metrics=["slain"])
    covered = 0
    for seed in range(seeds):
        (counted,) = played([[play]], f"coverage {seed}", range(games), no_word)
        low, high = wilson(counted.counts["slain"].get("true", 0), games)
        covered += low <= chance <= high
    # How often it should be is a sum over the binomial law; it is near 0.95, but not quite, for so few games.
    expected = sum(
        comb(games, seen) * chance**seen * (1 - chance) ** (games - seen)
        for seen in range(games + 1)
        if wilson(seen, games)[0] <= chance <= wilson(seen, games)[1]
    )
    assert 0.93 < expected < 0.97
    assert abs(covered - seeds * expected) < 5 * sqrt(seeds * expected * (1 - expected))


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=30))
def test_means_deviations_and_medians_are_those_of_the_list(numbers: list[int]) -> None:
    told = metric(summed(*({"n": number} for number in numbers)), "n")
    assert told.mean == pytest.approx(sum(numbers) / len(numbers))
    assert told.median == median_low(numbers)
    if len(numbers) == 1:
        assert (told.deviation, told.low, told.high) == (None, None, None)
        return
    half = Z * stdev(numbers) / sqrt(len(numbers))
    assert told.deviation == pytest.approx(stdev(numbers), abs=1e-9)
    assert (told.low, told.high) == pytest.approx((told.mean - half, told.mean + half), abs=1e-9)
    assert [share.value for share in told.shares] == sorted(set(numbers))
    assert {share.value: share.games for share in told.shares} == {each: numbers.count(each) for each in numbers}


def test_the_median_is_the_lower_of_two() -> None:
    assert metric(summed({"n": 1}, {"n": 4}, {"n": 2}, {"n": 9}), "n").median == 2


def test_classes_have_shares_in_order_and_no_mean() -> None:
    values: list[Counted] = [None, True, "b", False, "a", 10, 9, True]
    told = metric(summed(*({"c": value} for value in values)), "c")
    assert [share.value for share in told.shares] == [9, 10, "a", "b", False, True, None]
    assert [share.share for share in told.shares] == [1 / 8] * 5 + [2 / 8, 1 / 8]
    assert told.mean is told.median is told.low is None


def test_shares_are_of_the_games_that_the_book_allows() -> None:
    told = summed({"c": "x"}, None, None, {"c": "y"})
    assert (told.games, told.forbidden) == (4, 2)
    assert [(share.games, share.share) for share in metric(told, "c").shares] == [(1, 0.5), (1, 0.5)]


@given(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=20))
def test_differences_of_numbers_are_those_of_the_pairs(pairs: list[tuple[int, int]]) -> None:
    told = summed(*({"n": now} for _, now in pairs), base=[{"n": before} for before, _ in pairs]).differences
    by = [now - before for before, now in pairs]
    (difference,) = told
    half = Z * stdev(by) / sqrt(len(by))
    assert (difference.metric, difference.of, difference.value) == ("n", "mean", None)
    assert difference.difference == pytest.approx(sum(by) / len(by))
    assert (difference.low, difference.high) == pytest.approx(
        (difference.difference - half, difference.difference + half), abs=1e-9
    )


@given(st.lists(st.tuples(*[st.sampled_from(["x", "y", None, True, 3])] * 2), min_size=2, max_size=20))
def test_differences_of_classes_are_differences_of_shares(pairs: list[tuple[Counted, Counted]]) -> None:
    # Where every value is a number, means are compared.
    assume({value for pair in pairs for value in pair} != {3})
    base = summed(*({"c": before} for before, _ in pairs))
    now = summed(*({"c": value} for _, value in pairs), base=[{"c": before} for before, _ in pairs])
    shares = [{as_key(share.value): share.share for share in metric(each, "c").shares} for each in (base, now)]
    for difference in now.differences:
        assert (difference.of, type(difference.value) is int) == ("share", False)
        key = as_key(difference.value)
        assert difference.difference == pytest.approx(shares[1].get(key, 0) - shares[0].get(key, 0))
        of = Counter((as_key(value) == key, as_key(before) == key) for before, value in pairs)
        assert (difference.low, difference.high) == newcombe(
            of[True, True], of[True, False], of[False, True], of[False, False]
        )
    # Where all pairs are numbers, their mean is compared instead.
    told = {as_key(difference.value) for difference in now.differences if difference.of == "share"}
    assert told == {as_key(value) for pair in pairs for value in pair} - {"3"}


def test_newcombe_against_published_values() -> None:
    # Newcombe, Statistics in Medicine 17 (1998) 2635, table II, method 10; and Fagerland, Lydersen and Laake, BMC
    # Medical Research Methodology 14 (2014) 133, airway responses before and after a transplantation.
    for cells, low, high in (((36, 12, 2, 0), 0.0569, 0.3404), ((1, 1, 7, 12), -0.507, -0.026)):
        assert newcombe(*cells) == pytest.approx((low, high), abs=5e-4)


@given(st.tuples(*[st.integers(0, 400)] * 4).filter(any))
def test_the_interval_of_a_difference_of_shares_stays_within_its_bounds(cells: tuple[int, int, int, int]) -> None:
    both, gained, lost, neither = cells
    low, high = newcombe(*cells)
    difference = (gained - lost) / sum(cells)
    assert -1 <= low <= difference + 1e-12
    assert difference - 1e-12 <= high <= 1
    assert newcombe(both, lost, gained, neither) == pytest.approx((-high, -low), abs=1e-12)


def test_what_is_the_same_in_every_game_differs_by_nothing() -> None:
    games: list[dict[str, Counted] | None] = [{"n": 2, "won": True}, {"n": 5, "won": False}] * 50
    told = {each.metric: each for each in summed(*games, base=games).differences if each.value is not False}
    assert (told["n"].difference, told["n"].low, told["n"].high) == (0, 0, 0)
    won = told["won"]
    assert (won.difference, won.value) == (0, True)
    assert won.low == -won.high
    assert 0 < won.high < 0.05


def test_numbers_beside_classes_have_no_difference_of_means() -> None:
    told = summed({"n": 3}, {"n": None}, {"n": 5}, base=[{"n": 1}, {"n": 2}, {"n": 5}])
    assert [(each.of, each.value) for each in told.differences] == [("share", None)]
    assert told.differences[0].difference == pytest.approx(1 / 3)
    (still,) = summed({"n": 3}, {"n": None}, base=[{"n": 1}, {"n": None}]).differences
    assert (still.of, still.difference) == ("share", 0), "where some games have no number there is no mean"


def test_one_pair_of_games_has_no_interval() -> None:
    (difference,) = summed({"n": 4}, base=[{"n": 1}]).differences
    assert (difference.difference, difference.low, difference.high) == (3, None, None)


def test_the_law_beside_is_the_law_of_the_odds() -> None:
    body = {"case": ATTACK, "policies": {"blue": "bold"}}
    laws = ARBITER.metric_laws("attack", msgspec.convert(body, Simulate[AttackCase]), Budget(10_000))
    told = point({}, counts([player(policies={"blue": "bold"})], range(200))[0], laws)
    odds = ARBITER.odds("attack", msgspec.convert(body, AskOdds[AttackCase]), 10_000)
    assert {each.name for each in told.metrics} == {marginal.field for marginal in odds.marginals}
    for marginal in odds.marginals:
        of_metric = metric(told, marginal.field)
        assert {as_key(share.value): share.exact for share in of_metric.shares} == {
            as_key(chance.answer): chance.mass for chance in marginal.values
        }
        assert of_metric.exact_mean == pytest.approx(marginal.mean)
        assert sum(share.games for share in of_metric.shares) == 200
    # By hand, as the book's example has it.
    assert {share.value: share.exact for share in metric(told, "dodged").shares} == {0: "9/16", 1: "7/16"}


def test_the_law_names_values_that_no_game_had_and_says_0_of_what_it_does_not_hold() -> None:
    counted = PointCount(2, 0, {"n": {"1": 2}}, {}, 0, {})
    told = metric(point({}, counted, {"n": {"0": Fraction(1, 3), "2": Fraction(2, 3)}}), "n")
    assert [(share.value, share.games, share.exact) for share in told.shares] == [
        (0, 0, "1/3"),
        (1, 2, "0"),
        (2, 0, "2/3"),
    ]
    assert told.exact_mean == pytest.approx(4 / 3)
    assert told.shares[0].low == 0
    unknown = metric(point({}, counted, {}), "n")
    assert (unknown.exact_mean, unknown.shares[0].exact, unknown.shares[0].probability) == (None, None, None)


def test_no_game_at_all_leaves_the_law() -> None:
    told = point({}, PointCount(3, 3, {}, {}, 0, {}), {"n": {"1": Fraction(1)}})
    assert (told.metrics[0].mean, told.metrics[0].exact_mean, told.metrics[0].shares[0].share) == (None, 1, 0)


@given(st.lists(st.integers(-20, 20), min_size=1, max_size=30))
def test_the_first_games_of_the_least_the_median_and_the_greatest_number_are_told(turns: list[int]) -> None:
    (counted,) = counts([scripted(*({"turns": each} for each in turns))], range(len(turns)), "turns")
    assert pick_samples(counted.ranks) == {
        "shortest": turns.index(min(turns)),
        "median": turns.index(median_low(turns)),
        "longest": turns.index(max(turns)),
    }


def test_with_no_game_nothing_is_told() -> None:
    assert pick_samples({}) == {}


def test_equal_counts_are_summed_up_to_the_last_bit_in_any_order() -> None:
    values: dict[str, Any] = {"/case/x": [1]}
    one = PointCount(
        4,
        0,
        {"n": {"1": 3, "2": 1}, "c": {"true": 4}},
        {},
        4,
        {"n": {"": Shift(1, 5, 4)}, "c": {"true": Shift(1, 1, 4)}},
    )
    other = PointCount(
        4,
        0,
        {"c": {"true": 4}, "n": {"2": 1, "1": 3}},
        {},
        4,
        {"c": {"true": Shift(1, 1, 4)}, "n": {"": Shift(1, 5, 4)}},
    )
    assert msgspec.json.encode(point(values, one, {})) == msgspec.json.encode(point(values, other, {}))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30))
def test_a_pair_of_mirrored_games_is_one_sample_of_the_mean(pairs: list[tuple[int, int]]) -> None:
    posted, other = ([{"n": pair[side]} for pair in pairs] for side in (0, 1))
    (counted,) = played([[scripted(*posted), scripted(*other)]], 7, range(len(pairs)), no_word)
    told = metric(point({}, counted, {}), "n")
    means = [(one + two) / 2 for one, two in pairs]
    half = Z * stdev(means) / sqrt(len(means))
    assert told.mean == pytest.approx(sum(means) / len(means))
    assert (told.low, told.high) == pytest.approx(
        (sum(means) / len(means) - half, sum(means) / len(means) + half), abs=1e-6
    )


def test_pairs_that_go_the_same_way_are_worth_half_as_many_games() -> None:
    """Whoever begins wins twice out of two in the mirror: sixty pairs say as much as sixty games."""
    games: list[dict[str, Counted] | None] = [{"won": index % 3 == 0} for index in range(60)]
    (counted,) = played([[scripted(*games), scripted(*games)]], 7, range(60), no_word)
    yes = next(share for share in metric(point({}, counted, {}), "won").shares if share.value is True)
    assert (yes.games, yes.share) == (40, pytest.approx(1 / 3))
    # The deviation of a sample divides by one less than its size, and so 59 of 60 are left.
    assert (yes.low, yes.high) == pytest.approx(wilson(20 * 59 / 60, 59), abs=1e-9)
    told = point({}, counted, {}).mirror
    assert {(each.value, each.difference) for each in told} == {(True, 0), (False, 0)}
