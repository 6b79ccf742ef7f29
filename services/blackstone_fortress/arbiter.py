"""The table of contents of Blackstone Fortress: what can be asked, and where it is decided."""

from arbiter.game import Arbiter
from services.blackstone_fortress.drawing import UNDRAWN, drawing
from services.blackstone_fortress.policies import POLICIES
from services.blackstone_fortress.questions import (
    actions,
    attacks,
    battle,
    hostiles,
    maps,
    maps_threat,
    moves,
    setup,
    sight,
    turn,
)

ARBITER = Arbiter(
    package=__package__,
    name="blackstone-fortress",
    title="Blackstone Fortress",
    edition="combat-booklet-1",
    gist="Combat on hexes: explorers with action dice against hostiles that a behaviour table steers.",
    questions=(
        *setup.QUESTIONS,
        *turn.QUESTIONS,
        *actions.QUESTIONS,
        *moves.QUESTIONS,
        *sight.QUESTIONS,
        *attacks.QUESTIONS,
        *hostiles.QUESTIONS,
        *maps.QUESTIONS,
        *maps_threat.QUESTIONS,
        *battle.QUESTIONS,
    ),
    policies=POLICIES,
    players=lambda scene: ("explorers", "hostiles", "leader"),
    drawing=drawing,
    undrawn=UNDRAWN,
)
