"""Paths from place to place and bases in the way, counted by hand in thousandths."""

from math import pi

import pytest

from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.shapes import Figure, floats, whole
from arbiter.skirmish.paths import last_length, ring, rounds, stepped

BODY = Figure("ada", (10_000, 10_000), 1_500, 5_000)


def test_a_path_leads_from_place_to_place_and_leaves_out_steps_on_the_spot() -> None:
    path = stepped(BODY, ((13.0, 14.0), (13.0, 14.0), (13.0, 26.0)))
    assert (path.start, path.end) == ((10_000.0, 10_000.0), (13_000.0, 26_000.0))
    assert [leg.length for leg in path.legs] == [5_000.0, 12_000.0]
    assert path.length == 17_000.0


def test_a_path_to_where_one_stands_has_no_legs() -> None:
    for places in (((10.0, 10.0),), ()):
        path = stepped(BODY, places)
        assert (path.length, path.legs, path.start, path.end) == (0.0, (), (10_000.0, 10_000.0), path.start)


def test_places_are_rounded_to_the_nearest_thousandth() -> None:
    assert whole((1.4, 2.6)) == (1, 3)
    assert floats((1, 3)) == (1.0, 3.0)


def test_a_length_is_found_up_to_which_something_holds() -> None:
    assert last_length(lambda far: far <= 700, 1_000) == pytest.approx(700, abs=1e-3)
    assert last_length(lambda _: True, 1_000) == 1_000
    assert last_length(lambda _: False, 1_000) == 0


def test_a_ring_begins_in_its_direction_and_goes_all_around() -> None:
    assert ring((10, 20), 1_000, 4) == ((1_010, 20), (10, 1_020), (-990, 20), (10, -980))
    assert ring((0, 0), 1_000, 2, pi / 2) == ((0, 1_000), (0, -1_000))


@pytest.mark.parametrize(
    ("x", "gap", "radius"),
    [
        (20_000, 0, 1_500),  # far away: the base as it is
        (20_000, 11, 1_511),  # and the distance that is kept from it
        (12_900, 0, 1_400),  # overlapping by rounding: as much as leaves the start free
    ],
)
def test_what_stands_beside_by_rounding_leaves_the_start_free(x: int, gap: int, radius: int) -> None:
    other = Figure("bob", (x, 10_000), 1_500, 5_000)
    assert list(rounds(BODY, ((other, gap, True),))) == [Round(other.at, radius, True)]


def test_a_base_on_top_of_the_start_is_nothing_to_go_around() -> None:
    assert list(rounds(BODY, ((Figure("bob", (11_000, 10_000), 1_500, 5_000), 0, False),))) == []
