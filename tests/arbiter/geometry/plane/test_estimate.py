"""About how much is hidden: never bounds beside the exact share, and nothing only where the exact share is nothing."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.plane.estimate import hidden_about, hides
from arbiter.geometry.plane.shapes import Figure, Piece, standing
from arbiter.geometry.plane.view import hidden_share
from tests.arbiter.geometry.plane.test_glimpse import boxed
from tests.arbiter.geometry.plane.test_view import LOOKER, TARGET, box, random_figures, random_pieces
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
    bounds = hidden_about(LOOKER, TARGET, pieces)
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
        sure += hidden_about(looker, target, pieces) is not None
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


def check(looker: Figure, target: Figure, pieces: list[Piece]) -> None:
    bounds, exact = hidden_about(looker, target, pieces), hidden_share(looker, target, pieces)
    if bounds is not None:
        low, high = bounds
        assert low - 1e-12 <= float(exact) <= high + 1e-12
        assert high > 0 or exact == 0
        assert low == 0 or exact > 0
    for piece in pieces:
        assert hides(looker, target, piece) is (hidden_share(looker, target, (piece,)) > 0)
