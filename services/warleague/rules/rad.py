"""Rad: who collects it, and how long it lies."""

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.rules import targeting
from services.warleague.scene import Rad


@rule("rad.collected", cites="rad/collected", neutral=unchanged)
def collected(table: Table, field: Battlefield, unit: str) -> Battlefield:
    """Decide what Rad a unit collects on its tile: all of it, for its side; whether NPCs do is `npc-collects`."""
    at, side = field.at(unit), field.side(field.player(unit))
    tags = [each for each in field.scene.rads if each.at == at]
    if not tags:
        return field
    npc = field.profile(field.unit(unit)).role == "npc"
    if npc and table.read("npc-collects") == "no":
        return field
    field = field.with_(rads=tuple(each for each in field.scene.rads if each.at != at))
    if npc:
        table.find("{unit} removes the Rad on {tile}", tile=targeting.tile(at), unit=field.name(unit))
        table.event("rad-removed", at=at)
        return field
    many = sum(each.number for each in tags)
    table.find("{unit} collects {many} Rad for {side}", unit=field.name(unit), many=many, side=side.id)
    table.event("rad-collected", unit=unit, side=side.id, number=many)
    return field.side_put(replace(side, rad=side.rad + many))


@rule("rad.turned", cites="kill/rad-turned", neutral=unchanged)
def turned(table: Table, field: Battlefield) -> Battlefield:
    """Decide what an update phase does to Rad: each tag is turned, and those that are done leave the map."""
    turned_ = [replace(each, updates=each.updates + 1) for each in field.scene.rads]
    if turned_:
        tiles = Listing(targeting.tile(each.at) for each in turned_)
        text = "The Rad tags on {tiles} are turned" if len(tiles) > 1 else "The Rad tag on {tiles} is turned"
        table.find(text, tiles=tiles)
    left = tuple(each for each in turned_ if not over(table, each))
    return field.with_(rads=left)


@rule("rad.over", cites=("kill/rad-removed", "rad/two-rounds"), neutral=False)
def over(table: Table, rad: Rad) -> bool:
    """Decide whether a Rad tag that was turned is removed: it shows its first number again, after two rounds."""
    if rad.updates < number("rad-updates"):
        return False
    table.find(
        "The Rad tag on {tile} shows its {number} again and is removed", tile=targeting.tile(rad.at), number=rad.number
    )
    table.event("rad-removed", at=rad.at)
    return True
