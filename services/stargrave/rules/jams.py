"""Jams: a weapon that has jammed cannot be used until it is cleared, and what clearing it leaves of an activation.

Follows the end of "Shooting".
"""

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.rules import activation
from services.stargrave.rules.activation import Actions
from services.stargrave.rules.shot_modifiers import Moved

MOVED: Actions = ("move",)
DONE_BEFORE: dict[Moved, Actions] = {"no": (), "yes": MOVED, "standing": MOVED, "power-move": ("power", "power-move")}
"""What a shooter has done in its activation that has moved so."""

CLEAR_AND_SHOOT: Actions = ("clear-jam", "shoot")


@rule("jams.unusable", cites="shooting/jam-unusable", neutral=())
def unusable(table: Table, field: Battlefield, shooter: str, weapon_id: str, cleared_jam: bool = False) -> Reasons:
    """Decide whether a jam keeps a weapon from being used, unless it has been cleared."""
    figure = field.figure(shooter)
    if weapon_id not in figure.jammed or cleared_jam:
        return ()
    text = "The {weapon} of {name} is jammed"
    return (table.reason(text, weapon=field.book.weapons[weapon_id].name, name=field.name(figure)),)


@rule("jams.time_to_clear", cites="shooting/jam-clearing", neutral=())
def time_to_clear(table: Table, field: Battlefield, shooter: str, moved: Moved) -> Reasons:
    """Decide whether a shot is left to a figure that has cleared a jam, after what it had done before.

    Both have to be open to it: what clearing costs is `jam-clearing`, and a Move that is still owed takes its place.
    """
    name = field.name(shooter)
    with table.without_findings():
        whole = activation.actions(table, field, shooter)
        previous = DONE_BEFORE[moved]
        violations: Reasons = ()
        for action in CLEAR_AND_SHOOT:
            free = action == "clear-jam" and table.read("jam-clearing") == "free"
            if not free:
                left = activation.actions_left(table, field, shooter, previous)
                violations += activation.none_left(table, field, shooter, left, previous)
                violations += activation.move_required(table, field, shooter, action, previous, whole)
            previous = (*previous, action)
    if not violations:
        table.find("{name} has cleared a jam and can still shoot", name=name)
        return ()
    return (table.reason("{name} has too few actions to clear the jam and shoot: {whole}", name=name, whole=whole),)


@rule("jams.clear_jam", cites="shooting/jam-clearing", neutral=lambda field, *_: field)
def clear_jam(table: Table, field: Battlefield, shooter: str, weapon_id: str) -> Battlefield:
    """Decide what becomes of a jammed weapon that is cleared: it can be used again."""
    figure = field.figure(shooter)
    if weapon_id not in figure.jammed:
        return field
    text = "{name} clears the jam of the {weapon}"
    table.find(text, name=field.name(figure), weapon=field.book.weapons[weapon_id].name)
    table.event("jam-cleared", figure=shooter, weapon=weapon_id)
    return field.put(replace(figure, jammed=tuple(id_ for id_ in figure.jammed if id_ != weapon_id)))


def jam(table: Table, field: Battlefield, shooter: str, weapon_id: str) -> Battlefield:
    """Give the battlefield after a weapon has jammed."""
    figure = field.figure(shooter)
    if weapon_id in figure.jammed:
        return field
    table.event("jammed", figure=shooter, weapon=weapon_id)
    return field.put(replace(figure, jammed=(*figure.jammed, weapon_id)))


def time_violations(table: Table, field: Battlefield, shooter: str, moved: Moved, cleared_jam: bool) -> Reasons:
    """List the violations if a figure has no action left for a shot after its move and clearing a jam."""
    if cleared_jam:
        return time_to_clear(table, field, shooter, moved)
    previous = DONE_BEFORE[moved]
    with table.without_findings():
        left = activation.actions_left(table, field, shooter, previous)
        return activation.none_left(table, field, shooter, left, previous)
