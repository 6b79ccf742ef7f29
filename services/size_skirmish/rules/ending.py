"""The end of the game: who wins.

Follows step 6 of "Gameplay". The conditions are the scenario's, and so is when the game ends; what they have come to is
posted as victory points.
"""

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.size_skirmish.battlefield import Battlefield


@rule("ending.victory", cites="round/victory", neutral=())
def victory(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Decide who wins: the player with the most victory points; ties are draws."""
    most = max(side.victory_points for side in field.scene.sides)
    winners = tuple(side.id for side in field.scene.sides if side.victory_points == most)
    text = "{sides} wins with {points}" if len(winners) == 1 else "{sides} draw with {points} each"
    table.find(text, sides=Listing(winners), points=Quantity(most, "victory point"))
    return winners
