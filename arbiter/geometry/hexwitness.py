"""What one line of sight meets: each contact with its place, and whether the verdict hangs on how contacts are read.

This goes through a line's contacts one by one and looks each hexside up by name. It is the explicit way to
the verdicts that `hexsight` reads off bit sets, for showing and for drawing.
"""

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

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

_AT_CORNER = {
    part: tuple(side(one, other) for one, other in combinations(hexes_around(corner((0, 0), number)), 2))
    for part, number in ((SE_CORNER, 5), (S_CORNER, 4))
}
"""The hexsides that end in each corner that hex (0, 0) owns."""


class Meeting(Value, frozen=True):
    """One hexside that the line meets.

    `how` the line meets it: it crosses its inside, touches one of its corners, or runs along it. `where`: that point in
    axial units, or for `along` the two ends of the stretch. `counts`: whether this meeting, in the reading asked for,
    blocks or gives cover. `exempt`: a cover hexside of the attacker's own hex, which never does. `place`: how many
    contacts with hexsides or corners the line has before this one.
    """

    kind: Kind
    side: Side
    how: How
    where: tuple[Point, ...]
    counts: bool
    exempt: bool
    place: int


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


class _Contact(NamedTuple):
    """A contact of one line with marked hexsides: its place in the line, how it meets them, and where.

    Of a corner `sides` says on which hand of the line each of its hexsides lies.
    """

    place: int
    how: How
    sides: tuple[tuple[Side, int], ...]
    where: tuple[Point, ...]


Kinds = Mapping[Side, tuple[Kind, ...]]
"""What stands on hexsides: for each that has anything, of which kinds it is."""


def witness(a: Hex, b: Hex, corners: Corners, kinds: Kinds) -> Witness:
    """Tell what the line from the attacker's hex a to the target's hex b meets of what blocks and what covers.

    ValueError for a reading that does not exist.
    """
    if corners not in READINGS:
        raise unknown_reading(corners)
    line = tuple(_contacts(a, b, kinds))
    blocks = _meetings(line, {of: found for of in _met(line) if (found := _without_cover(kinds[of]))}, ())
    covers = _meetings(line, {of: ("cover",) for of in _met(line) if "cover" in kinds[of]}, sides_of(a))
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


def _met(line: tuple[_Contact, ...]) -> set[Side]:
    return {of for contact in line for of, _ in contact.sides}


def _without_cover(kinds: tuple[Kind, ...]) -> tuple[Kind, ...]:
    return tuple(kind for kind in kinds if kind != "cover")


def _contacts(a: Hex, b: Hex, kinds: Kinds) -> Iterator[_Contact]:
    """Find the contacts with hexsides that have anything on them; most of a line's have nothing."""
    start, end = centre(a), centre(b)
    for place, (part, q, r) in enumerate(contacts(b[0] - a[0], b[1] - a[1])):
        owner = a[0] + q, a[1] + r
        if part in (SE_CORNER, S_CORNER):
            marked = [of for of in _sides_at(owner, part) if of in kinds]
            if not marked:
                continue
            point = corner(owner, 5 if part == SE_CORNER else 4)
            handed = [(of, _hand_at(start, end, point, of)) for of in marked]
            yield _Contact(place, "corner", tuple((of, hand) for of, hand in handed if hand), (axial(point),))
            continue
        step = SIDE_STEPS[part]
        beyond = owner[0] + step[0], owner[1] + step[1]
        of = (owner, beyond) if owner < beyond else (beyond, owner)
        if of not in kinds:
            continue
        ends = side_ends(of)
        hands = [_hand(start, end, point) for point in ends]
        if any(hands):
            yield _Contact(place, "crosses", ((of, 0),), (_between(*ends, *hands),))
        else:
            along = sorted(ends, key=lambda point: abs(point[0] - start[0]) + abs(point[1] - start[1]))
            yield _Contact(place, "along", ((of, 0),), tuple(axial(point) for point in along))


def _sides_at(owner: Hex, part: int) -> Iterator[Side]:
    """Name the three hexsides that end in a corner, by the hex that owns it."""
    q, r = owner
    for (aq, ar), (bq, br) in _AT_CORNER[part]:
        yield (q + aq, r + ar), (q + bq, r + br)


def _meetings(
    line: tuple[_Contact, ...], screen: Kinds, exempt: Collection[Side]
) -> Mapping[Corners, tuple[Meeting, ...]]:
    """Go through a line's contacts and tell what of a screen it meets, and whether that counts, in each reading."""
    if not screen:
        return _NOTHING
    passed = _passed_through(line, screen.keys() - exempt)
    found: dict[Corners, list[Meeting]] = {reading: [] for reading in READINGS}
    for contact in line:
        crossed = contact.how == "crosses" or contact.place in passed
        for of, _ in contact.sides:
            for kind in screen.get(of, ()):
                spared = of in exempt
                for reading, meetings in found.items():
                    counts = (crossed or reading == "touch") and not spared
                    meetings.append(Meeting(kind, of, contact.how, contact.where, counts, spared, contact.place))
    return {reading: tuple(meetings) for reading, meetings in found.items()}


_NOTHING: Mapping[Corners, tuple[Meeting, ...]] = dict.fromkeys(READINGS, ())


def _passed_through(line: tuple[_Contact, ...], live: set[Side]) -> set[int]:
    """Find the corners and runs at which the line passes from one side of the screen to the other.

    A run along a hexside of the screen joins the corners before and after it to one contact.
    """
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
    # Whole numbers until the end: the point lies hand_first parts of so many from the first corner.
    parts = hand_first - hand_last
    x, y = (p * parts + hand_first * (s - p) for p, s in zip(first, last, strict=True))
    return Fraction(x, 3 * parts), Fraction(y, 3 * parts)
