"""Kills: who leaves the game, which heroes are downed, and where the Rad of the dead goes."""

from msgspec.structs import replace

from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.warleague.battlefield import Battlefield, in_play
from services.warleague.ground import Prices
from services.warleague.rules import observed, targeting
from services.warleague.scene import Rad, Tile


@rule("kills.killed", cites="damage/removed", neutral=unchanged)
def killed(table: Table, field: Battlefield, unit: str, attacker: str | None = None, fell: bool = False) -> Battlefield:
    """Decide what becomes of a unit that is killed: it leaves the game, and its Rad stays on the tile where it died.

    A hero is downed on its tile. Who `fell` off the board, or is on a killing tile, is gone in any case.
    """
    each = field.unit(unit)
    deadly = fell or each.at in field.ground.killing
    if not in_play(each) or (each.downed and not deadly):
        return field
    if field.scene.active == unit:
        field = field.with_(active=None)
    at = field.at(unit)
    if not deadly and downed(table, field, unit):
        table.event("downed", unit=unit, by=attacker)
        return field.put(replace(each, downed=True))
    table.find("{unit} is dead and leaves the game", unit=field.name(unit))
    table.event("killed", unit=unit, by=attacker, at=at)
    return rad_left(table, field.put(replace(each, at=None, dead=True)), unit, at, fell)


@rule("kills.downed", cites=("kill/heroes", "hero/recovery"), neutral=False)
def downed(table: Table, field: Battlefield, unit: str) -> bool:
    """Decide whether a unit that is killed is downed instead: a hero is, and leaves no Rad."""
    if field.profile(field.unit(unit)).role != "hero":
        return False
    table.find("{unit} is a hero and is downed", unit=field.name(unit))
    return True


@rule("kills.rad_left", cites=("kill/rad-placed", "kill/number-up", "rad/dropped"), neutral=unchanged)
def rad_left(table: Table, field: Battlefield, unit: str, at: Tile, fell: bool) -> Battlefield:
    """Decide what Rad the dead leave: their reward, on the tile where they died, its number up; heroes leave none."""
    card = field.profile(field.unit(unit))
    if card.role == "hero" or not card.rad:
        return field
    if fell or lost(table, field, unit, at):
        table.event("rad-lost", unit=unit)
        return field
    text = "The Rad tag of {unit} is placed on {tile} with the {number} up"
    table.find(text, unit=field.name(unit), tile=targeting.tile(at), number=card.rad)
    table.event("rad-placed", at=at, number=card.rad)
    return field.dropped("rads", Rad(at, card.rad))


@rule("kills.lost", cites="kill/rad-lost", neutral=False)
def lost(table: Table, field: Battlefield, unit: str, at: Tile) -> bool:
    """Decide whether the Rad of somebody who died on a tile is lost: nobody can go there (`unreachable`).

    Where only the players see the tile, they see that for themselves.
    """

    if observed.is_somewhere(at):
        return False

    def closed(places: str, squeeze: str) -> bool:
        return at in field.ground.killing or (places == "no-way" and _cut_off(field, at, squeeze == "yes"))

    gone = settled(table, closed, ("unreachable", ("killing", "no-way")), ("squeeze", ("yes", "no")))
    if gone:
        table.find("Nobody can reach {tile}: the Rad of {unit} is lost", tile=targeting.tile(at), unit=field.name(unit))
    return gone


def _cut_off(field: Battlefield, at: Tile, squeeze: bool) -> bool:
    """Say whether there are units in play, and none has a way to a tile over ground that is open."""
    ways = field.ground.routes(frozenset((at,)), Prices(), field.closed - {at}, squeeze)
    return bool(field.occupied) and not any(tile in ways for tile in field.occupied)


@rule("kills.recovered", cites=("hero/recovery", "kill/heroes"), neutral=unchanged)
def recovered(table: Table, field: Battlefield, downed_before: tuple[str, ...]) -> Battlefield:
    """Decide which heroes that were downed before an update phase get up in it, with 1 health or armor: `downed-hero`.

    Who has neither, even unhurt, does not.
    """
    for id_ in downed_before:
        health, armor = field.full(id_, "health"), field.full(id_, "armor")
        if table.read("downed-hero") == "no" or not (health or armor):
            continue
        layer = "health" if health else "armor"
        lost_ = {"health_lost": health - 1} if health else {"armor_lost": armor - 1}
        field = field.put(replace(field.unit(id_), downed=False, **lost_))
        table.find("{unit} gets up with 1 {layer}", unit=field.name(id_), layer=layer)
        table.event("recovered", unit=id_, layer=layer, points=1)
    return field
