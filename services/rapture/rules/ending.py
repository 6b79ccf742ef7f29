"""The end of the game: after six rounds, or when a player has no operational unit left."""

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.book import number


@rule("ending.operational", cites="end/nobody-operational", neutral=True)
def operational(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Decide whether a unit is operational: it is on the battlefield; with an Escape Marker that is `operational`."""
    unit = field.unit(unit_id)
    if not in_play(unit):
        return False
    return not unit.escaping or table.read("operational") == "present"


@rule("ending.without_units", cites="end/nobody-operational", neutral=())
def without_units(table: Table, field: Battlefield) -> tuple[str, ...]:
    """Decide which sides have no operational unit left on the battlefield."""
    sides = tuple(
        side.id
        for side in field.scene.all_sides
        if not any(operational(table, field, unit.id) for unit in field.scene.units if unit.side == side.id)
    )
    if sides:
        table.find("No operational unit of {sides} is left on the battlefield", sides=Listing(sides))
    return sides


def over(table: Table, field: Battlefield) -> bool:
    """Decide whether the game is over now.

    Whether it ends at once without operational units, or with the round, is the reading `end-checked`.
    """
    if field.scene.phase == "over":
        return True
    return bool(without_units(table, field)) and ends_at_once(table)


@rule("ending.ends_at_once", cites="end/nobody-operational", neutral=False)
def ends_at_once(table: Table) -> bool:
    """Decide whether the game ends as soon as a side has no operational unit (`end-checked`)."""
    return table.read("end-checked") == "at-once"


@rule("ending.after_round", cites="end/six-rounds", neutral=False)
def after_round(table: Table, field: Battlefield) -> bool:
    """Decide whether the game ends after the cleanup phase of a round: after the sixth it does."""
    last = number("rounds")
    if field.scene.round < last:
        return False
    table.find("Round {round} is the last", round=last)
    return True
