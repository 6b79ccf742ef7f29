"""Whether anything is seen, in floats: never another answer than that of the exact share, and seldom none."""

from random import Random

import pytest

from arbiter.geometry.plane.glimpse import sees, surely_sees
from arbiter.geometry.plane.roots import WHOLE
from arbiter.geometry.plane.shapes import Figure, Piece, standing
from arbiter.geometry.plane.view import hidden_share
from tests.arbiter.geometry.plane.test_view import LOOKER, TARGET, box, random_figures, random_pieces
from tests.effort import cases

TALLER = Figure("taller", TARGET.at, 500, 4000)
UP_THERE = Figure("up-there", LOOKER.at, 500, 1000, elevation=3000)


@pytest.mark.parametrize(
    ("pieces", "looker", "target", "expected", "sure"),
    [
        ((), LOOKER, TARGET, True, True),
        ((box(6000, 7000, 3000, 9000),), LOOKER, TARGET, False, True),
        ((box(6000, 7000, 3000, 6000),), LOOKER, TARGET, True, True),
        ((box(12000, 13000, 3000, 9000),), LOOKER, TARGET, True, True),  # behind the target
        ((box(0, 500, 3000, 9000),), LOOKER, TARGET, True, True),  # behind the looker
        # As high as both it hides, a thousandth lower it does not.
        ((box(5500, 6000, 3000, 9000, 1000),), LOOKER, TARGET, False, True),
        ((box(5500, 6000, 3000, 9000, 999),), LOOKER, TARGET, True, True),
        # A line to a rim at 4000 rises by 3 in 10: at the near side of a box, 2 units on, it is 1600 high.
        ((box(3000, 6000, 3000, 9000, 1550),), LOOKER, TALLER, True, True),
        ((box(3000, 6000, 3000, 9000, 1650),), LOOKER, TALLER, False, True),
        # Down from 4000 to 1000 it falls by 3 in 10: at the far side, 9 units on, it is 1300 high.
        ((box(4000, 10000, 3000, 9000, 1250),), UP_THERE, TARGET, True, True),
        ((box(4000, 10000, 3000, 9000, 1350),), UP_THERE, TARGET, False, True),
        # Two walls that overlap in the view, that leave a slit of a tenth of a unit, and that touch just there.
        ((box(6000, 7000, 3000, 6100), box(3000, 4000, 5900, 7000)), LOOKER, TARGET, False, True),
        ((box(6000, 6001, 3000, 6000), box(6000, 6001, 6100, 9000)), LOOKER, TARGET, True, True),
        ((box(6000, 7000, 3000, 6000), box(6000, 7000, 6000, 9000)), LOOKER, TARGET, False, False),
        # The eye in a piece that overtops it, on its border, and a piece as wide as the view to a hair.
        ((box(0, 2000, 5000, 7000, 1001),), LOOKER, TARGET, False, True),
        ((box(1000, 2000, 5000, 7000, 1001),), LOOKER, TARGET, False, False),
        ((box(6000, 7000, 5750, 6250),), LOOKER, TARGET, False, False),
        ((standing(Figure("between", (6000, 6000), 240, 1000)),), LOOKER, TARGET, True, True),
        ((standing(Figure("between", (6000, 6000), 260, 1000)),), LOOKER, TARGET, False, True),
        ((box(0, 2000, 5000, 7000, 5000),), LOOKER, Figure("above", LOOKER.at, 500, 1000, 5000), True, True),
    ],
)
def test_who_is_seen(pieces: tuple[Piece, ...], looker: Figure, target: Figure, expected: bool, sure: bool) -> None:
    assert sees(looker, target, pieces) is expected
    assert surely_sees(looker, target, pieces) is (expected if sure else None)


@pytest.mark.parametrize("step", [1, 100])
def test_what_is_sure_is_what_the_exact_share_says(step: int) -> None:
    random, verdicts = Random(step), list[tuple[bool | None, bool]]()
    for _ in range(cases(4_000, 600)):
        looker, target = random_figures(random)
        pieces = [*random_pieces(random)[:2], *(boxed(random, step) for _ in range(random.randint(0, 4)))]
        pieces += [
            standing(Figure("", (random.randint(0, 15_000), random.randint(2_000, 10_000)), 500, height))
            for height in random.choices((800, 1000, 2000), k=random.randint(0, 2))
        ]
        random.shuffle(pieces)
        exact = hidden_share(looker, target, pieces) < WHOLE
        verdicts.append((surely_sees(looker, target, pieces), exact))
        assert sees(looker, target, pieces) is exact
    assert all(sure in (None, exact) for sure, exact in verdicts)
    # Both answers are given, and of what is seen most is sure; pieces with notches leave the rest open.
    assert {True, False} <= {sure for sure, _ in verdicts}
    seen = [sure for sure, exact in verdicts if exact]
    assert sum(sure is True for sure in seen) > len(seen) / 2


def boxed(random: Random, step: int) -> Piece:
    x, y = step * random.randint(0, 15_000 // step), step * random.randint(2_000 // step, 10_000 // step)
    wide, deep = (step * random.randint(1, 4_000 // step) for _ in "xy")
    return box(x, x + wide, y, y + deep, random.choice((500, 1000, 1200, 1900, 4000)))
