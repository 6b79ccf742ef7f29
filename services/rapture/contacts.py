"""Contacts that a movement brings about, by the geometry alone: with opponents, and with friends. No rules stand here.

A leader moves along a way; its apprentices are moved along with it and are looked at where they end. Lengths are
thousandths of a centimetre.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from arbiter.geometry.plane.paths.moves import Box, box_around
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure, Point, whole
from arbiter.value import Value
from services.rapture import ways
from services.rapture.battlefield import Battlefield
from services.rapture.ground import discs, touched
from services.rapture.scene import Unit
from services.rapture.ways import Way

OnPath = tuple[Figure, Path, Box]
"""A model, the path that it takes, and the box around the path."""


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
    enemies = field.enemies(unit)
    ends = _met_at_end(field, unit, way, enemies)
    band, models = way.band(unit_id), _on_paths(field, unit, way.paths)
    contacts = []
    for enemy in enemies:
        spots = list(_touches(models, field.solids(enemy)))
        at_end = ends.get(enemy.id, ())
        by = (unit_id,) if spots or unit_id in at_end else at_end
        if by and not touching(field, band, enemy.id):
            contacts.append(Contact(enemy.id, by, round(min(spots, default=way.length)), bool(at_end)))
    return tuple(sorted(contacts, key=lambda contact: contact.along))


def _on_paths(field: Battlefield, unit: Unit, paths: Sequence[Path]) -> list[OnPath]:
    return [(body, path, box_around(path)) for body, path in zip(field.solids(unit), paths, strict=False)]


def _touches(models: Iterable[OnPath], others: Sequence[Figure]) -> Iterator[float]:
    """Give how far along their paths some models touch others."""
    for body, path, box in models:
        for other in others:
            near = ways.near_box(box, other, body.radius)
            if near and (along := ways.first_touch(path, body.radius, other)) is not None:
                yield along


def contacts_left(field: Battlefield, unit_id: str, way: Way) -> tuple[Contact, ...]:
    """Give the contacts of a band with opponents that begin before a way and end with it, in the scene's order."""
    unit = field.unit(unit_id)
    band = way.band(unit_id)
    held = [(enemy, by) for enemy in field.enemies(unit) if (by := touching(field, band, enemy.id))]
    ends = _met_at_end(field, unit, way, [enemy for enemy, _ in held])
    return tuple(
        Contact(enemy.id, (unit_id,) if unit_id in by else by, 0, False) for enemy, by in held if enemy.id not in ends
    )


def _met_at_end(field: Battlefield, unit: Unit, way: Way, others: Iterable[Unit]) -> dict[str, tuple[str, ...]]:
    """Give for each of some units that touches a band at the end of a way the units of the band that it touches."""
    bodies = discs((other.id, body) for other in others for body in field.solids(other))
    found: dict[str, dict[str, None]] = {}
    if bodies:
        for whose, body in ends_of(field, unit, way):
            for id_ in touched((body,), bodies):
                found.setdefault(id_, {})[whose.id] = None
    return {id_: tuple(by) for id_, by in found.items()}


def meetings(
    before: Battlefield, after: Battlefield, band: Sequence[str], paths: Sequence[Path] = ()
) -> tuple[Meeting, ...]:
    """Give the new contacts of a band with friends outside of it, in the scene's order.

    `paths` are the ways that the models of its first unit have taken. A contact at the end of a movement comes before
    one in passing; a unit that was in contact with the friend before has no new one.
    """
    mover = before.unit(band[0])
    friends = [each for each in before.friends(mover) if each.id not in band]
    bodies = discs((friend.id, body) for friend in friends for body in before.solids(friend))
    ends = {id_: touched(after.solids(after.unit(id_)), bodies) for id_ in band}
    models, found = _on_paths(before, mover, paths), []
    for friend in friends:
        new = [id_ for id_ in band if friend.id not in before.contacts(id_)]
        found += [Meeting(friend.id, id_, False) for id_ in new if friend.id in ends[id_]]
        if mover.id in new and any(True for _ in _touches(models, before.solids(friend))):
            found.append(Meeting(friend.id, mover.id, True))
    return tuple(found)


def touching(field: Battlefield, band: Iterable[str], other: str) -> tuple[str, ...]:
    """Give the units of a band that are in contact with another unit in play."""
    return tuple([id_ for id_ in band if other in field.contacts(id_)])


def ends_of(field: Battlefield, unit: Unit, way: Way) -> list[tuple[Unit, Figure]]:
    """Give the models of a unit and its companions at the end of a way."""
    spots: list[tuple[Unit, Figure, Point]] = [
        (unit, body, whole(path.end)) for body, path in zip(field.solids(unit), way.paths, strict=True)
    ]
    spots += [(field.unit(id_), body, at) for id_, at in way.along for body in field.solids(field.unit(id_))]
    return [(whose, replace(body, at=at)) for whose, body, at in spots]
