"""Targets: which units can be attacked, and how contact affects ranged attacks."""

from collections.abc import Iterator

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.rules import boxes, reach


@every_reason
def violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Give every reason why a unit cannot shoot at another, except range and sight."""
    yield from side_violations(table, field, attacker_id, target_id)
    yield from engagement_violations(table, field, attacker_id, target_id)
    yield from melee_violations(table, field, attacker_id, target_id)


@violations_rule("targets.side_violations", cites=("attack/block-dice", "dodge/fewer-dice"))
def side_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Decide why a unit is not a target: it is on the attacker's own side."""
    if not field.are_enemies(field.unit(attacker_id), field.unit(target_id)):
        names = {"target": field.name(target_id), "unit": field.name(attacker_id)}
        yield table.reason("{target} is not an opponent of {unit}", **names)


@violations_rule("targets.melee_violations", cites=("attack/range", "basics/contact"))
def melee_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot be shot at: it is in contact with a friend of the shooter (`shoot-into-contact`).

    A shooter in contact with the target is the matter of `engagement_violations`.
    """
    if reach.moot(table, "shoot-into-contact", "allowed"):
        return
    touched, side = reach.contact(table, field, target_id), field.player(attacker_id)
    friends = [id_ for id_ in touched if field.player(id_) == side and id_ != attacker_id]
    if friends and table.read("shoot-into-contact") != "allowed":
        target, names = field.name(target_id), field.names(friends)
        yield table.reason("{target} is in contact with {friends}", target=target, friends=names)


@violations_rule("targets.engagement_violations", cites=("action/ranged", "basics/contact"))
def engagement_violations(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot shoot: it is in contact with an opponent (`shoot-while-in-contact`).

    If that is the target itself, `shoot-into-contact` forbids it too.
    """
    if reach.moot(table, "shoot-into-contact", "allowed") and reach.moot(table, "shoot-while-in-contact", "allowed"):
        return
    contacts = reach.contact(table, field, attacker_id)
    if target_id in contacts and table.read("shoot-into-contact") == "forbidden":
        names = {"target": field.name(target_id), "unit": field.name(attacker_id)}
        yield table.reason("{target} is in contact with {unit}", **names)
    elif contacts and table.read("shoot-while-in-contact") != "allowed":
        unit, others = field.name(attacker_id), field.names(contacts)
        yield table.reason("{unit} is in contact with {others}", unit=unit, others=others)


@rule("targets.out_of_range", cites=("activation/range-short", "attack/range"), neutral=False)
def out_of_range(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> bool:
    """Decide whether a measured target is out of range: then the attack has no effect."""
    reach_ = boxes.values(table, field, attacker_id).range
    if reach_ is None or reach.in_range(table, field, attacker_id, target_id, reach_):
        return False
    reach.range_cm(table, field, attacker_id, target_id)
    text = "{target} is out of range of {unit}, which can take another action"
    table.find(text, target=field.name(target_id), unit=field.name(attacker_id))
    return True
