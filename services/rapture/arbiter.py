"""The table of contents of Rapture: its questions, and where they are decided."""

from arbiter.game import Arbiter
from services.rapture.boards import board_of
from services.rapture.drawing import UNDRAWN, drawing
from services.rapture.policies import POLICIES
from services.rapture.questions import actions, attack, battle, boxes, groups, morale, moves, phases, sight

ARBITER = Arbiter(
    package=__package__,
    name="rapture",
    title="Rapture",
    edition="quickstart-2021",
    gist="Battlegroups of 100 points on a table of centimetres: attacks are answered by reactions, all paid in points.",
    policies=POLICIES,
    players=lambda scene: [side.id for side in scene.all_sides],
    drawing=drawing,
    undrawn=UNDRAWN,
    boards=board_of,
    questions=tuple(
        question
        for chapter in (sight, boxes, attack, moves, morale, actions, phases, groups, battle)
        for question in chapter.QUESTIONS
    ),
)
