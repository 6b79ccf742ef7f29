"""Moves and routes over a hex board: the hexes in which a mover may end, a route to each, and distances.

Whole sets of hexes step at once: a set is one integer, and one step in a direction is one shift, masked by the links
between neighbouring hexes. Two neighbours are linked if both are on the board, neither is an obstruction, and no wall
lies between them. Edges and cover do not stop movement.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_

from arbiter.caching import held_by_first
from arbiter.geometry.hex.board import HexBoard
from arbiter.geometry.hex.coordinates import DIRECTIONS, Hex
from arbiter.geometry.hex.layout import Layout
from arbiter.geometry.hex.lines import SIDE_STEPS
from arbiter.geometry.hex.sight import planes_of


class Links:
    """The linked neighbours of one board, as bit sets in its layout."""

    def __init__(self, board: HexBoard) -> None:
        layout = board.layout
        self.layout: Layout = layout
        self.free = layout.board & ~layout.mask(board.obstructions)
        # A hex is linked to the neighbours to its E, SE and SW here, and those are linked back.
        self.steps = tuple(q + layout.stride * r for q, r in SIDE_STEPS)
        walls = planes_of(layout, board.walls)
        self.onward = tuple(
            self.free & self.free >> step & ~closed for step, closed in zip(self.steps, walls, strict=True)
        )

    def around(self, hexes: int) -> int:
        """Find all hexes that are one step away from one of a set."""
        east, south_east, south_west = self.onward
        by_east, by_south_east, by_south_west = self.steps
        return (
            (hexes & east) << by_east
            | hexes >> by_east & east
            | (hexes & south_east) << by_south_east
            | hexes >> by_south_east & south_east
            | (hexes & south_west) << by_south_west
            | hexes >> by_south_west & south_west
        )

    def next_to(self, hexes: int) -> int:
        """Find all free hexes that are adjacent to one of a set, whether or not a wall lies between."""
        found = 0
        for step in self.steps:
            found |= hexes << step | hexes >> step
        return found & self.free

    def before(self, a: Hex, among: int) -> Hex:
        """Find the first neighbour of a hex, in the order of the directions, in a set from which one may step to it.

        KeyError if there is none.
        """
        layout = self.layout
        at = layout.index[a]
        near = self.around(1 << at) & among
        for q, r in DIRECTIONS:
            if near >> at + q + layout.stride * r & 1:
                return a[0] + q, a[1] + r
        raise KeyError(a)


@held_by_first(1)
def links(board: HexBoard) -> Links:
    """Give the links of a board."""
    return Links(board)


class Reach(Mapping[Hex, int]):
    """The hexes in which a mover may end, each with its cost and one cheapest route.

    It is a mapping from hex to cost; `costs` is the same as a dictionary.
    """

    def __init__(
        self, board_links: Links, arrived: Sequence[int], onward: Sequence[int], prices: Mapping[Hex, int], full: int
    ) -> None:
        self._links = board_links
        # By cost: the hexes first reached at this cost, and those of them from which the mover may continue.
        self._arrived = arrived
        self._onward = onward
        self._prices = prices
        self._full = full
        self._before: dict[Hex, Hex] = {}

    @cached_property
    def costs(self) -> dict[Hex, int]:
        """The least cost of each hex in which the mover may end, row by row; the start is free."""
        start, *others = self._arrived
        return self._links.layout.numbered([start, *(bits & ~self._full for bits in others)])

    def path(self, to: Hex) -> tuple[Hex, ...]:
        """Give one cheapest route from the start to a hex, both included. KeyError if the mover may not end there."""
        cost = self.costs[to]
        way = [to]
        while cost:
            here = way[-1]
            cost -= self._prices.get(here, 1)
            if here not in self._before:
                self._before[here] = self._links.before(here, self._onward[cost])
            way.append(self._before[here])
        return tuple(reversed(way))

    def __getitem__(self, a: Hex) -> int:
        return self.costs[a]

    def __iter__(self) -> Iterator[Hex]:
        return iter(self.costs)

    def __len__(self) -> int:
        return len(self.costs)


def reach(
    board: HexBoard,
    start: Hex,
    steps: int,
    *,
    enemies: Collection[Hex] = (),
    halting: Collection[Hex] | None = None,
    blocked: Collection[Hex] = (),
    full: Collection[Hex] = (),
    costs: Mapping[Hex, int] | None = None,
) -> Reach:
    """Find every hex in which a mover may end a move of at most `steps`, its cost, and one cheapest route to it.

    Each step enters an adjacent hex of the board, across no wall, and neither an obstruction nor one of `enemies` or
    `blocked`. Entering a hex costs 1, or what `costs` says, at least 1. Entering one of `halting` ends the move; by
    default these are the hexes adjacent to `enemies`, with walls ignored (`beside` finds others). Leaving the start is
    free. Hexes in `full` may be passed through, but no move ends there. The start is always reached, at no cost: not
    moving breaks no rule. Hexes off the board are ignored in all collections.

    ValueError: the start is not on the board; `steps` is negative; a cost is less than 1.
    """
    _on_board(board, (start,))
    if steps < 0:
        raise ValueError(f"steps {steps}: a move has at least 0")
    prices = dict(costs or {})
    board_links = links(board)
    layout = board_links.layout
    held = layout.mask(enemies)
    here = 1 << layout.index[start]
    halts = board_links.next_to(held) if halting is None else layout.mask(halting)
    room = board_links.free & ~(held | here | layout.mask(blocked))
    arrived, onward = [here], [here]
    for new in (
        _priced(board_links, onward, steps, room, prices) if prices else _plain(board_links, onward, steps, room)
    ):
        arrived.append(new)
        onward.append(new & ~halts)
    return Reach(board_links, arrived, onward, prices, layout.mask(full))


def _plain(board_links: Links, onward: Sequence[int], steps: int, room: int) -> Iterator[int]:
    """Give the hexes first reached after each step, every hex costing 1; the caller extends `onward`."""
    for _ in range(steps):
        new = board_links.around(onward[-1]) & room
        if not new:
            return
        room &= ~new
        yield new


def _priced(
    board_links: Links, onward: Sequence[int], steps: int, room: int, prices: Mapping[Hex, int]
) -> Iterator[int]:
    """Give the hexes first reached at each cost up to `steps`; there may be none at some costs."""
    layout = board_links.layout
    at_price: dict[int, int] = {}
    for a, price in prices.items():
        if price < 1:
            raise ValueError(f"entering hex {a} costs {price}: the least is 1")
        at_price[price] = at_price.get(price, 0) | layout.mask((a,))
    at_price[1] = room & ~reduce(or_, (hexes for price, hexes in at_price.items() if price > 1), 0)
    beside: list[int] = []
    idle = 0
    for cost in range(1, steps + 1):
        beside.append(board_links.around(onward[-1]))
        new = reduce(or_, (beside[-price] & hexes for price, hexes in at_price.items() if price <= cost)) & room
        room &= ~new
        yield new
        idle = 0 if new else idle + 1
        if idle == max(at_price):
            return


def beside(board: HexBoard, hexes: Collection[Hex], *, through_walls: bool = True) -> frozenset[Hex]:
    """Find the hexes of the board adjacent to any of these; a wall in between counts only if not `through_walls`.

    Obstructions are left out, because no unit is in one. Hexes off the board have no neighbours here.
    """
    board_links = links(board)
    of = board_links.layout.mask(hexes)
    return frozenset(board_links.layout.hexes(board_links.next_to(of) if through_walls else board_links.around(of)))


def routes(board: HexBoard, targets: Collection[Hex], *, blocked: Collection[Hex] = ()) -> dict[Hex, int]:
    """Measure the shortest route from every hex to the nearest target, in hexes entered; row by row.

    A route crosses no wall, and enters no obstruction and none of `blocked`; but it may start in a blocked hex, and
    lead into a target that is blocked. Hexes from which there is no route are left out, and so is every obstruction.
    ValueError where a target is not on the board.
    """
    _on_board(board, targets)
    board_links = links(board)
    layers = _layers(board_links, board_links.layout.mask(targets), board_links.layout.mask(blocked))
    return board_links.layout.numbered(list(layers))


def _layers(board_links: Links, targets: int, barred: int) -> Iterator[int]:
    """Search outwards from the targets, and give the hexes first reached after each number of steps."""
    layer = targets & board_links.free
    room = board_links.free
    while layer:
        yield layer
        room &= ~layer
        layer = board_links.around(layer & (targets | ~barred)) & room


def _on_board(board: HexBoard, hexes: Collection[Hex]) -> None:
    for a in hexes:
        if a not in board.hexes:
            raise ValueError(f"hex {a} is not on the board")
