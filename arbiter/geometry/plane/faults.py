"""Faults of a posted table: all faults of its pieces and figures together, each with its place.

Limits are checked first: a piece with too many corners is reported and not checked further, so that no body is
expensive. Overlapping outlines of two pieces are no fault (a hedge on a hill), and neither is a figure in a piece; the
game decides whether that is allowed.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations

from arbiter.fault import Fault, pointer
from arbiter.geometry.plane.shapes import (
    LARGEST,
    LARGEST_RADIUS,
    MOST_CORNERS,
    MOST_CORNERS_IN_ALL,
    MOST_FIGURES,
    MOST_PIECES,
    Figure,
    Piece,
    Point,
    cross,
    edges,
    units,
)


def size_faults(
    width: int, depth: int, at: str = "", members: tuple[str, str] = ("width", "depth")
) -> tuple[Fault, ...]:
    """Find the faults of the size of a table, in thousandths.

    `at` is the pointer to the posted board, and `members` are the names of its width and depth.
    """
    return tuple(
        Fault(
            f"{at}/{member}",
            "table-size",
            f"a table has a {name} of more than 0 and at most {units(LARGEST)}",
            float(units(side)),
            f"a number from 0.001 to {units(LARGEST)}",
        )
        for name, member, side in (("width", members[0], width), ("depth", members[1], depth))
        if not 0 < side <= LARGEST
    )


def piece_faults(pieces: Sequence[Piece], width: int, depth: int, at: str = "") -> tuple[Fault, ...]:
    """Find every fault of the pieces on a table of a size; `at` is the pointer to the posted list of pieces.

    Codes: `too-many-pieces`, `too-many-corners`, `same-id`, `corners`, `height`, `off-the-table`, `corner-twice`,
    `no-area`, `outline-crosses-itself`. A list that is too long, or has too many corners in total, is not checked
    further.
    """
    if len(pieces) > MOST_PIECES:
        return (_too_many(at, "pieces", len(pieces), MOST_PIECES),)
    if (corners := sum(len(piece.outline) for piece in pieces)) > MOST_CORNERS_IN_ALL:
        return (_too_many(at, "corners", corners, MOST_CORNERS_IN_ALL),)
    return (
        *_same_ids([piece.id for piece in pieces], at),
        *(fault for place, piece in enumerate(pieces) for fault in _of_piece(piece, width, depth, at, place)),
    )


def figure_faults(figures: Sequence[Figure], width: int, depth: int, at: str = "") -> tuple[Fault, ...]:
    """Find every fault of the figures on a table of a size; `at` is the pointer to the posted list of figures.

    Codes: `too-many-figures`, `same-id`, `base-size`, `height`, `off-the-table` (the base reaches over the edge),
    `facing`, `figures-overlap` (bases that touch do not, nor do figures one of which stands above the other).
    """
    if len(figures) > MOST_FIGURES:
        return (_too_many(at, "figures", len(figures), MOST_FIGURES),)
    return (
        *_same_ids([figure.id for figure in figures], at),
        *(fault for place, figure in enumerate(figures) for fault in _of_figure(figure, width, depth, at, place)),
        *(
            Fault(
                f"{at}{pointer(second, 'at')}",
                "figures-overlap",
                f"figures {a.id!r} and {b.id!r} stand in each other",
                expected="centres at least as far apart as their radii together",
                hint=f"{b.id!r} is at {_spelled(b.at)}, {a.id!r} at {_spelled(a.at)}",
            )
            for (_, a), (second, b) in combinations(enumerate(figures), 2)
            if overlap(a, b)
        ),
    )


def overlap(a: Figure, b: Figure) -> bool:
    """Decide whether two figures overlap: in plan by more than a touch, and at some common height."""
    apart = (a.at[0] - b.at[0]) ** 2 + (a.at[1] - b.at[1]) ** 2
    in_plan = apart < (a.radius + b.radius) ** 2
    return in_plan and a.elevation < b.elevation + b.height and b.elevation < a.elevation + a.height


def self_crossing(outline: Sequence[Point]) -> tuple[int, int] | None:
    """Find two edges of a polygon, by the places of their first corners, that meet where they should not.

    Edges that follow each other may share their common corner and no more; others may not share a point.
    """
    every = edges(outline)
    last = len(every) - 1
    for (first, (a, b)), (second, (c, d)) in combinations(enumerate(every), 2):
        if second == first + 1:
            wrong = _folds(a, b, d)
        elif (first, second) == (0, last):
            wrong = _folds(c, d, b)
        else:
            wrong = _meet(a, b, c, d)
        if wrong:
            return first, second
    return None


def _of_piece(piece: Piece, width: int, depth: int, at: str, place: int) -> Iterator[Fault]:
    here, outline = f"{at}/{place}", piece.outline
    if not 3 <= len(outline) <= MOST_CORNERS:
        yield Fault(
            f"{here}/outline",
            "corners",
            f"piece {piece.id!r} has {len(outline)} corners",
            len(outline),
            f"3 to {MOST_CORNERS} corners",
            "leave out corners on straight stretches, or split the piece",
        )
        return
    if not 0 <= piece.height <= LARGEST:
        yield _height(here, f"piece {piece.id!r}", piece.height, 0)
    for corner, point in enumerate(outline):
        if not (0 <= point[0] <= width and 0 <= point[1] <= depth):
            yield _off(f"{here}/outline/{corner}", f"a corner of piece {piece.id!r}", point, width, depth)
    twice = [corner for corner, (a, b) in enumerate(edges(outline)) if a == b]
    for corner in twice:
        yield Fault(
            f"{here}/outline/{(corner + 1) % len(outline)}",
            "corner-twice",
            f"piece {piece.id!r} names the same corner twice in a row",
            _spelled(outline[corner]),
            "each corner once; the outline closes by itself",
        )
    if twice:
        return
    if (crossing := self_crossing(outline)) is not None:
        flat = all(cross(outline[0], outline[1], point) == 0 for point in outline)
        if flat:
            yield Fault(
                f"{here}/outline",
                "no-area",
                f"the corners of piece {piece.id!r} lie on one line",
                expected="an outline around an area",
                hint="give a thin wall its thickness",
            )
        else:
            yield Fault(
                f"{here}/outline/{crossing[1]}",
                "outline-crosses-itself",
                f"the outline of piece {piece.id!r} meets itself",
                hint=f"the edges that begin at corners {crossing[0]} and {crossing[1]} meet",
                expected="a simple polygon, its corners in order around it",
            )


def _of_figure(figure: Figure, width: int, depth: int, at: str, place: int) -> Iterator[Fault]:
    here, (x, y), r = f"{at}/{place}", figure.at, figure.radius
    if not 0 < r <= LARGEST_RADIUS:
        yield Fault(
            f"{here}/radius",
            "base-size",
            f"the base of figure {figure.id!r} is too {'large' if r > 0 else 'small'}",
            float(units(r)),
            f"a radius from 0.001 to {units(LARGEST_RADIUS)}",
        )
    elif not (r <= x <= width - r and r <= y <= depth - r):
        yield _off(f"{here}/at", f"the base of figure {figure.id!r}", figure.at, width, depth)
    if not 0 < figure.height <= LARGEST:
        yield _height(here, f"figure {figure.id!r}", figure.height, 1)
    if not 0 <= figure.elevation <= LARGEST - max(figure.height, 0):
        yield _height(here, f"figure {figure.id!r}", figure.elevation, 0, "elevation")
    if figure.facing is not None and (figure.facing == (0, 0) or max(map(abs, figure.facing)) > LARGEST):
        yield Fault(
            f"{here}/facing",
            "facing",
            f"figure {figure.id!r} faces nowhere",
            list(figure.facing),
            f"a direction (x, y) other than (0, 0), neither part over {LARGEST}",
        )


def _same_ids(ids: Sequence[str], at: str) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for place, name in enumerate(ids):
        if name in first:
            yield Fault(
                f"{at}{pointer(place, 'id')}",
                "same-id",
                f"the id {name!r} is used at {first[name]} already",
                name,
                "an id of its own for each",
            )
        first.setdefault(name, place)


def _too_many(at: str, what: str, seen: int, most: int) -> Fault:
    return Fault(at, f"too-many-{what}", f"there are at most {most} {what}", seen, f"at most {most} {what}")


def _height(here: str, whose: str, seen: int, least: int, field: str = "height") -> Fault:
    return Fault(
        f"{here}/{field}",
        "height",
        f"the {field} of {whose} is out of bounds",
        float(units(seen)),
        f"from {units(least)} up, with its top at most at {units(LARGEST)}",
    )


def _off(here: str, what: str, point: Point, width: int, depth: int) -> Fault:
    return Fault(
        here,
        "off-the-table",
        f"{what} lies off the table",
        _spelled(point),
        f"a place on the table of {units(width)} by {units(depth)}",
    )


def _spelled(point: Point) -> list[float]:
    return [float(units(part)) for part in point]


def _folds(a: Point, b: Point, c: Point) -> bool:
    """Decide whether the way a, b, c turns back on itself at b."""
    back = (a[0] - b[0]) * (c[0] - b[0]) + (a[1] - b[1]) * (c[1] - b[1])
    return cross(a, b, c) == 0 and back > 0


def _meet(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Decide whether two closed segments share a point."""
    boxes = all(min(a[k], b[k]) <= max(c[k], d[k]) and min(c[k], d[k]) <= max(a[k], b[k]) for k in (0, 1))
    return (
        boxes
        and _sign(cross(a, b, c)) * _sign(cross(a, b, d)) <= 0
        and _sign(cross(c, d, a)) * _sign(cross(c, d, b)) <= 0
    )


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)
