"""Targets: which units can be attacked, and how contact affects ranged attacks."""

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.rules import boxes, reach


@rule("targets.side_violations", cites=("attack/block-dice", "dodge/fewer-dice"), neutral=())
def side_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Decide why a unit is not a target: it is on the attacker's own side."""
    unit, target = field.unit(attacker_id), field.unit(target_id)
    if unit.side != target.side:
        return ()
    names = {"target": field.name(target.id), "unit": field.name(unit.id)}
    return (table.reason("{target} is not an opponent of {unit}", **names),)


@rule("targets.melee_violations", cites=("attack/range", "basics/contact"), neutral=())
def melee_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Decide why a unit cannot be shot at: it is in contact with a friend of the shooter (`shoot-into-contact`).

    A shooter in contact with the target is the matter of `engagement_violations`.
    """
    if reach.moot(table, "shoot-into-contact", "allowed"):
        return ()
    with table.without_findings():
        touched = [field.unit(id_) for id_ in reach.contact(table, field, target_id)]
    side = field.player(attacker_id)
    contacts = [other.id for other in touched if other.side == side and other.id != attacker_id]
    if not contacts or table.read("shoot-into-contact") == "allowed":
        return ()
    target, friends = field.name(target_id), field.names(contacts)
    return (table.reason("{target} is in contact with {friends}", target=target, friends=friends),)


@rule("targets.engagement_violations", cites=("action/ranged", "basics/contact"), neutral=())
def engagement_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> tuple[Reason, ...]:
    """Decide why a unit cannot shoot: it is in contact with an opponent (`shoot-while-in-contact`).

    If that is the target itself, `shoot-into-contact` forbids it too.
    """
    if reach.moot(table, "shoot-into-contact", "allowed") and reach.moot(table, "shoot-while-in-contact", "allowed"):
        return ()
    with table.without_findings():
        contacts = reach.contact(table, field, attacker_id)
    if not contacts:
        return ()
    unit = field.name(attacker_id)
    if target_id in contacts and table.read("shoot-into-contact") == "forbidden":
        return (table.reason("{target} is in contact with {unit}", target=field.name(target_id), unit=unit),)
    if table.read("shoot-while-in-contact") == "allowed":
        return ()
    return (table.reason("{unit} is in contact with {others}", unit=unit, others=field.names(contacts)),)


@rule("targets.out_of_range", cites=("activation/range-short", "attack/range"), neutral=False)
def out_of_range(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> bool:
    """Decide whether a measured target is out of range: then the attack has no effect."""
    reach_ = boxes.values(table, field, attacker_id).range
    if reach_ is None or reach.in_range(table, field, attacker_id, target_id, reach_):
        return False
    reach.range_cm(table, field, attacker_id, target_id)
    table.find(
        "{target} is out of range of {unit}, which can take another action",
        target=field.name(target_id),
        unit=field.name(attacker_id),
    )
    return True
