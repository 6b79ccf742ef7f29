"""Before the game: whether a battlegroup is legal, and the steps of setting up."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.faults import unknown_id, unknown_ids
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.book import Book, number
from services.rapture.placing import Placed, checked_places
from services.rapture.profiles import Profiles
from services.rapture.rules import battlegroup, setup
from services.rapture.rules.setup import Step
from services.rapture.scene import MOST_SIDES, Scene

# Battlegroups


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


@dataclass(frozen=True)
class BattlegroupState:
    """The book, and cards that are in it."""

    book: Book
    cards: tuple[str, ...]


def prepare_battlegroup(case: BattlegroupCase) -> BattlegroupState:
    """Find the cards; raises `Faults`."""
    book = Book.of(case.profiles)
    if faults := tuple(unknown_ids("profile", case.cards, pointer("case", "cards"), book.profiles)):
        raise Faults(faults)
    return BattlegroupState(book, case.cards)


def decide_battlegroup(table: Table, state: BattlegroupState) -> Decided[BattlegroupAnswer]:
    """Decide whether a battlegroup is legal, and everything that is wrong with it."""
    book, cards = state.book, state.cards
    reasons = (
        *battlegroup.points_violations(table, book, cards),
        *battlegroup.count_violations(table, book, cards),
        *battlegroup.band_violations(table, book, cards),
    )
    cost = battlegroup.costs(book, cards)
    return Decided(BattlegroupAnswer(not reasons, cost, number("battlegroup-points") - cost, reasons))


BATTLEGROUP = Question(
    name="battlegroup",
    gist="Is this battlegroup legal, what does it cost, and what is wrong with it?",
    case=BattlegroupCase,
    answer=BattlegroupAnswer,
    prepare=prepare_battlegroup,
    rule=decide_battlegroup,
    dice=False,
)


# Setting up


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


@dataclass(frozen=True)
class SetUpState:
    """The battlefield and the case."""

    field: Battlefield
    case: SetUpCase


def prepare_set_up(case: SetUpCase) -> SetUpState:
    """Check the scene, the places and the missions; raises `Faults`."""
    field = checked_places(case.scene, case.place, "place", whole=True)
    sides = [side.id for side in case.scene.all_sides]
    faults: list[Fault] = []
    for member, side in (("terrain_first", case.terrain_first), ("first", case.first)):
        if side is not None:
            faults += unknown_id("side", side, pointer("case", member), sides)
    for index, row in enumerate(case.picked):
        here = pointer("case", "picked", index)
        faults += unknown_id("side", row.side, f"{here}/side", sides)
        faults += unknown_ids("mission", row.missions, f"{here}/missions", field.book.missions)
        if row.side in [other.side for other in case.picked[:index]]:
            faults.append(Fault(f"{here}/side", "repeated-side", f"{row.side} picks twice", row.side, "each side once"))
    if faults:
        raise Faults(faults)
    return SetUpState(field, case)


def decide_set_up(table: Table, state: SetUpState) -> Decided[SetUpAnswer]:
    """Decide the result of each step of the setup, and which side deploys the next unit."""
    field, case = state.field, state.case
    steps = setup.steps(table, case.step)
    reasons: list[Reason] = []
    if "assemble" in steps:
        reasons += _battlegroup_violations(table, field)
    if "measure" in steps:
        reasons += setup.battlefield_violations(table, field)
    if "missions" in steps:
        reasons += [
            reason
            for row in case.picked
            for reason in setup.mission_violations(table, field.book, row.side, row.missions)
        ]
    if reasons:
        raise Forbidden(*reasons)
    terrain = setup.terrain_first(table, field) if "terrain" in steps else case.terrain_first
    missions: tuple[MissionDraw, ...] = ()
    if "missions" in steps:
        missions = tuple(
            MissionDraw(row.side, setup.draw_mission(table, field.book, row.side, row.missions)) for row in case.picked
        )
        field = setup.with_missions(field, {row.side: row.mission for row in missions})
    first = case.first or setup.deploys_first(table, field, terrain)
    following = setup.deploys_next(table, field, first)
    if case.place:
        if deployment_reasons := setup.deployment_violations(table, field, case.place, following):
            raise Forbidden(*deployment_reasons)
        field = setup.deploy(table, field, case.place)
        following = setup.deploys_next(table, field, first)
    return Decided(SetUpAnswer(steps, terrain, missions, first, following), field.scene)


def _battlegroup_violations(table: Table, field: Battlefield) -> list[Reason]:
    """Give everything that is wrong with the battlegroups of the scene, side by side."""
    reasons: list[Reason] = []
    for side in field.scene.all_sides:
        cards = setup.cards(field, side.id)
        if cards:
            reasons += battlegroup.points_violations(table, field.book, cards)
            reasons += battlegroup.count_violations(table, field.book, cards)
            reasons += battlegroup.band_violations(table, field.book, cards)
    return reasons


SET_UP = Question(
    name="set-up",
    gist="Setting up: the size of the battlefield, terrain, missions, and deployment.",
    case=SetUpCase,
    answer=SetUpAnswer,
    prepare=prepare_set_up,
    rule=decide_set_up,
    dice=True,
)

QUESTIONS = (BATTLEGROUP, SET_UP)
