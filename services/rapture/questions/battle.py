"""A whole game by policies: the winner, the victory points, what is left of each unit, and a transcript."""

from itertools import combinations
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.question import Counted, Decided, Mirrored, Question
from arbiter.skirmish.battle import BattleState, margins
from arbiter.skirmish.fields import Id
from arbiter.skirmish.mirror import not_begun, swap_of, turn_about, two_sides
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battle import play
from services.rapture.battlefield import Battlefield
from services.rapture.book import number
from services.rapture.checks import checked
from services.rapture.rules import boxes
from services.rapture.scene import Edge, Scene

MS_OF_A_PAIR = 0.041
MS_OF_A_PIECE = 0.005
"""The time for two opposing models in a round on one core, mostly lines of sight, and what each piece adds."""


class BattleCase(Value, frozen=True):
    """A game from the state of the scene until it is over or `rounds` are played; the current round is the first."""

    scene: Scene
    rounds: Annotated[int, Meta(ge=1, le=6, description="The rounds after which the game stops.")] = 6


class Score(Value, frozen=True):
    """The victory points of a side if the game ended now, and the opponents it has made casualties since the scene."""

    side: Id
    points: int
    kills: int


class Fate(Value, frozen=True):
    """The state of a unit at the end: its HP and MP left, and how it was disabled, if it was."""

    unit: Id
    hp: int
    mp: int
    disabled: str | None


class BattleAnswer(Value, frozen=True):
    """The result of the game. The transcript has one line for each phase and activation."""

    over: Annotated[bool, Meta(description="Whether the game is over; false if it was stopped.")]
    winner: Annotated[Id | None, Meta(description="Null in a draw, and in a game that is not over.")]
    rounds: Annotated[int, Meta(description="The number of rounds played, the current one included.")]
    points: tuple[Score, ...]
    fates: tuple[Fate, ...]
    transcript: tuple[str, ...]
    starter: Annotated[Id | None, Meta(description="The side that activates first; null where no unit is activated.")]
    idle_rounds: Annotated[int, Meta(description="The rounds in which nothing changes.")]


def decide_battle(table: Table, state: BattleState[Battlefield]) -> Decided[BattleAnswer]:
    """What is the result of a whole game played by policies?"""
    with table.without_findings():
        field, fought = play(table, state.field, state.rounds)
    fates = tuple(
        Fate(unit.id, boxes.left(field, unit.id, "hp"), boxes.left(field, unit.id, "mp"), unit.disabled)
        for unit in field.scene.units
    )
    killed_by = [
        after.disabled_by
        for before, after in zip(state.field.scene.units, field.scene.units, strict=True)
        if before.disabled is None and after.disabled == "casualty"
    ]
    points = tuple(Score(side, total, killed_by.count(side)) for side, total in fought.points)
    answer = BattleAnswer(
        fought.over, fought.winner, fought.rounds, points, fates, fought.transcript, fought.starter, fought.idle_rounds
    )
    return Decided(answer, field.scene)


def metrics(answer: BattleAnswer) -> dict[str, Counted]:
    """Give what a simulation counts of a game: winner, rounds, starter, points and kills of each side, units lost."""
    counted: dict[str, Counted] = {
        "winner": answer.winner,
        "rounds": answer.rounds,
        "starter": answer.starter,
        "idle rounds": answer.idle_rounds,
        **margins({score.side: score.points for score in answer.points}),
    }
    for score in answer.points:
        counted[f"victory points of {score.side}"] = score.points
        counted[f"kills of {score.side}"] = score.kills
    for fate in answer.fates:
        counted[f"HP of {fate.unit}"] = fate.hp
        counted[f"{fate.unit} is lost"] = fate.disabled is not None
    return counted


def cost(state: BattleState[Battlefield]) -> float:
    """Estimate how many milliseconds of one core a game takes, from its models, its terrain and its rounds."""
    models = {side.id: 0 for side in state.field.scene.all_sides}
    for unit in state.field.units:
        models[unit.side] += len(unit.models)
    pairs = sum(one * other for one, other in combinations(models.values(), 2))
    rounds = min(state.rounds, number("rounds") + 1 - state.field.scene.round)
    return rounds * pairs * (MS_OF_A_PAIR + MS_OF_A_PIECE * len(state.field.scene.board.pieces))


OPPOSITE: dict[Edge, Edge] = {"north": "south", "south": "north", "east": "west", "west": "east"}


def mirror(case: BattleCase) -> Mirrored[BattleCase]:
    """Let two sides change places about the middle of the battlefield, their edges and their order; objectives stay."""
    scene = case.scene
    not_begun(scene.active)
    sides = two_sides(side.id for side in scene.sides)
    swap = swap_of(sides)
    width, depth = scene.board.width_cm, scene.board.depth_cm
    changed = replace(
        scene,
        sides=tuple(replace(side, edge=side.edge and OPPOSITE[side.edge]) for side in scene.sides),
        units=tuple(
            replace(unit, models=tuple(turn_about(at, width, depth) for at in unit.models)) for unit in scene.units
        ),
        order=tuple(swap[side] for side in scene.order),
        turn=None if scene.turn is None else swap[scene.turn],
        first_last_round=None if scene.first_last_round is None else swap[scene.first_last_round],
    )
    return Mirrored(replace(case, scene=changed), sides)


QUESTIONS = (
    Question(
        "battle",
        BattleCase,
        lambda case: BattleState(checked(case.scene), case.rounds),
        decide_battle,
        dice=True,
        metrics=metrics,
        ranked_by="rounds",
        cost=cost,
        mirror=mirror,
    ),
)
