"""The ground: the posted table prepared for exact geometry, and models on it, in whole thousandths of a centimetre."""

from collections.abc import Collection
from functools import cached_property, lru_cache

from arbiter.caching import BOARDS_AT_HAND, BOARDS_KEPT, of_the_same
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.near import Nearby
from arbiter.geometry.plane.paths.room import Round
from arbiter.geometry.plane.paths.shortest import Obstacles, prepared
from services.rapture.profiles import Profile
from services.rapture.scene import Board, Piece, Place, Unit

TOUCH = 10
"""Bases closer than this, in thousandths, or overlapping by less, touch: places are rounded."""

SOLIDS_KEPT = 1_024
"""Units whose models as figures a process caches."""


class Ground:
    """What the table alone decides: its pieces as the geometry takes them, and the ways around obstacles."""

    def __init__(self, board: Board) -> None:
        self.posted = board
        self.width, self.depth = shapes.thousandths(board.width_cm), shapes.thousandths(board.depth_cm)
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
    def impassable(self) -> tuple[shapes.Piece, ...]:
        """The pieces that models cannot enter."""
        return tuple(piece for piece in self.pieces.values() if piece.ground == "impassable")

    @cached_property
    def beside(self) -> Nearby:
        """The impassable pieces, indexed by place."""
        return Nearby(self.impassable)

    def obstacles(self, radius: int, without: Collection[str] = (), rounds: tuple[Round, ...] = ()) -> Obstacles:
        """Give the ways around what cannot be entered, but for some of it, and around bases, for bases of a radius."""
        impassable = tuple(piece.outline for piece in self.impassable if piece.id not in without)
        return prepared(impassable, radius, (self.width, self.depth), rounds)


def point(place: Place) -> shapes.Point:
    """Give a posted place in thousandths."""
    return shapes.thousandths(place[0]), shapes.thousandths(place[1])


def place(at: shapes.Point) -> Place:
    """Give a place in thousandths in centimetres."""
    return float(shapes.units(at[0])), float(shapes.units(at[1]))


@lru_cache(maxsize=SOLIDS_KEPT)
def solids(unit: Unit, profile: Profile) -> tuple[shapes.Figure, ...]:
    """Give the models of a unit as the geometry takes them, in the order of the scene; each is `unit#number`."""
    # Half a thousandth is lost where the base is an odd number of them across.
    radius = max(1, shapes.thousandths(profile.base_cm) // 2)
    height = max(1, shapes.thousandths(profile.height_cm))
    return tuple(
        shapes.Figure(f"{unit.id}#{number}", point(at), radius, height) for number, at in enumerate(unit.models, 1)
    )


def in_touch(one: shapes.Figure, other: shapes.Figure) -> bool:
    """Decide whether two bases touch; less than a hundredth of a centimetre between them counts as contact."""
    apart = (one.at[0] - other.at[0]) ** 2 + (one.at[1] - other.at[1]) ** 2
    return apart < (one.radius + other.radius + TOUCH) ** 2


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


@of_the_same(BOARDS_AT_HAND)
@lru_cache(maxsize=BOARDS_KEPT)
def _ground(board: Board) -> Ground:
    return Ground(board)
