"""Charge: the movements that lead towards a target and end in a strike or a shot.

Follows the rows "Attack" and "Run and Shoot" of the movement table. Where they may lead stands in `paths`.
"""

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.size_skirmish.actions import Deed, Did, Run
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import melee, movement, paths, shooting, targets

Done = tuple[Battlefield, Did]


def reasons(table: Table, field: Battlefield, deed: Deed, run: Run) -> tuple[Reason, ...]:
    """Give all that the book has against a movement towards a target now."""
    refused = targets.attackable(table, field, deed.model, deed.target or "")
    return refused or movement.reasons(table, field, deed, run)


def done(table: Table, field: Battlefield, deed: Deed, run: Run) -> Done:
    """Carry out a movement towards a target, with the strike that ends it, or with the shot after it or before it."""
    follows = paths.then(table, field, deed)
    if follows == "shoot" and paths.shot_when(table, field, deed) == "before":
        field, did = shoots(table, field, deed, run)
        field, way = table.call(movement.moved, field, deed, run)
    else:
        before = field
        field, way = table.call(movement.moved, field, deed, run)
        did = Did(deed)
        if follows == "strike":
            field, did = strikes(table, field, deed, run, before)
        elif follows == "shoot":
            field, did = shoots(table, field, deed, run)
    return field, Did(deed, (), run.distance, did.blows, way, did.losers, did.reasons)


@rule(
    "charge.strikes",
    cites="move/attack-like-march-and-strike",
    neutral=lambda field, deed, run, before: (field, Did(deed)),
)
def strikes(table: Table, field: Battlefield, deed: Deed, run: Run, before: Battlefield) -> Done:
    """Decide the strike that ends an attack as a movement, if somebody can be struck from there.

    `before` is how the battlefield was when the charge began. Who strikes back does so in any case.
    """
    own = Deed(deed.model, "strike", target=deed.target, closing=deed.closing)
    if against := melee.reasons(table, field, own, run):
        _in_vain(table, "no strike follows: {why}", "move/attack-like-march-and-strike", against)
        field, blows = melee.answered(table, field, deed.model, run.blows_back)
        return field, Did(own, against, blows=blows, losers=melee.result(table, field, blows) if blows else ())
    table.find("the charge of {name} ends in a strike", name=field.name(deed.model))
    return melee.struck(table, field, own, run, before)


@rule(
    "charge.shoots",
    cites="move/run-and-shoot-like-walking",
    neutral=lambda field, deed, run: (field, Did(deed)),
)
def shoots(table: Table, field: Battlefield, deed: Deed, run: Run) -> Done:
    """Decide the shot of run and shoot, if it is possible from where the model then stands."""
    own = Deed(deed.model, "shoot", target=deed.target)
    if against := shooting.reasons(table, field, own, run):
        _in_vain(table, "no shot is made: {why}", "move/run-and-shoot-like-walking", against)
        return field, Did(own, against)
    table.find("{name} shoots on the run", name=field.name(deed.model))
    return shooting.done(table, field, own, run)


def _in_vain(table: Table, text: str, row: str, against: tuple[Reason, ...]) -> None:
    """Say that nothing follows a movement, and all that the book has against it."""
    units = dict.fromkeys((row, *(unit for reason in against for unit in reason.cites)))
    table.find(text, cites=tuple(units), why="; ".join(reason.text for reason in against))
