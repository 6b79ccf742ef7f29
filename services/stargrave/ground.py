"""The ground: the posted table prepared for exact geometry, and figures on it, in whole thousandths of an inch."""

from functools import cached_property

from arbiter.caching import by_board
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.sight import Screen
from arbiter.nowhere import Nowhere
from arbiter.skirmish.plane import PlaneGround, body, point, somewhere
from services.stargrave.book import Body
from services.stargrave.scene import Board, Figure, Piece


class Ground(PlaneGround):
    """What the table alone decides: its pieces as the geometry takes them. It holds what rules find out about it."""

    def __init__(self, board: Board) -> None:
        super().__init__(board.width_in, board.depth_in, map(as_piece, board.pieces))
        self.slack = shapes.thousandths(board.tolerance_in)

    @staticmethod
    def of(board: Board) -> "Ground":
        """Give the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    @cached_property
    def obscuring(self) -> tuple[shapes.Piece, ...]:
        """The pieces that hide what is behind them without blocking lines."""
        return tuple(piece for piece in self.pieces.values() if piece.sight == "obscures")

    @cached_property
    def uncrossable(self) -> Screen:
        """The pieces that can be neither entered nor climbed, for lines that they stop."""
        return Screen([piece for piece in self.impassable if not piece.climbable])

    @cached_property
    def boxes(self) -> tuple[tuple[shapes.Piece, tuple[int, int, int, int]], ...]:
        """All pieces, each with the left, low, right and high side of the box around it."""
        return tuple((piece, shapes.box(piece.outline)) for piece in self.pieces.values())


def solid(figure: Figure, size: Body, slack: int) -> shapes.Figure:
    """Give a figure that stands on the table as the geometry takes it; `size` is that of its profile."""
    if figure.at is None:
        raise ValueError(f"{figure.id} is not on the table")
    if isinstance(figure.at, Nowhere):
        return somewhere(figure.id)
    across, high = figure.base_in or size.base_in, figure.height_in or size.height_in
    return body(figure.id, figure.at, across, high, figure.elevation_in, slack=slack)


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


_ground = by_board(Ground)
