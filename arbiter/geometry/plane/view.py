"""How much of a figure another one sees: the exact share of its silhouette that pieces do not hide.

The looker's eye is one point, above the middle of its base at its top. The target's *silhouette* is the flat board that
stands through the middle of its base, square to the line from the eye to it in plan: as wide as the base and as high as
the figure. A point of the silhouette is hidden where the straight line from the eye to it meets a piece. The hidden
share is the area of the hidden points over the area of the board, so a figure is seen if the area that is not hidden is
above zero. A line that passes between two pieces which touch shows nothing, and no reading of grazes is needed. A piece
behind the board hides nothing; of a piece in which the target stands, the part before the board hides. A piece that
contains the eye hides everything if it overtops the eye. The share is not the same both ways.

Every piece stands on the table, so that it hides everything below a line: each of its upper edges throws a
straight *fence* on the board, and the hidden part is the area below the highest fence. With d the way from eye to
target, places on the board are counted as t, for the point t·(d turned by a right angle) from its middle. There the
corners of fences are fractions, and only the ends of the board, ±radius/|d|, are roots: the area is a fraction and a
fraction times √(d·d), and comparing it with "half" is exact.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import isqrt, sqrt
from typing import NamedTuple

from arbiter.geometry.plane.fences import Fence, highest, joined, merged
from arbiter.geometry.plane.roots import WHOLE, Share, sign
from arbiter.geometry.plane.shapes import Figure, Piece, Point, cross, edges, twice_area, whereabouts


def hidden_share(looker: Figure, target: Figure, pieces: Sequence[Piece]) -> Share:
    """Work out what share of a target some pieces hide together."""
    board = _Board(looker, target)
    if any(board.is_behind(piece) for piece in pieces):
        return WHOLE
    return board.below([fence for piece in pieces for fence in board.fences(piece)])


def silhouette(looker: Figure, target: Figure) -> tuple[tuple[float, float], tuple[float, float]]:
    """Give the left and the right end of a target's silhouette, for drawing: in thousandths, and rounded."""
    return _Board(looker, target).ends()


def shadow(looker: Figure, target: Figure, piece: Piece) -> list[tuple[float, float, float, float]]:
    """Give the fences that a piece throws: from where to where, in thousandths aside, and how high at either end."""
    length = sqrt((target.at[0] - looker.at[0]) ** 2 + (target.at[1] - looker.at[1]) ** 2)
    return [
        (float(first) * length, float(last) * length, float(at + up * first), float(at + up * last))
        for first, last, at, up in _Board(looker, target).fences(piece)
    ]


class _End(NamedTuple):
    """A place on the board: plain + times · T, where T is half its width."""

    plain: Fraction
    times: Fraction = Fraction(0)


class _Board:
    """The silhouette of one target before one eye; heights on it are counted from the target's foot."""

    def __init__(self, looker: Figure, target: Figure) -> None:
        self.eye, self.at = looker.eye, target.at
        self.dx, self.dy = target.at[0] - looker.at[0], target.at[1] - looker.at[1]
        self.square = self.dx * self.dx + self.dy * self.dy
        self.radius, self.height = target.radius, target.height
        self.top, self.drop = target.eye[2], looker.eye[2] - target.elevation
        self.foot = target.elevation
        self.half_squared = Fraction(self.radius**2, self.square) if self.square else Fraction(0)
        # Fences are cut off a little beyond the ends of the board, at a fraction: wide / narrow >= T.
        times = isqrt(self.square // self.radius**2)
        self.wide, self.narrow = (1, times) if times else (isqrt(self.radius**2 // max(self.square, 1)) + 1, 1)

    def seen(self, piece: Piece) -> list[Point]:
        """Give the corners of a piece by how far along the way to the target they are and how far aside of it."""
        x, y, _ = self.eye
        dx, dy = self.dx, self.dy
        return [(dx * (a - x) + dy * (b - y), dx * (b - y) - dy * (a - x)) for a, b in piece.outline]

    def is_behind(self, piece: Piece) -> bool:
        """Decide quickly whether the board is behind a piece that overtops both; False means that it is undecided."""
        if piece.height < max(self.eye[2], self.top):
            return False
        seen = self.seen(piece)
        if min(seen)[0] <= 0 or max(seen)[0] > self.square:
            return False
        # A corner is off the board where |q/p| >= radius/√square.
        off = [q for p, q in seen if q * q * self.square >= self.radius * self.radius * p * p]
        return bool(off) and min(off) < 0 < max(off)

    def fences(self, piece: Piece) -> Iterator[Fence]:
        """Give the fences that the upper edges of a piece throw on the board."""
        if not self.square:
            # Seen from straight above or below a figure is a disc, and no piece stands between.
            return
        x, y, z = self.eye
        seen = self.seen(piece)
        if self._misses(seen):
            return
        over = piece.height - z
        where = whereabouts((x, y), piece.outline)
        if over > 0 and where == "inside":
            yield self._level(Fraction(-self.wide, self.narrow), Fraction(self.wide, self.narrow), self.height)
            return
        if over > 0 and where == "border":
            yield from self._walls_at_the_eye(piece.outline)
        for a, b in self._outer(seen, over) if where == "outside" else edges(seen):
            if (fence := self._fence(a, b, over)) is not None:
                yield fence
        if over < 0 or where != "outside":
            yield from self._cut(seen, over)

    def _outer(self, seen: Sequence[Point], over: int) -> Iterator[tuple[Point, Point]]:
        """Give the edges that throw the higher fence, of those at which a line of view enters and leaves a piece.

        If the top is not below the eye that is the first one, else the last, or the cut where the board is nearer.
        """
        hand = twice_area(seen) * (1 if over >= 0 else -1)
        # On the plan the line goes in where the eye lies on the outer hand of an edge.
        return ((a, b) for a, b in edges(seen) if (a[0] * b[1] - a[1] * b[0]) * hand < 0)

    def below(self, fences: Sequence[Fence]) -> Share:
        """Work out what share of the board lies below the highest of some fences."""
        plain = times = Fraction(0)
        for fence in self.profile(fences):
            for part in self._clamped(fence):
                area = self._area(part)
                plain, times = plain + area.plain, times + area.times
        # (plain + times·T) / (2·T·height), where T = radius / √square.
        return self._share(times / (2 * self.height), plain / (2 * self.height * self.radius))

    def profile(self, fences: Iterable[Fence]) -> list[Fence]:
        """Give the highest of some fences from one end of the board to the other, in order and without overlap."""
        every = list(fences)
        full = joined(sorted(fence for fence in every if self._is_full(fence)))
        partial = highest([fence for fence in every if not self._is_full(fence)])
        return merged(full, partial) if partial else full

    def _is_full(self, fence: Fence) -> bool:
        return not fence.up and fence.at >= self.height

    def _clamped(self, fence: Fence) -> Iterator[Fence]:
        """Cut a fence where it passes the foot and the top of the board, and give its parts as high as they count."""
        first, last, at, up = fence
        cuts = [(level - at) / up for level in (0, self.height)] if up else []
        for low, high in pairwise(sorted([first, last, *(t for t in cuts if first < t < last)])):
            over = at + up * (low + high) / 2
            if over >= self.height:
                yield self._level(low, high, self.height)
            elif over > 0:
                yield Fence(low, high, at, up)

    def _end(self, t: Fraction) -> _End:
        """Give a place, or the end of the board beyond which it lies."""
        return _End(t) if t * t < self.half_squared else _End(Fraction(0), Fraction(sign(t)))

    def ends(self) -> tuple[tuple[float, float], tuple[float, float]]:
        """Give the two ends of the board for drawing."""
        half = self.radius / sqrt(self.square) if self.square else 0.0
        (x, y), across, along = self.at, half * -self.dy, half * self.dx
        return (x - across, y - along), (x + across, y + along)

    def _share(self, plain: Fraction, times: Fraction) -> Share:
        root = isqrt(self.square)
        if root * root == self.square:
            return Share(plain + times * root)
        return Share(plain, times, self.square) if times else Share(plain)

    def _misses(self, seen: Sequence[Point]) -> bool:
        """Decide whether all corners lie behind the eye, behind the board, or off one side of the view."""
        wide, narrow = self.wide, self.narrow
        return (
            all(p <= 0 for p, _ in seen)
            or all(p > self.square for p, _ in seen)
            or all(narrow * q > wide * p for p, q in seen)
            or all(-narrow * q > wide * p for p, q in seen)
        )

    def _fence(self, a: Point, b: Point, over: int) -> Fence | None:
        """Throw one edge on the board: the part of it before the board and within the view."""
        (p, q), (to_p, to_q) = a, b
        aside = p * to_q - q * to_p
        if not aside:
            # The edge runs straight away from the eye, and its fence has no width.
            return None
        # Most edges are not cut, and fractions of whole numbers are fast.
        low: Fraction | int = 0
        high: Fraction | int = 1
        wide, narrow = self.wide, self.narrow
        for here, there in (
            (self.square - p, self.square - to_p),
            (wide * p - narrow * q, wide * to_p - narrow * to_q),
            (wide * p + narrow * q, wide * to_p + narrow * to_q),
        ):
            if here < 0 and there < 0:
                return None
            if here < 0:
                low = max(low, Fraction(here, here - there))
            elif there < 0:
                high = min(high, Fraction(here, here - there))
        if low >= high:
            return None
        first, last = (Fraction(q + share * (to_q - q), p + share * (to_p - p)) for share in (low, high))
        # Along the line of the edge, 1/p is (t·Δp - Δq) / (q·Δp - p·Δq), and the fence is as high as over·square/p.
        scale = over * self.square
        at, up = Fraction(scale * (to_q - q) + self.drop * aside, aside), Fraction(scale * (p - to_p), aside)
        fence = Fence(min(first, last), max(first, last), at, up)
        heights = fence.at + fence.up * first, fence.at + fence.up * last
        if max(heights) <= 0:
            return None
        return self._level(fence.first, fence.last, self.height) if min(heights) >= self.height else fence

    def _cut(self, seen: Sequence[Point], over: int) -> Iterator[Fence]:
        """Give the top of a piece where the board cuts through it."""
        crossings = sorted(
            Fraction(q * (to_p - self.square) - to_q * (p - self.square), (to_p - p) * self.square)
            for (p, q), (to_p, to_q) in edges(seen)
            if (p > self.square) != (to_p > self.square)
        )
        for first, last in zip(crossings[::2], crossings[1::2], strict=True):
            if first < last and over + self.drop > 0:
                yield self._level(first, last, over + self.drop)

    def _walls_at_the_eye(self, outline: Sequence[Point]) -> Iterator[Fence]:
        """Give fences of full height where a line of view goes into a piece on whose border the eye is."""
        x, y, _ = self.eye
        turns = 1 if twice_area(outline) > 0 else -1
        here = [
            (a, b)
            for a, b in edges(outline)
            if not cross(a, b, (x, y)) and (a[0] - x) * (b[0] - x) + (a[1] - y) * (b[1] - y) <= 0
        ]
        # Of two edges that meet in the eye, their inner hands are joined where the corner is a notch in the outline.
        notch = False
        if len(here) == 2:
            (a, b), (_, d) = here if here[0][1] == here[1][0] else here[::-1]
            notch = cross(a, b, d) * turns < 0
        limit = Fraction(self.wide, self.narrow)
        hands = []
        for a, b in here:
            ex, ey = (b[0] - a[0]) * turns, (b[1] - a[1]) * turns
            # The way from the eye to t on the board is d + t·(d turned); its hand of the edge is constant + slope·t.
            hands.append((ex * self.dy - ey * self.dx, ex * self.dx + ey * self.dy))
        bounds = {-limit, limit} | {Fraction(-constant, slope) for constant, slope in hands if slope}
        for first, last in pairwise(sorted(t for t in bounds if -limit <= t <= limit)):
            middle = (first + last) / 2
            inner = [constant + slope * middle > 0 for constant, slope in hands]
            if any(inner) if notch else all(inner):
                yield self._level(first, last, self.height)

    def _level(self, first: Fraction, last: Fraction, height: int) -> Fence:
        return Fence(first, last, Fraction(height), Fraction(0))

    def _area(self, fence: Fence) -> _End:
        """Work out the area below a fence on the board: at·(high - low) + up·(high² - low²)/2."""
        low, high, at, up = self._end(fence.first), self._end(fence.last), fence.at, fence.up
        if low == high:
            return _End(Fraction(0))
        squares = high.plain**2 - low.plain**2 + (high.times**2 - low.times**2) * self.half_squared
        mixed = high.plain * high.times - low.plain * low.times
        return _End(at * (high.plain - low.plain) + up * squares / 2, at * (high.times - low.times) + up * mixed)
