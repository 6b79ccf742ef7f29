"""Gambits: an explorer stakes an activation die on its agility to change places with a hostile group on the track."""

from collections.abc import Iterable

from arbiter.option import Option
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import action_rolls, payments
from services.blackstone_fortress.rules.action_rolls import Result
from services.blackstone_fortress.rules.initiative import swapped
from services.blackstone_fortress.rules.inspiration import buy_reroll
from services.blackstone_fortress.rules.payments import Payment, card_of
from services.blackstone_fortress.rules.turn import card_name, group_name, leader_name

FREE_FIRST_TURN = "free-gambit-first-turn"
FREE_EVERY_TURN = "free-gambit-every-turn"


class Stake(Value, frozen=True):
    """Who attempts a gambit and the die staked on it; without a die it has to be free."""

    explorer: str
    payment: Payment | None = None


def violations(table: Table, field: Battlefield, stake: Stake) -> tuple[Reason, ...]:
    """Give every reason why an explorer cannot attempt a gambit with this stake."""
    return (*no_card(table, field, stake.explorer), *unpaid(table, field, stake))


@rule("gambits.no_card", cites="gambit/success", neutral=())
def no_card(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide whether the explorer has a card on the track that a gambit could move."""
    explorer = field.explorer(explorer_id)
    if card_of(explorer) in field.scene.turn.track and not explorer.out_of_action:
        return ()
    return (table.reason("{name} has no card in play on the track", name=field.name(explorer)),)


@rule("gambits.unpaid", cites="gambit/cost", neutral=())
def unpaid(table: Table, field: Battlefield, stake: Stake) -> tuple[Reason, ...]:
    """Decide whether the gambit is paid for: with an activation die, whatever it shows, or free by a special rule."""
    payment = stake.payment
    if payment is not None:
        if payment.destiny:
            return not_with_destiny(table, field, stake.explorer)
        return payments.violations(table, field, stake.explorer, (payment,), (1,))
    if is_free(table, field, stake.explorer):
        return ()
    name = field.name(stake.explorer)
    return (table.reason("{name} has to spend an activation die on a gambit", name=name),)


@rule("gambits.not_with_destiny", cites="gambit/no-destiny-dice", neutral=())
def not_with_destiny(table: Table, field: Battlefield, explorer_id: str) -> tuple[Reason, ...]:
    """Decide that destiny dice pay for no gambit."""
    name = field.name(explorer_id)
    return (table.reason("{name} cannot stake a destiny die on a gambit", name=name),)


def is_free(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Say whether the explorer's next gambit may be free, by either side of the card."""
    return free_in_first_turn(table, field, explorer_id) or free_in_every_turn(table, field, explorer_id)


@rule("gambits.free_in_first_turn", cites="draik/strategist", neutral=False)
def free_in_first_turn(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether a strategist has a free gambit: one in the first turn of a combat."""
    explorer = field.explorer(explorer_id)
    if FREE_FIRST_TURN not in field.side(explorer).rules:
        return False
    free = field.scene.turn.number == 1 and not _used(explorer.used)
    text = "{name} may attempt a free gambit in turn 1" if free else "{name} has no free gambit left"
    table.find(text, name=field.name(explorer), free=free)
    return free


@rule("gambits.free_in_every_turn", cites="explorer/draik-strategist-inspired", neutral=False)
def free_in_every_turn(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether an inspired strategist has a free gambit: one in every turn."""
    explorer = field.explorer(explorer_id)
    if FREE_EVERY_TURN not in field.side(explorer).rules:
        return False
    free = not _used(explorer.used)
    text = "{name} may attempt a free gambit this turn" if free else "{name} has had the free gambit of this turn"
    table.find(text, name=field.name(explorer), free=free)
    return free


def _used(used: tuple[str, ...]) -> bool:
    return FREE_FIRST_TURN in used or FREE_EVERY_TURN in used


@rule("gambits.order", cites="gambit/leader-orders", neutral=lambda field, explorers: explorers)
def order(table: Table, field: Battlefield, explorers: tuple[str, ...]) -> tuple[str, ...]:
    """Decide the order of gambits attempted at the same time: the leader names who is next."""
    ordered: tuple[str, ...] = ()
    left = explorers
    while left:
        following = table.choose("leader", "leader: next gambit", left, about=field, means=field.option)
        ordered, left = (*ordered, following), tuple(id_ for id_ in left if id_ != following)
    if len(ordered) > 1:
        names = Listing(map(field.name, ordered))
        table.find("{leader} orders the gambits: {names}", leader=leader_name(field), names=names)
    return ordered


@rule("gambits.stake", cites="gambit/cost", neutral=unchanged)
def stake(table: Table, field: Battlefield, wager: Stake) -> Battlefield:
    """Pay for the gambit before it is rolled: the die leaves the card, or the free gambit is used up."""
    explorer = field.explorer(wager.explorer)
    if wager.payment is not None:
        table.find("{name} stakes {die} on a gambit", name=field.name(explorer), die=str(wager.payment))
        return payments.spend(table, field, wager.explorer, (wager.payment,))
    kind = next((kind for kind in field.side(explorer).rules if kind in (FREE_FIRST_TURN, FREE_EVERY_TURN)), None)
    if kind is None:
        return field
    table.find("{name} uses the free gambit", name=field.name(explorer))
    table.event("rule-used", unit=explorer.id, rule=kind)
    return field.change(explorer, used=(*explorer.used, kind))


@rule("gambits.roll", cites="gambit/agility-roll", neutral=("failure",))
def roll(table: Table, field: Battlefield, explorer_id: str) -> tuple[Result, ...]:
    """Roll the explorer's agility; give the results that count, a failure only if nothing else does."""
    explorer = field.explorer(explorer_id)
    rolled = action_rolls.roll(table, f"{explorer_id}: agility", field.side(explorer).agility)
    results = action_rolls.counting(table, rolled) or ("failure",)
    action_rolls.record(table, f"{explorer_id}: agility", tuple(each for each in results if each != "failure"))
    text = "the agility roll of {name}: {results}"
    table.find(text, name=field.name(explorer), results=Listing(action_rolls.NAMES[result] for result in results))
    return results


def attempt(table: Table, field: Battlefield, explorer_id: str) -> tuple[Battlefield, tuple[Result, ...]]:
    """Give the battlefield after a gambit that is paid for, and the results of its roll.

    A failed roll may be made again for an inspiration point.
    """
    results = roll(table, field, explorer_id)
    if results == ("failure",) and (paid := buy_reroll(table, field, explorer_id, "agility")) is not field:
        field, results = paid, roll(table, paid, explorer_id)
    for result in results:
        field = carry_out(table, field, explorer_id, result)
    return field, results


def carry_out(table: Table, field: Battlefield, explorer_id: str, result: Result) -> Battlefield:
    """Give the battlefield after one result of a gambit's agility roll."""
    if result == "failure":
        return stay(table, field, explorer_id)
    if result == "success":
        return exchange(table, field, explorer_id, nearest(table, field, explorer_id), "gambit/success")
    return exchange(table, field, explorer_id, anywhere(table, field, explorer_id), "gambit/critical")


@rule("gambits.stay", cites="gambit/failure", neutral=unchanged)
def stay(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what a failed gambit does: the explorer's card stays where it is."""
    table.find("the gambit fails: the card of {name} stays", name=field.name(explorer_id))
    return field


@rule("gambits.nearest", cites="gambit/success", neutral=())
def nearest(table: Table, field: Battlefield, explorer_id: str) -> tuple[str, ...]:
    """Give the hostile groups a success may swap with: the nearest on the left and the nearest on the right.

    Whether only the nearer of the two may be taken is the reading `gambit-nearest`.
    """
    track, card = field.scene.turn.track, card_of(field.explorer(explorer_id))
    place = track.index(card) if card in track else len(track)
    groups = set(_groups(field, track))
    left = next(((place - i, track[i]) for i in reversed(range(place)) if track[i] in groups), None)
    right = next(((i - place, track[i]) for i in range(place + 1, len(track)) if track[i] in groups), None)
    sides = tuple(side for side in (left, right) if side is not None)
    if len({distance for distance, _ in sides}) == 2 and table.read("gambit-nearest") == "nearest-overall":
        sides = (min(sides),)
    names = " or ".join(card_name(field, card) for _, card in sides)
    table.find(
        "the closest hostile group on the track is {names}" if names else "there is no hostile group", names=names
    )
    return tuple(card for _, card in sides)


@rule("gambits.anywhere", cites="gambit/critical", neutral=())
def anywhere(table: Table, field: Battlefield, explorer_id: str) -> tuple[str, ...]:
    """Give the hostile groups a critical success may swap with: any on the track."""
    groups = tuple(_groups(field, field.scene.turn.track))
    table.find(
        "any hostile group's card may be taken: {groups}", groups=Listing(map(group_name, groups)) or "there is none"
    )
    return groups


@rule("gambits.exchange", cites=("gambit/success", "gambit/critical"), neutral=unchanged)
def exchange(
    table: Table, field: Battlefield, explorer_id: str, groups: tuple[str, ...], unit_of_source: str
) -> Battlefield:
    """Exchange the explorer's card with one of these groups' cards, as the player chooses."""
    if not groups:
        return field
    explorer, track = field.explorer(explorer_id), field.scene.turn.track

    def means(card: str) -> Option:
        return Option(card, card_name(field, card), {"card": card})

    group = table.choose("explorers", f"{explorer_id}: gambit", groups, about=field, means=means)
    text = "{name} swaps places with {group}"
    table.find(text, cites=unit_of_source, name=field.name(explorer), group=card_name(field, group))
    track = swapped(track, card_of(explorer), group)
    table.event("swapped", cards=(card_of(explorer), group), track=track)
    return field.with_turn(track=track)


@rule("gambits.may_go_on", cites="gambit/several", neutral=False)
def may_go_on(table: Table, field: Battlefield, explorer_id: str) -> bool:
    """Decide whether the explorer may attempt another gambit: as long as it can pay for each."""
    dice = payments.purse(field, explorer_id).activation
    more = bool(dice) or is_free(table, field, explorer_id)
    name = field.name(explorer_id)
    table.find("{name} can pay for another gambit" if more else "{name} can pay for no further gambit", name=name)
    return more


def _groups(field: Battlefield, track: Iterable[str]) -> Iterable[str]:
    groups = {hostile.group for hostile in field.scene.hostiles}
    return (card for card in track if card in groups)
