"""Which pieces lie near a place, found by the boxes around them before anything is measured. All in thousandths."""

from collections.abc import Iterable

from arbiter.geometry.plane.paths.room import clearance
from arbiter.geometry.plane.shapes import Piece, Point, box


def gap(at: Point, outline: tuple[Point, ...]) -> float:
    """Give how far a place is from a piece of terrain; 0 inside of it."""
    return max(clearance(complex(*at), outline), 0.0)


class Nearby:
    """Pieces of terrain, to be asked again and again which of them are near."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._boxed = tuple((piece, *box(piece.outline)) for piece in pieces)

    def beside(self, around: tuple[float, float, float, float], reach: float) -> list[Piece]:
        """Give the pieces that may be nearer to something in a box (its smallest x and y, its largest) than `reach`."""
        x, y, to_x, to_y = around
        most = reach + 1
        return [
            piece
            for piece, left, low, right, high in self._boxed
            if left - most < to_x and x < right + most and low - most < to_y and y < high + most
        ]

    def within(self, reach: int, at: Point, above: int = -1) -> dict[str, float]:
        """Give the pieces that are nearer to a place than `reach` and rise above a level, by id, with how far it is."""
        x, y = at
        # With one to spare, for what is measured may be rounded.
        most = reach + 1
        beside = [
            piece
            for piece, left, low, right, high in self._boxed
            if left - most < x < right + most and low - most < y < high + most and piece.height > above
        ]
        found = {piece.id: gap(at, piece.outline) for piece in beside}
        return {id_: far for id_, far in found.items() if far < reach}
