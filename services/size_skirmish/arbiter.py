"""The table of contents of Size Skirmish: its questions, and the modules that answer them."""

from arbiter.game import Arbiter
from services.size_skirmish.boards import board_of
from services.size_skirmish.drawing import UNDRAWN, drawing
from services.size_skirmish.policies import POLICIES
from services.size_skirmish.questions import battle, combat, moves, options, phases
from services.size_skirmish.scene import NPC

ARBITER = Arbiter(
    package=__package__,
    name="size-skirmish",
    title="Size Skirmish",
    edition="untitled-1",
    gist="Models of five sizes on an open table: every action may be answered by simple ones before it is carried out.",
    policies=POLICIES,
    players=lambda scene: [*(side.id for side in scene.sides), NPC],
    drawing=drawing,
    undrawn=UNDRAWN,
    boards=board_of,
    questions=(*options.QUESTIONS, *combat.QUESTIONS, *moves.QUESTIONS, *phases.QUESTIONS, *battle.QUESTIONS),
)
