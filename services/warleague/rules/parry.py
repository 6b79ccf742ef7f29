"""Parry: reserving it, which attacks can be parried, how much a parry takes off, and the backlash."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from msgspec.structs import replace

from arbiter.option import Option
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Belonging, Listing, Quantity
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.profiles import WeaponCard
from services.warleague.rules import damage, intensity, layers, targeting
from services.warleague.rules.happenings import Blow, DamageOutcome

HANDS = ("first-hand", "other-hand")
NONE = "none"


class Parry(Value, frozen=True):
    """A parry: the unit, and how many reserved parries of the weapon in each hand it uses."""

    unit: str
    uses: tuple[int, ...]


class Reserve(Value, frozen=True):
    """A parry that a unit reserves with the weapon in a hand."""

    actor: str
    hand: int


@dataclass(frozen=True)
class ParryOutcome:
    """What a parry takes off: the battlefield after its tags are gone, and how much is parried by each weapon."""

    field: Battlefield
    by_weapon: tuple[tuple[int, int], ...]

    @property
    def points(self) -> int:
        """What is parried in all."""
        return sum(each for _, each in self.by_weapon)


# Reserving


def reservable(table: Table, field: Battlefield, unit: str) -> Iterator[Reserve]:
    """Give every parry that a unit could reserve: one with each weapon that it holds."""
    return (Reserve(unit, hand) for hand in range(len(field.hands(unit))))


def price(table: Table, field: Battlefield, reserve: Reserve) -> int:
    """Give what it costs to reserve a parry with a weapon: its action points."""
    return field.weapon(reserve.actor, reserve.hand).ap


@violations_rule("parry.weapon_violations", cites=("parry/active", "parry/own-weapon"))
def weapon_violations(table: Table, field: Battlefield, reserve: Reserve) -> Iterator[Reason]:
    """Decide whether a weapon can parry: a melee weapon that is in use can, and a unit protects itself by its own."""
    weapon = field.weapon(reserve.actor, reserve.hand)
    if not weapon.is_melee:
        yield table.reason("{weapon} is not a melee weapon", weapon=weapon.title)
    else:
        table.find("{unit} can parry with its {weapon}", unit=field.name(reserve.actor), weapon=weapon.title)


@rule("parry.reserved", cites=("parry/reserved", "parry/tags"), neutral=unchanged)
def reserved(table: Table, field: Battlefield, reserve: Reserve) -> Battlefield:
    """Decide what reserving a parry does: its tag lies on the card of the weapon; nothing is paid here."""
    defender, hand = reserve.actor, reserve.hand
    weapon, held = field.weapon(defender, hand), field.hands(defender)[hand]
    text = "{unit} reserves a parry with its {weapon} and has {many} reserved"
    table.find(text, unit=field.name(defender), weapon=weapon.title, many=held.parries + 1)
    table.event("parry-reserved", unit=defender, weapon=weapon.id)
    return field.hand_put(defender, hand, parries=held.parries + 1)


def end_all(table: Table, field: Battlefield) -> Battlefield:
    """Give the battlefield after all parries that are still reserved have gone."""
    for unit in field.units:
        if any(hand.parries for hand in field.hands(unit.id)):
            field = tags_gone(table, field, unit.id)
    return field


@rule("parry.tags_gone", cites="parry/until-update", neutral=unchanged)
def tags_gone(table: Table, field: Battlefield, defender: str) -> Battlefield:
    """Decide what becomes of parries that were not used: their tags go in the next update phase."""
    table.find("{unit} loses its unused parries", unit=field.name(defender))
    hands = tuple(replace(hand, parries=0) for hand in field.hands(defender))
    return field.put(replace(field.unit(defender), hands=hands))


# Parrying


def offers(
    table: Table, field: Battlefield, units: tuple[str, ...], first: str, flanked: bool = False
) -> tuple[Parry, ...]:
    """Give every way in which units on a tile may answer a melee attack: none first, where that is open too.

    `first` is the one on whom its damage falls first. Nothing where nobody has a parry reserved. Who parries is
    `parry-who`, whether it may from behind `parry-from-behind`, and whether it has to `parry-optional`.
    """
    defenders = tuple(defender for defender in units if reserves(field, defender))
    if not defenders or (flanked and table.read("parry-from-behind") == "forbidden"):
        return ()
    if len(units) > 1 and table.read("parry-who") == "weakest":
        defenders = tuple(defender for defender in defenders if defender == first)
    options = [parry for defender in defenders for parry in answers(table, field, defender)]
    if options and table.read("parry-optional") == "optional":
        options = [Parry(defender, ()) for defender in defenders] + options
    return tuple(options)


@rule("parry.answers", cites=("parry/each", "parry/tags"), neutral=())
def answers(table: Table, field: Battlefield, defender: str) -> tuple[Parry, ...]:
    """Decide with what a unit can parry one melee attack: with a parry of each weapon that it has reserved one with.

    Whether it may leave one of two out is `parry-dual-one`, whether it uses several of one weapon `parry-stack`, and
    whether one that is not specialised uses two weapons at once `parry-two-weapons`.
    """
    tags = {
        hand: many
        for hand, many in reserves(field, defender).items()
        if not weapon_violations(table, field, Reserve(defender, hand))
    }
    most = tags
    if max(tags.values()) > 1 and table.read("parry-stack") == "one":
        most = dict.fromkeys(tags, 1)
    least, together = 0, True
    if len(tags) > 1:
        specialised = field.profile(field.unit(defender)).dual
        together = specialised or table.read("parry-two-weapons") == "anybody"
        least = 1 if together and table.read("parry-dual-one") == "both" else 0
    reserved_ = Listing(f"{many} with the {field.weapon(defender, hand).title}" for hand, many in tags.items())
    table.find("{unit} has reserved parries: {tags}", unit=field.name(defender), tags=reserved_)
    many = (range(least, most[hand] + 1) if hand in most else (0,) for hand in range(len(field.hands(defender))))
    # The parry of the first hand alone comes before that of the other, and both come last.
    each = (uses for uses in product(*many) if any(uses) and (together or not all(uses)))
    uses = sorted(each, key=lambda uses: (sum(uses), uses[::-1]))
    return tuple(Parry(defender, each) for each in uses)


def choose(table: Table, field: Battlefield, parries: tuple[Parry, ...], amount: int | None) -> Parry | None:
    """Let the defender decide how to parry a melee attack; `amount` is its damage if that is known already."""
    defenders = tuple(dict.fromkeys(parry.unit for parry in parries))
    if not defenders:
        return None
    defender = defenders[0]
    if len(defenders) > 1:
        label = f"{targeting.tile_label(field.at(defender))}: who parries"
        defender = table.choose(field.player(defender), label, defenders, about=field, means=field.option)
    own = tuple(parry for parry in parries if parry.unit == defender)
    options = [_phrase(parry) for parry in own]
    means = {
        option: _meant(table, field, option, parry, amount) for option, parry in zip(options, own, strict=True)
    }.__getitem__
    answer = table.choose(field.player(defender), f"{defender}: parry", options, about=field, means=means)
    parry = own[options.index(answer)]
    return parry if any(parry.uses) else None


def _phrase(parry: Parry) -> str:
    """Give the words of a parry by which it is chosen."""
    hands = [(HANDS[hand], many) for hand, many in enumerate(parry.uses) if many]
    return " + ".join(name if many == 1 else f"{many} x {name}" for name, many in hands) or NONE


def _meant(table: Table, field: Battlefield, option: str, parry: Parry, amount: int | None) -> Option:
    """Give what an option means: the weapons of the parry with their uses, and what it takes off."""
    with table.without_findings():
        off = sum(many for _, many in values(table, field, parry))
    against = "" if amount is None else f" of {amount}"
    gist = f"takes off {off}{against} damage" if off else f"takes off nothing{against}"
    used = {hand: many for hand, many in enumerate(parry.uses) if many}
    weapons = [f"{field.weapon(parry.unit, hand).title} ({HANDS[hand].replace('-', ' ')})" for hand in used]
    times = ["" if many == 1 else f", {many} times" for many in used.values()]
    names = " and ".join(map("".join, zip(weapons, times, strict=True)))
    hands = [
        {"hand": hand, "weapon": field.hands(parry.unit)[hand].weapon, "uses": many} for hand, many in used.items()
    ]
    label = f"{names}: {gist}" if names else f"no parry: {gist}"
    return Option(option, label, {"unit": field.name(parry.unit), "hands": hands, "takes_off": off, "damage": amount})


def take_off(table: Table, field: Battlefield, parry: Parry) -> ParryOutcome:
    """Give what a parry takes off, and the battlefield after its tags are gone."""
    after, off = used(table, field, parry), values(table, field, parry)
    for hand, many in off:
        table.event("parried", unit=parry.unit, weapon=field.hands(parry.unit)[hand].weapon, points=many)
    return ParryOutcome(after, off)


def values(table: Table, field: Battlefield, parry: Parry) -> tuple[tuple[int, int], ...]:
    """Give how much each weapon of a parry takes off, by the hand that holds it."""
    each = tuple((hand, lowest(table, field, parry.unit, hand) * many) for hand, many in enumerate(parry.uses) if many)
    return combined(table, field, parry.unit, each) if len(each) > 1 else each


@rule("parry.lowest", cites="parry/lowest", neutral=0)
def lowest(table: Table, field: Battlefield, defender: str, hand: int) -> int:
    """Decide how much a weapon parries: its lowest value of damage; what bonuses add is `parry-modifiers`."""
    weapon = field.weapon(defender, hand)
    least = min(weapon.damage, default=0)
    with table.without_findings():
        step = targeting.bonus(table, field, defender, "damage", "melee")

    def counted(modifiers: str) -> int:
        return least if modifiers == "no" else intensity.stepped(table, least, step)

    amount = settled(table, counted, ("parry-modifiers", ("no", "yes")))
    words = {"weapon": weapon.title, "unit": field.name(defender)}
    table.find("The {weapon} of {unit} parries {points} damage", **words, points=amount)
    return amount


@rule("parry.combined", cites="parry/dual-defence", neutral=lambda field, defender, each: each[:1])
def combined(
    table: Table, field: Battlefield, defender: str, each: tuple[tuple[int, int], ...]
) -> tuple[tuple[int, int], ...]:
    """Decide what two weapons parry together, if a parry of each is used: what both do."""
    text, total = "{unit} parries with both weapons: {points} = {total}", sum(points for _, points in each)
    table.find(text, unit=field.name(defender), points=" + ".join(str(points) for _, points in each), total=total)
    return each


@rule("parry.used", cites="parry/used-up", neutral=unchanged)
def used(table: Table, field: Battlefield, parry: Parry) -> Battlefield:
    """Decide what becomes of the tags of a parry: they are gone."""
    for hand, many in enumerate(parry.uses):
        if not many:
            continue
        rest = field.hands(parry.unit)[hand].parries - many
        weapon = field.weapon(parry.unit, hand)
        text, parries = (
            "{unit} uses {parries} with the {weapon} and has {left} left",
            Quantity(many, "parry", "parries"),
        )
        table.find(text, unit=field.name(parry.unit), parries=parries, weapon=weapon.title, left=rest)
        field = field.hand_put(parry.unit, hand, parries=rest)
    return field


@rule("parry.difference", cites=("parry/difference", "parry/steps"), neutral=lambda amount, points: amount)
def difference(table: Table, amount: int, points: int) -> int:
    """Decide how much of an attack that is parried is inflicted: the difference, and nothing where that is less."""
    rest = max(0, amount - points)
    table.find("{amount} damage, {points} parried: {rest} damage gets through", points=points, amount=amount, rest=rest)
    return rest


def shared_out(table: Table, weapons: tuple[WeaponCard, ...], amounts: dict[int, int], off: int) -> dict[int, int]:
    """Take what is parried off the damage of melee weapons; off whose first is `dual-parried-first`.

    `amounts` are by the place of a weapon among those used.
    """
    order = list(amounts)
    cards = [weapons[index] for index in order]
    apart = len({(card.bypasses, card.against, card.explosion_radius) for card in cards}) > 1
    if off and apart and sum(amounts.values()) > off and table.read("dual-parried-first") == "other-hand":
        order.reverse()
    left = dict(_less([(index, amounts[index]) for index in order], off))
    return {index: left.get(index, 0) for index in amounts}


@rule("parry.rolled", cites="parry/dice", neutral="low")
def rolled(table: Table, label: str, dice: int) -> intensity.Intensity:
    """Decide how intense a melee attack is: the dice settle it, parried or not."""
    how_intense = intensity.rolled(table, label, dice)
    table.find("The melee attack does {intensity} damage before any parry", intensity=how_intense)
    return how_intense


@rule("parry.shared", cites="melee/several", neutral=lambda units: units[:1])
def shared(table: Table, units: tuple[str, ...]) -> tuple[str, ...]:
    """Decide who on a tile shares the damage of a melee attack: everybody there, as of other attacks."""
    if len(units) > 1:
        table.find("{many} on the tile share the damage", many=Quantity(len(units), "unit"))
    return units


# What comes back


@rule(
    "parry.backlash",
    cites="parry/backlash",
    neutral=lambda field, attacker, parry, each, amount: DamageOutcome(field, (), 0),
)
def backlash(
    table: Table, field: Battlefield, attacker: str, parry: Parry, each: tuple[tuple[int, int], ...], amount: int
) -> DamageOutcome:
    """Decide what the attacker suffers when a parry is more than its attack: the difference.

    What the attack takes off the parry is taken off that of the first hand first. The attacker may parry it by
    `backlash-parried`, and nothing comes back of that.
    """
    rest = list(_less(each, amount))
    total = sum(points for _, points in rest)
    text = "The parry of {unit} exceeds the attack by {points}: {by} takes the difference"
    table.find(text, unit=field.name(parry.unit), points=total, by=field.name(attacker))
    if reserves(field, attacker) and table.read("backlash-parried") == "yes":
        answer = choose(table, field, offers(table, field, (attacker,), attacker), total)
        if answer is not None:
            turned = take_off(table, field, answer)
            field, rest = turned.field, list(_less(tuple(rest), turned.points))
    return _struck_back(table, field, attacker, parry.unit, tuple(rest))


def _less(each: Sequence[tuple[int, int]], amount: int) -> Sequence[tuple[int, int]]:
    """Take an amount off the damage of weapons in their order; give what is left of each."""
    left = []
    for place, many in each:
        off = min(many, amount)
        amount -= off
        if many > off:
            left.append((place, many - off))
    return left


def _struck_back(
    table: Table, field: Battlefield, attacker: str, defender: str, rest: tuple[tuple[int, int], ...]
) -> DamageOutcome:
    """Let the backlash of a parry fall on the attacker, weapon by weapon."""
    through = bool(rest) and (
        not layers.left(table, field, attacker).energy_shield or table.read("backlash-shields") == "yes"
    )
    dealt = DamageOutcome(field, (), 0)
    for hand, many in rest:
        weapon = field.weapon(defender, hand)
        special = bool(weapon.against or weapon.bypasses) and table.read("backlash-bonuses") == "yes"
        blow = Blow(many, Belonging(weapon.title, field.name(defender)), defender, through)
        if special:
            blow = replace(blow, bypasses=weapon.bypasses, against=weapon.against)
        more = damage.on_unit(table, dealt.field, attacker, blow)
        dealt = DamageOutcome(more.field, dealt.losses + more.losses, dealt.left + more.left)
    return dealt


def reserves(field: Battlefield, defender: str) -> dict[int, int]:
    """Give how many parries a unit has reserved, by the hand of the weapon."""
    return {hand: held.parries for hand, held in enumerate(field.hands(defender)) if held.parries}
