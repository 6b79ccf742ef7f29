from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import hiding_moves, hostile_moves, movement, routes, shelter, sight
from services.blackstone_fortress.scene import Hex
from tests.effort import cases
from tests.services.blackstone_fortress.skirmishes import Plain, field_from, scenes, table

Walk = tuple[Hex, ...]


def hostile_move_case(posted: dict[str, Any], data: Any) -> tuple[Battlefield, str, Hex]:
    """Draw a hostile and the hex of an explorer to whom a route leads."""
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    explorer = data.draw(st.sampled_from(field.explorers))
    assert explorer.hex is not None
    assume(Plain(field, hostile).route(hostile.hex, explorer.hex) is not None)
    return field, hostile.id, explorer.hex


def approaches(field: Battlefield, hostile_id: str, target: Hex, steps: int) -> set[Hex]:
    """Find the ends of the moves towards a hex by trying every walk: each hex closer, and on as far as that goes."""
    plain = Plain(field, field.hostile(hostile_id))
    start = field.hostile(hostile_id).hex
    assert start is not None

    def closer(walk: Walk) -> bool:
        lengths = [plain.route(hex_, target) for hex_ in (start, *walk)]
        return all(b is not None and a is not None and b < a for a, b in pairwise(lengths))

    walks = [walk for walk in plain.walks(steps) if closer(walk)]
    legal = [walk for walk in walks if not walk or plain.has_room(walk[-1])]
    # Every hex but the last has to be such that the move could still end, which is so on the way to a legal end.
    return {
        (walk or (start,))[-1]
        for walk in legal
        if not any(longer[: len(walk)] == walk and len(longer) > len(walk) for longer in legal)
    }


@settings(max_examples=cases(120))
@given(scenes(cover=False), st.integers(1, 3), st.data())
def test_a_move_towards_an_explorer_ends_where_every_walk_that_comes_closer_does(
    posted: dict[str, Any], steps: int, data: Any
) -> None:
    field, hostile_id, target = hostile_move_case(posted, data)
    # Without cover, and with hexes out of sight no better than others, nothing but coming closer decides.
    table_ = table(unseen_as_cover="does-not-count")
    result = hostile_moves.ends_towards(table_, field, hostile_id, target, steps)
    assert set(result) == approaches(field, hostile_id, target, steps)


@settings(max_examples=cases(120))
@given(
    scenes(), st.sampled_from(["each-hex", "last-hex"]), st.sampled_from(["as-far-as-possible", "may-stop"]), st.data()
)
def test_every_hex_of_a_move_towards_an_explorer_is_closer_and_its_way_legal(
    posted: dict[str, Any], when: str, length: str, data: Any
) -> None:
    field, hostile_id, target = hostile_move_case(posted, data)
    table_ = table(prefer_cover_when=when, hostile_move_length=length)
    hostile = field.hostile(hostile_id)
    plain = Plain(field, hostile)
    for end, way in hostile_moves.ends_towards(table_, field, hostile_id, target, 2).items():
        assert (way or (hostile.hex,))[-1] == end
        assert movement.violations(table(), field, hostile_id, way, 2) == ()
        far = [plain.route(hex_, target) for hex_ in (hostile.hex, *way)]
        assert far == sorted(far, key=lambda hexes: -(hexes or 0))
        assert len(set(far)) == len(far)
        assert target not in way, "an explorer's hex is an enemy's"


@settings(max_examples=cases(80))
@given(scenes(), st.data())
def test_cover_only_ever_takes_ends_away(posted: dict[str, Any], data: Any) -> None:
    field, hostile_id, target = hostile_move_case(posted, data)
    bare = field_from({**posted, "board": {**posted["board"], "cover": []}})
    all_ends = hostile_moves.ends_towards(table(unseen_as_cover="does-not-count"), bare, hostile_id, target, 2)
    for when in ("each-hex", "last-hex"):
        ends = hostile_moves.ends_towards(table(prefer_cover_when=when), field, hostile_id, target, 2)
        assert set(ends) <= set(all_ends)
        assert ends


@settings(max_examples=cases(80))
@given(scenes(), st.data())
def test_a_hostile_that_falls_back_ends_in_reach_and_out_of_all_sight(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    ends = hiding_moves.hidden_ends(table(), field, hostile.id)
    reach = {hostile.hex: 0, **Plain(field, hostile).ends(2 * field.card(hostile).move)}
    seen = {
        hex_
        for hex_ in reach
        if any(sight.visible(table(), field, one.hex, hex_) for one in field.explorers if one.hex)
    }
    assert set(ends) == set(reach) - seen


@settings(max_examples=cases(80))
@given(scenes(), st.data())
def test_a_sneaking_hostile_enters_no_hex_that_is_seen_and_gets_as_near_as_it_can(
    posted: dict[str, Any], data: Any
) -> None:
    field = field_from(posted)
    hostile = data.draw(st.sampled_from(field.hostiles))
    plain = Plain(field, hostile)

    def unseen(hex_: Hex) -> bool:
        return not any(sight.visible(table(), field, one.hex, hex_) for one in field.explorers if one.hex)

    def gap(hex_: Hex) -> int:
        lengths = [plain.route(hex_, one.hex) for one in field.explorers if one.hex]
        return min(routes.UNREACHABLE if length is None else length for length in lengths)

    walks = [walk for walk in plain.walks(field.card(hostile).move) if all(map(unseen, walk))]
    legal = {(walk or (hostile.hex,))[-1] for walk in walks if not walk or plain.has_room(walk[-1])}
    nearest = min(gap(hex_) for hex_ in legal)
    ends = hiding_moves.sneaking_ends(table(), field, hostile.id)
    assert set(ends) == {hex_ for hex_ in legal if gap(hex_) == nearest}
    assert all(all(map(unseen, way)) for way in ends.values())


@settings(max_examples=cases(60))
@given(scenes(), st.data())
def test_what_is_seen_in_bulk_is_what_is_seen_pair_by_pair(posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    corners = data.draw(st.sampled_from(["touch", "cross"]))
    hexes = sorted(field.ground.open)
    seen = shelter.seen_hexes(table(corner_contact=corners), field, hexes)
    places = [one.hex for one in field.explorers if one.hex is not None]
    table_ = table(corner_contact=corners)
    assert seen == {hex_ for hex_ in hexes if any(sight.visible(table_, field, place, hex_) for place in places)}


@pytest.mark.parametrize("option", ["any", "every"])
@settings(max_examples=cases(60))
@given(posted=scenes(), data=st.data())
def test_preferred_hexes_are_in_cover_from_those_who_see_them(option: str, posted: dict[str, Any], data: Any) -> None:
    field = field_from(posted)
    hexes = data.draw(st.lists(st.sampled_from(sorted(field.ground.open)), min_size=1, max_size=5, unique=True))

    def good(hex_: Hex) -> bool:
        seers = [one.hex for one in field.explorers if one.hex and sight.visible(table(), field, one.hex, hex_)]
        covered = [sight.in_cover(table(), field, seer, hex_) for seer in seers]
        return not seers or (any(covered) if option == "any" else all(covered))

    result = shelter.preferred(table(prefer_cover_from=option), field, hexes, "deploy/prefer-cover")
    assert list(result) == ([hex_ for hex_ in hexes if good(hex_)] or hexes)
