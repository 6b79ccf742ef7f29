"""The ground: the posted board prepared for exact geometry, asked in the board's own coordinates."""

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from arbiter.geometry import hex as hexes
from arbiter.geometry.hexboard import HexBoard
from arbiter.geometry.hexpaths import reach, routes
from arbiter.geometry.hexsight import Corners
from arbiter.geometry.hexwitness import Witness
from services.blackstone_fortress.model import Board, Hex


class Ground:
    """What the board alone decides: sight, cover, range, ways. Coordinates go in and come out in the board's scheme."""

    def __init__(self, board: Board) -> None:
        self.posted = board
        self.hexes = frozenset(board.hexes)
        self.obstructions = frozenset(board.obstructions)
        self.open = self.hexes - self.obstructions
        axial = self.axial
        self.board = HexBoard(
            hexes=[axial(hex_) for hex_ in board.hexes],
            walls=[(axial(a), axial(b)) for a, b in board.walls],
            cover=[(axial(a), axial(b)) for a, b in board.cover],
            obstructions=[axial(hex_) for hex_ in board.obstructions],
            edges=None if board.edges is None else [(axial(a), axial(b)) for a, b in board.edges],
        )

    @staticmethod
    def of(board: Board) -> "Ground":
        """Give the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    def axial(self, hex_: Hex) -> Hex:
        """Give a posted hex in axial coordinates."""
        scheme = self.posted.coordinates
        return hex_ if scheme == "axial" else hexes.from_offset(*hex_, scheme)

    def posted_hex(self, hex_: Hex) -> Hex:
        """Give an axial hex in the coordinates of the posted board."""
        scheme = self.posted.coordinates
        return hex_ if scheme == "axial" else hexes.to_offset(hex_, scheme)

    def distance(self, a: Hex, b: Hex) -> int:
        """Count the hexes from one to the other on the plain grid."""
        return hexes.distance(self.axial(a), self.axial(b))

    def adjacent(self, a: Hex, b: Hex) -> bool:
        """Say whether two hexes share a hexside, whatever lies on it."""
        return self.distance(a, b) == 1

    def neighbours(self, a: Hex) -> tuple[Hex, ...]:
        """Give the hexes of the board that share a hexside with `a`, obstructions included, in a fixed order."""
        around = (self.posted_hex(hex_) for hex_ in hexes.neighbours(self.axial(a)))
        return tuple(hex_ for hex_ in around if hex_ in self.hexes)

    def walled(self, a: Hex, b: Hex) -> bool:
        """Say whether a wall lies on the hexside between two adjacent hexes."""
        return hexes.side(self.axial(a), self.axial(b)) in self.board.walls

    def sees(self, a: Hex, b: Hex, corners: Corners) -> bool:
        """Say whether the line between the centres is free; `touch` lets mere contact block it, `cross` does not."""
        return self.board.sees(self.axial(a), self.axial(b), corners)

    def in_cover(self, attacker: Hex, target: Hex, corners: Corners) -> bool:
        """Say whether the line meets a cover hexside that is none of the attacker's own."""
        return self.board.in_cover(self.axial(attacker), self.axial(target), corners)

    def witness(self, a: Hex, b: Hex, corners: Corners) -> Witness:
        """Give everything the line meets, in axial coordinates."""
        return self.board.witness(self.axial(a), self.axial(b), corners)

    def visible_from(self, a: Hex, corners: Corners) -> frozenset[Hex]:
        """Give every hex that is seen from `a`."""
        return frozenset(self.posted_hex(hex_) for hex_ in self.board.visible_from(self.axial(a), corners))

    def reach(
        self,
        start: Hex,
        steps: int,
        *,
        halting: Collection[Hex] = (),
        blocked: Collection[Hex] = (),
        full: Collection[Hex] = (),
        costs: Mapping[Hex, int] | None = None,
    ) -> dict[Hex, tuple[Hex, ...]]:
        """Give every hex in which a move of so many steps may end, with one shortest way there (the start left out).

        Entering a `halting` hex ends the move, `blocked` hexes cannot be entered, `full` ones not ended in; `costs`
        says what entering a hex costs where it is not 1. The start itself is there with an empty way.
        """
        axial, posted = self.axial, self.posted_hex
        ends = reach(
            self.board,
            axial(start),
            steps,
            halting=frozenset(axial(hex_) for hex_ in halting),
            blocked=frozenset(axial(hex_) for hex_ in blocked),
            full=frozenset(axial(hex_) for hex_ in full),
            costs={axial(hex_): cost for hex_, cost in (costs or {}).items()},
        )
        return {posted(hex_): tuple(posted(step) for step in ends.path(hex_)[1:]) for hex_ in ends}

    def routes(self, targets: Iterable[Hex], blocked: Collection[Hex] = ()) -> dict[Hex, int]:
        """Give the length of the shortest route to the nearest target from every hex that has one.

        A route crosses no wall hexside and enters no obstruction nor `blocked` hex.
        """
        axial, posted = self.axial, self.posted_hex
        shut = frozenset(axial(hex_) for hex_ in blocked)
        lengths = routes(self.board, [axial(hex_) for hex_ in targets], blocked=shut)
        return {posted(hex_): length for hex_, length in lengths.items()}


@lru_cache(maxsize=64)
def _ground(board: Board) -> Ground:
    return Ground(board)
