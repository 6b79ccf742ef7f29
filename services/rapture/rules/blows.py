"""Close combat attacks: dodge, hit roll, block roll, damage, wounds, and counterblow."""

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Signed
from services.rapture.battlefield import Battlefield, in_play, unit_name
from services.rapture.book import Book, number
from services.rapture.rules import answers, boxes, prices, reach, retreat, rolls
from services.rapture.rules.answers import Moment, Offer, Trigger
from services.rapture.rules.prices import Price
from services.rapture.rules.rolls import HitRoll, Struck
from services.rapture.rules.shots import Attacked, AttackOutcome, dealt, no_attack, no_outcome
from services.rapture.scene import Unit
from services.rapture.ways import Way

DODGE, COUNTERBLOW, RETREAT = "dodge", "counterblow", "retreat"


@rule("blows.exchange", cites="attack/steps", neutral=no_attack)
def exchange(
    table: Table,
    field: Battlefield,
    attacker_id: str,
    target_id: str,
    trigger: Trigger = "close-combat",
    increase: int = 0,
) -> Attacked:
    """Decide the outcomes of a close combat attack, step by step, with every counterblow.

    `increase` is added to CCS. A counterblow is an attack that can be answered too; as each costs RP, they end.
    """
    field, outcome, reactions = table.call(_attack, field, attacker_id, target_id, trigger, increase)
    outcomes: tuple[AttackOutcome, ...] = (outcome,)
    while in_play(field.unit(attacker_id)) and RETREAT not in reactions:
        moment = field, target_id, trigger, attacker_id, "after-attack", reactions
        if table.call(answers.choose_reaction, *moment) is None:
            break
        reactions = (*reactions, COUNTERBLOW)
        paid = table.call(answers.pay, field, target_id, COUNTERBLOW)
        field, more = table.call(counterblow, paid, target_id, attacker_id)
        outcomes = (*outcomes, *more)
    return field, outcomes


@rule("blows.counterblow", cites=("counterblow/trigger", "counterblow/after", "counterblow/attack"), neutral=no_attack)
def counterblow(table: Table, field: Battlefield, attacker_id: str, target_id: str) -> Attacked:
    """Decide the outcomes of a counterblow: a close combat attack after the attack on the unit."""
    table.find("{unit} strikes back", unit=field.name(attacker_id))
    return exchange(table, field, attacker_id, target_id, "counterblow", difficulty_increase(table))


@rule("blows.difficulty_increase", cites="counterblow/harder", neutral=0)
def difficulty_increase(table: Table) -> int:
    """Decide the change of CCS for a counterblow: an increase (`counter-increase`)."""
    increase = number("counterblow-ccs") * (1 if table.read("counter-increase") == "harder" else -1)
    table.find("The difficulty of a counterblow changes by {by}", by=Signed(increase))
    return increase


def _attack(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, trigger: Trigger, increase: int
) -> tuple[Battlefield, AttackOutcome, tuple[str, ...]]:
    """Give the battlefield after one attack, its outcome, and the reactions to it so far."""
    field, reactions, struck = table.call(_met, field, attacker_id, target_id, trigger, increase)
    if struck is None:
        return field, no_outcome(attacker_id, target_id, trigger), reactions
    return *dealt(table, field, attacker_id, target_id, trigger, struck), reactions


def _met(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, trigger: Trigger, increase: int
) -> tuple[Battlefield, tuple[str, ...], Struck | None]:
    """Give the battlefield after the reactions to an attack before it hits, these, and what its dice come to.

    A retreat ends the attack before any dice fall.
    """
    now = rolls.current_values(table, field, attacker_id)
    field, reactions, dodged = table.call(_answered, field, attacker_id, target_id, trigger)
    if RETREAT in reactions:
        return field, reactions, None
    target, name = field.unit(target_id), field.name(attacker_id)
    reach_ = table.call(reach.close, field, attacker_id, target_id)
    att = remaining_dice(table, name, now.att, dodged) if dodged else now.att
    dice = reach.dice(table, reach_, att)
    difficulty = rolls.difficulty(table, name, "close", now.ccs, increase)
    guard = table.call(rolls.guard, field.book, target, "close", target.shelter_markers)
    label = "hit" if trigger == "close-combat" else COUNTERBLOW
    roll, told = HitRoll(attacker_id, name, "close", dice, difficulty, label), table.wants("blows", "hits", "blocks")
    strike = roll, target_id, field.name(target_id), guard, told
    rolled = dodged if table.wants("blows", "dodged") else 0, dice if table.wants("blows", "dice") else 0, difficulty
    return table.conclude(lambda struck: (field, reactions, struck.after(*rolled)), rolls.strike, *strike)


def _answered(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, trigger: Trigger
) -> tuple[Battlefield, tuple[str, ...], int]:
    """Give the battlefield after the reactions to an attack before it hits, these, and how many dice were dodged."""
    dodged = 0
    reactions: tuple[str, ...] = ()
    way = table.call(_way_out, field, target_id, reactions) if trigger == "close-combat" else None
    while True:
        more = () if way is None else (_retreat(table, field, target_id),)
        moment = field, target_id, trigger, attacker_id, "before-hit-roll", reactions, more
        reaction = table.call(answers.choose_reaction, *moment)
        if reaction is None:
            return field, reactions, dodged
        if reaction == RETREAT and way is not None:
            field, _ = retreat.retreat(table, field, target_id, way, True)
            return field, (*reactions, RETREAT), dodged
        field = table.call(answers.pay, field, target_id, reaction)
        reactions = (*reactions, reaction)
        dodged += table.call(dodge, field.book, field.unit(target_id))
        way = None if way is None else table.call(_way_out, field, target_id, reactions)


@rule("blows.retreat_way", cites=("action/retreat", "retreat/ends-activation", "profile/reaction-points"), neutral=None)
def retreat_way(table: Table, field: Battlefield, unit_id: str, earlier: tuple[str, ...] = ()) -> Way | None:
    """Decide the way by which a unit can retreat from an attack as a reaction: `retreat-when`.

    It leads straight away from the opponent, as far as the unit can go. `earlier` are the unit's reactions so far.
    """
    if reach.moot(table, "retreat-when", "action"):
        return None
    with table.without_findings():
        reasons = _retreat_violations(table, field, unit_id)
    if reasons or table.read("retreat-when") == "action" or _reaction_violations(table, field, unit_id, earlier):
        return None
    way = retreat.way_out(table, field, unit_id)
    if way is not None:
        table.find("{unit} can react with a retreat", unit=field.name(unit_id))
    return way


def offers(
    table: Table,
    field: Battlefield,
    unit_id: str,
    trigger: Trigger,
    actor_id: str,
    moment: Moment,
    earlier: tuple[str, ...],
) -> tuple[Offer, ...]:
    """Give the reactions of the overview, and a retreat before a hit roll where `retreat-when` makes it a reaction."""
    rows = answers.offers(table, field, unit_id, trigger, actor_id, moment, earlier)
    if (trigger, moment) != ("close-combat", "before-hit-roll") or field.player(unit_id) == field.player(actor_id):
        return rows
    if table.read("retreat-when") == "action":
        return rows
    with table.without_findings():
        reasons = _retreat_violations(table, field, unit_id) or _reaction_violations(table, field, unit_id, earlier)
    if not reasons and retreat_way(table, field, unit_id, earlier) is None:
        reasons = retreat.room_violations(table, field, unit_id)
    return (*rows, replace(_retreat(table, field, unit_id), reasons=reasons))


def _retreat_violations(table: Table, field: Battlefield, unit_id: str) -> tuple[Reason, ...]:
    """Give the reasons why a unit cannot retreat from an attack, whatever it has reacted with."""
    price = Price(rp=field.book.actions[RETREAT].rp)
    return (*prices.violations(table, field, unit_id, price), *retreat.violations(table, field, unit_id))


def _reaction_violations(
    table: Table, field: Battlefield, unit_id: str, earlier: tuple[str, ...]
) -> tuple[Reason, ...]:
    """Give the reasons why a unit that can retreat cannot do so as a reaction: those that hold for every reaction."""
    row = field.book.actions[RETREAT]
    repeated = answers.repetition_violations(table, field, unit_id, row, earlier)
    return repeated or answers.marker_violations(table, field, unit_id)


def _way_out(table: Table, field: Battlefield, unit_id: str, earlier: tuple[str, ...]) -> Way | None:
    """Give the way of a retreat; odds by best play do not list it as a step, which they do of rules that are called."""
    return retreat_way(table, field, unit_id, earlier)


def _retreat(table: Table, field: Battlefield, unit_id: str) -> Offer:
    row = field.book.actions[RETREAT]
    return Offer(RETREAT, row.name, row.does, row.rp, answers.available_rp(table, field, unit_id), ())


@rule("blows.dodge", cites=("dodge/trigger", "dodge/before-hit-roll", "dodge/dice", "dodge/difficulty"), neutral=0)
def dodge(table: Table, book: Book, unit: Unit) -> int:
    """Decide the successes of a dodge: before the hit roll the unit rolls TEC dice, each succeeds on 4+."""
    dice, name = table.call(boxes.values_of, book, unit).tec, unit_name(book, unit)
    if not dice:
        table.find("{unit} has no dice to dodge with", cites="dodge/dice", unit=name)
        return 0
    successes = rolls.counted(table, f"{unit.id}: {DODGE}", dice, number("dodge"))
    table.find("{unit} rolls to dodge: {times} of {dice} dice succeed", unit=name, times=successes, dice=dice)
    return successes


@rule("blows.remaining_dice", cites="dodge/fewer-dice", neutral=lambda name, att, dodges: att)
def remaining_dice(table: Table, name: str, att: int, dodges: int) -> int:
    """Decide how many dice of ATT are left: one less for each dodge, down to `dodge-floor`."""
    left = max(0, att - number("dodged") * dodges)
    if att and not left and table.read("dodge-floor") == "one-left":
        left = 1
    table.find("{unit} has ATT {att} instead of {was}", unit=name, att=left, was=att)
    return left
