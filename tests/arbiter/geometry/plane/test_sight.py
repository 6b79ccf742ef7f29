"""Lines past pieces, against a second method in fractions and by hand where they graze corners, sides and tops."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arbiter.geometry.plane import sight
from arbiter.geometry.plane.shapes import LARGEST, Figure, Piece, Point, Spot
from arbiter.geometry.plane.sight import Lines, Screen, lines_between
from arbiter.geometry.plane.witness import READINGS, Grazes, contacts, stops
from tests.arbiter.geometry.plane.test_oracle import Outline, random_outline, stopped_by
from tests.effort import cases

Verdicts = tuple[bool, bool]

SEEDS = st.integers(0, 2**32)

BLOCK: Outline = ((4000, 4000), (8000, 4000), (8000, 8000), (4000, 8000))


def pieces_of(*outlines: Outline, height: int = 5000) -> list[Piece]:
    return [Piece(f"piece-{place}", outline, height) for place, outline in enumerate(outlines)]


def verdicts(pieces: Sequence[Piece], start: Spot, end: Spot) -> Verdicts:
    """Whether a line is stopped in the two readings, in every way of asking."""
    screen, found = Screen(pieces), []
    for reading in READINGS:
        expected = screen.stops(start, end, reading)
        assert expected == screen.stops(end, start, reading)
        assert expected == bool(screen.met(Lines((start, end), ((0, 1),)), reading).any())
        for witness in (screen.witness(start, end, reading), screen.witness(end, start, reading)):
            assert expected == witness.stopped == any(meeting.counts for meeting in witness.meetings)
        found.append(expected)
    assert screen.witness(start, end).hangs_on_grazes == (found[0] != found[1])
    return found[0], found[1]


def spot(*parts: Fraction | int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, parts))


def check(pieces: Sequence[Piece], spots: Sequence[Spot]) -> None:
    # One way of each pair: that lines are the same both ways is a law below.
    pairs = [(a, b) if (a + b) % 2 else (b, a) for a in range(len(spots)) for b in range(a)]
    screen, lines = Screen(pieces), Lines(spots, pairs)
    prisms = [(piece.outline, piece.height) for piece in pieces]
    for reading in READINGS:
        stopped, met = screen.stopped(lines, reading), screen.met(lines, reading)
        for row, (a, b) in enumerate(pairs):
            expected = stopped_by(spots[a], spots[b], prisms, reading)
            assert met[row].tolist() == expected, (pieces, spots[a], spots[b], reading)
            assert bool(stopped[row]) == any(expected), (pieces, spots[a], spots[b], reading)
            witness = screen.witness(spots[a], spots[b], reading)
            counting = {meeting.piece for meeting in witness.meetings if meeting.counts}
            assert counting == {piece.id for piece, stops in zip(pieces, expected, strict=True) if stops}


def random_scene(random: Random, step: int, levels: Sequence[int]) -> tuple[list[Piece], list[Spot]]:
    """Pieces and spots on a small grid, so that lines often graze; `levels` are the heights of both."""
    pieces = [
        Piece(
            str(place),
            random_outline(random, step * random.randint(4, 16), step * random.randint(4, 16), 4, step),
            random.choice(levels),
        )
        for place in range(random.randint(1, 5))
    ]
    if random.random() < 0.5:
        pieces = [Piece(piece.id, piece.outline[::-1], piece.height) for piece in pieces]
    spots = [(step * random.randint(0, 20), step * random.randint(0, 20), random.choice(levels)) for _ in range(5)]
    corners = [corner for piece in pieces for corner in piece.outline]
    spots += [(*random.choice(corners), random.choice(levels)) for _ in range(2)]
    return pieces, spots


@pytest.mark.parametrize("step", [1, 100, LARGEST // 20])
@pytest.mark.parametrize("seed", range(cases(8, 3)))
def test_random_tables_against_the_oracle(seed: int, step: int) -> None:
    check(*random_scene(Random(f"{seed} {step}"), step, (1000,)))


@pytest.mark.parametrize("seed", range(cases(40, 12)))
def test_one_line_is_stopped_as_by_a_screen(seed: int) -> None:
    pieces, places = random_scene(Random(seed), 250, (0, 1000, 2000, 3000))
    for start in places:
        for end in places:
            for grazes in READINGS:
                assert stops(start, end, pieces, grazes) is Screen(pieces).stops(start, end, grazes)


@pytest.mark.parametrize("seed", range(cases(16)))
def test_random_tables_with_heights_against_the_oracle(seed: int) -> None:
    check(*random_scene(Random(seed), 250, (0, 1000, 2000, 3000)))


@settings(max_examples=cases(10), deadline=None)
@given(SEEDS, st.sampled_from((1, 100)), st.sampled_from(((7,), (0, 7, 14, 21))))
def test_drawn_tables_against_the_oracle(seed: int, step: int, levels: tuple[int, ...]) -> None:
    check(*random_scene(Random(seed), step, levels))


def test_coordinates_as_large_as_they_may_be() -> None:
    # A sliver that is one thousandth wide at its foot; the lines touch its tip and pass through just before it.
    far = LARGEST
    sliver = pieces_of(((0, far // 2), (0, far // 2 + 1), (far, far)))
    assert verdicts(sliver, (far - 1, far, 0), (far, far, 0)) == (True, False)
    assert verdicts(sliver, (far - 2, far, 0), (far, far - 1, 0)) == (True, True)
    # Half-way up, the sliver reaches from 3/4 to 3/4 and half a thousandth: no whole point lies in it.
    middle, up = far // 2, far * 3 // 4
    assert verdicts(sliver, (middle - 1, up, 0), (middle + 1, up, 0)) == (True, True)
    assert verdicts(sliver, (middle, up + 1, 0), (middle, far, 0)) == (False, False)
    assert verdicts(sliver, (middle, up, 0), (middle, 0, 0)) == (True, False)


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ((0, 6000), (12000, 6000), (True, True)),  # through the middle
        ((0, 4000), (12000, 4000), (True, False)),  # along a side
        ((5000, 4000), (7000, 4000), (True, False)),  # along a part of a side, and no corner
        ((0, 8000), (8000, 0), (True, False)),  # past a corner
        ((0, 0), (12000, 12000), (True, True)),  # in at a corner and out at a corner
        ((0, 0), (4000, 4000), (True, False)),  # up to a corner
        ((0, 6000), (4000, 6000), (True, False)),  # up to a side
        ((0, 6000), (3999, 6000), (False, False)),  # not quite up to it
        ((0, 6000), (4001, 6000), (True, True)),  # into it
        ((5000, 5000), (7000, 6000), (True, True)),  # within it from end to end
        ((4000, 5000), (8000, 6000), (True, True)),  # from side to side
        ((0, 2000), (12000, 3999), (False, False)),
        ((0, 4000), (3999, 4000), (False, False)),  # in line with a side, short of it
        ((5000, 5000), (5000, 5000), (True, True)),  # no line at all, within
        ((4000, 5000), (4000, 5000), (True, False)),
        ((4000, 9000), (4000, 9000), (False, False)),
    ],
)
def test_one_block_by_hand(start: Point, end: Point, expected: Verdicts) -> None:
    assert verdicts(pieces_of(BLOCK), (*start, 1000), (*end, 1000)) == expected
    assert verdicts(pieces_of(BLOCK[::-1]), (*start, 1000), (*end, 1000)) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        (5000, 5000, (True, False)),  # level with the top
        (5001, 5001, (False, False)),
        (4999, 4999, (True, True)),
        (8000, 2000, (True, True)),  # it comes down to 5000 over the middle
        (9000, 3000, (True, False)),  # over the far side
        (9001, 3001, (False, False)),
        (7000, 1000, (True, True)),  # over the near side
        (5000, 6000, (False, False)),  # it begins level with the top, before the block
        (5000, 3000, (True, True)),
    ],
)
def test_heights_by_hand(start: int, end: int, expected: Verdicts) -> None:
    # The block takes up the middle third of the line.
    assert verdicts(pieces_of(BLOCK), (0, 6000, start), (12000, 6000, end)) == expected


def test_tenths_that_no_binary_number_holds() -> None:
    # The corner (0.4, 1.6) lies on the line from (2, 0) to (0, 2); as floating inches it does not.
    wedge = pieces_of(((400, 1600), (1400, 1700), (1300, 2600)))
    assert verdicts(wedge, (2000, 0, 0), (0, 2000, 0)) == (True, False)
    assert verdicts(pieces_of(((400, 1599), (1400, 1700), (1300, 2600))), (2000, 0, 0), (0, 2000, 0)) == (True, True)
    assert verdicts(pieces_of(((400, 1601), (1400, 1700), (1300, 2600))), (2000, 0, 0), (0, 2000, 0)) == (False, False)


def test_two_pieces_on_either_hand_of_one_place_are_one_wall() -> None:
    left: Outline = ((4000, 6000), (5000, 8000), (3000, 8000))
    right: Outline = ((4000, 6000), (3000, 4000), (5000, 4000))
    start, end = (0, 6000, 0), (9000, 6000, 0)
    assert verdicts(pieces_of(left), start, end) == verdicts(pieces_of(right), start, end) == (True, False)
    assert verdicts(pieces_of(left, right), start, end) == (True, True)
    apart: Outline = tuple((x + 1, y) for x, y in right)
    assert verdicts(pieces_of(left, apart), start, end) == (True, False)
    # One of them too low for the line.
    low = [*pieces_of(left), Piece("low", right, 1000)]
    assert verdicts(low, (0, 6000, 2000), (9000, 6000, 2000)) == (True, False)
    assert verdicts(low, (0, 6000, 1000), (9000, 6000, 1000)) == (True, False)
    assert verdicts(low, (0, 6000, 999), (9000, 6000, 999)) == (True, True)
    # A line that ends where they meet has not passed between them.
    assert verdicts(pieces_of(left, right), start, (4000, 6000, 0)) == (True, False)


def test_a_line_along_the_common_side_of_two_pieces_is_stopped() -> None:
    above: Outline = ((4000, 6000), (8000, 6000), (8000, 8000), (4000, 8000))
    below: Outline = ((2000, 4000), (7000, 4000), (7000, 6000), (2000, 6000))
    assert verdicts(pieces_of(above, below), (0, 6000, 0), (9000, 6000, 0)) == (True, True)
    beyond: Outline = ((8001, 4000), (9000, 4000), (9000, 6000), (8001, 6000))
    assert verdicts(pieces_of(above, beyond), (0, 6000, 0), (10000, 6000, 0)) == (True, False)


def test_a_notch_is_not_part_of_a_piece() -> None:
    horseshoe: Outline = ((2000, 2000), (8000, 2000), (8000, 8000), (6000, 8000), (6000, 4000), (4000, 4000))
    horseshoe += ((4000, 8000), (2000, 8000))
    assert verdicts(pieces_of(horseshoe), (5000, 9000, 0), (5000, 4001, 0)) == (False, False)
    assert verdicts(pieces_of(horseshoe), (4000, 9000, 0), (4000, 5000, 0)) == (True, False)
    assert verdicts(pieces_of(horseshoe), (5000, 9000, 0), (5000, 4000, 0)) == (True, False)
    assert verdicts(pieces_of(horseshoe), (4500, 5000, 0), (9000, 5000, 0)) == (True, True)


def test_the_witness_names_places() -> None:
    screen = Screen(pieces_of(BLOCK))
    (meeting,) = screen.witness((0, 5000, 9000), (12000, 5000, 0)).meetings
    # The line comes down to the top, 5000, at 4/9 of its way, and leaves the block at 2/3.
    assert (meeting.piece, meeting.how, meeting.counts) == ("piece-0", "through", True)
    assert meeting.where == (spot(Fraction(16000, 3), 5000, 5000), spot(8000, 5000, 3000))
    (meeting,) = screen.witness((0, 8000, 1000), (8000, 0, 1000), "cross").meetings
    assert (meeting.how, meeting.where, meeting.counts) == ("corner", (spot(4000, 4000, 1000),), False)
    (meeting,) = screen.witness((0, 4000, 1000), (6000, 4000, 1000)).meetings
    assert (meeting.how, meeting.where) == ("along", (spot(4000, 4000, 1000), spot(6000, 4000, 1000)))
    (meeting,) = screen.witness((0, 5000, 5000), (12000, 5000, 5000)).meetings
    assert meeting.how == "top"


def test_contacts_tell_the_hand_of_the_piece() -> None:
    (piece,) = pieces_of(BLOCK)
    for outline in (BLOCK, BLOCK[::-1]):
        turned = Piece("", outline, 5000)
        assert [found.hand for found in contacts((0, 4000, 0), (9000, 4000, 0), turned)] == [1]
        assert [found.hand for found in contacts((9000, 4000, 0), (0, 4000, 0), turned)] == [-1]
        assert [found.hand for found in contacts((0, 8000, 0), (8000, 0, 0), turned)] == [1]
    assert [found.hand for found in contacts((0, 8000, 0), (4000, 4000, 0), piece)] == [0]


def test_lines_between_figures_run_from_eye_to_eye() -> None:
    figures = [Figure("a", (0, 0), 10, 1000), Figure("b", (9, 9), 10, 2000), Figure("c", (5, 0), 10, 500, 700)]
    lines = lines_between(figures)
    assert lines.pairs.tolist() == [[0, 1], [0, 2], [1, 2]]
    assert [lines.line(place) for place in range(3)] == [
        ((0, 0, 1000), (9, 9, 2000)),
        ((0, 0, 1000), (5, 0, 1200)),
        ((9, 9, 2000), (5, 0, 1200)),
    ]


def test_nothing_asked_and_nothing_there() -> None:
    lines = lines_between([Figure("a", (0, 0), 10, 1000), Figure("b", (9, 9), 10, 2000)])
    assert Screen(()).stopped(lines).tolist() == [False]
    assert Screen(()).met(lines).shape == (1, 0)
    assert Screen(pieces_of(BLOCK)).stopped(lines_between(())).tolist() == []
    assert Screen(pieces_of(BLOCK)).met(lines_between(())).shape == (0, 1)


@pytest.mark.parametrize("at_once", [1, 50])
def test_much_is_decided_in_parts(at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pieces, spots = random_scene(Random(11), 100, (0, 500, 1000))
    expected = [all_stopped(pieces, spots, reading) for reading in READINGS]
    assert any(expected[0])
    monkeypatch.setattr(sight, "AT_ONCE", at_once)
    assert [all_stopped(pieces, spots, reading) for reading in READINGS] == expected


def test_a_reading_that_does_not_exist() -> None:
    screen, wrong = Screen(pieces_of(BLOCK)), "graze"
    lines = Lines(((0, 0, 0), (1, 1, 0)), ((0, 1),))
    for ask in (screen.stopped, screen.met):
        with pytest.raises(ValueError, match="unknown reading of grazes 'graze'"):
            ask(lines, wrong)
    with pytest.raises(ValueError, match="unknown reading"):
        screen.witness((0, 0, 0), (1, 1, 0), wrong)


@st.composite
def scenes(draw: st.DrawFn) -> tuple[list[Piece], list[Spot]]:
    return random_scene(Random(draw(SEEDS)), 100, draw(st.sampled_from(((500,), (0, 500, 1000)))))


def all_stopped(pieces: Sequence[Piece], spots: Sequence[Spot], reading: Grazes) -> list[bool]:
    pairs = [(a, b) for a in range(len(spots)) for b in range(len(spots))]
    stopped: list[bool] = Screen(pieces).stopped(Lines(spots, pairs), reading).tolist()
    return stopped


def turned(pieces: Sequence[Piece], move: tuple[int, int, int, int, int, int]) -> list[Piece]:
    return [Piece(piece.id, tuple(moved(corner, move) for corner in piece.outline), piece.height) for piece in pieces]


def moved(point: Point, move: tuple[int, int, int, int, int, int]) -> Point:
    a, b, c, d, e, f = move
    return a * point[0] + b * point[1] + e, c * point[0] + d * point[1] + f


@given(scenes(), st.sampled_from(READINGS))
def test_lines_are_the_same_both_ways_and_touching_stops_all_that_crossing_does(
    scene: tuple[list[Piece], list[Spot]], reading: Grazes
) -> None:
    pieces, spots = scene
    stopped, many = all_stopped(pieces, spots, reading), len(spots)
    assert all(stopped[a * many + b] == stopped[b * many + a] for a in range(many) for b in range(many))
    assert all(
        touch or not cross
        for touch, cross in zip(all_stopped(pieces, spots, "touch"), all_stopped(pieces, spots, "cross"), strict=True)
    )


@given(scenes(), st.sampled_from(READINGS))
def test_more_terrain_never_opens_a_line(scene: tuple[list[Piece], list[Spot]], reading: Grazes) -> None:
    pieces, spots = scene
    before: list[bool] = [False] * len(spots) ** 2
    for some in range(len(pieces)):
        after = all_stopped(pieces[: some + 1], spots, reading)
        assert all(now or not then for then, now in zip(before, after, strict=True))
        before = after
    higher = [Piece(piece.id, piece.outline, piece.height + 250) for piece in pieces]
    assert all(now or not then for then, now in zip(before, all_stopped(higher, spots, reading), strict=True))


@given(
    scenes(),
    st.sampled_from(READINGS),
    st.sampled_from(
        [
            (1, 0, 0, 1, 7000, 123),
            (0, -1, 1, 0, 9000, 0),
            (-1, 0, 0, -1, 9000, 9000),
            (0, 1, -1, 0, 0, 9000),
            (-1, 0, 0, 1, 9000, 0),
            (0, 1, 1, 0, 0, 0),
            (3, 4, -4, 3, 0, 90000),
        ]
    ),
)
def test_moving_turning_mirroring_and_scaling_change_nothing(
    scene: tuple[list[Piece], list[Spot]], reading: Grazes, move: tuple[int, int, int, int, int, int]
) -> None:
    pieces, spots = scene
    there = [(*moved((x, y), move), z) for x, y, z in spots]
    assert all_stopped(pieces, spots, reading) == all_stopped(turned(pieces, move), there, reading)


@given(scenes(), st.sampled_from(READINGS), st.data())
def test_cutting_a_convex_piece_in_two_changes_nothing(
    scene: tuple[list[Piece], list[Spot]], reading: Grazes, data: st.DataObject
) -> None:
    _, spots = scene
    outline: Outline = ((300, 900), (900, 300), (1400, 400), (1700, 1000), (1300, 1600), (700, 1500))
    first = data.draw(st.integers(0, 2))
    last = data.draw(st.integers(first + 2, first + 4))
    around = outline * 2
    parts = (around[first : last + 1], around[last : first + 7])
    whole, cut = pieces_of(outline, height=500), pieces_of(*parts, height=500)
    spots = [*spots, *((*corner, 0) for corner in outline[:2])]
    assert all_stopped(whole, spots, reading) == all_stopped(cut, spots, reading)


@given(scenes(), st.data())
def test_the_order_of_corners_and_pieces_does_not_matter(
    scene: tuple[list[Piece], list[Spot]], data: st.DataObject
) -> None:
    pieces, spots = scene
    shuffled = []
    for piece in data.draw(st.permutations(pieces)):
        start = data.draw(st.integers(0, len(piece.outline) - 1))
        outline = (*piece.outline[start:], *piece.outline[:start])
        shuffled.append(Piece(piece.id, outline[:: data.draw(st.sampled_from((1, -1)))], piece.height))
    for reading in READINGS:
        assert all_stopped(pieces, spots, reading) == all_stopped(shuffled, spots, reading)


def test_a_way_around_is_the_way_of_its_parts() -> None:
    # A line is stopped in the reading 'touch' exactly when one of its halves is.
    random = Random(5)
    for _ in range(60):
        pieces, spots = random_scene(random, 200, (800,))
        screen = Screen(pieces)
        for (a, b, h), (c, d, _) in pairwise(spots):
            if (a + c) % 2 == (b + d) % 2 == 0:
                middle = ((a + c) // 2, (b + d) // 2, h)
                halves = screen.stops((a, b, h), middle) or screen.stops(middle, (c, d, h))
                assert screen.stops((a, b, h), (c, d, h)) == halves


@given(SEEDS)
@settings(max_examples=cases(200, 40))
def test_the_pieces_beside_one_line_are_those_beside_many(seed: int) -> None:
    random = Random(seed)

    def place() -> tuple[int, int]:
        return random.randint(4_000, 40_000), random.randint(4_000, 40_000)

    screen = Screen([Piece(f"{number}", random_outline(random, *place(), 4, 500), 1000) for number in range(6)])
    a, b = (Figure(id_, place(), random.randint(200, 2_000), 1000) for id_ in ("a", "b"))
    (many,) = screen.beside(lines_between((a, b)), [a.radius])
    assert screen.beside_one(a.at, b.at, a.radius) == many
