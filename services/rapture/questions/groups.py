"""Before the game: whether a battlegroup is legal, and the steps of setting up."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.fault import Fault, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.cases import CaseState, forbid, refuse
from arbiter.skirmish.faults import unknown_id, unknown_ids
from arbiter.skirmish.fields import Id
from arbiter.skirmish.reasons import every_reason
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.book import Book, number
from services.rapture.placing import Placed, checked_places
from services.rapture.profiles import Profiles
from services.rapture.rules import battlegroup, setup
from services.rapture.rules.setup import Step
from services.rapture.scene import MOST_SIDES, Scene


class BattlegroupCase(Value, frozen=True):
    """The `cards` of a battlegroup; an apprentice follows its leader, or another apprentice of it.

    `profiles` are further cards, as in a scene.
    """

    cards: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=60)]
    profiles: Profiles = Profiles()


class BattlegroupAnswer(Value, frozen=True):
    """Whether the battlegroup is legal, its cost, the points left, and everything that is wrong."""

    legal: bool
    points: int
    left: int
    wrong: tuple[Reason, ...]


def prepare_battlegroup(case: BattlegroupCase) -> CaseState[Book, BattlegroupCase]:
    """Find the cards; raises `Faults`."""
    book = Book.of(case.profiles)
    refuse(unknown_ids("profile", case.cards, pointer("case", "cards"), book.profiles))
    return CaseState(book, case)


def decide_battlegroup(table: Table, state: CaseState[Book, BattlegroupCase]) -> Decided[BattlegroupAnswer]:
    """Is this battlegroup legal, what does it cost, and what is wrong with it?"""
    book, cards = state.field, state.case.cards
    reasons, cost = battlegroup.violations(table, book, cards), battlegroup.costs(book, cards)
    return Decided(BattlegroupAnswer(not reasons, cost, number("battlegroup-points") - cost, reasons))


class MissionPick(Value, frozen=True):
    """The `missions` that a `side` picks, one of which it draws."""

    side: Id
    missions: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=10)]


class SetUpCase(Value, frozen=True):
    """Setting up, from a step on; units of the scene without models are not deployed yet.

    `picked` are the missions that sides pick. `first` is the side that deployed the first unit, `terrain_first` the
    side that placed the first piece of terrain, once known. `place` is the unit deployed now, with its whole band.
    """

    scene: Scene
    step: Step = "assemble"
    picked: Annotated[tuple[MissionPick, ...], Meta(max_length=MOST_SIDES)] = ()
    terrain_first: Id | None = None
    first: Id | None = None
    place: Annotated[tuple[Placed, ...], Meta(max_length=20)] = ()


class MissionDraw(Value, frozen=True):
    """The mission that a side draws."""

    side: Id
    mission: Id


class SetUpAnswer(Value, frozen=True):
    """The steps taken, the missions drawn, and the sides that place terrain first, deploy first and deploy next.

    Members are null, or empty, if a step is done already or has nothing left to do.
    """

    steps: tuple[Step, ...]
    terrain_first: Id | None
    missions: tuple[MissionDraw, ...]
    first: Id | None
    next: Id | None


def prepare_set_up(case: SetUpCase) -> CaseState[Battlefield, SetUpCase]:
    """Check the scene, the places and the missions; raises `Faults`."""
    field = checked_places(case.scene, case.place, "place", whole=True)
    refuse(_set_up_faults(field, case))
    return CaseState(field, case)


def _set_up_faults(field: Battlefield, case: SetUpCase) -> Iterator[Fault]:
    sides = [side.id for side in case.scene.all_sides]
    for member, side in (("terrain_first", case.terrain_first), ("first", case.first)):
        if side is not None:
            yield from unknown_id("side", side, pointer("case", member), sides)
    for index, row in enumerate(case.picked):
        here = pointer("case", "picked", index)
        yield from unknown_id("side", row.side, f"{here}/side", sides)
        yield from unknown_ids("mission", row.missions, f"{here}/missions", field.book.missions)
        if row.side in [other.side for other in case.picked[:index]]:
            yield Fault(f"{here}/side", "repeated-side", f"{row.side} picks twice", row.side, "each side once")


def decide_set_up(table: Table, state: CaseState[Battlefield, SetUpCase]) -> Decided[SetUpAnswer]:
    """Setting up: the size of the battlefield, terrain, missions, and deployment."""
    field, case = state.field, state.case
    steps = setup.steps(table, case.step)
    if reasons := _violations(table, field, case, steps):
        raise Forbidden(*reasons)
    terrain = setup.terrain_first(table, field) if "terrain" in steps else case.terrain_first
    drawn: dict[str, str] = {}
    if "missions" in steps:
        drawn = {row.side: setup.draw_mission(table, field.book, row.side, row.missions) for row in case.picked}
        sides = (replace(side, mission=drawn.get(side.id, side.mission)) for side in field.scene.all_sides)
        field = field.with_(sides=tuple(sides))
    first = case.first or setup.deploys_first(table, field, terrain)
    following = setup.deploys_next(table, field, first)
    if case.place:
        forbid(setup.deployment_violations(table, field, case.place, following))
        field = setup.deploy(table, field, case.place)
        following = setup.deploys_next(table, field, first)
    missions = tuple(MissionDraw(side, mission) for side, mission in drawn.items())
    return Decided(SetUpAnswer(steps, terrain, missions, first, following), field.scene)


@every_reason
def _violations(table: Table, field: Battlefield, case: SetUpCase, steps: tuple[Step, ...]) -> Iterator[Reason]:
    """Give everything that is wrong with the battlegroups of the scene, its battlefield, and the missions picked."""
    if "assemble" in steps:
        for side in field.scene.all_sides:
            if cards := setup.cards(field, side.id):
                yield from battlegroup.violations(table, field.book, cards)
    if "measure" in steps:
        yield from setup.battlefield_violations(table, field)
    if "missions" in steps:
        for row in case.picked:
            yield from setup.mission_violations(table, field.book, row.side, row.missions)


QUESTIONS = (
    Question("battlegroup", BattlegroupCase, prepare_battlegroup, decide_battlegroup),
    Question("set-up", SetUpCase, prepare_set_up, decide_set_up, dice=True),
)
