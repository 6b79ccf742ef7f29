"""The ground: the posted table prepared for exact geometry, and models on it, in whole thousandths of a centimetre."""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import lru_cache
from itertools import product
from math import dist
from typing import Any

from arbiter.caching import by_board, held_by_first
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.measure import Ends
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import Obstacles, prepared
from arbiter.skirmish.plane import PlaneGround, body, point
from services.rapture.profiles import Profile
from services.rapture.scene import Board, Edge, Piece, Unit

Disc = tuple[str, int, int, int]
"""A base on the table: its unit, its middle, and its radius."""

SOLIDS_KEPT = 1_024
"""Units whose models as figures a process caches."""

PAIRS_KEPT = 4_096
"""Pairs of units of which a ground remembers which models are near each other."""


class Ground(PlaneGround):
    """What the table alone decides: its pieces as the geometry takes them, and the ways around obstacles."""

    def __init__(self, board: Board) -> None:
        super().__init__(board.width_cm, board.depth_cm, map(as_piece, board.pieces))
        self.slack = shapes.thousandths(board.tolerance_cm)

    @staticmethod
    def of(board: Board) -> "Ground":
        """Give the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    def across(self, edge: Edge) -> int:
        """Give how far it is from an edge to the opposite one."""
        return self.width if edge in ("west", "east") else self.depth

    def from_edge(self, edge: Edge, at: shapes.Point) -> int:
        """Give how far a place is from an edge."""
        return {"west": at[0], "east": self.width - at[0], "south": at[1], "north": self.depth - at[1]}[edge]

    def obstacles(self, radius: int, without: Collection[str] = (), rounds: tuple[Round, ...] = ()) -> Obstacles:
        """Give the ways around what cannot be entered, but for some of it, and around bases, for bases of a radius."""
        impassable = tuple(piece.outline for piece in self.impassable if piece.id not in without)
        return prepared(impassable, radius, (self.width, self.depth), rounds)


@lru_cache(maxsize=SOLIDS_KEPT)
def solids(unit: Unit, profile: Profile, slack: int) -> tuple[shapes.Figure, ...]:
    """Give the models of a unit as the geometry takes them, in the order of the scene; each is `unit#number`."""
    return tuple(
        body(f"{unit.id}#{number}", at, profile.base_cm, profile.height_cm, slack=slack)
        for number, at in enumerate(unit.models, 1)
    )


def in_touch(one: shapes.Figure, other: shapes.Figure) -> bool:
    """Decide whether two bases touch; less than the slack of the first between them counts as contact."""
    apart = (one.at[0] - other.at[0]) ** 2 + (one.at[1] - other.at[1]) ** 2
    return apart < (one.radius + other.radius + one.slack) ** 2


def discs(bodies: Iterable[tuple[str, shapes.Figure]]) -> list[Disc]:
    """Give the bases of some models, each with its unit."""
    return [(unit, *body.at, body.radius) for unit, body in bodies]


def touched(own: Sequence[shapes.Figure], others: Iterable[Disc], reach: int = 0) -> list[str]:
    """Give the units of the bases that any of some bases touches, or is less than a length from."""
    rims = [(*one.at, one.radius + max(one.slack, reach)) for one in own]
    return [
        unit
        for unit, left, low, radius in others
        for x, y, wide in rims
        if (x - left) ** 2 + (y - low) ** 2 < (wide + radius) ** 2
    ]


@held_by_first(most=PAIRS_KEPT)
def pairs(
    _: Ground,
    own: tuple[shapes.Figure, ...],
    others: tuple[shapes.Figure, ...],
    holds: Callable[..., bool],
    *numbers: Any,
) -> frozenset[tuple[int, int]]:
    """Give the pairs of models, by their places, for which something holds that they and some numbers decide."""
    every = product(enumerate(own), enumerate(others))
    return frozenset([(i, j) for (i, one), (j, other) in every if holds(one, other, *numbers)])


def within(one: shapes.Figure, other: shapes.Figure, reach: int, ends: Ends) -> bool:
    """Decide whether two bases, or their middles, are no farther apart than `reach`, which is not below zero."""
    apart = (one.at[0] - other.at[0]) ** 2 + (one.at[1] - other.at[1]) ** 2
    return apart <= (reach + (one.radius + other.radius if ends == "bases" else 0)) ** 2


def gap(one: shapes.Figure, other: shapes.Figure) -> float:
    """Give about how far two bases are from each other, for a policy to choose the nearest."""
    return max(0.0, dist(one.at, other.at) - one.radius - other.radius)


def as_piece(piece: Piece) -> shapes.Piece:
    """Give a piece of terrain as the geometry takes it."""
    return shapes.Piece(
        piece.id,
        tuple(point(corner) for corner in piece.outline),
        shapes.thousandths(piece.height_cm),
        "blocks" if piece.blocks_sight else "open",
        "none",
        "impassable" if piece.impassable else "even",
        False,
    )


_ground = by_board(Ground)
