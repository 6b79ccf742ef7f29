"""The hexsides and corners that the straight line between two hex centres meets, as a template per offset.

The line from centre to centre has the same contacts wherever its first hex is, so one template per offset (dq, dr)
answers for every pair. Every hexside and every corner is owned by one hex, as one of its five parts: the sides to its
E, SE and SW, and the corners at its SE and S. A contact is a part and its owner, and a line meets, in order from its
start,

* each hexside whose inside it crosses,
* each corner it passes through, and
* each hexside it runs along, between the two corners in which that side ends.

Lines that run along hexsides have one of the three *vertex* directions; they pass from a centre through a corner,
along a side, through its other corner, to the next centre, and cross the inside of no hexside at all.

Only lines from (0, 0) to (m, n) with 0 <= n <= m are followed step by step; the twelve symmetries of the grid give the
rest. Every test is the sign of an integer, so no contact is missed or invented.
"""

from functools import lru_cache
from math import gcd

from arbiter.geometry.hex.coordinates import CORNERS, Hex, Lattice

E_SIDE, SE_SIDE, SW_SIDE, SE_CORNER, S_CORNER = range(5)
PARTS = 5

Contact = tuple[int, int, int]
"""A part and the axial pair of the hex that owns it: (part, q, r)."""

Matrix = tuple[int, int, int, int]

# The step from the hex that owns a side to the hex on its other side, by part; it is also the axis that this side is
# perpendicular to.
SIDE_STEPS: tuple[Hex, Hex, Hex] = ((1, 0), (0, 1), (-1, 1))

# The points of the parts of hex (0, 0), in the lattice at twice its scale, so that the middles of sides are integers.
_PLACES: tuple[Lattice, ...] = (
    *((3 * q, 3 * r) for q, r in SIDE_STEPS),
    *((2 * x, 2 * y) for x, y in (CORNERS[5], CORNERS[4])),
)


def _symmetries() -> tuple[Matrix, ...]:
    """List the twelve turns and mirrorings of the grid, as (a, b, c, d): (q, r) goes to (aq + br, cq + dr)."""
    turns: list[Matrix] = [(1, 0, 0, 1)]
    for _ in range(5):
        a, b, c, d = turns[-1]
        turns.append((-c, -d, a + c, b + d))
    # Swapping q and r mirrors the grid in the line through its corner at the lower right.
    return (*turns, *((b, a, d, c) for a, b, c, d in turns))


SYMMETRIES = _symmetries()


def heading(dq: int, dr: int) -> int:
    """Sort an offset by how its line meets corners: 0, 1, 2 by the nearest axis, 3, 4, 5 when it runs along sides.

    Heading k < 3 lies less than thirty degrees from axis k (E, SE, SW, either way), so that at each corner on the line
    the side of kind k is alone on one hand and the two others are on the other. Heading 3 + k runs along sides of
    kind k.
    """
    towards = (abs(2 * dq + dr), abs(2 * dr + dq), abs(dr - dq))
    if dq or dr:
        for k in range(3):
            if not towards[k]:
                return 3 + k
    return towards.index(max(towards))


@lru_cache(maxsize=4096)
def canonical_line(m: int, n: int) -> tuple[Contact, ...]:
    """Follow the line from (0, 0) to (m, n), where 0 <= n <= m, and list what it meets."""
    times = gcd(m, n)
    if times > 1:
        step_q, step_r = m // times, n // times
        once = canonical_line(step_q, step_r)
        return tuple((part, q + k * step_q, r + k * step_r) for k in range(times) for part, q, r in once)
    if m == n:
        return ((SE_CORNER, 0, 0), (SW_SIDE, 1, 0), (S_CORNER, 1, 0)) if m else ()
    met: list[Contact] = []
    q = r = 0
    # `off` is how far the present hex's centre lies off the line: m * y - n * x in the lattice, positive below. The
    # corners at its lower right (1, 1) and upper right (2, -1) decide by which side the line leaves it.
    off = 0
    while q != m or r != n:
        lower = off + m - n
        upper = off - m - 2 * n
        if lower < 0:
            met.append((SE_SIDE, q, r))
            r += 1
            off += 3 * m
        elif upper > 0:
            q += 1
            r -= 1
            met.append((SW_SIDE, q, r))
            off -= 3 * (m + n)
        else:
            # Through either corner the line enters the hex to the east, for it is less steep than the side behind.
            if lower == 0:
                met.append((SE_CORNER, q, r))
            elif upper == 0:
                met.append((S_CORNER, q + 1, r - 1))
            else:
                met.append((E_SIDE, q, r))
            q += 1
            off -= 3 * n
    return tuple(met)


def _placed(dq: int, dr: int) -> tuple[int, int, int]:
    """Find the line (m, n), 0 <= n <= m, and the index of the symmetry that takes it to (dq, dr)."""
    n, m, _ = sorted((abs(dq), abs(dr), abs(dq + dr)))
    for index, (a, b, c, d) in enumerate(SYMMETRIES):
        if a * m + b * n == dq and c * m + d * n == dr:
            return m, n, index
    raise AssertionError((dq, dr))


def _moved_parts(matrix: Matrix) -> tuple[Contact, ...]:
    """Give for each part of hex (0, 0) its image under a symmetry: the part, and its hex."""
    a, b, c, d = matrix
    moved: list[Contact] = []
    for x, y in _PLACES:
        u, v = a * x + b * y, c * x + d * y
        moved.extend(
            (part, (u - px) // 6, (v - py) // 6)
            for part, (px, py) in enumerate(_PLACES)
            if (u - px) % 6 == 0 and (v - py) % 6 == 0
        )
    return tuple(moved)


MOVED_PARTS = tuple(_moved_parts(matrix) for matrix in SYMMETRIES)


def contacts(dq: int, dr: int) -> tuple[Contact, ...]:
    """List what the line from the centre of (0, 0) to the centre of (dq, dr) meets, in order from its start."""
    m, n, index = _placed(dq, dr)
    a, b, c, d = SYMMETRIES[index]
    moved = MOVED_PARTS[index]
    return tuple(
        (moved[part][0], a * q + b * r + moved[part][1], c * q + d * r + moved[part][2])
        for part, q, r in canonical_line(m, n)
    )


def own_contacts(way: int) -> int:
    """Count the contacts at either end of a line that belong to the hex there: its side, or its corner and the run.

    A line that leaves its first hex through a corner runs along a side that is not that hex's own, but it meets that
    side again in the corner where the side ends, so that the run can be counted with the corner.
    """
    return 1 if way < 3 else 2


class Placing:
    """Where the contacts of lines lie in bit sets in which a step along r adds `stride` to a hex's index."""

    def __init__(self, stride: int) -> None:
        self._steps = tuple(
            (
                a + stride * c,
                b + stride * d,
                tuple(part for part, _, _ in moved),
                # A contact's index may lie up to one stride before that of the line's first hex.
                tuple(q + stride * r + stride for _, q, r in moved),
            )
            for (a, b, c, d), moved in zip(SYMMETRIES, MOVED_PARTS, strict=True)
        )

    def places(self, dq: int, dr: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """List the parts of a line's contacts, and how far past its first hex their owners lie, plus one stride."""
        m, n, index = _placed(dq, dr)
        by_q, by_r, parts, shifts = self._steps[index]
        line = canonical_line(m, n)
        return (
            tuple([parts[part] for part, _, _ in line]),
            tuple([by_q * q + by_r * r + shifts[part] for part, q, r in line]),
        )
