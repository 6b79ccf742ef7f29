"""Ranged attacks: range, seeking shelter, hit roll, block roll, damage, wounds, and what they cross out."""

from typing import Any

from msgspec.structs import replace

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.rules import answers, reach, rolls
from services.rapture.rules.answers import Moment, Trigger
from services.rapture.rules.reach import Reach
from services.rapture.rules.rolls import NEVER, HitRoll, Struck


class AttackOutcome(Value, frozen=True):
    """How one attack went: `by` whom and `against` whom, `what` kind, and the result of each step.

    `dodged` are the successes of the dodge, `dice` and `difficulty` those of the hit roll, `blocks` the hits that are
    blocked.
    """

    by: str
    against: str
    what: Trigger
    dodged: int
    sheltered: bool
    dice: int
    difficulty: int
    hits: int
    blocks: int
    damage: int
    wounds: int


Attacked = tuple[Battlefield, tuple[AttackOutcome, ...]]
"""The battlefield after attacks, and their outcomes."""


def no_attack(field: Battlefield, *_: Any, **__: Any) -> Attacked:
    """Give the battlefield as it is without any attack, for `neutral` of rules that take it first."""
    return field, ()


def no_outcome(attacker_id: str, target_id: str, trigger: Trigger) -> AttackOutcome:
    """Give the outcome of an attack without effect."""
    return AttackOutcome(attacker_id, target_id, trigger, 0, False, 0, NEVER, 0, 0, 0, 0)


def dealt(
    table: Table, field: Battlefield, by: str, against: str, what: Trigger, struck: Struck, *, sheltered: bool = False
) -> tuple[Battlefield, AttackOutcome]:
    """Give the battlefield after the wounds of an attack, and its outcome.

    Damage and wounds for which nobody asks are 0 in it, so that equal ends merge.
    """
    wounds = rolls.wounds(table, field.book, field.unit(against), struck.damage)
    how = "shoots" if what in ("ranged", "countershot") else "strikes"
    names = {"unit": field.name(by), "target": field.name(against)}
    hits, blocks = Quantity(struck.hits, "hit"), Quantity(struck.blocks, "block")
    text = f"{{unit}} {how} at {{target}}: {{hits}}, {{blocks}}, {{wounds}}"
    table.find(text, **names, hits=hits, blocks=blocks, wounds=Quantity(wounds, "wound"))
    field = rolls.suffer(table, field, against, wounds, field.player(by))
    of_roll = struck.dodged, sheltered, struck.dice, struck.difficulty, struck.hits, struck.blocks
    damage = struck.damage if table.wants("blows", "damage") else 0
    told = wounds if table.wants("blows", "wounds", "wounds_back") else 0
    return field, AttackOutcome(by, against, what, *of_roll, damage, told)


@rule(
    "shots.shoot",
    cites="attack/steps",
    neutral=lambda field, by, against, what, *_: (field, no_outcome(by, against, what)),
)
def shoot(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, trigger: Trigger, reach_: Reach, harder: int = 0
) -> tuple[Battlefield, AttackOutcome]:
    """Decide the outcome of a ranged attack, step by step; `reach_` is the range measured before.

    `harder` is added to MMS. Shelter is sought before the hit roll or before the block roll (`shelter-when`), and
    may help against this attack or only later (`shelter-protects`).
    """
    before, name = field.unit(target_id).shelter_markers, field.name(attacker_id)
    field = _offer_shelter(table, field, attacker_id, target_id, trigger, "before-hit-roll")
    now = rolls.current_values(table, field, attacker_id)
    dice = reach.dice(table, reach_, now.rof)
    difficulty = rolls.difficulty(table, name, "ranged", now.mms or NEVER, harder)
    hits = table.call(rolls.hits, HitRoll(attacker_id, name, "ranged", dice, difficulty, "hit"))
    if hits:
        field = _offer_shelter(table, field, attacker_id, target_id, trigger, "before-block-roll")
    target = field.unit(target_id)
    markers = target.shelter_markers
    if markers > before and hits and table.read("shelter-protects") == "next-time":
        markers = before
    guard = rolls.guard(table, field.book, target, "ranged", markers)
    blocks = table.call(rolls.blocks, target_id, field.name(target_id), guard, hits)
    struck = Struck(rolls.damage(table, hits, blocks), hits, blocks, 0, dice, difficulty)
    return dealt(table, field, attacker_id, target_id, trigger, struck, sheltered=target.shelter_markers > before)


def _offer_shelter(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, trigger: Trigger, moment: Moment
) -> Battlefield:
    """Give the battlefield after the target has sought shelter as often as it can and chooses to."""
    reactions: tuple[str, ...] = ()
    asked = target_id, trigger, attacker_id, moment
    while table.call(answers.choose_reaction, field, *asked, reactions) is not None:
        field = seek_shelter(table, answers.pay(table, field, target_id, "seek-shelter"), target_id)
        reactions = (*reactions, "seek-shelter")
    return field


@rule("shots.seek_shelter", cites=("seek-shelter/trigger", "seek-shelter/marker"), neutral=unchanged)
def seek_shelter(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide what seeking shelter does: the unit gets a Shelter Marker."""
    table.find("{unit} seeks shelter and gets a Shelter Marker", unit=field.name(unit_id))
    table.event("sheltered", unit=unit_id)
    unit = field.unit(unit_id)
    return field.put(replace(unit, shelter_markers=unit.shelter_markers + 1))
