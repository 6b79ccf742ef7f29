"""Strides: what several moves in a row reach on a ground, in as few moves as can be and then as few hexes.

It composes what `rules.movement` has decided about a single move; it decides nothing itself. Sets of hexes are whole
numbers, as in `arbiter.geometry.hex.paths`, so that all ways spread at once. Within a move a set is kept by the hexes
of movement spent in all and in this move, for a mover who has spent less can go on wherever one who has spent more can.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple

from arbiter.geometry.hex.paths import links
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.rules.movement import Footing
from services.blackstone_fortress.scene import Hex


class Arrival(NamedTuple):
    """What standing in a hex takes: moves, and hexes of movement in all of them together."""

    moves: int
    hexes: int


class Strides:
    """All hexes in which a mover may stand after up to so many moves of so many hexes each.

    `arrivals` says what each of them takes, the soonest reached first, and in order where equally much; the start,
    which takes nothing, comes before all. `held` are the hexes that it cannot leave again.
    """

    def __init__(
        self, ground: Ground, start: Hex, hexes: int, foot: Footing, held: Collection[Hex], moves: int
    ) -> None:
        self._ground, self._hexes = ground, hexes
        self._links = links(ground.board)
        self._layout = layout = self._links.layout

        def mask(posted: Collection[Hex]) -> int:
            return layout.mask(ground.axial(hex_) for hex_ in posted)

        self._halting, self._full = mask(foot.halting), mask(foot.full)
        self._held = mask(held)
        self._room = self._links.free & ~mask(foot.barred)
        self._costs = {ground.axial(hex_): cost for hex_, cost in foot.costs.items() if cost != 1}
        by_price: dict[int, list[Hex]] = defaultdict(list)
        for hex_, cost in foot.costs.items():
            by_price[cost].append(hex_)
        dear = {price: self._room & mask(of_price) for price, of_price in by_price.items() if price != 1}
        self._prices = {1: self._room & ~sum(dear.values()), **dear}
        # By move: the hexes first stood in after it, by the hexes of movement spent; and where the move leads through.
        self._ends: list[dict[int, int]] = [{0: mask([start])}]
        self._through: list[dict[tuple[int, int], int]] = [{}]
        self._spread(moves)
        self._steps: dict[Hex, tuple[tuple[Hex, bool, bool], ...]] = {}
        self._arrivals: dict[Hex, Arrival] = {}
        self.arrivals: dict[Hex, Arrival] = {}
        for move, by_cost in enumerate(self._ends):
            for spent, bits in sorted(by_cost.items()):
                arrival, hexes_there = Arrival(move, spent), layout.hexes(bits)
                self._arrivals.update(dict.fromkeys(hexes_there, arrival))
                self.arrivals.update(dict.fromkeys(sorted(map(ground.posted_hex, hexes_there)), arrival))

    def _spread(self, moves: int) -> None:
        settled = self._ends[0][0]
        for _ in range(moves):
            through = self._one_move({spent: bits & ~self._held for spent, bits in self._ends[-1].items()})
            ends: dict[int, int] = defaultdict(int)
            for (spent, in_move), bits in through.items():
                new = bits & ~(self._full | settled) if in_move else 0
                if new:
                    ends[spent] |= new
                    settled |= new
            if not ends:
                return
            self._through.append(through)
            self._ends.append(dict(ends))

    def _one_move(self, sources: Mapping[int, int]) -> dict[tuple[int, int], int]:
        """Give the hexes one more move leads to or through, by what is spent in all and in the move, least first."""
        pending: dict[int, list[int]] = defaultdict(lambda: [0] * (self._hexes + 1))
        for spent, bits in sources.items():
            if bits:
                pending[spent][0] = bits
        covered = [0] * (self._hexes + 1)
        through: dict[tuple[int, int], int] = {}
        while pending:
            spent = min(pending)
            for in_move, bits in enumerate(pending.pop(spent)):
                new = bits & ~covered[in_move]
                if not new:
                    continue
                through[spent, in_move] = new
                for more in range(in_move, self._hexes + 1):
                    covered[more] |= new
                near = self._links.around(new & ~self._halting if in_move else new)
                for price, hexes in self._prices.items():
                    if in_move + price <= self._hexes and near & hexes:
                        pending[spent + price][in_move + price] |= near & hexes
        return through

    def ways(self, end: Hex) -> tuple[tuple[Hex, ...], ...]:
        """Give one way to a hex in as few moves and hexes as can be, cut into its moves. KeyError if none leads there.

        Each move is the hexes it enters; the earlier moves are the longer ones where that is open.
        """
        here = self._ground.axial(end)
        move, spent = self._arrivals[here]
        cut: list[tuple[Hex, ...]] = []
        while move:
            through, bit = self._through[move], self._layout.mask([here])
            in_move = next(used for used in range(1, self._hexes + 1) if through.get((spent, used), 0) & bit)
            way = []
            while in_move:
                way.append(self._ground.posted_hex(here))
                price = self._costs.get(here, 1)
                spent, in_move = spent - price, in_move - price
                before = through[spent, in_move]
                here = self._links.before(here, before & ~self._halting if in_move else before)
            cut.append(tuple(reversed(way)))
            move -= 1
        return tuple(reversed(cut))

    def count(self, ends: Collection[Hex]) -> int:
        """Count the ways to any of these hexes, all equally far, that take as few moves and hexes as can be.

        The same hexes cut into moves at other places are another way. KeyError if no way leads to one of them.
        """
        axial = [self._ground.axial(end) for end in ends]
        if len({self._arrivals[end] for end in axial}) != 1:
            raise ValueError("ways to hexes that are not equally far are not counted together")
        ways = {(end, self._arrivals[end].hexes): 1 for end in axial}
        for move in range(self._arrivals[axial[0]].moves, 0, -1):
            ways = self._back(ways, move - 1)
        return sum(ways.values())

    def _back(self, ways: Mapping[tuple[Hex, int], int], move: int) -> dict[tuple[Hex, int], int]:
        """Give how many ways go on from each hex stood in before a move, from the ways that go on after it."""
        earlier: dict[tuple[Hex, int], int] = defaultdict(int)
        by_length: list[dict[tuple[Hex, int], int]] = [defaultdict(int) for _ in range(self._hexes + 1)]
        by_length[0].update(ways)
        for length, fronts in enumerate(by_length):
            for (hex_, spent), count in fronts.items():
                price = self._costs.get(hex_, 1)
                left = spent - price
                if length + price > self._hexes or left < 0:
                    continue
                for before, goes_on, held in self._near(hex_):
                    if self._arrivals.get(before) == (move, left) and not held:
                        earlier[before, left] += count
                    if goes_on and length + price < self._hexes:
                        by_length[length + price][before, left] += count
        return earlier

    def _near(self, hex_: Hex) -> tuple[tuple[Hex, bool, bool], ...]:
        """Give the hexes from which one is entered, each with whether a move may lead on through it, and none begin."""
        if hex_ not in self._steps:
            layout, onward = self._layout, self._room & ~self._halting
            near = layout.hexes(self._links.around(layout.mask([hex_])))
            self._steps[hex_] = tuple(
                (before, bool(onward >> layout.index[before] & 1), bool(self._held >> layout.index[before] & 1))
                for before in near
            )
        return self._steps[hex_]
