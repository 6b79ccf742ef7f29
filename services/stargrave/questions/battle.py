"""A whole game by policies: who is left, and the story of it."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.question import Counted, Decided, Mirrored, Question
from arbiter.skirmish.battle import BattleState, kills, margins
from arbiter.skirmish.fields import Id
from arbiter.skirmish.mirror import swap_of, turn_about, two_sides
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave import costs
from services.stargrave.battle import fight, standing
from services.stargrave.battlefield import Battlefield, in_play
from services.stargrave.checks import checked
from services.stargrave.scene import Scene


class BattleCase(Value, frozen=True):
    """A game from the scene as it stands, with a new turn to begin, until one crew is left or `turns` are over."""

    scene: Scene
    turns: Annotated[int, Meta(ge=1, le=30, description="The turns after which the game is broken off.")] = 8


class Fate(Value, frozen=True):
    """What became of a figure: the Health it has left; 0 is out of the game."""

    figure: Id
    health: int


class Crew(Value, frozen=True):
    """A crew at the end: its figures in play, and how many are out of the game since the scene."""

    id: Id
    standing: int
    lost: int


class BattleAnswer(Value, frozen=True):
    """How the game went: the crew that is alone on the table, if one is. The transcript tells it line by line."""

    winner: Id | None
    turns: int
    fates: tuple[Fate, ...]
    transcript: tuple[str, ...]
    starter: Annotated[Id | None, Meta(description="The crew that activates first; null where no turn is played.")]
    idle_turns: Annotated[int, Meta(description="The turns in which nothing changes.")]
    crews: tuple[Crew, ...]


def battle(table: Table, state: BattleState[Battlefield]) -> Decided[BattleAnswer]:
    """Plays a whole game by policies and tells it turn by turn."""
    with table.without_findings():
        field, turns, story = fight(table, state.field, state.rounds)
    left = standing(field)
    winner = left[0] if len(left) == 1 else None
    fates = tuple(Fate(figure.id, field.health(figure)) for figure in field.scene.figures)
    crews = _crews(state.field, field)
    answer = BattleAnswer(winner, turns, fates, tuple(story), story.starter, story.idle_rounds, crews)
    return Decided(answer, field.scene)


def _crews(before: Battlefield, after: Battlefield) -> tuple[Crew, ...]:
    """Give the crews in the order of the scene; a figure under another's control counts for its crew of before."""
    ids = dict.fromkeys(figure.crew for figure in before.scene.figures if figure.crew is not None)
    members = {id_: [figure.id for figure in before.scene.figures if figure.crew == id_] for id_ in ids}
    return tuple(
        Crew(
            id_,
            sum(in_play(after.figure(one)) for one in ones),
            sum(before.health(before.figure(one)) > 0 and after.health(after.figure(one)) == 0 for one in ones),
        )
        for id_, ones in members.items()
    )


def metrics(answer: BattleAnswer) -> dict[str, Counted]:
    """Give what a simulation counts of a game: who is left, its turns, each crew's losses, and each figure's Health."""
    counted: dict[str, Counted] = {
        "winner": answer.winner,
        "turns": answer.turns,
        "starter": answer.starter,
        "idle turns": answer.idle_turns,
        **margins({crew.id: crew.standing for crew in answer.crews}),
        **kills((crew.id for crew in answer.crews for _ in range(crew.lost)), (crew.id for crew in answer.crews)),
    }
    for fate in answer.fates:
        counted[f"Health of {fate.figure}"] = fate.health
        counted[f"{fate.figure} is lost"] = fate.health == 0
    return counted


def mirror(case: BattleCase) -> Mirrored[BattleCase]:
    """Let two crews change places about the middle of the table, and their order; creatures and loot stay."""
    scene = case.scene
    crews = two_sides(figure.crew for figure in scene.figures if figure.crew is not None)
    swap = swap_of(crews)
    figures = tuple(
        figure
        if figure.at is None or figure.crew is None
        else replace(figure, at=turn_about(figure.at, scene.board.width_in, scene.board.depth_in))
        for figure in scene.figures
    )
    turn = replace(scene.turn, order=tuple(swap.get(crew, crew) for crew in scene.turn.order))
    return Mirrored(replace(case, scene=replace(scene, figures=figures, turn=turn)), crews)


QUESTIONS = (
    Question(
        "battle",
        BattleCase,
        lambda case: BattleState(checked(case.scene), case.turns),
        battle,
        dice=True,
        metrics=metrics,
        ranked_by="turns",
        cost=lambda state: costs.of_battle(state.field, state.rounds),
        mirror=mirror,
    ),
)
