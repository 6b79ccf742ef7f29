"""The contacts of one line of sight, each with its index, and whether the verdict depends on how contacts are read.

The bit sets of `hexsight` show where a line has contacts. This module looks them up by name, and decides by each
hexside and corner: the explicit way to the verdicts of the bit sets, for explanations and drawings.
"""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import combinations
from math import gcd
from typing import Literal, NamedTuple

from arbiter.geometry.hex.coordinates import CORNERS, Hex, Lattice, Point, Side, hexes_around, side
from arbiter.geometry.hex.lines import E_SIDE, S_CORNER, SE_CORNER, SE_SIDE, SIDE_STEPS, SW_SIDE
from arbiter.geometry.hex.sight import READINGS, Corners, unknown_reading
from arbiter.value import Value

Kind = Literal["wall", "obstruction", "edge", "cover"]
How = Literal["crosses", "corner", "along"]

Spot = tuple[int, int, Hex]
"""A contact of a line by its place in it, counted from the start, and the part and its owner (`hexlines`)."""

_OWNED_SIDES: Mapping[int, tuple[Hex, Lattice, Lattice]] = {
    E_SIDE: (SIDE_STEPS[E_SIDE], CORNERS[5], CORNERS[0]),
    SE_SIDE: (SIDE_STEPS[SE_SIDE], CORNERS[4], CORNERS[5]),
    SW_SIDE: (SIDE_STEPS[SW_SIDE], CORNERS[3], CORNERS[4]),
}
"""For each hexside that hex (0, 0) owns the hex beyond it, and the corners in which it ends."""

_OWNED_CORNERS: Mapping[int, Lattice] = {SE_CORNER: CORNERS[5], S_CORNER: CORNERS[4]}


def _ending_in(point: Lattice) -> tuple[tuple[Side, Lattice], ...]:
    """Name the three hexsides that end in a corner, each with the step from there to its other end."""
    pairs = (side(one, other) for one, other in combinations(hexes_around(point), 2))
    return tuple((of, _step_along(of, point)) for of in pairs)


def _step_along(of: Side, point: Lattice) -> Lattice:
    """Give the step from one end of a hexside to the other."""
    # The middle of a hexside lies halfway between the centres of its hexes, and halfway between its ends.
    (aq, ar), (bq, br) = of
    return 3 * (aq + bq) - 2 * point[0], 3 * (ar + br) - 2 * point[1]


_AT_CORNER = {part: _ending_in(point) for part, point in _OWNED_CORNERS.items()}
"""The hexsides that end in each corner that hex (0, 0) owns, each with the step from there to its other end."""


Ratios = tuple[int, int, int]
"""A point in axial units as two whole numbers and what both are to be divided by, which is not 0."""


class Meeting(Value, frozen=True):
    """One hexside that the line meets.

    `how` the line meets it: it crosses its inside, touches one of its corners, or runs along it. `spots`: that point,
    or for `along` the two ends of the stretch. `counts`: whether this meeting, in the reading asked for,
    blocks or gives cover. `exempt`: a cover hexside of the attacker's own hex, which never does. `place`: how many
    contacts with hexsides or corners the line has before this one.
    """

    kind: Kind
    side: Side
    how: How
    spots: tuple[Ratios, ...]
    counts: bool
    exempt: bool
    place: int

    @property
    def where(self) -> tuple[Point, ...]:
        """The points in axial units."""
        return tuple((Fraction(x, parts), Fraction(y, parts)) for x, y, parts in self.spots)

    @property
    def written(self) -> tuple[tuple[str, str], ...]:
        """The points in axial units as fractions are written: "7/3", or "2"."""
        if len(self.spots) == 1:  # nearly all are met in one point
            ((x, y, parts),) = self.spots
            return ((_written(x, parts), _written(y, parts)),)
        return tuple([(_written(x, parts), _written(y, parts)) for x, y, parts in self.spots])


def _written(number: int, parts: int) -> str:
    common = gcd(number, parts) if parts > 0 else -gcd(number, parts)
    return f"{number // common}/{parts // common}" if parts != common else str(number // common)


class Witness(Value, frozen=True):
    """The verdicts on one line of sight, and their grounds.

    `blocking` and `covering` list what the line meets, in order from its start. `sight_hangs_on` and `cover_hangs_on`
    show where the reading of contacts matters: the verdict would differ in the other reading because of these contacts:
    corners that the line only touches, or hexsides that it runs along.
    """

    visible: bool
    in_cover: bool
    corners: Corners
    blocking: tuple[Meeting, ...] = ()
    covering: tuple[Meeting, ...] = ()
    sight_hangs_on: frozenset[How] = frozenset()
    cover_hangs_on: frozenset[How] = frozenset()


class _Contact(NamedTuple):
    """A contact of one line with hexsides that have anything on them: its place, how it meets them, and where.

    Of a corner `sides` says on which hand of the line each of its hexsides lies.
    """

    place: int
    how: How
    sides: tuple[tuple[Side, int], ...]
    spots: tuple[Ratios, ...]


Kinds = Mapping[Side, tuple[Kind, ...]]
"""The objects on hexsides: for each hexside that has any, their kinds."""


class Standing(NamedTuple):
    """The objects on the hexsides of a board: those that block, and those that give cover."""

    blocks: Kinds
    covers: Kinds


def witness(a: Hex, b: Hex, corners: Corners, spots: Iterable[Spot], standing: Standing) -> Witness:
    """Tell what the line from the attacker's hex a to the target's hex b meets of what blocks and what covers.

    `spots` are, in order, the contacts of the line with hexsides that have anything on them, or with corners in which
    such hexsides end. ValueError for a reading that does not exist.
    """
    if corners not in READINGS:
        raise unknown_reading(corners)
    line = [_contact(spot, a, b, standing) for spot in spots]
    if not line:
        return Witness(True, False, corners)
    blocking, sight_hangs_on = _meetings(line, standing.blocks, None, corners)
    covering, cover_hangs_on = _meetings(line, standing.covers, a, corners)
    return Witness(
        not any(meeting.counts for meeting in blocking),
        any(meeting.counts for meeting in covering),
        corners,
        blocking,
        covering,
        sight_hangs_on,
        cover_hangs_on,
    )


def _contact(spot: Spot, a: Hex, b: Hex, standing: Standing) -> _Contact:
    """Say how the line from a to b makes a contact, with which hexsides that have anything on them, and where."""
    place, part, owner = spot
    q, r = owner
    # The line goes by (x, y); a point lies on that hand of it of which the product's sign is.
    x, y = b[0] - a[0], b[1] - a[1]
    owned = _OWNED_SIDES.get(part)
    if owned is None:
        blocks, covers = standing
        handed = []
        for ((aq, ar), (bq, br)), (dx, dy) in _AT_CORNER[part]:
            of = (q + aq, r + ar), (q + bq, r + br)
            if (of in blocks or of in covers) and (hand := x * dy - y * dx):
                handed.append((of, 1 if hand > 0 else -1))
        cx, cy = _OWNED_CORNERS[part]
        return _Contact(place, "corner", tuple(handed), ((3 * q + cx, 3 * r + cy, 3),))
    (dq, dr), (ex, ey), (fx, fy) = owned
    beyond = q + dq, r + dr
    of = (owner, beyond) if owner < beyond else (beyond, owner)
    # How far each end lies off the line; both are on it, or they are on opposite hands.
    off_q, off_r = 3 * (q - a[0]), 3 * (r - a[1])
    first, last = x * (off_r + ey) - y * (off_q + ex), x * (off_r + fy) - y * (off_q + fx)
    ex, ey, fx, fy = 3 * q + ex, 3 * r + ey, 3 * q + fx, 3 * r + fy
    if first or last:
        # The line crosses at `first` of the `parts` from the first end.
        parts = first - last
        point = ex * parts + first * (fx - ex), ey * parts + first * (fy - ey), 3 * parts
        return _Contact(place, "crosses", ((of, 0),), (point,))
    sx, sy = 3 * a[0], 3 * a[1]
    near_first = abs(ex - sx) + abs(ey - sy) < abs(fx - sx) + abs(fy - sy)
    ends = (ex, ey, 3), (fx, fy, 3)
    return _Contact(place, "along", ((of, 0),), ends if near_first else ends[::-1])


def _meetings(
    line: list[_Contact], screen: Kinds, spared: Hex | None, corners: Corners
) -> tuple[tuple[Meeting, ...], frozenset[How]]:
    """Give the contacts of a line with a screen, and the kinds of contact that decide between the two readings.

    The hexsides of a spared hex do not count. The deciding kinds count in the reading `touch`, while nothing counts in
    the reading `cross`.
    """
    meetings: list[Meeting] = []
    passed: set[int] | None = None
    crosses, touches = False, set[How]()
    for contact in line:
        for of, _ in contact.sides:
            kinds = screen.get(of)
            if kinds is None:
                continue
            crossed = contact.how == "crosses"
            if not crossed:
                passed = _passed_through(line, screen, spared) if passed is None else passed
                crossed = contact.place in passed
            exempt = spared in of
            if not exempt:
                crosses |= crossed
                touches.add(contact.how)
            counts = (crossed or corners == "touch") and not exempt
            for kind in kinds:
                meetings.append(Meeting(kind, of, contact.how, contact.spots, counts, exempt, contact.place))
    return tuple(meetings), _NOTHING if crosses or not touches else frozenset(touches)


_NOTHING: frozenset[How] = frozenset()


def _passed_through(line: list[_Contact], screen: Kinds, spared: Hex | None) -> set[int]:
    """Find the corners and runs at which the line passes from one side of the screen to the other.

    A run along a hexside of the screen joins the corners before and after it to one contact.
    """
    live = {of for contact in line for of, _ in contact.sides if of in screen and spared not in of}
    joined: list[list[_Contact]] = []
    for contact in line:
        if contact.how == "crosses":
            continue
        runs = contact.how == "along"
        if runs and contact.sides[0][0] not in live:
            continue
        last = joined[-1][-1] if joined else None
        if last is not None and last.place == contact.place - 1 and (runs or last.how == "along"):
            joined[-1].append(contact)
        else:
            joined.append([contact])
    passed: set[int] = set()
    for together in joined:
        hands = {hand for contact in together for of, hand in contact.sides if of in live}
        if {-1, 1} <= hands:
            passed.update(contact.place for contact in together)
    return passed
