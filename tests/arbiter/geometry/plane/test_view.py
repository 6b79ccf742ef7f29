"""What is seen of a figure: by hand where shares are simple fractions or roots, and column by column elsewhere."""

from fractions import Fraction
from math import sqrt
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.geometry.plane.roots import NOTHING, WHOLE, Share
from arbiter.geometry.plane.shapes import Figure, Piece, standing
from arbiter.geometry.plane.view import hidden_share, silhouette
from tests.arbiter.geometry.plane.test_oracle import Outline, hidden, random_outline
from tests.effort import cases

HALF = Fraction(1, 2)
SEEDS = st.integers(0, 2**32)

# The target stands 10 units to the right of the looker; its silhouette reaches from y = 5.5 to y = 6.5.
LOOKER = Figure("looker", (1000, 6000), 500, 1000)
TARGET = Figure("target", (11000, 6000), 500, 1000)


def box(left: int, right: int, near: int, far: int, height: int = 3000) -> Piece:
    return Piece(f"{left}", ((left, near), (right, near), (right, far), (left, far)), height)


def share(*pieces: Piece, looker: Figure = LOOKER, target: Figure = TARGET) -> Share:
    """The share that pieces hide; the rest is what is seen."""
    found = hidden_share(looker, target, pieces)
    assert hidden_share(looker, target, pieces[::-1]) == found
    return found


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        (box(6000, 7000, 6000, 9000), HALF),  # a wall that ends on the line between centres
        (box(6000, 7000, 3000, 6000), HALF),
        (box(6000, 7000, 3000, 9000), Fraction(1)),
        # At its far end, 6/10 of the way, three tenths of a unit throw a shadow of half a unit.
        (box(6000, 7000, 6300, 9000), Fraction(0)),
        (box(6000, 7000, 5750, 6250), Fraction(1)),
        # A tenth of a unit throws a shadow of a sixth there, and of a fifth at the near end, half-way.
        (box(6000, 7000, 5900, 6100), Fraction(2, 5)),
        (box(6000, 7000, 6100, 9000), Fraction(1, 3)),
        (box(12000, 13000, 3000, 9000), Fraction(0)),  # behind the target
        (box(11001, 13000, 3000, 9000), Fraction(0)),
        (box(11000, 13000, 3000, 6000), HALF),  # it begins where the silhouette stands
        (box(0, 500, 3000, 9000), Fraction(0)),  # behind the looker
        (box(10000, 13000, 3000, 6000), HALF),  # the target stands half in it
        (box(10900, 13000, 5000, 7000, 1000), Fraction(1)),  # as high as both
    ],
)
def test_walls_that_overtop_both(piece: Piece, expected: Fraction) -> None:
    assert share(piece) == expected


@pytest.mark.parametrize(
    ("piece", "expected"),
    [
        # From 1 up over 1/2 half-way along, the line falls to 0 at the target; the far side of the wall counts.
        (box(5500, 6000, 3000, 9000, 500), Fraction(0)),
        (box(5500, 7000, 3000, 9000, 500), 1 - HALF / Fraction(6, 10)),
        (box(5500, 11000, 3000, 9000, 500), HALF),
        (box(5500, 19000, 3000, 9000, 500), HALF),  # what lies behind the silhouette adds nothing
        (box(10500, 11000, 6000, 9000, 600), Fraction(3, 10)),  # half as wide and 6/10 as high
        (box(5500, 6000, 3000, 9000, 999), 1 - Fraction(1, 1000) / HALF),
        (box(5500, 6000, 3000, 9000, 1000), Fraction(1)),
        (box(5500, 6000, 3000, 9000, 0), Fraction(0)),
    ],
)
def test_walls_that_the_looker_sees_over(piece: Piece, expected: Fraction) -> None:
    assert share(piece) == expected


def test_a_slope_is_worked_out_as_an_area() -> None:
    # The wall's far side runs from 5/10 of the way at the lower end of the view to 6/10 at the upper end: it is
    # between 0 and 1/6 high, and a straight edge throws a straight shadow.
    slanted = Piece("slanted", ((2000, 0), (6000, 5750), (7000, 6300), (2000, 12000)), 500)
    assert share(slanted) == Fraction(1, 12)


def test_looking_up_at_a_parapet_and_down_from_a_roof() -> None:
    # The eye at 4000 looks over the edge of its own roof, 3000 high and 2 units away.
    roof = box(0, 4000, 4000, 8000, 3000)
    looker = Figure("looker", (2000, 6000), 500, 1000, elevation=3000)
    for x, expected in ((6500, 1), (8000, 1), (9000, HALF), (10000, 0), (12000, 0)):
        assert share(roof, looker=looker, target=Figure("target", (x, 6000), 500, 1000)) == expected
    # The other way the edge is 4000/7000 of the way from the eye at 1000, for a target whose feet are at 3000: the
    # line over the edge comes to 1000 + 2000·7/5 = 3800, or 800 above its feet.
    below = Figure("below", (9000, 6000), 500, 1000)
    assert share(roof, looker=below, target=looker) == Fraction(8, 10)


def test_a_root_is_compared_exactly() -> None:
    # The way is (3, 1) times a length, so that the width of the silhouette is no fraction of it.
    looker, target = Figure("a", (1000, 1000), 400, 800), Figure("b", (31000, 11000), 500, 900)
    wall = Piece("half", ((16000, 6000), (19000, 7000), (18000, 10000), (15000, 9000)), 4000)
    assert share(wall, looker=looker, target=target) == HALF
    # A thousandth lower or higher. With (p, q) for how far along the way and aside of it a corner lies, each times
    # √10⁹, the corners are at (499990000, -30000) and (599990000, -30000), or at (500010000, 30000) and
    # (600010000, 30000). The shadow begins at the least q/p.
    for by, along in ((1, 499990000), (-1, 600010000)):
        moved = Piece("", ((16000, 6000 - by), (19000, 7000 - by), (18000, 10000), (15000, 9000)), 4000)
        found = share(moved, looker=looker, target=target)
        assert (found > HALF, found < HALF) == (by > 0, by < 0)
        assert found == Share(HALF, by * Fraction(30000, along) / 1000, 10**9)
        assert float(found) == pytest.approx(0.5 + by * 30000 / along * sqrt(10**9) / 1000, abs=1e-12)


def test_two_walls_hide_what_is_hidden_by_either() -> None:
    low, side = box(5500, 7000, 3000, 9000, 500), box(8000, 8500, 6000, 9000)
    sixth = Fraction(1, 6)
    assert share(low) == sixth
    assert share(low, side) == HALF + sixth / 2
    assert share(side, low, side) == HALF + sixth / 2
    assert share(box(6000, 7000, 3000, 6000), box(3000, 4000, 6000, 7000)) == WHOLE
    # Between two walls there is a slit of a thousandth.
    slit = share(box(6000, 6001, 3000, 6000), box(6000, 6001, 6001, 9000))
    assert NOTHING < slit.rest < Fraction(3, 1000)


def test_crossing_shadows() -> None:
    # Two slanted tops, each from 0 to 1/6 over the width: together they make a roof with a valley half as high.
    rising = Piece("rising", ((2000, 0), (6000, 5750), (7000, 6300), (2000, 12000)), 500)
    falling = Piece("falling", tuple((x, 12000 - y) for x, y in rising.outline), 500)
    assert share(rising) == share(falling) == Fraction(1, 12)
    assert share(rising, falling) == Fraction(1, 12) + Fraction(1, 6) / 4


def test_the_eye_in_a_piece() -> None:
    wood = box(0, 2000, 5000, 7000, 1001)
    assert share(wood) == WHOLE
    # Level with its top, the eye sees nothing that is lower.
    assert share(box(0, 2000, 5000, 7000, 1000)) == WHOLE
    taller = Figure("taller", (11000, 6000), 500, 4000)
    assert share(box(0, 2000, 5000, 7000, 1000), target=taller) == Fraction(1, 4)
    assert share(wood, target=taller) == WHOLE
    # The target stands in it too, and no edge of it is between.
    assert share(box(0, 19000, 3000, 9000, 1000), target=taller) == Fraction(1, 4)


@pytest.mark.parametrize(
    ("outline", "expected"),
    [
        (((1000, 6000), (3000, 6000), (3000, 8000), (1000, 8000)), HALF),  # the eye at a corner
        (((500, 6000), (3000, 6000), (3000, 8000), (500, 8000)), HALF),  # and on a side
        (((1000, 5000), (3000, 5000), (3000, 8000), (1000, 8000)), Fraction(1)),  # it looks into the piece
        (((1000, 5000), (1000, 8000), (0, 8000), (0, 5000)), Fraction(0)),  # away from it
        # In a notch that opens towards the target, from 0.02 up to 0.04: it hides all but that.
        (
            ((1000, 6000), (11000, 6200), (11000, 9000), (0, 9000), (0, 3000), (11000, 3000), (11000, 5800)),
            Fraction(3, 5),
        ),
        # A corner between 0.03 down and 0.02 up.
        (((1000, 6000), (11000, 5700), (11000, 6200)), HALF),
    ],
)
def test_the_eye_on_the_border_of_a_piece(outline: Outline, expected: Fraction) -> None:
    for turned in (outline, outline[::-1]):
        assert share(Piece("wall", turned, 3000)) == expected
        # However little it overtops the eye, what is looked at into the piece is hidden at all heights.
        taller = Figure("taller", TARGET.at, 500, 4000)
        assert share(Piece("wall", turned, 1001), target=taller) == expected


def test_who_stands_straight_above_is_seen() -> None:
    above = Figure("above", LOOKER.at, 500, 1000, elevation=5000)
    assert share(box(0, 2000, 5000, 7000, 5000), target=above) == NOTHING


def test_what_is_hidden_together_counts_once_and_the_silhouette_ends_where_the_base_does() -> None:
    wall, hedge, far = box(6000, 7000, 6000, 9000), box(9000, 11000, 3000, 9000, 500), box(13000, 14000, 0, 9000)
    assert share(wall) == share(hedge) == share(wall, far) == HALF
    assert share(wall, far, hedge) == Fraction(3, 4)
    assert silhouette(LOOKER, TARGET) == ((11000, 5500), (11000, 6500))


def test_a_figure_in_between() -> None:
    # Half-way its base of 0.25 would just hide one of 0.5; its prism goes around it.
    between = Figure("between", (6000, 6000), 250, 1000)
    assert share(standing(between)) == WHOLE
    smaller = share(standing(Figure("between", (6000, 6000), 200, 1000)))
    # The disc hides 2·0.2/√(1 - 0.04²) at twice the distance, and its prism at most half a hundredth more.
    assert 0.8 <= float(smaller) <= 0.8 * 1.006


@pytest.mark.parametrize("seed", range(cases(24)))
def test_random_tables_against_columns(seed: int) -> None:
    random = Random(seed)
    pieces = random_pieces(random)
    looker, target = random_figures(random)
    prisms = [(piece.outline, piece.height) for piece in pieces]
    foot = (*target.at, target.elevation)
    expected = hidden(looker.eye, foot, target.radius, target.height, prisms, 800)
    # A column is wrong where the shadow of an upright edge falls into it.
    assert float(hidden_share(looker, target, pieces)) == pytest.approx(expected, abs=0.008)
    for piece in pieces:
        alone = hidden(looker.eye, foot, target.radius, target.height, [(piece.outline, piece.height)], 800)
        assert float(hidden_share(looker, target, [piece])) == pytest.approx(alone, abs=0.004)


def random_pieces(random: Random) -> list[Piece]:
    return [
        Piece(
            str(place),
            random_outline(random, 100 * random.randint(30, 130), 100 * random.randint(10, 110), 15, 100),
            random.choice((0, 300, 800, 1000, 1200, 4000)),
        )
        for place in range(random.randint(1, 6))
    ]


def random_figures(random: Random) -> tuple[Figure, Figure]:
    def figure(x: int) -> Figure:
        at = x + 100 * random.randint(0, 20), 100 * random.randint(40, 80)
        return Figure(
            "", at, random.choice((250, 500, 1500)), random.choice((800, 1000, 2000)), random.choice((0, 900))
        )

    return figure(1000), figure(12000)


@given(SEEDS)
def test_more_pieces_never_show_more_and_hide_no_more_than_one_by_one(seed: int) -> None:
    random = Random(seed)
    pieces, (looker, target) = random_pieces(random), random_figures(random)
    before = NOTHING
    for some in range(1, len(pieces) + 1):
        after = hidden_share(looker, target, pieces[:some])
        assert 0 <= before <= after <= 1
        alone = hidden_share(looker, target, pieces[some - 1 : some])
        assert alone <= after
        assert float(after) <= float(before) + float(alone) + 1e-12
        before = after


@given(SEEDS, st.sampled_from([(0, -1, 1, 0), (-1, 0, 0, -1), (-1, 0, 0, 1), (0, 1, 1, 0)]))
def test_turning_and_mirroring_change_nothing(seed: int, turn: tuple[int, int, int, int]) -> None:
    random = Random(seed)
    pieces, (looker, target) = random_pieces(random), random_figures(random)
    a, b, c, d = turn

    def turned(point: tuple[int, int]) -> tuple[int, int]:
        return a * point[0] + b * point[1] + 20000, c * point[0] + d * point[1] + 20000

    def moved(figure: Figure) -> Figure:
        return Figure(figure.id, turned(figure.at), figure.radius, figure.height, figure.elevation)

    there = [Piece(piece.id, tuple(map(turned, piece.outline)), piece.height) for piece in pieces]
    assert hidden_share(looker, target, pieces) == hidden_share(moved(looker), moved(target), there)


@given(SEEDS, st.integers(0, 5), st.integers(2, 4), st.sampled_from((500, 1000, 3000)))
def test_cutting_a_convex_piece_in_two_changes_nothing(seed: int, first: int, more: int, height: int) -> None:
    looker, target = random_figures(Random(seed))
    outline: Outline = ((3000, 9000), (9000, 3000), (10400, 4000), (11700, 6000), (11300, 8600), (7000, 9500))
    around = outline * 2
    parts = (around[first : first + more + 1], around[first + more : first + 7])
    whole = [Piece("whole", outline, height)]
    cut = [Piece(str(place), part, height) for place, part in enumerate(parts)]
    assert hidden_share(looker, target, whole) == hidden_share(looker, target, cut)


@pytest.mark.parametrize(
    ("a", "b", "order"),
    [
        (Share(HALF), Share(Fraction(2, 4)), 0),
        (Share(Fraction(0), HALF, 2), Share(Fraction(7, 10)), 1),  # √2/2 = 0.7071
        (Share(Fraction(0), HALF, 2), Share(Fraction(0), Fraction(1, 4), 8), 0),
        (Share(Fraction(1), -HALF, 2), Share(Fraction(0), Fraction(1, 6), 3), 1),  # 0.29289 and 0.28868
        (Share(Fraction(1), -HALF, 3), Share(Fraction(0), Fraction(1, 10), 2), -1),  # 0.13397 and 0.14142
    ],
)
def test_shares_are_ordered_exactly(a: Share, b: Share, order: int) -> None:
    assert ((a > b) - (a < b), (b > a) - (b < a), a == b) == (order, -order, order == 0)
    assert (a.rest < b.rest, a.rest > b.rest) == (order > 0, order < 0)
    assert order or hash(a) == hash(b)


def test_a_share_is_no_text_and_may_be_a_number() -> None:
    assert hash(WHOLE) == hash(1) == hash(Share(Fraction(0), HALF, 4))
    assert Share(HALF) != "1/2"
    assert sorted([WHOLE, NOTHING, Share(HALF)]) == [NOTHING, Share(HALF), WHOLE]
