"""The ground: the posted table prepared for exact geometry, and figures on it, in whole thousandths of an inch."""

from functools import cached_property, lru_cache

from arbiter.caching import BOARDS_AT_HAND, BOARDS_KEPT, of_the_same
from arbiter.geometry.plane import shapes
from services.stargrave.scene import Board, Figure, Piece, Place

SOLIDS_KEPT = 8_192
"""Figures that a process remembers as the geometry takes them."""


class Ground:
    """What the table alone decides: its pieces as the geometry takes them. It holds what rules find out about it."""

    def __init__(self, board: Board) -> None:
        self.posted = board
        self.width, self.depth = shapes.thousandths(board.width_in), shapes.thousandths(board.depth_in)
        self.pieces = {piece.id: as_piece(piece) for piece in board.pieces}

    @staticmethod
    def of(board: Board) -> "Ground":
        """Give the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    @cached_property
    def blocking(self) -> tuple[shapes.Piece, ...]:
        """The pieces that block lines of sight."""
        return tuple(piece for piece in self.pieces.values() if piece.sight == "blocks")

    @cached_property
    def obscuring(self) -> tuple[shapes.Piece, ...]:
        """The pieces that hide what is behind them without blocking lines."""
        return tuple(piece for piece in self.pieces.values() if piece.sight == "obscures")


def point(place: Place) -> shapes.Point:
    """Give a posted place in thousandths."""
    return shapes.thousandths(place[0]), shapes.thousandths(place[1])


def place(at: shapes.Point) -> Place:
    """Give a place in thousandths in inches."""
    return float(shapes.units(at[0])), float(shapes.units(at[1]))


def solid(figure: Figure, base_in: float, height_in: float) -> shapes.Figure:
    """Give a figure that stands on the table as the geometry takes it; its body says how large it is."""
    if figure.at is None:
        raise ValueError(f"{figure.id} is not on the table")
    return _solid(figure.id, figure.at, figure.elevation_in, figure.base_in or base_in, figure.height_in or height_in)


def as_piece(piece: Piece) -> shapes.Piece:
    """Give a piece of terrain as the geometry takes it."""
    return shapes.Piece(
        piece.id,
        tuple(point(corner) for corner in piece.outline),
        shapes.thousandths(piece.height_in),
        piece.sight,
        piece.cover,
        piece.ground,
        piece.climbable,
    )


@lru_cache(maxsize=SOLIDS_KEPT)
def _solid(id_: str, at: Place, elevation_in: float, base_in: float, height_in: float) -> shapes.Figure:
    return shapes.Figure(
        id_,
        point(at),
        # Half a thousandth is lost where the base is an odd number of them across.
        max(1, shapes.thousandths(base_in) // 2),
        max(1, shapes.thousandths(height_in)),
        shapes.thousandths(elevation_in),
    )


@of_the_same(BOARDS_AT_HAND)
@lru_cache(maxsize=BOARDS_KEPT)
def _ground(board: Board) -> Ground:
    return Ground(board)
