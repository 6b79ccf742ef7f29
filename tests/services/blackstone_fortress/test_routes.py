from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.blackstone_fortress.rules import routes
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import Plain, field_from, scenes, table
from tests.services.blackstone_fortress.tabletop import block, field_of, guard, janus, scene


@settings(max_examples=cases(80))
@given(scenes(), st.data())
def test_routes_are_those_of_a_plain_search(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    hexes = sorted(field.ground.open)
    a, b = data.draw(st.sampled_from(hexes)), data.draw(st.sampled_from(hexes))
    expected = Plain(field, field.hostiles[0]).route(a, b)
    result = routes.distance(table(), field, a, b)
    assert result == (routes.UNREACHABLE if expected is None else expected)
    assert result == routes.distance(table(), field, b, a)
    assert result >= field.ground.distance(a, b)


@settings(max_examples=cases(60))
@given(scenes(), st.data())
def test_the_closest_and_the_furthest_are_found_by_comparing_all(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    plain = Plain(field, hostile)
    far = {}
    for explorer in field.explorers:
        assert explorer.hex is not None
        length = plain.route(hostile.hex, explorer.hex)
        far[explorer.id] = routes.UNREACHABLE if length is None else length
    closest = routes.closest_explorers(table(), field, hostile.id)
    furthest = routes.furthest_explorers(table(), field, hostile.id)
    assert {one.id for one in closest} == {id_ for id_, hexes in far.items() if hexes == min(far.values())}
    assert {one.id for one in furthest} == {id_ for id_, hexes in far.items() if hexes == max(far.values())}


def test_enemies_of_the_mover_lengthen_a_route_only_by_the_other_reading() -> None:
    # Two rows: the straight way from (3, 0) to (0, 0) leads past the explorer in (1, 0).
    posted = scene([janus([1, 0])], [guard("guard-1", [3, 0])], {"hexes": block(4, 2)})
    field = field_of(posted)
    mover = field.hostile("guard-1")
    assert routes.distance(table(), field, (3, 0), (0, 0), mover) == 3
    barred = table(route_through_miniatures="blocked-by-enemies")
    assert routes.distance(barred, field, (3, 0), (0, 0), mover) == 4
    assert routes.distance(barred, field, (3, 0), (0, 0)) == 3, "only enemies of a mover are in the way"
    assert routes.distance(barred, field, (3, 0), (1, 0), mover) == 2, "the hex one goes to is never in the way"


def test_readings_are_named_only_where_they_tell_distances_apart() -> None:
    field = field_of(scene([janus([1, 0])], [guard("guard-1", [3, 0])], {"hexes": block(4, 2)}))
    table_ = table()
    routes.distance(table_, field, (3, 0), (1, 1), field.hostile("guard-1"))
    assert table_.read_ids == {}
    routes.distance(table_, field, (3, 0), (0, 0), field.hostile("guard-1"))
    assert table_.read_ids == {"route-through-miniatures": "pass"}


def test_nearest_keeps_the_order_of_its_keys_and_each_once() -> None:
    field = field_of(scene([], [], {"hexes": block(6, 1)}))
    pairs = [("b", (0, 0), (2, 0)), ("a", (5, 0), (3, 0)), ("b", (0, 0), (5, 0)), ("c", (0, 0), (5, 0))]
    assert routes.nearest(table(), field, pairs) == ("b", "a")
    assert routes.nearest(table(), field, []) == ()
