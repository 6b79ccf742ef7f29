"""Bands: which apprentices move with a leader, whether they are in contact with it, and which opponents hold a band.

Whose points they spend is in `prices.payer`; what becomes of them when their leader is disabled is in
`boxes.disable_apprentices`.
"""

from collections.abc import Iterator

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.rules import reach


@rule("bands.companions", cites="kinds/apprentice-moved", neutral=())
def companions(table: Table, field: Battlefield, leader_id: str) -> tuple[str, ...]:
    """Decide which apprentices move with a leader: all in play that are not escaping.

    By the reading `apprentice-flight` an apprentice that escapes may keep its place beside its leader.
    """

    def stays(apprentice_id: str) -> bool:
        moot = reach.moot(table, "apprentice-flight", "flees")
        beside_it = not moot and beside(table, field, leader_id, apprentice_id)
        return beside_it and table.read("apprentice-flight") == "stays"

    ids = tuple(unit.id for unit in field.apprentices(leader_id) if not unit.escaping or stays(unit.id))
    if ids:
        table.find("{leader} takes {names} along", names=field.names(ids), leader=field.name(leader_id))
    return ids


@violations_rule("bands.contact_violations", cites="kinds/apprentice-contact")
def contact_violations(table: Table, field: Battlefield, leader_id: str) -> Iterator[Reason]:
    """Decide which apprentices are wrongly placed: out of contact with their leader while not escaping."""
    followers = [apprentice.id for apprentice in field.apprentices(leader_id) if not apprentice.escaping]
    apart = [id_ for id_ in followers if not beside(table, field, leader_id, id_)]
    if followers and not apart:
        names = field.names(followers)
        table.find("{leader} stays in contact with {names}", names=names, leader=field.name(leader_id))
    for id_ in apart:
        text = "{unit} is not in contact with its leader {leader}"
        yield table.reason(text, unit=field.name(id_), leader=field.name(leader_id))


@violations_rule("bands.lone_move_violations", cites="kinds/apprentice-moved")
def lone_move_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot move alone: an apprentice only moves with its leader."""
    unit = field.unit(unit_id)
    if field.profile(unit).kind == "apprentice" and unit.leader is not None:
        text = "{unit} can only move together with {leader}"
        yield table.reason(text, unit=field.name(unit_id), leader=field.name(unit.leader))


def contact(table: Table, field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the opponents that hold a unit: those in contact with it or with its apprentices (`band-held`)."""
    own = reach.contact(table, field, unit_id)
    if reach.moot(table, "band-held", "leader"):
        return own
    every = touched(table, field, unit_id)
    return own if every == own or table.read("band-held") == "leader" else every


def touched(table: Table, field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the opponents in contact with a unit or with an apprentice that moves with it."""
    with table.without_findings():
        along = companions(table, field, unit_id)
    every = {enemy for id_ in (unit_id, *along) for enemy in reach.contact(table, field, id_)}
    return tuple(enemy.id for enemy in field.units if enemy.id in every)


def beside(table: Table, field: Battlefield, leader_id: str, apprentice_id: str) -> bool:
    """Decide whether an apprentice is in contact with its leader."""
    if table.facts is not None:
        return reach.touching(table, field, leader_id, apprentice_id)
    return apprentice_id in field.contacts(leader_id)
