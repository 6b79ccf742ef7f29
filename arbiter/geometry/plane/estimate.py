"""About how much of a figure is hidden from another one: `view` in floating numbers, with a bound on what they are off.

Each edge of a piece that faces the eye, or with a top below the eye faces away from it, throws a straight fence on the
board on which the target is seen: from place to place of its width, in thousandths, so high over its foot. What lies
below the highest fence is hidden. An edge that comes no nearer to the eye than `NEAR`, and no nearer to the plane of
the board with its ends than `PLANE`, throws a fence that is off by less than `OFF` thousandths to the side and in
height: places are off by a billionth of a thousandth at most where they are at most a thousand units from each other,
and errors grow by no more than the way from `NEAR` to the board, or the length of an edge over `PLANE`.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import sqrt

from arbiter.geometry.plane.near import gap
from arbiter.geometry.plane.shapes import Figure, Piece, twice_area, whereabouts
from arbiter.geometry.plane.view import hidden_share

NEAR, PLANE = 100.0, 1.0
OFF = 1e-3

Bounds = tuple[float, float]
Fence = tuple[float, float, float, float]
"""From where to where on the board, and how high at either end."""


def hides(looker: Figure, target: Figure, piece: Piece) -> bool:
    """Decide whether a piece hides more than nothing of a target, exactly."""
    return Glance(looker, target).hides(piece)


def hidden_about(looker: Figure, target: Figure, pieces: Sequence[Piece]) -> Bounds | None:
    """Bound what share of a target some pieces hide; see `Glance.hidden`."""
    return Glance(looker, target).hidden(pieces)


class Glance:
    """A look at a target from one eye: about what pieces hide of it. What was found is remembered."""

    def __init__(self, looker: Figure, target: Figure) -> None:
        self.looker, self.target = looker, target
        (x, y, z), self.radius = looker.eye, float(target.radius)
        dx, dy = target.at[0] - x, target.at[1] - y
        self.square = dx * dx + dy * dy
        length = sqrt(self.square)
        self.eye, self.length, self.drop = (x, y, z), length, z - target.elevation
        self._is_near = length <= self.radius or length <= NEAR
        self.ahead = (0.0, 0.0) if self._is_near else (dx / length, dy / length)
        self._thrown: dict[Piece, Sequence[Fence] | None] = {}
        self._known: dict[tuple[Piece, ...], Bounds | None] = {}

    def hides(self, piece: Piece) -> bool:
        """Decide whether a piece hides more than nothing of the target, exactly."""
        bounds = self.hidden((piece,))
        if bounds is not None and (bounds[0] > 0 or bounds[1] == 0):
            return bounds[0] > 0
        return hidden_share(self.looker, self.target, (piece,)) > 0

    def may_hide(self, piece: Piece) -> bool:
        """Decide quickly whether a piece may hide something of the target; False is sure."""
        thrown = self.thrown(piece)
        return thrown is None or any(low >= -OFF or high >= -OFF for _, _, low, high in thrown)

    def seen(self, piece: Piece) -> list[tuple[float, float]]:
        """Give the corners of a piece by how far along the way to the target they are, and how far aside of it."""
        (x, y, _), (ux, uy) = self.eye, self.ahead
        return [(ux * (a - x) + uy * (b - y), ux * (b - y) - uy * (a - x)) for a, b in piece.outline]

    def hidden(self, pieces: Sequence[Piece]) -> Bounds | None:
        """Bound from below and from above what share of the target some pieces hide; both are 0 where it is nothing.

        None where floating numbers tell too little: beside a piece, in one, or where an edge lies along the board.
        """
        asked = tuple(pieces)
        if asked not in self._known:
            self._known[asked] = self._measure(asked)
        return self._known[asked]

    def _measure(self, pieces: Sequence[Piece]) -> Bounds | None:
        fences: list[Fence] = []
        for piece in pieces:
            thrown = self.thrown(piece)
            if thrown is None:
                return None
            fences += thrown
        if all(max(low, high) < -OFF for _, _, low, high in fences):
            return 0.0, 0.0
        radius, height = self.radius, self.target.height
        share = _below(fences, radius, float(height)) / (2 * radius * height)
        off = OFF * (len(fences) / radius + 1 / height)
        return max(share - off, 0.0), min(share + off, 1.0)

    def visible(self, pieces: Sequence[Piece], digits: int) -> float:
        """Give the share of the target that none of some pieces hides, rounded."""
        bounds = self.hidden(pieces)
        if bounds is not None and (least := round(1 - bounds[1], digits)) == round(1 - bounds[0], digits):
            return least
        return round(float(hidden_share(self.looker, self.target, pieces).rest), digits)

    def thrown(self, piece: Piece) -> Sequence[Fence] | None:
        """Throw a piece on the board; None where floating numbers tell too little."""
        try:
            return self._thrown[piece]
        except KeyError:
            thrown = self._thrown[piece] = self._throw(piece)
            return thrown

    def _throw(self, piece: Piece) -> Sequence[Fence] | None:
        if self._is_near:
            return None
        (x, y, z), length, seen = self.eye, self.length, self.seen(piece)
        if _misses(seen, length, self.radius):
            return ()
        if any(abs(along - length) < PLANE for along, _ in seen):
            return None
        if min(seen)[0] < NEAR and gap((x, y), piece.outline) < NEAR:
            if piece.height > z and whereabouts((x, y), piece.outline) == "inside":
                height = float(self.target.height)
                return ((-self.radius, self.radius, height, height),)
            return None
        turns_left = twice_area(piece.outline) > 0
        return tuple(_fences(seen, piece.height - z, self.drop, length, self.radius, turns_left))


def _misses(seen: Sequence[tuple[float, float]], length: float, radius: float) -> bool:
    """Decide whether a piece surely lies behind the eye or the board, or aside of the view."""
    half = radius / length
    return (
        all(along < 0 for along, _ in seen)
        or all(along > length + PLANE for along, _ in seen)
        or all(aside > half * along + OFF for along, aside in seen)
        or all(-aside > half * along + OFF for along, aside in seen)
    )


def _fences(
    seen: Sequence[tuple[float, float]], over: int, drop: int, length: float, radius: float, turns_left: bool
) -> Iterator[Fence]:
    """Give the fences that the edges of a piece throw, whose top is so far over the eye."""
    hand = 1.0 if turns_left == (over >= 0) else -1.0
    half = (radius + OFF) / length
    for (p, q), (to_p, to_q) in zip(seen, (*seen[1:], seen[0]), strict=True):
        if (p * to_q - q * to_p) * hand >= 0:
            continue
        low, high = 0.0, 1.0
        for here, there in (
            (p - NEAR / 2, to_p - NEAR / 2),
            (length - p, length - to_p),
            (half * p - q, half * to_p - to_q),
            (half * p + q, half * to_p + to_q),
        ):
            if here < 0 and there < 0:
                low = 1.0
            elif here < 0:
                low = max(low, here / (here - there))
            elif there < 0:
                high = min(high, here / (here - there))
        if low < high:
            ends = [(p + share * (to_p - p), q + share * (to_q - q)) for share in (low, high)]
            (s, up), (t, to_up) = sorted(
                (aside * length / along, drop + over * length / along) for along, aside in ends
            )
            yield s, t, up, to_up
    if over < 0:
        # The board cuts through the piece where its edges cross the plane of the board.
        crossings = sorted(
            q + (length - p) / (to_p - p) * (to_q - q)
            for (p, q), (to_p, to_q) in zip(seen, (*seen[1:], seen[0]), strict=True)
            if (p > length) is not (to_p > length)
        )
        for s, t in zip(crossings[::2], crossings[1::2], strict=True):
            yield s, t, drop + over, drop + over


def _below(fences: Sequence[Fence], radius: float, height: float) -> float:
    """Measure the area of the board below the highest fence."""
    lines = []
    for s, t, up, to_up in fences:
        if t > s and s < radius and t > -radius and (up > 0 or to_up > 0):
            if s <= -radius and t >= radius and up >= height and to_up >= height:
                return 2 * radius * height
            lines.append((s, t, up, (to_up - up) / (t - s)))
    cuts = {-radius, radius}
    for s, t, up, slope in lines:
        cuts |= {s, t}
        if slope:
            cuts |= {s - up / slope, s + (height - up) / slope}
    for (s, t, up, slope), (other, to_other, other_up, other_slope) in combinations(lines, 2):
        if slope != other_slope and s < to_other and other < t:
            cuts.add((other_up - up + slope * s - other_slope * other) / (slope - other_slope))
    area = 0.0
    for first, last in pairwise(sorted([cut for cut in cuts if -radius <= cut <= radius])):
        middle = (first + last) / 2
        highest = 0.0
        for s, t, up, slope in lines:
            if s < middle < t and (over := up + slope * (middle - s)) > highest:
                highest = over
        area += (last - first) * min(highest, height)
    return area
