"""Ways to somewhere: legal, never cheaper than their length, and no dearer than any other way by more than they say."""

from math import acos, ceil, cos, dist, radians, sin, sqrt
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from arbiter.geometry.plane import shapes
from services.stargrave.geometry.ways import Step, follow_steps
from services.stargrave.rules import combat, movement, reaching, routes, wayfinding
from tests.effort import cases
from tests.services.stargrave.asking import field_of, table
from tests.services.stargrave.yard import empty, kel, on_the_ground, pieces, tenths


def place(draw: st.DataObject) -> tuple[float, float]:
    return draw.draw(tenths(10, 230)), draw.draw(tenths(10, 230))


def thousandths(at: tuple[float, float]) -> shapes.Point:
    return shapes.thousandths(at[0]), shapes.thousandths(at[1])


def search_from(at: tuple[float, float], board: list[dict[str, Any]]) -> wayfinding.Search:
    """Let Kel look for ways on a board, where he stands on the ground."""
    field = field_of(empty(kel(at), pieces=board))
    search = wayfinding.Search(table(), field, field.figure("kel"))
    assume(on_the_ground(search))
    return search


@settings(max_examples=cases(50), deadline=None)
@given(pieces(), st.data())
def test_the_cheapest_way_is_legal_and_no_way_past_one_place_beats_it_by_more_than_its_error(
    board: list[dict[str, Any]], data: Any
) -> None:
    a, b = place(data), place(data)
    search = search_from(a, board)
    result = search.shortest(thousandths(b))
    others = [(), *((place(data),) for _ in range(6))]
    ways = [follow_steps(search.field, search.figure, (*(Step(to) for to in via), Step(b))) for via in others]
    legal = [way for way in ways if search.open(way)]
    if result is None:
        assert not legal
        return
    assert search.open(result.way)
    assert result.way.path.end == tuple(map(float, thousandths(b)))
    assert result.cost >= dist(thousandths(a), thousandths(b)) - 1e-6
    assert result.cost == search.price(result.way)
    assert all(search.price(way) >= result.cost - result.error for way in legal)


@settings(max_examples=cases(40), deadline=None)
@given(pieces(), st.data(), st.integers(0, 3_000))
def test_a_limit_hides_dearer_ways_and_changes_no_other(board: list[dict[str, Any]], data: Any, more: int) -> None:
    a, b = place(data), place(data)
    assume(dist(a, b) <= wayfinding.FAR / shapes.PER_UNIT)
    limit = ceil(dist(thousandths(a), thousandths(b))) + more
    whole, limited = (search_from(a, board).shortest(thousandths(b), *most) for most in ((), (limit,)))
    if whole is None or whole.cost > limit + wayfinding.LITTLE:
        assert limited is None
    elif whole.cost <= limit and not whole.way.rough:
        assert limited is not None
        assert (limited.way, limited.cost) == (whole.way, whole.cost)


@settings(max_examples=cases(25), deadline=None)
@given(pieces(), st.data())
def test_a_place_is_in_reach_exactly_when_a_way_costs_no_more_than_the_allowance(
    board: list[dict[str, Any]], data: Any
) -> None:
    a, b = place(data), place(data)
    search = search_from(a, board)
    result = search.shortest(thousandths(b))
    (priced,) = reaching.reach(table(), search.field, "kel", 6000, None, (thousandths(b),)).requested
    if priced is not None:
        assert result is not None
        assert result.cost - result.error <= priced.cost <= 6000
    if result is not None and result.cost <= 6000:
        assert priced is not None
        assert priced.cost <= result.cost + 1


@settings(max_examples=cases(40), deadline=None)
@given(pieces(), st.data(), st.integers(0, 9000))
def test_as_far_as_it_goes_costs_no_more_and_ends_where_one_can_stand(
    board: list[dict[str, Any]], data: Any, allowance: int
) -> None:
    a, b = place(data), place(data)
    search = search_from(a, board)
    result = search.shortest(thousandths(b))
    assume(result is not None)
    assert result is not None
    part = routes.as_far(table(), search.field, "kel", result.way, allowance)
    assert search.price(part) <= allowance
    assert part.stands
    assert not part.against
    if result.cost <= allowance:
        assert part == result.way


@pytest.mark.parametrize("towards", [(12, 5), (5, 12), (10, 10), (6.123, 9.777), (2.2, 3.3)])
def test_a_way_into_contact_ends_in_contact_and_not_in_the_other_base(towards: tuple[float, float]) -> None:
    field = field_of(empty(kel((5, 5)), kel(towards, id="finn", crew="blue")))
    result = routes.into_contact(table(), field, "kel", "finn")
    assert result is not None
    gap = dist(result.way.path.end, thousandths(towards)) - 1000
    assert 0 <= gap <= 2
    assert result.cost == pytest.approx(dist((5000, 5000), thousandths(towards)) - 1000, abs=3)


def test_a_gap_as_wide_as_the_base_is_open_and_a_narrower_one_shut() -> None:
    def wall(low: float) -> list[dict[str, Any]]:
        return [
            {"id": "a", "outline": [[6, 0], [7, 0], [7, 5], [6, 5]], "height_in": 3, "climbable": False},
            {"id": "b", "outline": [[6, low], [7, low], [7, 24], [6, 24]], "height_in": 3, "climbable": False},
        ]

    for low, length in ((6.0, 5000), (5.999, None)):
        field = field_of(empty(kel((4, 5.5)), pieces=wall(low)))
        result = routes.shortest(table(), field, "kel", (9000, 5500))
        assert (result and result.cost) == length


def test_round_the_corner_of_a_wall_the_way_is_two_legs_and_an_arc() -> None:
    wall = [{"id": "a", "outline": [[6, 0], [7, 0], [7, 8], [6, 8]], "height_in": 3, "climbable": False}]
    field = field_of(empty(kel((5.5, 7)), pieces=wall))
    result = routes.shortest(table(), field, "kel", (7500, 7000))
    assert result is not None
    # One inch up, half a circle of half an inch around two corners with an inch between them, and one inch down.
    assert result.way.path.length == pytest.approx(1000 + 3141.592653589793 / 2 + 1000 + 1000, abs=1e-6)
    assert result.error == 0


@settings(max_examples=cases(30), deadline=None)
@given(st.data())
def test_whoever_walks_ends_where_the_way_does_or_where_it_is_stopped(data: Any) -> None:
    a, b, enemy = place(data), place(data), place(data)
    assume(dist(a, enemy) > 1.01)
    field = field_of(empty(kel(a), kel(enemy, id="finn", crew="blue")))
    result = routes.shortest(table(), field, "kel", thousandths(b))
    assume(result is not None)
    assert result is not None
    after, by = movement.resolve_movement(table(), field, "kel", result.way)
    end = thousandths(after.figure("kel").at or (0.0, 0.0))
    # Where its base first is within an inch of the other's, sampled along the way and at its end.
    path = result.way.path
    apart = {s: dist(path.at(s), thousandths(enemy)) for s in (*range(int(path.length) + 1), path.length)}
    first = next((s for s, far in apart.items() if far <= 2000), None)
    # Whether it grazes the inch between two samples, half a thousandth from either, sampling cannot tell.
    assume(first is not None or min(apart.values()) > sqrt(2000**2 + 0.5**2))
    touching = dist(result.way.path.end, thousandths(enemy)) <= 1002
    if first is None or touching:
        assert by == ()
        assert end == thousandths(b)
    elif by:
        assert dist(end, result.way.path.at(first)) < 3
        assert (
            1_000_000
            <= (end[0] - thousandths(after.figure("finn").at or (0.0, 0.0))[0]) ** 2
            + (end[1] - thousandths(after.figure("finn").at or (0.0, 0.0))[1]) ** 2
            <= 1002**2
        )


@settings(max_examples=cases(60), deadline=None)
@given(st.integers(0, 359), st.integers(0, 359), st.integers(1200, 9000))
def test_every_place_in_contact_with_an_enemy_is_reached_from_everywhere(at: int, begin: int, apart: int) -> None:
    """Straight on where it lies in front; else along the tangent, around the other base, and in at its end."""
    goal, start = (
        (round(12_000 + far * cos(radians(angle))), round(12_000 + far * sin(radians(angle))))
        for far, angle in ((1001, at), (apart, begin))
    )
    field = field_of(empty(kel((start[0] / 1000, start[1] / 1000)), kel((12, 12), id="finn", crew="blue")))
    result = routes.shortest(table(), field, "kel", goal)
    assert result is not None
    assert result.way.path.end == (float(goal[0]), float(goal[1]))
    assert not movement.blocked(table(), field, "kel", result.way)
    turned = radians(min(abs(at - begin), 360 - abs(at - begin)))
    tangent = acos(1000 / apart)
    if turned < tangent - 0.01:
        assert result.cost == ceil(dist(start, goal) - 1e-6)
    elif turned > tangent + 0.1:
        # It keeps a few thousandths away from the base that it goes around, half a circle at most.
        around = sqrt(apart**2 - 1000**2) + 1000 * (turned - tangent)
        assert around - 5 <= result.cost <= around + 20


@pytest.mark.parametrize("friend", ["red", "blue"])
def test_a_place_in_contact_with_two_enemies_is_reached_from_behind_them(friend: str) -> None:
    """Two stand 1.2 inches apart; 0.8 below the middle between them, a base touches both. The way begins above."""
    enemies = [kel((11.4, 12), id="finn", crew="blue"), kel((12.6, 12), id="gus", crew="blue")]
    field = field_of(empty(kel((12, 16)), kel((12, 2), id="rex", crew=friend), *enemies))
    result = routes.shortest(table(), field, "kel", (12_000, 11_200))
    assert result is not None
    assert not movement.blocked(table(), field, "kel", result.way)
    after = movement.carry_out(table(), field, "kel", result.way)
    assert set(combat.opponents(table(), after, "kel")) == {"finn", "gus"}


def test_a_place_that_is_only_reached_past_an_enemy_in_contact_is_out_of_reach() -> None:
    """Straight on Kel would touch Finn at (7, 5) on his way, and around him it is more than 6 inches."""
    field = field_of(empty(kel((4, 5)), kel((7, 6), id="finn", crew="blue")))
    (straight_on, short, beyond) = reaching.reach(
        table(), field, "kel", 6000, None, ((10_000, 5000), (7000, 5000), (10_000, 4900))
    ).requested
    assert straight_on is None
    assert short is not None
    assert short.cost == 3000
    assert beyond is None
