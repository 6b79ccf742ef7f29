from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.geometry.hex.coordinates import to_offset
from services.blackstone_fortress.battlefield import place
from services.blackstone_fortress.rules import movement
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import Plain, around, field_from, scenes, table
from tests.services.blackstone_fortress.tabletop import block, field_of, guard, janus, scene


@settings(max_examples=cases(120))
@given(scenes(), st.integers(0, 3), st.data())
def test_the_ends_of_a_move_are_those_of_trying_every_walk(posted: dict[str, Any], steps: int, data: Any) -> None:
    field = field_from(posted)
    unit = data.draw(st.sampled_from([*field.explorers, *field.hostiles]))
    ways = movement.ways(table(), field, unit.id, steps)
    assert ways[unit.hex] == ()
    assert {end: len(way) for end, way in ways.items() if way} == Plain(field, unit).ends(steps)


@settings(max_examples=cases(80))
@given(scenes(), st.data())
def test_every_way_that_is_offered_may_be_taken_and_leads_where_it_says(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    unit = data.draw(st.sampled_from([*field.explorers, *field.hostiles]))
    for end, way in movement.ways(table(), field, unit.id, 3).items():
        assert movement.violations(table(), field, unit.id, way, 3) == ()
        assert movement.move(table(), field, unit.id, way).units[unit.id].hex == end


@settings(max_examples=cases(120))
@given(scenes(), st.data())
def test_a_way_is_refused_exactly_when_no_plain_walk_is_like_it(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    unit = data.draw(st.sampled_from([*field.explorers, *field.hostiles]))
    here, way = unit.hex, []
    for _ in range(data.draw(st.integers(1, 3))):
        near = [hex_ for hex_ in around(here) if hex_ in field.ground.hexes]
        here = data.draw(st.sampled_from(near or [here]))
        way.append(here)
    plain = Plain(field, unit)
    # Turning back to where it started is legal where the walk is; only a hex that is too full refuses the end.
    allowed = tuple(way) in plain.walks(2) and plain.has_room(way[-1])
    assert (movement.violations(table(), field, unit.id, way, 2) == ()) == allowed


@settings(max_examples=cases(60))
@given(scenes(), st.data())
def test_a_move_ends_neither_in_a_full_hex_nor_with_an_enemy_nor_past_one(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    unit = data.draw(st.sampled_from([*field.explorers, *field.hostiles]))
    enemies = {enemy.hex for enemy in field.enemies(unit)}
    beside = {near for enemy in enemies for near in around(enemy)}
    for end, way in movement.ways(table(), field, unit.id, 4).items():
        assert end not in enemies
        assert not set(way[:-1]) & (beside | enemies)
        if way:
            assert Plain(field, unit).has_room(end)


@pytest.mark.parametrize("scheme", ["odd-r", "even-r", "odd-q", "even-q"])
def test_moves_are_the_same_in_every_scheme_of_coordinates(scheme: Any) -> None:
    walls = [[[1, 2], [2, 2]], [[2, 1], [2, 2]]]
    axial = scene([janus([1, 2])], [guard("guard-1", [4, 2])], {"walls": walls})
    offset = scene(
        [janus(list(to_offset((1, 2), scheme)))],
        [guard("guard-1", list(to_offset((4, 2), scheme)))],
        {
            "hexes": [to_offset((q, r), scheme) for q, r in block()],
            "walls": [[to_offset(tuple(a), scheme), to_offset(tuple(b), scheme)] for a, b in walls],
            "coordinates": scheme,
        },
    )
    plain = movement.ways(table(), field_of(axial), "janus", 3)
    turned = movement.ways(table(), field_of(offset), "janus", 3)
    assert {to_offset(end, scheme): len(way) for end, way in plain.items()} == {
        end: len(way) for end, way in turned.items()
    }


def test_a_unit_without_enemies_or_friends_reaches_every_hex_within_its_move() -> None:
    field = field_of(scene([janus([3, 2])], []))
    distances = {tuple(hex_): field.ground.distance((3, 2), tuple(hex_)) for hex_ in block()}
    assert set(movement.ways(table(), field, "janus", 2)) == {hex_ for hex_, far in distances.items() if far <= 2}


def test_a_unit_off_the_battlefield_cannot_be_asked_for_its_place() -> None:
    field = field_of(scene([janus(None)], []))
    with pytest.raises(ValueError, match="janus is not on the battlefield"):
        place(field.explorer("janus"))


def test_every_cover_hex_costs_two_on_broken_ground() -> None:
    posted = scene(
        [janus([0, 0])], [], {"hexes": block(5, 1), "cover": [[[1, 0], [2, 0]]]}, twists=["cover-entry-cost"]
    )
    ways = movement.ways(table(), field_of(posted), "janus", 4)
    # Entering (1, 0) and (2, 0) takes two each, and nothing is left for (3, 0).
    assert {end: len(way) for end, way in ways.items()} == {(0, 0): 0, (1, 0): 1, (2, 0): 2}
