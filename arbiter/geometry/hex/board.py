"""A board of hexes with its walls, cover, obstructions and edges, prepared for questions of sight, cover and movement.

Sight is a straight line between the centres of two hexes. It is blocked where it touches a wall, an edge, or any of the
six sides of an obstruction, and a target is in cover where it touches a cover hexside that is not one of the attacker's
own six. The effect of a mere touch is a reading (`hexsight.Corners`), 'touch' by default. Sight is symmetric; cover is
not.

Edges only block sight: no mover leaves the board in any case, and an edge that is given between two hexes of the board
does not stop a step across it. Walls and obstructions stop both.
"""

from collections.abc import Iterable, Set
from functools import cached_property
from typing import NoReturn

from arbiter.geometry.hex.coordinates import Hex, Side, adjacent, rim, sides_of
from arbiter.geometry.hex.layout import Layout, Shape, key_of
from arbiter.geometry.hex.lines import PARTS
from arbiter.geometry.hex.pairs import AllPairs
from arbiter.geometry.hex.sight import AllViews, Corners, Screen, Template, Templates, planes_of, templates
from arbiter.geometry.hex.witness import Kind, Spot, Standing, Witness, witness


class HexBoard:
    """One immutable board: its hexes, and by name the hexsides and hexes that stop or cover.

    `walls`, `cover` and `edges` are hexsides, each a pair of adjacent hexes of which at least one is on the board;
    either hex may come first. Edges are, unless they are given, all hexsides with exactly one hex on the board.
    `obstructions` are hexes of the board. Boards with the same contents are equal. Data for questions is prepared at
    the first question that needs it.

    ValueError: no hexes; a hexside whose hexes are not adjacent, or lie both off the board; an obstruction off the
    board; a board that spans more than `hexlayout.LARGEST_SPAN` hexes.
    """

    hexes: frozenset[Hex]
    walls: frozenset[Side]
    cover: frozenset[Side]
    obstructions: frozenset[Hex]
    _edges: frozenset[Side] | None
    _shape: Shape
    _keys: dict[Hex, int]
    _templates: Templates
    _stops: AllViews
    _shields: AllViews
    _rim: AllViews

    def __init__(
        self,
        hexes: Iterable[Hex],
        *,
        walls: Iterable[tuple[Hex, Hex]] = (),
        cover: Iterable[tuple[Hex, Hex]] = (),
        obstructions: Iterable[Hex] = (),
        edges: Iterable[tuple[Hex, Hex]] | None = None,
    ) -> None:
        on_board = frozenset(hexes)
        if not on_board:
            raise ValueError("a board has at least one hex")
        blocked = frozenset(obstructions)
        if not blocked <= on_board:
            raise ValueError(f"obstruction {min(blocked - on_board)} is not on the board")
        # The attributes bypass __setattr__, which refuses: a board is shared and hashed.
        self.__dict__.update(
            hexes=on_board,
            walls=_checked("wall", walls, on_board),
            cover=_checked("cover", cover, on_board),
            obstructions=blocked,
            _edges=None if edges is None else _checked("edge", edges, on_board),
            _shape=Shape(on_board),
            _keys={},
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a board does not change ({name}): make another one")

    @cached_property
    def edges(self) -> frozenset[Side]:
        """The hexsides that are edges: those given, or else all that have exactly one hex on the board."""
        return rim(self.hexes) if self._edges is None else self._edges

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, HexBoard):
            return NotImplemented
        return (
            hash(self) == hash(other)
            and self.hexes == other.hexes
            and self.walls == other.walls
            and self.cover == other.cover
            and self.obstructions == other.obstructions
            and ((self._edges is None and other._edges is None) or self.edges == other.edges)
        )

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Edges are left out, so that a board with its default edges spelled out has the hash of the board it equals.
        return hash((self.hexes, self.walls, self.cover, self.obstructions))

    def __repr__(self) -> str:
        return (
            f"<HexBoard of {len(self.hexes)} hexes, {len(self.walls)} walls, {len(self.cover)} cover hexsides, "
            f"{len(self.obstructions)} obstructions>"
        )

    def sees(self, a: Hex, b: Hex, corners: Corners = "touch") -> bool:
        """Decide whether two hexes see each other. A hex sees itself. ValueError where one is not on the board."""
        try:
            first = self._keys[a]
            key = self._keys[b] - first
        except KeyError:
            self._make_ready(a, b)
            return self.sees(a, b, corners)
        if key < 0:
            way, met, _, _, _, _ = self._templates[-key]
            return not self._stops[corners][way][first + key] & met
        way, met, _, _, _, _ = self._templates[key]
        return not self._stops[corners][way][first] & met

    def in_cover(self, attacker: Hex, target: Hex, corners: Corners = "touch") -> bool:
        """Decide whether the line meets a cover hexside that is not the attacker's own, whether or not they see.

        No unit is in cover from its own hex. ValueError if one is not on the board.
        """
        try:
            first = self._keys[attacker]
            key = self._keys[target] - first
        except KeyError:
            self._make_ready(attacker, target)
            return self.in_cover(attacker, target, corners)
        if key < 0:
            way, _, _, back, _, _ = self._templates[-key]
            return self._shields[corners][way][first + key] & back != 0
        way, _, there, _, _, _ = self._templates[key]
        return self._shields[corners][way][first] & there != 0

    def visible_from(self, a: Hex, corners: Corners = "touch") -> frozenset[Hex]:
        """Find all hexes that can be seen from a hex, itself included. ValueError where it is not on the board."""
        return frozenset(b for b in self.hexes if self.sees(a, b, corners))

    def in_cover_from(self, attacker: Hex, corners: Corners = "touch") -> frozenset[Hex]:
        """Find all hexes that are in cover from an attacker, seen or not. ValueError where it is not on the board."""
        return frozenset(b for b in self.hexes if self.in_cover(attacker, b, corners))

    def all_pairs(self, corners: Corners = "touch") -> AllPairs:
        """Compute sight and cover for all ordered pairs of hexes together: a table for many questions on one board."""
        return AllPairs(self._shape, self._blocking_screen, self._cover_screen, corners)

    def witness(self, a: Hex, b: Hex, corners: Corners = "touch") -> Witness:
        """List what the line from a (the attacker) to b (the target) meets, where, and what depends on it."""
        return witness(a, b, corners, self._spots(a, b), self._standing)

    def crosses_rim(self, a: Hex, b: Hex) -> bool:
        """Decide whether the line between two hexes touches a hexside that has only one of its hexes on the board.

        If it does not, no route from one hex to the other is shorter than one over hexes of the board: the hexes of the
        line form such a route. ValueError if one is not on the board.
        """
        first, (way, met, _, _, _, _), _ = self._template(a, b)
        return self._rim["touch"][way][first] & met != 0

    def _spots(self, a: Hex, b: Hex) -> list[Spot]:
        """List the contacts of a line with what blocks or covers, in order. ValueError where a hex is off the board."""
        first, (way, met, _, _, parts, shifts), back = self._template(a, b)
        marked = self._stops["touch"][way][first] & met | self._shields["touch"][way][first] & met
        if not marked:
            return []
        layout = self.layout
        before = layout.index[b if back else a] - layout.stride
        spots: list[Spot] = []
        while marked:
            lowest = marked & -marked
            marked ^= lowest
            shift, part = divmod(lowest.bit_length() - 1, PARTS)
            place = shifts.index(shift)
            while parts[place] != part:
                place = shifts.index(shift, place + 1)
            spots.append((len(parts) - 1 - place if back else place, part, layout.hex_at(before + shift)))
        spots.sort()
        return spots

    def _template(self, a: Hex, b: Hex) -> tuple[int, Template, bool]:
        """Give the key of the hex where a line's template begins, the template, and whether that is b's end.

        ValueError where a hex is off the board.
        """
        try:
            first, last = self._keys[a], self._keys[b]
        except KeyError:
            self._make_ready(a, b)
            first, last = self._keys[a], self._keys[b]
        if first > last:
            return last, self._templates[first - last], True
        return first, self._templates[last - first], False

    def prepare(self) -> None:
        """Prepare the data for any later question of sight or cover on a board of this shape, for all offsets."""
        lines = templates(self.layout.stride)
        for offset in self._shape.offsets():
            lines[key_of(*offset)]

    @cached_property
    def _standing(self) -> Standing:
        obstructed = {of for filled in self.obstructions for of in sides_of(filled)}
        kinds: dict[Kind, Set[Side]] = {"wall": self.walls, "obstruction": obstructed, "edge": self.edges}
        blocks: dict[Side, tuple[Kind, ...]] = {}
        for kind, sides in kinds.items():
            for of in sides:
                blocks[of] = (*blocks.get(of, ()), kind)
        return Standing(blocks, dict.fromkeys(self.cover, ("cover",)))

    @cached_property
    def layout(self) -> Layout:
        """The index of each hex in the board's bit sets."""
        return Layout(self.hexes, self._shape)

    def _make_ready(self, *asked: Hex) -> None:
        """Prepare for questions about pairs, on the first one. ValueError if a hex is off the board."""
        if not self.hexes.issuperset(asked):
            raise self._off_board(*asked)
        q, r = self.layout.origin
        self.__dict__.update(
            _templates=templates(self.layout.stride),
            _stops=AllViews(self._blocking_screen),
            _shields=AllViews(self._cover_screen),
            _rim=AllViews(Screen(self.layout, planes_of(self.layout, rim(self.hexes)))),
            _keys={a: key_of(a[0] - q, a[1] - r) for a in self.hexes},
        )

    @cached_property
    def _blocking_screen(self) -> Screen:
        """Walls, edges and the sides of obstructions."""
        layout, board = self.layout, self.layout.board
        filled = layout.mask(self.obstructions)
        usual = self._edges is None
        named = planes_of(layout, self.walls if self._edges is None else self.walls | self._edges)
        steps = (1, layout.stride, layout.stride - 1)
        # A hex owns its sides to the E, SE and SW; the others belong to the hex at the step back.
        east, south_east, south_west = (
            sides | filled | filled >> step | ((board ^ board >> step) if usual else 0)
            for sides, step in zip(named, steps, strict=True)
        )
        return Screen(layout, (east, south_east, south_west))

    @cached_property
    def _cover_screen(self) -> Screen:
        return Screen(self.layout, planes_of(self.layout, self.cover))

    def _off_board(self, *given: Hex) -> ValueError:
        return ValueError(f"hex {next(a for a in given if a not in self.hexes)} is not on the board")


def _checked(kind: str, sides: Iterable[tuple[Hex, Hex]], on_board: frozenset[Hex]) -> frozenset[Side]:
    """Give each hexside its unique name; raises for one that is invalid, or off the board."""
    named: set[Side] = set()
    for a, b in sides:
        if not adjacent(a, b):
            raise ValueError(f"{kind} {a} - {b}: these hexes share no hexside")
        if a not in on_board and b not in on_board:
            raise ValueError(f"{kind} {a} - {b}: neither hex is on the board")
        named.add((a, b) if a < b else (b, a))
    return frozenset(named)
