"""Retreat: which units can, at what price, how far and where to, and that it ends the activation.

Lengths are thousandths of a centimetre.
"""

from collections.abc import Iterator
from functools import partial
from math import dist

from msgspec.structs import replace

from arbiter.geometry.plane.paths.moves import straight
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, floats
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from services.rapture import ways
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.book import number
from services.rapture.ground import in_touch
from services.rapture.rules import activation, bands, boxes, escape, movement, prices, routes
from services.rapture.rules.prices import Price
from services.rapture.rules.shots import Attacked
from services.rapture.scene import counted
from services.rapture.ways import Way

RETREAT = "retreat"


@every_reason
def violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Give every reason why a unit cannot retreat, except RP: an apprentice alone, no contact, too few MP."""
    yield from bands.lone_move_violations(table, field, unit_id)
    yield from contact_violations(table, field, unit_id)
    yield from morale_violations(table, field, unit_id)


@violations_rule("retreat.contact_violations", cites="retreat/from-contact")
def contact_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot retreat: it is not in contact with an opponent (for bands `band-held`)."""
    contacts = bands.contact(table, field, unit_id)
    name = field.name(unit_id)
    if contacts:
        table.find("{unit} can retreat from {opponents}", unit=name, opponents=field.names(contacts))
    else:
        yield table.reason("{unit} is not in contact with an opponent", unit=name)


@violations_rule("retreat.morale_violations", cites="action/retreat")
def morale_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot pay the MP of a retreat; how many it needs is `retreat-points`."""
    left, price = boxes.left(field, unit_id, "mp"), field.book.actions[RETREAT].mp
    name = field.name(unit_id)
    if left >= price:
        table.find("{unit} has {left} MP; a retreat costs {price}", unit=name, left=left, price=price)
    if left > price:
        return
    needs = {"all-three": price, "one-left": price + 1, "as-many": 1}
    least = needs[table.read("retreat-points")] if left else 1
    if left < least:
        yield table.reason("{unit} has {left} MP and needs {least} to retreat", unit=name, left=left, least=least)


@rule(
    "retreat.allowance",
    cites="retreat/half-move",
    neutral=lambda field, unit_id, paid=0: field.ground.width + field.ground.depth,
)
def allowance(table: Table, field: Battlefield, unit_id: str, paid: int = 0) -> int:
    """Decide how far a unit can retreat: half of its MOV, rounded by `retreat-rounding`.

    Whether MP that the retreat crosses out change that MOV is `retreat-mov`; `paid` are those already crossed out.
    """
    unit = field.unit(unit_id)
    unpaid = unit.mp_crossed - paid
    crossed = {"paid": min(len(field.profile(unit).mp), unpaid + field.book.actions[RETREAT].mp), "unpaid": unpaid}

    def far(price: str) -> int:
        return movement.allowance(table, field.put(replace(unit, mp_crossed=crossed[price])), unit_id)

    with table.without_findings():
        half = settled(table, far, ("retreat-mov", ("paid", "unpaid"))) // number("retreat-divisor")
    if half % PER_UNIT and table.read("retreat-rounding") == "down":
        half -= half % PER_UNIT
    table.find("{unit} can retreat up to {far:g} cm", unit=field.name(unit_id), far=half / PER_UNIT)
    return half


@every_reason
def way_violations(table: Table, field: Battlefield, unit_id: str, way: Way, allowed: int) -> Iterator[Reason]:
    """Give every reason why a unit cannot retreat by a way."""
    yield from movement.way_violations(table, field, unit_id, way, allowed)
    yield from end_violations(table, field, unit_id, way)
    yield from direction_violations(table, field, unit_id, way)


@violations_rule("retreat.end_violations", cites="retreat/away")
def end_violations(table: Table, field: Battlefield, unit_id: str, way: Way) -> Iterator[Reason]:
    """Decide why a way does not leave contact: at its end the unit is in contact with an opponent."""
    contacts = bands.contact(table, movement.at_end(field, unit_id, way), unit_id)
    name = field.name(unit_id)
    if contacts:
        text = "{unit} would be in contact with {opponents}"
        yield table.reason(text, unit=name, opponents=field.names(contacts))
    else:
        table.find("{unit} leaves contact", unit=name)


@violations_rule("retreat.direction_violations", cites="retreat/away")
def direction_violations(table: Table, field: Battlefield, unit_id: str, way: Way) -> Iterator[Reason]:
    """Decide why a retreat leads in the wrong direction: it must lead straight away from the opponent.

    That is `retreat-direction`; models without contact can move anywhere.
    """
    bent = any(
        ways.deviation(path, other.at) > body.slack
        for body, path in zip(field.solids(field.unit(unit_id)), way.paths, strict=True)
        if (other := _nearest(field, unit_id, body)) is not None
    )
    if bent and table.read("retreat-direction") != "free":
        yield table.reason("{unit} does not retreat straight away from its opponent", unit=field.name(unit_id))


def way_out(table: Table, field: Battlefield, unit_id: str) -> Way | None:
    """Give the way by which a unit can retreat straight away from its opponent; None without one."""
    far = allowance(table, field, unit_id)
    way = straight_away(table, field, unit_id, far)
    return None if way is None or way_violations(table, field, unit_id, way, far) else way


@violations_rule("retreat.room_violations", cites="retreat/away")
def room_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit that may retreat does not get away: there is no room straight away from its opponent."""
    yield table.reason("{unit} has no room to retreat straight out of contact", unit=field.name(unit_id))


def straight_away(table: Table, field: Battlefield, unit_id: str, far: int) -> Way | None:
    """Give the way straight away from the opponent in contact with the first model; None without room."""
    body = field.solids(field.unit(unit_id))[0]
    other = _nearest(field, unit_id, body)
    if other is None:
        return None
    share = far / dist(other.at, body.at)
    end = body.at[0] + share * (body.at[0] - other.at[0]), body.at[1] + share * (body.at[1] - other.at[1])
    # Rounded towards the start, so that the way is no longer than it may be.
    whole = int(end[0] - body.at[0]) + body.at[0], int(end[1] - body.at[1]) + body.at[1]
    return routes.way_with(table, field, unit_id, straight(floats(body.at), floats(whole)))


def retreat(table: Table, field: Battlefield, unit_id: str, way: Way, answering: bool = False) -> Attacked:
    """Give the battlefield after an allowed retreat is paid and made, and the outcomes of countershots.

    `answering` is true for a retreat as a reaction, which ends the activation of the opponent.
    """
    if not answering:
        field = activation.begin(table, field, unit_id)
    before = field.unit(unit_id).mp_crossed
    field = pay(table, field, unit_id)
    far = partial(allowance, paid=field.unit(unit_id).mp_crossed - before)
    if flees_instead(table, field, unit_id):
        return end_activation(table, escape.begin(table, field, unit_id)), ()
    field, outcomes = movement.move(table, field, unit_id, way, far)
    field = end_activation(table, field)
    if in_play(field.unit(unit_id)) and not boxes.left(field, unit_id, "mp"):
        field = escape.begin(table, field, unit_id)
    return field, outcomes


@rule("retreat.pay", cites="action/retreat", neutral=unchanged)
def pay(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what a retreat costs: RP, and MP that are crossed out, at most those there are."""
    row = field.book.actions[RETREAT]
    name, mp = field.name(unit_id), min(row.mp, boxes.left(field, unit_id, "mp"))
    table.find("{unit} pays {rp} RP and {mp} MP for the retreat", unit=name, rp=row.rp, mp=mp)
    field = prices.spend(table, field, unit_id, Price(rp=row.rp))
    unit = boxes.lose_morale(table, field.book, field.unit(unit_id), row.mp)
    return field.put(replace(unit, used=counted(unit.used, RETREAT)))


@rule("retreat.flees_instead", cites="escape/at-once", neutral=False)
def flees_instead(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Decide whether a unit flees instead when its retreat crosses out the last box (`retreat-last-box`)."""
    bar = field.profile(field.unit(unit_id)).mp
    if boxes.left(field, unit_id, "mp") or not (bar and bar[-1].escape):
        return False
    return table.read("retreat-last-box") == "flees-instead"


@rule("retreat.end_activation", cites="retreat/ends-activation", neutral=unchanged)
def end_activation(table: Table, field: Battlefield) -> Battlefield:
    """Decide that a retreat ends the current activation at once."""
    active = field.scene.active
    if active is None:
        return field
    table.find("The retreat ends the activation of {unit}", unit=field.name(active))
    return activation.end(table, field, active)


def _nearest(field: Battlefield, unit_id: str, body: Figure) -> Figure | None:
    """Give the nearest opposing model in contact with a model."""
    enemies = field.enemies(field.unit(unit_id))
    contacts = [other for enemy in enemies for other in field.solids(enemy) if in_touch(body, other)]
    return min(contacts, key=lambda other: dist(body.at, other.at), default=None)
