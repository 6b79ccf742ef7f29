"""Movement: how far a unit can move, which opponents hold it, which ways it can take, and countershots on the way.

The price is in `actions`. Lengths are thousandths of a centimetre.
"""

from collections.abc import Callable, Iterator
from math import ceil, dist

from msgspec.structs import replace

from arbiter.geometry.plane.paths.moves import clipped, straight
from arbiter.geometry.plane.paths.room import TOUCH as EQUAL
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, Point, floats, whole
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.rapture import ways
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.contacts import Contact, contacts_left, contacts_on, ends_of, meetings
from services.rapture.rules import bands, boxes, reactions, rescue
from services.rapture.rules.shots import Attacked, AttackOutcome
from services.rapture.scene import Unit
from services.rapture.ways import Way

Limit = Callable[[Table, Battlefield, str], int]
"""How far a unit can move."""


@rule("movement.allowance", cites="movement/distance", neutral=0)
def allowance(table: Table, field: Battlefield, unit_id: str) -> int:
    """Decide how far a unit can move: its current MOV; for a band also `band-mov`."""
    with table.without_findings():
        far = boxes.values(table, field, unit_id).mov
        others = [boxes.values(table, field, id_).mov for id_ in bands.companions(table, field, unit_id)]
    slowest = min((far, *others))
    if slowest < far and table.read("band-mov") == "slowest":
        far = slowest
    table.find("{unit} can move up to {far:g} cm", unit=field.name(unit_id), far=far / PER_UNIT)
    return far


@every_reason
def violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Give every reason why a unit cannot move: it is an apprentice alone, or in contact with an opponent."""
    yield from bands.lone_move_violations(table, field, unit_id)
    yield from held_violations(table, field, unit_id)


@violations_rule("movement.held_violations", cites=("action/movement", "retreat/from-contact"))
def held_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit is held: it is in contact with an opponent (`leaving-contact`, for bands `band-held`)."""
    touching = bands.contact(table, field, unit_id)
    if touching and table.read("leaving-contact") != "free":
        text = "{unit} is in contact with {opponents} and can only retreat"
        yield table.reason(text, unit=field.name(unit_id), opponents=field.names(touching))


@every_reason
def way_violations(table: Table, field: Battlefield, unit_id: str, way: Way, allowed: int) -> Iterator[Reason]:
    """Give every reason why a unit cannot take a way with its allowance."""
    yield from length_violations(table, field, unit_id, way, allowed)
    yield from terrain_violations(table, field, unit_id, way)
    yield from passing_violations(table, field, unit_id, way)
    yield from contact_violations(table, field, unit_id, way)
    yield from bands.contact_violations(table, at_end(field, unit_id, way), unit_id)


@violations_rule("movement.length_violations", cites="movement/distance")
def length_violations(table: Table, field: Battlefield, unit_id: str, way: Way, allowed: int) -> Iterator[Reason]:
    """Decide why a way is too long: a model would move further than the unit can."""
    if way.length > allowed + EQUAL:
        text = "The way of {unit} is {length:g} cm long; it can move {most:g} cm"
        length, most = ceil(way.length - EQUAL) / PER_UNIT, allowed / PER_UNIT
        yield table.reason(text, unit=field.name(unit_id), length=length, most=most)


@violations_rule("movement.terrain_violations", cites=("movement/distance", "basics/base"))
def terrain_violations(table: Table, field: Battlefield, unit_id: str, way: Way) -> Iterator[Reason]:
    """Decide why a way is blocked by the board: it leaves the battlefield or enters impassable terrain."""
    pieces: list[str] = []
    off = False
    for body, path in zip(field.solids(field.unit(unit_id)), way.paths, strict=True):
        off = off or ways.off_table(field, body, path)
        pieces += ways.obstacles_hit(field, body, path)
    for id_, at in way.along:
        (body,) = field.solids(field.unit(id_))
        off = off or ways.off_table(field, body, straight(floats(body.at), floats(at)))
        pieces += field.ground.beside.within(body.radius - ways.SLACK, at)
    name = field.name(unit_id)
    if off:
        yield table.reason("The way of {unit} leaves the battlefield", unit=name)
    if pieces:
        listed = Listing(dict.fromkeys(pieces))
        yield table.reason("The way of {unit} is blocked by {pieces}", unit=name, pieces=listed)


@violations_rule("movement.no_way_violations", cites="movement/distance")
def no_way_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why there is no way: none leads to the place, or there is no room for all models."""
    yield table.reason("{unit} cannot get there with all its models", unit=field.name(unit_id))


@violations_rule("movement.passing_violations", cites="basics/base")
def passing_violations(table: Table, field: Battlefield, unit_id: str, way: Way) -> Iterator[Reason]:
    """Decide which bases block a way: every base does, unless `passing-models` lets friends pass.

    No model ends in another's base. Models of one unit, and of one band, move through each other.
    """
    unit, name = field.unit(unit_id), field.name(unit_id)
    others = ways.others(field, way.band(unit_id))
    pairs = zip(field.solids(unit), way.paths, strict=True)
    passed = dict.fromkeys(id_ for body, path in pairs for id_ in ways.units_passed(path, body.radius, others))
    ends = ends_of(field, unit, way)
    inside = dict.fromkeys(id_ for _, body in ends for id_ in ways.units_entered(body.at, body.radius, others))
    crowded = any(ways.units_entered(body.at, body.radius, ends[:number]) for number, (_, body) in enumerate(ends))
    friends = [id_ for id_ in passed if field.player(id_) == unit.side and id_ not in inside]
    if friends and table.read("passing-models") == "friends":
        passed = dict.fromkeys(id_ for id_ in passed if id_ not in friends)
    if blocking := {**passed, **inside}:
        text = "The way of {unit} is blocked by {others}"
        yield table.reason(text, others=field.names(blocking), unit=name)
    if crowded:
        yield table.reason("Models of {unit} would overlap", unit=name)


@violations_rule("movement.contact_violations", cites=("action/movement", "retreat/from-contact"))
def contact_violations(table: Table, field: Battlefield, unit_id: str, way: Way) -> Iterator[Reason]:
    """Decide why a way must stop: a unit that comes into contact with an opponent stays there.

    That is `leaving-contact`.
    """
    left = [contact for contact in contacts_on(field, unit_id, way) if not contact.lasts]
    if left and table.read("leaving-contact") != "free":
        text = "{unit} comes into contact with {enemy} after {along:g} cm and must stop"
        for contact in left:
            names = {"unit": field.name(unit_id), "enemy": field.name(contact.unit)}
            yield table.reason(text, **names, along=round(contact.along / PER_UNIT, 1))


def move(table: Table, field: Battlefield, unit_id: str, way: Way, limit: Limit | None = None) -> Attacked:
    """Give the battlefield after an allowed movement, and the outcomes of countershots at it.

    Each opponent whose contact begins or ends may shoot first; then the movement continues or stops. Escaping allies
    that the unit or its apprentices come into contact with are rescued. `limit` gives how far the unit can go, by
    default `allowance`.
    """
    before = field

    def stopped(now: Battlefield) -> bool:
        ducked = [id_ for id_ in way.band(unit_id) if now.unit(id_).shelter_markers > before.unit(id_).shelter_markers]
        with table.without_findings():
            far = (limit or allowance)(table, now, unit_id)
        return not continues(table, now, unit_id, way, next(iter(ducked), None), far)

    field, outcomes = leave_contact(table, field, unit_id, way)
    if not in_play(field.unit(unit_id)):
        return field, outcomes
    way = _remaining(field, unit_id, way)
    if outcomes and stopped(field):
        return field, outcomes
    for contact in announced_contacts(table, field, unit_id, way):
        if not (by := tuple(id_ for id_ in contact.by if in_play(field.unit(id_)))):
            continue
        short = stop_before_contact(table, field, unit_id, way, contact)
        target = reactions.countershot_target(table, short, contact.unit, by)
        after, shots = reactions.countershots(table, short, contact.unit, target, field.unit(target).models)
        outcomes = (*outcomes, *shots)
        if not shots:
            continue
        if not in_play(after.unit(unit_id)) or stopped(after):
            return _arrive(table, field, after, unit_id, way, contact.along), outcomes
        field, way = _back(field, short, after, unit_id, way)
    after = complete(table, field, unit_id, way)
    return _arrive(table, field, after, unit_id, way, way.length), outcomes


@rule("movement.announced_contacts", cites=("countershot/trigger", "kinds/apprentice-moved"), neutral=())
def announced_contacts(table: Table, field: Battlefield, unit_id: str, way: Way) -> tuple[Contact, ...]:
    """Decide which opponents a movement comes into contact with: they can react, in the order of the way.

    Whether the contact of an apprentice is its own or its leader's is `band-contact`.
    """
    contacts = []
    for contact in contacts_on(field, unit_id, way):
        if unit_id not in contact.by and table.read("band-contact") == "leader":
            contact = replace(contact, by=(unit_id,))
        for id_ in contact.by:
            text = "{unit} comes into contact with {enemy} after {along:g} cm"
            names = {"unit": field.name(id_), "enemy": field.name(contact.unit)}
            table.find(text, along=round(contact.along / PER_UNIT, 1), **names)
        contacts.append(contact)
    return tuple(contacts)


@rule(
    "movement.stop_before_contact",
    cites="countershot/before-contact",
    neutral=lambda field, unit_id, way, contact: at_end(field, unit_id, way),
)
def stop_before_contact(table: Table, field: Battlefield, unit_id: str, way: Way, contact: Contact) -> Battlefield:
    """Decide where a unit stands before contact: on its way, just short of the opponent.

    Other models stand at the ends of their ways, or as near as there is room; without room for all of them the unit
    stands where its movement began.
    """
    unit = field.unit(unit_id)
    others = field.solids(field.unit(contact.unit))
    spots = _spots_short(field, unit, way, others)
    for id_ in contact.by:
        names = {"unit": field.name(id_), "enemy": field.name(contact.unit)}
        table.find("{unit} stops just short of contact with {enemy}", **names)
    after = field.put(ways.put(unit, spots))
    leader = after.solids(after.unit(unit_id))[0]
    for number, (id_, end) in enumerate(way.along):
        (body,) = after.solids(after.unit(id_))
        bodies = ways.others(after, [later for later, _ in way.along[number:]])
        at = ways.beside(after, body, leader, end, bodies, others)
        after = after.put(ways.put(after.unit(id_), (at or end,)))
    return after


@rule("movement.continues", cites=("seek-shelter/only-get-up", "health/box-effects"), neutral=True)
def continues(table: Table, field: Battlefield, unit_id: str, way: Way, ducked: str | None, far: int) -> bool:
    """Decide whether a movement continues after countershots; `ducked` is the unit that has sought shelter on the way.

    It stops if there is one (`shelter-under-way`), or if a box has lowered the MOV below the length of the way
    (`box-under-way`); `far` is how far the unit can go now.
    """
    if ducked is not None and table.read("shelter-under-way") == "stops":
        text = "{unit} has sought shelter and moves no further"
        table.find(text, cites="seek-shelter/only-get-up", unit=field.name(ducked))
        return False
    if way.length > far + EQUAL and table.read("box-under-way") == "lowered":
        text = "{unit} can now move only {far:g} cm and moves no further"
        table.find(text, cites="health/box-effects", unit=field.name(unit_id), far=far / PER_UNIT)
        return False
    return True


def leave_contact(table: Table, field: Battlefield, unit_id: str, way: Way) -> Attacked:
    """Give the battlefield after the countershots of opponents whose contact a way leaves."""
    outcomes: tuple[AttackOutcome, ...] = ()
    for contact in contacts_left(field, unit_id, way):
        if by := tuple(id_ for id_ in contact.by if in_play(field.unit(id_))):
            target = reactions.countershot_target(table, field, contact.unit, by, True)
            field, shots = reactions.countershots(table, field, contact.unit, target, None, True)
            outcomes = (*outcomes, *shots)
    return field, outcomes


@rule("movement.complete", cites=("movement/distance", "kinds/apprentice-moved"), neutral=unchanged)
def complete(table: Table, field: Battlefield, unit_id: str, way: Way) -> Battlefield:
    """Decide where a unit and its companions stand after its way."""
    table.find("{unit} moves {length:g} cm", unit=field.name(unit_id), length=round(way.length) / PER_UNIT)
    return at_end(field, unit_id, way)


def at_end(field: Battlefield, unit_id: str, way: Way) -> Battlefield:
    """Give the battlefield with a unit and its companions at the end of its way."""
    along = (ways.put(field.unit(id_), (at,)) for id_, at in way.along if in_play(field.unit(id_)))
    return field.put(ways.put(field.unit(unit_id), [whole(path.end) for path in way.paths]), *along)


def _arrive(table: Table, before: Battlefield, after: Battlefield, unit_id: str, way: Way, until: float) -> Battlefield:
    """Report what has moved, and rescue the allies that it has come into contact with on its way, up to a length."""
    band = way.band(unit_id)
    for id_ in band:
        if in_play(after.unit(id_)) and after.unit(id_).models != before.unit(id_).models:
            table.event("moved", unit=id_, models=after.unit(id_).models)
    paths = tuple(clipped(path, 0.0, min(float(until), path.length)) for path in way.paths)
    return rescue.rescue_allies(table, after, unit_id, meetings(before, after, band, paths))


def _spots_short(field: Battlefield, unit: Unit, way: Way, others: tuple[Figure, ...]) -> list[Point]:
    """Give the places of a unit's models short of contact with some bases, without overlap."""
    placed: list[tuple[Unit, Figure]] = []
    for body, path in zip(field.solids(unit), way.paths, strict=True):
        short = ways.before_contact(path, body.radius, others)
        end = ways.clear_of_bases(short, body.radius, [other for _, other in placed]).end
        placed.append((unit, replace(body, at=whole(end))))
    if any(ways.units_entered(body.at, body.radius, placed[:number]) for number, (_, body) in enumerate(placed)):
        return [body.at for body in field.solids(unit)]
    return [body.at for _, body in placed]


def _back(
    field: Battlefield, short: Battlefield, after: Battlefield, unit_id: str, way: Way
) -> tuple[Battlefield, Way]:
    """Give the battlefield with the mover back at its start, and the ways of its remaining models."""
    left = after.unit(unit_id).models
    survivors = [number for number, at in enumerate(short.unit(unit_id).models) if at in left]
    starts = tuple(field.unit(unit_id).models[number] for number in survivors)
    along = tuple(row for row in way.along if in_play(after.unit(row[0])))
    back = (replace(after.unit(id_), models=field.unit(id_).models) for id_, _ in along)
    field = after.put(replace(after.unit(unit_id), models=starts), *back)
    return field, Way(tuple(way.paths[number] for number in survivors), along)


def _remaining(field: Battlefield, unit_id: str, way: Way) -> Way:
    """Give the way for the remaining models of a unit."""
    left = field.solids(field.unit(unit_id))
    if len(left) == len(way.paths):
        return way
    return replace(way, paths=tuple(min(way.paths, key=lambda path: dist(path.start, body.at)) for body in left))
