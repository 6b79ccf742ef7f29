"""What makes a posted board impossible: every fault at its place."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from arbiter.caching import by_board
from arbiter.fault import Fault, pointer
from arbiter.geometry.hex.coordinates import distance, from_offset
from arbiter.geometry.hex.layout import LARGEST_SPAN
from services.blackstone_fortress.scene import Board, Hex, NoBoard

SCENE = ("case", "scene")


class CheckedBoard(NamedTuple):
    """What the checks of units and markers need of a board."""

    faults: tuple[Fault, ...]
    hexes: frozenset[Hex]
    open: frozenset[Hex]


@by_board
def check_board(board: Board) -> CheckedBoard:
    """Check a board once: many questions come with the same board."""
    if isinstance(board, NoBoard):
        return CheckedBoard((), frozenset(), frozenset())
    hexes = frozenset(board.hexes)
    return CheckedBoard(tuple(_board(board)), hexes, hexes - frozenset(board.obstructions))


def scene_fault(
    path: tuple[str | int, ...], code: str, message: str, seen: Any = None, expected: str = "", hint: str = ""
) -> Fault:
    """Give a fault of the scene, or of the case where the path says so."""
    return Fault(pointer(*(path if path[0] == "case" else (*SCENE, *path))), code, message, seen, expected, hint)


def _board(board: Board) -> Iterator[Fault]:
    hexes = set(board.hexes)
    for index, hex_ in repeats(board.hexes):
        yield scene_fault(("board", "hexes", index), "repeated-hex", f"{list(hex_)} is listed twice", hex_)
    yield from _span(board)
    for name in ("walls", "cover", "edges"):
        for index, (a, b) in enumerate(getattr(board, name) or ()):
            if distance(axial(board, a), axial(board, b)) != 1:
                yield scene_fault(
                    ("board", name, index),
                    "not-adjacent",
                    f"{list(a)} and {list(b)} share no hexside",
                    (a, b),
                    "two adjacent hexes",
                    f"adjacency is counted in {board.coordinates} coordinates",
                )
            elif a not in hexes and b not in hexes:
                yield scene_fault(
                    ("board", name, index),
                    "off-board",
                    f"neither {list(a)} nor {list(b)} is on the board",
                    (a, b),
                    "a hexside of at least one hex of the board",
                )
    for index, hex_ in enumerate(board.obstructions):
        yield from on_board(hexes, ("board", "obstructions", index), hex_, "an obstruction")
    for index, portal in enumerate(board.portals):
        for place, hex_ in enumerate(portal.beside):
            yield from on_board(hexes, ("board", "portals", index, "beside", place), hex_, f"portal {portal.id}")
        for place, hex_ in enumerate(portal.chamber):
            if hex_ in hexes:
                yield scene_fault(
                    ("board", "portals", index, "chamber", place),
                    "on-board",
                    f"{list(hex_)} is already on the board",
                    hex_,
                    "a hex that the escape chamber would add",
                    "leave `chamber` out if the chamber adds no hexes",
                )
    for index, id_ in repeats([portal.id for portal in board.portals]):
        yield scene_fault(("board", "portals", index, "id"), "repeated-id", f"two portals are called {id_}", id_)
    if board.escape_chamber is not None:
        for place, hex_ in enumerate(board.escape_chamber.hexes):
            yield from on_board(hexes, ("board", "escape_chamber", "hexes", place), hex_, "the escape chamber")


def _span(board: Board) -> Iterator[Fault]:
    """Find a board that is longer than the geometry can hold, now or with the escape chamber at one of its portals."""
    wider = [(portal.chamber, ("portals", index, "chamber")) for index, portal in enumerate(board.portals)]
    for chamber, path in (((), ("hexes",)), *wider):
        ends = [axial(board, hex_) for hex_ in (*board.hexes, *chamber)]
        span = max(max(way) - min(way) + 1 for way in (*zip(*ends, strict=True), [q + r for q, r in ends]))
        if span > LARGEST_SPAN:
            yield scene_fault(
                ("board", *path),
                "too-wide",
                f"the board spans {span} hexes",
                span,
                f"at most {LARGEST_SPAN} hexes along each axis of axial coordinates",
            )
            return


def axial(board: Board, hex_: Hex) -> Hex:
    """Give a hex of the board in axial coordinates."""
    return hex_ if board.coordinates == "axial" else from_offset(*hex_, board.coordinates)


def on_board(hexes: Collection[Hex], path: tuple[str | int, ...], hex_: Hex, name: str) -> Iterator[Fault]:
    """Find what stands in a hex that is not on the board."""
    if hex_ not in hexes:
        yield scene_fault(
            path,
            "off-board",
            f"{name} is at {list(hex_)}, which is not on the board",
            hex_,
            "a hex of the board",
            "add the hex to /case/scene/board/hexes, or move what stands there",
        )


def repeats(values: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Find the values that an earlier one equals, with their places."""
    seen = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)
