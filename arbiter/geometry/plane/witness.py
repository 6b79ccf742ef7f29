"""What a straight line meets, piece by piece and contact by contact, in fractions of its length.

A line runs in space from one spot to another. It meets a piece where it is over the piece's outline or on it, and not
above its top. The kinds of contact:

* `through`: it passes through the inside of the piece.
* `along`: it runs along the piece's side, which lies on one hand of it.
* `corner`: it touches a single upright edge, or the side at an end of the line.
* `top`: it touches the level of the top and goes no deeper.

Two readings say which lines a set of pieces, a *screen*, stops.

* `touch`: every line that meets a piece in any way.
* `cross`: a line that passes through the inside of a piece; or between two pieces of the screen that it touches at the
  same place on either hand, because they are one wall there. A piece that it only grazes does not stop it.

This is the slow and explicit form of the verdicts that `planesight` computes with arrays. It serves explanations,
pictures, and the few lines that graze.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from math import lcm
from typing import Literal, NamedTuple

from arbiter.geometry.plane.shapes import ExactSpot, Piece, Point, Spot, cross, edges, twice_area, whereabouts
from arbiter.value import Value

Grazes = Literal["touch", "cross"]
"""The reading of contacts: see the module."""

READINGS: tuple[Grazes, ...] = ("touch", "cross")

QUITE = 1e-9
"""The bound of the rounding error of quotients of whole numbers, as a share of a line."""

How = Literal["through", "along", "corner", "top"]
Place = tuple[Fraction, Fraction, Fraction]


class Contact(NamedTuple):
    """One stretch, or one point, of a line at which it meets a piece: from `first` to `last` as shares of the line.

    `hand` is where the piece lies that is touched: 1 towards y from x, -1 the other way, 0 for neither.
    """

    first: Fraction
    last: Fraction
    how: How
    hand: int

    def ends(self, start: ExactSpot, end: ExactSpot) -> tuple[Place, ...]:
        """Give both ends of the stretch, or the point, of a line between two spots."""
        return tuple(_at(start, end, share) for share in dict.fromkeys((self.first, self.last)))


class Meeting(Value, frozen=True):
    """One contact of the line with a piece.

    `where`: the point, or the two ends of the stretch, in thousandths. `counts`: whether this contact, in the reading
    asked for, stops the line.
    """

    piece: str
    how: How
    where: tuple[Place, ...]
    counts: bool


class LineWitness(Value, frozen=True):
    """The verdict on one line and what it rests on, in order from its start.

    `hangs_on_grazes`: the other reading would give another verdict.
    """

    stopped: bool
    grazes: Grazes
    start: ExactSpot
    end: ExactSpot
    meetings: tuple[Meeting, ...]
    hangs_on_grazes: bool


def unknown_reading(grazes: str) -> ValueError:
    """Say that there is no such reading."""
    return ValueError(f"unknown reading of grazes {grazes!r}: send 'touch' or 'cross'")


def witness(start: ExactSpot, end: ExactSpot, screen: Sequence[Piece], grazes: Grazes = "touch") -> LineWitness:
    """Decide whether a screen stops the line from start to end, with every contact and its position."""
    if grazes not in READINGS:
        raise unknown_reading(grazes)
    met = [(piece, contacts(start, end, piece)) for piece in screen]
    crossed = passed(start, end, met)
    every = sorted(
        (contact.first, contact.last, place, contact) for place, (_, found) in enumerate(met) for contact in found
    )
    stopped = bool(every) if grazes == "touch" else bool(crossed)
    return LineWitness(
        stopped=stopped,
        grazes=grazes,
        start=start,
        end=end,
        meetings=tuple(
            Meeting(
                met[place][0].id,
                contact.how,
                contact.ends(start, end),
                grazes == "touch" or (place, contact) in crossed,
            )
            for _, _, place, contact in every
        ),
        hangs_on_grazes=bool(every) != bool(crossed),
    )


def stops(start: Spot, end: Spot, pieces: Iterable[Piece], grazes: Grazes) -> bool:
    """Decide whether some pieces stop one line, as a screen of them would, without preparing one."""
    a, b = start[:2], end[:2]
    highest, lowest = max(start[2], end[2]), min(start[2], end[2])
    doubtful = []
    for piece in pieces:
        if piece.height < lowest:
            continue
        hands = [cross(a, b, corner) for corner in piece.outline]
        if min(hands) > 0 or max(hands) < 0:
            continue
        if piece.height > highest:
            if any(
                hand * next_hand < 0 and cross(c, d, a) * cross(c, d, b) < 0
                for (c, d), hand, next_hand in zip(edges(piece.outline), hands, (*hands[1:], hands[0]), strict=True)
            ):
                return True
        elif lowest < highest and all(hands) and (crossed := _crosses(start, end, piece, hands)) is not None:
            if crossed:
                return True
            continue
        doubtful.append(piece)
    met = [(piece, contacts(start, end, piece)) for piece in doubtful]
    return any(found for _, found in met) if grazes == "touch" else bool(passed(start, end, met))


def _crosses(start: Spot, end: Spot, piece: Piece, hands: Sequence[int]) -> bool | None:
    """Decide quickly whether a line that rises or falls passes through a piece no higher than the higher of its ends.

    `hands` say on which hand of the line its corners lie, none of them on it. None leaves it open.
    """
    a, b = start[:2], end[:2]
    rise, low, high = end[2] - start[2], 0.0, 1.0
    if start[2] > piece.height:
        low = (piece.height - start[2]) / rise
    elif end[2] > piece.height:
        high = (piece.height - start[2]) / rise
    cuts = []
    for (c, d), hand, next_hand in zip(edges(piece.outline), hands, (*hands[1:], hands[0]), strict=True):
        if (hand < 0) is not (next_hand < 0):
            of_a, of_b = cross(c, d, a), cross(c, d, b)
            cuts.append(of_a / (of_a - of_b))
    enters, leaves = min(cuts), max(cuts)
    if leaves < low - QUITE or enters > high + QUITE:
        return False
    if len(cuts) == 2 and min(leaves, high) - max(enters, low) > QUITE:
        return True
    return None


def passes_through(start: Spot, end: ExactSpot, piece: Piece) -> tuple[float, float] | None:
    """Give between which shares of its length a line passes through a piece it meets but once; None leaves it open.

    A line that begins inside of the piece is left open. It ends at whole parts of 1/1024, so that cross products of it
    are exact in floating numbers, and a share is rounded but once.
    """
    a, b, height = start[:2], (float(end[0]), float(end[1])), piece.height
    rise, low, high = float(end[2]) - start[2], 0.0, 1.0
    if start[2] > height:
        if rise >= 0:
            return None
        low = (height - start[2]) / rise
    elif start[2] + rise > height:
        high = (height - start[2]) / rise
    hands = [_hand(a, b, corner) for corner in piece.outline]
    if not all(hands):
        return None
    cuts = []
    for (c, d), hand, next_hand in zip(edges(piece.outline), hands, (*hands[1:], hands[0]), strict=True):
        if (hand < 0) is not (next_hand < 0):
            of_a, of_b = _hand(c, d, a), _hand(c, d, b)
            cuts.append(of_a / (of_a - of_b))
    if len(cuts) != 2 or min(cuts) < QUITE or abs(max(cuts) - 1) < QUITE:
        return None
    first, last = max(min(cuts), low), min(max(cuts), high)
    return (first, last) if last - first > QUITE else None


def _hand(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def contacts(start: ExactSpot, end: ExactSpot, piece: Piece) -> tuple[Contact, ...]:
    """List where a line meets a piece, in order from its start."""
    low, high = _below(start, end, piece.height)
    if low > high:
        return ()
    if start[2] == end[2] == piece.height:
        return tuple(Contact(first, last, "top", 0) for first, last, _, _ in _in_plan(start, end, piece.outline))
    found = []
    for met in _in_plan(start, end, piece.outline):
        first, last = max(met.first, low), min(met.last, high)
        if first > last:
            continue
        at_top = first == last and start[2] + first * (end[2] - start[2]) == piece.height
        found.append(Contact(first, last, "top", 0) if at_top else Contact(first, last, met.how, met.hand))
    return tuple(found)


def passed(
    start: ExactSpot, end: ExactSpot, met: Sequence[tuple[Piece, tuple[Contact, ...]]]
) -> frozenset[tuple[int, Contact]]:
    """Find the contacts by which a line is stopped in the reading 'cross', each with the place of its piece."""
    found = {(place, contact) for place, (_, every) in enumerate(met) for contact in every if contact.how == "through"}
    grazed = [(place, contact) for place, (_, every) in enumerate(met) for contact in every if contact.hand]
    for (a, one), (b, other) in combinations(grazed, 2):
        first, last = max(one.first, other.first), min(one.last, other.last)
        if one.hand != other.hand and first <= last:
            height = start[2] + (first + last) / 2 * (end[2] - start[2])
            if height < met[a][0].height and height < met[b][0].height:
                found |= {(a, one), (b, other)}
    return frozenset(found)


def _at(start: ExactSpot, end: ExactSpot, share: Fraction) -> Place:
    # In whole numbers, and made a fraction once.
    part, under = share.numerator, share.denominator
    x, y, z = (
        Fraction(
            a.numerator * b.denominator * (under - part) + b.numerator * a.denominator * part,
            a.denominator * b.denominator * under,
        )
        for a, b in zip(start, end, strict=True)
    )
    return x, y, z


def _below(start: ExactSpot, end: ExactSpot, height: int) -> tuple[Fraction, Fraction]:
    """Give the stretch of a line that is not above a height; where there is none it ends before it begins."""
    low, high = Fraction(0), Fraction(1)
    if start[2] > height or end[2] > height:
        if start[2] > height and end[2] > height:
            return high, low
        reached = Fraction(height - start[2], end[2] - start[2])
        return (reached, high) if start[2] > height else (low, reached)
    return low, high


def _in_plan(start: ExactSpot, end: ExactSpot, outline: Sequence[Point]) -> Iterator[Contact]:
    """Cut a line at everything it meets of a polygon in plan, and give the stretches in which it meets it."""
    a, b, outline = _whole(start, end, outline)
    if a == b:
        if (where := whereabouts(a, outline)) != "outside":
            yield Contact(Fraction(0), Fraction(1), "through" if where == "inside" else "corner", 0)
        return
    hands = [cross(a, b, corner) for corner in outline]
    if min(hands) > 0 or max(hands) < 0:
        return
    cuts = sorted(_cuts(a, b, outline, hands))
    if all(hands) and (not cuts or (cuts[0] > 0 and cuts[-1] < 1)):
        # Past no corner, and with no end on the border, a line comes in and goes out by turns.
        ways = [Fraction(0), *cuts] if whereabouts(a, outline) == "inside" else cuts
        for into, out in zip(ways[::2], [*ways[1::2], Fraction(1)], strict=False):
            yield Contact(into, out, "through", 0)
        return
    shares = sorted({Fraction(0), Fraction(1), *cuts})
    turns = 1 if twice_area(outline) > 0 else -1
    inside = [_lies(a, b, (before + after) / 2, outline) for before, after in pairwise(shares)]
    joined: list[Contact] = []
    for place, share in enumerate(shares):
        around = inside[max(place - 1, 0) : place + 1]
        apart = all(where == "outside" for where in around)
        if apart and (hand := _touches(a, b, share, outline)) is not None:
            joined.append(Contact(share, share, "corner", hand if share not in (0, 1) else 0))
        if place == len(inside) or inside[place] == "outside":
            continue
        how: How = "through" if inside[place] == "inside" else "along"
        hand = turns * _hand_along(a, b, (share + shares[place + 1]) / 2, outline) if how == "along" else 0
        before = joined[-1] if joined else None
        if before and (before.last, before.how, before.hand) == (share, how, hand):
            joined[-1] = before._replace(last=shares[place + 1])
        else:
            joined.append(Contact(share, shares[place + 1], how, hand))
    yield from joined


def _whole(start: ExactSpot, end: ExactSpot, outline: Sequence[Point]) -> tuple[Point, Point, Sequence[Point]]:
    """Give a line and a polygon in plan in whole numbers, in such parts of a thousandth as the line's ends need."""
    ends = (*start[:2], *end[:2])
    under = lcm(*(number.denominator for number in ends))
    x, y, to_x, to_y = (number.numerator * (under // number.denominator) for number in ends)
    return (x, y), (to_x, to_y), outline if under == 1 else [(of_x * under, of_y * under) for of_x, of_y in outline]


def _cuts(a: Point, b: Point, outline: Sequence[Point], hands: Sequence[int]) -> Iterator[Fraction]:
    """Give where a line meets the edges of a polygon, as shares of it; of a common stretch both ends.

    `hands` say on which hand of the line the corners lie.
    """
    across, along = b[0] - a[0], b[1] - a[1]
    length = across * across + along * along
    for (c, d), of_c, of_d in zip(edges(outline), hands, (*hands[1:], hands[0]), strict=True):
        if not of_c:
            yield from _on_line(Fraction((c[0] - a[0]) * across + (c[1] - a[1]) * along, length))
        if (of_c < 0 < of_d) or (of_d < 0 < of_c):
            # The two hands of the edge's ends divide it where the line meets it.
            of_a, of_b = cross(c, d, a), cross(c, d, b)
            yield from _on_line(Fraction(of_a, of_a - of_b))


def _on_line(share: Fraction) -> Iterable[Fraction]:
    return (share,) if 0 <= share <= 1 else ()


def _scaled(a: Point, b: Point, share: Fraction, outline: Sequence[Point]) -> tuple[Point, Sequence[Point]]:
    """Give a point of a line and a polygon in such parts that the point has whole numbers."""
    part, under = share.numerator, share.denominator
    at = a[0] * under + part * (b[0] - a[0]), a[1] * under + part * (b[1] - a[1])
    return at, [(x * under, y * under) for x, y in outline]


def _lies(a: Point, b: Point, share: Fraction, outline: Sequence[Point]) -> Literal["inside", "border", "outside"]:
    """Tell where a point of a line lies."""
    return whereabouts(*_scaled(a, b, share, outline))


def _touches(a: Point, b: Point, share: Fraction, outline: Sequence[Point]) -> int | None:
    """Tell on which hand a polygon lies that a line touches in one point, or None where it does not touch it there."""
    at, corners = _scaled(a, b, share, outline)
    if at in corners:
        place = corners.index(at)
        before, after = outline[place - 1], outline[(place + 1) % len(outline)]
        hand = cross(a, b, before) or cross(a, b, after)
        return (hand > 0) - (hand < 0)
    return 0 if whereabouts(at, corners) != "outside" else None


def _hand_along(a: Point, b: Point, share: Fraction, outline: Sequence[Point]) -> int:
    """Tell which way the edge leads along which a line runs: 1 with the line, -1 against it."""
    (x, y), corners = _scaled(a, b, share, outline)
    across, along = b[0] - a[0], b[1] - a[1]
    for c, d in edges(corners):
        # The middle of the stretch lies on the edge, and between its ends.
        if (c[0] - x) * along == (c[1] - y) * across and (d[0] - x) * along == (d[1] - y) * across:
            towards = (c[0] - x) * (d[0] - x) + (c[1] - y) * (d[1] - y)
            if towards < 0:
                with_line = (d[0] - c[0]) * across + (d[1] - c[1]) * along
                return 1 if with_line > 0 else -1
    raise AssertionError((a, b, share))
