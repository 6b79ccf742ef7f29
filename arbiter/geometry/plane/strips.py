"""Where to draw lines of sight to: `view.spots`, and the first of `witness.contacts`, in floating numbers.

The board on which a target is seen falls into strips: behind walls, which are fences at least as high as the board all
along, below or above one other fence each, and where nothing is hidden. A line leads to the middle of the largest strip
that is seen, and to the middle of the largest that a piece hides. Fences are those of `estimate`, off by less than
`OFF`. Where places, heights or areas may be in another order than they seem, or be rounded otherwise, `Doubtful` is
raised.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations
from math import dist, isqrt
from operator import itemgetter
from typing import NamedTuple

from arbiter.geometry.plane.estimate import OFF, Glance
from arbiter.geometry.plane.shapes import Piece, Spot, is_convex
from arbiter.geometry.plane.view import SHORT

NARROW = 10 * OFF
"""Thousandths within which two places or heights may be the same."""

EXACT = 1e-6
"""Thousandths by which floating numbers are less off where no fence is worked out."""

Bound = tuple[float, float]
"""A number, and how far off it may be."""

Wall = tuple[float, float]
"""From where to where on the board a fence reaches that is as high as the board."""


class Doubtful(ArithmeticError):
    """Floating numbers tell too little."""


class Line(NamedTuple):
    """A fence that is not as high as the board all along: from where to where, how high, and how much it rises."""

    first: float
    last: float
    up: float
    slope: float

    def at(self, aside: float) -> float:
        """Give how high it is at a place, or would be."""
        return self.up + self.slope * (aside - self.first)


class Strip(NamedTuple):
    """A part of the board between two places, and the highest fence there, None for a wall or where there is none.

    `is_full` where the fence is as high as the board.
    """

    first: Bound
    last: Bound
    line: Line | None
    is_full: bool


class Place(NamedTuple):
    """A place of the board: how far aside of its middle and over its foot, and how far off either may be."""

    aside: float
    over: float
    aside_off: float
    over_off: float


def places(glance: Glance, pieces: Sequence[Piece]) -> tuple[Spot | None, tuple[tuple[Piece, tuple[Spot, Spot]], ...]]:
    """Give a place of a target that is seen, and from where to where a line to what a piece hides first meets it.

    Places are rounded to thousandths. There is none where nothing is seen, and none for a piece that hides nothing.
    """
    seen = _middle_of_largest(glance, pieces, above=True)
    hidden = ((piece, _middle_of_largest(glance, (piece,), above=False)) for piece in pieces)
    stretches = tuple((piece, _stretch(glance, piece, place)) for piece, place in hidden if place is not None)
    return None if seen is None else _rounded(_spot(glance, seen), seen.aside_off, seen.over_off), stretches


# Fences


def _middle_of_largest(glance: Glance, pieces: Sequence[Piece], *, above: bool) -> Place | None:
    """Give the middle of the largest strip of the board above its fences, or below them; None if there is none."""
    walls, lines, narrow = _sorted_out(glance, pieces)
    radius, height = glance.radius, float(glance.target.height)
    if above and len(walls) == 1 and walls[0][0] < OFF / 2 - radius and walls[0][1] > radius - OFF / 2:
        return None
    if not above and not (walls or lines or narrow):
        return None
    strips = list(_strips(glance, walls, lines, narrow))
    areas = sorted((_area(strip, height, above=above), number) for number, strip in enumerate(strips))
    (area, off), number = areas[-1]
    # Whatever is too narrow to be found is smaller than this.
    rival = max([NARROW * 10 * height, *(other + other_off for (other, other_off), _ in areas[:-1])])
    if area - off <= rival:
        raise Doubtful
    return _middle(strips[number], height, above=above)


def _sorted_out(glance: Glance, pieces: Sequence[Piece]) -> tuple[list[Wall], list[Line], list[float]]:
    """Give the walls and the other fences of some pieces, and where what is too narrow for either begins and ends."""
    (_, _, z), height, drop = glance.eye, glance.target.height, glance.drop
    walls: list[Wall] = []
    levels: list[Wall] = []
    lines: list[Line] = []
    narrow: list[float] = []
    for piece in pieces:
        thrown = glance.thrown(piece)
        if thrown is None:
            raise Doubtful
        if not thrown:
            continue
        if not is_convex(piece.outline):
            raise Doubtful
        over = piece.height - z
        if not over:
            # What is as high as the eye throws fences of one height, and a convex piece throws one.
            (walls if drop >= height else levels).append(_around(thrown))
            continue
        full = []
        for fence in thrown:
            first, last, up, to_up = fence
            low, high = (up, to_up) if up < to_up else (to_up, up)
            # The board cuts through a piece at one height, which is a whole number.
            is_cut = low == high == drop + over
            if high < (1 if is_cut else -NARROW):
                continue
            if low >= height if is_cut else low > height + NARROW:
                if not is_cut:
                    _check_beyond(glance, fence)
                full.append(fence)
            elif last - first <= NARROW:
                narrow += (first, last)
            else:
                lines.append(Line(first, last, up, (to_up - up) / (last - first)))
        if full:
            walls.append(_around(full))
    if drop > 0:
        lines += (Line(first, last, drop, 0.0) for first, last in _joined(levels))
    return _joined(walls), lines, narrow


def _check_beyond(glance: Glance, fence: Sequence[float]) -> None:
    """Make sure that a fence as high as the board is so beyond its ends, too, as far as `view` works out fences."""
    first, last, up, to_up = fence
    limit = glance.length / isqrt(glance.square // glance.target.radius**2)
    slope = (to_up - up) / max(last - first, NARROW)
    for at, over, rise in ((-first, up, -slope), (last, to_up, slope)):
        if at > glance.radius - NARROW and over + rise * (limit - at) <= glance.target.height + NARROW:
            raise Doubtful


def _around(fences: Iterable[Sequence[float]]) -> Wall:
    firsts, lasts, *_ = zip(*fences, strict=True)
    return min(firsts), max(lasts)


def _joined(walls: Iterable[Wall]) -> list[Wall]:
    """Join walls of one height that overlap."""
    joined: list[Wall] = []
    for first, last in sorted(walls):
        before = joined[-1][1] if joined else first - 1
        if abs(first - before) <= NARROW:
            raise Doubtful
        if first < before:
            joined[-1] = joined[-1][0], max(before, last)
        else:
            joined.append((first, last))
    return joined


# Strips


def _strips(glance: Glance, walls: Sequence[Wall], lines: Sequence[Line], narrow: Sequence[float]) -> Iterator[Strip]:
    """Cut the board into strips, from one end to the other."""
    radius, height = glance.radius, float(glance.target.height)
    lines = [line for line in lines if not _is_behind(line, walls, height)]
    # Places beyond these ends are not looked at; see `view`.
    end = radius * SHORT * glance.length / (isqrt(glance.square * SHORT * SHORT) + 1)
    ends = [(end, EXACT), *((at, OFF) for wall in walls for at in wall), *((at, OFF) for at in narrow)]
    ends += _ends(lines, end, height)
    begun: Bound = (-end, EXACT)
    at, strip, gap = begun, None, 0.0
    for cut in sorted(cut for cut in ends if -end < cut[0] <= end):
        if cut[0] - at[0] <= NARROW:
            gap += cut[0] - at[0]
            at = cut[0], max(at[1], cut[1])
            continue
        highest, is_full = _highest(walls, lines, (at[0] + cut[0]) / 2, height)
        if strip is not None and (highest, is_full) == (strip.line, strip.is_full):
            if gap:
                raise Doubtful
            strip = strip._replace(last=cut)
        else:
            first = at[0], at[1] + gap
            if strip is not None:
                _check_corner(strip.line, highest)
                yield strip._replace(last=(strip.last[0], first[1]))
            strip = Strip(first, cut, highest, is_full)
        at, gap = cut, 0.0
    if strip is None:
        raise Doubtful
    yield strip._replace(last=(strip.last[0], at[1] + gap))


def _is_behind(line: Line, walls: Sequence[Wall], height: float) -> bool:
    """Decide whether a fence surely is lower than the top all along, and behind one wall."""
    return max(line.up, line.at(line.last)) < height - NARROW and any(
        first + NARROW < line.first and line.last < last - NARROW for first, last in walls
    )


def _ends(lines: Sequence[Line], end: float, height: float) -> Iterator[Bound]:
    """Give where fences begin and end, cross each other, and cross the foot and the top of the board."""
    for line in lines:
        first, last, up, slope = line
        for at in (first, last):
            if -end < at < end:
                _check_end(at, line, lines, height)
            yield at, OFF
        for level in (0.0, height):
            if slope and first < (at := first + (level - up) / slope) < last:
                yield at, OFF * (1 + 1 / abs(slope))
    for one, other in combinations(lines, 2):
        steeper = one.slope - other.slope
        if steeper and one.first < other.last and other.first < one.last:
            at = one.first + (other.at(one.first) - one.up) / steeper
            if max(one.first, other.first) < at < min(one.last, other.last):
                yield at, OFF * (2 + abs(one.slope) + abs(other.slope)) / abs(steeper)


def _check_end(at: float, line: Line, lines: Sequence[Line], height: float) -> None:
    """Make sure that the end of a fence plainly is above or below the foot, the top and all other fences there."""
    over, slack = line.at(at), NARROW * (1 + abs(line.slope))
    if min(abs(over), abs(over - height)) <= slack:
        raise Doubtful
    for other in lines:
        is_there = other.first + NARROW < at < other.last - NARROW and other is not line
        if is_there and abs(other.at(at) - over) <= slack + NARROW * abs(other.slope):
            raise Doubtful


def _check_corner(one: Line | None, other: Line | None) -> None:
    """Make sure that a fence does not go on straight in the next one."""
    if one is not None and other is not None:
        ratio = (other.last - other.first) / (one.last - one.first)
        off = NARROW * (1 + ratio) * (1 + abs(one.slope) + abs(other.slope))
        if abs(one.at(other.last) - other.at(other.last)) <= off:
            raise Doubtful


def _highest(walls: Sequence[Wall], lines: Sequence[Line], at: float, height: float) -> tuple[Line | None, bool]:
    """Give the highest fence at a place, None for a wall or where there is none, and whether it is full there."""
    heights = [(line.at(at), NARROW * (1 + abs(line.slope)), line) for line in lines if line.first < at < line.last]
    if any(first < at < last for first, last in walls):
        if any(over + off >= height for over, off, _ in heights):
            raise Doubtful
        return None, True
    if all(over + off < 0 for over, off, _ in heights):
        return None, False
    over, off, highest = max(heights, key=itemgetter(0))
    rival = max([0.0, *(other + other_off for other, other_off, line in heights if line is not highest)])
    if over - off <= rival or abs(over - height) <= off:
        raise Doubtful
    return highest, over > height


def _area(strip: Strip, height: float, *, above: bool) -> Bound:
    """Give how large a strip is above its fence, or below it."""
    (first, first_off), (last, last_off), line, is_full = strip
    width, ends = last - first, (first_off + last_off) * height
    if line is None or is_full:
        return (0.0, 0.0) if is_full is above else (width * height, ends)
    over = line.at((first + last) / 2)
    return width * (height - over if above else over), ends + width * 2 * OFF * (1 + abs(line.slope))


def _middle(strip: Strip, height: float, *, above: bool) -> Place:
    """Give the middle of a strip above its fence, or below it."""
    (first, first_off), (last, last_off), line, is_full = strip
    aside, off = (first + last) / 2, (first_off + last_off) / 2
    if line is None or is_full:
        return Place(aside, height / 2, off, 0.0)
    over, slope = line.at(aside), abs(line.slope)
    return Place(aside, (over + height if above else over) / 2, off, (OFF + slope * (OFF + off)) / 2)


# Lines


def _spot(glance: Glance, place: Place) -> tuple[float, float, float]:
    """Give a place of the board in space."""
    (x, y), (ux, uy) = glance.target.at, glance.ahead
    return x - place.aside * uy, y + place.aside * ux, glance.target.elevation + place.over


def _rounded(spot: tuple[float, float, float], aside_off: float, over_off: float) -> Spot:
    """Give a place in space, which is so far off on the plan and in height, in whole thousandths."""
    x, y, z = map(round, spot)
    if max(abs(spot[0] - x), abs(spot[1] - y)) >= 0.5 - aside_off - EXACT:
        raise Doubtful
    if over_off and abs(spot[2] - z) >= 0.5 - over_off - EXACT:
        raise Doubtful
    return x, y, z


def _stretch(glance: Glance, piece: Piece, place: Place) -> tuple[Spot, Spot]:
    """Give from where to where a line from the eye to a place that a piece hides first passes through the piece."""
    eye, spot = glance.eye, _spot(glance, place)
    far = dist(eye, spot)
    lowest, highest = _below(eye[2], spot[2], piece.height, place.over_off)
    for enters, leaves in _inside(glance, piece, place):
        ends = _further(enters, lowest, max), _further(leaves, highest, min)
        (first, first_off), (last, last_off) = ends
        if abs(last - first) <= first_off + last_off + NARROW / far:
            raise Doubtful
        if first < last:
            begin, end = (_part(eye, spot, share, off * far + place.aside_off + place.over_off) for share, off in ends)
            return begin, end
    raise Doubtful


def _further(one: Bound, other: Bound, pick: Callable[[Bound, Bound], Bound]) -> Bound:
    """Give the larger of two shares, or the smaller; where that is open they are nearly the same."""
    share, off = pick(one, other)
    return share, off if abs(one[0] - other[0]) > one[1] + other[1] else one[1] + other[1]


def _part(start: Spot, end: tuple[float, float, float], share: float, off: float) -> Spot:
    """Give a place on a line in whole thousandths."""
    x, y, z = (a + share * (b - a) for a, b in zip(start, end, strict=True))
    return _rounded((x, y, z), off, off)


def _below(start: float, end: float, height: float, off: float) -> tuple[Bound, Bound]:
    """Give between which shares a line is not above a height, from an eye to a place that is so far off."""
    if start <= height < end - off:
        return (0.0, 0.0), _reached(start, end, height, off)
    if end + off < height < start:
        return _reached(start, end, height, off), (1.0, 0.0)
    if start <= height and end + off < height:
        return (0.0, 0.0), (1.0, 0.0)
    raise Doubtful


def _reached(start: float, end: float, height: float, off: float) -> Bound:
    share = (height - start) / (end - start)
    return share, (off * share + EXACT) / (abs(end - start) - off)


def _inside(glance: Glance, piece: Piece, place: Place) -> Iterator[tuple[Bound, Bound]]:
    """Give the shares of a line on the plan between which it passes through a piece, in order."""
    length, turn, off = glance.length, place.aside / glance.length, place.aside_off / glance.length
    seen = [(along, aside - turn * along) for along, aside in glance.seen(piece)]
    if any(abs(aside) <= off * abs(along) + NARROW for along, aside in seen):
        raise Doubtful
    cuts = []
    for (p, q), (to_p, to_q) in zip(seen, (*seen[1:], seen[0]), strict=True):
        if (q < 0) is not (to_q < 0):
            share = (p + q / (q - to_q) * (to_p - p)) / length
            more = (off * max(abs(p), abs(to_p)) + EXACT) * (1 + abs((to_p - p) / (q - to_q))) / length
            if min(abs(share), abs(1 - share)) <= more + NARROW / length:
                raise Doubtful
            if share > 0:
                cuts.append((share, more))
    # From inside of a piece a line leaves it once more than it enters.
    ends = sorted([(0.0, 0.0), *cuts] if len(cuts) % 2 else cuts)
    for enters, leaves in zip(ends[::2], ends[1::2], strict=True):
        if enters[0] < 1:
            yield enters, min(leaves, (1.0, 0.0))
