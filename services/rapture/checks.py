"""What makes a scene impossible: every fault with its pointer, before any rule reads it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from arbiter.caching import by_board
from arbiter.fault import Fault
from arbiter.geometry.plane.shapes import thousandths
from arbiter.skirmish.cases import CaseState, refuse
from arbiter.skirmish.faults import SCENE, active_faults, order_faults, repeated_ids, unknown_id
from arbiter.skirmish.plane import off_table, standing_faults, table_faults
from arbiter.skirmish.validation import Validator
from services.rapture.battlefield import Battlefield, in_play, placed, prepare
from services.rapture.book import Book
from services.rapture.cardchecks import profile_faults, unit_faults
from services.rapture.ground import as_piece, solids
from services.rapture.scene import Board, Scene, Unit


class Case(Protocol):
    """A case with a scene."""

    @property
    def scene(self) -> Scene: ...


C = TypeVar("C", bound=Case)
Prepare = Callable[[C], CaseState[Battlefield, C]]
"""Turns a case into valid state, or raises `Faults`."""


def _faults(scene: Scene) -> Iterator[Fault]:
    scene = placed(scene)
    yield from _board_faults(scene.board)
    book = Book.of(scene.profiles)
    yield from profile_faults(scene.profiles, book)
    yield from repeated_ids(scene.sides, f"{SCENE}/sides", "side")
    yield from _side_faults(scene)
    yield from repeated_ids(scene.units, f"{SCENE}/units", "unit")
    yield from repeated_ids(scene.objectives, f"{SCENE}/objectives", "objective")
    for index, side in enumerate(scene.sides):
        if side.mission is not None:
            yield from unknown_id("mission", side.mission, f"{SCENE}/sides/{index}/mission", book.missions)
    for index, objective in enumerate(scene.objectives):
        where = f"{SCENE}/objectives/{index}/at"
        if objective.at is not None:
            what, size = f"objective {objective.id}", (scene.board.width_cm, scene.board.depth_cm)
            yield from off_table(what, objective.at, size, where, "cm")
        elif not scene.is_partial:
            yield Fault(where, "no-place", f"the objective {objective.id} has no place", None, "a place on the board")
    for index, unit in enumerate(scene.units):
        yield from unit_faults(unit, scene, book, f"{SCENE}/units/{index}")
    if not scene.is_partial:
        yield from _position_faults(scene, book)
    yield from _band_faults(scene, book)
    yield from _round_faults(scene)


def _side_faults(scene: Scene) -> Iterator[Fault]:
    """Find a scene without sides, and sides without an edge on a board."""
    if not scene.all_sides:
        yield Fault(f"{SCENE}/sides", "no-sides", "the scene has no side", [], "at least one side")
    for index, side in enumerate(scene.all_sides):
        if side.edge is None and not scene.is_partial:
            asked = "north, east, south or west"
            yield Fault(f"{SCENE}/sides/{index}/edge", "no-edge", f"{side.id} has no edge of its own", None, asked)


@by_board
def _board_faults(board: Board) -> tuple[Fault, ...]:
    """Validate a board once: many questions have the same board."""
    return table_faults(board.width_cm, board.depth_cm, map(as_piece, board.pieces), ("width_cm", "depth_cm"))


def _position_faults(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find models that overlap by more than the rounding of places, or are off the battlefield."""
    placed = [
        (f"{SCENE}/units/{index}/models/{number}", body)
        for index, unit in enumerate(scene.units)
        if in_play(unit) and unit.profile in book.profiles
        for number, body in enumerate(solids(unit, book.profiles[unit.profile], thousandths(scene.board.tolerance_cm)))
    ]
    size = scene.board.width_cm, scene.board.depth_cm
    places, bodies = [where for where, _ in placed], [body for _, body in placed]
    yield from standing_faults(bodies, places, size, f"{SCENE}/units")


def _band_faults(scene: Scene, book: Book) -> Iterator[Fault]:
    """Find apprentices without their leader, or too far from it."""
    by_id = {unit.id: unit for unit in scene.units}
    for index, unit in enumerate(scene.units):
        here = f"{SCENE}/units/{index}"
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
            len(unit.models),
            "no models, as long as its leader is not in play",
            "the apprentices of a leader that is disabled are casualties",
        )


def _round_faults(scene: Scene) -> Iterator[Fault]:
    """Find what is wrong with the round: the order of sides, the turn, and the active unit."""
    sides = [side.id for side in scene.all_sides]
    yield from order_faults(scene.order, sides, f"{SCENE}/order", "side")
    for member, id_ in (("turn", scene.turn), ("first_last_round", scene.first_last_round)):
        if id_ is not None:
            yield from unknown_id("side", id_, f"{SCENE}/{member}", sides)

    def wrong(unit: Unit) -> str | None:
        if scene.phase != "activation":
            return f"units are activated in the activation phase; this is {scene.phase!r}"
        if not in_play(unit):
            return f"{unit.id} is not in play"
        return f"{unit.id} has already been activated this round" if unit.activated else None

    asked = "a unit in play of the side whose turn it is, not activated"
    yield from active_faults(scene.active, scene.units, scene.turn, wrong, asked)


VALIDATOR = Validator(
    _faults,
    prepare,
    {
        "unit": lambda scene: [unit.id for unit in scene.units],
        "side": lambda scene: [side.id for side in scene.all_sides],
        "objective": lambda scene: [objective.id for objective in scene.objectives],
    },
    playing=lambda scene: [unit.id for unit in placed(scene).units if in_play(unit)],
    absence="is not on the battlefield, or is disabled",
)
checked, checked_case, on_battlefield = VALIDATOR.scene, VALIDATOR.case, VALIDATOR.in_play


def prepared(*units: str, wrong: Callable[[Battlefield, C], Iterable[Fault]] | None = None) -> Prepare[C]:
    """Give what prepares a case of which these members name units in play.

    What it gives raises `Faults`: those of the scene and of these members, or else all that are `wrong` besides.
    """

    def prepare_case(case: C) -> CaseState[Battlefield, C]:
        field = on_battlefield(case.scene, *((member, getattr(case, member)) for member in units))
        refuse(wrong(field, case) if wrong is not None else ())
        return CaseState(field, case)

    return prepare_case
