"""The ground: the posted table prepared for exact geometry, and models on it, in whole thousandths of the unit."""

from collections.abc import Collection
from functools import cached_property, lru_cache
from math import dist

from arbiter.caching import BOARDS_AT_HAND, BOARDS_KEPT, of_the_same
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.near import Nearby
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import Obstacles, prepared
from services.size_skirmish.profiles import Build
from services.size_skirmish.scene import Board, Direction, Model, Piece, Place

TOUCH = 10
"""Bases less than so many thousandths apart, or in each other, touch: posted places are rounded on a slant."""

SOLIDS_KEPT = 8_192
"""Models that a process remembers as the geometry takes them."""

Outline = tuple[shapes.Point, ...]


class Ground:
    """What the table alone decides: its pieces as the geometry takes them, and the ways around obstacles."""

    def __init__(self, board: Board) -> None:
        self.posted = board
        self.width, self.depth = shapes.thousandths(board.width), shapes.thousandths(board.depth)
        self.pieces = {piece.id: as_piece(piece) for piece in board.pieces}

    @staticmethod
    def of(board: Board) -> "Ground":
        """Return the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    @cached_property
    def blocking(self) -> tuple[shapes.Piece, ...]:
        """The pieces that block lines of sight."""
        return tuple(piece for piece in self.pieces.values() if piece.sight == "blocks")

    @cached_property
    def impassable(self) -> tuple[shapes.Piece, ...]:
        """The pieces that are impassable at table level."""
        return tuple(piece for piece in self.pieces.values() if piece.ground == "impassable")

    @cached_property
    def climbable(self) -> tuple[shapes.Piece, ...]:
        """The pieces up whose sides, and onto which, one may climb."""
        return tuple(piece for piece in self.impassable if piece.climbable)

    def impassable_above(self, elevation: int) -> tuple[shapes.Piece, ...]:
        """Return the pieces that are impassable at an elevation: those that rise above it."""
        return tuple(piece for piece in self.impassable if piece.height > elevation)

    @cached_property
    def beside(self) -> Nearby:
        """The impassable pieces, indexed by nearness."""
        return Nearby(self.impassable)

    def obstacles(
        self,
        radius: int,
        elevation: int = 0,
        without: Collection[str] = (),
        beyond: tuple[Outline, ...] = (),
        rounds: tuple[Round, ...] = (),
    ) -> Obstacles:
        """Return the ways around what cannot be entered on a level, for bases of a radius.

        Some of the pieces may be left out; further outlines, and bases, are gone around as well.
        """
        outlines = tuple(piece.outline for piece in self.impassable_above(elevation) if piece.id not in without)
        return prepared((*outlines, *beyond), radius, (self.width, self.depth), rounds)

    def support(self, at: shapes.Point) -> int:
        """Return the height of the ground at a place: the top of the highest climbable piece."""
        under = (piece for piece in self.climbable if shapes.whereabouts(at, piece.outline) == "inside")
        return max((piece.height for piece in under), default=0)


def point(place: Place) -> shapes.Point:
    """Return a posted place in thousandths."""
    return shapes.thousandths(place[0]), shapes.thousandths(place[1])


def place(at: shapes.Point) -> Place:
    """Return a place in thousandths in the scene's unit."""
    return float(shapes.units(at[0])), float(shapes.units(at[1]))


def solid(model: Model, build: Build) -> shapes.Figure:
    """Return a model on the battlefield as the geometry takes it; its size says how large it is."""
    if model.at is None:
        raise ValueError(f"{model.id} is not on the battlefield")
    return _solid(model.id, model.at, model.height_above, model.facing, build.base, build.height)


def in_touch(one: shapes.Figure, other: shapes.Figure) -> bool:
    """Return whether two bases touch at some common height; less than a hundredth between them is nothing."""
    return levels_meet(one, other) and dist(one.at, other.at) < one.radius + other.radius + TOUCH


def levels_meet(one: shapes.Figure, other: shapes.Figure) -> bool:
    """Return whether two models have some height in common."""
    return one.elevation < other.elevation + other.height and other.elevation < one.elevation + one.height


def as_piece(piece: Piece) -> shapes.Piece:
    """Return a piece of terrain as the geometry takes it."""
    return shapes.Piece(
        piece.id,
        tuple(point(corner) for corner in piece.outline),
        shapes.thousandths(piece.height),
        "blocks" if piece.blocks_sight else "open",
        "none",
        "impassable" if piece.impassable else "even",
        piece.climbable,
    )


@lru_cache(maxsize=SOLIDS_KEPT)
def _solid(id_: str, at: Place, height_above: float, facing: Direction, base: float, height: float) -> shapes.Figure:
    return shapes.Figure(
        id_,
        point(at),
        # Half a thousandth is lost where the base is an odd number of them across.
        max(1, shapes.thousandths(base) // 2),
        max(1, shapes.thousandths(height)),
        shapes.thousandths(height_above),
        facing,
    )


@of_the_same(BOARDS_AT_HAND)
@lru_cache(maxsize=BOARDS_KEPT)
def _ground(board: Board) -> Ground:
    return Ground(board)
