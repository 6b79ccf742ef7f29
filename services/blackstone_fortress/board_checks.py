"""What makes a posted board impossible: every fault at its place."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

from arbiter.caching import by_board
from arbiter.fault import Fault
from arbiter.geometry.hex.coordinates import distance, from_offset
from arbiter.geometry.hex.layout import LARGEST_SPAN
from arbiter.skirmish.faults import case_pointer
from services.blackstone_fortress.scene import Board, Hex, NoBoard


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


def fault(where: str, code: str, message: str, seen: Any = None, expected: str = "", hint: str = "") -> Fault:
    """Give a fault of a member of the case, as in `targets/2` or `scene/leader`."""
    return Fault(case_pointer(where), code, message, seen, expected, hint)


def _board(board: Board) -> Iterator[Fault]:
    hexes = set(board.hexes)
    for index, hex_ in repeats(board.hexes):
        yield fault(f"scene/board/hexes/{index}", "repeated-hex", f"{list(hex_)} is listed twice", hex_)
    yield from _span(board)
    for name in ("walls", "cover", "edges"):
        for index, (a, b) in enumerate(getattr(board, name) or ()):
            where = f"scene/board/{name}/{index}"
            if distance(axial(board, a), axial(board, b)) != 1:
                message = f"{list(a)} and {list(b)} share no hexside"
                hint = f"adjacency is counted in {board.coordinates} coordinates"
                yield fault(where, "not-adjacent", message, (a, b), "two adjacent hexes", hint)
            elif a not in hexes and b not in hexes:
                message = f"neither {list(a)} nor {list(b)} is on the board"
                yield fault(where, "off-board", message, (a, b), "a hexside of at least one hex of the board")
    for index, hex_ in enumerate(board.obstructions):
        yield from on_board(hexes, f"board/obstructions/{index}", hex_, "an obstruction")
    for index, portal in enumerate(board.portals):
        for place, hex_ in enumerate(portal.beside):
            yield from on_board(hexes, f"board/portals/{index}/beside/{place}", hex_, f"portal {portal.id}")
        for place, hex_ in enumerate(portal.chamber):
            if hex_ in hexes:
                where, message = f"scene/board/portals/{index}/chamber/{place}", f"{list(hex_)} is already on the board"
                hint = "leave `chamber` out if the chamber adds no hexes"
                yield fault(where, "on-board", message, hex_, "a hex that the escape chamber would add", hint)
    for index, id_ in repeats([portal.id for portal in board.portals]):
        yield fault(f"scene/board/portals/{index}/id", "repeated-id", f"two portals are called {id_}", id_)
    if board.escape_chamber is not None:
        for place, hex_ in enumerate(board.escape_chamber.hexes):
            yield from on_board(hexes, f"board/escape_chamber/hexes/{place}", hex_, "the escape chamber")


def _span(board: Board) -> Iterator[Fault]:
    """Find a board that is longer than the geometry can hold, now or with the escape chamber at one of its portals."""
    wider = [(portal.chamber, f"portals/{index}/chamber") for index, portal in enumerate(board.portals)]
    for chamber, where in (((), "hexes"), *wider):
        ends = [axial(board, hex_) for hex_ in (*board.hexes, *chamber)]
        span = max(max(way) - min(way) + 1 for way in (*zip(*ends, strict=True), [q + r for q, r in ends]))
        if span > LARGEST_SPAN:
            asked = f"at most {LARGEST_SPAN} hexes along each axis of axial coordinates"
            yield fault(f"scene/board/{where}", "too-wide", f"the board spans {span} hexes", span, asked)
            return


def axial(board: Board, hex_: Hex) -> Hex:
    """Give a hex of the board in axial coordinates."""
    return hex_ if board.coordinates == "axial" else from_offset(*hex_, board.coordinates)


def on_board(hexes: Collection[Hex], where: str, hex_: Hex, name: str) -> Iterator[Fault]:
    """Find what stands in a hex that is not on the board; `where` is its place in the scene."""
    if hex_ not in hexes:
        message = f"{name} is at {list(hex_)}, which is not on the board"
        hint = "add the hex to /case/scene/board/hexes, or move what stands there"
        yield fault(f"scene/{where}", "off-board", message, hex_, "a hex of the board", hint)


def repeats(values: Sequence[Any]) -> Iterator[tuple[int, Any]]:
    """Find the values that an earlier one equals, with their places."""
    seen = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)
