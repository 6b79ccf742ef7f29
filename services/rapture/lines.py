"""Lines of sight between bases in plan or in space, by the geometry alone. No rules stand here.

A base sees another if some line from a point of the one to a point of the other is free. Such a line can be turned and
shifted until it runs past two corners, past a corner and along a rim, or along both rims, without ceasing to be free;
so those lines are tried, next to some between fixed places of both bases. Lines past two corners are exact, and so is
a line along both rims that a corner touches. Where a rim takes part otherwise, the place on it is rounded to a
thousandth towards the middle: a gap that only lines within a few thousandths of a rim would find is missed. In space
lines run from the top of one model to the top of the other, the highest that there are; the places tried are the same.

A line that only touches is free in the reading `cross`, and not in `touch`: there a line between those that bound a
gap is looked for. Lengths are thousandths of a centimetre.
"""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import hypot, sqrt
from typing import Literal, NamedTuple

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.shapes import LARGEST, ExactPoint, Figure, Piece, Point, edges, standing
from arbiter.geometry.plane.sight import Lines, Screen
from arbiter.geometry.plane.witness import Grazes, contacts, passed
from arbiter.skirmish.lines import contacts_of
from arbiter.skirmish.sight import Contact
from services.rapture.ground import Ground

From = Literal["any-point", "centre"]
Heights = Literal["plan", "space"]
Rough = tuple[float, float]

_PLACES = (
    (0.0, 0.0),
    (1.0, 0.0),
    (0.7071, 0.7071),
    (0.0, 1.0),
    (-0.7071, 0.7071),
    (-1.0, 0.0),
    (-0.7071, -0.7071),
    (0.0, -1.0),
    (0.7071, -0.7071),
)
SURE = 2.0
"""The distance in thousandths from which floating numbers decide on which side of a line a point lies."""

SIGHTS_KEPT = 512
"""Results that a ground caches, in each of two generations."""

_MOST_BOUNDS = 12
"""The most lines that bound gaps between which others are tried."""


class Line(NamedTuple):
    """A line in plan from a place of one base to a place of the other."""

    start: ExactPoint
    end: ExactPoint


@held_by_first(SIGHTS_KEPT)
def free(
    ground: Ground, a: Figure, b: Figure, bodies: tuple[Figure, ...], origin: From, grazes: Grazes, heights: Heights
) -> bool:
    """Decide whether one model sees another on a ground, past the bases of other models; cached."""
    return clear(a, b, ground.blocking, bodies, origin, grazes, heights)


def clear(
    a: Figure,
    b: Figure,
    pieces: Sequence[Piece],
    bodies: Sequence[Figure],
    origin: From,
    grazes: Grazes,
    heights: Heights,
) -> bool:
    """Decide whether one model sees another past pieces that block and past the bases of other models."""
    return free_line(a, b, pieces, bodies, origin, grazes, heights) is not None


def free_line(
    a: Figure,
    b: Figure,
    pieces: Sequence[Piece],
    bodies: Sequence[Figure],
    origin: From,
    grazes: Grazes,
    heights: Heights,
) -> Line | None:
    """Give a line by which one model sees another, that between the centres if it is free; None where there is none.

    Bases that touch see each other.
    """
    centres = Line(a.at, b.at)
    if _squared(a.at, b.at) <= (a.radius + b.radius) ** 2:
        return centres
    tall = _in_the_way(a, b, (*pieces, *(standing(body) for body in bodies)), heights)
    if not tall or not Screen(tall).stops(a.eye, b.eye, grazes):
        return centres
    if origin == "centre":
        return None
    if (sampled := _sampled(a, b, tall, grazes)) is not None:
        return sampled
    bounds = (line for line in _perhaps_free(_candidates(a, b, tall), a, b, tall) if not _blocked(line, a, b, tall))
    if grazes == "cross":
        return next(bounds, None)
    return next((line for line in _between(list(bounds)) if not _blocked(line, a, b, tall, "touch")), None)


def blockers(
    a: Figure, b: Figure, pieces: tuple[Piece, ...], bodies: tuple[Figure, ...], grazes: Grazes, heights: Heights
) -> tuple[str, ...]:
    """List what stands on the line from centre to centre and blocks it, models by their ids."""
    tall = _in_the_way(a, b, (*pieces, *(standing(body) for body in bodies)), heights)
    alone = tuple(piece.id for piece in tall if _blocked(Line(a.at, b.at), a, b, (piece,), grazes))
    # Two pieces that leave no gap between them may block a line that each of them only touches.
    return alone or tuple(piece.id for piece in tall if _blocked(Line(a.at, b.at), a, b, (piece,), "touch"))


def met(
    line: Line,
    a: Figure,
    b: Figure,
    pieces: Sequence[Piece],
    bodies: Sequence[Figure],
    grazes: Grazes,
    heights: Heights,
) -> tuple[Contact, ...]:
    """List what a line from one model to another meets, models by their ids."""
    tall = _in_the_way(a, b, (*pieces, *(standing(body) for body in bodies)), heights)
    return contacts_of((*line.start, a.height), (*line.end, b.height), tall, grazes)


def near(a: Figure, b: Figure, bodies: Sequence[Figure]) -> tuple[Figure, ...]:
    """List the models that reach into the strip between two others."""
    return tuple(body for body in bodies if _beside(a, b, standing(body)))


def _in_the_way(a: Figure, b: Figure, pieces: Sequence[Piece], heights: Heights) -> tuple[Piece, ...]:
    """Give the pieces that reach into the strip between two bases; in plan they are as high as can be."""
    relevant = tuple(piece for piece in pieces if _beside(a, b, piece))
    return tuple(replace(piece, height=LARGEST) for piece in relevant) if heights == "plan" else relevant


def _beside(a: Figure, b: Figure, piece: Piece) -> bool:
    """Decide whether a piece may reach into the strip between two bases; a few more may be found to."""
    wide = max(a.radius, b.radius)
    xs, ys = [x for x, _ in piece.outline], [y for _, y in piece.outline]
    apart = (
        min(xs) > max(a.at[0], b.at[0]) + wide
        or max(xs) < min(a.at[0], b.at[0]) - wide
        or min(ys) > max(a.at[1], b.at[1]) + wide
        or max(ys) < min(a.at[1], b.at[1]) - wide
    )
    if apart:
        return False
    across, along = _ahead(a.at, b.at)
    aside = [along * (x - a.at[0]) - across * (y - a.at[1]) for x, y in piece.outline]
    return min(aside) <= wide + 1 and max(aside) >= -wide - 1


def _sampled(a: Figure, b: Figure, pieces: Sequence[Piece], grazes: Grazes) -> Line | None:
    """Give a line between fixed places of both bases that is free."""
    starts, ends = (_places(of, other) for of, other in ((a, b), (b, a)))
    spots = [(*at, a.height) for at in starts] + [(*at, b.height) for at in ends]
    pairs = [(i, len(starts) + j) for i in range(len(starts)) for j in range(len(ends))]
    stopped = Screen(pieces).stopped(Lines(spots, pairs), grazes)
    passing = (pair for pair, stops in zip(pairs, stopped, strict=True) if not stops)
    return next((Line(spots[i][:2], spots[j][:2]) for i, j in passing), None)


def _places(of: Figure, other: Figure) -> list[Point]:
    """Give the middle of a base and places on its rim, inside by less than two thousandths."""
    across, along = _ahead(of.at, other.at)
    r = max(0, of.radius - 1)
    return [
        (of.at[0] + int(r * (u * across - v * along)), of.at[1] + int(r * (u * along + v * across))) for u, v in _PLACES
    ]


def _perhaps_free(lines: Iterable[Line], a: Figure, b: Figure, pieces: Sequence[Piece]) -> Iterator[Line]:
    """Leave out lines that clearly cross an edge of a piece that overtops both models, which rounding cannot undo."""
    sides = [side for piece in pieces if piece.height > max(a.height, b.height) for side in edges(piece.outline)]
    for line in dict.fromkeys(lines):
        start, end = _rough(line.start), _rough(line.end)
        if not any(_astride(start, end, *side) and _astride(*side, start, end) for side in sides):
            yield line


def _astride(start: Rough, end: Rough, one: Rough, other: Rough) -> bool:
    """Decide whether two points lie clearly on either hand of the line through two others."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    sure = SURE * hypot(dx, dy)
    here, there = (dx * (at[1] - start[1]) - dy * (at[0] - start[0]) for at in (one, other))
    return here > sure > -sure > there or there > sure > -sure > here


def _rough(at: ExactPoint) -> Rough:
    return float(at[0]), float(at[1])


def _meets(base: Figure, one: Point, other: Point) -> bool:
    """Decide whether the line through two points comes near a base; a few more may be found to."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    return abs(dx * (base.at[1] - one[1]) - dy * (base.at[0] - one[0])) <= (base.radius + SURE) * hypot(dx, dy)


def _candidates(a: Figure, b: Figure, pieces: Sequence[Piece]) -> Iterator[Line]:
    """Give the lines that may bound a gap: past two corners, past a corner and along a rim, and along both rims."""
    corners = sorted({corner for piece in pieces for corner in piece.outline})
    for one, other in combinations(corners, 2):
        if _meets(a, one, other) and _meets(b, one, other):
            yield from _through(a, b, one, other)
    for corner in corners:
        for base in (a, b):
            for place in _tangents(base, corner):
                yield from _through(a, b, place, corner)
    for start, end in _bitangents(a, b):
        yield from _through(a, b, start, end)
    for corner in corners:
        if (ahead := _along_both_rims(a, b, corner)) is not None:
            yield from _through(a, b, corner, (corner[0] + ahead[0], corner[1] + ahead[1]))


def _through(a: Figure, b: Figure, one: Point, other: Point) -> Iterator[Line]:
    """Give the line through two points, from base to base and as short as can be, if it meets both."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    square = dx * dx + dy * dy
    if not square:
        return
    start, end = _foot(a, one, dx, dy, square), _foot(b, one, dx, dy, square)
    if start is None or end is None or start[0] == end[0]:
        return
    ahead = 1 if end[0] > start[0] else -1
    at, to = start[0] + ahead * start[1], end[0] - ahead * end[1]
    # Bases that do not touch may still be met side by side: then the feet are as near as they get.
    if (to - at) * ahead <= 0:
        at, to = start[0], end[0]
    yield Line((one[0] + at * dx, one[1] + at * dy), (one[0] + to * dx, one[1] + to * dy))


def _foot(base: Figure, one: Point, dx: int, dy: int, square: int) -> tuple[Fraction, Fraction] | None:
    """Give where along a line it comes nearest to the middle of a base, and how far the base reaches from there.

    Both are shares of (dx, dy); None if the line misses the base. The reach is rounded down.
    """
    x, y = base.at[0] - one[0], base.at[1] - one[1]
    aside = dx * y - dy * x
    left = base.radius * base.radius * square - aside * aside
    if left < 0:
        return None
    reach = Fraction(int(sqrt(left) * 0.999999), square)
    return Fraction(dx * x + dy * y, square), reach


def _tangents(base: Figure, at: Point) -> Iterator[Point]:
    """Give the places where lines from a point run along the rim of a base, a little inside of it."""
    dx, dy = at[0] - base.at[0], at[1] - base.at[1]
    away = hypot(dx, dy)
    r = max(0.0, base.radius - 1.0)
    if away <= base.radius:
        return
    along, aside = r * r / away, r * sqrt(away * away - r * r) / away
    for hand in (1, -1):
        u, v = along * dx - hand * aside * dy, along * dy + hand * aside * dx
        yield base.at[0] + int(u / away), base.at[1] + int(v / away)


def _along_both_rims(a: Figure, b: Figure, at: Point) -> Point | None:
    """Give the direction of the line through a point that runs exactly along both rims on one hand, if there is one.

    A corner that reaches up to that line from between leaves no other. Crossing over, there are always others.
    """
    x, y = ((b.radius - a.radius) * at[i] - b.radius * a.at[i] + a.radius * b.at[i] for i in (0, 1))
    aside = x * (a.at[1] - at[1]) - y * (a.at[0] - at[0])
    exact = aside * aside == a.radius * a.radius * (x * x + y * y)
    return (x, y) if exact and (x or y) else None


def _bitangents(a: Figure, b: Figure) -> Iterator[tuple[Point, Point]]:
    """Give where the lines touch that run along both rims, on one hand or crossing over, a little inside."""
    across, along = _ahead(a.at, b.at)
    apart = sqrt(_squared(a.at, b.at))
    r, s = max(0.0, a.radius - 1.0), max(0.0, b.radius - 1.0)
    for end in (s, -s):
        ahead = (r - end) / apart
        aside = sqrt(max(0.0, 1 - ahead * ahead))
        for hand in (1, -1):
            u, v = ahead * across - hand * aside * along, ahead * along + hand * aside * across
            yield (a.at[0] + int(r * u), a.at[1] + int(r * v)), (b.at[0] + int(end * u), b.at[1] + int(end * v))


def _between(bounds: Sequence[Line]) -> Iterator[Line]:
    """Give the lines halfway between two, and between three, of those that bound gaps."""
    few = bounds if len(bounds) <= _MOST_BOUNDS else bounds[:: -(-len(bounds) // _MOST_BOUNDS)]
    for many in (1, 2, 3):
        for lines in combinations(few, many):
            (x, y), (to_x, to_y) = (
                (
                    sum((Fraction(end[0]) for end in ends), Fraction(0)),
                    sum((Fraction(end[1]) for end in ends), Fraction(0)),
                )
                for ends in ([line.start for line in lines], [line.end for line in lines])
            )
            yield Line((x / many, y / many), (to_x / many, to_y / many))


def _blocked(line: Line, a: Figure, b: Figure, pieces: Sequence[Piece], grazes: Grazes = "cross") -> bool:
    """Decide whether pieces block a line from the top of one model to the top of another."""
    start, end = (*line.start, a.height), (*line.end, b.height)
    contacts_of_pieces = [(piece, contacts(start, end, piece)) for piece in pieces]
    return (
        any(contact for _, contact in contacts_of_pieces)
        if grazes == "touch"
        else bool(passed(start, end, contacts_of_pieces))
    )


def _ahead(a: Point, b: Point) -> tuple[float, float]:
    """Give the direction from one point to another, of length 1."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    length = hypot(dx, dy)
    return (dx / length, dy / length) if length else (1.0, 0.0)


def _squared(a: Point, b: Point) -> int:
    return (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
