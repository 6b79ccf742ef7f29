"""Entries of look-ups: units of the source, rules and readings."""

from typing import Literal

from arbiter.game import Arbiter
from arbiter.value import Value

Kind = Literal["unit", "rule", "reading"]


class Entry(Value, frozen=True):
    """One entry that can be looked up: a unit of the source, a rule, or a reading."""

    id: str
    kind: Kind
    gist: str
    where: str
    cites: tuple[str, ...] = ()
    status: str = ""


def entries(game: Arbiter) -> tuple[Entry, ...]:
    """Give all entries of a game, in the order of the text."""
    units = (Entry(unit.id, "unit", unit.gist, unit.where, (), unit.status) for unit in game.ledger.units.values())
    rules = (Entry(rule.id, "rule", rule.gist, f"{game.package}.rules", rule.cites) for rule in game.rules.values())
    readings = (
        Entry(reading.id, "reading", f"{reading.question} {reading.why}", "readings", reading.cites)
        for reading in game.readings.by_id.values()
    )
    return (*units, *rules, *readings)
