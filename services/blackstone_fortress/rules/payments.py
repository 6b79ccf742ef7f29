"""Paying for actions: which dice an explorer may spend, what they pay for, and where spent dice go.

Follows "Explorer Activations" and "Destiny Dice". A cost is the lowest face that pays.
"""

from collections.abc import Mapping
from typing import TypeVar

from arbiter.option import Option, single
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.scene import ActivationFace, Explorer

T = TypeVar("T")

MOST_DESTINY_DICE = 2
DEAREST = 6
"""The highest cost that an action has: no die shows more."""


class Payment(Value, frozen=True):
    """One `die` that is spent: its face, and whether it is a destiny die instead of an activation die from the card."""

    die: ActivationFace
    destiny: bool = False

    def __str__(self) -> str:
        return f"the destiny die {self.die}" if self.destiny else f"the {self.die}"


def choose(table: Table, field: Battlefield, label: str, ways: Mapping[str, Payment]) -> Payment:
    """Let an explorer's player pick the die to pay with."""

    def means(way: str) -> Option:
        kind, die = "destiny" if ways[way].destiny else "activation", ways[way].die
        return Option(way, f"the {kind} die of {die}", {"kind": kind, "die": die})

    return ways[table.choose("explorers", label, tuple(ways), about=field, means=means)]


def purse(field: Battlefield, explorer_id: str) -> Explorer:
    """Give the explorer on whose row the activation dice lie: miniatures that share a card share its dice."""
    explorer = field.explorer(explorer_id)
    if explorer.activation:
        return explorer
    sharing = field.cards[card_of(explorer)]
    if len(sharing) == 1:
        return explorer
    return next((other for other in map(field.explorer, sharing) if other.activation), explorer)


def card_of(explorer: Explorer) -> str:
    """Give the id of the initiative card that an explorer is activated by."""
    return explorer.card or explorer.id


@rule("payments.left_to_pay", cites="stunned/explorer-next", neutral=unchanged)
def left_to_pay(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide with which dice a stunned explorer can pay, once it has discarded one and stood up.

    The player chooses the die, so that each of several may still pay; a single one is the die that is discarded.
    """
    holder = purse(field, explorer_id)
    if not field.explorer(explorer_id).stunned or len(holder.activation) != 1:
        return field
    die = holder.activation[0]
    table.find("the {die} is the only activation die, so it is discarded and pays for nothing", die=die)
    return field.change(holder, activation=())


class Means(Value, frozen=True):
    """What an explorer can pay with: the dice on its card, the available destiny dice, and how many it has spent."""

    name: str
    card: tuple[int, ...]
    destiny: tuple[int, ...]
    destiny_spent: int


def means(field: Battlefield, explorer_id: str) -> Means:
    """Give what an explorer can pay with now."""
    explorer = field.explorer(explorer_id)
    dice = purse(field, explorer_id).activation
    return Means(field.name(explorer), dice, field.scene.turn.destiny, explorer.destiny_spent)


def violations(
    table: Table, field: Battlefield, explorer_id: str, payments: tuple[Payment, ...], costs: tuple[int, ...]
) -> tuple[Reason, ...]:
    """Give every reason why these dice cannot pay these costs, die by die."""
    return means_violations(table, means(field, explorer_id), payments, costs)


def means_violations(
    table: Table, means: Means, payments: tuple[Payment, ...], costs: tuple[int, ...]
) -> tuple[Reason, ...]:
    """Give every reason why an explorer of these means cannot pay these costs with these dice."""
    return (
        *enough(table, payments, costs),
        *on_the_card(table, means, payments),
        *available(table, means, payments),
        *within_limit(table, means, payments),
    )


@rule("payments.enough", cites=("explorer-action/cost", "explorer-action/pay", "examples/action-cost"), neutral=())
def enough(table: Table, payments: tuple[Payment, ...], costs: tuple[int, ...]) -> tuple[Reason, ...]:
    """Decide whether every cost is met: each takes one die that shows the cost or more."""
    low = tuple(
        table.reason("{die} does not pay a cost of {cost}+", die=str(payment), cost=cost)
        for payment, cost in zip(payments, costs, strict=False)
        if payment.die < cost
    )
    if len(payments) == len(costs):
        return low
    required = Listing(f"{cost}+" for cost in costs) or "nothing"
    given = Quantity(len(payments), "die is", "dice are") if payments else "No die is"
    return (*low, table.reason("{given} spent where {asked} is to be paid", given=given, asked=required))


@rule("payments.on_the_card", cites=("explorer-action/pay", "initiative/spend-dice"), neutral=())
def on_the_card(table: Table, means: Means, payments: tuple[Payment, ...]) -> tuple[Reason, ...]:
    """Decide whether the activation dice that are to be spent lie on the explorer's card."""
    spent = [payment.die for payment in payments if not payment.destiny]
    text = "{name} has no activation die that shows {die} left; dice on the card: {dice}"
    return tuple(
        table.reason(text, name=means.name, die=die, dice=_join(means.card))
        for die in sorted(set(spent))
        if spent.count(die) > means.card.count(die)
    )


@rule("payments.available", cites=("destiny-dice/as-activation-dice", "destiny/unique-available"), neutral=())
def available(table: Table, means: Means, payments: tuple[Payment, ...]) -> tuple[Reason, ...]:
    """Decide whether the destiny dice that are to be spent are available; they pay as activation dice do."""
    spent = [payment.die for payment in payments if payment.destiny]
    text = "no destiny die that shows {die} is available; dice in the pool: {dice}"
    return tuple(
        table.reason(text, die=die, dice=_join(means.destiny))
        for die in sorted(set(spent))
        if spent.count(die) > means.destiny.count(die)
    )


@rule("payments.within_limit", cites="destiny-dice/two-per-turn", neutral=())
def within_limit(table: Table, means: Means, payments: tuple[Payment, ...]) -> tuple[Reason, ...]:
    """Decide whether the explorer may spend so many destiny dice: two in a turn at most."""
    more = sum(payment.destiny for payment in payments)
    if not more or means.destiny_spent + more <= MOST_DESTINY_DICE:
        return ()
    reason = table.reason(
        "{name} has spent {spent} this turn and may spend {most} at most",
        name=means.name,
        spent=Quantity(means.destiny_spent, "destiny die", "destiny dice"),
        most=MOST_DESTINY_DICE,
    )
    return (reason,)


def ways(table: Table, field: Battlefield, explorer_id: str, cost: int) -> tuple[Payment, ...]:
    """Give the different dice that could pay a cost now: from the card first, then destiny dice, lowest first."""
    return table.once(_payers, *_dice(field, explorer_id), cost)


def payable(table: Table, field: Battlefield, explorer_id: str) -> tuple[int, ...]:
    """Give the costs that some die could pay now."""
    return table.once(_payable, *_dice(field, explorer_id))


def _dice(field: Battlefield, explorer_id: str) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    """Give the dice on an explorer's card, those of destiny, and how many of these the explorer has spent."""
    return purse(field, explorer_id).activation, field.scene.turn.destiny, field.explorer(explorer_id).destiny_spent


def _payers(
    table: Table, card: tuple[int, ...], destiny: tuple[int, ...], spent: int, cost: int
) -> tuple[Payment, ...]:
    return tuple([die for die in _different(card, destiny) if cost in table.once(_covered, die, spent)])


def _payable(table: Table, card: tuple[int, ...], destiny: tuple[int, ...], spent: int) -> tuple[int, ...]:
    return tuple(sorted({cost for die in _different(card, destiny) for cost in table.once(_covered, die, spent)}))


def _different(card: tuple[int, ...], destiny: tuple[int, ...]) -> list[Payment]:
    return [*map(Payment, sorted(set(card))), *(Payment(die, True) for die in sorted(set(destiny)))]


def _covered(table: Table, die: Payment, spent: int) -> tuple[int, ...]:
    """Give the costs that a die pays which is there, for whoever has spent so many destiny dice."""
    means = Means("", (die.die,), (die.die,), spent)
    return tuple([cost for cost in range(1, DEAREST + 1) if not means_violations(table, means, (die,), (cost,))])


def spend(table: Table, field: Battlefield, explorer_id: str, payments: tuple[Payment, ...]) -> Battlefield:
    """Give the battlefield with these dice spent."""
    for payment in payments:
        spend_one = spend_destiny_die if payment.destiny else spend_activation_die
        field = spend_one(table, field, explorer_id, payment.die)
    return field


@rule("payments.spend_activation_die", cites=("initiative/spend-dice", "explorer-action/pay"), neutral=unchanged)
def spend_activation_die(table: Table, field: Battlefield, explorer_id: str, die: int) -> Battlefield:
    """Decide what becomes of a spent activation die: it leaves the card."""
    holder = purse(field, explorer_id)
    left = without_one(holder.activation, die)
    text = "{name} spends an activation die of {die}; dice left on the card: {left}"
    table.find(text, name=field.name(explorer_id), die=die, left=_join(left))
    table.event("die-spent", unit=holder.id, die=die, destiny=False)
    return field.change(holder, activation=left)


@rule(
    "payments.spend_destiny_die", cites=("destiny/used-discarded", "destiny-dice/as-activation-dice"), neutral=unchanged
)
def spend_destiny_die(table: Table, field: Battlefield, explorer_id: str, die: int) -> Battlefield:
    """Decide what becomes of a spent destiny die: it goes to the discarded ones, and counts for the explorer."""
    explorer, turn = field.explorer(explorer_id), field.scene.turn
    left = without_one(turn.destiny, die)
    spent = min(explorer.destiny_spent + 1, MOST_DESTINY_DICE)
    text = "{name} spends a destiny die of {die}, which is discarded; destiny dice that stay available: {left}"
    table.find(text, name=field.name(explorer), die=die, left=_join(left))
    table.event("die-spent", unit=explorer.id, die=die, destiny=True)
    field = field.with_turn(destiny=left, discarded_destiny=(*turn.discarded_destiny, die))
    return field.change(explorer, destiny_spent=spent)


def choose_die(table: Table, field: Battlefield, label: str, dice: tuple[int, ...], name: str) -> int:
    """Let an explorer's player pick one of some dice, by their faces; `name` is what to call one of a face."""
    faces = tuple(sorted(set(dice)))
    die: int = table.choose("explorers", label, faces, about=field, means=single("die", name))
    return die


def without_one(dice: tuple[T, ...], die: T) -> tuple[T, ...]:
    """Give the dice, or cards, without one that shows `die`."""
    if die not in dice:
        return dice
    place = dice.index(die)
    return dice[:place] + dice[place + 1 :]


def _join(dice: tuple[int, ...]) -> Listing | str:
    return Listing(dice) or "none"
