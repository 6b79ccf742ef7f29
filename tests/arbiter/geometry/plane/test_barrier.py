"""Quick proofs about one piece and all lines between two bases, against the exact geometry of single lines."""

from math import cos, pi, sin
from random import Random

import pytest
from msgspec.structs import replace

from arbiter.geometry.plane.barrier import are_cut_off, cuts_off, stands_aside
from arbiter.geometry.plane.shapes import LARGEST, Figure, Piece, standing
from arbiter.geometry.plane.witness import contacts
from tests.arbiter.geometry.plane.test_view import LOOKER, TARGET, box, random_figures, random_pieces
from tests.effort import cases

# Looker and target stand at (1000, 6000) and (11000, 6000), with a radius of 500: lines run between y = 5500 and 6500.
NOTCHED_ASIDE = Piece("", ((7000, 5000), (7000, 7000), (5000, 6900), (6000, 6000), (5000, 5100)), 2000)
NOTCHED = Piece("", ((5000, 5000), (7000, 5000), (7000, 7000), (5000, 7000), (6000, 6000)), 2000)


@pytest.mark.parametrize(
    ("piece", "cut_off", "aside"),
    [
        (box(6000, 7000, 5000, 7000), True, False),
        (box(6000, 7000, 5490, 6510), True, False),
        (box(6000, 7000, 5500, 6510), False, False),  # its lower side is a line along both rims
        (box(1400, 7000, 5000, 7000), True, False),  # its far side lies beyond the looker
        (box(1400, 10600, 5000, 7000), True, False),  # it reaches into both bases, and its diagonal parts them
        (NOTCHED, False, False),  # it does, but the corners found first are those of no edge
        (NOTCHED_ASIDE, True, False),
        (box(12000, 13000, 5000, 7000), False, True),
        (box(6000, 7000, 6503, 7000), False, True),
        (box(6000, 7000, 6501, 7000), False, False),
        (standing(Figure("", (6000, 6000), 520, 1000)), True, False),
    ],
)
def test_pieces_by_hand(piece: Piece, cut_off: bool, aside: bool) -> None:
    for a, b in ((LOOKER, TARGET), (TARGET, LOOKER)):
        assert cuts_off(piece, a, b) is cut_off
        assert stands_aside(piece, a, b) is aside


def test_only_what_overtops_both_cuts_off() -> None:
    assert are_cut_off(LOOKER, TARGET, (box(6000, 7000, 3000, 9000, 1001),))
    assert not are_cut_off(LOOKER, TARGET, (box(6000, 7000, 3000, 9000, 1000),))
    assert not are_cut_off(LOOKER, TARGET, ())


def test_every_line_between_bases_that_are_cut_off_passes_through_and_none_meets_what_is_aside() -> None:
    random, cut, aside = Random(3), 0, 0
    for _ in range(cases(2_000, 500)):
        a, b = random_figures(random)
        for piece in (replace(piece, height=LARGEST) for piece in random_pieces(random)):
            is_cut, is_aside = cuts_off(piece, a, b), stands_aside(piece, a, b)
            cut, aside = cut + is_cut, aside + is_aside
            for _ in range(6 if is_cut or is_aside else 0):
                (x, y), (to_x, to_y) = (place(random, of) for of in (a, b))
                met = contacts((x, y, 0), (to_x, to_y, 0), piece)
                assert any(contact.how == "through" for contact in met) if is_cut else not met
    assert min(cut, aside) > 30


def place(random: Random, of: Figure) -> tuple[int, int]:
    """Give a place of a base, most often one on its rim."""
    turn, far = random.uniform(0, 2 * pi), of.radius * max(random.random(), random.random(), random.random())
    return of.at[0] + round(far * cos(turn)), of.at[1] + round(far * sin(turn))
