"""Charge: the movements that lead towards a target and end in a strike or a shot.

Follows the rows "Attack" and "Run and Shoot" of the movement table.
"""

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.deeds import Deed, Did, Run
from services.size_skirmish.rules import melee, movement, paths, shooting, targets

Done = tuple[Battlefield, Did]


def reasons(table: Table, field: Battlefield, deed: Deed, run: Run) -> tuple[Reason, ...]:
    """Give all that the book has against a movement towards a target now."""
    refused = targets.attackable(table, field, deed.model, deed.target or "")
    return refused or movement.reasons(table, field, deed, run)


def done(table: Table, field: Battlefield, deed: Deed, run: Run) -> Done:
    """Carry out a movement towards a target, with the strike or the shot that it ends in."""
    follows = paths.then(table, field, deed)
    if follows == "shoot" and paths.shot_when(table, field, deed) == "before":
        field, shot = follow_up(table, field, deed, "shoot", run)
        field, way = movement.moved(table, field, deed, run)
        return field, Did(deed, distance=run.distance, way=way, blows=shot.blows, losers=shot.losers)
    field, way = movement.moved(table, field, deed, run)
    if follows is None:
        return field, Did(deed, distance=run.distance, way=way)
    field, did = follow_up(table, field, deed, follows, run)
    return field, Did(deed, distance=run.distance, way=way, blows=did.blows, losers=did.losers)


@rule(
    "charge.follow_up",
    cites=("move/attack-like-march-and-strike", "move/run-and-shoot-like-walking"),
    without=lambda field, deed, action, run: (field, Did(deed)),
)
def follow_up(table: Table, field: Battlefield, deed: Deed, action: str, run: Run) -> Done:
    """Decide the strike or the shot that ends a movement towards a target, if it is possible from there."""
    own = Deed(deed.model, action, target=deed.target, closing=deed.closing)
    strikes = action == "strike"
    cites = "move/attack-like-march-and-strike" if strikes else "move/run-and-shoot-like-walking"
    against = (melee if strikes else shooting).reasons(table, field, own, run)
    if against:
        why = "; ".join(reason.text for reason in against)
        table.find("no {action} follows: {why}", cites=cites, action=action, why=why)
        return field, Did(own)
    table.find("a {action} follows", cites=cites, action=action)
    return melee.done(table, field, own, run) if strikes else shooting.done(table, field, own, run)
