"""Attacks with weapons: whether one may be made, what it costs, and which are open."""

from collections.abc import Iterator
from functools import partial

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import beside
from arbiter.table import Table
from arbiter.text import Listing
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import WeaponCard
from services.warleague.rules import ammo, dual, observed, points, reach, targeting
from services.warleague.rules.happenings import Strike

# Whether


def price(table: Table, field: Battlefield, strike: Strike) -> int:
    """Give what an attack costs: the action points of the weapons used."""
    weapons = field.weapons(strike.actor, strike.hands)
    return dual.price(table, weapons) if len(weapons) > 1 else weapons[0].ap


@rule("attack.violations", cites="attack/direct", neutral=())
def violations(table: Table, field: Battlefield, strike: Strike) -> tuple[Reason, ...]:
    """Decide whether a direct attack with weapons may be made: rounds, target, line, range and points are there."""
    reasons = list(_fit(table, field, strike))
    closed = () if table.facts is None else unfit(table, field, strike)
    for weapon, to in zip(field.weapons(strike.actor, strike.hands), strike.targets, strict=True):
        reasons += targeting.aim_violations(table, field, strike.actor, weapon, to)
        measure = partial(targeting.violations, table, field, strike.actor, weapon, to)
        reasons += beside((*reasons, *closed), measure, ())
    reasons += points.violations(table, field, strike.actor, price(table, field, strike))
    if not reasons:
        text, tile = "{unit} can attack {tile} with {weapons}", targeting.tile(strike.to)
        weapons = Listing(weapon.title for weapon in field.weapons(strike.actor, strike.hands))
        table.find(text, unit=field.name(strike.actor), tile=tile, weapons=weapons)
    return tuple(dict.fromkeys(reasons))


def unfit(table: Table, field: Battlefield, strike: Strike) -> tuple[Reason, ...]:
    """Give every reason against an attack wherever its target is: of weapons and points."""
    with table.without_findings():
        return table.reasons(_unfit(table, field, strike))


def _unfit(table: Table, field: Battlefield, strike: Strike) -> Iterator[Reason]:
    yield from points.violations(table, field, strike.actor, price(table, field, strike))
    yield from _fit(table, field, strike)


def _fit(table: Table, field: Battlefield, strike: Strike) -> tuple[Reason, ...]:
    """Give every reason why the weapons cannot be used: an empty magazine, or two that do not go together."""
    empty = [ammo.violations(table, field, strike.actor, hand) for hand in strike.hands]
    lacking = [reason for reasons in empty for reason in reasons]
    if len(strike.hands) == 1:
        return tuple(lacking)
    if lacking and not all(empty) and table.read("dual-empty") == "loaded-alone":
        lacking = []
    return (*dual.violations(table, field, strike.actor, strike.hands, strike.targets), *lacking)


def strikes(table: Table, field: Battlefield, attacker: str) -> Iterator[Strike]:
    """Give every attack that is allowed to a unit, in the order of its hands, both last, and of the tiles."""
    held = range(len(field.hands(attacker)))
    both = [tuple(held)] if len(held) > 1 and field.profile(field.unit(attacker)).dual else []
    others = field.tiles_of_others(field.unit(attacker))
    for hands in (*((hand,) for hand in held), *both):
        if unfit(table, field, Strike(attacker, hands, field.at(attacker))):
            continue
        weapons = field.weapons(attacker, hands)
        among = None if all(weapon.explodes for weapon in weapons) else others
        reached = frozenset.intersection(*(reach.tiles(table, field, attacker, weapon, among) for weapon in weapons))
        every = (Strike(attacker, hands, to) for to in field.in_order(reached))
        yield from (strike for strike in every if not _misaimed(table, field, strike, weapons))


def _misaimed(table: Table, field: Battlefield, strike: Strike, weapons: tuple[WeaponCard, ...]) -> tuple[Reason, ...]:
    """Give reasons against the tile of an attack for which all else is there; on a board it is in reach."""
    if observed.is_somewhere(strike.to):
        return violations(table, field, strike)
    aimed = (targeting.aim_violations(table, field, strike.actor, weapon, strike.to) for weapon in weapons)
    return next(filter(None, aimed), ())
