"""The table of contents of WarLeague: its questions, and where each is decided."""

from arbiter.game import Arbiter
from services.warleague.drawing import UNDRAWN, drawing
from services.warleague.policies import POLICIES
from services.warleague.questions import (
    abilities,
    actions,
    attack,
    battle,
    damage,
    explosions,
    moves,
    reload,
    sight,
    turns,
)

ARBITER = Arbiter(
    package=__package__,
    name="warleague",
    title="WarLeague",
    edition="attack-page",
    gist="Heroes, drones and critters on tiles: one die for the intensity of an attack, layers of defence, explosions.",
    policies=POLICIES,
    players=lambda scene: [*(side.id for side in scene.sides), "table", "players"],
    drawing=drawing,
    undrawn=UNDRAWN,
    questions=(
        *attack.QUESTIONS,
        *damage.QUESTIONS,
        *reload.QUESTIONS,
        *sight.QUESTIONS,
        *explosions.QUESTIONS,
        *abilities.QUESTIONS,
        *moves.QUESTIONS,
        *actions.QUESTIONS,
        *turns.QUESTIONS,
        *battle.QUESTIONS,
    ),
)
