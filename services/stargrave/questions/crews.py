"""Crews: whether one is lawful, and what is wrong with it; its profiles, costs and gear slots."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.skirmish.faults import unknown_id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.book import Book
from services.stargrave.book import table as rows
from services.stargrave.checks import checked_case
from services.stargrave.rules import crews
from services.stargrave.rules.crews import Crew, Hired, Member
from services.stargrave.rules.officers import STATS, Officer
from services.stargrave.scene import Scene


class CrewCase(Value, frozen=True, kw_only=True):
    """A crew as it is built, or as it stands after some games.

    Of the scene only the profiles it brings along count: weapons that may be carried, and other stats for soldiers.
    Leave out `credits` for a new crew.
    """

    scene: Scene = Scene()
    captain: Officer | None = None
    first_mate: Officer | None = None
    soldiers: Annotated[tuple[Hired, ...], Meta(max_length=30)] = ()
    extra_quarters: Annotated[bool, Meta(description="Whether the ship has extra quarters.")] = False
    credits: Annotated[int, Meta(ge=0, le=100_000, description="What there was to spend on the soldiers.")] | None = (
        None
    )


class CrewAnswer(Value, frozen=True):
    """A lawful crew: its members with profiles that a scene can bring along, and its credits."""

    members: tuple[Member, ...]
    specialists: int
    credits_spent: int
    credits_left: int
    upkeep_credits: Annotated[int, Meta(description="What armour costs before every game.")]


@dataclass(frozen=True)
class CrewState:
    """The crew, the tables it is built from, and the kinds of soldier whose profile the scene brings along."""

    crew: Crew
    book: Book
    own: frozenset[str]


def prepare_crew(case: CrewCase) -> CrewState:
    """Find everything the crew names in the tables; raises `Faults`."""
    field = checked_case(case.scene)
    faults = tuple(_faults(case, field.book))
    if faults:
        raise Faults(faults)
    crew = Crew(case.captain, case.first_mate, case.soldiers, case.extra_quarters, case.credits)
    return CrewState(crew, field.book, frozenset(profile.id for profile in case.scene.profiles.figures))


def _faults(case: CrewCase, book: Book) -> Iterator[Fault]:
    items = (*book.weapons, *book.armour, *book.gear)
    backgrounds = [row["id"] for row in rows("backgrounds")]
    places: list[tuple[str, str]] = []
    for member, officer in (("captain", case.captain), ("first_mate", case.first_mate)):
        if officer is None:
            continue
        at = pointer("case", member)
        places.append((officer.id, at))
        yield from unknown_id("background", officer.background, f"{at}/background", backgrounds)
        yield from _powers(officer, at, book)
        for index, advance in enumerate(officer.advances):
            yield from unknown_id("advance", advance, f"{at}/advances/{index}", (*STATS, *book.powers))
        for index, id_ in enumerate(officer.gear):
            yield from unknown_id("item", id_, f"{at}/gear/{index}", items)
    for index, hired in enumerate(case.soldiers):
        at = pointer("case", "soldiers", index)
        places.append((hired.id, at))
        yield from unknown_id("soldier", hired.kind, f"{at}/kind", crews.kinds())
        for place, id_ in enumerate(hired.gear):
            yield from unknown_id("item", id_, f"{at}/gear/{place}", items)
    yield from _twice(places)


def _powers(officer: Officer, at: str, book: Book) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, power in enumerate(officer.powers):
        where = f"{at}/powers/{index}/id"
        yield from unknown_id("power", power.id, where, book.powers)
        if power.id in seen:
            yield Fault(
                where, "repeated-id", f"{officer.id} has the power {power.id!r} already", power.id, "each power once"
            )
        seen.add(power.id)


def _twice(places: list[tuple[str, str]]) -> Iterator[Fault]:
    seen: set[str] = set()
    for id_, at in places:
        if id_ in seen:
            yield Fault(f"{at}/id", "repeated-id", f"two members are called {id_!r}", id_, "an id of its own")
        seen.add(id_)


def crew(table: Table, state: CrewState) -> Decided[CrewAnswer]:
    """Decide whether a crew is lawful, and work out its profiles and costs."""
    built = crews.build(table, state.book, state.own, state.crew)
    return Decided(CrewAnswer(built.members, built.specialists, built.cost, built.left, built.upkeep))


CREW = Question(
    name="crew",
    gist="Is this crew lawful, what is wrong with it, and which profiles and costs has it?",
    case=CrewCase,
    answer=CrewAnswer,
    prepare=prepare_crew,
    rule=crew,
    dice=False,
)

QUESTIONS = (CREW,)
