"""Dual wielding: who may use two weapons at once, what it costs, and how the two go together."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Belonging
from services.warleague.battlefield import Battlefield
from services.warleague.book import number
from services.warleague.profiles import WeaponCard
from services.warleague.rules import layers, targeting
from services.warleague.rules.happenings import Blow
from services.warleague.scene import Tile


@violations_rule("dual.wielder_violations", cites=("dual/specialised", "dual/together"))
def wielder_violations(table: Table, field: Battlefield, attacker: str) -> Iterator[Reason]:
    """Decide whether a unit can use two weapons at the same time: specialised units alone can."""
    if field.profile(field.unit(attacker)).dual:
        table.find("{unit} can use two weapons at once", unit=field.name(attacker))
    else:
        yield table.reason("{unit} cannot use two weapons at once", unit=field.name(attacker))


@rule("dual.price", cites="dual/price", neutral=lambda weapons: max(weapon.ap for weapon in weapons))
def price(table: Table, weapons: tuple[WeaponCard, ...]) -> int:
    """Decide what it costs to use two weapons together: the action points of both."""
    ap = sum(weapon.ap for weapon in weapons)
    prices = " + ".join(str(weapon.ap) for weapon in weapons)
    table.find("Both weapons are paid for: {prices} = {price} AP", prices=prices, price=ap)
    return ap


@violations_rule("dual.violations", cites="dual/together")
def violations(
    table: Table, field: Battlefield, attacker: str, hands: tuple[int, ...], targets: tuple[Tile, ...]
) -> Iterator[Reason]:
    """Decide whether the weapons in two hands may be used together, each against its tile.

    Two targets are a matter of `dual-targets`, and melee beside other weapons of `dual-mixed`.
    """
    yield from wielder_violations(table, field, attacker)
    if len(set(targets)) > 1 and table.read("dual-targets") == "one":
        yield table.reason("Both weapons must be used against the same target")
    melee = {weapon.is_melee for weapon in field.weapons(attacker, hands)}
    if len(melee) > 1 and table.read("dual-mixed") == "forbidden":
        yield table.reason("A melee weapon cannot be used together with another kind")


def dice(table: Table, weapons: tuple[WeaponCard, ...], rolling: int) -> int:
    """Give how many dice are rolled for the intensity of the weapons used, so many of which it matters for.

    What goes with one of two weapons that has a single value is `dual-single-value`.
    """
    if not rolling or len(weapons) == 1:
        return rolling and number("dice")
    single = any(len(weapon.damage) == 1 for weapon in weapons)
    if single and table.read("dual-single-value") == "one":
        return number("dice")
    return number("dice-dual")


def bonuses(table: Table, field: Battlefield, attacker: str, weapons: tuple[WeaponCard, ...]) -> tuple[int, ...]:
    """Give what is added to the damage of each weapon used; of two, whether it is for each, is `dual-modifiers`."""
    each = tuple(targeting.bonus(table, field, attacker, "damage", weapon.targeting) for weapon in weapons)
    if len(weapons) == 1:
        return each
    one, other = weapons
    again = (
        0 if one.targeting == other.targeting else targeting.by_type(table, field, attacker, "damage", other.targeting)
    )
    return settled(table, lambda how: each if how == "each" else (each[0], again), ("dual-modifiers", ("each", "once")))


@rule("dual.summed", cites=("parry/dual-sum", "parry/dual-dice"), neutral=lambda amounts: max(amounts))
def summed(table: Table, amounts: tuple[int, ...]) -> int:
    """Decide how much damage two melee weapons do that strike together: the sum of both, by the better die."""
    total = sum(amounts)
    words: dict[str, Any] = {"amounts": " + ".join(map(str, amounts)), "total": total}
    table.find("Both weapons strike together: {amounts} = {total} damage", **words)
    return total


# How the damage of two weapons falls


def one_by_one(table: Table, field: Battlefield, units: tuple[str, ...], one: Blow, other: Blow) -> bool:
    """Say whether two weapons that are no melee weapons do their damage one by one: `dual-ranged-damage`."""
    alike = one.bypasses == other.bypasses and not one.against and not other.against
    if alike and not any(layers.left(table, field, each).armor_upgrade for each in units):
        return True
    return table.read("dual-ranged-damage") == "each"


def parted(table: Table, field: Battlefield, units: tuple[str, ...], one: Blow, other: Blow) -> bool:
    """Say whether two melee weapons do their damage one by one, by `dual-melee-bonuses`, if that matters there."""
    differ = {layer for layer in layers.NAMES if (layer in one.bypasses) != (layer in other.bypasses)}
    differ |= {each.layer for each in (*one.against, *other.against)}
    there = {layer for each in units for layer, many in layers.left(table, field, each).by_layer if many}
    return bool(differ & there - {"energy-shield"}) and table.read("dual-melee-bonuses") == "each"


def as_one(one: Blow, other: Blow) -> Blow:
    """Give two blows as one: past what both pass, with what both add."""
    bypasses = tuple(layer for layer in one.bypasses if layer in other.bypasses)
    why = one.why.with_(other.why) if isinstance(one.why, Belonging) and isinstance(other.why, Belonging) else one.why
    return replace(
        one, amount=one.amount + other.amount, why=why, bypasses=bypasses, against=one.against + other.against
    )
