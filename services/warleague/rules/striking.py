"""Attacks as they go: who is struck from where, dice, parries, and all damage down to the last layer."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from msgspec import structs

from arbiter.table import Table
from arbiter.text import Belonging
from services.warleague.battlefield import Battlefield, in_play
from services.warleague.profiles import Layer, WeaponCard
from services.warleague.rules import (
    ammo,
    attack,
    chains,
    damage,
    dual,
    explosions,
    flanking,
    intensity,
    layers,
    parry,
    points,
    targeting,
)
from services.warleague.rules.happenings import AttackOutcome, Blast, Blow, Happening, Strike, Throwing
from services.warleague.rules.intensity import Intensity
from services.warleague.rules.parry import Parry
from services.warleague.scene import Tile


@dataclass(frozen=True)
class _Attack:
    """An attack under way: the strike, its weapons, loaded hands, where it is made from, and the attacker's name."""

    strike: Strike
    weapons: tuple[WeaponCard, ...]
    loaded: tuple[int, ...]
    origin: Tile
    name: str

    @property
    def actor(self) -> str:
        """Who attacks."""
        return self.strike.actor

    def why(self, index: int) -> Belonging:
        """Name a weapon, with whose it is."""
        return Belonging(self.weapons[index].title, self.name)

    def blow(self, index: int, amount: int) -> Blow:
        """Give what a weapon does with so much damage."""
        weapon = self.weapons[index]
        return Blow(amount, self.why(index), self.actor, weapon.is_melee, weapon.bypasses, weapon.against)


@dataclass(frozen=True)
class _Group:
    """What strikes one tile: weapons by their place in the strike, the units there, who of them is hit first or named.

    `flanked` are the weapons that are critical from behind, `parries` the ways in which it may be parried.
    """

    to: Tile
    weapons: tuple[int, ...]
    units: tuple[str, ...]
    first: str | None
    named: str | None
    flanked: frozenset[int]
    parries: tuple[Parry, ...]


def resolve(table: Table, field: Battlefield, strike: Strike) -> AttackOutcome:
    """Make an attack that is allowed: it is paid, rounds are spent, dice fall, and all of its damage is done."""
    attacker = strike.actor
    loaded = tuple(hand for hand in strike.hands if not ammo.violations(table, field, attacker, hand))
    using = _Attack(strike, field.weapons(attacker, strike.hands), loaded, field.at(attacker), field.name(attacker))
    field = points.paid(table, field, attacker, attack.price(table, field, strike), "the attack")
    field = ammo.fire(table, field, attacker, loaded)
    groups = tuple(_group(table, field, using, to) for to in dict.fromkeys(strike.targets))
    flanked = frozenset[int]().union(*(group.flanked for group in groups))
    dice = _dice(table, using.weapons, flanked)
    early = _early(table, field, groups, dice)
    rolled = _intensity(table, attacker, using.weapons, dice)
    amounts = _amounts(table, field, using, flanked, rolled)
    done = AttackOutcome(field, "critical" if flanked and not dice else rolled, bool(flanked), amounts, 0, 0, (), 0)
    for group in groups:
        done = _struck(table, done, using, group, early)
    return done


def struck(table: Table, field: Battlefield, strike: Strike) -> Battlefield:
    """Give the battlefield after an attack that is allowed."""
    return resolve(table, field, strike).field


def _group(table: Table, field: Battlefield, using: _Attack, to: Tile) -> _Group:
    """Give what strikes a tile: with which weapons, whom, whether from behind, and how it may be parried."""
    strike, attacker = using.strike, using.actor
    uses = zip(strike.hands, strike.targets, strict=True)
    used = tuple(index for index, (hand, at) in enumerate(uses) if at == to and hand in using.loaded)
    aimed = tuple(index for index in used if not using.weapons[index].explodes)
    named = strike.on if to == strike.to else strike.also_on
    units = tuple(unit.id for unit in targeting.targets(field, attacker, to))
    ready = any(using.weapons[index].is_melee for index in used) and any(parry.reserves(field, each) for each in units)
    if not units or not (aimed or ready):
        return _Group(to, used, units, None, named, frozenset(), ())
    hit = damage.weakest if ready else damage.first_hit
    past = passed(tuple(using.weapons[index] for index in used))
    first = hit(table, field, units, Blow(0, using.name, attacker, bypasses=past, named=named))
    flanked = from_behind(table, field, attacker, using.weapons, aimed, first or units[0])
    parries: tuple[Parry, ...] = ()
    if ready:
        # Of what has one value of damage, it matters for the parry alone whether it comes from behind.
        with table.without_findings():
            behind = _parried_behind(table, field, attacker, first or units[0])
        parries = parry.offers(table, field, units, first or units[0], behind)
    return _Group(to, used, units, first, named, flanked, parries)


def _parried_behind(table: Table, field: Battlefield, attacker: str, target: str) -> bool:
    """Say whether an attack that may be parried comes from behind; players are asked only if it then may not be."""
    if table.facts is not None and table.readings["parry-from-behind"] == "allowed":
        return False
    return flanking.behind(table, field, attacker, target, field.at(attacker), "melee")


def from_behind(
    table: Table, field: Battlefield, attacker: str, weapons: tuple[WeaponCard, ...], aimed: Iterable[int], target: str
) -> frozenset[int]:
    """Give which weapons, of those aimed at a target, are critical from behind, and not rolled for."""
    return frozenset(
        index
        for index in aimed
        if not weapons[index].explodes
        and len(weapons[index].damage) > 1
        and flanking.behind(table, field, attacker, target, field.at(attacker), weapons[index].targeting)
    )


def passed(weapons: tuple[WeaponCard, ...]) -> tuple[Layer, ...]:
    """Give the layers that all of some weapons pass."""
    return tuple(
        layer
        for layer in layers.NAMES
        if all(layer in each.bypasses or (layer, each.targeting) == ("energy-shield", "melee") for each in weapons)
    )


def _dice(table: Table, weapons: tuple[WeaponCard, ...], flanked: frozenset[int]) -> int:
    """Give how many dice are rolled: none where all is settled, or where the one weapon explodes, and rolls itself."""
    if _rolls_itself(weapons):
        return 0
    rolling = [
        weapon
        for index, weapon in enumerate(weapons)
        if index not in flanked and weapon.damage and not intensity.single(table, weapon.damage)
    ]
    return dual.dice(table, weapons, len(rolling))


def _rolls_itself(weapons: tuple[WeaponCard, ...]) -> bool:
    """Say whether the dice are those of an explosion: of a melee weapon that explodes, they are those of the attack."""
    (weapon, *others) = weapons
    return not others and weapon.explodes and not weapon.is_melee


def _early(table: Table, field: Battlefield, groups: tuple[_Group, ...], dice: int) -> dict[Tile, Parry | None] | None:
    """Let defenders decide before the dice fall, if the reading `parry-declared` says so."""
    deciding = any(len(group.parries) > 1 for group in groups)
    if not dice or not deciding or table.read("parry-declared") == "after":
        return None
    return {group.to: parry.choose(table, field, group.parries, None) for group in groups}


def _intensity(table: Table, attacker: str, weapons: tuple[WeaponCard, ...], dice: int) -> Intensity | None:
    if not dice:
        return None
    melee = any(weapon.is_melee for weapon in weapons)
    return table.call(parry.rolled if melee else intensity.rolled, f"{attacker}: intensity", dice)


def _amounts(
    table: Table, field: Battlefield, using: _Attack, flanked: frozenset[int], rolled: Intensity | None
) -> tuple[int | None, ...]:
    """Give how much damage each weapon does; null for one that explodes alone, and has dice of its own.

    Those that are not loaded do none.
    """
    if _rolls_itself(using.weapons):
        return (None,)
    steps = dual.bonuses(table, field, using.actor, using.weapons)
    amounts = []
    for index, (weapon, step) in enumerate(zip(using.weapons, steps, strict=True)):
        how: Intensity = "critical" if index in flanked else rolled or "low"
        does = weapon.damage and using.strike.hands[index] in using.loaded
        amounts.append(intensity.dealt(table, weapon.title, weapon.damage, how, step) if does else 0)
    return tuple(amounts)


def _struck(
    table: Table, done: AttackOutcome, using: _Attack, group: _Group, early: dict[Tile, Parry | None] | None
) -> AttackOutcome:
    """Resolve an attack on one tile: damage that is not parried falls on the units there, and then things explode."""
    exploding = (index for index in group.weapons if using.weapons[index].explodes)
    blasts = {index: _blast(table, done, using, group, index) for index in exploding}
    amounts = {index: done.amounts[index] or 0 for index in group.weapons if index not in blasts}
    melee = _together(using, group, amounts, blasts)
    total = rest = sum(melee.values())
    if melee:
        done, rest = _parried(table, done, using.actor, group, tuple(melee.values()), early)
    stopped = bool(total) and not rest
    if blasts.keys() & melee:
        left = parry.shared_out(table, using.weapons, melee, total - rest)
        blasts |= {index: _lessened(table, blasts[index], left[index]) for index in blasts.keys() & melee}
        melee = {index: melee[index] for index in melee if index not in blasts}
        rest = sum(left[index] for index in melee)
    for blow in _blows(table, done.field, using, group, amounts, melee, rest):
        there = targeting.targets(done.field, using.actor, group.to)
        units = tuple(unit.id for unit in there if unit.id in group.units)
        if blow.melee:
            units = parry.shared(table, units)
        blow = structs.replace(blow, named=group.named)
        dealt = damage.on_units(table, done.field, units, blow, group.first)
        done = replace(done, field=dealt.field, losses=done.losses + dealt.losses)
    for index in group.weapons:
        throws = using.weapons[index].throw is not None and not (
            stopped and using.weapons[index].is_melee and table.read("throw-when-parried") == "stays"
        )
        done = _after(table, done, using, group, index, blasts.get(index), throws)
    return done


def _together(using: _Attack, group: _Group, amounts: dict[int, int], blasts: dict[int, Blast]) -> dict[int, int]:
    """Give the damage of each melee weapon that strikes a tile, explosions that may be parried included."""
    striking = (index for index in group.weapons if using.weapons[index].is_melee and group.units)
    each = {index: blasts[index].on_tile if index in blasts else amounts[index] for index in striking}
    return {index: many for index, many in each.items() if many is not None}


def _lessened(table: Table, blast: Blast, left: int) -> Blast:
    """Give the explosion of a melee weapon of whose damage on the tile aimed at a parry has left so much."""
    off = (blast.on_tile or 0) - left
    blast = structs.replace(blast, on_tile=left)
    if off and table.read("parry-explosion") == "everywhere":
        blast = structs.replace(blast, value=max(0, (blast.value or 0) - off))
    return blast


def _parried(
    table: Table,
    done: AttackOutcome,
    attacker: str,
    group: _Group,
    amounts: tuple[int, ...],
    early: dict[Tile, Parry | None] | None,
) -> tuple[AttackOutcome, int]:
    """Let a melee attack be parried; give what is left of its damage."""
    total = dual.summed(table, amounts) if len(amounts) > 1 else sum(amounts)
    answer = parry.choose(table, done.field, group.parries, total) if early is None else early[group.to]
    if answer is None:
        return done, total
    off = parry.take_off(table, done.field, answer)
    rest = parry.difference(table, total, off.points)
    done = replace(done, field=off.field, parried=done.parried + off.points)
    if off.points > total:
        back, more = parry.backlash(table, done.field, attacker, answer, off.by_weapon, total), off.points - total
        done = replace(done, field=back.field, losses=done.losses + back.losses, backlash=done.backlash + more)
    return done, rest


def _blows(
    table: Table,
    field: Battlefield,
    using: _Attack,
    group: _Group,
    amounts: dict[int, int],
    melee: dict[int, int],
    rest: int,
) -> tuple[Blow, ...]:
    """Give what falls on a tile, in the order of the hands; `rest` is what is left of the damage in `melee`."""
    blows = {index: using.blow(index, many) for index, many in amounts.items() if many}
    together = tuple(blow for index, blow in blows.items() if index in melee)
    apart = tuple(blow for index, blow in blows.items() if index not in melee)
    if len(apart) > 1:
        return apart if dual.one_by_one(table, field, group.units, *apart) else (dual.as_one(*apart),)
    if len(together) > 1 and dual.parted(table, field, group.units, *together):
        left = parry.shared_out(table, using.weapons, melee, sum(melee.values()) - rest)
        return tuple(_of(blows[index], many) for index, many in left.items() if many)
    if together and not rest:
        return apart
    if len(together) > 1:
        return (_of(dual.as_one(*together), rest),)
    return tuple(_of(blow, rest) if blow in together else blow for blow in blows.values())


def _of(blow: Blow, amount: int) -> Blow:
    return structs.replace(blow, amount=amount)


def _blast(table: Table, done: AttackOutcome, using: _Attack, group: _Group, index: int) -> Blast:
    """Give the explosion of a weapon; of one that may be parried, with what it does on the tile aimed at."""
    weapon, amount = using.weapons[index], done.amounts[index]
    behind = None
    if amount is not None and weapon.damage:
        with table.without_findings():
            step = dual.bonuses(table, done.field, using.actor, using.weapons)[index]
        behind = intensity.stepped(table, intensity.at(weapon.damage, "critical"), step)
    aimed = Blast.of(weapon, group.to, using.why(index), using.actor, using.origin)
    blast = structs.replace(aimed, value=amount, behind=behind, named=group.named, first=group.first)
    if not weapon.is_melee or not group.parries or amount is None:
        return blast
    first, flanked = explosions.aimed(table, done.field, blast)
    return structs.replace(
        blast, first=first or group.first, on_tile=behind if flanked and behind is not None else amount
    )


def _after(
    table: Table, done: AttackOutcome, using: _Attack, group: _Group, index: int, blast: Blast | None, throws: bool
) -> AttackOutcome:
    """Let a weapon explode on its tile, or throw the units it has hit: the target, or without one all of them."""
    happenings: list[Happening] = []
    throw = using.weapons[index].throw
    if blast is not None:
        happenings.append(blast if throws else structs.replace(blast, throw=None))
    elif throws and throw is not None:
        hit = group.units if group.named is None else (group.named,)
        there = (each for each in hit if in_play(done.field.unit(each)))
        happenings += [Throwing(each, throw, using.why(index), using.origin, using.actor) for each in there]
    if not happenings:
        return done
    went = chains.resolve(table, done.field, *happenings)
    return replace(done, field=went.field, losses=done.losses + went.losses, blasts=done.blasts + len(went.blasts))
