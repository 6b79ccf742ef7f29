"""Sight and cover between all ordered pairs of a board's hexes, computed for all hexes together, offset by offset.

For one offset the line has the same contacts wherever it starts. So shifting the whole board by each contact and
joining the results shows for all starting hexes together whether their lines are stopped.
"""

from collections.abc import Mapping
from functools import reduce
from itertools import accumulate, compress
from operator import or_, rshift

from arbiter.geometry.hex.coordinates import Hex
from arbiter.geometry.hex.layout import Shape, as_bytes, key_of
from arbiter.geometry.hex.lines import own_contacts
from arbiter.geometry.hex.sight import Corners, Screen, templates


class AllPairs:
    """Who sees whom, and who is in cover from whom, for all ordered pairs of hexes of one board in one reading.

    A hex sees itself and is never in cover from itself. Cover is given for every pair, even if the two do not see each
    other: it describes the line's contacts. The first question about a pair lays the answers out by hex, in two bytes
    for each pair of hexes; after that an answer is two look-ups.
    """

    def __init__(self, shape: Shape, blocking: Screen, cover: Screen, corners: Corners) -> None:
        self.corners = corners
        self._shape = shape
        self._layout = layout = blocking.layout
        self._cells: list[Hex] = []
        self._columns: dict[Hex, int] = {}
        self._hidden: dict[Hex, bytes] = {}
        self._bare: dict[Hex, bytes] = {}
        room = layout.stride
        board = layout.board
        lines = templates(layout.stride)
        stops = _given_room(blocking[corners], room)
        shields = _given_room(cover[corners], room)
        any_cover = any(map(any, shields))
        # By offset to a later hex: the hexes that do not see the hex there, those from which it has no cover, and
        # those that have no cover from it. Hexes that lie as far from one of another row are among them, and are never
        # read: what is laid out goes from each hex of one row to each of another, by their own offset.
        self._unseen: dict[Hex, int] = {}
        self._bare_there: dict[Hex, int] = {(0, 0): board}
        self._bare_here: dict[Hex, int] = {(0, 0): board}
        for offset in shape.offsets():
            starts = board & board >> offset[0] + room * offset[1]
            way, _, _, _, parts, shifts = lines[key_of(*offset)]
            stopped = reduce(or_, map(rshift, map(stops[way].__getitem__, parts), shifts))
            self._unseen[offset] = starts & stopped
            there = here = 0
            if any_cover:
                own = own_contacts(way)
                met = list(map(rshift, map(shields[way].__getitem__, parts), shifts))
                between = reduce(or_, met[own:-own], 0)
                there = reduce(or_, met[max(own, len(met) - own) :], between)
                here = reduce(or_, met[: min(own, len(met) - own)], between)
            self._bare_there[offset] = starts & ~there
            self._bare_here[offset] = starts & ~here

    def sees(self, a: Hex, b: Hex) -> bool:
        """Decide whether two hexes see each other. ValueError where one is not on the board."""
        try:
            return not self._hidden[a][self._columns[b]]
        except KeyError:
            self._lay_out(a, b)
            return not self._hidden[a][self._columns[b]]

    def in_cover(self, attacker: Hex, target: Hex) -> bool:
        """Decide whether the target is in cover from the attacker. ValueError where one is not on the board."""
        try:
            return not self._bare[attacker][self._columns[target]]
        except KeyError:
            self._lay_out(attacker, target)
            return not self._bare[attacker][self._columns[target]]

    def visible_from(self, a: Hex) -> frozenset[Hex]:
        """Find the hexes that can be seen from a hex, itself included. ValueError where it is not on the board."""
        self._lay_out(a)
        return frozenset(self._columns).difference(compress(self._cells, self._hidden[a]))

    def in_cover_from(self, attacker: Hex) -> frozenset[Hex]:
        """Find the hexes that are in cover from an attacker, seen or not. ValueError where it is not on the board."""
        self._lay_out(attacker)
        return frozenset(self._columns).difference(compress(self._cells, self._bare[attacker]))

    def _lay_out(self, *asked: Hex) -> None:
        """Index the answers by hex, on the first pair. ValueError if a hex is not on the board."""
        index = self._layout.index
        for a in asked:
            if a not in index:
                raise ValueError(f"hex {a} is not on the board")
        if not self._columns:
            # There is a column for each hex from the first to the last of every row; one in a gap is never set.
            rows, at, cells = self._shape.rows, self._layout.at, self._layout.cells
            self._cells = [cells[at(q, r)] for r, (low, high) in rows.items() for q in range(low, high + 1)]
            self._hidden = self._by_hex(self._unseen, self._unseen)
            self._bare = self._by_hex(self._bare_there, self._bare_here)
            widths = [high - low + 1 for low, high in rows.values()]
            before = dict(zip(rows, accumulate(widths, initial=0), strict=False))
            self._columns = {a: before[a[1]] + a[0] - rows[a[1]][0] for a in index}

    def _by_hex(self, there: Mapping[Hex, int], back: Mapping[Hex, int]) -> dict[Hex, bytes]:
        """Turn bit sets of starting hexes by offset into one row of bytes for each hex.

        For one distance in rows, the bit sets of all offsets are written one after the other as bytes. Then the entries
        of one hex for the hexes of another row are at equal distances, and form one slice.
        """
        rows, size, at = self._shape.rows, self._layout.size, self._layout.at
        later: dict[Hex, list[bytes]] = {(q, r): [] for r, (low, high) in rows.items() for q in range(low, high + 1)}
        earlier: dict[Hex, list[bytes]] = {a: [] for a in later}
        for down in range(max(rows) - min(rows) + 1):
            pairs = [(r, low, high, *rows[r + down]) for r, (low, high) in rows.items() if r + down in rows]
            if not pairs:
                continue
            least = min(first - high for _, _, high, first, _ in pairs)
            most = max(last - low for _, low, _, _, last in pairs)
            written = self._written(there, back, down, range(least, most + 1))
            for r, low, high, first, last in pairs:
                # The slices of two neighbours begin one offset and one hex apart.
                begin, span = (first - low - least) * size + at(low, r), (last - first) * size + 1
                for q in range(low, high + 1):
                    later[q, r].append(written[begin : begin + span : size])
                    begin -= size - 1
            if not down:
                continue
            if there is not back:
                written = self._written(back, there, down, range(least, most + 1))
            for r, low, high, first, last in pairs:
                # The hexes of an earlier row are met from the last to the first.
                begin, span = (first - high - least) * size + at(high, r), (high - low) * (size - 1) + 1
                for q in range(first, last + 1):
                    earlier[q, r + down].append(written[begin : begin + span : size - 1][::-1])
                    begin += size
        return {a: b"".join((*reversed(earlier[a]), *later[a])) for a in self._layout.index}

    def _written(self, there: Mapping[Hex, int], back: Mapping[Hex, int], down: int, along: range) -> bytes:
        """Write the bit sets of all offsets a number of rows down as bytes, one after the other."""
        size = self._layout.size
        if down:
            return b"".join([as_bytes(there.get((dq, down), 0), size) for dq in along])
        # In a hex's own row the earlier hexes are known from their side, and are moved to where the hex lies.
        own_row = ((there.get((dq, 0), 0) if dq >= 0 else back.get((-dq, 0), 0) << -dq) for dq in along)
        return b"".join([as_bytes(bits, size) for bits in own_row])


def _given_room(places: tuple[tuple[int, ...], ...], room: int) -> list[tuple[int, ...]]:
    return [tuple(bits << room for bits in parts) for parts in places]
