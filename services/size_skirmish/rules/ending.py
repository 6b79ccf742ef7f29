"""The end of the game: who has met the conditions of victory.

Follows step 6 of "Gameplay". The conditions are the scenario's, and so is when the game ends; what they have come to is
posted as victory points.
"""

from arbiter.rule import rule
from arbiter.table import Table
from services.size_skirmish.battlefield import Battlefield


@rule("ending.victory", cites="round/victory", neutral=())
def victory(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Decide who has won: the player with the most victory points; several of them draw."""
    most = max(side.victory_points for side in field.scene.sides)
    winners = tuple(side.id for side in field.scene.sides if side.victory_points == most)
    text = (
        "{sides} wins with {points} victory points"
        if len(winners) == 1
        else "{sides} draw with {points} victory points each"
    )
    table.find(text, sides=", ".join(winners), points=most)
    return winners
