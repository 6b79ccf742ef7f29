"""Actions: the overview with its types, limits and prices, and which actions are available to a unit."""

from collections.abc import Iterator
from typing import Literal

from msgspec.structs import replace

from arbiter.rule import Reason, rule
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

_ALL = (
    "action/movement",
    "action/countershot",
    "action/close-combat",
    "action/dodge",
    "action/counterblow",
    "action/retreat",
    "action/ranged",
    "action/seek-shelter",
    "action/extinguish-fire",
    "action/get-up",
)


class Row(Value, frozen=True):
    """A row of the overview for a unit: its price, how often it is left, and every reason why it is not available.

    `left` is null without a limit, and where the card of an ability gives limit and price.
    """

    action: str
    name: str
    type: Literal["action", "reaction"]
    price: Price
    left: int | None
    reasons: tuple[Reason, ...]


def overview(table: Table, field: Battlefield, unit_id: str) -> tuple[Row, ...]:
    """Give all rows of the overview for a unit, with every reason why a row is not available now."""
    return tuple(row(table, field, unit_id, action) for action in field.book.actions)


@rule(
    "actions.row",
    cites="action/columns",
    neutral=lambda field, unit_id, action: Row(action, "", field.book.actions[action].type, Price(), None, ()),
)
def row(table: Table, field: Battlefield, unit_id: str, action: str) -> Row:
    """Decide the price of a row of the overview, how often it is left, and why it is not available."""
    row_ = field.book.actions[action]
    most = limit(table, field, action)
    reasons = violations(table, field, unit_id, action)
    for reason in reasons:
        table.find("{action} is not available: {why}", cites=reason.cites, action=row_.name, why=reason)
    return Row(
        action,
        row_.name,
        row_.type,
        price(table, field, action),
        None if most is None else max(0, most - times(field.unit(unit_id).used, action)),
        reasons,
    )


def open_now(table: Table, field: Battlefield, unit_id: str) -> tuple[str, ...]:
    """Give the ids of the actions that are available to a unit now."""
    with table.without_findings():
        return tuple(_open_now(table, field, unit_id))


def _open_now(table: Table, field: Battlefield, unit_id: str) -> Iterator[str]:
    return (id_ for id_ in field.book.actions if not violations(table, field, unit_id, id_))


def violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Give every reason why a row of the overview is not available to a unit now."""
    if not in_play(field.unit(unit_id)):
        return activation.readiness_violations(table, field, unit_id)

    def every() -> Iterator[Reason]:
        yield from untargeted_violations(table, field, unit_id, action)
        yield from requirement_violations(table, field, unit_id, action)

    return table.reasons(every())


def untargeted_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Give every reason why a unit cannot take an action on any target: moment, shelter, limit, price."""

    def every() -> Iterator[Reason]:
        yield from moment_violations(table, field, unit_id, action)
        yield from shelter_violations(table, field, unit_id, action)
        yield from got_up_violations(table, field, unit_id, action)
        yield from limit_violations(table, field, unit_id, action)
        yield from prices.violations(table, field, unit_id, price(table, field, action))

    return table.reasons(every())


# Type, limit and price


@rule("actions.price", cites=(*_ALL, "action/columns"), neutral=Price())
def price(table: Table, field: Battlefield, action: str) -> Price:
    """Decide the price of a row of the overview; the price of an ability is on its card."""
    row_ = field.book.actions[action]
    price_ = Price(ap=row_.ap, rp=row_.rp, mp=row_.mp)
    if not row_.on_card:
        table.explain(_find_price, row_, price_)
    return price_


def _find_price(table: Table, row_: Action, price_: Price) -> None:
    cites = (_row(row_.id), "action/columns")
    table.find("{action} costs {price}", cites=cites, action=row_.name, price=prices.describe(price_))


@rule(
    "actions.limit", cites=("action/movement", "action/close-combat", "action/ranged", "action/columns"), neutral=None
)
def limit(table: Table, field: Battlefield, action: str) -> int | None:
    """Decide how often an action can be taken in a round; null means no limit."""
    row_ = field.book.actions[action]
    if row_.limit_per_round is not None:
        text = "{action} can be taken at most {most} times per round"
        table.find(text, cites=_row(action), action=row_.name, most=row_.limit_per_round)
    return row_.limit_per_round


@rule("actions.limit_violations", cites="action/columns", neutral=())
def limit_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Decide why a unit cannot take an action again this round: its limit is reached."""
    most, used = limit(table, field, action), times(field.unit(unit_id).used, action)
    if most is None or used < most:
        return ()
    text = "{unit} has taken {action} {used} times this round; the limit is {most}"
    return (
        table.reason(
            text,
            cites=_row(action),
            unit=field.name(unit_id),
            action=field.book.actions[action].name,
            used=used,
            most=most,
        ),
    )


@rule("actions.moment_violations", cites="action/columns", neutral=())
def moment_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Decide why an action cannot be taken at this moment: only reactions are taken outside the unit's own activation.

    Whether fire can be extinguished at other times is the reading `extinguish-fire-when`. The cards of abilities give
    their own moments.
    """
    row_ = field.book.actions[action]
    if row_.type == "reaction":
        text, answers = "{action} is a reaction to an opponent's {answers}", _ANSWERED[row_.answers or ""]
        return (table.reason(text, cites=(_row(action), "action/columns"), action=row_.name, answers=answers),)
    if row_.on_card:
        return ()
    reasons = activation.action_violations(table, field, unit_id)
    if reasons and action == "extinguish-fire" and table.read("extinguish-fire-when") == "any-time":
        table.find("Fire can be extinguished at any time", cites="action/extinguish-fire")
        return ()
    return reasons


@rule("actions.shelter_violations", cites="seek-shelter/only-get-up", neutral=())
def shelter_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Decide why shelter forbids an action: a unit with a Shelter Marker can only get up."""
    row_ = field.book.actions[action]
    if row_.type == "reaction" or row_.on_card or row_.while_sheltered or not field.unit(unit_id).shelter_markers:
        return ()
    text = "{unit} has a Shelter Marker and can only get up"
    return (table.reason(text, unit=field.name(unit_id)),)


@rule("actions.got_up_violations", cites="seek-shelter/afterwards", neutral=())
def got_up_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Decide why a unit that has got up in this activation cannot act: the reading `get-up-then`."""
    unit = field.unit(unit_id)
    row_ = field.book.actions[action]
    if row_.type == "reaction" or row_.on_card or action == "get-up" or not unit.got_up:
        return ()
    if table.read("get-up-then") == "same-activation":
        table.find("{unit} has got up and can act as usual", unit=field.name(unit.id))
        return ()
    return (table.reason("{unit} has got up and cannot act before its next activation", unit=field.name(unit.id)),)


# Requirements


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


@rule("actions.target_violations", cites=("action/close-combat", "action/ranged"), neutral=())
def target_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Decide why there is no target: no opponent is in reach in close combat, or in range and sight."""
    unit = field.unit(unit_id)
    if action == "ranged" and (unarmed := reach.weapon_violations(table, field, unit_id)):
        return unarmed
    reaches = _in_reach if action == "close-combat" else _in_range
    if any(reaches(table, field, unit_id, enemy.id) for enemy in field.enemies(unit)):
        return ()
    text = (
        "No opponent is in contact with {unit}"
        if action == "close-combat"
        else "{unit} has no opponent it can shoot at"
    )
    return (table.reason(text, cites=_row(action), unit=field.name(unit.id)),)


def _in_reach(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> bool:
    return reach.close(table, field, attacker_id, target_id).open


def _in_range(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> bool:
    reasons = (
        *targets.melee_violations(table, field, attacker_id, target_id),
        *targets.engagement_violations(table, field, attacker_id, target_id),
    )
    return not reasons and reach.shot(table, field, attacker_id, target_id).open


@rule("actions.get_up_violations", cites="action/get-up", neutral=())
def get_up_violations(table: Table, field: Battlefield, unit_id: str) -> tuple[Reason, ...]:
    """Decide why a unit cannot get up: it has no Shelter Marker."""
    unit = field.unit(unit_id)
    return () if unit.shelter_markers else (table.reason("{unit} has no Shelter Marker", unit=field.name(unit.id)),)


@rule("actions.fire_violations", cites="action/extinguish-fire", neutral=())
def fire_violations(table: Table, field: Battlefield, unit_id: str) -> tuple[Reason, ...]:
    """Decide why a unit cannot extinguish a fire: it has no status that this action ends."""
    unit = field.unit(unit_id)
    return () if _fires(field, unit_id) else (table.reason("{unit} is not on fire", unit=field.name(unit.id)),)


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


@rule("actions.card_violations", cites=("action/ability", "action/mission-ability"), neutral=())
def card_violations(table: Table, field: Battlefield, unit_id: str, action: str) -> tuple[Reason, ...]:
    """Decide why there is no ability to use: the card, or the mission, gives none."""
    text = "{unit} has no ability on its card" if action == "ability" else "The mission of {unit} has no ability"
    return (table.reason(text, cites=_row(action), unit=field.name(unit_id)),)


def _row(action: str) -> str:
    return f"action/{action}"


# Taking one


@rule("actions.pay", cites=("profile/action-points", "action/columns"), neutral=lambda field, unit_id, action: field)
def pay(table: Table, field: Battlefield, unit_id: str, action: str) -> Battlefield:
    """Decide what an action costs: its AP and RP, its MP crossed out, and one use of its limit.

    The first action of a unit begins its activation.
    """
    price_ = price(table, field, action)
    if field.book.actions[action].type == "action" and not activation_closed(table, field, unit_id):
        field = activation.begin(table, field, unit_id)
    field = prices.spend(table, field, unit_id, price_)
    unit = field.unit(unit_id)
    field = field.put(replace(unit, used=counted(unit.used, action)))
    return escape.cross_morale(table, field, unit_id, price_.mp)


def activation_closed(table: Table, field: Battlefield, unit_id: str) -> bool:
    """Decide whether a unit acts outside its own activation."""
    with table.without_findings():
        return bool(activation.action_violations(table, field, unit_id))


@rule("actions.get_up", cites=("action/get-up", "seek-shelter/afterwards"), neutral=lambda field, unit_id: field)
def get_up(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what getting up does: the unit pays and loses its Shelter Markers."""
    field = pay(table, field, unit_id, "get-up")
    unit = field.unit(unit_id)
    table.find("{unit} gets up", unit=field.name(unit.id))
    table.event("got-up", unit=unit_id)
    return field.put(replace(unit, shelter_markers=0, got_up=True))


@rule("actions.extinguish_fire", cites="action/extinguish-fire", neutral=lambda field, unit_id: field)
def extinguish_fire(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what extinguishing does: the unit pays and is no longer on fire."""
    field = pay(table, field, unit_id, "extinguish-fire")
    unit, out = field.unit(unit_id), _fires(field, unit_id)
    table.find("{unit} is no longer on fire", unit=field.name(unit.id))
    table.event("extinguished", unit=unit_id)
    return field.put(replace(unit, statuses=tuple(id_ for id_ in unit.statuses if id_ not in out)))


@rule("actions.end_violations", cites="activation/no-skipping", neutral=())
def end_violations(table: Table, field: Battlefield, unit_id: str) -> tuple[Reason, ...]:
    """Decide why the activation of a unit cannot end yet: it has not acted, and can (`idle-activation`)."""
    band = (field.unit(unit_id), *field.apprentices(unit_id))
    if any(_has_acted(field, unit.id) for unit in band):
        return ()
    could = tuple(dict.fromkeys(id_ for unit in band for id_ in open_now(table, field, unit.id)))
    if not could or table.read("idle-activation") == "allowed":
        return ()
    text = "{unit} has not acted and can still take {actions}"
    return (
        table.reason(text, unit=field.name(unit_id), actions=Listing(field.book.actions[id_].name for id_ in could)),
    )


def _has_acted(field: Battlefield, unit_id: str) -> bool:
    """Decide whether a unit has taken an action this round; reactions do not count."""
    rows = field.book.actions
    return any(row.id not in rows or rows[row.id].type == "action" for row in field.unit(unit_id).used)
