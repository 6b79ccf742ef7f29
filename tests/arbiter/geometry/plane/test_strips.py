"""Where lines of sight are drawn to, in floating numbers: by hand, and wherever they do not doubt as fractions say."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.plane.estimate import Glance
from arbiter.geometry.plane.shapes import Figure, Piece, Spot, standing
from arbiter.geometry.plane.strips import Doubtful, places
from arbiter.geometry.plane.view import spots
from arbiter.geometry.plane.witness import contacts
from tests.arbiter.geometry.plane.test_estimate import heights, places as posts
from tests.arbiter.geometry.plane.test_glimpse import boxed
from tests.arbiter.geometry.plane.test_view import LOOKER, TARGET, box, random_figures, random_pieces
from tests.effort import cases

Stretch = tuple[str, tuple[Spot, ...]]


def test_a_target_in_the_open_is_seen_in_its_middle() -> None:
    assert places(Glance(LOOKER, TARGET), ()) == ((11000, 6000, 500), ())


def test_a_wall_before_one_half_leaves_the_middle_of_the_other() -> None:
    wall = box(6000, 7000, 6000, 9000)
    # The line to the middle of the hidden half, 250 aside, comes to the wall half way, and a tenth on it leaves.
    hidden = (6000, 6125, 750), (7000, 6150, 700)
    assert places(Glance(LOOKER, TARGET), (wall,)) == ((11000, 5750, 500), ((wall, hidden),))


def test_a_wall_before_all_leaves_nothing() -> None:
    wall = box(6000, 7000, 3000, 9000)
    seen, hidden = places(Glance(LOOKER, TARGET), (wall,))
    assert seen is None
    assert hidden == ((wall, ((6000, 6000, 750), (7000, 6000, 700))),)


def test_over_a_low_wall_the_upper_part_is_seen() -> None:
    # Its far side, 300 below the eye and 6 of 10 units on, hides what is below 1000 - 300 * 10 / 6.
    wall = box(6000, 7000, 3000, 9000, 700)
    seen, ((piece, (enters, leaves)),) = places(Glance(LOOKER, TARGET), (wall,))
    assert seen == (11000, 6000, 750)
    assert piece is wall
    # The line to 250 over the foot falls by 75 in each unit.
    assert (enters, leaves) == ((6000, 6000, 625), (7000, 6000, 550))


@pytest.mark.parametrize(
    "pieces",
    [
        (box(6000, 7000, 5800, 6200),),  # as much is seen to the left as to the right
        (box(6000, 7000, 5000, 6000), box(6000, 7000, 6000, 7000)),  # nothing is between them
        (box(10500, 11000, 5000, 6000),),  # a side lies in the board
    ],
)
def test_what_hangs_on_the_last_digit_is_left_open(pieces: tuple[Piece, ...]) -> None:
    with pytest.raises(Doubtful):
        places(Glance(LOOKER, TARGET), pieces)


@pytest.mark.parametrize("step", [1, 100])
def test_places_are_those_of_fractions(step: int) -> None:
    random, sure = Random(step), 0
    many = cases(4_000, 400)
    for _ in range(many):
        looker, target = random_figures(random)
        pieces = [*random_pieces(random)[:1], *(boxed(random, step) for _ in range(random.randint(0, 3)))]
        pieces += [
            standing(Figure("", (random.randint(3_000, 10_000), random.randint(2_000, 10_000)), 500, height))
            for height in random.choices((800, 1000, 2000), k=random.randint(0, 3))
        ]
        sure += agree(looker, target, pieces)
    assert sure > many / 3


@given(
    st.builds(Figure, st.just("a"), posts, st.just(500), heights, st.sampled_from((0, 1000))),
    st.builds(Figure, st.just("b"), posts, st.just(500), heights, st.sampled_from((0, 1000))),
    st.lists(st.tuples(posts, st.integers(1, 8), st.integers(1, 8), heights), max_size=4),
)
def test_places_are_those_of_fractions_where_all_stands_on_a_grid(
    looker: Figure, target: Figure, boxes: list[tuple[tuple[int, int], int, int, int]]
) -> None:
    agree(looker, target, [box(x, x + wide * 250, y, y + deep * 250, high) for (x, y), wide, deep, high in boxes])


def agree(looker: Figure, target: Figure, pieces: list[Piece]) -> bool:
    """Compare the places with those that fractions give; False where floating numbers leave them open."""
    glance = Glance(looker, target)
    hiding = [piece for piece in pieces if glance.may_hide(piece)]
    try:
        seen, hidden = places(glance, hiding)
    except Doubtful:
        return False
    exactly_seen, exactly_hidden = spots(looker, target, hiding)
    assert seen == (exactly_seen and rounded(exactly_seen))
    assert len(hidden) == len(exactly_hidden)
    for (piece, ends), (exactly, spot) in zip(hidden, exactly_hidden, strict=True):
        first, *_ = contacts(looker.eye, spot, exactly)
        assert piece is exactly
        assert first.how == "through"
        assert ends == tuple(map(rounded, first.ends(looker.eye, spot)))
    return True


def rounded(spot: tuple[object, ...]) -> Spot:
    x, y, z = (round(float(part)) for part in spot)  # type: ignore[arg-type]
    return x, y, z
