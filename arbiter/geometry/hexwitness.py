"""What one line of sight meets: each contact with its place, and whether the verdict hangs on how contacts are read.

This goes through a line's contacts one by one and looks each hexside up by name. It is the slow and explicit way to
the verdicts that `hexsight` reads off bit sets, for showing and for drawing.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Literal

from arbiter.geometry.hex import (
    Hex,
    Lattice,
    Point,
    Side,
    axial,
    centre,
    corner,
    hexes_around,
    side,
    side_ends,
    sides_of,
)
from arbiter.geometry.hexlines import S_CORNER, SE_CORNER, SIDE_STEPS, contacts
from arbiter.geometry.hexsight import READINGS, Corners, unknown_reading
from arbiter.value import Value

Kind = Literal["wall", "obstruction", "edge", "cover"]
How = Literal["crosses", "corner", "along"]


class Meeting(Value, frozen=True):
    """One hexside that the line meets.

    `how` the line meets it: it crosses its inside, touches one of its corners, or runs along it. `where`: that point in
    axial units, or for `along` the two ends of the stretch. `counts`: whether this meeting, in the reading asked for,
    blocks or gives cover. `exempt`: a cover hexside of the attacker's own hex, which never does.
    """

    kind: Kind
    side: Side
    how: How
    where: tuple[Point, ...]
    counts: bool
    exempt: bool = False


class Witness(Value, frozen=True):
    """The verdicts on one line of sight and all that they rest on; points are in axial units.

    `blocking` and `covering` list what the line meets, in order from its start. The last four flags tell where the
    reading of contacts matters: the verdict on sight, or on cover, would be another in the other reading, and among
    the meetings that make the difference are corners that the line only touches, or hexsides that it runs along.
    """

    visible: bool
    in_cover: bool
    corners: Corners
    start: Point
    end: Point
    blocking: tuple[Meeting, ...]
    covering: tuple[Meeting, ...]
    sight_hangs_on_corners: bool
    sight_hangs_on_runs: bool
    cover_hangs_on_corners: bool
    cover_hangs_on_runs: bool


class _Contact(Value, frozen=True):
    """A contact of one line: how it meets which hexsides, where, and for a corner on which hand each of them lies."""

    how: How
    sides: tuple[tuple[Side, int], ...]
    where: tuple[Point, ...]


def witness(
    a: Hex, b: Hex, corners: Corners, blocking: Mapping[Kind, frozenset[Side]], cover: frozenset[Side]
) -> Witness:
    """Tell what the line from the attacker's hex a to the target's hex b meets of what blocks and what covers.

    ValueError for a reading that does not exist.
    """
    if corners not in READINGS:
        raise unknown_reading(corners)
    line = tuple(_contacts(a, b))
    own = frozenset(sides_of(a))
    blocks = {reading: tuple(_meetings(line, blocking, frozenset(), reading)) for reading in READINGS}
    covers = {reading: tuple(_meetings(line, {"cover": cover}, own, reading)) for reading in READINGS}
    sight_hangs = _hangs(blocks)
    cover_hangs = _hangs(covers)
    return Witness(
        visible=not any(meeting.counts for meeting in blocks[corners]),
        in_cover=any(meeting.counts for meeting in covers[corners]),
        corners=corners,
        start=axial(centre(a)),
        end=axial(centre(b)),
        blocking=blocks[corners],
        covering=covers[corners],
        sight_hangs_on_corners="corner" in sight_hangs,
        sight_hangs_on_runs="along" in sight_hangs,
        cover_hangs_on_corners="corner" in cover_hangs,
        cover_hangs_on_runs="along" in cover_hangs,
    )


def _hangs(found: Mapping[Corners, tuple[Meeting, ...]]) -> set[How]:
    """Name the ways of meeting that decide in the reading 'touch' where 'cross' would decide otherwise."""
    if any(meeting.counts for meeting in found["cross"]):
        return set()
    return {meeting.how for meeting in found["touch"] if meeting.counts}


def _contacts(a: Hex, b: Hex) -> Iterator[_Contact]:
    start, end = centre(a), centre(b)
    for part, q, r in contacts(b[0] - a[0], b[1] - a[1]):
        owner = a[0] + q, a[1] + r
        if part in (SE_CORNER, S_CORNER):
            point = corner(owner, 5 if part == SE_CORNER else 4)
            around = hexes_around(point)
            handed = [(of, _hand_at(start, end, point, of)) for of in (side(p, s) for p, s in combinations(around, 2))]
            yield _Contact("corner", tuple((of, hand) for of, hand in handed if hand), (axial(point),))
            continue
        step = SIDE_STEPS[part]
        of = side(owner, (owner[0] + step[0], owner[1] + step[1]))
        ends = side_ends(of)
        hands = [_hand(start, end, point) for point in ends]
        if any(hands):
            yield _Contact("crosses", ((of, 0),), (_between(*ends, *hands),))
        else:
            along = sorted(ends, key=lambda point: abs(point[0] - start[0]) + abs(point[1] - start[1]))
            yield _Contact("along", ((of, 0),), tuple(axial(point) for point in along))


def _meetings(
    line: tuple[_Contact, ...],
    screen: Mapping[Kind, frozenset[Side]],
    exempt: frozenset[Side],
    corners: Corners,
) -> Iterator[Meeting]:
    """Go through a line's contacts and tell which hexsides of a screen it meets, and whether the meeting counts."""
    met = {of for contact in line for of, _ in contact.sides}
    live = {of for of in met - exempt if any(of in sides for sides in screen.values())}
    passed = _passed_through(line, live)
    for place, contact in enumerate(line):
        stopped = corners == "touch" or contact.how == "crosses" or place in passed
        for of, _ in contact.sides:
            for kind, sides in screen.items():
                if of in sides:
                    spared = of in exempt
                    yield Meeting(kind, of, contact.how, contact.where, stopped and not spared, spared)


def _passed_through(line: tuple[_Contact, ...], live: set[Side]) -> set[int]:
    """Find the corners and runs at which the line passes from one side of the screen to the other.

    A run along a hexside of the screen joins the corners before and after it to one contact.
    """
    joined: list[list[int]] = []
    for place, contact in enumerate(line):
        before = joined[-1] if joined else []
        runs = contact.how == "along" and contact.sides[0][0] in live
        after_run = bool(before) and line[before[-1]].how == "along" and before[-1] == place - 1
        if runs or (after_run and contact.how == "corner"):
            before.append(place)
        elif contact.how == "corner":
            joined.append([place])
    passed: set[int] = set()
    for places in joined:
        hands = {hand for place in places for of, hand in line[place].sides if of in live}
        if {-1, 1} <= hands:
            passed.update(places)
    return passed


def _hand(start: Lattice, end: Lattice, point: Lattice) -> int:
    """Tell how far a point lies off the line, by sign: positive on one hand, negative on the other."""
    return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])


def _hand_at(start: Lattice, end: Lattice, point: Lattice, of: Side) -> int:
    """Tell on which hand of the line a hexside lies that ends at a corner on it: 1, -1, or 0 if the line follows it."""
    first, last = side_ends(of)
    hand = _hand(start, end, last if first == point else first)
    return (hand > 0) - (hand < 0)


def _between(first: Lattice, last: Lattice, hand_first: int, hand_last: int) -> Point:
    """Find the point between two corners on opposite hands of a line, in axial units."""
    share = Fraction(hand_first, hand_first - hand_last)
    x, y = (p + share * (s - p) for p, s in zip(first, last, strict=True))
    return x / 3, y / 3
