"""What makes a posted scene impossible: every fault at its place, before any rule is used."""

from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from arbiter.caching import BOARDS_AT_HAND, BOARDS_KEPT, SCENES_AT_HAND, of_the_same
from arbiter.fault import Fault, Faults, pointer
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.faults import figure_faults, piece_faults, size_faults
from arbiter.geometry.plane.near import gap
from services.size_skirmish.battlefield import Battlefield, in_play, prepare
from services.size_skirmish.book import Book
from services.size_skirmish.cardchecks import AT, model_faults, profile_faults, twice, unknown
from services.size_skirmish.ground import TOUCH, Ground, as_piece, solid
from services.size_skirmish.scene import NPC, Board, Model, Scene


def checked(scene: Scene) -> Battlefield:
    """Return the battlefield of a scene; raises `Faults` with everything that is impossible about it."""
    return checked_case(scene)


def checked_case(scene: Scene, *named: tuple[str, str, str]) -> Battlefield:
    """Return the battlefield of a case that names rows of the scene.

    `named` are the member of the case, the kind (`model`, `side` or `item`) and the id that stands there. Raises
    `Faults` with everything that is impossible about the scene and with every name that is none.
    """
    scene_faults, field = looked_through(scene)
    faults = list(scene_faults)
    ids = {
        "model": [model.id for model in scene.models],
        "side": [side.id for side in scene.sides],
        "item": [item.id for item in scene.items],
    }
    for member, kind, id_ in named:
        faults += unknown(kind, id_, pointer("case", *member.split("/")), ids[kind])
    if field is None or faults:
        raise Faults(faults)
    return field


@of_the_same(SCENES_AT_HAND)
def looked_through(scene: Scene) -> tuple[tuple[Fault, ...], Battlefield | None]:
    """Check a scene once: many questions may be asked about the same one."""
    faults = tuple(_faults(scene))
    return faults, None if faults else prepare(scene)


def on_battlefield(scene: Scene, *named: tuple[str, str]) -> Battlefield:
    """Return the battlefield of a case that names models, all of them in play; raises `Faults`.

    `named` are the member of the case and the id of the model that stands there.
    """
    field = checked_case(scene, *((member, "model", id_) for member, id_ in named))
    faults = [
        Fault(
            pointer("case", *member.split("/")),
            "not-in-play",
            f"{id_} is not on the battlefield, or is out",
            id_,
            "a model in play",
        )
        for member, id_ in named
        if not in_play(field.model(id_))
    ]
    if faults:
        raise Faults(faults)
    return field


def _faults(scene: Scene) -> Iterator[Fault]:
    yield from _board(scene.board)
    book = Book.of(scene.profiles)
    yield from profile_faults(scene.profiles, book)
    yield from twice([side.id for side in scene.sides], "sides", "side")
    yield from twice([model.id for model in scene.models], "models", "model")
    for index, side in enumerate(scene.sides):
        if side.id == NPC:
            yield Fault(
                f"{AT}/sides/{index}/id",
                "npc",
                f"{NPC!r} is reserved for NPCs and cannot be a side",
                side.id,
                "another id",
            )
    for index, model in enumerate(scene.models):
        yield from model_faults(model, scene, book, f"{AT}/models/{index}")
    yield from _items(scene)
    yield from _standing(scene, book)
    yield from _melees(scene)
    yield from _progress(scene)


@of_the_same(BOARDS_AT_HAND)
@lru_cache(maxsize=BOARDS_KEPT)
def _board(board: Board) -> tuple[Fault, ...]:
    """Check a board once: the same board comes with one question after the other."""
    width, depth = shapes.thousandths(board.width), shapes.thousandths(board.depth)
    pieces = tuple(as_piece(piece) for piece in board.pieces)
    at = f"{AT}/board"
    return (*size_faults(width, depth, at), *piece_faults(pieces, width, depth, f"{at}/pieces"))


def _items(scene: Scene) -> Iterator[Fault]:
    """Find items that lie off the battlefield, and items that are in two places."""
    seen: set[str] = set()
    lying = [(item.id, f"items/{index}/id") for index, item in enumerate(scene.items)]
    carried = [
        (id_, f"models/{index}/items/{number}")
        for index, model in enumerate(scene.models)
        for number, id_ in enumerate(model.items)
    ]
    for id_, where in (*lying, *carried):
        if id_ in seen:
            yield Fault(f"{AT}/{where}", "repeated-id", f"the item {id_!r} is in two places", id_, "an id of its own")
        seen.add(id_)
    for index, item in enumerate(scene.items):
        if item.at[0] > scene.board.width or item.at[1] > scene.board.depth:
            yield Fault(
                f"{AT}/items/{index}/at",
                "off-the-table",
                f"the item {item.id} lies off the battlefield",
                list(item.at),
                f"inside {scene.board.width:g} by {scene.board.depth:g}",
            )


def _standing(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find models that overlap, are off the battlefield, in impassable terrain, or in the air.

    Overlaps of less than a touch are allowed.
    """
    places, bodies = [], []
    ground = Ground.of(scene.board)
    for index, model in enumerate(scene.models):
        if in_play(model) and model.profile in book.profiles and model.facing != (0, 0):
            body = solid(model, book.sizes[book.profiles[model.profile].size])
            places.append(index)
            bodies.append(replace(body, id=f"{body.id}@{index}", radius=max(1, body.radius - TOUCH // 2)))
            yield from _footing(model, body, ground, f"{AT}/models/{index}")
    for fault in figure_faults(bodies, ground.width, ground.depth, "/"):
        place = fault.pointer.lstrip("/").partition("/")[0]
        where = f"{AT}/models/{places[int(place)]}/at" if place else f"{AT}/models"
        yield Fault(where, fault.code, fault.message, fault.seen, fault.asked, fault.hint)


def _footing(model: Model, body: shapes.Figure, ground: Ground, here: str) -> Iterator[Fault]:
    """Find a model inside a piece, or above the table without anything to climb."""
    for piece in ground.impassable_above(body.elevation):
        if shapes.whereabouts(body.at, piece.outline) == "inside":
            on_top = piece.climbable
            yield Fault(
                f"{here}/height_above" if on_top else f"{here}/at",
                "in-impassable",
                f"{model.id} stands in {piece.id}, which is impassable",
                model.height_above if on_top else model.at,
                f"at least {shapes.units(piece.height):f}" if on_top else "a place outside of it",
            )
    beside = (piece for piece in ground.climbable if gap(body.at, piece.outline) <= body.radius + TOUCH)
    if body.elevation > max((piece.height for piece in beside), default=0):
        yield Fault(
            f"{here}/height_above",
            "height-above",
            f"{model.id} is above the table with nothing under it",
            model.height_above,
            "at most the height of a piece that it stands on or climbs",
        )


def _melees(scene: Scene) -> Iterator[Fault]:
    """Find melees of models that are not in play or on one side, and repeated melees."""
    by_id = {model.id: model for model in scene.models}
    seen: set[frozenset[str]] = set()
    for index, melee in enumerate(scene.melees):
        here = f"{AT}/melees/{index}"
        for member, id_ in (("one", melee.one), ("other", melee.other)):
            yield from unknown("model", id_, f"{here}/{member}", by_id)
            if id_ in by_id and not in_play(by_id[id_]):
                yield Fault(f"{here}/{member}", "not-in-play", f"{id_} is not in play", id_, "a model in play")
        pair = frozenset((melee.one, melee.other))
        if pair in seen:
            yield Fault(here, "repeated-melee", "this melee appears twice", sorted(pair), "each pair once")
        seen.add(pair)
        sides = [by_id[id_].side for id_ in (melee.one, melee.other) if id_ in by_id]
        if len(sides) == 2 and sides[0] == sides[1]:
            yield Fault(
                here,
                "one-side",
                f"{melee.one} and {melee.other} are on the same side",
                [melee.one, melee.other],
                "models of two sides",
            )


def _progress(scene: Scene) -> Iterator[Fault]:
    """Find unknown sides among the turn and the starting sides."""
    sides = [side.id for side in scene.sides]
    for member, id_ in (("starting", scene.starting), ("scenario_starts", scene.scenario_starts), ("turn", scene.turn)):
        if id_ is not None:
            yield from unknown("side", id_, f"{AT}/{member}", sides)
