"""Whether lines between hex centres meet a set of hexsides: one pair at a time, or all pairs of a board together.

A *screen* is a set of hexsides that lines may meet: those that block sight, or those that give cover. Two readings say
which lines a screen stops.

* `touch`: a line is stopped that touches any part of a screen's hexside: its inside, one of its two corners, or a
  stretch of it that the line runs along.
* `cross`: a line is stopped that passes from one side of the screen to the other. It does so inside a hexside, and
  also at a corner where hexsides of the screen leave to the left and to the right of the line, for they are one wall
  there. A corner from which they leave to one side only is grazed, and so is a hexside that the line runs along,
  whatever stands at its ends; but where that hexside is itself of the screen, it and both its corners are one contact,
  crossed if hexsides of the screen leave it to the left and to the right.

For each reading and each heading of a line (`hexlines.heading`) a screen is kept as five bits a hex, for its three
sides and two corners. A bit says that the screen stops a line of this heading *there*, which for corners in the reading
`cross` depends on the heading and on nothing else. A line's template has a bit for each of its contacts, and a pair of
hexes is answered by one AND of the two.
"""

from collections.abc import Iterable
from functools import lru_cache
from math import gcd
from typing import Literal

from arbiter.geometry.hex.coordinates import Side
from arbiter.geometry.hex.layout import Layout, key_of, offset_of
from arbiter.geometry.hex.lines import E_SIDE, PARTS, SE_SIDE, SW_SIDE, Placing, heading, own_contacts

Corners = Literal["touch", "cross"]
"""The reading of contacts: see the module."""

READINGS: tuple[Corners, ...] = ("touch", "cross")

HEADINGS = 6

Planes = tuple[int, int, int]
"""A set of hexsides as three bit sets: the E, SE and SW sides of the hexes that own them."""


def unknown_reading(corners: str) -> ValueError:
    """Give the error of an unknown reading."""
    return ValueError(f"unknown reading of corners {corners!r}: send 'touch' or 'cross'")


def planes_of(layout: Layout, sides: Iterable[Side]) -> Planes:
    """Turn hexsides into bit sets, by the hex that owns each."""
    owned: tuple[list[int], list[int], list[int]] = ([], [], [])
    for a, b in sides:
        dq, dr = b[0] - a[0], b[1] - a[1]
        if dq == 0:
            owned[SE_SIDE].append(layout.at(*a))
        elif dr == 0:
            owned[E_SIDE].append(layout.at(*a))
        else:
            # The smaller hex of the pair lies at the lower left of the other, which owns the side.
            owned[SW_SIDE].append(layout.at(*b))
    east, south_east, south_west = (layout.bits(indices) for indices in owned)
    return east, south_east, south_west


class Screen(dict[str, tuple[tuple[int, ...], ...]]):
    """A set of hexsides, with the five bit sets of the parts where it stops a line, by reading and heading.

    It is a dictionary by reading, which fills itself. ValueError for a reading that does not exist.
    """

    def __init__(self, layout: Layout, planes: Planes) -> None:
        super().__init__()
        self.layout = layout
        self._planes = planes

    def __missing__(self, corners: str) -> tuple[tuple[int, ...], ...]:
        if corners == "touch":
            places = self._touched()
        elif corners == "cross":
            places = self._crossed()
        else:
            raise unknown_reading(corners)
        self[corners] = places
        return places

    def _at_corners(self) -> tuple[Planes, Planes]:
        """For the SE and the S corner of each hex, the E-, SE- and SW-kind sides of the screen that end there."""
        east, south_east, south_west = self._planes
        return (east, south_east, south_west >> 1), (east >> self.layout.stride - 1, south_east, south_west)

    def _touched(self) -> tuple[tuple[int, ...], ...]:
        se_corner, s_corner = ((a | b | c) for a, b, c in self._at_corners())
        return ((*self._planes, se_corner, s_corner),) * HEADINGS

    def _crossed(self) -> tuple[tuple[int, ...], ...]:
        at_corners = self._at_corners()
        places: list[tuple[int, ...]] = []
        for alone in range(3):
            others = [kind for kind in range(3) if kind != alone]
            places.append(
                (*self._planes, *(sides[alone] & (sides[others[0]] | sides[others[1]]) for sides in at_corners))
            )
        for along in range(3):
            left, right = (kind for kind in range(3) if kind != along)
            runs = [0, 0, 0]
            runs[along] = self._runs()[along]
            places.append((*runs, *(sides[left] & sides[right] for sides in at_corners)))
        return tuple(places)

    def _runs(self) -> Planes:
        """Find the sides that a line cannot run along, for the screen goes off to the left and right at their ends.

        At each end of a side one other side belongs to the hex on its left and one to the hex on its right. Where both
        stand at one end, that end's corner tells; here the two stand at different ends, and the side joins them.
        """
        east, south_east, south_west = self._planes
        up_east = self.layout.stride - 1  # from the hex to the NE: a shift to the left; to the SW: to the right
        return (
            east & (south_east & south_east << up_east | south_west >> 1 & south_west << up_east),
            south_east & (east & east >> up_east | south_west >> 1 & south_west),
            south_west & (south_east & south_east << 1 | east >> up_east & east << 1),
        )


class Views(dict[int, int]):
    """The obstacles for lines of one heading, from each hex: the bits that match the templates of its lines.

    It has five bits side by side for each hex, from one stride below the hex in question. It is a dictionary by the key
    of the hex, counted from the board's first row and column, and fills itself.
    """

    def __init__(self, layout: Layout, places: tuple[int, ...]) -> None:
        super().__init__()
        self._stride = layout.stride
        self._before = layout.at(*layout.origin) - layout.stride
        self._bytes = 0
        size = layout.size
        text = bytearray(b"0") * (PARTS * size)
        for part, bits in enumerate(places):
            text[PARTS - 1 - part :: PARTS] = f"{bits:0{size}b}".encode()
        self._woven = int(text, 2)

    def __missing__(self, key: int) -> int:
        q, r = offset_of(key)
        view = self._woven >> PARTS * (q + r * self._stride + self._before)
        self._bytes += view.bit_length() // 7
        if self._bytes > VIEWED_BYTES_KEPT:
            self.clear()
            self._bytes = 0
        self[key] = view
        return view


class AllViews(dict[str, tuple[Views, ...]]):
    """The views of a screen, by reading and heading. It fills itself; headings that are stopped alike share theirs."""

    def __init__(self, screen: Screen) -> None:
        super().__init__()
        self._screen = screen

    def __missing__(self, corners: str) -> tuple[Views, ...]:
        by_heading = self._screen[corners]
        made = {places: Views(self._screen.layout, places) for places in set(by_heading)}
        self[corners] = views = tuple(made[places] for places in by_heading)
        return views


Template = tuple[int, int, int, int, tuple[int, ...], tuple[int, ...]]
"""What a line meets: its heading; as bit sets all its contacts, those not on its first hex, and those not on its last
hex; and in order their parts and their shifts (`hexlines.Placing.places`)."""

# Templates are kept for the strides used last, and of each up to this many bytes (a 40 by 40 board takes about 10 MB).
STRIDES_KEPT = 8
BYTES_KEPT = 48_000_000

# And this many bytes of views of one heading (all those of a 40 by 40 board take half of it).
VIEWED_BYTES_KEPT = 2_000_000


class Templates(dict[int, Template]):
    """The template of each offset, by its key, for one stride. It fills itself; boards of any outline may share it.

    The bit sets lie one stride of hexes above the line's first hex, so that no contact lies below the first bit.
    """

    def __init__(self, stride: int) -> None:
        super().__init__()
        self._placing = Placing(stride)
        self._stride = stride
        self._bytes = 0

    def __missing__(self, key: int) -> Template:
        dq, dr = offset_of(key)
        template = self._repeated(dq, dr) if gcd(dq, dr) > 1 else self._followed(dq, dr)
        # Three bit sets, and two lists of numbers.
        self._bytes += template[1].bit_length() // 2 + 64 * len(template[4])
        if self._bytes > BYTES_KEPT:
            self.clear()
            self._bytes = 0
        self[key] = template
        return template

    def _followed(self, dq: int, dr: int) -> Template:
        way = heading(dq, dr)
        parts, shifts = self._placing.places(dq, dr)
        bits = [1 << PARTS * shift + part for part, shift in zip(parts, shifts, strict=True)]
        met = sum(bits)
        own = own_contacts(way)
        return way, met, met - sum(bits[:own]), met - sum(bits[-own:]), parts, shifts

    def _repeated(self, dq: int, dr: int) -> Template:
        """Put a line together that passes through other centres: all stretches between two of them are alike."""
        times = gcd(dq, dr)
        q, r = dq // times, dr // times
        way, met, there, _, parts, shifts = self[key_of(dq - q, dr - r)]
        _, last_met, _, last_back, last_parts, last_shifts = self[key_of(q, r)]
        onward = dq - q + (dr - r) * self._stride
        return (
            way,
            met | last_met << PARTS * onward,
            there | last_met << PARTS * onward,
            met | last_back << PARTS * onward,
            parts + last_parts,
            shifts + tuple([shift + onward for shift in last_shifts]),
        )


@lru_cache(maxsize=STRIDES_KEPT)
def templates(stride: int) -> Templates:
    """Give the templates that all boards of one stride share."""
    return Templates(stride)
