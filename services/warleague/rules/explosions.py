"""Explosions: their area, whom they damage, what they reveal, set off and destroy."""

from collections.abc import Sequence
from functools import partial

from msgspec.structs import replace

from arbiter.geometry.tile.board import Grazes
from arbiter.option import Option
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.warleague.battlefield import Battlefield, in_play
from services.warleague.ground import Metric
from services.warleague.rules import damage, flanking, intensity, observed, targeting, traps
from services.warleague.rules.happenings import (
    Blast,
    Blow,
    Happening,
    HappeningOutcome,
    Loss,
    Springing,
    Throwing,
    uneventful,
)
from services.warleague.scene import Tile, Trap

FATES = {"stays": "stays open on its tile", "springs": "affects the units there", "discarded": "is discarded"}
"""What becomes of a revealed trap that does not explode, by the reading `blast-other-traps`."""

EarlierDamage = tuple[tuple[str, int], ...]
"""With how much damage earlier explosions of a chain came to units."""


def explode(table: Table, field: Battlefield, blast: Blast, reached: EarlierDamage) -> HappeningOutcome:
    """Give what one explosion does: damage in its area, then what it destroys, reveals and sets off."""
    field, area = _area(table, field, blast)
    rads = len(field.scene.rads)
    table.event("exploded", at=blast.epicentre, radius=blast.radius, why=str(blast.why))
    hurt = damaged(table, field, blast, area, reached)
    field, explosives = set_off(table, hurt.field, blast, area)
    field = destroyed(table, field, blast, area, rads)
    field, cards, loot = revealed(table, field, blast, area)
    field, sprung = triggered(table, field, blast, cards)
    return HappeningOutcome(field, (*hurt.more, *explosives, *sprung, *loot), hurt.losses, area, hurt.reached)


# The order of a chain


def _exploding(pending: tuple[Blast, ...], why: str) -> Option:
    blast = next(blast for blast in pending if blast.why == why)
    return Option(why, why[:1].upper() + why[1:], {"at": blast.epicentre, "radius": blast.radius})


@rule("explosions.next_one", cites="explosion/secondary", neutral=lambda field, pending: pending[0])
def next_one(table: Table, field: Battlefield, pending: tuple[Blast, ...]) -> Blast:
    """Decide which of several explosions of a chain comes next: `chain-order`."""
    if table.read("chain-order") == "chooser":
        options = tuple(dict.fromkeys(str(blast.why) for blast in pending))
        chosen = table.choose(
            field.scene.turn or "table", "explosions: next", options, about=field, means=partial(_exploding, pending)
        )
        return next(blast for blast in pending if blast.why == chosen)
    blast = min(pending, key=lambda blast: blast.away or 0)
    table.find("The next to explode is {why}", why=blast.why)
    return blast


def with_distance(table: Table, field: Battlefield, blast: Blast, origin: Tile) -> Blast:
    """Give an explosion with how far it is from the first of its chain, which is measured once."""
    if blast.away is not None:
        return blast
    return replace(blast, away=targeting.distance(table, field, origin, blast.epicentre))


# The area


@rule("explosions.tiles", cites="explosion/radius", neutral=lambda field, epicentre, radius: (epicentre,))
def tiles(table: Table, field: Battlefield, epicentre: Tile, radius: int) -> tuple[Tile, ...]:
    """Decide which tiles an explosion reaches: all within its radius of the epicentre, the nearest first.

    How a radius is counted is `explosion-radius`, and whether obstacles shelter from it `explosion-shielding`.
    """

    def within(counted: str, metric: Metric) -> tuple[Tile, ...]:
        return field.ground.within(epicentre, radius if counted == "around" else max(0, radius - 1), metric)

    # On all other grids a diagonal is no question, and large areas are not counted twice.
    metrics = targeting.METRIC if field.ground.posted.grid == "square-4" else ("range-metric", ("steps",))
    area = settled(table, within, ("explosion-radius", ("around", "centre-first")), metrics)
    area = _unsheltered(table, field, epicentre, area)
    text = "A radius of {radius} around {tile} covers {many}"
    table.find(text, tile=targeting.tile(epicentre), radius=radius, many=Quantity(len(area), "tile"))
    return area


def _is_the_epicentre(table: Table, radius: int) -> bool:
    """Say whether a radius covers no tile but the epicentre; of a radius of 1 it is `explosion-radius`."""
    return not radius or (radius == 1 and table.read("explosion-radius") == "centre-first")


def _area(table: Table, field: Battlefield, blast: Blast) -> tuple[Battlefield, tuple[Tile, ...]]:
    """Give the tiles of an explosion; where players see who is caught, with all of these on them."""
    at = blast.epicentre
    target = None if table.facts is None else observed.someone_on(field, at)
    if target is None:
        return field, tiles(table, field, at, blast.radius)
    if observed.is_somewhere(at) and _is_the_epicentre(table, blast.radius):
        return field, (at,)  # nobody is asked for what does not matter
    caught = observed.caught(table, field, target, partial(tiles, table, field, at, blast.radius))
    playing = [id_ for id_ in caught if in_play(field.unit(id_))]
    for id_ in playing:
        field = observed.together(table, field, id_)
    hit = [field.at(id_) for id_ in playing]
    with table.without_findings():
        area = (at,) if observed.is_somewhere(at) else tiles(table, field, at, blast.radius)
    free = [tile for tile in area if tile == at or tile in hit or not field.on(tile)]
    return field, tuple(dict.fromkeys((*free, *hit)))


def _unsheltered(table: Table, field: Battlefield, epicentre: Tile, area: tuple[Tile, ...]) -> tuple[Tile, ...]:
    """Give the tiles of an area that no obstacle shelters."""
    obstacles = field.obstacles & set(area)
    if not obstacles:
        return area

    def open_(sheltered: str, grazes: Grazes) -> tuple[Tile, ...]:
        if sheltered == "no":
            return area
        return tuple(at for at in area if field.ground.sees(epicentre, at, obstacles, grazes))

    return settled(table, open_, ("explosion-shielding", ("no", "yes")), targeting.GRAZES)


# Damage


@rule("explosions.damaged", cites=("explosion/area", "explosion/everything", "explosion/steps"), neutral=uneventful)
def damaged(
    table: Table, field: Battlefield, blast: Blast, area: tuple[Tile, ...], reached: EarlierDamage
) -> HappeningOutcome:
    """Decide whom an explosion damages: everybody in its area, friends and enemies alike, the nearest tile first.

    How often its intensity is rolled is `explosion-dice`, and how several units on a tile share it `explosion-pool`.
    """
    occupied = field.occupied
    hit = [at for at in area if at in occupied]
    names = Listing(field.name(unit.id) for at in hit for unit in field.on(at))
    table.find("{why} goes off and hits {units}", why=blast.why, units=names or "nobody")
    first, flanked = aimed(table, field, blast)
    there = {at: tuple(unit.id for unit in field.on(at)) for at in hit}
    standing = {
        at: tuple(unit for unit in units if not damage.spared(table, field, unit)) for at, units in there.items()
    }
    amounts = _amounts(table, field, blast, [at for at in hit if standing[at]], flanked)
    for amount in dict.fromkeys(amounts.values()) if blast.damage else ():
        tiles_ = Listing(targeting.tile(at) for at, each in amounts.items() if each == amount)
        table.find("{why} does {amount} damage on {tiles}", why=blast.why, amount=amount, tiles=tiles_)
    losses: tuple[Loss, ...] = ()
    come = tuple((unit, each) for at, each in amounts.items() for unit in standing[at])
    for at, each in amounts.items():
        amount = _exceeding(table, standing[at], each, reached)
        if amount > 0:
            field, lost = _dealt(table, field, blast, at, standing[at], amount, first)
            losses += lost
    flights: tuple[Happening, ...] = ()
    if blast.throw is not None:
        caught = [unit for at in hit for unit in there[at] if field.unit(unit).at is not None]
        flights = tuple(Throwing(unit, blast.throw, blast.why, blast.epicentre, blast.attacker) for unit in caught)
    return HappeningOutcome(field, flights, losses, area, come)


def _amounts(table: Table, field: Battlefield, blast: Blast, hit: Sequence[Tile], flanked: bool) -> dict[Tile, int]:
    """Give the damage on each tile with units; the die is not rolled where nobody is there."""
    if not hit or (not blast.damage and blast.value is None):
        return dict.fromkeys(hit, 0)
    if blast.value is not None:
        centre = blast.on_tile if blast.on_tile is not None else blast.behind if flanked else None
        there = {} if centre is None or blast.epicentre not in hit else {blast.epicentre: centre}
        return dict.fromkeys(hit, blast.value) | there
    label = f"{blast.attacker}: explosion" if blast.attacker else f"{targeting.tile_label(blast.epicentre)}: explosion"
    amounts: dict[Tile, int] = {}
    if flanked:
        amounts[blast.epicentre] = _modified(table, field, blast, label, critical=True)
    rest = [at for at in hit if at not in amounts]
    if len(rest) > 1 and len(blast.damage) > 1 and table.read("explosion-dice") == "tile":
        for at in rest:
            amounts[at] = _modified(table, field, blast, f"{targeting.tile_label(at)}: explosion")
    elif rest:
        amounts |= dict.fromkeys(rest, _modified(table, field, blast, label))
    return amounts


def _modified(table: Table, field: Battlefield, blast: Blast, label: str, critical: bool = False) -> int:
    value = intensity.value(table, blast.damage, label, critical)
    return intensity.modified(table, field, blast.attacker, blast.targeting, value)


def aimed(table: Table, field: Battlefield, blast: Blast) -> tuple[str | None, bool]:
    """Give who on the tile aimed at is hit first, if it has to be known, and whether the explosion comes from behind.

    It does by `flanking-explosions` if it does to the one who is hit first, and then is critical on the whole tile.
    """
    origin, units = blast.origin, tuple(unit.id for unit in field.on(blast.epicentre) if not unit.downed)
    by = blast.attacker
    if blast.on_tile is not None or origin is None or by is None or blast.targeting is None or len(blast.damage) < 2:
        return blast.first, False
    if all(damage.faces_nowhere(field, unit) for unit in units) or table.read("flanking-explosions") == "no":
        return blast.first, False
    first = blast.first or damage.first_hit(table, field, units, _blow(blast, 0))
    return first, flanking.behind(table, field, by, first or units[0], origin, blast.targeting)


def _exceeding(table: Table, units: tuple[str, ...], amount: int, reached: EarlierDamage) -> int:
    """Give how much damage an explosion does to units that others of its chain have reached: `chain-damage`."""
    before = max((had for unit, had in reached if unit in units), default=0)
    if not before or not amount or table.read("chain-damage") == "each":
        return amount
    return max(0, amount - before)


def _dealt(
    table: Table, field: Battlefield, blast: Blast, at: Tile, units: tuple[str, ...], amount: int, first: str | None
) -> tuple[Battlefield, tuple[Loss, ...]]:
    blow = _blow(blast, amount)
    if len(units) > 1 and table.read("explosion-pool") == "each":
        losses: tuple[Loss, ...] = ()
        for unit in units:
            dealt = damage.on_unit(table, field, unit, blow)
            field, losses = dealt.field, losses + dealt.losses
        return field, losses
    if at != blast.epicentre:
        first, blow = None, replace(blow, named=None)
    dealt = damage.on_units(table, field, units, blow, first)
    return dealt.field, dealt.losses


def _blow(blast: Blast, amount: int) -> Blow:
    return Blow(amount, blast.why, blast.attacker, blast.melee, blast.bypasses, blast.against, blast.named)


# What it reveals, sets off and destroys


@rule(
    "explosions.revealed",
    cites=("explosion/reveals", "explosion/trap-card", "crate/leaves-map", "explosion/destroys"),
    neutral=lambda field, blast, area: (field, (), ()),
)
def revealed(
    table: Table, field: Battlefield, blast: Blast, area: tuple[Tile, ...]
) -> tuple[Battlefield, tuple[tuple[Tile, str], ...], tuple[Happening, ...]]:
    """Decide what an explosion reveals: each crate and concealed tile of its area, with a card for each trap.

    Gives the cards with their tiles, and what the loot sets off; what becomes of the loot is `blast-loot`.
    """
    cards: list[tuple[Tile, str]] = []
    more: tuple[Happening, ...] = ()
    hidden = field.hidden
    for at in (at for at in area if at in hidden):
        table.find("{why} reveals {tile}", cites="explosion/reveals", why=blast.why, tile=targeting.tile(at))
        crate = field.crate(at)
        field, holds = traps.revealed(table, field, at)
        if crate is not None:
            table.find("The crate on {tile} leaves the map", cites="crate/leaves-map", tile=targeting.tile(at))
            table.event("destroyed", what="crate", at=at)
        if holds == "trap":
            table.find("A trap card is drawn for {tile}", cites="explosion/trap-card", tile=targeting.tile(at))
            field, card = traps.draw(table, field, at)
            cards += [] if card is None else [(at, card)]
        elif holds == "loot" and table.read("blast-loot") == "stays":
            went = traps.looted(table, field, at, (), None)
            field, more = went.field, (*more, *went.more)
        elif holds == "loot":
            words = {"why": blast.why, "tile": targeting.tile(at)}
            table.find("{why} destroys the loot on {tile}", cites="explosion/destroys", **words)
            table.event("destroyed", what="loot", at=at)
    return field, tuple(cards), more


@rule(
    "explosions.triggered",
    cites=("explosion/explosive-traps", "explosion/trap-card"),
    neutral=lambda field, blast, cards: (field, ()),
)
def triggered(
    table: Table, field: Battlefield, blast: Blast, cards: tuple[tuple[Tile, str], ...]
) -> tuple[Battlefield, tuple[Happening, ...]]:
    """Decide what becomes of traps that an explosion reveals: explosive ones go off, others by `blast-other-traps`."""
    more: list[Happening] = []
    for at, trap in cards:
        if traps.explosive(field, trap):
            words = {"trap": traps.named(field, trap, at), "why": blast.why}
            table.find("{why} sets off {trap}", cites="explosion/explosive-traps", **words)
            more.append(_chained(table, field, blast, trap, at))
            field = traps.discard(field, trap)
            continue
        fate = table.read("blast-other-traps")
        words = {"trap": traps.named(field, trap, at), "fate": FATES[fate]}
        table.find("{trap} does not explode: it {fate}", cites="explosion/trap-card", **words)
        if fate == "springs":
            more.append(Springing(trap, at, tuple(unit.id for unit in field.on(at))))
        else:
            field = field.dropped("traps", Trap(at, trap)) if fate == "stays" else traps.discard(field, trap)
    return field, tuple(more)


def _chained(table: Table, field: Battlefield, blast: Blast, trap: str, at: Tile) -> Blast:
    """Give the explosion of a trap that another explosion sets off."""
    table.event("trap-sprung", trap=trap, at=at, unit=None)
    return traps.blast(field, trap, at, blast.epicentre)


@rule("explosions.set_off", cites="explosion/secondary", neutral=lambda field, blast, area: (field, ()))
def set_off(
    table: Table, field: Battlefield, blast: Blast, area: tuple[Tile, ...]
) -> tuple[Battlefield, tuple[Happening, ...]]:
    """Decide which explosives in the open an explosion sets off: explosive traps, and grenades (`blast-explosives`)."""
    more: list[Happening] = []
    explosive = {each.at for each in field.scene.traps} | {each.at for each in field.scene.items}
    for at in (at for at in area if at in explosive):
        open_ = [trap for trap in field.scene.traps if trap.at == at and traps.explosive(field, trap.trap)]
        for trap in open_:
            table.find("{why} sets off {trap}", why=blast.why, trap=traps.named(field, trap.trap, at))
            more.append(_chained(table, field, blast, trap.trap, at))
            field = traps.discard(field, trap.trap)
        field = field.with_(traps=tuple(trap for trap in field.scene.traps if trap not in open_))
        lying_here = (each for each in field.scene.items if each.at == at)
        grenades = [each for each in lying_here if field.book.items[each.item].explodes]
        if grenades and table.read("blast-explosives") == "explode":
            for each in grenades:
                card = field.book.items[each.item]
                lying = Blast.of(card, at, f"the {card.title} on {targeting.tile(at)}")
                table.find("{why} sets off {grenade}", why=blast.why, grenade=lying.why)
                more.append(replace(lying, source=blast.epicentre))
            field = field.with_(items=tuple(each for each in field.scene.items if each not in grenades))
    return field, tuple(more)


@rule("explosions.destroyed", cites="explosion/destroys", neutral=unchanged)
def destroyed(table: Table, field: Battlefield, blast: Blast, area: tuple[Tile, ...], rads: int) -> Battlefield:
    """Decide what an explosion destroys beside crates: obstacles, items, and by `blast-rad` Rad that lay there."""
    scene, inside = field.scene, frozenset(area)
    things = [(targeting.obstacle_name(each), each.id, each.at) for each in scene.obstacles]
    things += [(field.book.items[each.item].title, each.item, each.at) for each in scene.items]
    for name, what, at in things:
        if at in inside:
            text, tile = "{why} destroys {name} on {tile}", targeting.tile(at)
            table.find(text, why=blast.why, name=f"the {name}", tile=tile)
            table.event("destroyed", what=what, at=at)
    gone = [each for each in scene.rads[:rads] if each.at in inside]
    if gone and table.read("blast-rad") == "destroyed":
        for each in gone:
            table.find("{why} destroys the Rad on {tile}", why=blast.why, tile=targeting.tile(each.at))
            table.event("rad-removed", at=each.at)
        left = tuple(each for each in scene.rads[:rads] if each.at not in inside)
        field = field.with_(rads=(*left, *scene.rads[rads:]))
    return field.with_(
        obstacles=tuple(each for each in scene.obstacles if each.at not in inside),
        items=tuple(each for each in scene.items if each.at not in inside),
    )
