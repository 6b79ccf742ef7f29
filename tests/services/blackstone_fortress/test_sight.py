"""Sight, cover and range: laws that hold on any board, and a second, slow answer that shares no code with the rules."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.fault import Faults
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import sight, sightline
from services.blackstone_fortress.scene import Hex
from tests.services.blackstone_fortress.tabletop import ask, block, field_of, guard, janus, readings, scene, table

WIDE, HIGH = 6, 5
STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
GRID = [(q, r) for r in range(HIGH) for q in range(WIDE)]
SIDES = [((q, r), (q + dq, r + dr)) for q, r in GRID for dq, dr in STEPS[:3] if (q + dq, r + dr) in GRID]

Side = tuple[Hex, Hex]


@st.composite
def boards(draw: st.DrawFn) -> dict[str, Any]:
    missing = draw(st.sets(st.sampled_from(GRID), max_size=5))
    hexes = [hex_ for hex_ in GRID if hex_ not in missing]
    on_board = [side for side in SIDES if set(side) <= set(hexes)]
    sides = st.lists(st.sampled_from(on_board), max_size=6, unique=True)
    board = {
        "hexes": hexes,
        "walls": draw(sides),
        "cover": draw(sides),
        "obstructions": draw(st.lists(st.sampled_from(hexes), max_size=2, unique=True)),
    }
    if draw(st.booleans()):
        board["edges"] = draw(sides)
    return board


@st.composite
def pairs(draw: st.DrawFn) -> tuple[dict[str, Any], Hex, Hex]:
    board = draw(boards())
    return board, draw(st.sampled_from(board["hexes"])), draw(st.sampled_from(board["hexes"]))


def field(board: dict[str, Any]) -> Battlefield:
    return field_of({"board": board})


# A second answer: closed segments in whole numbers, the centre of (q, r) at (3q, 3r)


def ends(side: Side) -> tuple[Hex, Hex]:
    (aq, ar), (bq, br) = side
    thirds = [
        (aq + q, ar + r) for q, r in STEPS if (aq + q - bq, ar + r - br) in STEPS
    ]  # the two hexes that lie next to both
    (cq, cr), (dq, dr) = thirds
    return (aq + bq + cq, ar + br + cr), (aq + bq + dq, ar + br + dr)


def touches(a: Hex, b: Hex, side: Side) -> bool:
    """Whether the closed segment between two centres and the closed hexside have a point in common."""
    p, q = (3 * a[0], 3 * a[1]), (3 * b[0], 3 * b[1])
    r, s = ends(side)
    if a == b:
        return False

    def turn(u: Hex, v: Hex, w: Hex) -> int:
        area = (v[0] - u[0]) * (w[1] - u[1]) - (v[1] - u[1]) * (w[0] - u[0])
        return (area > 0) - (area < 0)

    def between(u: Hex, v: Hex, w: Hex) -> bool:
        return min(u[0], v[0]) <= w[0] <= max(u[0], v[0]) and min(u[1], v[1]) <= w[1] <= max(u[1], v[1])

    hands = turn(p, q, r), turn(p, q, s), turn(r, s, p), turn(r, s, q)
    if hands[0] * hands[1] < 0 and hands[2] * hands[3] < 0:
        return True
    touching = ((p, q, r, hands[0]), (p, q, s, hands[1]), (r, s, p, hands[2]), (r, s, q, hands[3]))
    return any(hand == 0 and between(u, v, w) for u, v, w, hand in touching)


def sides_of(hex_: Hex) -> Iterator[Side]:
    for q, r in STEPS:
        other = (hex_[0] + q, hex_[1] + r)
        yield min(hex_, other), max(hex_, other)


def blocking(board: dict[str, Any]) -> set[Side]:
    """Every hexside that blocks when the rim counts as an edge."""
    hexes = set(board["hexes"])
    named = {(min(side), max(side)) for side in (*board["walls"], *board.get("edges", ()))}
    around = {side for hex_ in board["obstructions"] for side in sides_of(hex_)}
    return named | around | {side for hex_ in hexes for side in sides_of(hex_) if (set(side) - hexes)}


@given(pairs())
def test_sight_is_what_brute_force_finds(pair: tuple[dict[str, Any], Hex, Hex]) -> None:
    board, a, b = pair
    free = not any(touches(a, b, side) for side in blocking(board))
    assert sight.visible(table(), field(board), a, b) == free


@given(pairs())
def test_cover_is_what_brute_force_finds(pair: tuple[dict[str, Any], Hex, Hex]) -> None:
    board, a, b = pair
    own = set(sides_of(a))
    meets = any(touches(a, b, side) for side in board["cover"] if (min(side), max(side)) not in own)
    assert sight.in_cover(table(), field(board), a, b) == meets


@given(pairs())
def test_range_on_the_board_is_what_a_flood_finds(pair: tuple[dict[str, Any], Hex, Hex]) -> None:
    board, a, b = pair
    hexes, counts, edge = set(board["hexes"]), {a: 0}, [a]
    for hex_ in edge:
        for q, r in STEPS:
            near = hex_[0] + q, hex_[1] + r
            if near in hexes and near not in counts:
                counts[near] = counts[hex_] + 1
                edge.append(near)
    plain = max(abs(a[0] - b[0]), abs(a[1] - b[1]), abs(a[0] + a[1] - b[0] - b[1]))
    assert sight.range_between(table(), field(board), a, b) == plain
    assert sight.range_between(table(range_count="on-board"), field(board), a, b) == counts.get(b, plain)


# Laws

options = st.fixed_dictionaries(
    {"corner_contact": st.sampled_from(["touch", "cross"]), "edge_definition": st.sampled_from(["rim", "listed-only"])}
)


@given(pairs(), options)
def test_sight_is_mutual_and_range_the_same_both_ways(
    pair: tuple[dict[str, Any], Hex, Hex], chosen: dict[str, str]
) -> None:
    board, a, b = pair
    where = field(board)
    assert sight.visible(table(**chosen), where, a, b) == sight.visible(table(**chosen), where, b, a)
    assert sight.range_between(table(), where, a, b) == sight.range_between(table(), where, b, a)


@given(pairs())
def test_the_laxer_readings_never_hide_what_the_stricter_ones_show(pair: tuple[dict[str, Any], Hex, Hex]) -> None:
    board, a, b = pair
    where = field(board)
    if sight.visible(table(), where, a, b):
        for corner, edge in (("cross", "rim"), ("touch", "listed-only"), ("cross", "listed-only")):
            assert sight.visible(table(corner_contact=corner, edge_definition=edge), where, a, b)
    if not sight.in_cover(table(), where, a, b):
        assert not sight.in_cover(table(cover_corner_contact="cross"), where, a, b)


@given(pairs(), options)
def test_a_reading_is_consulted_only_where_some_option_differs(
    pair: tuple[dict[str, Any], Hex, Hex], chosen: dict[str, str]
) -> None:
    board, a, b = pair
    where, table_ = field(board), table(**chosen)
    sight.visible(table_, where, a, b)
    verdicts = {
        sight.visible(table(corner_contact=corner, edge_definition=edge), where, a, b)
        for corner in ("touch", "cross")
        for edge in ("rim", "listed-only")
    }
    assert bool(table_.read_ids) == (len(verdicts) == 2)


@given(pairs(), options, st.sampled_from(["touch", "cross"]))
def test_what_a_line_meets_bears_out_the_verdicts(
    pair: tuple[dict[str, Any], Hex, Hex], chosen: dict[str, str], cover: str
) -> None:
    board, a, b = pair
    where = field(board)
    contacts = sightline.contacts(table(**chosen, cover_corner_contact=cover), where.ground, a, b, True)
    seen = sight.visible(table(**chosen), where, a, b)
    assert seen == (not any(one.counts for one in contacts if one.kind != "cover"))
    sheltered = sight.in_cover(table(cover_corner_contact=cover), where, a, b)
    assert sheltered == any(one.counts for one in contacts if one.kind == "cover")
    for contact in contacts:
        for x, y in contact.at:
            assert on_segment(a, b, (Fraction(x), Fraction(y)))
    away = [abs(Fraction(x) - a[0]) + abs(Fraction(y) - a[1]) for x, y in (contact.at[0] for contact in contacts)]
    assert away == sorted(away)


def on_segment(a: Hex, b: Hex, point: tuple[Fraction, Fraction]) -> bool:
    (dx, dy), (px, py) = (b[0] - a[0], b[1] - a[1]), (point[0] - a[0], point[1] - a[1])
    along = dx * px + dy * py
    return dx * py == dy * px and 0 <= along <= dx * dx + dy * dy


@given(pairs())
def test_no_cover_side_of_another_hex_is_touched_at_a_corner_of_ones_own_alone(
    pair: tuple[dict[str, Any], Hex, Hex],
) -> None:
    """A line that leaves its hex by a corner follows the one other side there, and so does more than touch its end."""
    _, a, b = pair
    own = {point for side in sides_of(a) for point in ends(side)}
    for side in {side for hex_ in GRID for side in sides_of(hex_)} - set(sides_of(a)):
        on_line = {end for end in ends(side) if on_segment(scaled(a), scaled(b), fraction(end))}
        assert a == b or not on_line & own or len(on_line) == 2


def scaled(hex_: Hex) -> Hex:
    return 3 * hex_[0], 3 * hex_[1]


def fraction(point: Hex) -> tuple[Fraction, Fraction]:
    return Fraction(point[0]), Fraction(point[1])


def test_edges_that_are_listed_are_edges_besides_the_rim() -> None:
    board = {"hexes": [(q, r) for q, r in GRID if (q, r) != (2, 2)], "edges": [((3, 1), (4, 1))]}
    where = field({"walls": [], "cover": [], "obstructions": [], **board})
    for edge, across_hole, across_edge in (("rim", False, False), ("listed-only", True, False)):
        assert sight.visible(table(edge_definition=edge), where, (1, 2), (3, 2)) is across_hole
        assert sight.visible(table(edge_definition=edge), where, (2, 1), (5, 1)) is across_edge


# The question


def test_unknown_and_absent_places_are_faults_at_their_place() -> None:
    posted = scene([janus([1, 2])], [guard("guard", None, slain=True)])
    with pytest.raises(Faults) as caught:
        ask("line-of-sight", {"scene": posted, "observer": "nobody", "targets": ["guard", [99, 0], "janus"]})
    assert [(fault.pointer, fault.code) for fault in caught.value.faults] == [
        ("/case/observer", "unknown-unit"),
        ("/case/targets/0", "not-on-the-battlefield"),
        ("/case/targets/1", "off-board"),
    ]


def test_who_names_a_unit_where_there_is_none_is_told_what_can_be_named() -> None:
    with pytest.raises(Faults) as caught:
        ask("line-of-sight", {"scene": scene([], []), "observer": [0, 0], "targets": ["nobody"]})
    (fault,) = caught.value.faults
    assert (fault.code, fault.expected) == ("unknown-unit", "a hex of the board, for the scene has no units")


def test_an_observing_hex_looks_at_everyone() -> None:
    posted = scene([janus([1, 2])], [guard("guard", [3, 2]), guard("gone", None, slain=True)])
    answer = ask("line-of-sight", {"scene": posted, "observer": [0, 0]}).answer
    assert [line.target for line in answer.lines] == ["janus", "guard"]


@given(pairs(), st.permutations([(twist, explain) for twist in (False, True) for explain in (False, True)] * 2))
def test_what_is_remembered_of_a_line_is_told_as_it_is_found_anew(
    pair: tuple[dict[str, Any], Hex, Hex], asked: list[tuple[bool, bool]]
) -> None:
    board, a, b = pair
    # What is asked under readings of one's own is never remembered, be they those of the house.
    spelled_out = readings()
    for twist, explain in asked:
        posted = scene([], [], board, twists=["no-cover"] if twist else [])
        case = {"scene": posted, "observer": a, "targets": [b, a], "explain": explain}
        remembered, anew = ask("line-of-sight", case), ask("line-of-sight", case, readings=spelled_out)
        assert remembered == anew
        assert (remembered.answer.lines[0].contacts is None) is not explain
        assert not (twist and remembered.answer.lines[0].in_cover)


@pytest.mark.parametrize("coordinates", ["odd-r", "even-r", "odd-q", "even-q"])
def test_offset_boards_get_the_same_verdicts_in_their_own_coordinates(coordinates: Any) -> None:
    from arbiter.geometry.hex.coordinates import to_offset

    def posted(hex_: Hex) -> tuple[int, int]:
        return to_offset(hex_, coordinates)

    hexes = [(q, r) for q, r in block()]
    walls, cover = [((3, 1), (4, 1))], [((2, 2), (3, 2))]
    plain = field({"hexes": hexes, "walls": walls, "cover": cover, "obstructions": []})
    moved = field(
        {
            "coordinates": coordinates,
            "hexes": [posted(hex_) for hex_ in hexes],
            "walls": [(posted(a), posted(b)) for a, b in walls],
            "cover": [(posted(a), posted(b)) for a, b in cover],
        }
    )
    for a in hexes:
        for b in hexes:
            there = posted(a), posted(b)
            assert sight.visible(table(), plain, a, b) == sight.visible(table(), moved, *there)
            assert sight.in_cover(table(), plain, a, b) == sight.in_cover(table(), moved, *there)
            assert sight.range_between(table(), plain, a, b) == sight.range_between(table(), moved, *there)


@pytest.mark.parametrize(("walls", "said"), [([], True), ([[[2, 2], [3, 2]]], False)])
def test_cover_of_the_observers_own_hex_is_explained_where_the_target_is_seen(walls: Any, said: bool) -> None:
    posted = scene([], [], {"walls": walls, "cover": [[[1, 2], [2, 2]]]})
    ruling = ask("line-of-sight", {"scene": posted, "observer": [1, 2], "targets": [[4, 2]]})
    own = "The cover between (1, 2) and (2, 2) is part of the hex (1, 2) itself and does not count"
    assert (own in {finding.text for finding in ruling.findings}) == said
    assert [meeting.exempt for meeting in ruling.answer.lines[0].contacts if meeting.kind == "cover"] == [True]
