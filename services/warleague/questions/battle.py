"""A whole game by policies: who wins, what is left of each unit, and the story of it."""

from typing import Annotated

from msgspec import Meta
from msgspec.structs import asdict, replace

from arbiter.nowhere import PlaceNeeded
from arbiter.question import Counted, Decided, Mirrored, Question
from arbiter.skirmish.battle import BattleState, kills, margins
from arbiter.skirmish.fields import Id
from arbiter.skirmish.mirror import not_begun, swap_of, two_sides
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battle import fight
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.ground import GRIDS
from services.warleague.questions import losses
from services.warleague.rules import layers, victory
from services.warleague.scene import Scene, Tile, Unit

MS_OF_A_TURN = 0.9
MS_OF_A_TILE = 0.0005
"""What a unit's turn takes on one core, and what each tile of the board adds to that."""

USUAL_ROUNDS = 4
"""As many rounds as most games last."""


class BattleCase(Value, frozen=True):
    """A game from where the scene stands, until it is over or `rounds` are, of which the one under way is the first.

    It is over when no two enemies are left among the players; where all players are on one side, when they or all of
    their enemies are gone.
    """

    scene: Scene
    rounds: Annotated[int, Meta(ge=1, le=30, description="The rounds after which the game is broken off.")] = 12


class Score(Value, frozen=True):
    """A side at the end: the Rad it has collected, and what its units have lost of all their layers."""

    side: Id
    rad: int
    lost: Annotated[int, Meta(description="Points since the scene; of the fallen, all that they had left.")]
    fallen: Annotated[int, Meta(description="How many of its units have died or been downed since the scene.")]


class Fate(Value, frozen=True):
    """What became of a unit: where it is, and the health and armor it has left."""

    unit: Id
    at: Tile | None
    health: int
    armor: int
    fallen: Annotated[bool, Meta(description="Whether it is dead, or a downed hero.")]


class BattleAnswer(Value, frozen=True):
    """How the game went. The transcript tells it turn by turn."""

    over: Annotated[bool, Meta(description="Whether the game is over, or was broken off.")]
    winners: Annotated[
        tuple[Id, ...], Meta(description="The players still in a game that is over; more than one of a team.")
    ]
    lost: Annotated[tuple[Id, ...], Meta(description="The players whose heroes are down for good.")]
    rounds: Annotated[int, Meta(description="How many rounds were played, the one under way included.")]
    scores: tuple[Score, ...]
    fates: tuple[Fate, ...]
    transcript: tuple[str, ...]
    starter: Annotated[Id | None, Meta(description="The side that has the first turn; null where there is none.")]
    idle_rounds: Annotated[int, Meta(description="The rounds in which nothing changes.")]


def prepare_battle(case: BattleCase) -> BattleState[Battlefield]:
    """Check the scene; raises `Faults`."""
    field = checked(case.scene)
    if field.scene.is_partial and field.units:
        raise PlaceNeeded
    return BattleState(field, case.rounds)


def decide_battle(table: Table, state: BattleState[Battlefield]) -> Decided[BattleAnswer]:
    """Plays a whole game by policies and tells it turn by turn.

    The single questions show the findings of single rules.
    """
    before = state.field
    with table.without_findings():
        field, fought = fight(table, before, state.rounds)
        lost = victory.lost(table, field)
    fallen = [field.player(unit) for unit in losses.fallen(before, field)]
    gone = losses.lost(before, field)
    scores = tuple(Score(side.id, side.rad, gone[side.id], fallen.count(side.id)) for side in field.scene.sides)
    fates = tuple(_fate(field, unit) for unit in field.scene.units)
    return Decided(BattleAnswer(**asdict(fought), lost=lost, scores=scores, fates=fates), field.scene)


def _fate(field: Battlefield, unit: Unit) -> Fate:
    if unit.dead:
        return Fate(unit.id, unit.at, 0, 0, True)
    health, armor = layers.remaining(field, unit.id, "health"), layers.remaining(field, unit.id, "armor")
    return Fate(unit.id, unit.at, health, armor, unit.downed)


def metrics(answer: BattleAnswer) -> dict[str, Counted]:
    """Give what a simulation counts of a game: who wins and starts, its rounds, what sides collect, lose and kill."""
    fallen = (score.side for score in answer.scores for _ in range(score.fallen))
    counted: dict[str, Counted] = {
        "winner": " and ".join(answer.winners) or None,
        "rounds": answer.rounds,
        "starter": answer.starter,
        "idle rounds": answer.idle_rounds,
        **margins({score.side: -score.lost for score in answer.scores}),
        **kills(fallen, (score.side for score in answer.scores)),
    }
    for score in answer.scores:
        counted[f"Rad of {score.side}"] = score.rad
        counted[f"losses of {score.side}"] = score.lost
    for fate in answer.fates:
        counted[f"{fate.unit} has fallen"] = fate.fallen
    return counted


def cost(state: BattleState[Battlefield]) -> float:
    """Estimate how many milliseconds of one core a game takes, from its units, its tiles and its rounds."""
    a_turn = MS_OF_A_TURN + MS_OF_A_TILE * len(state.field.ground.tiles)
    return min(state.rounds, USUAL_ROUNDS) * len(state.field.units) * a_turn


def mirror(case: BattleCase) -> Mirrored[BattleCase]:
    """Let two sides of players change places about the middle of the board, column for column, and their order.

    NPCs, and all that stands and lies about, stay.
    """
    scene = case.scene
    not_begun(scene.active)
    roles = checked(scene).book.units
    npcs = {unit.side for unit in scene.units if roles[unit.profile].role == "npc"}
    sides = two_sides(side.id for side in scene.sides if side.id not in npcs)
    swap = swap_of(sides)
    many = len(GRIDS[scene.board.grid].directions)
    units = tuple(
        replace(
            unit,
            at=unit.at and (scene.board.columns - 1 - unit.at[0], scene.board.rows - 1 - unit.at[1]),
            facing=None if unit.facing is None else (unit.facing + many // 2) % many,
        )
        if unit.side in swap
        else unit
        for unit in scene.units
    )
    changed = replace(
        scene,
        units=units,
        order=tuple(swap.get(side, side) for side in scene.order),
        turn=None if scene.turn is None else swap.get(scene.turn, scene.turn),
    )
    return Mirrored(replace(case, scene=changed), sides)


QUESTIONS = (
    Question(
        "battle",
        BattleCase,
        prepare_battle,
        decide_battle,
        dice=True,
        metrics=metrics,
        ranked_by="rounds",
        cost=cost,
        mirror=mirror,
    ),
)
