"""Rescue: which units an ally rescues by moving into contact, and what they regain."""

from collections.abc import Collection

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.book import number
from services.rapture.ground import in_touch
from services.rapture.rules import boxes


def adjacent_friends(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the friends in contact with a unit."""
    unit = field.unit(unit_id)
    own = field.solids(unit)
    return tuple(
        friend.id
        for friend in field.friends(unit)
        if any(in_touch(one, other) for one in own for other in field.solids(friend))
    )


def rescue_allies(table: Table, field: Battlefield, mover_id: str, before: Collection[str] = ()) -> Battlefield:
    """Give the battlefield after a moved unit rescues allies; `before` are its contacts before the movement."""
    for friend in rescued_allies(table, field, mover_id, tuple(before)):
        field = remove_marker(table, restore_morale(table, field, friend), friend)
    return field


@rule(
    "rescue.rescued_allies",
    cites=("rescue/allies", "rescue/contact"),
    neutral=(),
)
def rescued_allies(table: Table, field: Battlefield, mover_id: str, before: tuple[str, ...]) -> tuple[str, ...]:
    """Decide which units a unit rescues: escaping friends with which its movement has brought it into contact.

    An escaping unit rescues nobody.
    """
    mover = field.unit(mover_id)
    if mover.escaping or not mover.models:
        return ()
    allies = tuple(id_ for id_ in adjacent_friends(field, mover_id) if id_ not in before and field.unit(id_).escaping)
    for id_ in allies:
        table.find("{mover} comes into contact with {unit} and rescues it", mover=field.name(mover),
                   unit=field.name(field.unit(id_)))  # fmt: skip
    return allies


@rule("rescue.rescuers", cites="rescue/contact", neutral=())
def rescuers(table: Table, field: Battlefield, unit_id: str, before: tuple[str, ...]) -> tuple[str, ...]:
    """Decide which friends rescue a unit that flees into contact with them: none, unless `rescue-by` says so.

    Only the end of the flight counts, and only units that are not escaping.
    """
    if not field.unit(unit_id).escaping or not field.unit(unit_id).models:
        return ()
    allies = tuple(
        id_ for id_ in adjacent_friends(field, unit_id) if id_ not in before and not field.unit(id_).escaping
    )
    if not allies or table.read("rescue-by") == "ally-moves":
        return ()
    names = ", ".join(field.name(field.unit(id_)) for id_ in allies)
    table.find("{unit} flees into contact with {allies}", unit=field.name(field.unit(unit_id)), allies=names)
    return allies


def rescue_by_flight(table: Table, field: Battlefield, unit_id: str, before: tuple[str, ...]) -> Battlefield:
    """Give the battlefield after a flight into contact with friends that may rescue the unit."""
    return (
        remove_marker(table, restore_morale(table, field, unit_id), unit_id)
        if rescuers(table, field, unit_id, before)
        else field
    )


@rule("rescue.restore_morale", cites="rescue/morale", neutral=lambda field, unit_id: field)
def restore_morale(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what a rescued unit regains: one MP."""
    back = number("rescue-morale")
    table.find("{unit} regains {back} MP", unit=field.name(field.unit(unit_id)), back=back)
    return boxes.restore(table, field, unit_id, "mp", back)


@rule("rescue.remove_marker", cites="rescue/marker-gone", neutral=lambda field, unit_id: field)
def remove_marker(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide that a rescued unit loses its Escape Marker; `rescued-activation` says whether it can act this round."""
    unit = field.unit(unit_id)
    if not unit.escaping:
        return field
    activated = unit.activated or (
        field.scene.phase == "activation" and table.read("rescued-activation") == "next-round"
    )  # fmt: skip
    table.find("{unit} loses its Escape Marker", unit=field.name(unit))
    table.event("rescued", unit=unit_id)
    return field.put(replace(unit, escaping=False, activated=activated))
