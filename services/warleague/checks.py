"""What makes a posted scene impossible: every fault at its place, before any rule looks at it."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, TypeVar

from arbiter.caching import by_board
from arbiter.fault import Fault
from arbiter.nowhere import PlaceNeeded
from arbiter.skirmish.cases import CaseState, prepared
from arbiter.skirmish.faults import (
    SCENE,
    active_faults,
    case_pointer,
    order_faults,
    repeated_ids,
    unknown_id,
    unknown_ids,
)
from arbiter.skirmish.validation import Validator
from services.warleague.battlefield import Battlefield, foes, in_play, placed, prepare
from services.warleague.book import Book
from services.warleague.cardchecks import left_faults, profile_faults, unit_faults
from services.warleague.ground import GRIDS
from services.warleague.scene import MOST_CARDS, Board, Scene, Tile, Unit

C = TypeVar("C")

THINGS = ("obstacles", "crates", "concealed", "traps", "items", "rads")
"""The lists of a scene whose rows stand or lie on tiles."""


def _faults(scene: Scene) -> Iterator[Fault]:
    book = Book.of(scene.profiles)
    yield from _board_checked(scene.board)
    yield from profile_faults(scene.profiles, book)
    yield from repeated_ids(scene.sides, f"{SCENE}/sides", "side")
    yield from repeated_ids(scene.units, f"{SCENE}/units", "unit")
    yield from repeated_ids(scene.obstacles, f"{SCENE}/obstacles", "obstacle")
    sides = [side.id for side in scene.sides]
    directions = len(GRIDS[scene.board.grid].directions)
    for index, unit in enumerate(scene.units):
        here = f"{SCENE}/units/{index}"
        yield from unit_faults(unit, sides, scene.board, directions, book, here)
        if unit.at is not None:
            yield from _off(scene.board, unit.at, f"{here}/at", unit.id)
    for name in THINGS:
        for index, row in enumerate(getattr(scene, name)):
            yield from _off(scene.board, row.at, f"{SCENE}/{name}/{index}/at", f"one of the {name}")
    yield from _filled(scene)
    yield from _standing(scene)
    yield from _cards(scene, book)
    yield from _many(scene)
    yield from _progress(scene)


def _off(board: Board, at: Tile, where: str, what: str) -> Iterator[Fault]:
    if _is_beyond(board, at) or at in _missing(board):
        text, asked = f"{what} is not on a tile of the board", f"{_within(board)}, not missing"
        yield Fault(where, "off-the-board", text, list(at), asked)


def _is_beyond(board: Board, at: Tile) -> bool:
    return at[0] >= board.columns or at[1] >= board.rows


def _within(board: Board) -> str:
    return f"a column below {board.columns} and a row below {board.rows}"


@by_board
def _missing(board: Board) -> frozenset[Tile]:
    return frozenset(board.missing)


def _board(board: Board) -> Iterator[Fault]:
    """Report terrain off the board, and a board without tiles."""
    here = f"{SCENE}/board"
    for index, at in enumerate(board.missing):
        if _is_beyond(board, at):
            text = "a missing tile lies outside the board"
            yield Fault(f"{here}/missing/{index}", "off-the-board", text, list(at), _within(board))
    if len(set(board.missing)) == board.columns * board.rows:
        yield Fault(f"{here}/missing", "no-board", "the board has no tiles", len(board.missing), "at least one tile")
    for index, at in enumerate(board.difficult):
        yield from _off(board, at, f"{here}/difficult/{index}", "difficult terrain")
    for index, killing in enumerate(board.killing):
        yield from _off(board, killing.at, f"{here}/killing/{index}/at", f"the {killing.kind}")


@by_board
def _board_checked(board: Board) -> tuple[Fault, ...]:
    """Check a board once: the same board comes with many questions."""
    return tuple(_board(board))


def _filled(scene: Scene) -> Iterator[Fault]:
    """Report units and objects on tiles without room: on obstacles, killing tiles, and face-down tiles."""
    filled: dict[Tile, str] = {}
    for index, obstacle in enumerate(scene.obstacles):
        if obstacle.at in filled:
            yield _no_room(f"obstacles/{index}", obstacle.id, obstacle.at, filled[obstacle.at])
        filled.setdefault(obstacle.at, f"the {obstacle.kind} {obstacle.id}")
    shut = {killing.at: f"a {killing.kind}" for killing in scene.board.killing} | filled
    hidden: dict[Tile, str] = {}
    for name in THINGS[1:]:
        for index, row in enumerate(getattr(scene, name)):
            face_down = name in ("crates", "concealed")
            occupant = shut.get(row.at) or (face_down and hidden.get(row.at))
            if occupant:
                yield _no_room(f"{name}/{index}", f"one of the {name}", row.at, occupant)
            if face_down:
                hidden[row.at] = "a crate or concealed tile"
    shut = {crate.at: "a crate" for crate in scene.crates} | shut
    for index, unit in enumerate(scene.units):
        if unit.at is not None and not unit.dead and (occupant := shut.get(unit.at)):
            yield _no_room(f"units/{index}", unit.id, unit.at, occupant)


def _no_room(row: str, what: str, at: Tile, occupant: str) -> Fault:
    text = f"{what} is on the tile of {occupant}"
    return Fault(f"{SCENE}/{row}/at", "no-room", text, list(at), "another tile, or neither there")


def _standing(scene: Scene) -> Iterator[Fault]:
    """Report units that may not share their tile."""
    sides = {side.id: side for side in scene.sides}
    here: defaultdict[Tile, list[Unit]] = defaultdict(list)
    for index, unit in enumerate(scene.units):
        if unit.at is None or unit.dead:
            continue
        for other in here[unit.at][:1]:
            hostile = unit.side in sides and other.side in sides and foes(sides[unit.side], sides[other.side])
            if hostile or not scene.shared_tiles:
                text = f"{unit.id} and {other.id} share a tile"
                hint = "enemies never share a tile" if hostile else "send `shared_tiles` where units may stand together"
                where = f"{SCENE}/units/{index}/at"
                yield Fault(where, "tile-shared", text, list(unit.at), "a tile of its own", hint)
        here[unit.at].append(unit)


def _cards(scene: Scene, book: Book) -> Iterator[Fault]:
    """Report cards on tiles and in decks that do not exist."""
    for index, trap in enumerate(scene.traps):
        yield from unknown_id("trap", trap.trap, f"{SCENE}/traps/{index}/trap", book.traps)
    for index, lying in enumerate(scene.items):
        yield from unknown_id("item", lying.item, f"{SCENE}/items/{index}/item", book.items)
        if lying.item in book.items:
            yield from left_faults(lying, book, f"{SCENE}/items/{index}")
    among: dict[str, Collection[str]] = {"trap": book.traps, "card": {**book.items, **book.traps}}
    for name, kind in (("trap_deck", "trap"), ("loot_deck", "card")):
        for pile in ("cards", "discard"):
            cards = getattr(getattr(scene, name), pile)
            yield from unknown_ids(kind, cards, f"{SCENE}/{name}/{pile}", among[kind])


def _many(scene: Scene) -> Iterator[Fault]:
    """Report more cards than a game can hold, however it goes on."""
    traps, loot = scene.trap_deck, scene.loot_deck
    for member, what, count in (
        ("trap_deck", "trap cards in the deck and on the board", len(traps.cards + traps.discard + scene.traps)),
        ("loot_deck", "cards of the loot deck and items on the board", len(loot.cards + loot.discard + scene.items)),
        ("rads", "Rad tags and units", len(scene.rads) + len(scene.units)),
    ):
        if count > MOST_CARDS:
            yield Fault(f"{SCENE}/{member}", "too-many", f"there are {count} {what}", count, f"at most {MOST_CARDS}")


def _progress(scene: Scene) -> Iterator[Fault]:
    """Report faults of the round: the order of sides, the side on turn, and the active unit."""
    sides = [side.id for side in scene.sides]
    yield from order_faults(scene.order, sides, f"{SCENE}/order", "side")
    if scene.turn is not None:
        yield from unknown_id("side", scene.turn, f"{SCENE}/turn", sides)

    def wrong(unit: Unit) -> str | None:
        if scene.phase != "turns":
            return f"units act in the turns phase, and the phase is {scene.phase!r}"
        if unit.dead if scene.is_partial else not in_play(unit):
            return f"{unit.id} is not in play"
        return f"{unit.id} is active and has already acted in this round" if unit.acted else None

    asked = "a unit in play, of the side on turn, that has not acted"
    yield from active_faults(scene.active, scene.units, scene.turn, wrong, asked)


def checked_case(
    scene: Scene,
    *named: tuple[str, str, str | None],
    tiles: Iterable[tuple[str, Tile | None]] = (),
    playing: bool = False,
) -> Battlefield:
    """Give the battlefield of a case that names rows of the scene.

    `named` are the member of the case, the kind (`unit`, `side`, `weapon`, `item`, `ability` or `trap`) and the id that
    stands there; `tiles` the members and tiles that must be on the board. What the case leaves out is null. Where they
    are `playing`, units that are named are in play. Raises `Faults` with everything that is impossible about the scene
    and with every name that is none.
    """
    names = [(where, kind, id_) for where, kind, id_ in named if id_ is not None]
    units = [(where, id_) for where, kind, id_ in names if playing and kind == "unit"]
    places = [(where, at) for where, at in tiles if at is not None]
    if places and scene.is_partial:
        raise PlaceNeeded
    off = (fault for where, at in places for fault in _off(scene.board, at, case_pointer(where), "this"))
    return VALIDATOR.case(scene, *names, more=(*VALIDATOR.absent(scene, *units), *off))


VALIDATOR = Validator(
    _faults,
    prepare,
    {
        "unit": lambda scene: [unit.id for unit in scene.units],
        "side": lambda scene: [side.id for side in scene.sides],
        "weapon": lambda scene: Book.of(scene.profiles).weapons,
        "item": lambda scene: Book.of(scene.profiles).items,
        "ability": lambda scene: Book.of(scene.profiles).abilities,
        "trap": lambda scene: Book.of(scene.profiles).traps,
    },
    playing=lambda scene: [unit.id for unit in placed(scene).units if in_play(unit)],
    absence="is not on the board, or is dead",
)
checked = VALIDATOR.scene


def naming(
    *members: str, in_play: bool = True, faults: Callable[[Battlefield, Any], Iterable[Fault]] = lambda *_: ()
) -> Callable[[C], CaseState[Battlefield, C]]:
    """Let cases be prepared whose members name units, `in_play` unless it is said, or a side; that raises `Faults`.

    Then `faults` finds what else is impossible about a case.
    """
    return prepared(VALIDATOR, "unit", {"side": "side"}, members, in_play, faults)
