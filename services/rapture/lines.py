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

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import cos, pi, sin
from typing import Literal

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane.barrier import are_cut_off
from arbiter.geometry.plane.gaps import SURE, Line, ahead_of, perhaps_free, squared
from arbiter.geometry.plane.shapes import LARGEST, Figure, Piece, Point, standing
from arbiter.geometry.plane.sight import Lines, Screen
from arbiter.geometry.plane.witness import Grazes, contacts, passed, stops
from arbiter.skirmish.lines import contacts_of
from arbiter.skirmish.sight import Contact
from services.rapture.ground import Ground

From = Literal["any-point", "centre"]
Heights = Literal["plan", "space"]

_PLACES = ((0.0, 0.0), *((round(cos(pi * k / 4), 4), round(sin(pi * k / 4), 4)) for k in range(8)))

SIGHTS_KEPT = 512
"""Results that a ground caches, in each of two generations."""

STRIPS_KEPT = 128
"""Strips between two models of which a ground caches what stands in them, in each of two generations."""

WIDER = 1.01
"""How much wider than its base a piece is at most as which a model stands in the way."""

_MOST_BOUNDS = 12
"""The most lines that bound gaps between which others are tried."""


def pairs_in_sight(
    ground: Ground,
    own: tuple[Figure, ...],
    others: tuple[Figure, ...],
    third: tuple[Figure, ...],
    origin: From,
    grazes: Grazes,
    heights: Heights,
) -> frozenset[tuple[int, int]]:
    """Give the pairs of models, by their places, that see each other past the bases of third ones."""
    every = product(enumerate(own), enumerate(others))
    return frozenset(
        (i, j)
        for (i, one), (j, other) in every
        if line_on(ground, one, other, near(one, other, third), origin, grazes, heights) is not None
    )


@held_by_first(SIGHTS_KEPT)
def line_on(
    ground: Ground, a: Figure, b: Figure, bodies: tuple[Figure, ...], origin: From, grazes: Grazes, heights: Heights
) -> Line | None:
    """Give a line as `free_line` does, on a ground and past the bases of other models that are near."""
    top, tall = max(a.height, b.height), _strip(ground, a, b, bodies, heights)
    if heights == "space" and all(piece.height > top for piece in tall):
        # What overtops both counts as it does on the plan.
        return line_on(ground, a, b, bodies, origin, grazes, "plan")
    return free_line(a, b, tall, origin, grazes)


def met_on(
    ground: Ground, line: Line, a: Figure, b: Figure, bodies: tuple[Figure, ...], grazes: Grazes, heights: Heights
) -> tuple[Contact, ...]:
    """List what a line from one model to another meets on a ground, models by their ids, of those that are near."""
    return contacts_of((*line.start, a.height), (*line.end, b.height), _strip(ground, a, b, bodies, heights), grazes)


@held_by_first(STRIPS_KEPT)
def near_on(_: Ground, a: Figure, b: Figure, bodies: tuple[Figure, ...]) -> tuple[Figure, ...]:
    """List the models that reach into the strip between two others, as `near` does; a ground caches them."""
    return near(a, b, bodies)


@held_by_first(STRIPS_KEPT)
def _strip(ground: Ground, a: Figure, b: Figure, bodies: tuple[Figure, ...], heights: Heights) -> tuple[Piece, ...]:
    return _as_high((*_beside_on(ground, a, b), *(standing(body) for body in bodies)), heights)


@held_by_first(STRIPS_KEPT)
def _beside_on(ground: Ground, a: Figure, b: Figure) -> tuple[Piece, ...]:
    return tuple(piece for piece in ground.blocking if _beside(a, b, piece))


def free_line(a: Figure, b: Figure, tall: tuple[Piece, ...], origin: From, grazes: Grazes) -> Line | None:
    """Give a line by which one model sees another past what is in the way; None where there is none.

    It is that between the centres if that is free. Bases that touch see each other.
    """
    centres = Line(a.at, b.at)
    if squared(a.at, b.at) <= (a.radius + b.radius) ** 2:
        return centres
    if are_cut_off(a, b, tall):
        return None
    if not stops(a.eye, b.eye, tall, grazes):
        return centres
    if origin == "centre":
        return None
    if (sampled := _sampled(a, b, tall, grazes)) is not None:
        return sampled
    bounds = (line for line in perhaps_free(a, b, tall) if not _blocked(line, a, b, tall))
    if grazes == "cross":
        return next(bounds, None)
    return next((line for line in _between(list(bounds)) if not _blocked(line, a, b, tall, "touch")), None)


def blockers(
    a: Figure, b: Figure, pieces: tuple[Piece, ...], bodies: tuple[Figure, ...], grazes: Grazes, heights: Heights
) -> tuple[str, ...]:
    """List what stands on the line from centre to centre and blocks it, models by their ids."""
    tall = in_the_way(a, b, (*pieces, *(standing(body) for body in bodies)), heights)
    alone = tuple(piece.id for piece in tall if _blocked(Line(a.at, b.at), a, b, (piece,), grazes))
    # Two pieces that leave no gap between them may block a line that each of them only touches.
    return alone or tuple(piece.id for piece in tall if _blocked(Line(a.at, b.at), a, b, (piece,), "touch"))


def near(a: Figure, b: Figure, bodies: Sequence[Figure]) -> tuple[Figure, ...]:
    """List the models that reach into the strip between two others."""
    (ax, ay), (bx, by) = a.at, b.at
    (left, right), (low, high) = sorted((ax, bx)), sorted((ay, by))
    across, along = ahead_of(a.at, b.at)
    rim, found = max(a.radius, b.radius) + SURE, []
    for body in bodies:
        (x, y), wide = body.at, rim + WIDER * body.radius
        may_reach = left - wide <= x <= right + wide and low - wide <= y <= high + wide
        if may_reach and abs(along * (x - ax) - across * (y - ay)) <= wide and _beside(a, b, standing(body)):
            found.append(body)
    return tuple(found)


def in_the_way(a: Figure, b: Figure, pieces: Sequence[Piece], heights: Heights) -> tuple[Piece, ...]:
    """Give the pieces that reach into the strip between two bases; in plan they are as high as can be."""
    return _as_high(tuple(piece for piece in pieces if _beside(a, b, piece)), heights)


def _as_high(pieces: tuple[Piece, ...], heights: Heights) -> tuple[Piece, ...]:
    return tuple(replace(piece, height=LARGEST) for piece in pieces) if heights == "plan" else pieces


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
    across, along = ahead_of(a.at, b.at)
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
    across, along = ahead_of(of.at, other.at)
    r = max(0, of.radius - 1)
    return [
        (of.at[0] + int(r * (u * across - v * along)), of.at[1] + int(r * (u * along + v * across))) for u, v in _PLACES
    ]


def _between(bounds: Sequence[Line]) -> Iterator[Line]:
    """Give the lines halfway between two, and between three, of those that bound gaps."""
    few = bounds if len(bounds) <= _MOST_BOUNDS else bounds[:: -(-len(bounds) // _MOST_BOUNDS)]
    for many in (1, 2, 3):
        for lines in combinations(few, many):
            each = zip(*((*line.start, *line.end) for line in lines), strict=True)
            x, y, to_x, to_y = (sum(map(Fraction, numbers), Fraction(0)) / many for numbers in each)
            yield Line((x, y), (to_x, to_y))


def _blocked(line: Line, a: Figure, b: Figure, pieces: Sequence[Piece], grazes: Grazes = "cross") -> bool:
    """Decide whether pieces block a line from the top of one model to the top of another."""
    start, end = (*line.start, a.height), (*line.end, b.height)
    contacts_of_pieces = [(piece, contacts(start, end, piece)) for piece in pieces]
    if grazes == "touch":
        return any(contact for _, contact in contacts_of_pieces)
    return bool(passed(start, end, contacts_of_pieces))
