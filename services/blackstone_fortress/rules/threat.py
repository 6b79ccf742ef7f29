"""The threat level of the drones, and what becomes of it from turn to turn."""

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield


@rule("threat.in_new_turn", cites=("hostile-action/alert", "weapon/drone-pulse"), neutral=unchanged)
def in_new_turn(table: Table, field: Battlefield) -> Battlefield:
    """Decide what becomes of the drones' threat when a new turn begins: the reading `drone-threat-start`."""
    if not field.scene.threat or table.read("drone-threat-start") == "zero":
        return field
    table.find("the drones start the turn with threat 0 again", threat=0)
    table.event("threat", threat=0)
    return field.with_(threat=0)
