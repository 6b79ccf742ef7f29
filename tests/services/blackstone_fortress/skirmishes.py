"""Random skirmishes for laws about moves and hostiles, and a second, plain reading of the rules of movement."""

from collections import Counter
from itertools import product
from typing import Any

from hypothesis import strategies as st

from arbiter.dice_sources import HandedDice, SeededDice
from arbiter.table import Chooser, OneTable, first
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.battlefield import Battlefield, Unit
from services.blackstone_fortress.scene import Hex, Hostile
from tests.services.blackstone_fortress.tabletop import field_of

STEPS = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
SIZES = {"traitor-guardsman": "small", "chaos-beastman": "large", "obsidius-mallex": "huge"}
FILLINGS = ({"small": 3}, {"small": 2, "large": 1}, {"large": 2}, {"huge": 1})


FIRST = {"*": ("first", first)}


def readings(**options: str) -> dict[str, str]:
    """Give every reading's default, with some changed; underscores stand for hyphens."""
    return {**ARBITER.readings.defaults, **{id_.replace("_", "-"): option for id_, option in options.items()}}


def table(seed: str = "test", hand: dict[str, list[Any]] | None = None, **options: str) -> OneTable:
    """Give a table with dice from a hand, or else from a seed, where everyone picks the first option."""
    dice = SeededDice(seed) if hand is None else HandedDice(hand)
    return OneTable(dice, Chooser({}, FIRST), readings(**options))


def around(hex_: Hex) -> tuple[Hex, ...]:
    """Name the six hexes around a hex."""
    return tuple((hex_[0] + q, hex_[1] + r) for q, r in STEPS)


def fill(hexes: list[Hex], draw: Any, size: dict[str, int]) -> list[dict[str, Any]]:
    """Put miniatures of these sizes into hexes, none beyond a hex's limit."""
    placed: list[dict[str, Any]] = []
    for profile, count in size.items():
        for _ in range(count):
            hex_ = draw(st.sampled_from(hexes))
            here = Counter(SIZES[one["profile"]] for one in placed if one["hex"] == hex_)
            here[SIZES[profile]] += 1
            if any(all(here[kind] <= filling.get(kind, 0) for kind in here) for filling in FILLINGS):
                placed.append(
                    {"id": f"foe-{len(placed)}", "group": "foes", "profile": profile, "hex": hex_, "weapon": None}
                )
    return placed


@st.composite
def scenes(draw: Any, *, cover: bool = True, hostiles: int = 4, explorers: int = 3) -> dict[str, Any]:
    """Draw a small board with walls, cover and obstructions, explorers in one part and hostiles in the rest of it."""
    hexes: list[Hex] = draw(
        st.lists(st.sampled_from(list(product(range(6), range(5)))), min_size=8, max_size=30, unique=True)
    )
    sides = [(a, b) for a in hexes for b in around(a) if a < b and b in hexes]
    some = st.lists(st.sampled_from(sides), max_size=6, unique=True) if sides else st.just([])
    obstructions = draw(st.lists(st.sampled_from(hexes), max_size=3, unique=True))
    free = [hex_ for hex_ in hexes if hex_ not in obstructions]
    cut = draw(st.integers(1, len(free) - 1))
    ours, theirs = free[:cut], free[cut:]
    heads: list[dict[str, Any]] = []
    for id_, profile in [("janus", "janus-draik"), ("ur-025", "ur-025"), ("amallyn", "amallyn-shadowguide")][
        :explorers
    ]:
        hex_ = draw(st.sampled_from(ours))
        if sum(one["hex"] == hex_ for one in heads) < 2:
            heads.append({"id": id_, "profile": profile, "hex": hex_})
    sizes = {
        "traitor-guardsman": draw(st.integers(1, hostiles)),
        "chaos-beastman": draw(st.integers(0, 2)),
        "obsidius-mallex": draw(st.integers(0, 1)),
    }
    return {
        "board": {
            "hexes": hexes,
            "walls": draw(some),
            "cover": draw(some) if cover else [],
            "obstructions": obstructions,
        },
        "explorers": heads,
        "hostiles": fill(theirs, draw, sizes),
    }


class Plain:
    """The rules of movement read once more, without any of the code under test but the scene itself."""

    def __init__(self, field: Battlefield, unit: Unit) -> None:
        board = field.scene.board
        self.unit = unit
        self.open = set(board.hexes) - set(board.obstructions)
        self.walls = {frozenset(pair) for pair in board.walls}
        hostile = isinstance(unit, Hostile)
        self.enemies = {one.hex for one in (field.explorers if hostile else field.hostiles) if one.hex}
        friends = [one for one in (field.hostiles if hostile else field.explorers) if one.id != unit.id]
        self.kinds: dict[Hex, list[str]] = {}
        for one in friends:
            if one.hex:
                self.kinds.setdefault(one.hex, []).append(self.kind(one))

    @staticmethod
    def kind(unit: Unit) -> str:
        return SIZES[unit.profile] if isinstance(unit, Hostile) else "explorer"

    def has_room(self, hex_: Hex) -> bool:
        count = Counter([*self.kinds.get(hex_, []), self.kind(self.unit)])
        if count["explorer"]:
            return count["explorer"] <= 2
        return any(all(count[kind] <= filling.get(kind, 0) for kind in count) for filling in FILLINGS)

    def halts(self, hex_: Hex) -> bool:
        return any(near in self.enemies for near in around(hex_))

    def may_step(self, a: Hex, b: Hex) -> bool:
        return b in around(a) and b in self.open and b not in self.enemies and frozenset((a, b)) not in self.walls

    def walks(self, steps: int) -> list[tuple[Hex, ...]]:
        """List every walk that the rules allow up to so many steps, its end apart, by trying each in turn."""
        assert self.unit.hex is not None
        result: list[tuple[Hex, ...]] = [()]
        frontier: list[tuple[Hex, ...]] = [()]
        for _ in range(steps):
            frontier = [
                (*walk, hex_)
                for walk in frontier
                if not walk or not self.halts(walk[-1])
                for hex_ in around(walk[-1] if walk else self.unit.hex)
                if self.may_step(walk[-1] if walk else self.unit.hex, hex_)
            ]
            result += frontier
        return result

    def ends(self, steps: int) -> dict[Hex, int]:
        """Give every hex where a move may end with the length of the shortest walk there, the start left out."""
        ends: dict[Hex, int] = {}
        for walk in self.walks(steps):
            if walk and walk[-1] != self.unit.hex and self.has_room(walk[-1]):
                ends[walk[-1]] = min(len(walk), ends.get(walk[-1], len(walk)))
        return ends

    def route(self, a: Hex, b: Hex) -> int | None:
        """Count the hexes of the shortest route, whoever stands on it."""
        visited, edge, length = {a}, {a}, 0
        while edge:
            if b in edge:
                return length
            edge = {
                near
                for hex_ in edge
                for near in around(hex_)
                if near in self.open and near not in visited and frozenset((hex_, near)) not in self.walls
            }
            visited |= edge
            length += 1
        return None


def field_from(scene: dict[str, Any]) -> Battlefield:
    """Give the battlefield of a drawn scene."""
    return field_of(scene)
