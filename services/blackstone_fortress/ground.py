"""The ground: the posted board prepared for exact geometry, asked in the board's own coordinates."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Literal

from msgspec.structs import replace

from arbiter.caching import Memory, by_board, held_by_first
from arbiter.geometry.hex import coordinates as hexes
from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.paths import Reach, reach, routes
from arbiter.geometry.hex.sight import Corners
from arbiter.geometry.hex.witness import Witness
from arbiter.nowhere import PlaceNeeded
from services.blackstone_fortress.scene import MOST_HEXES, Board, Hex, NoBoard

HEXES_KEPT = 200_000
"""Hexes in lengths of routes, and in surroundings of each kind, that a ground keeps in each of two generations."""

RANGES_KEPT = 1_000_000
"""Ranges between hexes that a ground keeps."""

RANGES_ASKED = 300
"""Ranges asked for from a hex before all from there are counted at once, which takes as long as a thousand or two."""

VIEWED_KEPT = 40_000
"""Hexes in the views, from one hex, that a ground keeps in each of two generations."""

MOVES_KEPT = 20_000
"""Hexes in the moves, by where they may lead, that a ground keeps in each of two generations."""

EdgeDefinition = Literal["rim", "listed-only"]

NOBODY: frozenset[Hex] = frozenset()

_numbers = count()


class Ends(Mapping[Hex, tuple[Hex, ...]]):
    """Every hex in which a move may end, the nearest first, with one shortest way there, computed on access.

    `costs` says what moving to each hex costs; the start comes first, with an empty way.
    """

    def __init__(self, axial: Callable[[Hex], Hex], posted_hex: Callable[[Hex], Hex], reach_: Reach) -> None:
        # A ground keeps what it gives, so that this does not refer to the ground.
        self._axial, self._posted_hex, self._reach = axial, posted_hex, reach_
        costs = reach_.costs
        near_first = sorted(zip(costs.values(), map(posted_hex, costs), strict=True))
        self.costs = {hex_: cost for cost, hex_ in near_first}

    def __getitem__(self, hex_: Hex) -> tuple[Hex, ...]:
        if hex_ not in self.costs:
            raise KeyError(hex_)
        return tuple(map(self._posted_hex, self._reach.path(self._axial(hex_))[1:]))

    def __iter__(self) -> Iterator[Hex]:
        return iter(self.costs)

    def __len__(self) -> int:
        return len(self.costs)


class _ConvertedHexes(dict[Hex, Hex]):
    """The hexes of a board in another scheme, by their own; any other hex is converted on access."""

    def __init__(self, hexes: Mapping[Hex, Hex], turn: Callable[[Hex], Hex]) -> None:
        super().__init__(hexes)
        self._turn = turn

    def __missing__(self, hex_: Hex) -> Hex:
        return self._turn(hex_)


def _conversions(board: Board) -> tuple[Callable[[Hex], Hex], Callable[[Hex], Hex]]:
    """Give the functions that convert the board's coordinates into axial ones, and back."""
    scheme = board.coordinates
    if scheme == "axial":
        return _unchanged, _unchanged
    return lambda hex_: hexes.from_offset(*hex_, scheme), lambda hex_: hexes.to_offset(hex_, scheme)


def _unchanged(hex_: Hex) -> Hex:
    return hex_


class Ground:
    """What the board alone decides: sight, cover, range, ways. Coordinates go in and come out in the board's scheme.

    Neighbours and ranges of each hex, moves and lengths of routes are cached up to a bound.
    `in_order` are the hexes that are open, sorted, `covered` those of them with a cover hexside; `in_posted` gives each
    hex of the board from its axial coordinates; `number` is of this ground alone. `axial` gives any posted hex in axial
    coordinates, `posted_hex` any axial hex in those of the posted board.
    """

    def __init__(self, board: Board) -> None:
        self.posted = board
        self.number = next(_numbers)
        self.hexes = frozenset(board.hexes)
        self.obstructions = frozenset(board.obstructions)
        self.open = self.hexes - self.obstructions
        self.in_order = tuple(sorted(self.open))
        there, back = _conversions(board)
        self._axial = _ConvertedHexes({hex_: there(hex_) for hex_ in board.hexes}, there)
        self.in_posted = _ConvertedHexes({axial: hex_ for hex_, axial in self._axial.items()}, back)
        self.axial: Callable[[Hex], Hex] = self._axial.__getitem__
        self.posted_hex: Callable[[Hex], Hex] = self.in_posted.__getitem__
        self._index = {hex_: index for index, hex_ in enumerate(self._axial)}
        self._far: dict[Hex, array[int]] = {}
        self._counted: dict[Hex, int] = {}
        self._walls = frozenset(side for a, b in board.walls for side in ((a, b), (b, a)))
        self.covered = frozenset(hex_ for pair in board.cover for hex_ in pair) & self.open
        few = max(16, HEXES_KEPT // len(board.hexes))
        self._routes: Memory[Mapping[Hex, int]] = Memory(few)
        self._within: Memory[frozenset[Hex]] = Memory(few)
        axial = self.axial
        self.board = HexBoard(
            hexes=self._axial.values(),
            walls=[(axial(a), axial(b)) for a, b in board.walls],
            cover=[(axial(a), axial(b)) for a, b in board.cover],
            obstructions=[axial(hex_) for hex_ in board.obstructions],
            edges=None if board.edges is None else [(axial(a), axial(b)) for a, b in board.edges],
        )

    @staticmethod
    def of(board: Board) -> "Ground":
        """Give the prepared ground of a board; boards of the same content share it."""
        return _ground(board)

    def distance(self, a: Hex, b: Hex) -> int:
        """Count the hexes from one to the other on the plain grid."""
        far = self._far.get(a)
        if far is not None and b in self._index:
            return far[self._index[b]]
        if a in self.hexes:
            self._counted[a] = count = self._counted.get(a, 0) + 1
            if count >= RANGES_ASKED:
                self._from(a)
        return hexes.distance(self.axial(a), self.axial(b))

    def ranges(self, goals: Iterable[Hex]) -> dict[Hex, int]:
        """Count from each hex of the board the hexes to the nearest of these, all of the board, on the plain grid."""
        return dict(zip(self._axial, map(min, zip(*map(self._from, goals), strict=True)), strict=False))

    def _from(self, a: Hex) -> "array[int]":
        ranges = self._far.get(a)
        if ranges is None:
            if len(self._far) * len(self._axial) >= RANGES_KEPT:
                self._far, self._counted = {}, {}
            start = self.axial(a)
            ranges = self._far[a] = array("H", [hexes.distance(start, end) for end in self._axial.values()])
        return ranges

    def adjacent(self, a: Hex, b: Hex) -> bool:
        """Say whether two hexes share a hexside, whatever lies on it."""
        return b in self.around(a)

    @held_by_first(MOST_HEXES)
    def around(self, a: Hex) -> frozenset[Hex]:
        """Give the six hexes that share a hexside with `a`, on the board or not."""
        return frozenset(map(self.posted_hex, hexes.neighbours(self.axial(a))))

    def within(self, a: Hex, steps: int) -> frozenset[Hex]:
        """Give the hexes of the board at most so many hexes away on the plain grid, `a` among them."""
        near = self._within[a, steps]
        if near is None:
            if steps * steps * 3 < len(self.hexes):
                near = self.hexes.intersection(map(self.posted_hex, hexes.within(self.axial(a), steps)))
            else:
                near = frozenset(hex_ for hex_ in self.hexes if self.distance(a, hex_) <= steps)
            self._within.keep((a, steps), near)
        return near

    @held_by_first(HEXES_KEPT, len)
    def beside(self, held: frozenset[Hex]) -> frozenset[Hex]:
        """Give the open hexes that share a hexside with one of these, whatever lies on it."""
        return self.open & {near for hex_ in held for near in self.neighbours(hex_)}

    @held_by_first(HEXES_KEPT, len)
    def next_to(self, held: frozenset[Hex]) -> frozenset[Hex]:
        """Give the open hexes that share a hexside without a wall with one of these."""
        return frozenset(near for hex_ in held for near in self.entries(hex_))

    @held_by_first(MOST_HEXES)
    def neighbours(self, a: Hex) -> tuple[Hex, ...]:
        """Give the hexes of the board that share a hexside with `a`, obstructions included, in a fixed order."""
        around = map(self.posted_hex, hexes.neighbours(self.axial(a)))
        return tuple(hex_ for hex_ in around if hex_ in self.hexes)

    @held_by_first(MOST_HEXES)
    def entries(self, a: Hex) -> tuple[Hex, ...]:
        """Give the hexes that one step from `a` can enter: open neighbours, across no wall, in a fixed order."""
        return tuple(hex_ for hex_ in self.neighbours(a) if hex_ in self.open and not self.walled(a, hex_))

    def walled(self, a: Hex, b: Hex) -> bool:
        """Say whether a wall lies on the hexside between two adjacent hexes."""
        return (a, b) in self._walls

    def sees(self, a: Hex, b: Hex, corners: Corners) -> bool:
        """Say whether the line between the centres is free; `touch` lets mere contact block it, `cross` does not."""
        return self.board.sees(self.axial(a), self.axial(b), corners)

    def in_cover(self, attacker: Hex, target: Hex, corners: Corners) -> bool:
        """Say whether the line meets a cover hexside that is none of the attacker's own."""
        return self.board.in_cover(self.axial(attacker), self.axial(target), corners)

    def keeps_on_board(self, a: Hex, b: Hex) -> bool:
        """Say whether the line between the centres goes over hexes of the board alone, and touches no others."""
        return not self.board.crosses_rim(self.axial(a), self.axial(b))

    def witness(self, a: Hex, b: Hex, corners: Corners) -> Witness:
        """Give everything the line meets, in axial coordinates."""
        return self.board.witness(self.axial(a), self.axial(b), corners)

    def edged(self, definition: EdgeDefinition) -> "Ground":
        """Give the ground with its edges by a definition: those listed, with the rim of the battlefield or not.

        A board that lists none has its rim for edges anyway, so most grounds are given back as they are.
        """
        if (self.posted.edges is None) == (definition == "rim"):
            return self
        return self._edged_otherwise() or self

    @held_by_first(1)
    def _edged_otherwise(self) -> "Ground | None":
        """Give the ground without edges where it has its rim, and else with its rim too; None if that is the same."""
        board = self.posted
        if board.edges is None:
            return Ground.of(replace(board, edges=()))
        listed = {hexes.side(self.axial(a), self.axial(b)) for a, b in board.edges}
        more = sorted(hexes.rim(map(self.axial, board.hexes)) - listed)
        rim = tuple((self.posted_hex(a), self.posted_hex(b)) for a, b in more)
        return Ground.of(replace(board, edges=(*board.edges, *rim))) if rim else None

    def count_on_board(self, a: Hex, b: Hex) -> int:
        """Count the hexes from one to another over hexes of the board alone, whatever lies on or between them.

        Where no such way leads, it is the count on the plain grid.
        """
        return self._counts(a).get(b) or self.distance(a, b)

    @held_by_first(HEXES_KEPT, len)
    def _counts(self, start: Hex) -> dict[Hex, int]:
        counts: dict[Hex, int] = {}
        edge, far = [start], 0
        while edge:
            counts.update(dict.fromkeys(edge, far))
            edge = list(dict.fromkeys(near for here in edge for near in self.neighbours(here) if near not in counts))
            far += 1
        return counts

    @held_by_first(VIEWED_KEPT, len)
    def visible_from(self, a: Hex, corners: Corners) -> frozenset[Hex]:
        """Give every hex that is seen from a hex of the board."""
        return frozenset(map(self.in_posted.__getitem__, self.board.visible_from(self.axial(a), corners)))

    def reach(
        self,
        start: Hex,
        steps: int,
        *,
        halting: frozenset[Hex] = NOBODY,
        blocked: frozenset[Hex] = NOBODY,
        full: frozenset[Hex] = NOBODY,
        costs: Mapping[Hex, int] | None = None,
    ) -> Ends:
        """Give every hex in which a move of so many steps may end, with one shortest way there (without the start).

        Entering a `halting` hex ends the move, `blocked` hexes cannot be entered, `full` ones not ended in; `costs`
        says what entering a hex costs where it is not 1. The start itself is there with an empty way.
        """
        near = self.within(start, steps)
        return self._reach(start, steps, halting & near, blocked & near, full & near, frozenset((costs or {}).items()))

    @held_by_first(MOVES_KEPT, len)
    def _reach(
        self,
        start: Hex,
        steps: int,
        halting: frozenset[Hex],
        blocked: frozenset[Hex],
        full: frozenset[Hex],
        costs: frozenset[tuple[Hex, int]],
    ) -> Ends:
        axial = self.axial
        reached = reach(
            self.board,
            axial(start),
            steps,
            halting=[*map(axial, halting)],
            blocked=[*map(axial, blocked)],
            full=[*map(axial, full)],
            costs={axial(hex_): cost for hex_, cost in costs},
        )
        return Ends(axial, self.posted_hex, reached)

    def on_foot(self, a: Hex, b: Hex, held: frozenset[Hex] = NOBODY) -> int | None:
        """Give the length of the shortest route from one hex to another; None where none leads.

        It enters none of the hexes that are `held`, but where it begins and ends in them.
        """
        lengths = self._routes[b, held]
        if lengths is None:
            lengths = self.routes((b,), held)
            self._routes.keep((b, held), lengths)
        return lengths.get(a)

    def routes(self, targets: Iterable[Hex], blocked: Collection[Hex] = ()) -> Mapping[Hex, int]:
        """Give the length of the shortest route to the nearest target from every hex that has one.

        A route crosses no wall hexside and enters no obstruction nor `blocked` hex.
        """
        key = frozenset(targets), frozenset(blocked)
        lengths_by_hex = self._routes[key]
        if lengths_by_hex is None:
            goals, barred = (list(map(self.axial, some)) for some in key)
            lengths = routes(self.board, goals, blocked=barred)
            lengths_by_hex = dict(zip(map(self.in_posted.__getitem__, lengths), lengths.values(), strict=True))
            self._routes.keep(key, lengths_by_hex)
        return lengths_by_hex


class NoGround(Ground):
    """The ground where there is no board: nothing can be measured on it."""

    def __init__(self, board: Board) -> None:
        self.posted = board
        self.number = next(_numbers)

    def __getattr__(self, name: str) -> Any:
        raise PlaceNeeded


@by_board
def _ground(board: Board) -> Ground:
    return NoGround(board) if isinstance(board, NoBoard) else Ground(board)
