"""A whole game by policies: who wins, what is left of each model, and the transcript."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.question import Counted, Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battle import Game, fight
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.checks import checked, on_board
from services.size_skirmish.scene import Scene

MS_OF_A_PAIR = 1.3
MS_OF_A_PIECE = 0.1
"""What two models take on one core in a round, most of it lines of sight and ways, and what each piece adds to that."""


class BattleCase(Value, frozen=True):
    """A game from where the scene stands, until `rounds` are over or no two sides have models in play.

    The text leaves the end of the game and the conditions of victory to the scenario: the rounds, of which the one
    under way is the first, and the victory points that all other sides gain when a model of a side goes out.
    """

    scene: Scene
    rounds: Annotated[int, Meta(ge=1, le=12, description="The rounds after which the game is over.")] = 6
    points_for_out: Annotated[int, Meta(ge=0, le=10, description="Victory points for a model that goes out.")] = 1


class Score(Value, frozen=True):
    """The victory points of a side at the end."""

    side: Id
    points: int


class Fate(Value, frozen=True):
    """What became of a model: the hit points it has left, whether it flees, and how it went out, if it did."""

    model: Id
    hit_points: int
    fleeing: bool
    out: str | None


class BattleAnswer(Value, frozen=True):
    """How the game went: the sides with the most victory points, and a transcript line by line."""

    winners: tuple[Id, ...]
    rounds: Annotated[int, Meta(description="How many rounds were begun, the one under way included.")]
    points: tuple[Score, ...]
    fates: tuple[Fate, ...]
    transcript: tuple[str, ...]


@dataclass(frozen=True)
class BattleState:
    """The battlefield, and what the scenario says of the game."""

    field: Battlefield
    game: Game


def prepare(case: BattleCase) -> BattleState:
    """Check the scene; raises `Faults`."""
    return BattleState(checked(on_board(case.scene)), Game(case.rounds, case.points_for_out))


def battle(table: Table, state: BattleState) -> Decided[BattleAnswer]:
    """Answer the question `battle`: play the game; single questions show the steps of single rules."""
    with table.without_findings():
        field, outcome = fight(table, state.field, state.game)
    fates = tuple(
        Fate(model.id, field.hit_points(model), model.fleeing is not None, model.out) for model in field.scene.models
    )
    points = tuple(Score(side.id, side.victory_points) for side in field.scene.sides)
    return Decided(BattleAnswer(outcome.winners, outcome.rounds, points, fates, outcome.transcript), field.scene)


def metrics(answer: BattleAnswer) -> dict[str, Counted]:
    """Return what a simulation counts: the sole winner, the rounds, the points of each side, and the losses."""
    winner = answer.winners[0] if len(answer.winners) == 1 else None
    counted: dict[str, Counted] = {"winner": winner, "rounds": answer.rounds}
    for score in answer.points:
        counted[f"victory points of {score.side}"] = score.points
    for fate in answer.fates:
        counted[f"hit points of {fate.model}"] = fate.hit_points
        counted[f"{fate.model} is out"] = fate.out is not None
    return counted


def cost(state: BattleState) -> float:
    """Estimate how many milliseconds of one core a game takes, from its models, its terrain and its rounds."""
    models = sum(1 for model in state.field.units if in_play(model))
    pieces = len(state.field.scene.board.pieces)
    return state.game.rounds * models * models * (MS_OF_A_PAIR + MS_OF_A_PIECE * pieces)


QUESTIONS = (
    Question(
        name="battle",
        gist="Plays a whole game by policies and reports it round by round.",
        case=BattleCase,
        answer=BattleAnswer,
        prepare=prepare,
        rule=battle,
        dice=True,
        metrics=metrics,
        told_by="rounds",
        cost=cost,
    ),
)
