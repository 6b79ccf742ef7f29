"""Places to draw lines to: in the largest strip that is seen, and in the largest that a piece hides."""

from random import Random

import pytest
from hypothesis import given

from arbiter.geometry.plane.estimate import PARTS, Glance
from arbiter.geometry.plane.shapes import Figure
from arbiter.geometry.plane.view import hidden_share
from arbiter.geometry.plane.witness import contacts, witness
from tests.arbiter.geometry.plane.test_view import LOOKER, SEEDS, TARGET, box, random_figures, random_pieces

GLANCE = Glance(LOOKER, TARGET)


def test_the_place_that_is_shown_lies_in_the_largest_strip() -> None:
    """By hand: 5 units away the eye sees past a wall, 0.5 high above it, to 1 under the eye at the target: its foot."""
    assert GLANCE.seen_spot(()) == (11000, 6000, 500)
    wall = box(6000, 6001, 3000, 6000)
    assert GLANCE.hidden_spot(wall) == pytest.approx((11000, 5750, 500), abs=0.1)
    assert GLANCE.seen_spot((wall,)) == pytest.approx((11000, 6250, 500), abs=0.1)
    # From 1000 high over 750 at half of the way, the shadow ends at 500: the upper half is seen, the lower is hidden.
    low = box(5999, 6000, 3000, 9000, 750)
    assert GLANCE.seen_spot((low,)) == pytest.approx((11000, 6000, 750), abs=0.1)
    assert GLANCE.hidden_spot(low) == pytest.approx((11000, 6000, 250), abs=0.1)
    assert GLANCE.seen_spot((box(6000, 7000, 3000, 9000),)) is None
    assert GLANCE.hidden_spot(box(6000, 7000, 6300, 9000)) is None


def test_of_strips_that_are_as_large_as_each_other_the_first_is_shown() -> None:
    """A post of 0.1 on either side of the line throws a shadow: of the strips beside it, the right one."""
    post = box(5999, 6000, 5900, 6100)
    assert GLANCE.seen_spot((post,)) == pytest.approx((11000, 5650, 500), abs=0.1)


def test_two_walls_side_by_side_are_one_strip() -> None:
    """Half-way, they hide one side and end 0.05 beyond the middle, which is 0.1 on the silhouette."""
    walls = box(6000, 6001, 5000, 5900), box(6000, 6001, 5900, 6050)
    assert GLANCE.seen_spot(walls) == pytest.approx((11000, 6300, 500), abs=0.1)


@pytest.mark.parametrize("looker", [TARGET.at, (11300, 6000)], ids=["straight above", "beside its middle"])
def test_what_is_near_is_shown_too(looker: tuple[int, int]) -> None:
    above = Figure("above", looker, 500, 1000, elevation=3000)
    assert Glance(above, TARGET).seen_spot(()) == (11000, 6000, 500)


@given(SEEDS)
def test_the_line_to_what_is_seen_crosses_nothing_and_the_line_to_what_is_hidden_meets_it(seed: int) -> None:
    random = Random(seed)
    pieces, (looker, target) = random_pieces(random), random_figures(random)
    dx, dy = target.at[0] - looker.at[0], target.at[1] - looker.at[1]
    glance = Glance(looker, target)
    places = {"": (glance.seen_spot(pieces), hidden_share(looker, target, pieces).rest)}
    places |= {piece.id: (glance.hidden_spot(piece), hidden_share(looker, target, [piece])) for piece in pieces}
    for id_, (spot, share_of_it) in places.items():
        if spot is None:
            assert float(share_of_it) < 0.001
            continue
        assert share_of_it > 0
        across, along, up = spot[0] - target.at[0], spot[1] - target.at[1], spot[2] - target.elevation
        assert abs(across * dx + along * dy) <= (abs(dx) + abs(dy)) / PARTS
        assert across**2 + along**2 < target.radius**2
        assert 0 < up < target.height
        if id_:
            (piece,) = (piece for piece in pieces if piece.id == id_)
            assert contacts(looker.eye, spot, piece)
        else:
            assert not witness(looker.eye, spot, pieces, "cross").stopped
