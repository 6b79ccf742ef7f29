"""Cost estimates of the expensive questions, from the scene alone.

Every estimate is milliseconds of one core of 2024 that has not seen the table before. `benchmarks/stargrave_costs.py`
shows them beside what is measured. What a way costs that has to be looked for hangs on what stands in it, and is known
only after the search: there the estimate is the middle of a wide range. No rules stand here.
"""

from math import dist, inf, pi

from msgspec.structs import replace

from arbiter.geometry.plane.shapes import PER_UNIT, Point
from arbiter.skirmish.plane import point
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry import vantage
from services.stargrave.scene import Figure, Place

MS_AT_LEAST = 1.0

MS_OF_A_LINE, MS_OF_A_CORNER_IN_SIGHT = 1.6, 0.07
"""Looking at somebody: by itself, and for each corner of a piece near the line."""

MS_OF_A_SPOT, MS_OF_A_CORNER_THERE, MS_OF_A_FIGURE_THERE = 0.1, 0.001, 0.005
"""Pricing a place that can be reached: by itself, and for each corner and each figure on the table."""

MS_OF_TWO_BENDS = 0.035
"""Trying one of the straight ways between two places past which a way may bend."""

BENDS_OF_A_LONG_WAY = 45
"""Where a way has more places to bend on its way than this, others far from it are soon tried as well."""

MS_OF_TWO_CORNERS = 0.001
"""Finding out once of two corners on the table whether a base has room between them."""

BENDS_OF_A_CORNER, BENDS_OF_A_FIGURE, BENDS_OF_A_DETOUR = 2, 8, 8
"""Past how many places a way bends around a corner of a piece, around a figure, and at least where it is not open."""

MS_OF_TWO_FIGURES, MS_OF_A_WAY = 0.55, 0.000085
"""In each turn: what each figure has to do with each, and for each figure and every two corners its way past them."""

TURNS_ON_FOOT = 4
"""After so many turns those who are left are in combat, and move no more."""

SHORT_MOVE_IN = 3.0
"""How far a run and a Power Move lead."""

LOOKING_AROUND = 2 * PER_UNIT
"""How far beside its straight line a way may lead."""


def of_battle(field: Battlefield, turns: int) -> float:
    """Estimate a game of so many turns, whatever the policies."""
    figures, moving = len(field.figures), min(turns, TURNS_ON_FOOT)
    two_corners = _corners(field) ** 2
    least = MS_OF_TWO_CORNERS * two_corners
    return MS_AT_LEAST + least + moving * figures * (MS_OF_TWO_FIGURES * figures + MS_OF_A_WAY * two_corners)


def of_activation(field: Battlefield) -> float:
    """Estimate the activation of one figure that advances on an enemy: its part in one turn."""
    return MS_AT_LEAST + (of_battle(field, 1) - MS_AT_LEAST) / max(1, len(field.figures))


def of_lines(field: Battlefield, observer: str, targets: tuple[str, ...], points: int) -> float:
    """Estimate the lines of sight to figures and to so many points."""
    looker = field.solid(field.figure(observer))
    near = [vantage.between(field.ground, looker, field.solid(field.figure(target))) for target in targets]
    corners = sum(len(piece.outline) for pieces in near for piece in pieces)
    lines = len(targets) + points
    # Points lie among what the figures are seen past.
    share = lines / max(1, len(targets))
    return MS_AT_LEAST + MS_OF_A_LINE * lines + MS_OF_A_CORNER_IN_SIGHT * corners * share


def of_moves(field: Battlefield, mover: str, kind: str, spacing_in: float | None, places: int) -> float:
    """Estimate where a figure can go with a move of some kind: places every so many inches, and those asked for."""
    figure = field.figure(mover)
    whole = field.profile(figure).move_in
    allowance_in = {"move": whole, "second-move": whole / 2}.get(kind, SHORT_MOVE_IN)
    spots = places + (0.0 if spacing_in is None else pi * (allowance_in / spacing_in) ** 2)
    here = field.solid(figure).at
    bends = _bends(field, figure, here, here, 2 * allowance_in * PER_UNIT)
    each = MS_OF_A_SPOT + MS_OF_A_CORNER_THERE * _corners(field) + MS_OF_A_FIGURE_THERE * len(field.figures)
    return MS_AT_LEAST + each * spots + MS_OF_TWO_BENDS * bends * bends


def of_path(field: Battlefield, mover: str, goal: Place | None) -> float:
    """Estimate the search for a way to a place: little where the straight way is open, or where no goal is asked for.

    Else it ends near the straight line where the way is short, and goes over the whole table where it is long.
    """
    if goal is None:
        return MS_AT_LEAST
    figure = field.figure(mover)
    body, end = field.solid(figure), point(goal)
    if not _in_the_way(field, figure, end):
        return MS_AT_LEAST
    here = BENDS_OF_A_DETOUR + _bends(field, figure, body.at, end, dist(body.at, end) + LOOKING_AROUND)
    anywhere = BENDS_OF_A_DETOUR + _bends(field, figure, body.at, end, inf)
    tried = min(here * here * (1 + (here / BENDS_OF_A_LONG_WAY) ** 4), anywhere * anywhere)
    return MS_AT_LEAST + MS_OF_TWO_BENDS * tried


def _in_the_way(field: Battlefield, figure: Figure, goal: Point) -> bool:
    """Check whether terrain or a figure is near the straight way to a place."""
    body = field.solid(figure)
    there = replace(body, at=goal)
    strip = vantage.strip(body, there)
    pieces = [piece for piece in field.ground.pieces.values() if piece.ground in ("impassable", "rough")]
    others = [field.solid(other) for other in field.figures if other.id != figure.id]
    return any(
        vantage.meets_line(piece, body.at, goal) or vantage.meets_strip(piece, strip)
        for piece in (*pieces, *vantage.as_pieces(vantage.near(others, body, there)))
    )


def _corners(field: Battlefield) -> int:
    return sum(len(piece.outline) for piece in field.ground.pieces.values())


def _bends(field: Battlefield, figure: Figure, start: Point, goal: Point, length: float) -> int:
    """Count the places past which ways from one place to another bend that are not longer than a length."""
    corners = sum(
        dist(start, corner) + dist(corner, goal) <= length
        for piece in field.ground.pieces.values()
        if piece.ground in ("impassable", "rough")
        for corner in piece.outline
    )
    others = (field.solid(other).at for other in field.figures if other.id != figure.id)
    near = sum(dist(start, other) + dist(other, goal) <= length for other in others)
    return BENDS_OF_A_CORNER * corners + BENDS_OF_A_FIGURE * near
