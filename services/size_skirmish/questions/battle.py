"""A whole game by policies: who wins, what is left of each model, and the transcript."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from arbiter.question import Counted, Decided, Mirrored, Question
from arbiter.skirmish.battle import kills, margins
from arbiter.skirmish.cases import CaseState
from arbiter.skirmish.fields import Id
from arbiter.skirmish.mirror import swap_of, turn_about, two_sides
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battle import Game, fight
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import checked, on_board
from services.size_skirmish.scene import Direction, Model, Scene

MS_OF_A_PAIR = 0.025
MS_OF_A_PIECE = 0.0019
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
    """The victory points of a side at the end, and how many of its models were eliminated since the scene."""

    side: Id
    points: int
    eliminated: int


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
    starter: Annotated[Id | None, Meta(description="The side that acts first; null where no model acts.")]
    idle_rounds: Annotated[int, Meta(description="The rounds in which nothing changes.")]


def prepare(case: BattleCase) -> CaseState[Battlefield, BattleCase]:
    """Check the scene; raises `Faults`."""
    return CaseState(checked(on_board(case.scene)), case)


def battle(table: Table, state: CaseState[Battlefield, BattleCase]) -> Decided[BattleAnswer]:
    """Plays a whole game by policies and reports it round by round."""
    with table.without_findings():
        field, outcome = fight(table, state.field, Game(state.case.rounds, state.case.points_for_out))
    models = field.scene.models
    fates = tuple(Fate(model.id, field.hit_points(model), model.fleeing is not None, model.out) for model in models)
    both = zip(state.field.scene.models, models, strict=True)
    eliminated = [now.side for was, now in both if was.out is None and now.out == "eliminated"]
    points = tuple(Score(side.id, side.victory_points, eliminated.count(side.id)) for side in field.scene.sides)
    answer = BattleAnswer(
        outcome.winners, outcome.rounds, points, fates, outcome.transcript, outcome.starter, outcome.idle_rounds
    )
    return Decided(answer, field.scene)


def metrics(answer: BattleAnswer) -> dict[str, Counted]:
    """Return what a simulation counts: the sole winner, rounds, starter, points and kills of each side, the losses."""
    winner = answer.winners[0] if len(answer.winners) == 1 else None
    eliminated = (score.side for score in answer.points for _ in range(score.eliminated))
    counted: dict[str, Counted] = {
        "winner": winner,
        "rounds": answer.rounds,
        "starter": answer.starter,
        "idle rounds": answer.idle_rounds,
        **margins({score.side: score.points for score in answer.points}),
        **kills(eliminated, (score.side for score in answer.points)),
    }
    for score in answer.points:
        counted[f"victory points of {score.side}"] = score.points
    for fate in answer.fates:
        counted[f"hit points of {fate.model}"] = fate.hit_points
        counted[f"{fate.model} is out"] = fate.out is not None
    return counted


def cost(state: CaseState[Battlefield, BattleCase]) -> float:
    """Estimate how many milliseconds of one core a game takes, from its models, its terrain and its rounds."""
    models, pieces = len(state.field.units), len(state.field.scene.board.pieces)
    return state.case.rounds * models * models * (MS_OF_A_PAIR + MS_OF_A_PIECE * pieces)


def mirror(case: BattleCase) -> Mirrored[BattleCase]:
    """Let two sides change places about the middle of the battlefield, and who starts; NPCs and items stay."""
    scene = case.scene
    sides = two_sides(side.id for side in scene.sides)
    swap = swap_of(sides)

    def side(id_: str | None) -> str | None:
        return None if id_ is None else swap[id_]

    changed = replace(
        scene,
        models=tuple(model if model.npc is not None else _turned(model, scene) for model in scene.models),
        starting=side(scene.starting),
        scenario_starts=side(scene.scenario_starts),
        turn=side(scene.turn),
    )
    return Mirrored(replace(case, scene=changed), sides)


def _turned(model: Model, scene: Scene) -> Model:
    """Return a model on the other side of the middle, turned about, and fleeing the other way if it flees."""
    at = None if model.at is None else turn_about(model.at, scene.board.width, scene.board.depth)
    fleeing = model.fleeing and replace(model.fleeing, direction=_back(model.fleeing.direction))
    return replace(model, at=at, facing=_back(model.facing), fleeing=fleeing)


def _back(direction: Direction) -> Direction:
    return -direction[0], -direction[1]


QUESTIONS = (
    Question(
        "battle", BattleCase, prepare, battle, dice=True, metrics=metrics, ranked_by="rounds", cost=cost, mirror=mirror
    ),
)
