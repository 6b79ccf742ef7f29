"""The end: whether the game is over, and the victory points of every side."""

from arbiter.facts import FactCase
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import checked
from services.rapture.rules import ending, victory
from services.rapture.scene import Scene


class VictoryCase(FactCase, frozen=True):
    """A scene whose victory points are counted as if the game ended now."""

    scene: Scene


class Standing(Value, frozen=True):
    """The victory points of a side: for eliminated units, the bonus, from missions, and their sum."""

    side: Id
    eliminated: int
    bonus: int
    missions: int
    total: int


class VictoryAnswer(Value, frozen=True):
    """Whether the game is over, the points of each side in the order of the scene, and the leader; null if none."""

    over: bool
    without_units: tuple[Id, ...]
    sides: tuple[Standing, ...]
    winner: Id | None


def prepare_victory(case: VictoryCase) -> Battlefield:
    """Check the scene; raises `Faults`."""
    return checked(case.scene)


def decide_victory(table: Table, field: Battlefield) -> Decided[VictoryAnswer]:
    """Decide whether the game is over, and the winner if it ends now."""
    over = ending.over(table, field)
    without_units = ending.without_units(table, field)
    totals = tuple(victory.total(table, field, side.id) for side in field.scene.all_sides)
    sides = tuple(Standing(each.side, each.eliminated, each.bonus, each.missions, each.total) for each in totals)
    return Decided(VictoryAnswer(over, without_units, sides, victory.best(table, totals)))


VICTORY = Question(
    name="victory",
    gist="Is the game over, and how many victory points has each side?",
    case=VictoryCase,
    answer=VictoryAnswer,
    prepare=prepare_victory,
    rule=decide_victory,
    dice=False,
)

QUESTIONS = (VICTORY,)
