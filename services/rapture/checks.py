"""What makes a scene impossible: every fault with its pointer, before any rule reads it."""

from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from arbiter.caching import BOARDS_AT_HAND, BOARDS_KEPT, SCENES_AT_HAND, of_the_same
from arbiter.fault import Fault, Faults, pointer
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.faults import figure_faults, piece_faults, size_faults
from services.rapture.battlefield import Battlefield, in_play, prepare
from services.rapture.book import Book
from services.rapture.cardchecks import AT, profile_faults, repeated_ids, unit_faults, unknown_id
from services.rapture.ground import TOUCH, as_piece, solids
from services.rapture.scene import Board, Scene, Unit


def checked(scene: Scene) -> Battlefield:
    """Give the battlefield of a scene; raises `Faults` with everything that is impossible about it."""
    return checked_case(scene)


def checked_case(scene: Scene, *named: tuple[str, str, str]) -> Battlefield:
    """Give the battlefield of a case that names rows of the scene.

    `named` are the member of the case, the kind (`unit`, `side` or `objective`) and its id. Raises
    `Faults` with everything that is impossible about the scene and with every name that is none.
    """
    scene_faults, field = _validated(scene)
    faults = list(scene_faults)
    ids = {
        "unit": [unit.id for unit in scene.units],
        "side": [side.id for side in scene.sides],
        "objective": [objective.id for objective in scene.objectives],
    }
    for member, kind, id_ in named:
        faults += unknown_id(kind, id_, pointer("case", *member.split("/")), ids[kind])
    if field is None or faults:
        raise Faults(faults)
    return field


@of_the_same(SCENES_AT_HAND)
def _validated(scene: Scene) -> tuple[tuple[Fault, ...], Battlefield | None]:
    """Validate a scene once: many questions have the same scene."""
    faults = tuple(_faults(scene))
    return faults, None if faults else prepare(scene)


def on_battlefield(scene: Scene, *named: tuple[str, str]) -> Battlefield:
    """Give the battlefield of a case that names units, all of them in play; raises `Faults`.

    `named` are the member of the case and the id of the unit that stands there.
    """
    field = checked_case(scene, *((member, "unit", id_) for member, id_ in named))
    faults = [
        Fault(
            pointer("case", *member.split("/")),
            "not-in-play",
            f"{id_} is not on the battlefield, or is disabled",
            id_,
            "a unit in play",
        )
        for member, id_ in named
        if not in_play(field.unit(id_))
    ]
    if faults:
        raise Faults(faults)
    return field


def _faults(scene: Scene) -> Iterator[Fault]:
    yield from _board_faults(scene.board)
    book = Book.of(scene.profiles)
    yield from profile_faults(scene.profiles, book)
    yield from repeated_ids([side.id for side in scene.sides], "sides", "side")
    yield from repeated_ids([unit.id for unit in scene.units], "units", "unit")
    yield from repeated_ids([objective.id for objective in scene.objectives], "objectives", "objective")
    for index, side in enumerate(scene.sides):
        if side.mission is not None:
            yield from unknown_id("mission", side.mission, f"{AT}/sides/{index}/mission", book.missions)
    for index, objective in enumerate(scene.objectives):
        if objective.at[0] > scene.board.width_cm or objective.at[1] > scene.board.depth_cm:
            yield Fault(
                f"{AT}/objectives/{index}/at",
                "off-the-table",
                f"objective {objective.id} lies off the battlefield",
                list(objective.at),
                f"inside {scene.board.width_cm} by {scene.board.depth_cm} cm",
            )
    for index, unit in enumerate(scene.units):
        yield from unit_faults(unit, scene, book, f"{AT}/units/{index}")
    yield from _position_faults(scene, book)
    yield from _band_faults(scene, book)
    yield from _round_faults(scene)


@of_the_same(BOARDS_AT_HAND)
@lru_cache(maxsize=BOARDS_KEPT)
def _board_faults(board: Board) -> tuple[Fault, ...]:
    """Validate a board once: many questions have the same board."""
    width, depth = shapes.thousandths(board.width_cm), shapes.thousandths(board.depth_cm)
    pieces = tuple(as_piece(piece) for piece in board.pieces)
    at = f"{AT}/board"
    return (*size_faults(width, depth, at), *piece_faults(pieces, width, depth, f"{at}/pieces"))


def _position_faults(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find models that overlap by more than the rounding of places, or are off the battlefield."""
    places, bodies = [], []
    for index, unit in enumerate(scene.units):
        if in_play(unit) and unit.profile in book.profiles:
            for number, body in enumerate(solids(unit, book.profiles[unit.profile])):
                places.append((index, number))
                bodies.append(replace(body, id=f"{body.id}@{index}", radius=max(1, body.radius - TOUCH // 2)))
    width, depth = shapes.thousandths(scene.board.width_cm), shapes.thousandths(scene.board.depth_cm)
    for fault in figure_faults(bodies, width, depth, "/"):
        place = fault.pointer.lstrip("/").partition("/")[0]
        where = f"{AT}/units"
        if place:
            index, number = places[int(place)]
            where = f"{where}/{index}/models/{number}"
        yield Fault(where, fault.code, fault.message, fault.seen, fault.asked, fault.hint)


def _band_faults(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find apprentices without their leader, or too far from it."""
    by_id = {unit.id: unit for unit in scene.units}
    for index, unit in enumerate(scene.units):
        here = f"{AT}/units/{index}"
        card = book.profiles.get(unit.profile)
        if card is None:
            continue
        if card.kind != "apprentice":
            if unit.leader is not None:
                yield Fault(
                    f"{here}/leader",
                    "leader",
                    f"{unit.id} is not an apprentice and cannot have a leader",
                    unit.leader,
                    "no leader",
                )
            continue
        leader = by_id.get(unit.leader or "")
        lead_card = book.profiles.get(leader.profile) if leader else None
        if leader is None or lead_card is None:
            yield Fault(
                f"{here}/leader",
                "leader",
                f"{unit.id} is an apprentice, but there is no leader {unit.leader!r}",
                unit.leader,
                "the id of a leader of the same side",
            )
            continue
        if leader.side != unit.side or lead_card.kind != "leader" or unit.profile not in lead_card.apprentices:
            yield Fault(
                f"{here}/leader",
                "leader",
                f"{unit.leader} cannot lead {unit.id}",
                unit.leader,
                f"a leader of the side {unit.side} whose card names {unit.profile} among its apprentices",
            )
        yield from _leader_faults(unit, leader, here)


def _leader_faults(unit: Unit, leader: Unit, here: str) -> Iterator[Fault]:
    """Find an apprentice in play whose leader is not."""
    if not in_play(unit):
        return
    if not in_play(leader):
        yield Fault(
            f"{here}/models",
            "leader-not-in-play",
            f"{unit.id} is in play, but its leader {leader.id} is not",
            [list(at) for at in unit.models],
            "no models, as long as its leader is not in play",
            "the apprentices of a leader that is disabled are casualties",
        )


def _round_faults(scene: Scene) -> Iterator[Fault]:
    """Find what is wrong with the round: the order of sides, the turn, and the active unit."""
    sides = [side.id for side in scene.sides]
    if scene.order and sorted(scene.order) != sorted(sides):
        yield Fault(
            f"{AT}/order",
            "order",
            "the order does not name each side once",
            list(scene.order),
            f"the sides {', '.join(sides)}, each once",
            "leave it out before it is settled",
        )
    for member, id_ in (("turn", scene.turn), ("first_last_round", scene.first_last_round)):
        if id_ is not None:
            yield from unknown_id("side", id_, f"{AT}/{member}", sides)
    if scene.active is None:
        return
    unit = next((unit for unit in scene.units if unit.id == scene.active), None)
    yield from unknown_id("unit", scene.active, f"{AT}/active", [each.id for each in scene.units])
    if unit is None:
        return
    message = None
    if scene.phase != "activation":
        message = f"units are activated in the activation phase; this is {scene.phase!r}"
    elif not in_play(unit):
        message = f"{unit.id} is not in play"
    elif unit.activated:
        message = f"{unit.id} is being activated, but has already been activated this round"
    elif scene.turn is not None and scene.turn != unit.side:
        message = f"{unit.id} is of the side {unit.side}, but it is the turn of {scene.turn}"
    if message is not None:
        yield Fault(
            f"{AT}/active",
            "active",
            message,
            scene.active,
            "a unit in play of the side whose turn it is, not activated",
        )
