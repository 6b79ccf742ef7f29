"""Rescue: which units an ally rescues by moving into contact, and what they regain."""

from collections.abc import Sequence

from msgspec.structs import replace

from arbiter.facts import Units, fact
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.book import number
from services.rapture.contacts import Meeting, meetings
from services.rapture.placing import Placed, put
from services.rapture.rules import boxes
from services.rapture.rules.reach import moot


def adjacent_friends(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the friends in contact with a unit."""
    touching = field.contacts(unit_id)
    return tuple(friend.id for friend in field.friends(field.unit(unit_id)) if friend.id in touching)


def rescue_allies(table: Table, field: Battlefield, mover_id: str, met: tuple[Meeting, ...]) -> Battlefield:
    """Give the battlefield after a moved unit, or its band, rescues allies with which it has come into contact."""
    for friend in rescued_allies(table, field, mover_id, met):
        field = remove_marker(table, restore_morale(table, field, friend), friend)
    return field


def after_placing(table: Table, before: Battlefield, placed: Sequence[Placed], text: str) -> Battlefield:
    """Give the battlefield after players have placed units, which rescue the allies with which they are now.

    `text` says of each unit what it does.
    """
    for row in placed:
        table.find(text, unit=before.name(row.unit))
        table.event("placed", unit=row.unit, models=row.models)
    after = put(before, tuple(placed))
    for row in placed:
        after = rescue_allies(table, after, row.unit, meetings(before, after, (row.unit,)))
    return after


@rule("rescue.rescued_allies", cites=("rescue/allies", "rescue/contact"), neutral=())
def rescued_allies(table: Table, field: Battlefield, mover_id: str, met: tuple[Meeting, ...]) -> tuple[str, ...]:
    """Decide which units a movement rescues: escaping friends with which it has brought a unit into contact.

    An escaping unit rescues nobody. Whether the contact of an apprentice counts is `rescue-band`, that in passing
    `rescue-passing`, and how many a movement rescues `rescue-many`.
    """
    by: dict[str, str] = {}
    for meeting in met:
        unsaved = field.unit(meeting.unit).escaping and meeting.unit not in by
        if not unsaved or field.unit(meeting.by).escaping:
            continue
        if meeting.by != mover_id and table.read("rescue-band") == "leader":
            continue
        if not meeting.passing or table.read("rescue-passing") == "any":
            by[meeting.unit] = meeting.by
    allies, label = tuple(by), f"{mover_id}: rescue"
    if len(allies) > 1 and table.read("rescue-many") == "one":
        allies = (str(table.choose(field.player(mover_id), label, allies, about=field, means=field.option)),)
    for id_ in allies:
        text = "{mover} comes into contact with {unit} and rescues it"
        table.find(text, mover=field.name(by[id_]), unit=field.name(id_))
    return allies


@rule("rescue.rescuers", cites="rescue/contact", neutral=())
def rescuers(table: Table, field: Battlefield, unit_id: str, before: tuple[str, ...]) -> tuple[str, ...]:
    """Decide which friends rescue a unit that flees into contact with them: none, unless `rescue-by` says so.

    Only the end of the flight counts, and only units that are not escaping.
    """
    if not field.unit(unit_id).escaping or not field.unit(unit_id).models or moot(table, "rescue-by", "ally-moves"):
        return ()
    allies = met_in_flight(table, field, unit_id, before)
    if not allies or table.read("rescue-by") == "ally-moves":
        return ()
    table.find("{unit} flees into contact with {allies}", unit=field.name(unit_id), allies=field.names(allies))
    return allies


@fact(
    "met_in_flight",
    "Which friends does {unit} flee into contact with, not counting those that are escaping?",
    of=("unit",),
    kind=Units(),
    says="{unit} flees into contact with {value}",
    cites="rescue/contact",
)
def met_in_flight(table: Table, field: Battlefield, unit_id: str, before: tuple[str, ...]) -> tuple[str, ...]:
    """List the friends with which a flight has brought a unit into contact, without those that are escaping."""
    return tuple(id_ for id_ in adjacent_friends(field, unit_id) if id_ not in before and not field.unit(id_).escaping)


def rescue_by_flight(table: Table, field: Battlefield, unit_id: str, before: tuple[str, ...]) -> Battlefield:
    """Give the battlefield after a flight into contact with friends that may rescue the unit."""
    if not rescuers(table, field, unit_id, before):
        return field
    return remove_marker(table, restore_morale(table, field, unit_id), unit_id)


@rule("rescue.restore_morale", cites="rescue/morale", neutral=unchanged)
def restore_morale(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what a rescued unit regains: one MP."""
    back = number("rescue-morale")
    table.find("The rescue restores {back} MP of {unit}", unit=field.name(unit_id), back=back)
    return boxes.restore(table, field, unit_id, "mp", back)


@rule("rescue.remove_marker", cites="rescue/marker-gone", neutral=unchanged)
def remove_marker(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide that a rescued unit loses its Escape Marker; `rescued-activation` says whether it can act this round."""
    unit, acting = field.unit(unit_id), field.scene.phase == "activation"
    if not unit.escaping:
        return field
    activated = unit.activated or (acting and table.read("rescued-activation") == "next-round")
    table.find("{unit} loses its Escape Marker", unit=field.name(unit.id))
    table.event("rescued", unit=unit_id)
    return field.put(replace(unit, escaping=False, activated=activated))
