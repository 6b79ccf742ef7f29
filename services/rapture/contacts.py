"""Contacts that a movement brings about, by the geometry alone: with opponents, and with friends. No rules stand here.

A leader moves along a way; its apprentices are moved along with it and are looked at where they end. Lengths are
thousandths of a centimetre.
"""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from arbiter.geometry.plane.paths.moves import box_around
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure, Point
from arbiter.value import Value
from services.rapture import ways
from services.rapture.battlefield import Battlefield
from services.rapture.ground import in_touch
from services.rapture.scene import Unit
from services.rapture.ways import Way


class Contact(Value, frozen=True):
    """A contact with an opponent on a way.

    `by` are the units of the band that come into contact, or leave it: the one that takes the way, or else its
    apprentices. `along` is how far along the way the contact begins, `lasts` whether it lasts to the end.
    """

    unit: str
    by: tuple[str, ...]
    along: int
    lasts: bool


class Meeting(Value, frozen=True):
    """A contact with a friend: which unit comes into it, and whether it only passes the friend."""

    unit: str
    by: str
    passing: bool


def contacts_on(field: Battlefield, unit_id: str, way: Way) -> tuple[Contact, ...]:
    """Give the new contacts of a band with opponents on a way, in the order of the way."""
    unit = field.unit(unit_id)
    bodies = field.solids(unit)
    ends = ends_of(field, unit, way)
    band = (unit_id, *(id_ for id_, _ in way.along))
    around = [box_around(path) for path in way.paths]
    contacts = []
    for enemy in field.enemies(unit):
        others = field.solids(enemy)
        if touching(field, band, others):
            continue
        spots = [
            along
            for body, path, box in zip(bodies, way.paths, around, strict=True)
            for other in ways.near_path(box, body.radius, others)
            if (along := ways.first_touch(path, body.radius, other)) is not None
        ]
        at_end = tuple(dict.fromkeys(whose.id for whose, body in ends if _touch((body,), others)))
        if by := (unit_id,) if spots or unit_id in at_end else at_end:
            contacts.append(Contact(enemy.id, by, round(min(spots, default=way.length)), bool(at_end)))
    return tuple(sorted(contacts, key=lambda contact: contact.along))


def contacts_left(field: Battlefield, unit_id: str, way: Way) -> tuple[Contact, ...]:
    """Give the contacts of a band with opponents that begin before a way and end with it, in the scene's order."""
    unit = field.unit(unit_id)
    ends = [body for _, body in ends_of(field, unit, way)]
    band = (unit_id, *(id_ for id_, _ in way.along))
    left = []
    for enemy in field.enemies(unit):
        others = field.solids(enemy)
        at_start = touching(field, band, others)
        if at_start and not _touch(ends, others):
            left.append(Contact(enemy.id, (unit_id,) if unit_id in at_start else at_start, 0, False))
    return tuple(left)


def meetings(
    before: Battlefield, after: Battlefield, band: Sequence[str], paths: Sequence[Path] = ()
) -> tuple[Meeting, ...]:
    """Give the new contacts of a band with friends outside of it, in the scene's order.

    `paths` are the ways that the models of its first unit have taken. A contact at the end of a movement comes before
    one in passing; a unit that was in contact with the friend before has no new one.
    """
    mover = before.unit(band[0])
    around = [box_around(path) for path in paths]
    found = []
    for friend in (each for each in before.friends(mover) if each.id not in band):
        others = before.solids(friend)
        new = [id_ for id_ in band if not _touch(before.solids(before.unit(id_)), others)]
        found += [Meeting(friend.id, id_, False) for id_ in new if _touch(after.solids(after.unit(id_)), others)]
        passed = any(
            ways.first_touch(path, body.radius, other) is not None
            for body, path, box in zip(before.solids(mover), paths, around, strict=False)
            for other in ways.near_path(box, body.radius, others)
        )
        if mover.id in new and passed:
            found.append(Meeting(friend.id, mover.id, True))
    return tuple(found)


def touching(field: Battlefield, band: Iterable[str], others: Sequence[Figure]) -> tuple[str, ...]:
    """Give the units of a band that touch some bases."""
    return tuple(id_ for id_ in band if _touch(field.solids(field.unit(id_)), others))


def ends_of(field: Battlefield, unit: Unit, way: Way) -> list[tuple[Unit, Figure]]:
    """Give the models of a unit and its companions at the end of a way."""
    spots: list[tuple[Unit, Figure, Point]] = [
        (unit, body, ways.rounded(path.end)) for body, path in zip(field.solids(unit), way.paths, strict=True)
    ]
    spots += [(field.unit(id_), body, at) for id_, at in way.along for body in field.solids(field.unit(id_))]
    return [(whose, replace(body, at=at)) for whose, body, at in spots]


def _touch(own: Iterable[Figure], others: Sequence[Figure]) -> bool:
    return any(in_touch(one, other) for one in own for other in others)
