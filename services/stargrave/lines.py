"""The line of sight as it is drawn: where it ends, what it meets, and what of that counts. No rules stand here."""

from collections.abc import Collection

from msgspec.structs import replace

from arbiter.skirmish.lines import contact_of, contacts_of, in_units
from arbiter.skirmish.sight import Contact, Spot
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry import sheltering, vantage
from services.stargrave.geometry.look import Look, Sighting
from services.stargrave.rules import sight


def drawn(
    table: Table, field: Battlefield, look: Look, sighting: Sighting, seen: bool, intervening: tuple[str, ...]
) -> tuple[Spot, tuple[Contact, ...]]:
    """Give where the line from the eye of a sighting ends, and what stands in it, each with whether it counts.

    What blocks counts where the target is not seen, and else what intervenes and what is cover.
    """
    cover: tuple[str, ...] = ()
    if seen:
        with table.without_findings():
            cover = _cover(table, field, look)
    target = look.target
    pieces = {piece.id: piece for piece in (*look.clouds, *look.terrain, *vantage.as_pieces(look.bodies))}
    counting: Collection[str] = (*intervening, *cover) if seen else sighting.hiding
    middle = (*target.at, target.elevation + target.height // 2)
    glance = look.glance(sighting.looker)
    met: list[Contact] = []
    for id_ in dict.fromkeys((*sighting.hiding, *sighting.obscuring, *intervening)):
        contact = contact_of(glance, pieces[id_])
        if contact is None and id_ not in sighting.hiding:
            # By some readings a piece intervenes that hides nothing: it stands in the line between the middles.
            contact = next(iter(contacts_of(look.looker.eye, middle, (pieces[id_],), "touch")), None)
        if contact is not None:
            met.append(replace(contact, id=id_.removeprefix(sight.SMOKE_ABOVE), counts=id_ in counting))
    return in_units(glance.seen_spot(sighting.blocked_by) or middle), tuple(met)


def _cover(table: Table, field: Battlefield, look: Look) -> tuple[str, ...]:
    """Name what is cover for the target, by the readings of this table."""
    if not look.target.id:
        return ()
    sheltered = sheltering.shelter(look, sight.figures_around(table, field, look.looker, look.target))
    options = [table.readings[name] for name, _ in (*sight.COVER, sight.SIGHT_FROM, sight.FIGURES_BLOCK)]
    return tuple(piece.id for piece in sheltered.touched if sheltered.helps(piece.id, *options))
