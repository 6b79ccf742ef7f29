"""The ground: the posted table prepared for exact geometry, and models on it, in whole thousandths of the unit."""

from collections.abc import Collection
from functools import cached_property
from itertools import count
from math import dist

from arbiter.caching import by_board, held_by_first
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.near import Nearby
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import PREPARED_KEPT, Obstacles, prepared
from arbiter.nowhere import Nowhere
from arbiter.skirmish.plane import PlaneGround, body, point, somewhere
from services.size_skirmish.scene import Board, Build, Model, Piece

Outline = tuple[shapes.Point, ...]


_numbers = count()


class Ground(PlaneGround):
    """What the table alone decides: its pieces as the geometry takes them, and the ways around obstacles."""

    def __init__(self, board: Board) -> None:
        super().__init__(board.width, board.depth, map(as_piece, board.pieces))
        self.slack = shapes.thousandths(board.tolerance)
        self.number = next(_numbers)

    @staticmethod
    def of(board: Board) -> "Ground":
        """Return the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    @cached_property
    def climbable(self) -> tuple[shapes.Piece, ...]:
        """The pieces up whose sides, and onto which, one may climb."""
        return tuple(piece for piece in self.impassable if piece.climbable)

    @cached_property
    def blocking_beside(self) -> Nearby:
        """The pieces that block lines of sight, indexed by nearness."""
        return Nearby(self.blocking)

    def impassable_above(self, elevation: int) -> tuple[shapes.Piece, ...]:
        """Return the pieces that are impassable at an elevation: those that rise above it."""
        return tuple(piece for piece in self.impassable if piece.height > elevation)

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

    @held_by_first(PREPARED_KEPT)
    def terrain(self, radius: int, elevation: int, without: frozenset[str]) -> Obstacles:
        """Return the ways around terrain alone, but for some pieces; those asked for last are kept."""
        return self.obstacles(radius, elevation, without)

    def support(self, at: shapes.Point) -> int:
        """Return the height of the ground at a place: the top of the highest climbable piece."""
        under = (piece for piece in self.climbable if shapes.whereabouts(at, piece.outline) == "inside")
        return max((piece.height for piece in under), default=0)


def solid(model: Model, build: Build, slack: int) -> shapes.Figure:
    """Return a model on the battlefield as the geometry takes it; its size says how large it is."""
    if model.at is None:
        raise ValueError(f"{model.id} is not on the battlefield")
    if isinstance(model.at, Nowhere):
        return somewhere(model.id)
    return body(model.id, model.at, build.base, build.height, model.height_above, model.facing, slack)


def in_touch(one: shapes.Figure, other: shapes.Figure) -> bool:
    """Return whether two bases touch at some common height; less than the slack between them is nothing."""
    return levels_meet(one, other) and dist(one.at, other.at) < one.radius + other.radius + one.slack


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


_ground = by_board(Ground)
