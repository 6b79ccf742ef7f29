"""The tiles that a blocker hides from a tile, as bit sets, for all blockers and boards of one size.

Seen from the centre of (0, 0), a blocker and all that its inside hides is a convex patch of the lattice: what lies
between the two rays that touch the blocker, and not before those of its sides that face the viewer. In a row of tiles
it is one stretch, whose ends are quotients of whole numbers. The tiles whose centres lie on one of the two rays, beyond
the spot where it touches, see the viewer by a line that grazes the blocker.

A bit set has a bit for each offset that two tiles of the board may have; a viewer's tiles are found by one shift.
"""

from functools import lru_cache
from math import gcd
from typing import NamedTuple

from arbiter.geometry.hex.coordinates import Lattice
from arbiter.geometry.tile.grid import Grid, Tile

# A lattice point (x, y) is inside where a * x + b * y + c is positive.
_Half = tuple[int, int, int]

# The shadows of this many sizes of board are kept, and of each up to this many bytes.
SIZES_KEPT = 8
BYTES_KEPT = 24_000_000


class Shadow(NamedTuple):
    """The tiles that one blocker hides, and those whose lines graze it on the left and right, as bit sets of offsets.

    `across` is the key of the tile that flanks the lines of `left` at the same spot on their other hand. Where there is
    none, it is 0, the viewer's own.
    """

    hidden: int
    left: int
    right: int
    across: int


class Shadows(dict[int, Shadow]):
    """The shadow of each blocker, by the key of its offset from the viewer: x + stride * y. It fills itself.

    `base` is the place of (0, 0) in the bit sets; the place of any other offset is its key further.
    """

    def __init__(self, grid: Grid, columns: int, rows: int) -> None:
        super().__init__()
        self.stride = 2 * columns - 1
        self._columns, self._rows = columns - 1, rows - 1
        self.base = self._columns + self.stride * self._rows
        self._outline, self._scale = grid.outline, grid.scale
        self._bytes = 0

    def __missing__(self, key: int) -> Shadow:
        y = (key + self._columns) // self.stride
        shadow = self._cast((key - self.stride * y, y))
        self._bytes += sum(bits.bit_length() for bits in shadow[:3]) // 7
        if self._bytes > BYTES_KEPT:
            self.clear()
            self._bytes = 0
        self[key] = shadow
        return shadow

    def _cast(self, blocker: Tile) -> Shadow:
        """Work out the shadow of one blocker."""
        scale = self._scale
        x, y = scale * blocker[0], scale * blocker[1]
        corners = [(x + dx, y + dy) for dx, dy in self._outline]
        left = next(a for a in corners if all(_turn(a, b) >= 0 for b in corners))
        right = next(a for a in corners if all(_turn(a, b) <= 0 for b in corners))
        facing = [_beyond(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
        halves = [(-left[1], left[0], 0), (right[1], -right[0], 0), *(half for half in facing if half[2] < 0)]
        own = blocker[0] + self.stride * blocker[1]
        ends = [corner for corner in corners if not _turn(left, corner)]
        across_x, across_y = (a + b - 2 * c for a, b, c in zip(ends[0], ends[-1], (x, y), strict=True))
        paired = not (across_x % scale or across_y % scale)
        return Shadow(
            self._inside(halves, [corner[1] for corner in corners]) & ~(1 << self.base + own),
            self._ray(left),
            self._ray(right),
            own + across_x // scale + self.stride * (across_y // scale) if paired else 0,
        )

    def _inside(self, halves: list[_Half], heights: list[int]) -> int:
        """Find the tiles with their centres inside of some half-planes, in the rows that a shadow may reach."""
        scale, width, bits = self._scale, self._columns, 0
        # A shadow lies no nearer to the viewer's row than the blocker's corners do.
        first = -self._rows if min(heights) < 0 else -(-min(heights) // scale)
        last = self._rows if max(heights) > 0 else max(heights) // scale
        for row in range(first, last + 1):
            low, high = -width, width
            for a, b, c in halves:
                rest = b * scale * row + c
                if a > 0:
                    low = max(low, -rest // (a * scale) + 1)
                elif a < 0:
                    high = min(high, -(rest // (a * scale)) - 1)
                elif rest <= 0:
                    high = low - 1
            if low <= high:
                bits |= (1 << high - low + 1) - 1 << self.base + low + self.stride * row
        return bits

    def _ray(self, through: Lattice) -> int:
        """Find the tiles with their centres on the ray from the viewer through a corner, beyond it."""
        steps = gcd(*through)
        x, y = through[0] // steps, through[1] // steps
        bits, step = 0, steps // self._scale + 1
        while abs(step * x) <= self._columns and abs(step * y) <= self._rows:
            bits |= 1 << self.base + step * (x + self.stride * y)
            step += 1
        return bits


@lru_cache(maxsize=SIZES_KEPT)
def shadows(grid: Grid, columns: int, rows: int) -> Shadows:
    """Give the shadows shared by all boards that span this number of columns and rows."""
    return Shadows(grid, columns, rows)


def _turn(a: Lattice, b: Lattice) -> int:
    """Tell by its sign on which hand of the direction from the viewer to a point another lies; 0 where it is on it."""
    return a[0] * b[1] - a[1] * b[0]


def _beyond(a: Lattice, b: Lattice) -> _Half:
    """Give the half-plane on the blocker's hand of one of its sides; the viewer, at (0, 0), is out of it if c < 0.

    Corners are counter-clockwise as drawn, with y downwards, so that the inside is where the product is negative.
    """
    x, y = b[0] - a[0], b[1] - a[1]
    return y, -x, x * a[1] - y * a[0]
