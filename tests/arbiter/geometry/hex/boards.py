"""Boards for the tests: a Hypothesis strategy, and random boards from a seed, with what went into each."""

from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import from_offset, within
from tests.arbiter.geometry.hex import oracle

Hex = tuple[int, int]
Pair = tuple[Hex, Hex]


@dataclass(frozen=True)
class Given:
    hexes: frozenset[Hex]
    walls: tuple[Pair, ...]
    cover: tuple[Pair, ...]
    obstructions: frozenset[Hex]
    edges: tuple[Pair, ...] | None

    def board(self) -> HexBoard:
        return HexBoard(
            self.hexes, walls=self.walls, cover=self.cover, obstructions=self.obstructions, edges=self.edges
        )

    def blocking(self) -> set[Pair]:
        return oracle.blocking(self.hexes, self.walls, self.obstructions, self.edges)

    def sees(self, a: Hex, b: Hex, corners: str) -> bool:
        return not oracle.stopped(a, b, self.blocking(), corners)

    def in_cover(self, attacker: Hex, target: Hex, corners: str) -> bool:
        return oracle.stopped(attacker, target, oracle.covering(attacker, self.cover), corners)


def random_board(random: Random, columns: int, rows: int, edges: str) -> Given:
    """A board of one of several outlines. `edges`: "usual", "none" or "some" (any hexsides at all)."""
    match random.randrange(5):
        case 0:
            shape = [from_offset(c, r, "odd-r") for c in range(columns) for r in range(rows)]
        case 1:
            shape = [from_offset(c, r, "even-q") for c in range(columns) for r in range(rows)]
        case 2:
            shape = [(q, r) for q in range(columns) for r in range(rows)]
        case 3:
            shape = list(within((random.randrange(-9, 9), random.randrange(-9, 9)), max(columns, rows) // 2))
        case _:
            # Two patches with a gap between them, and holes: lines may leave the board and come back.
            first, second = within((0, 0), rows // 3), within((columns // 2 + 1, random.randrange(-3, 3)), rows // 3)
            shape = [a for a in {*first, *second} if random.random() < 0.8] or [(0, 0)]
    hexes = sorted(shape)
    every = sorted(set().union(*(oracle.sides(a) for a in hexes)))

    def some(share: float) -> tuple[Pair, ...]:
        return tuple(pair if random.random() < 0.5 else pair[::-1] for pair in every if random.random() < share)

    density = random.choice((0.0, 0.03, 0.1, 0.3))
    return Given(
        frozenset(hexes),
        some(density),
        some(random.choice((0.0, 0.05, 0.2))),
        frozenset(a for a in hexes if random.random() < random.choice((0.0, 0.1))),
        {"usual": None, "none": (), "some": some(0.05)}[edges],
    )


@st.composite
def boards(draw: st.DrawFn) -> Given:
    """Small boards of any outline, with anything on them."""
    hexes = draw(st.sets(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=16))
    every = st.sampled_from(sorted(set().union(*(oracle.sides(a) for a in hexes))))
    some = st.lists(every, max_size=8, unique=True).map(tuple)
    return Given(
        frozenset(hexes),
        draw(some),
        draw(some),
        frozenset(draw(st.sets(st.sampled_from(sorted(hexes)), max_size=2))),
        draw(st.one_of(st.none(), some)),
    )
