"""An estimate of how much of a figure is hidden from another: `view` in floating-point numbers, with an error bound.

Each edge of a piece that faces the eye, or with a top below the eye faces away from it, throws a straight fence on the
board on which the target is seen: from place to place of its width, in thousandths, so high over its foot. What lies
below the highest fence is hidden. An edge that comes no nearer to the eye than `NEAR`, and no nearer to the plane of
the board with its ends than `PLANE`, throws a fence that is off by less than `OFF` thousandths to the side and in
height: places are off by a billionth of a thousandth at most where they are at most a thousand units from each other,
and errors grow by no more than the way from `NEAR` to the board, or the length of an edge over `PLANE`.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, groupby, pairwise
from math import sqrt

from arbiter.geometry.plane.glimpse import sees, surely_sees
from arbiter.geometry.plane.paths.room import clearance
from arbiter.geometry.plane.roots import NOTHING, WHOLE, Share
from arbiter.geometry.plane.shapes import ExactSpot, Figure, Piece, turns_left, whereabouts
from arbiter.geometry.plane.view import hidden_share, shadow

NEAR, PLANE = 16.0, 1.0
OFF = 1e-3

CLOSE = 100.0
"""Thousandths: of what comes so close to the eye, places are taken from exact shadows."""

THIN = 0.02
"""Thousandths: a strip of the board that is narrower or lower is not found for a place to draw a line to."""

PARTS = 1024
"""Parts of a thousandth to which such a place is rounded."""

NOWHERE, EVERYWHERE = -1, -2
"""Where nothing of a strip is below a fence, and where all of it is."""

Bounds = tuple[float, float]
Fence = tuple[float, float, float, float]
"""From where to where on the board, and how high at either end."""

_Corner = tuple[float, float, float, float]
"""A corner by how far along the view it is, how far aside, and how far within either side of it."""


class Glance:
    """A look at a target from one eye: an estimate of what pieces hide of it. Results are remembered."""

    def __init__(self, looker: Figure, target: Figure) -> None:
        self.looker, self.target = looker, target
        (x, y, z), self.radius = looker.eye, float(target.radius)
        dx, dy = target.at[0] - x, target.at[1] - y
        length = sqrt(dx * dx + dy * dy)
        self.eye, self.length, self.drop = (x, y, z), length, z - target.elevation
        self._is_near = length <= self.radius or length <= CLOSE
        self._ahead = (dx / length, dy / length) if length else (0.0, 0.0)
        self._thrown: dict[Piece, Sequence[Fence] | None] = {}
        self._known: dict[tuple[Piece, ...], Bounds | None] = {}
        self._shares: dict[tuple[Piece, ...], Share] = {}
        self._close: set[Piece] = set()

    def hides(self, *pieces: Piece) -> bool:
        """Decide exactly whether some pieces hide any part of the target."""
        bounds = self.hidden(pieces)
        if bounds is not None and (bounds[0] > 0 or bounds[1] == 0):
            return bounds[0] > 0
        return self.share(pieces) > 0

    def hides_at_least(self, share: Fraction, pieces: Sequence[Piece]) -> bool:
        """Decide exactly whether some pieces hide at least this share of the target."""
        bounds = self.hidden(pieces)
        # The margin of the bounds exceeds the rounding error of a floating-point share.
        if bounds is not None and (bounds[0] >= float(share) or bounds[1] < float(share)):
            return bounds[0] >= float(share)
        return self.share(pieces) >= share

    def sees(self, pieces: Sequence[Piece]) -> bool:
        """Decide whether some part of the target is hidden by none of some pieces, exactly."""
        bounds = self.hidden(pieces)
        return (bounds is not None and bounds[1] < 1) or sees(self.looker, self.target, pieces)

    def share(self, pieces: Sequence[Piece]) -> Share:
        """Compute exactly the share of the target that some pieces hide."""
        asked = tuple(pieces)
        if asked not in self._shares:
            self._shares[asked] = self._share(asked)
        return self._shares[asked]

    def _share(self, pieces: Sequence[Piece]) -> Share:
        bounds = self.hidden(pieces)
        if bounds == (0.0, 0.0):
            return NOTHING
        if bounds is not None and bounds[1] == 1 and surely_sees(self.looker, self.target, pieces) is False:
            return WHOLE
        return hidden_share(self.looker, self.target, pieces)

    def may_hide(self, piece: Piece) -> bool:
        """Decide quickly whether a piece may hide some part of the target; False is certain."""
        thrown = None if self._is_near else self._fences(piece)
        return thrown is None or any(map(self._reaches, thrown))

    def hidden(self, pieces: Sequence[Piece]) -> Bounds | None:
        """Give a lower and an upper bound of the share of the target that some pieces hide; both are 0 for nothing.

        None if floating point cannot decide: next to a piece, in one, or where an edge lies along the board.
        """
        asked = tuple(pieces)
        if asked not in self._known:
            self._known[asked] = self._measure(asked)
        return self._known[asked]

    def least(self, pieces: Sequence[Piece]) -> float:
        """Bound from below what share of the target some pieces hide."""
        return (self.hidden(pieces) or (0.0, 1.0))[0]

    def _measure(self, pieces: Sequence[Piece]) -> Bounds | None:
        if self._is_near:
            return None
        fences: list[Fence] = []
        for piece in pieces:
            thrown = self._fences(piece)
            if thrown is None:
                return None
            fences += thrown
        if not any(map(self._reaches, fences)):
            return 0.0, 0.0
        radius, height = self.radius, self.target.height
        share = _below(fences, radius, float(height)) / (2 * radius * height)
        off = OFF * (len(fences) / radius + 1 / height)
        return max(share - off, 0.0), min(share + off, 1.0)

    def _reaches(self, fence: Fence) -> bool:
        """Decide quickly whether a fence may reach the board; False is certain."""
        first, last, low, high = fence
        return (low >= -OFF or high >= -OFF) and first <= self.radius + OFF and last >= -self.radius - OFF

    def visible(self, pieces: Sequence[Piece], digits: int) -> float:
        """Give the share of the target that none of some pieces hides, rounded."""
        bounds = self.hidden(pieces)
        if bounds is not None and (least := round(1 - bounds[1], digits)) == round(1 - bounds[0], digits):
            return least
        return round(float(self.share(pieces).rest), digits)

    def seen_spot(self, pieces: Sequence[Piece]) -> ExactSpot | None:
        """Give the middle of the largest strip of the board that none of some pieces hides, to draw a line to."""
        return self._spot((first, last, over, self.target.height) for first, last, over in self._strips(pieces))

    def hidden_spot(self, piece: Piece) -> ExactSpot | None:
        """Give the middle of the largest strip of the board that a piece hides, to draw a line to."""
        return self._spot((first, last, 0.0, over) for first, last, over in self._strips((piece,)))

    def _spot(self, strips: Iterable[Fence]) -> ExactSpot | None:
        """Give the middle of the largest of some strips: from where to where aside, and from what height to what."""
        best, spot = 0.0, None
        for first, last, low, high in strips:
            area = (last - first) * (high - low)
            # Of strips that are as large as each other, the first counts, whatever floating numbers add.
            if last - first > THIN and high - low > THIN and area > best * (1 + 1e-9):
                best, spot = area, ((first + last) / 2, (low + high) / 2)
        if spot is None:
            return None
        (at_x, at_y), (ux, uy), (aside, over) = self.target.at, self._ahead, spot
        place = at_x - aside * uy, at_y + aside * ux, self.target.elevation + over
        x, y, z = (Fraction(round(part * PARTS), PARTS) for part in place)
        return x, y, z

    def _strips(self, pieces: Iterable[Piece]) -> Iterator[tuple[float, float, float]]:
        """Cut the board into strips, each below one fence: from where to where, and how high in the middle."""
        fences: list[Fence] = []
        for piece in pieces:
            thrown = None if self._is_near else self._fences(piece)
            # Fences of a piece that is close may leave a sliver open between them, which parts a strip.
            exactly = thrown is None or piece in self._close
            fences += shadow(self.looker, self.target, piece) if exactly else thrown or ()
        for _, parts in groupby(_outline(fences, self.radius, float(self.target.height)), lambda part: part[3]):
            every = list(parts)
            first, last = every[0][0], every[-1][1]
            yield first, last, sum((high - low) * over for low, high, over, _ in every) / (last - first)

    def _fences(self, piece: Piece) -> Sequence[Fence] | None:
        try:
            return self._thrown[piece]
        except KeyError:
            thrown = self._thrown[piece] = self._throw(piece)
            return thrown

    def _throw(self, piece: Piece) -> Sequence[Fence] | None:
        """Throw a piece on the board; None where floating numbers tell too little."""
        (x, y, z), (ux, uy), length = self.eye, self._ahead, self.length
        alongs = [ux * (a - x) + uy * (b - y) for a, b in piece.outline]
        nearest, farthest = min(alongs), max(alongs)
        # Behind the eye or the board, or aside of the view, a piece throws nothing.
        if farthest < 0 or nearest > length + PLANE:
            return ()
        half = (self.radius + OFF) / length
        asides = [ux * (b - y) - uy * (a - x) for a, b in piece.outline]
        rights = [half * p - q for p, q in zip(alongs, asides, strict=True)]
        lefts = [half * p + q for p, q in zip(alongs, asides, strict=True)]
        if max(rights) < 0 or max(lefts) < 0:
            return ()
        if nearest < length + PLANE and farthest > length - PLANE and any(abs(p - length) < PLANE for p in alongs):
            return None
        if nearest < CLOSE and (away := clearance(complex(x, y), piece.outline)) < CLOSE:
            inside = away < 0 and whereabouts((x, y), piece.outline) == "inside"
            if not inside or piece.height <= z:
                self._close.add(piece)
            if inside and piece.height >= z:
                # A piece that just reaches up to the eye hides all that lies lower.
                level = float(self.target.height if piece.height > z else self.drop)
                return ((-self.radius, self.radius, level, level),)
            if abs(away) < NEAR:
                return None
        over = piece.height - z
        hand = 1.0 if turns_left(piece.outline) == (over >= 0) else -1.0
        fences: list[Fence] = []
        corners = list(zip(alongs, asides, rights, lefts, strict=True))
        sides = list(zip(corners, (*corners[1:], corners[0]), strict=True))
        for here, there in sides:
            (p, q, right, left), (to_p, to_q, to_right, to_left) = here, there
            if (p * to_q - q * to_p) * hand < 0 and (right >= 0 or to_right >= 0) and (left >= 0 or to_left >= 0):
                fences += self._edge(over, here, there)
        if over < 0 and farthest > length:
            # The board cuts through the piece where its edges cross the plane of the board.
            crossings = sorted(
                q + (length - p) / (to_p - p) * (to_q - q)
                for (p, q, _, _), (to_p, to_q, _, _) in sides
                if (p > length) is not (to_p > length)
            )
            level = float(self.drop + over)
            fences += [(s, t, level, level) for s, t in zip(crossings[::2], crossings[1::2], strict=True)]
        return tuple(fences)

    def _edge(self, over: int, here: _Corner, there: _Corner) -> tuple[Fence, ...]:
        """Throw the edge between two corners: the part of it between eye and board, and within the view."""
        (p, q, right, left), (to_p, to_q, to_right, to_left), length = here, there, self.length
        low, high = 0.0, 1.0
        for at, to in (
            (p - NEAR / 2, to_p - NEAR / 2),
            (length - p, length - to_p),
            (right, to_right),
            (left, to_left),
        ):
            if at < 0 and to < 0:
                return ()
            if at < 0:
                low = max(low, at / (at - to))
            elif to < 0:
                high = min(high, at / (at - to))
        if low >= high:
            return ()
        first, last = p + low * (to_p - p), p + high * (to_p - p)
        s, t = (q + low * (to_q - q)) * length / first, (q + high * (to_q - q)) * length / last
        up, to_up = self.drop + over * length / first, self.drop + over * length / last
        return ((s, t, up, to_up) if (s, up) <= (t, to_up) else (t, s, to_up, up),)


def _below(fences: Sequence[Fence], radius: float, height: float) -> float:
    """Measure the area of the board below the highest fence."""
    return sum((last - first) * over for first, last, over, _ in _outline(fences, radius, height))


def _outline(fences: Sequence[Fence], radius: float, height: float) -> Iterator[tuple[float, float, float, int]]:
    """Cut the board wherever its highest fence may change: from where to where, how high in the middle, and which.

    A fence counts no higher than the board.
    """
    lines = []
    for s, t, up, to_up in fences:
        if t > s and s < radius and t > -radius and (up > 0 or to_up > 0):
            if s <= -radius and t >= radius and up >= height and to_up >= height:
                yield -radius, radius, height, EVERYWHERE
                return
            lines.append((s, t, up, (to_up - up) / (t - s)))
    cuts = {-radius, radius}
    for s, t, up, slope in lines:
        cuts |= {s, t}
        if slope:
            cuts |= {s - up / slope, s + (height - up) / slope}
    for (s, t, up, slope), (other, to_other, other_up, other_slope) in combinations(lines, 2):
        if slope != other_slope and s < to_other and other < t:
            cuts.add((other_up - up + slope * s - other_slope * other) / (slope - other_slope))
    for first, last in pairwise(sorted([cut for cut in cuts if -radius <= cut <= radius])):
        middle = (first + last) / 2
        highest, which = 0.0, NOWHERE
        for number, (s, t, up, slope) in enumerate(lines):
            if s < middle < t and (over := up + slope * (middle - s)) > highest:
                highest, which = over, number
        yield (first, last, height, EVERYWHERE) if highest >= height else (first, last, highest, which)
