"""Actions: the overview with its types, limits and prices, and which actions are available to a unit."""

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.fields import Id
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.book import Action
from services.rapture.rules import abilities, activation, escape, movement, prices, reach, retreat, targets
from services.rapture.rules.prices import Price
from services.rapture.scene import counted, times

_ANSWERED = {
    "movement-into-contact": "movement into contact",
    "close-combat": "close combat attack",
    "ranged": "ranged attack",
}
"""What reactions answer, in words."""


class ActionRow(Value, frozen=True):
    """A row of the overview: whether it is available (`open`), its price, how often it is left this round, and why not.

    `left` is null without a limit; limits and prices of abilities are in their own rows.
    """

    action: Id
    type: Literal["action", "reaction"]
    open: bool
    price: Price
    left: int | None
    reasons: tuple[Reason, ...]


@rule(
    "actions.row",
    cites="action/columns",
    neutral=lambda field, unit_id, action: ActionRow(action, field.book.actions[action].type, True, Price(), None, ()),
)
def row(table: Table, field: Battlefield, unit_id: str, action: str) -> ActionRow:
    """Decide the price of a row of the overview, how often it is left, and why it is not available."""
    row_, most = field.book.actions[action], limit(table, field, action)
    reasons = violations(table, field, unit_id, action)
    for reason in reasons:
        table.find("{action} is not available: {why}", cites=reason.cites, action=row_.name, why=reason)
    left = None if most is None else max(0, most - times(field.unit(unit_id).used, action))
    return ActionRow(action, row_.type, not reasons, price(table, field, action), left, reasons)


@every_reason
def violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Give every reason why a row of the overview is not available to a unit now."""
    if not in_play(field.unit(unit_id)):
        yield from activation.readiness_violations(table, field, unit_id)
    else:
        yield from untargeted_violations(table, field, unit_id, action)
        yield from requirement_violations(table, field, unit_id, action)


@every_reason
def untargeted_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Give every reason why a unit cannot take an action on any target: moment, shelter, limit, price."""
    yield from moment_violations(table, field, unit_id, action)
    yield from shelter_violations(table, field, unit_id, action)
    yield from got_up_violations(table, field, unit_id, action)
    yield from limit_violations(table, field, unit_id, action)
    yield from prices.violations(table, field, unit_id, price(table, field, action))


@rule(
    "actions.price",
    cites=(
        *("action/movement", "action/countershot", "action/close-combat", "action/dodge", "action/counterblow"),
        *("action/retreat", "action/ranged", "action/seek-shelter", "action/extinguish-fire", "action/get-up"),
        "action/columns",
    ),
    neutral=Price(),
)
def price(table: Table, field: Battlefield, action: str) -> Price:
    """Decide the price of a row of the overview; the price of an ability is on its card."""
    row_ = field.book.actions[action]
    price_ = Price(ap=row_.ap, rp=row_.rp, mp=row_.mp)
    if not row_.on_card:
        table.explain(_find_price, row_, price_)
    return price_


def _find_price(table: Table, row_: Action, price_: Price) -> None:
    cites = (f"action/{row_.id}", "action/columns")
    table.find("{action} costs {price}", cites=cites, action=row_.name, price=prices.describe(price_))


@rule(
    "actions.limit", cites=("action/movement", "action/close-combat", "action/ranged", "action/columns"), neutral=None
)
def limit(table: Table, field: Battlefield, action: str) -> int | None:
    """Decide how often an action can be taken in a round; null means no limit."""
    row_ = field.book.actions[action]
    if row_.limit_per_round is not None:
        text = "{action} can be taken at most {most} times per round"
        table.find(text, cites=f"action/{action}", action=row_.name, most=row_.limit_per_round)
    return row_.limit_per_round


@violations_rule("actions.limit_violations", cites="action/columns")
def limit_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Decide why a unit cannot take an action again this round: its limit is reached."""
    most, used = limit(table, field, action), times(field.unit(unit_id).used, action)
    if most is not None and used >= most:
        text, name = "{unit} has taken {action} {used} times this round; the limit is {most}", field.name(unit_id)
        action_name = field.book.actions[action].name
        yield table.reason(text, cites=f"action/{action}", unit=name, action=action_name, used=used, most=most)


@violations_rule("actions.moment_violations", cites="action/columns")
def moment_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Decide why an action cannot be taken at this moment: only reactions are taken outside the unit's own activation.

    Whether fire can be extinguished at other times is the reading `extinguish-fire-when`. The cards of abilities give
    their own moments.
    """
    row_ = field.book.actions[action]
    if row_.type == "reaction":
        text, answers = "{action} is a reaction to an opponent's {answers}", _ANSWERED[row_.answers or ""]
        yield table.reason(text, cites=(f"action/{action}", "action/columns"), action=row_.name, answers=answers)
    elif not row_.on_card:
        reasons = activation.action_violations(table, field, unit_id)
        if reasons and action == "extinguish-fire" and table.read("extinguish-fire-when") == "any-time":
            table.find("Fire can be extinguished at any time", cites="action/extinguish-fire")
        else:
            yield from reasons


@violations_rule("actions.shelter_violations", cites="seek-shelter/only-get-up")
def shelter_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Decide why shelter forbids an action: a unit with a Shelter Marker can only get up."""
    row_ = field.book.actions[action]
    free = row_.type == "reaction" or row_.on_card or row_.while_sheltered
    if not free and field.unit(unit_id).shelter_markers:
        yield table.reason("{unit} has a Shelter Marker and can only get up", unit=field.name(unit_id))


@violations_rule("actions.got_up_violations", cites="seek-shelter/afterwards")
def got_up_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Decide why a unit that has got up in this activation cannot act: the reading `get-up-then`."""
    row_ = field.book.actions[action]
    if row_.type == "reaction" or row_.on_card or action == "get-up" or not field.unit(unit_id).got_up:
        return
    if table.read("get-up-then") == "same-activation":
        table.find("{unit} has got up and can act as usual", unit=field.name(unit_id))
    else:
        yield table.reason("{unit} has got up and cannot act before its next activation", unit=field.name(unit_id))


def requirement_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Give every reason why a requirement of an action is not met."""
    row_ = field.book.actions[action]
    if row_.type == "reaction":
        return ()
    match action:
        case "movement":
            return movement.violations(table, field, unit_id)
        case "retreat":
            return retreat.violations(table, field, unit_id)
        case "get-up":
            return get_up_violations(table, field, unit_id)
        case "extinguish-fire":
            return fire_violations(table, field, unit_id)
        case "ability" | "mission-ability":
            return _ability_violations(table, field, unit_id, row_)
        case _:
            return target_violations(table, field, unit_id, action)


@violations_rule("actions.target_violations", cites=("action/close-combat", "action/ranged"))
def target_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Decide why there is no target: no opponent is in reach in close combat, or in range and sight."""
    if action == "ranged" and (unarmed := reach.weapon_violations(table, field, unit_id)):
        yield from unarmed
        return

    def can_be_attacked(enemy_id: str) -> bool:
        pair = field, unit_id, enemy_id
        if action == "close-combat":
            return reach.close(table, *pair).open
        contact = (*targets.melee_violations(table, *pair), *targets.engagement_violations(table, *pair))
        return not contact and reach.shot(table, *pair).open

    if not any(can_be_attacked(enemy.id) for enemy in field.enemies(field.unit(unit_id))):
        close, far = "No opponent is in contact with {unit}", "{unit} has no opponent it can shoot at"
        text = close if action == "close-combat" else far
        yield table.reason(text, cites=f"action/{action}", unit=field.name(unit_id))


@violations_rule("actions.get_up_violations", cites="action/get-up")
def get_up_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot get up: it has no Shelter Marker."""
    if not field.unit(unit_id).shelter_markers:
        yield table.reason("{unit} has no Shelter Marker", unit=field.name(unit_id))


@violations_rule("actions.fire_violations", cites="action/extinguish-fire")
def fire_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why a unit cannot extinguish a fire: it has no status that this action ends."""
    if not _fires(field, unit_id):
        yield table.reason("{unit} is not on fire", unit=field.name(unit_id))


def _fires(field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the statuses of a unit that extinguishing ends."""
    statuses = field.unit(unit_id).statuses
    return tuple(id_ for id_ in statuses if "extinguish-fire" in field.book.statuses[id_].removed_by)


def _ability_violations(table: Table, field: Battlefield, unit_id: str, row_: Action) -> tuple[Reason, ...]:
    """Give every reason why no ability of the card, or of the mission, is available."""
    ids = abilities.of_card(field, unit_id) if row_.id == "ability" else abilities.of_mission(field, unit_id)
    if not ids:
        return card_violations(table, field, unit_id, row_.id)
    reasons = [abilities.untargeted_violations(table, field, unit_id, id_) for id_ in ids]
    return () if not all(reasons) else tuple(dict.fromkeys(reason for each in reasons for reason in each))


@violations_rule("actions.card_violations", cites=("action/ability", "action/mission-ability"))
def card_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> Iterator[Reason]:
    """Decide why there is no ability to use: the card, or the mission, gives none."""
    text = "{unit} has no ability on its card" if action == "ability" else "The mission of {unit} has no ability"
    yield table.reason(text, cites=f"action/{action}", unit=field.name(unit_id))


@rule("actions.pay", cites=("profile/action-points", "action/columns"), neutral=unchanged)
def pay(table: Table, field: Battlefield, unit_id: str, action: str) -> Battlefield:
    """Decide what an action costs: its AP and RP, its MP crossed out, and one use of its limit.

    The first action of a unit begins its activation.
    """
    price_ = price(table, field, action)
    with table.without_findings():
        outside = activation.action_violations(table, field, unit_id)
    if not outside:
        field = activation.begin(table, field, unit_id)
    field = prices.spend(table, field, unit_id, price_)
    unit = field.unit(unit_id)
    field = field.put(replace(unit, used=counted(unit.used, action)))
    return escape.cross_morale(table, field, unit_id, price_.mp)


@rule("actions.get_up", cites=("action/get-up", "seek-shelter/afterwards"), neutral=unchanged)
def get_up(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what getting up does: the unit pays and loses its Shelter Markers."""
    field = pay(table, field, unit_id, "get-up")
    table.find("{unit} gets up", unit=field.name(unit_id))
    table.event("got-up", unit=unit_id)
    return field.put(replace(field.unit(unit_id), shelter_markers=0, got_up=True))


@rule("actions.extinguish_fire", cites="action/extinguish-fire", neutral=unchanged)
def extinguish_fire(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what extinguishing does: the unit pays and is no longer on fire."""
    field = pay(table, field, unit_id, "extinguish-fire")
    unit, out = field.unit(unit_id), _fires(field, unit_id)
    table.find("{unit} is no longer on fire", unit=field.name(unit.id))
    table.event("extinguished", unit=unit_id)
    return field.put(replace(unit, statuses=tuple(id_ for id_ in unit.statuses if id_ not in out)))


@violations_rule("actions.end_violations", cites="activation/no-skipping")
def end_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide why the activation of a unit cannot end yet: it has not acted, and can (`idle-activation`)."""
    band, rows = (field.unit(unit_id), *field.apprentices(unit_id)), field.book.actions
    # Reactions do not count, abilities do.
    if any(row.id not in rows or rows[row.id].type == "action" for unit in band for row in unit.used):
        return
    with table.without_findings():
        could = [id_ for unit in band for id_ in rows if not violations(table, field, unit.id, id_)]
    if could and table.read("idle-activation") != "allowed":
        names = Listing(rows[id_].name for id_ in dict.fromkeys(could))
        yield table.reason("{unit} has not acted and can still take {actions}", unit=field.name(unit_id), actions=names)
