"""The pieces near a point, found by their bounding boxes before measuring. All in thousandths."""

from collections.abc import Iterable

from arbiter.geometry.plane.paths.room import clearance
from arbiter.geometry.plane.shapes import Piece, Point, box


def gap(at: Point, outline: tuple[Point, ...]) -> float:
    """Give the distance of a point from a piece of terrain; 0 inside it."""
    return max(clearance(complex(*at), outline), 0.0)


class Nearby:
    """Pieces of terrain, indexed for repeated questions about nearby ones."""

    def __init__(self, pieces: Iterable[Piece]) -> None:
        self._boxed = tuple((piece, *box(piece.outline)) for piece in pieces)

    def along(self, reach: float, places: Iterable[tuple[float, float]], above: int = -1) -> tuple[Piece, ...]:
        """Give the pieces that rise above a level and may be nearer than `reach` to what lies between some places."""
        xs, ys = zip(*places, strict=True)
        # With one to spare, for what is measured may be rounded.
        most_left, most_right, lowest, highest = (
            min(xs) - reach - 1,
            max(xs) + reach + 1,
            min(ys) - reach - 1,
            max(ys) + reach + 1,
        )
        return tuple(
            piece
            for piece, left, low, right, high in self._boxed
            if left < most_right and right > most_left and low < highest and high > lowest and piece.height > above
        )

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
