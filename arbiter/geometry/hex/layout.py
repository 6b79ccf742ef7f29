"""The index of each hex of a board in a bit set, so that whole boards are shifted and combined as single integers.

The index of hex (q, r) is q + stride * r + a constant: stepping from any hex to a neighbour adds the same number. Such
an index is safe only if no two relevant hexes share it, which the stride ensures. Relevant are the board's
*surroundings*: every hex that a line between two hexes of the board can touch, and every neighbour of the board.

Hexes have unique indices, but offsets do not: (dq, dr) and (dq - stride, dr + 1) add the same number. Shifting a whole
board by an offset gives, besides the intended hexes, some that are that far from a hex of the next row.
"""

from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from functools import reduce
from itertools import compress, pairwise
from operator import or_

from arbiter.geometry.hex.coordinates import Hex

LARGEST_SPAN = 200
"""The most hexes that a board may span along q, r and q + r: the length of its bit sets grows with them."""

# Two offsets on boards of the largest span never share a key.
KEY = 4 * LARGEST_SPAN

# Turns the text of a number in base two into bytes that are 0 or 1.
_AS_BITS = bytes.maketrans(b"01", b"\0\1")

# Bit sets are distinguished by the value of one byte, their code: the binary digits of each, and of each less one.
_MOST_CODES = 255
_DIGITS = tuple(tuple(digit for digit in range(8) if code >> digit & 1) for code in range(_MOST_CODES + 1))
_ONE_LESS = bytes((code - 1) % 256 for code in range(256))


def as_bytes(bits: int, size: int) -> bytes:
    """Write a bit set as one byte, 0 or 1, for each of the first `size` indices."""
    return f"{bits:0{size}b}"[::-1].encode().translate(_AS_BITS)


def key_of(dq: int, dr: int) -> int:
    """Number an offset. The difference of the keys of two hexes, each as its offset from a third, is that of theirs."""
    return dq + KEY * dr


def offset_of(key: int) -> tuple[int, int]:
    """Find the offset (dq, dr) that has this key."""
    dr = (key + KEY // 2) // KEY
    return key - KEY * dr, dr


def _extent(values: Iterable[int], margin: int) -> tuple[int, int]:
    listed = list(values)
    return min(listed) - margin, max(listed) + margin


class Shape:
    """The rows of a board and of its surroundings, which give its stride. ValueError if it spans too much."""

    def __init__(self, hexes: Collection[Hex]) -> None:
        rows: dict[int, tuple[int, int]] = {}
        for q, r in hexes:
            low, high = rows.get(r, (q, q))
            rows[r] = (min(low, q), max(high, q))
        self.rows = dict(sorted(rows.items()))
        ends = [(q, r) for r, row in rows.items() for q in row]
        # The surroundings are what six pairs of parallel lines enclose, one pair for each axis and each vertex
        # direction. A step changes the first three sums by at most one, the others by at most two.
        q_least, q_most = _extent((q for q, _ in ends), 1)
        r_least, r_most = _extent((r for _, r in ends), 1)
        s_least, s_most = _extent((q + r for q, r in ends), 1)
        for name, span in (("q", q_most - q_least), ("r", r_most - r_least), ("q + r", s_most - s_least)):
            if span - 1 > LARGEST_SPAN:
                raise ValueError(f"the board spans {span - 1} hexes along {name}; the most is {LARGEST_SPAN}")
        east_least, east_most = _extent((2 * q + r for q, r in ends), 2)
        south_least, south_most = _extent((q + 2 * r for q, r in ends), 2)
        cross_least, cross_most = _extent((q - r for q, r in ends), 2)
        self.surroundings: list[tuple[int, int, int]] = []
        for r in range(r_least, r_most + 1):
            low = max(q_least, s_least - r, (east_least - r + 1) // 2, south_least - 2 * r, cross_least + r)
            high = min(q_most, s_most - r, (east_most - r) // 2, south_most - 2 * r, cross_most + r)
            self.surroundings.append((r, low, high))

    def stride(self) -> int:
        """Find the least stride for which no two surrounding hexes share an index."""
        rows = self.surroundings
        return max(high - low for (_, _, high), (_, low, _) in pairwise(rows)) + 1

    def offsets(self) -> list[tuple[int, int]]:
        """List each offset from one hex of the board to a later one, in row order; some more if rows have gaps."""
        least: dict[int, int] = {}
        most: dict[int, int] = {}
        for r, (low, high) in self.rows.items():
            for s, (start, end) in self.rows.items():
                if r <= s:
                    least[s - r] = min(least.get(s - r, start - high), start - high)
                    most[s - r] = max(most.get(s - r, end - low), end - low)
        return [(dq, dr) for dr in sorted(most) for dq in range(least[dr] if dr else 1, most[dr] + 1)]


class Layout:
    """The index of every hex, and the conversion between sets of hexes and bit sets."""

    def __init__(self, hexes: Collection[Hex], shape: Shape) -> None:
        self.stride = stride = shape.stride()
        self.base = -min(low + stride * r for r, low, _ in shape.surroundings)
        self.size = self.base + max(high + stride * r for r, _, high in shape.surroundings) + 1
        base = self.base
        self.origin: Hex = min(low for low, _ in shape.rows.values()), min(shape.rows)
        self.index = {a: a[0] + stride * a[1] + base for a in hexes}
        # The hex of each index. An index without one names any hex: no bit set of hexes has such an index.
        self.cells = [next(iter(hexes))] * self.size
        for a, index in self.index.items():
            self.cells[index] = a
        self.board = self.bits(self.index.values())
        self._rows = shape.surroundings
        self._starts = [low + stride * r + base for r, low, _ in self._rows]

    def at(self, q: int, r: int) -> int:
        """Give the index of any surrounding hex."""
        return q + self.stride * r + self.base

    def hex_at(self, index: int) -> Hex:
        """Give the surrounding hex of an index, on the board or not."""
        row = bisect_right(self._starts, index) - 1
        r, low, _ = self._rows[row]
        return low + index - self._starts[row], r

    def bits(self, indices: Iterable[int]) -> int:
        """Make the bit set of these indices."""
        text = bytearray(b"0") * self.size
        for index in indices:
            text[-1 - index] = 49
        return int(text, 2)

    def mask(self, hexes: Iterable[Hex]) -> int:
        """Make the bit set of these hexes. Hexes that are not on the board are left out."""
        index_of = self.index.get
        bits = 0
        for a in hexes:
            index = index_of(a)
            if index is not None:
                bits |= 1 << index
        return bits

    def hexes(self, bits: int) -> list[Hex]:
        """List the hexes of a bit set, row by row. The set holds hexes of the board only."""
        return list(self.numbered((bits,)))

    def numbered(self, layers: Sequence[int]) -> dict[Hex, int]:
        """Number the hexes of some bit sets by the set that each is in, counted from 0; row by row.

        No hex is in two of the sets, and all hexes are hexes of the board.
        """
        found: dict[Hex, int] = {}
        for first in range(0, len(layers), _MOST_CODES):
            # One bit set for each binary digit of the codes from 1, then for each index one byte with all its digits.
            digits = [0] * len(_DIGITS[-1])
            for code, bits in enumerate(layers[first : first + _MOST_CODES], 1):
                for digit in _DIGITS[code]:
                    digits[digit] |= bits
            every = reduce(or_, digits)
            if not every:
                continue
            start = (every & -every).bit_length() - 1
            length = every.bit_length() - start
            ones = int.from_bytes(b"\1" * length)
            top = 1 << length
            codes = 0
            for digit, bits in enumerate(digits):
                if bits:
                    # The text begins with 0b1, then comes the highest index; the lowest bit of "0" and "1" tells them.
                    codes |= (int.from_bytes(bin(bits >> start | top)[3:].encode()) & ones) << digit
            coded = codes.to_bytes(length, "little")
            hexes = compress(self.cells[start : start + length], coded)
            numbers: Iterable[int] = coded.translate(_ONE_LESS, b"\0")
            found.update(zip(hexes, numbers if not first else (first + number for number in numbers), strict=True))
        return found
