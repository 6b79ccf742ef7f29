"""Steps on open tables, and the state that pairs a case with its battlefield."""

from arbiter.geometry.plane.shapes import Figure
from arbiter.skirmish.prepared import Prepared
from arbiter.skirmish.steps import floats, stepped, whole


def test_places_are_rounded_to_whole_thousandths_and_given_in_floating_numbers() -> None:
    assert whole((1000.4, 1999.6)) == (1000, 2000)
    assert floats((3, 4)) == (3.0, 4.0)


def test_steps_lead_straight_from_place_to_place_and_where_one_stands_is_no_step() -> None:
    path = stepped(Figure("ada", (0, 0), 500, 2000), [(3, 4), (3, 4), (3, 10)])
    assert (path.start, path.end, path.length) == ((0.0, 0.0), (3000.0, 10_000.0), 11_000.0)
    assert [leg.length for leg in path.legs] == [5000.0, 6000.0]
    alone = stepped(Figure("ada", (7, 8), 500, 2000), ())
    assert (alone.start, alone.end, alone.length, alone.legs) == ((7.0, 8.0), (7.0, 8.0), 0, ())


def test_a_prepared_case_is_taken_apart_into_its_field_and_itself() -> None:
    field, case = Prepared("field", "case")
    assert (field, case) == ("field", "case")
