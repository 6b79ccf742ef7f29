"""After the game: survival, experience and levels, and the whole sequence of steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.faults import unknown_id
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.book import table as rows
from services.stargrave.checks import checked_case
from services.stargrave.rules import after_game
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
from services.stargrave.scene import Figure, Scene


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


@dataclass(frozen=True)
class SurvivalState:
    """The battlefield and the figure."""

    field: Battlefield
    figure: str


def prepare_survival(case: SurvivalCase) -> SurvivalState:
    """Find the figure; raises `Faults`."""
    return SurvivalState(checked_case(case.scene, ("figure", "figure", case.figure)), case.figure)


def survival(table: Table, state: SurvivalState) -> Decided[SurvivalAnswer]:
    """Roll for what becomes of a figure that was reduced to no Health."""
    if reasons := after_game.not_hurt(table, state.field, state.figure):
        raise Forbidden(*reasons)
    fate = after_game.survival(table, state.field, state.figure)
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
        raise Faults(
            [
                Fault(
                    pointer("case", "levels"),
                    "levels",
                    "`gain` needs the levels of the officers",
                    None,
                    "the levels of captain and first mate",
                    "leave out `gain` to count the points only",
                )
            ]
        )
    return case


def experience(table: Table, case: ExperienceCase) -> Decided[ExperienceAnswer]:
    """Count the points of a game, and spend them on levels."""
    entries = after_game.entries(table, case.deeds, case.own_losses)
    points = after_game.experience(table, case.deeds, entries)
    levels, gain = case.levels, case.gain
    if levels is None:
        return Decided(ExperienceAnswer(entries, points, points))
    purse = points + levels.points_before
    if reasons := after_game.gain_violations(table, purse, levels.captain, levels.first_mate, gain):
        raise Forbidden(*reasons)
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


@dataclass(frozen=True)
class AfterGameState:
    """The battlefield, the crew's figures in play or not, and the case."""

    field: Battlefield
    crew: str
    figures: tuple[Figure, ...]
    case: AfterGameCase


def prepare_after_game(case: AfterGameCase) -> AfterGameState:
    """Find the crew and the tokens that were rolled for; raises `Faults`."""
    field = checked_case(case.scene)
    crews = tuple(dict.fromkeys(figure.crew for figure in case.scene.figures if figure.crew is not None))
    figures = tuple(figure for figure in case.scene.figures if figure.crew == case.crew)
    brought = {figure.carries: figure for figure in figures if figure.carries is not None}
    faults = (*unknown_id("crew", case.crew, pointer("case", "crew"), crews), *_loot_faults(field, case, brought))
    if faults:
        raise Faults(faults)
    return AfterGameState(field, case.crew, figures, case)


def _loot_faults(field: Battlefield, case: AfterGameCase, brought: dict[str, Figure]) -> Iterator[Fault]:
    seen: set[str] = set()
    for index, one in enumerate(case.rolled):
        at = pointer("case", "rolled", index)
        if one.token not in brought:
            yield from unknown_id("token", one.token, f"{at}/token", list(brought))
            continue
        if one.token in seen:
            yield Fault(
                f"{at}/token",
                "repeated-id",
                f"{one.token} has more than one roll",
                one.token,
                "one roll for each token",
            )
        seen.add(one.token)
        fitting = [row for row in rows("loot") if row["kind"] == field.token(one.token).kind]
        yield from unknown_id("category", one.category, f"{at}/category", [row["id"] for row in fitting])
        values: list[int] = next((row["values_credits"] for row in fitting if row["id"] == one.category), [])
        if one.credits is not None and values and one.credits not in values:
            yield Fault(
                f"{at}/credits",
                "credits",
                f"{one.category} is never worth {one.credits} credits",
                one.credits,
                "one of " + ", ".join(map(str, values)),
            )


def after(table: Table, state: AfterGameState) -> Decided[AfterGameAnswer]:
    """Go through the steps after a game with one crew."""
    field, case = state.field, state.case
    steps = after_game.steps(table, state.crew)
    fates = tuple(
        table.call(after_game.survival, field, figure.id) for figure in state.figures if field.health(figure) == 0
    )
    powers = after_game.usable(table, field, state.figures)
    entries = after_game.entries(table, case.deeds, after_game.own_losses(table, fates))
    points = after_game.experience(table, case.deeds, entries)
    possible: tuple[Gain, ...] = ()
    if case.levels is not None:
        possible = after_game.possible_gains(table, points + case.levels.points_before, case.levels)
    tokens = after_game.loot(table, field, state.figures, case.rolled)
    return Decided(
        AfterGameAnswer(steps, fates, powers, entries, points, possible, tokens, after_game.spending(table, tokens))
    )


SURVIVAL = Question(
    name="survival",
    gist="What becomes of a figure that was reduced to no Health, once the game is over?",
    case=SurvivalCase,
    answer=SurvivalAnswer,
    prepare=prepare_survival,
    rule=survival,
    dice=True,
)

EXPERIENCE = Question(
    name="experience",
    gist="How much experience does a game bring, and which levels does it buy?",
    case=ExperienceCase,
    answer=ExperienceAnswer,
    prepare=prepare_experience,
    rule=experience,
    dice=False,
)

AFTER_GAME = Question(
    name="after-game",
    gist="What does a crew do after a game, step by step?",
    case=AfterGameCase,
    answer=AfterGameAnswer,
    prepare=prepare_after_game,
    rule=after,
    dice=True,
)

QUESTIONS = (SURVIVAL, EXPERIENCE, AFTER_GAME)
