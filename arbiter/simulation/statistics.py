"""The results of a simulation: shares with confidence intervals, means, differences between points, and sample games.

Everything follows from the counts alone, so that equal counts give the same summary to the last bit.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import sqrt
from statistics import NormalDist
from typing import Any, Generic, Literal, TypeVar

import msgspec

from arbiter.question import Counted
from arbiter.simulation.simulate import PointCount, Shift, as_key, is_number
from arbiter.simulation.sweep import Axis
from arbiter.value import Value

A = TypeVar("A")

CONFIDENCE = 0.95
"""The share of repeated simulations whose interval contains the true value."""

_Z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


Which = Literal["shortest", "median", "longest"]

Law = Literal["beside", "too-many-paths", "heavy"]
"""Whether the exact chances are given with the shares, or why not."""


class Share(Value, frozen=True):
    """The frequency of a metric's value: the games, their share with its interval, and the law's chance if known.

    The interval is Wilson's. `exact` is a fraction, `probability` the same as a number.
    """

    value: Counted
    games: int
    share: float
    low: float
    high: float
    exact: str | None = None
    probability: float | None = None


class Metric(Value, frozen=True):
    """One metric at one point: the share of each value; for numbers the mean with its interval, deviation and median.

    A single game has a mean, but neither interval nor deviation. `exact_mean` is the law's mean if it is known,
    `mean_exact` the same as a fraction in lowest terms.
    """

    name: str
    shares: tuple[Share, ...]
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    deviation: float | None = None
    median: int | None = None
    exact_mean: float | None = None
    mean_exact: str | None = None


class Difference(Value, frozen=True):
    """The difference of this point from that of reference, over games with the same seeds, with its interval.

    `of` says what is compared: the mean of a numeric metric, or the share of `value`. If a metric has both numbers and
    classes, only the classes are compared. The interval of a share is Newcombe's for pairs, his method 10. The mean of
    a single game has no interval.
    """

    metric: str
    of: Literal["mean", "share"]
    value: Counted
    difference: float
    low: float | None
    high: float | None


class Point(Value, frozen=True):
    """One point of a sweep, or a whole simulation: the varied values, and the results.

    `forbidden` counts the games in which the book forbids the action; they have no metrics. For mirrored games,
    `mirror` has the difference of the posted games from those with swapped sides. `law` says for this point what the
    result says for all.
    """

    values: dict[str, Any]
    games: int
    forbidden: int
    metrics: tuple[Metric, ...]
    differences: tuple[Difference, ...] = ()
    mirror: tuple[Difference, ...] = ()
    law: Law = "heavy"


class SampleGame(Value, Generic[A], frozen=True):
    """One complete game: why it was picked, its number, the seed that replays it, and its answer."""

    which: Which
    game: int
    seed: str
    answer: A


class Simulated(Value, Generic[A], frozen=True):
    """The result of a simulation or a sweep; the same body gives the same result, bit by bit.

    `law` says whether the exact chances are given with the shares: `beside`, `partly` at some points only,
    `too-many-paths` if they cannot be walked within the budget, `heavy` if the question is too heavy to try. There are
    `sample_games` if the question has a metric to rank games by, `ranked_by`, and no value is varied. `reference` has
    the values of the point that all others of a sweep are compared with.
    """

    game: str
    edition: str
    engine: str
    question: str
    count: int
    seed: str
    confidence: float
    policies: dict[str, str]
    readings: dict[str, str]
    axes: tuple[Axis, ...]
    points: tuple[Point, ...]
    law: Literal["beside", "partly", "too-many-paths", "heavy"]
    ranked_by: str | None = None
    sample_games: tuple[SampleGame[A], ...] = ()
    reference: dict[str, Any] = {}
    mirror: bool = False


Laws = Mapping[str, Mapping[str, Fraction]]
"""The exact law of each metric, its values as JSON."""


def point(values: Mapping[str, Any], counted: PointCount, laws: Laws, law: Law = "heavy") -> Point:
    """Sum up one point; `laws` is empty if no law is known."""
    names = sorted({*counted.counts, *laws})
    ruled = counted.games - counted.forbidden
    metrics = tuple(
        _metric(name, counted.counts.get(name, {}), ruled, laws.get(name, {}), counted.mirrored.get(name, {}))
        for name in names
    )
    return Point(
        dict(values),
        counted.games,
        counted.forbidden,
        metrics,
        tuple(_differences(counted, counted.shifts)),
        tuple(_differences(counted, counted.mirrored)),
        law,
    )


def pick_samples(ranks: Mapping[str, tuple[int, int]]) -> dict[Which, int]:
    """Pick the sample games: the first of those with the least, the median and the greatest number."""
    numbers = sorted(int(key) for key in ranks)
    if not numbers:
        return {}
    middle = _median({number: ranks[str(number)][0] for number in numbers})
    picked: dict[Which, int] = {"shortest": numbers[0], "median": middle, "longest": numbers[-1]}
    return {which: ranks[str(number)][1] for which, number in picked.items()}


def wilson(games: float, of: float) -> tuple[float, float]:
    """Give Wilson's interval of a share; without games it is 0 to 1."""
    if not of:
        return 0.0, 1.0
    share, z2 = games / of, _Z * _Z
    middle = (share + z2 / (2 * of)) / (1 + z2 / of)
    half = _Z / (1 + z2 / of) * sqrt(share * (1 - share) / of + z2 / (4 * of * of))
    # The ends are exact for none or all of the games; rounding would leave a tiny error.
    return (0.0 if games == 0 else middle - half), (1.0 if games == of else middle + half)


def _metric(
    name: str, counts: Mapping[str, int], games: int, law: Mapping[str, Fraction], mirrored: Mapping[str, Shift]
) -> Metric:
    values = sorted((_value(key) for key in {*counts, *law}), key=_order)
    shares = tuple(_share(value, counts, games, law, mirrored) for value in values)
    if not values or not all(is_number(value) for value in values):
        return Metric(name, shares)
    whole = sum((int(key) * mass for key, mass in law.items()), Fraction(0)) if law else None
    exact, fraction = (None, None) if whole is None else (float(whole), str(whole))
    numbers = {int(key): count for key, count in counts.items()}
    if not numbers:
        return Metric(name, shares, exact_mean=exact, mean_exact=fraction)
    mean, low, high, deviation = _spread(
        sum(numbers.values()),
        sum(number * count for number, count in numbers.items()),
        sum(number * number * count for number, count in numbers.items()),
    )
    if mirrored.keys() == {""} and 2 * mirrored[""].games == games > 2:
        low, high = _of_pairs(mean, sum(number * number * count for number, count in numbers.items()), mirrored[""])
    return Metric(name, shares, mean, low, high, deviation, _median(numbers), exact, fraction)


def _share(
    value: Counted, counts: Mapping[str, int], games: int, law: Mapping[str, Fraction], mirrored: Mapping[str, Shift]
) -> Share:
    key = as_key(value)
    count = counts.get(key, 0)
    ends = wilson(count, games)
    if key in mirrored and 2 * sum(shift.games for shift in mirrored.values()) == games > 2:
        ends = _share_of_pairs(count, games // 2, mirrored[key].squares)
    mass = law.get(key, Fraction(0)) if law else None
    return Share(
        value,
        count,
        count / games if games else 0.0,
        *ends,
        None if mass is None else str(mass),
        None if mass is None else float(mass),
    )


def _of_pairs(mean: float, squares: int, shift: Shift) -> tuple[float, float]:
    """Give the interval of the mean over posted and mirrored games: each pair is one sample."""
    pairs = shift.games
    half = _Z * sqrt(_variance_of_pairs(mean, squares, shift.squares, pairs) / pairs)
    return mean - half, mean + half


def _share_of_pairs(count: int, pairs: int, squares: int) -> tuple[float, float]:
    """Give Wilson's interval of a share over pairs of games: for the number of games with the same variance.

    It never counts for more games than there are.
    """
    share = count / (2 * pairs)
    variance = _variance_of_pairs(share, count, squares, pairs) / pairs
    worth = min(2.0 * pairs, share * (1 - share) / variance) if variance > 0 else 2.0 * pairs
    return wilson(share * worth, worth)


def _variance_of_pairs(mean: float, squares: int, shifted: int, pairs: int) -> float:
    """Give the variance of the means of pairs, from the squares of all numbers and those of the differences."""
    return max(0.0, ((2 * squares - shifted) / 4 - pairs * mean * mean) / (pairs - 1))


def _differences(counted: PointCount, of_metrics: Mapping[str, Mapping[str, Shift]]) -> Iterable[Difference]:
    for metric, shifts in sorted(of_metrics.items()):
        if shifts.keys() == {""} and all(is_number(_value(key)) for key in counted.counts[metric]):
            total, squares, pairs = shifts[""]
            mean, low, high, _ = _spread(pairs, total, squares)
            yield Difference(metric, "mean", None, mean, low, high)
            continue
        pairs = sum(shift.games for shift in shifts.values())
        classes = [value for key in shifts if key and not is_number(value := _value(key))]
        for value in sorted(classes, key=_order):
            shift = shifts[as_key(value)]
            gained, lost = (shift.squares + shift.total) // 2, (shift.squares - shift.total) // 2
            both = shift.games - gained
            low, high = newcombe(both, gained, lost, pairs - both - gained - lost)
            yield Difference(metric, "share", value, shift.total / pairs, low, high)


def newcombe(both: int, gained: int, lost: int, neither: int) -> tuple[float, float]:
    """Give the interval of the difference of two shares over the same games.

    It joins Wilson's intervals of the two shares by the correlation of the pairs: Newcombe, Statistics in Medicine 17
    (1998) 2635-2650, method 10.
    """
    games = both + gained + lost + neither
    now, before = both + gained, both + lost
    (low_now, high_now), (low_before, high_before) = wilson(now, games), wilson(before, games)
    share_now, share_before = now / games, before / games
    product = both * neither - gained * lost
    corrected = product if product < 0 else max(0.0, product - games / 2)
    margins = now * (games - now) * before * (games - before)
    phi = corrected / sqrt(margins) if margins else 0.0
    down, up = (share_now - low_now, high_before - share_before), (high_now - share_now, share_before - low_before)
    below, above = (sqrt(max(0.0, one * one - 2 * phi * one * other + other * other)) for one, other in (down, up))
    difference = (gained - lost) / games
    return max(-1.0, difference - below), min(1.0, difference + above)


def _spread(count: int, total: int, squares: int) -> tuple[float, float | None, float | None, float | None]:
    """Give the mean of `count` whole numbers with this sum and sum of squares, its interval, and their deviation."""
    mean = total / count
    if count < 2:
        return mean, None, None, None
    # Whole numbers until the last step, so that the order of addition does not matter.
    variance = (count * squares - total * total) / (count * (count - 1))
    deviation = sqrt(variance)
    half = _Z * deviation / sqrt(count)
    return mean, mean - half, mean + half, deviation


def _median(numbers: Mapping[int, int]) -> int:
    """Give the lower median of numbers with their counts."""
    left = (sum(numbers.values()) + 1) // 2
    for number in sorted(numbers):
        left -= numbers[number]
        if left <= 0:
            return number
    raise ValueError("no numbers have no median")


def _value(key: str) -> Counted:
    value: Counted = msgspec.json.decode(key)
    return value


def _order(value: Counted) -> tuple[int, Any]:
    """Order values: numbers by size, then names, then no and yes, then nothing."""
    if value is None:
        return 3, 0
    if isinstance(value, bool):
        return 2, value
    return (1, value) if isinstance(value, str) else (0, value)
