"""Between the games: crews and what is wrong with them, survival, experience, and all that a crew does after a game."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import case_fault, forbid
from arbiter.skirmish.faults import case_pointer, unknown_id, unknown_ids
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.book import Book
from services.stargrave.book import table as rows
from services.stargrave.questions.cases import State, prepared
from services.stargrave.rules import after_game, crews
from services.stargrave.rules.after_game import (
    BroughtToken,
    CrewRecord,
    Entry,
    Gain,
    Levels,
    Reward,
    Rolled,
    Survival,
    Usable,
)
from services.stargrave.rules.crews import Crew, Hired, Member
from services.stargrave.rules.officers import STATS, Officer
from services.stargrave.scene import Figure, Scene

# Crews


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


def _crew_faults(field: Battlefield, case: CrewCase) -> Iterator[Fault]:
    book = field.book
    items = (*book.weapons, *book.armour, *book.gear)
    backgrounds = [row["id"] for row in rows("backgrounds")]
    officers = [(case_pointer(member), getattr(case, member)) for member in ("captain", "first_mate")]
    members = [(at, officer) for at, officer in officers if officer is not None]
    for at, officer in members:
        yield from unknown_id("background", officer.background, f"{at}/background", backgrounds)
        yield from _powers(officer, at, book)
        yield from unknown_ids("advance", officer.advances, f"{at}/advances", (*STATS, *book.powers))
        yield from unknown_ids("item", officer.gear, f"{at}/gear", items)
    for index, hired in enumerate(case.soldiers):
        at = case_pointer("soldiers", index)
        members.append((at, hired))
        yield from unknown_id("soldier", hired.kind, f"{at}/kind", crews.kinds())
        yield from unknown_ids("item", hired.gear, f"{at}/gear", items)
    seen: set[str] = set()
    for at, member in members:
        if member.id in seen:
            text = f"two members are called {member.id!r}"
            yield Fault(f"{at}/id", "repeated-id", text, member.id, "an id of its own")
        seen.add(member.id)


def _powers(officer: Officer, at: str, book: Book) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, power in enumerate(officer.powers):
        where = f"{at}/powers/{index}/id"
        yield from unknown_id("power", power.id, where, book.powers)
        if power.id in seen:
            text = f"{officer.id} has the power {power.id!r} already"
            yield Fault(where, "repeated-id", text, power.id, "each power once")
        seen.add(power.id)


def crew(table: Table, state: State[CrewCase]) -> Decided[CrewAnswer]:
    """Is this crew lawful, what is wrong with it, and which profiles and costs has it?"""
    case = state.case
    members = Crew(case.captain, case.first_mate, case.soldiers, case.extra_quarters, case.credits)
    own = frozenset(profile.id for profile in case.scene.profiles.figures)
    built = crews.build(table, state.field.book, own, members)
    return Decided(CrewAnswer(built.members, built.specialists, built.cost, built.left, built.upkeep))


# After a game


class SurvivalCase(Value, frozen=True):
    """A `figure` that was reduced to no Health in a game that is over."""

    scene: Scene
    figure: Id


class SurvivalAnswer(Value, frozen=True):
    """What becomes of the figure. `next_health` is none for who is dead or misses the next game."""

    result: str
    dead: bool
    misses_next_game: bool
    next_health: int | None


def survival(table: Table, state: State[SurvivalCase]) -> Decided[SurvivalAnswer]:
    """What becomes of a figure that was reduced to no Health, once the game is over?"""
    forbid(after_game.not_hurt(table, state.field, state.case.figure))
    fate = after_game.survival(table, state.field, state.case.figure)
    return Decided(SurvivalAnswer(fate.result, fate.dead, fate.misses_next_game, fate.next_health))


class ExperienceCase(Value, frozen=True, kw_only=True):
    """What a crew did in a game, the levels of its officers, and the levels that they are to gain by it."""

    deeds: CrewRecord = CrewRecord()
    own_losses: Annotated[int, Meta(ge=0, le=60, description="Members of the crew that it has lost.")] = 0
    levels: Levels | None = None
    gain: Gain = Gain()


class ExperienceAnswer(Value, frozen=True):
    """The points a game brings, and the officers' levels after it. Without `levels` in the case nobody gains any.

    `possible` are all gains of levels that the points and the levels allow.
    """

    entries: tuple[Entry, ...]
    points: int
    points_left: int
    captain_level: int | None = None
    first_mate_level: int | None = None
    rewards: tuple[Reward, ...] = ()
    possible: tuple[Gain, ...] = ()


def prepare_experience(case: ExperienceCase) -> ExperienceCase:
    """Refuse a gain of levels by officers whose levels are not said; raises `Faults`."""
    if case.levels is None and case.gain != Gain():
        text, expected = "`gain` needs the levels of the officers", "the levels of captain and first mate"
        hint = "leave out `gain` to count the points only"
        raise Faults([case_fault("levels", "levels", text, None, expected, hint)])
    return case


def experience(table: Table, case: ExperienceCase) -> Decided[ExperienceAnswer]:
    """How much experience does a game bring, and which levels does it buy?"""
    entries = after_game.entries(table, case.deeds, case.own_losses)
    points = after_game.experience(table, case.deeds, entries)
    levels, gain = case.levels, case.gain
    if levels is None:
        return Decided(ExperienceAnswer(entries, points, points))
    purse = points + levels.points_before
    forbid(after_game.gain_violations(table, purse, levels.captain, levels.first_mate, gain))
    return Decided(
        ExperienceAnswer(
            entries,
            points,
            purse - after_game.POINTS_A_LEVEL * (gain.captain + gain.first_mate),
            levels.captain + gain.captain,
            levels.first_mate + gain.first_mate,
            (
                *after_game.rewards(table, "captain", levels.captain, gain.captain),
                *after_game.rewards(table, "first-mate", levels.first_mate, gain.first_mate),
            ),
            after_game.possible_gains(table, purse, levels),
        )
    )


class AfterGameCase(Value, frozen=True):
    """The table as a game has left it, and the `crew` that goes through the steps after it.

    `rolled` says what the players have rolled for tokens on the tables of their book.
    """

    scene: Scene
    crew: Id
    deeds: CrewRecord = CrewRecord()
    levels: Levels | None = None
    rolled: Annotated[tuple[Rolled, ...], Meta(max_length=30)] = ()


class AfterGameAnswer(Value, frozen=True):
    """The steps in their order, and what each one brings the crew.

    The rolls of powers are those of any power; levels are spent by the question `experience`.
    """

    steps: tuple[str, ...]
    survival: tuple[Survival, ...]
    powers: tuple[Usable, ...]
    entries: tuple[Entry, ...]
    points: int
    possible: tuple[Gain, ...]
    loot: tuple[BroughtToken, ...]
    credits: int


def _members(case: AfterGameCase) -> tuple[Figure, ...]:
    """Give the crew's figures, in play or not."""
    return tuple(figure for figure in case.scene.figures if figure.crew == case.crew)


def _after_game_faults(field: Battlefield, case: AfterGameCase) -> Iterator[Fault]:
    crews_there = tuple(dict.fromkeys(figure.crew for figure in case.scene.figures if figure.crew is not None))
    yield from unknown_id("crew", case.crew, case_pointer("crew"), crews_there)
    brought = [figure.carries for figure in _members(case) if figure.carries is not None]
    seen: set[str] = set()
    for index, one in enumerate(case.rolled):
        at = f"rolled/{index}"
        if one.token not in brought:
            yield from unknown_id("token", one.token, case_pointer(at, "token"), brought)
            continue
        if one.token in seen:
            text = f"{one.token} has more than one roll"
            yield case_fault(f"{at}/token", "repeated-id", text, one.token, "one roll for each token")
        seen.add(one.token)
        fitting = [row for row in rows("loot") if row["kind"] == field.token(one.token).kind]
        yield from unknown_id("category", one.category, case_pointer(at, "category"), [row["id"] for row in fitting])
        values: list[int] = next((row["values_credits"] for row in fitting if row["id"] == one.category), [])
        if one.credits is not None and values and one.credits not in values:
            text, expected = f"{one.category} is never worth {one.credits} credits", ", ".join(map(str, values))
            yield case_fault(f"{at}/credits", "credits", text, one.credits, f"one of {expected}")


def after(table: Table, state: State[AfterGameCase]) -> Decided[AfterGameAnswer]:
    """What does a crew do after a game, step by step?"""
    field, case, figures = state.field, state.case, _members(state.case)
    steps = after_game.steps(table, case.crew)
    fates = tuple(table.call(after_game.survival, field, figure.id) for figure in figures if field.health(figure) == 0)
    powers = after_game.usable(table, field, figures)
    entries = after_game.entries(table, case.deeds, after_game.own_losses(table, fates))
    points = after_game.experience(table, case.deeds, entries)
    possible: tuple[Gain, ...] = ()
    if case.levels is not None:
        possible = after_game.possible_gains(table, points + case.levels.points_before, case.levels)
    tokens = after_game.loot(table, field, figures, case.rolled)
    return Decided(
        AfterGameAnswer(steps, fates, powers, entries, points, possible, tokens, after_game.spending(table, tokens))
    )


QUESTIONS = (
    Question("crew", CrewCase, prepared(faults=_crew_faults), crew),
    Question("survival", SurvivalCase, prepared("figure", in_play=False), survival, dice=True),
    Question("experience", ExperienceCase, prepare_experience, experience),
    Question("after-game", AfterGameCase, prepared(faults=_after_game_faults), after, dice=True),
)
