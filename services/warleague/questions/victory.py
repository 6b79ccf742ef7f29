"""Victory and defeat: which players have lost, and who is still in the game."""

from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.checks import checked
from services.warleague.rules import victory
from services.warleague.scene import Scene


class VictoryCase(Value, frozen=True):
    """How the game stands."""

    scene: Scene


class VictoryAnswer(Value, frozen=True):
    """The sides that have lost, and those with heroes that have not.

    What else wins or loses a game is a matter of its mode and its level, which are not part of the text.
    """

    lost: tuple[Id, ...]
    playing: tuple[Id, ...]


def prepare_victory(case: VictoryCase) -> Battlefield:
    """Check the scene; raises `Faults`."""
    return checked(case.scene)


def decide_victory(table: Table, field: Battlefield) -> Decided[VictoryAnswer]:
    """Answer the question `victory`: side by side."""
    lost = victory.lost(table, field)
    players = (side.id for side in field.scene.sides if victory.heroes(field, side.id))
    return Decided(VictoryAnswer(lost, tuple(side for side in players if side not in lost)))


QUESTIONS = (
    Question(
        name="victory",
        gist="Which players have lost, and who is still in the game?",
        case=VictoryCase,
        answer=VictoryAnswer,
        prepare=prepare_victory,
        rule=decide_victory,
        dice=False,
    ),
)
