"""Activations: which side has the turn, which units can be activated, and how an activation ends.

Follows "Activation Phase". The turn of a scene is the side whose activation it is; the active unit is the one that is
being activated, and the leader stands for its band.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.scene import Unit, phase_words

# Which units can be activated


@rule("activation.head", cites="basics/activated-whole", neutral=lambda field, unit_id: unit_id)
def head(table: Table, field: Battlefield, unit_id: str) -> str:
    """Decide with which unit a unit is activated: alone, or an apprentice with its leader (`band-activation`).

    Whether apprentices are activated at all while their leader has an Escape Marker is `leader-escapes`.
    """
    leader = field.unit(unit_id).leader
    if leader is None or field.unit(leader).disabled is not None or table.read("band-activation") == "apart":
        return unit_id
    if field.unit(leader).escaping and table.read("leader-escapes") == "apart":
        return unit_id
    return leader


@violations_rule("activation.readiness_violations", cites=("activation/once", "activation/escaping"))
def readiness_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot be activated any more this round, whichever side has the turn."""
    unit = field.unit(unit_id)
    if not in_play(unit):
        yield table.reason("{unit} is not on the battlefield", cites="activation/once", unit=field.name(unit))
        return
    if unit.activated:
        text = "{unit} has already been activated this round"
        yield table.reason(text, cites="activation/once", unit=field.name(unit))
    if unit.escaping:
        yield table.reason("{unit} has an Escape Marker", cites="activation/escaping", unit=field.name(unit))
    with_ = head(table, field, unit.id)
    if with_ != unit.id:
        names = {"unit": field.name(unit), "leader": field.name(with_)}
        yield table.reason("{unit} is activated together with {leader}", cites="basics/activated-whole", **names)
        if field.unit(with_).escaping:
            text = "{leader} has an Escape Marker"
            yield table.reason(text, cites="activation/escaping", leader=field.name(with_))


@violations_rule("activation.violations", cites="activation/turns")
def violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot be activated now."""
    unit, scene = field.unit(unit_id), field.scene
    yield from readiness_violations(table, field, unit_id)
    if scene.phase != "activation":
        text = "Units are activated in the activation phase; this is {phase}"
        yield table.reason(text, cites="rounds/phases", phase=phase_words(scene.phase))
        return
    if scene.active is not None and scene.active != unit_id:
        yield table.reason("{active} is being activated", active=field.name(scene.active))
    if scene.turn is not None and unit.side != (side := next_side(table, field)):
        yield table.reason("It is the turn of {side}", side=side)


def ready_units(table: Table, field: Battlefield, side: str) -> tuple[Unit, ...]:
    """Give the units of a side that can still be activated this round, in the order of the scene."""
    with table.without_findings():
        return tuple(_ready(table, field, side))


def _ready(table: Table, field: Battlefield, side: str) -> Iterator[Unit]:
    own = (unit for unit in field.units if unit.side == side)
    return (unit for unit in own if not readiness_violations(table, field, unit.id))


@rule(
    "activation.next_side",
    cites=("activation/turns", "activation/no-skipping", "activation/ends"),
    neutral=lambda field: field.scene.turn or field.order[0],
)
def next_side(table: Table, field: Battlefield) -> str | None:
    """Decide which side activates next: the side on turn, or the next with a unit left; null if none has one."""
    scene, sides = field.scene, field.order
    if scene.active is not None:
        return field.unit(scene.active).side
    start = sides.index(scene.turn) if scene.turn in sides else 0
    for side in (*sides[start:], *sides[:start]):
        with table.without_findings():
            anyone = next(_ready(table, field, side), None)
        if anyone is not None:
            table.find("{side} has a unit to activate and cannot pass", side=side)
            return side
        table.find("{side} has no unit left to activate", cites="activation/ends", side=side)
    table.find("No unit is left to activate: the phase ends", cites="activation/ends")
    return None


# Acting


@violations_rule("activation.action_violations", cites="activation/turns")
def action_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot take actions now: it takes them in its own activation.

    Where no unit is active, the first action begins its activation.
    """
    unit = field.unit(unit_id)
    if not in_play(unit):
        yield from readiness_violations(table, field, unit_id)
        return
    first = head(table, field, unit_id)
    if field.scene.active != first:
        yield from violations(table, field, first)
    elif unit.escaping and first != unit_id:
        yield table.reason("{unit} has an Escape Marker", cites="activation/escaping", unit=field.name(unit.id))


def begin(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Give the battlefield with the activation of a unit, or of its band, begun."""
    if field.scene.phase != "activation" or field.scene.active is not None:
        return field
    with table.without_findings():
        first = head(table, field, unit_id)
    if field.unit(first).activated or not in_play(field.unit(first)):
        return field
    table.event("activated", unit=first)
    return field.with_(active=first, turn=field.unit(first).side)


@rule("activation.end", cites=("activation/once", "activation/turns"), neutral=unchanged)
def end(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what the end of an activation does: the unit counts as activated, and the turn goes to the next side.

    A band is activated as a whole, with the apprentices that are left of it.
    """
    unit = field.unit(unit_id)
    first = head(table, field, unit_id)
    together = [first, *(other.id for other in field.apprentices(first) if head(table, field, other.id) == first)]
    table.find("The activation of {unit} ends", unit=field.name(first))
    table.event("activation-over", unit=first)
    field = field.put(*(replace(field.unit(id_), activated=True, got_up=False) for id_ in together))
    field = field.with_(active=None, turn=field.after(unit.side))
    return field.with_(turn=next_side(table, field))
