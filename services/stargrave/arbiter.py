"""The table of contents of Stargrave: what can be asked, and where it is decided."""

from arbiter.game import Arbiter
from services.stargrave.battlefield import CREATURES, crews_of
from services.stargrave.boards import board_of
from services.stargrave.drawing import UNDRAWN, drawing
from services.stargrave.policies import POLICIES
from services.stargrave.questions import actions, battle, campaign, combat, moves, shooting, sight, turn

ARBITER = Arbiter(
    package=__package__,
    name="stargrave",
    title="Stargrave",
    edition="quick-reference-1",
    gist="Crews of ten on an open table of inches: fights and shots on opposed d20, creatures that act by themselves.",
    questions=(
        *turn.QUESTIONS,
        *moves.QUESTIONS,
        *sight.QUESTIONS,
        *shooting.QUESTIONS,
        combat.ATTACK,
        *actions.QUESTIONS,
        combat.BEHAVIOUR,
        *campaign.QUESTIONS,
        *battle.QUESTIONS,
    ),
    policies=POLICIES,
    players=lambda scene: {CREATURES, *scene.turn.order, *crews_of(scene.figures)},
    drawing=drawing,
    undrawn=UNDRAWN,
    boards=board_of,
)
