"""Explorers' actions: which are open to an explorer and what they cost, and the basic actions themselves.

Follows "Explorer Activations" and "Basic Explorer Actions". Paying is in `payments`, moving in `movement`, attacking in
`weapon_actions`, the actions of single cards in `unique_actions`.
"""

from collections.abc import Iterator
from typing import Literal

from arbiter.facts import fact
from arbiter.option import single
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import basic_actions
from services.blackstone_fortress.rules import armoury, attacks, ending, payments, portals, sight, turn, unique_actions
from services.blackstone_fortress.rules.payments import Payment, card_of
from services.blackstone_fortress.rules.vitality import vitality_roll
from services.blackstone_fortress.scene import Discovery, Explorer

Kind = Literal["basic", "weapon", "unique"]

POINTS_INSTEAD_OF_MARKER = 3


class Action(Value, frozen=True):
    """An action on offer at one of its costs: the lowest face that pays, and the attacks it makes (0 if it is none)."""

    id: str
    kind: Kind
    name: str
    cost: int
    attacks: int = 0


class Violation(Value, frozen=True):
    """A reason why something is not open, in words, with the rule and the units of the source."""

    text: str
    rule: str
    cites: tuple[str, ...]


class Offer(Value, frozen=True):
    """An action as it is offered to an explorer now: open or not, the dice that could pay, and whom it may hit."""

    action: str
    kind: Kind
    name: str
    cost: int
    attacks: int
    open: bool
    dice: tuple[Payment, ...] = ()
    targets: tuple[str, ...] = ()
    reasons: tuple[Violation, ...] = ()


def actions(table: Table, field: Battlefield, explorer_id: str) -> tuple[Action, ...]:
    """Give every action an explorer knows, once for each of its costs: basic ones, weapon actions, unique actions."""
    unique = unique_actions.of(field, field.explorer(explorer_id))
    return (
        *common_actions(table, field, explorer_id),
        *(Action(action.id, "unique", action.name, action.cost) for action in unique),
    )


def common_actions(table: Table, field: Battlefield, explorer_id: str) -> tuple[Action, ...]:
    """Give the basic actions and the weapon actions that an explorer knows, once for each of their costs."""
    heavy = "costly-moves" in field.scene.twists
    basic = [
        Action(
            row["id"],
            "basic",
            row["name"],
            heavy_going(table, row["cost"]) if heavy and row["id"] == "move" else row["cost"],
        )
        for row in basic_actions()
    ]
    weapon = [
        Action(action.id, "weapon", action.name, price.cost, price.attacks)
        for action in field.side(field.explorer(explorer_id)).weapon_actions
        for price in action.costs
    ]
    return (*basic, *weapon)


@rule(
    "explorer_actions.offered",
    cites=("explorer-action/pay", "explorer-action/cost"),
    neutral=lambda field, explorer_id, action: Offer(
        action.id, action.kind, action.name, action.cost, action.attacks, False
    ),
)
def offered(table: Table, field: Battlefield, explorer_id: str, action: Action) -> Offer:
    """Decide whether an action is open to an explorer: no rule forbids it, and a die can pay for it."""
    name = field.name(explorer_id)
    reasons = violations(table, field, explorer_id, action)
    dice = payments.ways(table, field, explorer_id, action.cost)
    if not dice:
        text = "{name} has no die that pays for {action} ({cost}+)"
        tempting = tuple(Payment(die, True) for die in field.scene.turn.destiny if die >= action.cost)
        spent = payments.within_limit(table, payments.means(field, explorer_id), tempting[:1])
        reasons = (*reasons, table.reason(text, name=name, action=action.name, cost=action.cost), *spent)
    for reason in reasons:
        table.find("{action} is not possible: {reason}", cites=reason.cites, action=action.name, reason=reason)
    if not reasons:
        paid = " or ".join(str(payment) for payment in dice)
        text = "{name} can take {action} ({cost}+) with {dice}"
        table.find(text, name=name, action=action.name, cost=action.cost, dice=paid)
    hit = tuple(targets(table, field, explorer_id, action)) if action.kind == "weapon" and not reasons else ()
    return Offer(
        action.id, action.kind, action.name, action.cost, action.attacks, not reasons, dice, hit, as_violations(reasons)
    )


def as_violations(reasons: tuple[Reason, ...]) -> tuple[Violation, ...]:
    """Give reasons as part of an answer."""
    return tuple(Violation(reason.text, reason.rule, reason.cites) for reason in reasons)


@rule("explorer_actions.heavy_going", cites="twists/costly-moves", neutral=lambda cost: cost)
def heavy_going(table: Table, cost: int) -> int:
    """Decide what a Move action costs while a twist makes it dearer: 2+, or what the table says if that is more."""
    table.find("a twist raises the cost of the Move action to 2+")
    return max(cost, 2)


@rule("explorer_actions.waiting", cites="activation/order", neutral=())
def waiting(table: Table, field: Battlefield, explorer_id: str) -> tuple[Violation, ...]:
    """Decide whether an explorer may act at all now: every reason against it, as part of the answer."""
    reasons = actor_violations(table, field, explorer_id)
    for reason in reasons:
        table.find("no action is possible now: {reason}", cites=reason.cites, reason=reason)
    return as_violations(reasons)


def actor_violations(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Give every reason why an explorer cannot act at all now."""
    explorer = field.explorer(explorer_id)
    return (
        *ending.over(table, field),
        *turn.out_of_phase(table, field, ("initiative", "activation")),
        *absent(table, field, explorer_id),
        *turn.already_activated(table, field, card_of(explorer)),
        *turn.not_its_turn(table, field, card_of(explorer)),
    )


@rule("explorer_actions.absent", cites="explorer-action/pay", neutral=())
def absent(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether an explorer is there to act: on the battlefield, and not out of action."""
    explorer = field.explorer(explorer_id)
    if explorer.hex is not None:
        return ()
    where = "out of action" if explorer.out_of_action else "not on the battlefield"
    return (table.reason("{name} is {where}", name=field.name(explorer), where=where),)


@rule("explorer_actions.stands_up_first", cites="stunned/explorer-next", neutral=False)
def stands_up_first(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether an explorer is stunned, so that it discards an activation die and stands up before it acts."""
    explorer = field.explorer(explorer_id)
    if explorer.stunned:
        table.find("{name} is stunned: it discards an activation die and stands up first", name=field.name(explorer))
    return explorer.stunned


def violations(table: Table, field: Battlefield, explorer_id: str, action: Action) -> tuple[Reason, ...]:
    """Give every reason why an explorer cannot take an action where it stands, dice apart."""
    return table.reasons(_violations(table, field, explorer_id, action))


def _violations(table: Table, field: Battlefield, explorer_id: str, action: Action) -> Iterator[Reason]:
    if field.units[explorer_id].hex is None:
        return
    if action.kind == "unique":
        yield from unique_actions.violations(table, field, explorer_id, action.id)
    elif action.kind == "weapon":
        yield from no_target(table, field, explorer_id, action)
    elif action.id == "recuperate":
        yield from unwounded(table, field, explorer_id)
    elif action.id == "search":
        yield from no_find(table, field, explorer_id)
        yield from beside_hostile(table, field, explorer_id)
    elif action.id == "summon":
        yield from no_portal(table, field, explorer_id)
        yield from summoned(table, field, explorer_id)


@rule("explorer_actions.no_target", cites="weapon-action/pay-and-attack", neutral=())
def no_target(table: Table, field: Battlefield, explorer_id: str, action: Action) -> tuple[Reason, ...]:
    """Decide whether a weapon action has nobody to attack."""
    if any(targets(table, field, explorer_id, action)):
        return ()
    return (table.reason("{action} has no eligible target", action=action.name),)


def targets(table: Table, field: Battlefield, explorer_id: str, action: Action) -> Iterator[str]:
    """Give the hostiles that the first attack of a weapon action may have for its target."""
    weapon = armoury.action_of(field, field.explorer(explorer_id), action.id)
    attack = armoury.explorer_attack(table, field, explorer_id, weapon)
    return attacks.eligible_targets(table, field, explorer_id, attack)


@rule("explorer_actions.unwounded", cites="recuperate/only-wounded", neutral=())
def unwounded(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether an explorer has not been wounded and so cannot recuperate.

    Whether grievous wounds alone are enough is the reading `recuperate-grievous-only`.
    """
    explorer = field.explorer(explorer_id)
    if explorer.wounds or (explorer.grievous and table.read("recuperate-grievous-only") == "may"):
        return ()
    return (table.reason("{name} has no wound to recuperate from", name=field.name(explorer)),)


@rule("explorer_actions.recuperate", cites="recuperate/vitality-roll", neutral=unchanged)
def recuperate(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what recuperating does: the explorer makes a vitality roll."""
    table.find("{name} recuperates and makes a vitality roll", name=field.name(explorer_id))
    return vitality_roll(table, field, explorer_id)


def markers_at(table: Table, field: Battlefield, explorer: Explorer) -> tuple[Discovery, ...]:
    """Give the discovery markers in an explorer's hex."""
    return tuple([marker for marker in field.scene.discoveries if on_marker(table, field, explorer, marker)])


@fact(
    "on_marker",
    "Is {explorer} in the hex of the discovery marker {marker}?",
    of=("explorer", "marker"),
    says=("{explorer} is in the hex of the marker {marker}", "{explorer} is not in the hex of the marker {marker}"),
    cites="search/needs-marker",
)
def on_marker(table: Table, field: Battlefield, explorer: Explorer, marker: Discovery) -> bool:
    """Say whether an explorer stands in the hex of a discovery marker."""
    return marker.hex == explorer.hex


@rule(
    "explorer_actions.no_find",
    cites=("search/needs-marker", "search/inspiration-instead", "search/summary"),
    neutral=(),
)
def no_find(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether there is nothing to search: no discovery marker in the hex, nor three inspiration points instead.

    Whether the points can replace the marker is the reading `search-with-inspiration`.
    """
    explorer = field.explorer(explorer_id)
    if markers_at(table, field, explorer):
        return ()
    name = field.name(explorer)
    if explorer.inspiration >= POINTS_INSTEAD_OF_MARKER:
        if table.read("search-with-inspiration") == "full-rule":
            return ()
        return (table.reason("there is no discovery marker in the hex of {name}", cites="search/summary", name=name),)
    reason = table.reason(
        "there is no discovery marker in the hex of {name}, who has {points} inspiration points, not {asked}",
        cites=("search/needs-marker", "search/inspiration-instead"),
        name=name,
        points=explorer.inspiration,
        asked=POINTS_INSTEAD_OF_MARKER,
    )
    return (reason,)


@rule("explorer_actions.beside_hostile", cites="search/not-near-hostile", neutral=())
def beside_hostile(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether a hostile that the explorer sees is adjacent, so that it cannot search."""
    explorer = field.explorer(explorer_id)
    return tuple(
        table.reason("{hostile} is adjacent to {name} and visible", hostile=field.name(one), name=field.name(explorer))
        for one in (sight.beside(table, field, explorer) if explorer.hex is not None and field.hostiles else ())
    )


@rule("explorer_actions.search", cites="search/draws-card", neutral=unchanged)
def search(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what a search does: the marker goes, or inspiration points instead, and the explorer draws a card."""
    explorer = field.explorer(explorer_id)
    markers = markers_at(table, field, explorer)
    field = take_marker(table, field, explorer_id) if markers else pay_inspiration(table, field, explorer_id)
    cards = rich_find(table) if markers and "two-discoveries" in field.scene.twists else 1
    return draw_discovery(table, field, explorer_id, cards, "search/draws-card")


@rule("explorer_actions.take_marker", cites="search/removes-marker", neutral=unchanged)
def take_marker(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what becomes of the discovery marker that is searched: it is removed."""
    ids = tuple(marker.id for marker in markers_at(table, field, field.explorer(explorer_id)))
    label, text = f"{explorer_id}: discovery marker", "the discovery marker {marker} is removed"
    return without_marker(table, field, "explorers", label, ids, text)[0]


def without_marker(
    table: Table, field: Battlefield, who: str, label: str, ids: tuple[str, ...], text: str
) -> tuple[Battlefield, str]:
    """Give the battlefield without a discovery marker that somebody picks, and its id; `text` says that it goes."""
    id_: str = table.choose(who, label, ids, about=field, means=single("marker", "the discovery marker {}"))
    table.find(text, marker=id_)
    table.event("discovery-removed", marker=id_)
    return field.with_(discoveries=tuple(marker for marker in field.scene.discoveries if marker.id != id_)), id_


@rule("explorer_actions.pay_inspiration", cites="search/inspiration-instead", neutral=unchanged)
def pay_inspiration(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what a search without a marker costs on top of the die: three inspiration points."""
    explorer = field.explorer(explorer_id)
    left = max(0, explorer.inspiration - POINTS_INSTEAD_OF_MARKER)
    table.find("{name} spends three inspiration points and keeps {left}", name=field.name(explorer), left=left)
    table.event("inspiration-spent", unit=explorer_id, points=left)
    return field.change(explorer, inspiration=left)


@rule("explorer_actions.rich_find", cites="twists/two-discoveries", neutral=1)
def rich_find(table: Table) -> int:
    """Decide how many discovery cards a marker yields while a twist doubles them: two."""
    table.find("a twist makes the marker yield two discovery cards")
    return 2


def draw_discovery(table: Table, field: Battlefield, explorer_id: str, cards: int, cites: str) -> Battlefield:
    """Say that an explorer draws discovery cards, for a passage of the text; a scene holds no discovery deck."""
    name = field.name(explorer_id)
    text = "{name} draws {cards} discovery cards" if cards > 1 else "{name} draws a discovery card"
    table.find(text, cites=cites, name=name, cards=cards)
    table.event("discovery-drawn", unit=explorer_id, cards=cards)
    return field


@rule("explorer_actions.no_portal", cites="summon/next-to-portal", neutral=())
def no_portal(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether no portal is adjacent to the explorer's hex, so that it cannot summon."""
    explorer = field.explorer(explorer_id)
    if explorer.hex is not None and portals.at_portal(table, field, explorer):
        return ()
    return (table.reason("{name} is not adjacent to a portal", name=field.name(explorer)),)


@rule("explorer_actions.summoned", cites="summon/once", neutral=())
def summoned(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether the escape chamber has been set up already, so that nobody can summon it."""
    if not portals.has_chamber(field):
        return ()
    return (table.reason("the escape chamber has already been set up"),)


@rule("explorer_actions.summon", cites=("summon/next-to-portal", "examples/draik-summons"), neutral=unchanged)
def summon(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what summoning does: the escape chamber takes the place of an adjacent portal, or stands beside it.

    Which of the two is the reading `summon-place`.
    """
    explorer = field.explorer(explorer_id)
    if field.scene.is_partial:
        table.find("{name} summons the escape chamber at the portal next to it", name=field.name(explorer))
        return portals.arrived(table, field, "summon")
    if explorer.hex is None or not (near := portals.beside(table, field, explorer.hex)):
        return field
    portal = table.choose("explorers", f"{explorer_id}: portal", near, about=field, means=portals.portal_option)
    text, name = "{name} summons the escape chamber at {at}", field.name(explorer)
    table.find(text, name=name, at=portals.portal_name(portal), portal=portal)
    field = portals.happening(field, "summon")
    if table.read("summon-place") == "beside":
        return portals.stood_beside(table, field, portal)
    return portals.replaced(table, field, portal)


@rule(
    "explorer_actions.may_act_again", cites=("explorer-action/repeat", "explorer-action/one-at-a-time"), neutral=False
)
def may_act_again(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether an explorer whose action is complete can pay for another, the same one included."""
    dice = payments.ways(table, field, explorer_id, 1)
    name = field.name(explorer_id)
    table.find(
        "the action is complete; {name} can pay for another one, the same or different"
        if dice
        else "the action is complete; {name} has no dice for another one",
        name=name,
    )
    return bool(dice)
