"""Abilities: who has one, when it can be used, at what price, and what it does."""

from collections.abc import Iterator
from functools import partial

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import beside, every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import AbilityCard
from services.warleague.rules import effects, observed, points, reach, targeting, tile_effects
from services.warleague.scene import Cooldown, Tile


class Cast(Value, frozen=True):
    """An ability that a unit uses on a tile; `on` is who of several units there is meant."""

    actor: str
    ability: str
    to: Tile
    on: str | None = None


def price(table: Table, field: Battlefield, cast: Cast) -> int:
    """Give the action points of an ability."""
    return field.book.abilities[cast.ability].ap


def violations(table: Table, field: Battlefield, cast: Cast) -> tuple[Reason, ...]:
    """Give every reason why a unit may not use an ability so."""
    card = field.book.abilities[cast.ability]
    reasons = unready(table, field, cast)
    aim = targeting.aim_violations(table, field, cast.actor, card, cast.to)
    measure = partial(targeting.violations, table, field, cast.actor, card, cast.to)
    return (*reasons, *beside((*reasons, *aim), measure, ()), *aim)


@every_reason
def unready(table: Table, field: Battlefield, cast: Cast) -> Iterator[Reason]:
    """Give every reason why a unit may not use an ability wherever it is aimed."""
    yield from unknown(table, field, cast.actor, cast.ability)
    yield from resting(table, field, cast.actor, cast.ability)
    yield from points.violations(table, field, cast.actor, price(table, field, cast))


@violations_rule("abilities.unknown", cites="attack/weapon-abilities")
def unknown(table: Table, field: Battlefield, actor: str, ability: str) -> Iterator[Reason]:
    """Decide whether a unit has an ability, by its card or by a weapon in its hands."""
    words = {"unit": field.name(actor), "ability": field.book.abilities[ability].title}
    if ability not in field.abilities(actor):
        yield table.reason("Neither {unit} nor a weapon in its hands has {ability}", **words)
    elif ability not in field.profile(field.unit(actor)).abilities:
        table.find("{unit} has {ability} from a weapon in its hands", **words)


@violations_rule("abilities.resting", cites="update/moves-on")
def resting(table: Table, field: Battlefield, actor: str, ability: str) -> Iterator[Reason]:
    """Decide whether an ability can be used again: not before its cooldown is over."""
    left = next((each.rounds for each in field.unit(actor).cooldowns if each.ability == ability), 0)
    if left:
        words = {"ability": field.book.abilities[ability].title, "unit": field.name(actor)}
        text = "{ability} of {unit} is on cooldown for {left}"
        yield table.reason(text, **words, left=Quantity(left, "more round"))


def casts(table: Table, field: Battlefield, actor: str) -> Iterator[Cast]:
    """Give every use of an ability that is open to a unit, in the order of its abilities and of the tiles."""
    for ability in field.abilities(actor):
        if not unready(table, field, Cast(actor, ability, field.at(actor))):
            card = field.book.abilities[ability]
            among = None if card.explodes else field.occupied
            for at in field.in_order(reach.tiles(table, field, actor, card, among)):
                cast = Cast(actor, ability, at)
                measured = not observed.is_somewhere(at)
                aim = targeting.aim_violations(table, field, actor, card, at)
                if not aim and (measured or not violations(table, field, cast)):
                    yield cast


def use(table: Table, field: Battlefield, cast: Cast) -> Battlefield:
    """Use an ability: pay for it, let it rest, and do what it does to the tile."""
    card = field.book.abilities[cast.ability]
    field = points.paid(table, field, cast.actor, price(table, field, cast), card.title)
    table.event("ability-used", unit=cast.actor, ability=card.id)
    field = rested(table, field, cast.actor, card)
    if card.changes:
        field = changed(table, field, card, tile_effects.target(field, cast.to, cast.on))
    return tile_effects.effect(table, field, cast.actor, card, cast.to, cast.on)


@rule("abilities.rested", cites="update/moves-on", neutral=unchanged)
def rested(table: Table, field: Battlefield, actor: str, card: AbilityCard) -> Battlefield:
    """Decide how long an ability rests after it was used: for its cooldown."""
    if not card.cooldown:
        return field
    unit = field.unit(actor)
    rounds = Quantity(card.cooldown, "round")
    table.find("{ability} is on cooldown for {rounds}", ability=card.title, rounds=rounds)
    others = tuple(each for each in unit.cooldowns if each.ability != card.id)
    return field.put(replace(unit, cooldowns=(*others, Cooldown(card.id, card.cooldown))))


@rule("abilities.changed", cites="update/moves-on", neutral=unchanged)
def changed(table: Table, field: Battlefield, card: AbilityCard, on: str | None) -> Battlefield:
    """Decide which values an ability changes for its target, and for how long."""
    return field if on is None else effects.add(table, field, on, card.id, card.changes, card.lasts)
