"""Sight and cover between all ordered pairs of a board's hexes, worked out for every hex at once, offset by offset.

For one offset the line meets the same things wherever it starts, so that shifting the whole board by each contact and
joining the results tells for all starting hexes at once whether something stops their lines.
"""

from collections.abc import Iterable
from functools import lru_cache, reduce
from operator import or_, rshift

from arbiter.geometry.hex import Hex
from arbiter.geometry.hexlayout import Layout, key_of
from arbiter.geometry.hexlines import PARTS, Placing, heading, own_contacts
from arbiter.geometry.hexsight import STRIDES_KEPT, Corners, Screen

Sweep = tuple[int, int, tuple[int, ...], tuple[int, ...]]
"""A line's heading, the number of contacts on the hex at either end, and for each contact its part and its shift."""

# How many offsets of one stride are kept; a 40 by 40 board has 3,139.
SWEEPS_KEPT = 40_000


class Sweeps(dict[tuple[int, int], Sweep]):
    """The contacts of each offset as shifts of a wide layout that leaves one stride of room before its first hex."""

    def __init__(self, stride: int) -> None:
        super().__init__()
        self._placing = Placing(stride)
        self._stride = stride

    def __missing__(self, offset: tuple[int, int]) -> Sweep:
        way = heading(*offset)
        places = self._placing.places(*offset)
        stride = self._stride
        parts = tuple([place % PARTS for place in places])
        sweep = way, own_contacts(way), parts, tuple([place // PARTS + stride for place in places])
        if len(self) >= SWEEPS_KEPT:
            self.clear()
        self[offset] = sweep
        return sweep


@lru_cache(maxsize=STRIDES_KEPT)
def sweeps(stride: int) -> Sweeps:
    """Give the sweeps that all boards of one wide stride share."""
    return Sweeps(stride)


class AllPairs:
    """Who sees whom, and who is in cover from whom, for all ordered pairs of hexes of one board in one reading.

    A hex sees itself and is never in cover from itself. Cover is told for every pair, whether or not the two see each
    other: it says what the line meets.
    """

    def __init__(
        self,
        layout: Layout,
        offsets: Iterable[tuple[int, int]],
        blocking: Screen,
        cover: Screen,
        corners: Corners,
    ) -> None:
        self._layout = layout
        self.corners = corners
        room = layout.stride
        board = layout.board
        lines = sweeps(layout.stride)
        stops = _given_room(blocking[corners], room)
        shields = _given_room(cover[corners], room)
        any_cover = any(map(any, shields))
        # By the key of each offset to a later hex: the hexes that see the hex there, those from which it is in cover,
        # and those that are in cover from it.
        self._found: dict[int, tuple[int, int, int]] = {}
        for dq, dr in offsets:
            starts = board & board >> dq + room * dr
            if not starts:
                continue
            way, own, parts, shifts = lines[dq, dr]
            stopped = reduce(or_, map(rshift, map(stops[way].__getitem__, parts), shifts))
            there = back = 0
            if any_cover:
                met = list(map(rshift, map(shields[way].__getitem__, parts), shifts))
                between = reduce(or_, met[own:-own], 0)
                there = starts & reduce(or_, met[max(own, len(met) - own) :], between)
                back = starts & reduce(or_, met[: min(own, len(met) - own)], between)
            self._found[key_of(dq, dr)] = starts & ~stopped, there, back

    def sees(self, a: Hex, b: Hex) -> bool:
        """Decide whether the two hexes see each other."""
        first, key = self._line(min(a, b, key=_row_order), max(a, b, key=_row_order))
        return not key or bool(self._found[key][0] >> first & 1)

    def in_cover(self, attacker: Hex, target: Hex) -> bool:
        """Decide whether the target is in cover from the attacker."""
        later = _row_order(attacker) < _row_order(target)
        first, key = self._line(attacker, target) if later else self._line(target, attacker)
        return bool(key) and bool(self._found[key][1 if later else 2] >> first & 1)

    def visible_from(self, a: Hex) -> frozenset[Hex]:
        """Find the hexes that can be seen from a hex, itself included."""
        return frozenset(b for b in self._layout.index if self.sees(a, b))

    def in_cover_from(self, attacker: Hex) -> frozenset[Hex]:
        """Find the hexes that are in cover from an attacker, seen or not."""
        return frozenset(b for b in self._layout.index if self.in_cover(attacker, b))

    def _line(self, a: Hex, b: Hex) -> tuple[int, int]:
        index = self._layout.index
        for given in (a, b):
            if given not in index:
                raise ValueError(f"hex {given} is not on the board")
        return index[a], key_of(b[0] - a[0], b[1] - a[1])


def _given_room(places: tuple[tuple[int, ...], ...], room: int) -> list[tuple[int, ...]]:
    return [tuple(bits << room for bits in parts) for parts in places]


def _row_order(a: Hex) -> tuple[int, int]:
    return a[1], a[0]
