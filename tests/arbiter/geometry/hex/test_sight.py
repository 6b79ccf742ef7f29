"""Sight and cover against a second method in fractions, and by hand where lines meet corners and run along hexsides."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.geometry.hex import layout, sight
from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import from_offset, within
from arbiter.geometry.hex.sight import READINGS
from tests.arbiter.geometry.hex import oracle
from tests.arbiter.geometry.hex.boards import Given, Hex, Pair, boards, random_board
from tests.effort import cases

DISC = within((0, 0), 5)

# Hexes of the cases by hand, around (0, 0).
ORIGIN, E, NE, SE = (0, 0), (1, 0), (1, -1), (0, 1)
CORNER = (1, 1)  # the hex beyond the corner between E and SE: the line to it runs along the side between these two
FAR = (4, 1)  # the line to it passes through the corner of (1, 0), (2, 0) and (1, 1)


def verdicts(board: HexBoard, a: Hex, b: Hex) -> tuple[bool, bool]:
    """What is seen in the two readings, in every way of asking."""
    for corners in READINGS:
        pairs = board.all_pairs(corners)
        expected = board.sees(a, b, corners)
        assert expected == board.sees(b, a, corners) == pairs.sees(a, b) == pairs.sees(b, a)
        assert expected == (b in board.visible_from(a, corners)) == (b in pairs.visible_from(a))
        assert expected == board.witness(a, b, corners).visible == board.witness(b, a, corners).visible
    return board.sees(a, b, "touch"), board.sees(a, b, "cross")


def covers(board: HexBoard, attacker: Hex, target: Hex) -> tuple[bool, bool]:
    """Whether the target is in cover in the two readings, in every way of asking."""
    for corners in READINGS:
        pairs = board.all_pairs(corners)
        expected = board.in_cover(attacker, target, corners)
        assert expected == pairs.in_cover(attacker, target) == board.witness(attacker, target, corners).in_cover
        assert expected == (target in board.in_cover_from(attacker, corners))
        assert expected == (target in pairs.in_cover_from(attacker))
    return board.in_cover(attacker, target, "touch"), board.in_cover(attacker, target, "cross")


def check(given: Given, pairs: Iterator[tuple[Hex, Hex]]) -> None:
    board, blocking = given.board(), given.blocking()
    tables = {corners: board.all_pairs(corners) for corners in READINGS}
    for a in sorted(given.hexes)[:3]:
        for corners, table in tables.items():
            assert table.visible_from(a) == board.visible_from(a, corners)
            assert table.in_cover_from(a) == board.in_cover_from(a, corners)
    for a, b in pairs:
        cover = oracle.covering(a, given.cover)
        for corners in READINGS:
            visible = not oracle.stopped(a, b, blocking, corners)
            covered = oracle.stopped(a, b, cover, corners)
            witness = board.witness(a, b, corners)
            table = tables[corners]
            seen = board.sees(a, b, corners), board.sees(b, a, corners), table.sees(a, b), witness.visible
            assert seen == (visible,) * 4, (given, a, b, corners)
            sheltered = board.in_cover(a, b, corners), table.in_cover(a, b), witness.in_cover
            assert sheltered == (covered,) * 3, (given, a, b, corners)


@given(boards(), st.data())
def test_small_boards_against_the_oracle(given: Given, data: st.DataObject) -> None:
    hexes = st.sampled_from(sorted(given.hexes))
    check(given, iter(data.draw(st.lists(st.tuples(hexes, hexes), min_size=4, max_size=12))))


@pytest.mark.parametrize("edges", ["usual", "none", "some"])
@pytest.mark.parametrize("seed", range(cases(12, 4)))
def test_random_boards_against_the_oracle(seed: int, edges: str) -> None:
    random = Random(f"{seed} {edges}")
    given = random_board(random, random.randrange(4, 10), random.randrange(4, 10), edges)
    hexes = sorted(given.hexes)
    check(given, ((random.choice(hexes), random.choice(hexes)) for _ in range(60)))


@pytest.mark.parametrize(("columns", "rows"), [(9, 3), (3, 9), (12, 2), (1, 8), (8, 1)])
def test_every_pair_of_a_board_whose_edges_do_not_block(columns: int, rows: int) -> None:
    # Taken for one number, the offsets (dq, dr) and (dq - width, dr + 1) are the same; usual edges would hide that.
    hexes = frozenset(from_offset(c, r, "odd-r") for c in range(columns) for r in range(rows))
    random = Random(columns)
    every = sorted(set().union(*(oracle.sides(a) for a in hexes)))
    given = Given(hexes, tuple(random.sample(every, 4)), tuple(random.sample(every, 4)), frozenset(), ())
    check(given, ((a, b) for a in sorted(hexes) for b in sorted(hexes)))


def test_hexes_far_apart_and_nothing_between() -> None:
    # Offsets of a sparse board are many times wider than its rows.
    hexes = frozenset({(0, 0), (60, 1), (59, 1), (-40, 60), (20, 31), (1, 0)})
    wall = ((20, 31), (21, 31))
    check(Given(hexes, (wall,), (wall,), frozenset({(59, 1)}), ()), ((a, b) for a in hexes for b in hexes))


def test_adjacent_hexes_see_each_other_unless_a_wall_lies_between() -> None:
    assert verdicts(HexBoard(DISC), ORIGIN, E) == (True, True)
    assert verdicts(HexBoard(DISC, walls=[(E, ORIGIN)]), ORIGIN, E) == (False, False)


@pytest.mark.parametrize(
    ("wall", "expected"),
    [
        (((1, 0), (2, 0)), False),  # the target's near side
        (((2, 0), (3, 0)), True),  # its far side: the line ends at its centre
        (((-1, 0), (0, 0)), True),  # behind the attacker
        (((2, 0), (2, -1)), True),  # beside the line
    ],
)
def test_walls_on_and_beside_a_line_through_sides(wall: Pair, expected: bool) -> None:
    assert verdicts(HexBoard(DISC, walls=[wall]), ORIGIN, (2, 0)) == (expected, expected)


def test_a_wall_along_the_line_blocks_only_where_touching_does() -> None:
    board = HexBoard(DISC, walls=[(E, SE)])
    assert verdicts(board, ORIGIN, CORNER) == (False, True)
    witness = board.witness(ORIGIN, CORNER)
    (meeting,) = witness.blocking
    assert (meeting.kind, meeting.side, meeting.how, meeting.counts) == ("wall", (SE, E), "along", True)
    assert meeting.where == ((Fraction(1, 3), Fraction(1, 3)), (Fraction(2, 3), Fraction(2, 3)))
    assert witness.sight_hangs_on == {"along"}
    (meeting,) = board.witness(ORIGIN, CORNER, "cross").blocking
    assert not meeting.counts


def test_a_wall_that_ends_at_the_line_blocks_only_where_touching_does() -> None:
    board = HexBoard(DISC, walls=[(ORIGIN, E)])
    assert verdicts(board, ORIGIN, CORNER) == (False, True)
    witness = board.witness(ORIGIN, CORNER)
    assert [(meeting.how, meeting.where) for meeting in witness.blocking] == [
        ("corner", ((Fraction(1, 3), Fraction(1, 3)),))
    ]
    assert witness.sight_hangs_on == {"corner"}


def test_walls_on_both_hands_of_a_corner_are_one_wall() -> None:
    board = HexBoard(DISC, walls=[(ORIGIN, E), (ORIGIN, SE)])
    assert verdicts(board, ORIGIN, CORNER) == (False, False)
    witness = board.witness(ORIGIN, CORNER, "cross")
    assert [(meeting.how, meeting.counts) for meeting in witness.blocking] == [("corner", True)] * 2
    assert not witness.sight_hangs_on


def test_between_two_obstructions_there_is_no_way_through_and_past_one_there_is() -> None:
    assert verdicts(HexBoard(DISC, obstructions=[E, SE]), ORIGIN, CORNER) == (False, False)
    assert verdicts(HexBoard(DISC, obstructions=[E]), ORIGIN, CORNER) == (False, True)
    assert verdicts(HexBoard(DISC, obstructions=[E]), ORIGIN, (2, 0)) == (False, False)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("turns", range(6))
def test_a_wall_that_turns_along_the_line_is_crossed_if_it_comes_from_one_hand_and_leaves_to_the_other(
    turns: int, mirrored: bool
) -> None:
    def moved(a: Hex) -> Hex:
        q, r = a[::-1] if mirrored else a
        for _ in range(turns):
            q, r = -r, q + r
        return q, r

    def seen(*walls: Pair) -> tuple[bool, bool]:
        return verdicts(HexBoard(DISC, walls=[(moved(a), moved(b)) for a, b in walls]), ORIGIN, moved(CORNER))

    before, along, beyond, same = (ORIGIN, E), (E, SE), (SE, CORNER), (E, CORNER)
    assert seen(before, along, beyond) == (False, False)
    assert seen(before, along, same) == (False, True)
    assert seen(before, beyond) == (False, True)
    assert seen(same, beyond) == (False, False)


@pytest.mark.parametrize(
    ("walls", "expected"),
    [
        ([((1, 0), (2, 0))], (False, True)),
        ([((1, 0), (1, 1))], (False, True)),
        ([((1, 0), (1, 1)), ((1, 1), (2, 0))], (False, True)),  # both on the lower hand
        ([((1, 0), (2, 0)), ((1, 1), (2, 0))], (False, False)),
        ([((1, 0), (2, 0)), ((1, 0), (1, 1))], (False, False)),
        ([((1, 0), (2, 0)), ((2, 1), (3, 1))], (False, True)),  # one at each of two corners, on opposite hands
    ],
)
def test_a_corner_on_a_slanting_line(walls: list[Pair], expected: tuple[bool, bool]) -> None:
    board = HexBoard(DISC, walls=walls)
    assert verdicts(board, ORIGIN, FAR) == expected
    assert board.witness(ORIGIN, FAR).blocking[0].where == ((Fraction(4, 3), Fraction(1, 3)),)


def test_the_rim_is_touched_in_a_corner_of_the_board() -> None:
    assert verdicts(HexBoard([ORIGIN, E, CORNER]), ORIGIN, CORNER) == (False, True)
    assert verdicts(HexBoard([ORIGIN, CORNER]), ORIGIN, CORNER) == (False, False)  # off the board on both hands
    assert verdicts(HexBoard([ORIGIN, E, SE, CORNER]), ORIGIN, CORNER) == (True, True)
    for hexes in ([ORIGIN, E, CORNER], [ORIGIN, CORNER]):
        assert verdicts(HexBoard(hexes, edges=()), ORIGIN, CORNER) == (True, True)
    witness = HexBoard([ORIGIN, E, CORNER]).witness(ORIGIN, CORNER)
    assert {(meeting.kind, meeting.side, meeting.how) for meeting in witness.blocking} == {
        ("edge", (ORIGIN, SE), "corner"),
        ("edge", (SE, E), "along"),
        ("edge", (SE, CORNER), "corner"),
    }


def test_a_line_may_leave_a_board_whose_edges_do_not_block() -> None:
    gap = [ORIGIN, (2, 0), (3, 0)]
    assert verdicts(HexBoard(gap), ORIGIN, (2, 0)) == (False, False)
    assert verdicts(HexBoard(gap, edges=[((3, 0), (4, 0))]), ORIGIN, (2, 0)) == (True, True)
    assert verdicts(HexBoard(gap, edges=[(E, ORIGIN)]), ORIGIN, (2, 0)) == (False, False)
    assert verdicts(HexBoard([ORIGIN, E, (2, 0)], edges=[(E, ORIGIN)]), ORIGIN, (2, 0)) == (False, False)


def test_a_hex_sees_itself_whatever_surrounds_it() -> None:
    board = HexBoard(DISC, walls=oracle.sides(ORIGIN), cover=oracle.sides(ORIGIN), obstructions=[ORIGIN])
    assert verdicts(board, ORIGIN, ORIGIN) == (True, True)
    assert covers(board, ORIGIN, ORIGIN) == (False, False)
    witness = board.witness(ORIGIN, ORIGIN)
    assert witness.visible
    assert not witness.blocking
    assert not witness.covering


def test_cover_on_the_targets_side_counts_and_on_the_attackers_does_not() -> None:
    board = HexBoard(DISC, cover=[(ORIGIN, E)])
    assert covers(board, ORIGIN, (2, 0)) == (False, False)
    assert covers(board, (2, 0), ORIGIN) == (True, True)
    assert verdicts(board, ORIGIN, (2, 0)) == (True, True)
    (meeting,) = board.witness(ORIGIN, (2, 0)).covering
    assert (meeting.side, meeting.how, meeting.exempt, meeting.counts) == ((ORIGIN, E), "crosses", True, False)
    assert meeting.where == ((Fraction(1, 2), Fraction(0)),)
    (meeting,) = board.witness((2, 0), ORIGIN).covering
    assert (meeting.exempt, meeting.counts) == (False, True)


def test_adjacent_hexes_give_each_other_no_cover() -> None:
    # The side between them is the attacker's own, whoever attacks.
    board = HexBoard(DISC, cover=[(ORIGIN, E)])
    assert covers(board, ORIGIN, E) == covers(board, E, ORIGIN) == (False, False)


def test_cover_that_only_touches_the_attackers_hex_at_a_corner_is_not_its_own() -> None:
    board = HexBoard(DISC, cover=[(E, SE)])
    assert covers(board, ORIGIN, CORNER) == covers(board, CORNER, ORIGIN) == (True, False)
    assert board.witness(ORIGIN, CORNER).cover_hangs_on == {"along"}


def test_the_attackers_own_cover_is_exempt_at_its_corner_too() -> None:
    board = HexBoard(DISC, cover=[(ORIGIN, E), (ORIGIN, SE)])
    assert covers(board, ORIGIN, CORNER) == (False, False)
    assert covers(board, CORNER, ORIGIN) == (True, True)
    assert [meeting.exempt for meeting in board.witness(ORIGIN, CORNER).covering] == [True, True]


def test_own_cover_does_not_join_cover_further_on() -> None:
    # All three make one wall that turns along the line; without the attacker's own side only a graze is left.
    board = HexBoard(DISC, cover=[(ORIGIN, E), (E, SE), (SE, CORNER)])
    assert covers(board, ORIGIN, CORNER) == (True, False)
    assert covers(board, CORNER, ORIGIN) == (True, False)


def test_cover_met_after_the_own_side_counts() -> None:
    board = HexBoard(DISC, cover=[(ORIGIN, E), (E, (2, 0))])
    assert covers(board, ORIGIN, (2, 0)) == covers(board, (2, 0), ORIGIN) == (True, True)


def test_a_hexside_may_be_of_several_kinds() -> None:
    board = HexBoard([ORIGIN, E], walls=[(ORIGIN, E)], cover=[(ORIGIN, E)], obstructions=[E], edges=[(ORIGIN, E)])
    witness = board.witness(ORIGIN, E)
    assert sorted(meeting.kind for meeting in witness.blocking) == ["edge", "obstruction", "wall"]
    assert not witness.in_cover


@given(boards(), st.data())
def test_a_witness_says_what_is_so(given: Given, data: st.DataObject) -> None:
    a, b = data.draw(st.tuples(*[st.sampled_from(sorted(given.hexes))] * 2))
    board = given.board()
    touch, cross = (board.witness(a, b, corners) for corners in READINGS)
    for seen, other in ((touch, cross), (cross, touch)):
        assert seen.visible == (not any(meeting.counts for meeting in seen.blocking))
        assert seen.in_cover == any(meeting.counts for meeting in seen.covering)
        assert (seen.visible != other.visible) == bool(seen.sight_hangs_on)
        assert (seen.in_cover != other.in_cover) == bool(seen.cover_hangs_on)
    met = {pair for pair in given.blocking() if oracle.shared(a, b, pair)}
    assert {meeting.side for meeting in touch.blocking} == met
    for meeting in (*touch.blocking, *touch.covering):
        shared = oracle.shared(a, b, meeting.side)
        assert shared is not None
        places = [tuple(s + t * (e - s) for s, e in zip(a, b, strict=True)) for t in shared[:2]]
        assert list(meeting.where) == (places if meeting.how == "along" else places[:1])
        assert (meeting.how == "along") == (shared[0] < shared[1])
        assert (meeting.how == "crosses") == (shared[2] == {-1, 1})
        assert meeting.exempt == (meeting.kind == "cover" and a in meeting.side)


@given(boards(), st.data())
def test_turning_a_board_turns_its_verdicts(given: Given, data: st.DataObject) -> None:
    a, b = data.draw(st.tuples(*[st.sampled_from(sorted(given.hexes))] * 2))

    def turned(of: Hex) -> Hex:
        return -of[1], of[0] + of[1]

    def turned_sides(sides: tuple[Pair, ...]) -> tuple[Pair, ...]:
        return tuple((turned(p), turned(q)) for p, q in sides)

    around = Given(
        frozenset(map(turned, given.hexes)),
        turned_sides(given.walls),
        turned_sides(given.cover),
        frozenset(map(turned, given.obstructions)),
        None if given.edges is None else turned_sides(given.edges),
    ).board()
    board = given.board()
    for corners in READINGS:
        assert board.sees(a, b, corners) == around.sees(turned(a), turned(b), corners)
        assert board.in_cover(a, b, corners) == around.in_cover(turned(a), turned(b), corners)


@given(boards(), st.data())
def test_touching_stops_whatever_crossing_stops(given: Given, data: st.DataObject) -> None:
    a, b = data.draw(st.tuples(*[st.sampled_from(sorted(given.hexes))] * 2))
    board = given.board()
    assert board.sees(a, b, "touch") <= board.sees(a, b, "cross")
    assert board.in_cover(a, b, "cross") <= board.in_cover(a, b, "touch")


def test_an_unknown_reading_is_named() -> None:
    board = HexBoard(DISC)
    with pytest.raises(ValueError, match="graze"):
        board.sees(ORIGIN, E, "graze")
    with pytest.raises(ValueError, match="graze"):
        board.witness(ORIGIN, E, "graze")


def test_hexes_off_the_board_are_named() -> None:
    board = HexBoard(DISC)
    pairs = board.all_pairs()
    for ask in (board.sees, board.in_cover, board.witness, pairs.sees, pairs.in_cover):
        for a, b in ((ORIGIN, (9, 9)), ((9, 9), ORIGIN)):
            with pytest.raises(ValueError, match=r"hex \(9, 9\) is not on the board"):
                ask(a, b)
    for ask_one in (board.visible_from, board.in_cover_from, pairs.visible_from, pairs.in_cover_from):
        with pytest.raises(ValueError, match=r"hex \(9, 9\) is not on the board"):
            ask_one((9, 9))


def test_boards_share_templates_of_a_stride_and_prepare_makes_all_of_them() -> None:
    sight.templates.cache_clear()
    board = HexBoard(DISC)
    board.prepare()
    prepared = sight.templates(board.layout.stride)
    known = set(prepared)
    HexBoard(within((40, -7), 5), walls=[((40, -7), (41, -7))]).all_pairs()
    moved = HexBoard(within((40, -7), 5))
    assert all(moved.sees((40, -7), b) for b in moved.hexes)
    assert {layout.offset_of(key) for key in set(prepared) - known} <= {(0, 0)}
    assert {abs(key) for a in DISC for b in DISC if (key := layout.key_of(a[0] - b[0], a[1] - b[1]))} <= known


def test_templates_that_grow_too_large_are_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sight, "BYTES_KEPT", 300)
    monkeypatch.setattr(sight, "VIEWED_BYTES_KEPT", 100)
    sight.templates.cache_clear()
    random = Random(7)
    given = random_board(random, 6, 6, "none")
    hexes = sorted(given.hexes)
    check(given, ((random.choice(hexes), random.choice(hexes)) for _ in range(60)))


@settings(max_examples=cases(50))
@given(st.sets(st.tuples(st.integers(-12, 12), st.integers(-12, 12)), min_size=2, max_size=4))
def test_no_two_hexes_that_matter_share_an_index(hexes: set[Hex]) -> None:
    shape = layout.Shape(hexes)
    around = {b for a in hexes for b in oracle.around(a)} | hexes
    # With them, the hexes near the lines between any two: their centres are no further off than a corner is.
    for a, b in permutations(hexes, 2):
        steps = 4 * max(abs(b[0] - a[0]), abs(b[1] - a[1]))
        for step in range(steps + 1):
            q, r = (s * (steps - step) + e * step for s, e in zip(a, b, strict=True))
            for c in product((q // steps, q // steps + 1), (r // steps, r // steps + 1)):
                x, y = c[0] * steps - q, c[1] * steps - r
                if 3 * (x * x + x * y + y * y) <= steps * steps:
                    around.add(c)
    surroundings = {(q, r) for r, low, high in shape.surroundings for q in range(low, high + 1)}
    assert around <= surroundings
    stride = shape.stride()
    assert len({q + stride * r for q, r in surroundings}) == len(surroundings)


@given(st.integers(-400, 400), st.integers(-400, 400))
def test_offsets_have_keys_of_their_own(dq: int, dr: int) -> None:
    q, r = dq % layout.LARGEST_SPAN, dr
    assert layout.offset_of(layout.key_of(q, r)) == (q, r)
    assert layout.offset_of(layout.key_of(-q, r)) == (-q, r)


def test_a_board_that_spans_too_much_is_refused() -> None:
    most = layout.LARGEST_SPAN
    assert HexBoard([(0, 0), (most - 1, 0)], edges=()).sees((0, 0), (most - 1, 0))
    for far in ((most, 0), (0, most), (most - 1, 1)):
        with pytest.raises(ValueError, match=f"the most is {most}"):
            HexBoard([(0, 0), far])
