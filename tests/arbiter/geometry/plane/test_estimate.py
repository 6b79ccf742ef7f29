"""About how much is hidden: never bounds beside the exact share, and nothing only where the exact share is nothing."""

from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.shapes import Figure, Piece, standing
from arbiter.geometry.plane.view import hidden_share
from tests.arbiter.geometry.plane.test_glimpse import boxed
from tests.arbiter.geometry.plane.test_view import LOOKER, SEEDS, TARGET, box, random_figures, random_pieces
from tests.effort import cases


@pytest.mark.parametrize(
    ("pieces", "share"),
    [
        ((), 0.0),
        ((box(12000, 13000, 3000, 9000),), 0.0),  # behind the target
        # From 1000 past its far side, 500 high and 6 units on, a line is at 1000 - 500 * 10 / 6 on the board.
        ((box(6000, 7000, 3000, 9000, 500),), 1 / 6),
        ((box(6000, 7000, 3000, 9000),), 1.0),
        ((box(6000, 7000, 6000, 9000),), 0.5),  # up to the middle of the view
        ((box(6000, 7000, 6000, 9000), box(6000, 7000, 3000, 6000)), 1.0),
    ],
)
def test_shares_by_hand(pieces: tuple[Piece, ...], share: float) -> None:
    bounds = Glance(LOOKER, TARGET).hidden(pieces)
    assert bounds == pytest.approx((share, share), abs=1e-4)
    assert (bounds == (0.0, 0.0)) is (share == 0)


@pytest.mark.parametrize("step", [1, 100])
def test_the_exact_share_lies_within_the_bounds(step: int) -> None:
    random, sure = Random(step), 0
    many = cases(4_000, 600)
    for _ in range(many):
        looker, target = random_figures(random)
        pieces = [*random_pieces(random)[:2], *(boxed(random, step) for _ in range(random.randint(0, 4)))]
        pieces += [
            standing(Figure("", (random.randint(0, 15_000), random.randint(2_000, 10_000)), 500, height))
            for height in random.choices((800, 1000, 2000), k=random.randint(0, 2))
        ]
        check(looker, target, pieces)
        sure += Glance(looker, target).hidden(pieces) is not None
    assert sure > many / 3


places = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda at: (at[0] * 500, at[1] * 500))
heights = st.sampled_from((500, 1000, 1500, 4000))


@given(
    st.builds(Figure, st.just("a"), places, st.just(500), heights, st.sampled_from((0, 1000))),
    st.builds(Figure, st.just("b"), places, st.just(500), heights, st.sampled_from((0, 1000))),
    st.lists(st.tuples(places, st.integers(1, 8), st.integers(1, 8), heights), max_size=4),
)
def test_the_bounds_hold_where_all_stands_on_a_grid(
    looker: Figure, target: Figure, boxes: list[tuple[tuple[int, int], int, int, int]]
) -> None:
    pieces = [box(x, x + wide * 250, y, y + deep * 250, high) for (x, y), wide, deep, high in boxes]
    check(looker, target, pieces)


@given(SEEDS)
def test_the_bounds_hold_however_close_a_wall_is_to_the_eye(seed: int) -> None:
    random = Random(seed)
    looker, target = random_figures(random)
    x, y = looker.at
    left, low = x + random.randint(-150, 150), y - random.randint(-150, 3_000)
    wall = box(left, left + random.randint(100, 4_000), low, low + random.randint(100, 4_000), random.randint(1, 3_000))
    check(looker, target, [wall, *random_pieces(random)[:1]])


@pytest.mark.parametrize(
    ("height", "share"),
    # The eye is 2 units high, the edge of what is stood on 1 unit ahead of it, and a target of 1 unit 4 units away. A
    # line past an edge 1.6 high is 0.4 lower there, and so 4 * 0.4 lower at the target: 0.4 above its foot. From 1.5 on
    # it comes down before the target; what reaches up to the eye hides all that is lower.
    [(2_500, 1.0), (2_000, 1.0), (1_600, 0.4), (1_500, 0.0), (1_000, 0.0)],
)
def test_what_the_looker_stands_on_hides_by_hand(height: int, share: float) -> None:
    looker, target = Figure("a", (5_000, 5_000), 500, 2_000), Figure("b", (9_000, 5_000), 500, 1_000)
    glance, crate = Glance(looker, target), box(4_000, 6_000, 3_000, 7_000, height)
    assert glance.hidden((crate,)) == pytest.approx((share, share), abs=1e-4)
    assert float(glance.share((crate,))) == share


def check(looker: Figure, target: Figure, pieces: list[Piece]) -> None:
    glance, exact = Glance(looker, target), hidden_share(looker, target, pieces)
    bounds = glance.hidden(pieces)
    if bounds is not None:
        low, high = bounds
        assert low - 1e-12 <= float(exact) <= high + 1e-12
        assert high > 0 or exact == 0
        assert low == 0 or exact > 0
    assert glance.share(pieces) == exact
    assert glance.sees(pieces) is (exact < 1)
    assert glance.hides(*pieces) is (exact > 0)
    for least in (Fraction(1, 10), Fraction(1, 2)):
        assert glance.hides_at_least(least, pieces) is (exact >= least)
    for piece in pieces:
        assert glance.hides(piece) is (hidden_share(looker, target, (piece,)) > 0)
