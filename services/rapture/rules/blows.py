"""Close combat attacks: dodge, hit roll, block roll, damage, wounds, and the counterblow that answers them."""

from arbiter.dice import D6
from arbiter.rule import rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield, in_play, unit_name
from services.rapture.book import Book, number
from services.rapture.rules import answers, boxes, prices, reach, retreat, rolls
from services.rapture.rules.answers import Offer, Trigger
from services.rapture.rules.prices import Price
from services.rapture.rules.shots import AttackOutcome, no_outcome
from services.rapture.scene import Unit
from services.rapture.ways import Way

DODGE, COUNTERBLOW, RETREAT = "dodge", "counterblow", "retreat"


@rule(
    "blows.exchange",
    cites="attack/steps",
    neutral=lambda field, by, against, what="close-combat", plus=0: (field, ()),
)
def exchange(
    table: Table, field: Battlefield, by: str, against: str, what: Trigger = "close-combat", plus: int = 0
) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    """Decide how a close combat attack goes, step by step, with every blow back; `plus` is what CCS changes by.

    A blow back is an attack that may be answered itself, and as each costs RP, they end.
    """
    field, strike, answered = _attack(table, field, by, against, what, plus)
    strikes: tuple[AttackOutcome, ...] = (strike,)
    while in_play(field.unit(by)) and RETREAT not in answered:
        if answers.choose_reaction(table, field, against, what, by, "after-attack", answered) is None:
            break
        answered = (*answered, COUNTERBLOW)
        field, more = counterblow(table, answers.pay(table, field, against, COUNTERBLOW), against, by)
        strikes = (*strikes, *more)
    return field, strikes


@rule(
    "blows.counterblow",
    cites=("counterblow/trigger", "counterblow/after", "counterblow/attack"),
    neutral=lambda field, by, against: (field, ()),
)
def counterblow(
    table: Table, field: Battlefield, by: str, against: str
) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    """Decide how a unit strikes back: by a close combat attack of its own, when the attack on it is done."""
    table.find("{unit} strikes back", unit=field.name(field.unit(by)))
    return exchange(table, field, by, against, "counterblow", difficulty_increase(table))


@rule("blows.harder", cites="counterblow/harder", neutral=0)
def difficulty_increase(table: Table) -> int:
    """Decide what CCS changes by for a counterblow: it goes up, which is `counter-increase`."""
    found = number("counterblow-ccs") if table.read("counter-increase") == "harder" else -number("counterblow-ccs")
    table.find("the difficulty of a counterblow changes by {by}", by=f"{found:+}")
    return found


def _attack(
    table: Table, field: Battlefield, by: str, against: str, what: Trigger, plus: int
) -> tuple[Battlefield, AttackOutcome, tuple[str, ...]]:
    """Give the battlefield after one blow, how it went, and the reactions with which it was answered so far."""
    now = rolls.current_values(table, field, by)
    dodged = 0
    answered: tuple[str, ...] = ()
    way = table.call(_way_out, field, against) if what == "close-combat" else None
    also = () if way is None else (_retreat(table, field, against),)
    while (
        picked := answers.choose_reaction(table, field, against, what, by, "before-hit-roll", answered, also)
    ) is not None:
        if picked == RETREAT and way is not None:
            field, _ = retreat.retreat(table, field, against, way, True)
            return field, no_outcome(by, against, what), (*answered, RETREAT)
        field = answers.pay(table, field, against, picked)
        answered = (*answered, picked)
        dodged += table.call(dodge, field.book, field.unit(against))
    unit, target = field.unit(by), field.unit(against)
    name = field.name(unit)
    att = remaining_dice(table, name, now.att, dodged) if dodged else now.att
    dice = reach.dice(table, reach.close(table, field, by, against), att)
    difficulty = rolls.difficulty(table, name, "close", now.ccs, plus)
    roll = "hit" if what == "close-combat" else COUNTERBLOW
    hits = table.call(rolls.hits, by, name, "close", dice, difficulty, roll)
    guard = rolls.guard(table, field.book, target, "close", target.shelter_markers)
    blocks = table.call(rolls.blocks, against, field.name(target), guard, hits)
    damage = rolls.damage(table, hits, blocks)
    wounds = rolls.wounds(table, field.book, target, damage)
    table.find(
        "{unit} strikes at {target}: hits {hits}, blocks {blocks}, wounds {wounds}", unit=name,
        target=field.name(target), hits=hits, blocks=blocks, wounds=wounds,
    )  # fmt: skip
    field = rolls.suffer(table, field, against, wounds, unit.side)
    strike = AttackOutcome(by, against, what, dodged, False, dice, difficulty, hits, blocks, damage, wounds)
    return field, strike, answered


@rule(
    "blows.retreat_way",
    cites=("action/retreat", "retreat/ends-activation", "profile/reaction-points"),
    neutral=None,
)
def retreat_way(table: Table, field: Battlefield, unit_id: str) -> Way | None:
    """Decide whether a unit may retreat in answer to an attack, and by which way: `retreat-when`.

    Here it goes straight away from its opponent, as far as it may.
    """
    with table.without_findings():
        price = Price(rp=field.book.actions[RETREAT].rp)
        closed = (*prices.violations(table, field, unit_id, price), *retreat.violations(table, field, unit_id))
    if closed or table.read("retreat-when") == "action":
        return None
    far = retreat.allowance(table, field, unit_id)
    way = retreat.straight_away(table, field, unit_id, far)
    if way is None or retreat.way_violations(table, field, unit_id, way, far):
        return None
    table.find("{unit} may answer by a retreat", unit=field.name(field.unit(unit_id)))
    return way


def _way_out(table: Table, field: Battlefield, unit_id: str) -> Way | None:
    return retreat_way(table, field, unit_id)


def _retreat(table: Table, field: Battlefield, unit_id: str) -> Offer:
    row = field.book.actions[RETREAT]
    return Offer(RETREAT, row.name, row.rp, answers.available_rp(table, field, unit_id), ())


@rule(
    "blows.dodge",
    cites=("dodge/trigger", "dodge/before-hit-roll", "dodge/dice", "dodge/difficulty"),
    neutral=0,
)
def dodge(table: Table, book: Book, unit: Unit) -> int:
    """Decide how often a unit dodges: before the hit roll it rolls TEC dice, and each of 4 or more dodges."""
    dice, least = boxes.values_of(table, book, unit).tec, number("dodge")
    name = unit_name(book, unit)
    if not dice:
        table.find("{unit} has no die to dodge with", cites="dodge/dice", unit=name)
        return 0
    found: int = sum(face >= least for face in table.pool(dice, D6, f"{unit.id}: {DODGE}"))
    table.find("{unit} dodges with {times} of {dice} dice", unit=name, times=found, dice=dice)
    return found


@rule("blows.fewer", cites="dodge/fewer-dice", neutral=lambda name, att, dodged: att)
def remaining_dice(table: Table, name: str, att: int, dodged: int) -> int:
    """Decide how many dice are left of ATT: one less for each dodge, down to `dodge-floor`."""
    found = max(0, att - number("dodged") * dodged)
    if att and not found and table.read("dodge-floor") == "one-left":
        found = 1
    table.find("{unit} has ATT {att} instead of {was}", unit=name, att=found, was=att)
    return found
