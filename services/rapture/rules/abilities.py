"""Abilities: which unit can use one and when, its price, its test, and its effects.

It follows the cost legend. Effects that no field of a card holds are left to the players: the arbiter checks, pays and
rolls.
"""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.dice import D6
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.profiles import Changes
from services.rapture.rules import activation, aims, boxes, escape, prices, squads, uses
from services.rapture.rules.prices import Price
from services.rapture.scene import Effect

EASIEST, HARDEST = 2, 6
POINTS = ("ability/action-points", "ability/reaction-points", "ability/life-points", "ability/morale-points")


def of_card(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the abilities of a unit's card that can be used."""
    profile = field.profile(field.unit(unit_id))
    return tuple(id_ for id_ in profile.abilities if field.book.abilities[id_].when in ("action", "anytime"))


def of_mission(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the ability of the mission of a unit's side, if it has one."""
    mission = field.side(field.unit(unit_id)).mission
    ability = None if mission is None else field.book.missions[mission].ability
    return () if ability is None else (ability,)


@every_reason
def violations(table: Table, field: Battlefield, unit_id: str, ability: str, target: str | None) -> Iterator[Reason]:
    """Give every reason why a unit cannot use an ability on this target now."""
    yield from untargeted_violations(table, field, unit_id, ability)
    yield from aims.violations(table, field, unit_id, ability, target)


@every_reason
def untargeted_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> Iterator[Reason]:
    """Give every reason why a unit cannot use an ability now, on any target."""
    if owned := ownership_violations(table, field, unit_id, ability):
        yield from owned
        return
    yield from moment_violations(table, field, unit_id, ability)
    yield from uses.limit_violations(table, field, unit_id, ability)
    yield from prices.violations(table, field, unit_id, price(table, field, ability))
    yield from price_violations(table, field, unit_id, ability)
    yield from test_violations(table, field, unit_id, ability)


@rule("abilities.overview_violations", cites="action/ability", neutral=())
def overview_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> tuple[Reason, ...]:
    """Decide why an ability is not available to a unit now, on any target, and report each reason."""
    reasons = untargeted_violations(table, field, unit_id, ability)
    for reason in reasons:
        words = {"ability": field.ability_name(ability), "why": reason}
        table.find("{ability} is not available: {why}", cites=reason.cites, **words)
    return reasons


# When


@violations_rule("abilities.ownership_violations", cites=("action/ability", "action/mission-ability"))
def ownership_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> Iterator[Reason]:
    """Decide why a unit does not have an ability: neither its card nor its side's mission gives it."""
    if ability in of_mission(field, unit_id):
        name = field.ability_name(ability)
        table.find("{ability} comes from the mission", cites="action/mission-ability", ability=name)
    elif ability not in field.profile(field.unit(unit_id)).abilities:
        names = {"unit": field.name(unit_id), "ability": field.ability_name(ability)}
        yield table.reason("{unit} does not have {ability}", **names)


@violations_rule(
    "abilities.moment_violations", cites=("ability/passive", "ability/box", "ability/anytime", "action/ability")
)
def moment_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> Iterator[Reason]:
    """Decide why an ability cannot be used at this moment.

    A passive ability always applies and a box triggers its own: neither is used. When an ability may be used "anytime"
    is the reading `anytime`. All others are actions; those that cost RP may be reactions (`reaction-abilities`).
    """
    card, unit = field.book.abilities[ability], field.unit(unit_id)
    names = {"unit": field.name(unit.id), "ability": field.ability_name(ability)}
    if not in_play(unit):
        yield from activation.readiness_violations(table, field, unit_id)
        return
    if card.when == "passive":
        text = "{ability} is passive: it always applies and is never used"
        yield table.reason(text, cites="ability/passive", **names)
        return
    if card.when == "box":
        yield table.reason("{ability} is triggered by its box and is never used", cites="ability/box", **names)
        return
    own = activation.action_violations(table, field, unit_id)
    if card.when == "anytime":
        if own and table.read("anytime") == "own-activation":
            yield from own
        else:
            table.find("{ability} can be used at any time", cites="ability/anytime", **names)
        return
    active = field.scene.active
    others_turn = active is not None and field.player(active) != unit.side
    if own and card.rp and others_turn and table.read("reaction-abilities") == "reaction":
        # As in `answers.marker_violations`.
        if unit.escaping and table.read("escaping-reactions") == "none":
            text = "{unit} has an Escape Marker and cannot react"
            yield table.reason(text, cites="activation/escaping", unit=names["unit"])
        if unit.shelter_markers and table.read("shelter-reactions") == "none":
            text = "{unit} has a Shelter Marker and can only get up"
            yield table.reason(text, cites="seek-shelter/only-get-up", unit=names["unit"])
        return
    yield from own
    if unit.shelter_markers:
        text = "{unit} has a Shelter Marker and can only get up"
        yield table.reason(text, cites="seek-shelter/only-get-up", **names)
    if unit.got_up and table.read("get-up-then") == "next-activation":
        text = "{unit} has got up and cannot act before its next activation"
        yield table.reason(text, cites="seek-shelter/afterwards", **names)


# The price


@rule("abilities.price", cites=POINTS, neutral=Price())
def price(table: Table, field: Battlefield, ability: str) -> Price:
    """Decide the price of an ability: the AP, RP, LP and MP of its card."""
    card = field.book.abilities[ability]
    price_ = Price(card.ap, card.rp, card.lp, card.mp)
    table.explain(_find_price, field, ability, price_)
    return price_


def _find_price(table: Table, field: Battlefield, ability: str, price_: Price) -> None:
    kinds = ((price_.ap, "action"), (price_.rp, "reaction"), (price_.lp, "life"), (price_.mp, "morale"))
    if cites := tuple(f"ability/{kind}-points" for many, kind in kinds if many):
        name = field.ability_name(ability)
        table.find("{ability} costs {price}", cites=cites, ability=name, price=prices.describe(price_))


@violations_rule("abilities.price_violations", cites=("ability/life-points", "ability/morale-points"))
def price_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> Iterator[Reason]:
    """Decide why a unit cannot pay LP and MP.

    What LP are is the reading `life-points`, whether the last box may be crossed out `last-box-as-price`.
    """
    for kind, many, bar, cites in _in_boxes(table, price(table, field, ability)):
        available = _supply(field, unit_id) if bar is None else boxes.left(field, unit_id, bar)
        words = {"unit": field.name(unit_id), "has": available, "kind": kind, "asks": many}
        if available < many:
            yield table.reason("{unit} has {has} {kind} and needs {asks}", cites=cites, **words)
        elif bar is not None and available == many and table.read("last-box-as-price") == "forbidden":
            yield table.reason("{unit} cannot pay with its last {kind}", cites=cites, **words)


def _in_boxes(table: Table, price_: Price) -> Iterator[tuple[str, int, boxes.Bar | None, str]]:
    """Give the parts of a price other than AP and RP: name, number, bar if it is crossed out, and citation."""
    if price_.lp:
        bar: boxes.Bar | None = "hp" if table.read("life-points") == "health" else None
        yield ("LP" if bar is None else "HP"), price_.lp, bar, "ability/life-points"
    if price_.mp:
        yield "MP", price_.mp, "mp", "ability/morale-points"


def _supply(field: Battlefield, unit_id: str) -> int:
    """Give the life points left on a card: each use of an ability in this game costs its LP."""
    unit = field.unit(unit_id)
    spent = sum(field.book.abilities[row.id].lp * row.times for row in unit.used_match)
    return max(0, field.profile(unit).lp - spent)


@rule("abilities.pay", cites=POINTS, neutral=unchanged)
def pay(table: Table, field: Battlefield, unit_id: str, ability: str) -> Battlefield:
    """Decide what a unit pays for an ability, and what follows from the boxes it crosses out."""
    price_ = price(table, field, ability)
    if price_ == Price():
        return field
    field = prices.spend(table, field, unit_id, price_)
    for kind, many, bar, cites in _in_boxes(table, price_):
        table.find("{unit} pays {many} {kind}", cites=cites, unit=field.name(unit_id), many=many, kind=kind)
        if bar == "hp":
            field = boxes.cross_health(table, field, unit_id, many, field.unit(unit_id).side)
        elif bar == "mp":
            field = escape.cross_morale(table, field, unit_id, many)
    return field


# The test


@violations_rule("abilities.test_violations", cites=("ability/test-mms",))
def test_violations(table: Table, field: Battlefield, unit_id: str, ability: str) -> Iterator[Reason]:
    """Decide why a unit cannot take an ability's test: the test is against MMS, and the unit has none."""
    if field.book.abilities[ability].test == "mms" and field.profile(field.unit(unit_id)).mms is None:
        text = "{ability} is tested against MMS, and {unit} has none"
        yield table.reason(text, unit=field.name(unit_id), ability=field.ability_name(ability))


@rule("abilities.difficulty", cites=("ability/test-mms", "ability/test-ccs", "ability/test-number"), neutral=1)
def difficulty(table: Table, field: Battlefield, unit_id: str, ability: str) -> int:
    """Decide the lowest face that passes an ability's test: MMS, CCS, or its own number.

    Whether boxes have changed these values is `ability-test-values`, what lies beyond a die's faces `difficulty-range`.
    """
    card, unit = field.book.abilities[ability], field.unit(unit_id)
    if card.test == "number":
        return card.difficulty or 1
    profile, now = field.profile(unit), boxes.values(table, field, unit_id)
    of_now, of_card_ = (now.ccs, profile.ccs) if card.test == "ccs" else (now.mms or 7, profile.mms or 7)
    if of_now != of_card_ and table.read("ability-test-values") == "card":
        return of_card_
    capped = min(max(of_now, EASIEST), HARDEST)
    return of_now if capped != of_now and table.read("difficulty-range") == "open" else capped


@rule("abilities.test", cites=("ability/test-mms", "ability/test-ccs", "ability/test-number"), neutral=True)
def test(table: Table, field: Battlefield, unit_id: str, ability: str) -> bool:
    """Decide whether an ability works: one die that shows its difficulty or more; without a test it does."""
    card = field.book.abilities[ability]
    if card.test is None:
        return True
    least = difficulty(table, field, unit_id, ability)
    passed = table.call(test_passes, f"{unit_id}: {ability}", least)
    text, how = "{unit} needs {asked}+ for {ability}: {how}", "it works" if passed else "it fails"
    names = {"unit": field.name(unit_id), "ability": field.ability_name(ability)}
    table.find(text, cites=f"ability/test-{card.test}", asked=least, **names, how=how)
    return passed


def test_passes(table: Table, label: str, least: int) -> bool:
    """Roll one die against a difficulty."""
    face: int = table.roll(D6, label)
    table.record(label, total=face, needed=least, outcome="success" if face >= least else "failure")
    return face >= least


# What it does


def use(table: Table, field: Battlefield, unit_id: str, ability: str, target: str | None) -> tuple[Battlefield, bool]:
    """Give the battlefield after an ability is used, and whether it succeeds: pay, test, count, apply."""
    card = field.book.abilities[ability]
    if card.when == "action":
        field = activation.begin(table, field, unit_id)
    before = field
    on = unit_id if card.target == "self" else target
    field = pay(table, field, unit_id, ability)
    success = test(table, field, unit_id, ability)
    if not success:
        field = refund(table, before, field, unit_id, ability)
    field = uses.record_use(table, field, unit_id, ability, success)
    table.event("used", unit=unit_id, ability=ability, target=on, success=success)
    return (apply(table, field, unit_id, ability, on) if success else field), success


@rule("abilities.refund", cites=POINTS, neutral=lambda before, paid, unit_id, ability: paid)
def refund(table: Table, before: Battlefield, paid: Battlefield, unit_id: str, ability: str) -> Battlefield:
    """Decide what a unit has paid for an ability that fails: its price, or by `ability-failed` nothing."""
    price_ = price(table, before, ability)
    if price_ == Price() or table.read("ability-failed") == "paid":
        return paid
    table.find("{unit} gets {price} back", unit=before.name(unit_id), price=prices.describe(price_))
    return before


@rule("abilities.apply", cites="action/ability", neutral=unchanged)
def apply(table: Table, field: Battlefield, unit_id: str, ability: str, on: str | None) -> Battlefield:
    """Decide what a successful ability does: boxes crossed out or restored, values, a status, refilled charges.

    Its wounds are not damage: nothing blocks or reduces them. A unit that is off the battlefield is not affected.
    """
    card, side = field.book.abilities[ability], field.player(unit_id)
    if ability in of_mission(field, unit_id):
        field = record_mission_action(table, field, side)
    if on is None or on not in field.by_id or not in_play(field.unit(on)):
        return field
    target, name = field.unit(on), field.name(on)
    if card.modifiers != Changes() and card.lasts is not None:
        affected = replace(target, effects=(*target.effects, Effect(ability, card.lasts)))
        target = boxes.adjust_points(table, field.book, target, affected)
        table.find("{ability} affects {unit}", ability=field.ability_name(ability), unit=name)
    if card.status is not None and card.status not in target.statuses:
        target = replace(target, statuses=(*target.statuses, card.status))
        status = field.book.statuses[card.status].name or card.status
        table.find("{unit} is now {status}", unit=name, status=status)
        table.event("status", unit=on, status=card.status)
    field = field.put(target)
    if card.refills:
        field = refill(table, field, on)
    field = boxes.restore(table, field, on, "hp", card.heal_hp)
    field = escape.restore_morale(table, field, on, card.heal_mp)
    field = squads.remove_models(table, boxes.cross_health(table, field, on, card.wounds, side), on)
    return escape.cross_morale(table, field, on, card.morale)


@rule("abilities.refill", cites="ability/charges-refilled", neutral=unchanged)
def refill(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what a refill of charges does: the unit has all its charges again."""
    unit = field.unit(unit_id)
    if not unit.charges_left:
        return field
    table.find("{unit} regains all its charges", unit=field.name(unit.id))
    table.event("charges-refilled", unit=unit_id)
    return field.put(replace(unit, charges_left=()))


@rule("abilities.record_mission_action", cites="action/mission-ability", neutral=unchanged)
def record_mission_action(table: Table, field: Battlefield, side: str) -> Battlefield:
    """Decide what a use of the mission's ability counts as: one deed of the side."""
    table.event("deed", side=side)
    sides = field.scene.all_sides
    return field.with_(sides=tuple(replace(row, deeds=row.deeds + 1) if row.id == side else row for row in sides))
