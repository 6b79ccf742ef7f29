"""Attacks: a close combat attack and a ranged attack with all reactions, and the reactions of a unit."""

from collections.abc import Iterator
from itertools import starmap
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.skirmish.cases import CaseState, case_fault, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.rapture.battlefield import Battlefield
from services.rapture.checks import prepared
from services.rapture.rules import answers, attack, boxes, reach
from services.rapture.rules.answers import Moment, Trigger
from services.rapture.rules.shots import AttackOutcome, no_outcome
from services.rapture.scene import Scene


class AttackCase(FactCase, frozen=True):
    """A close combat attack: the `attacker` and its `target`."""

    scene: Scene
    attacker: Id
    target: Id


class ShootCase(FactCase, frozen=True):
    """A ranged attack: the `shooter` and its `target`."""

    scene: Scene
    shooter: Id
    target: Id


class Lost(Value, frozen=True):
    """The boxes of HP and MP that a side has lost; a disabled unit loses all that it had left."""

    side: Id
    boxes: int


class AttackAnswer(Value, frozen=True):
    """How the attack went. Counts with `back` are those of all counterblows of the target together."""

    dodged: Annotated[int, Meta(description="How many dice the target dodged.")]
    hits: int
    blocks: Annotated[int, Meta(description="The number of hits that are blocked.")]
    damage: int
    wounds: int
    counterblow: Annotated[bool, Meta(description="Whether the target struck back.")]
    wounds_back: int
    target_hp: Annotated[int, Meta(description="The HP that the target has left.")]
    attacker_hp: Annotated[int, Meta(description="The HP that the attacker has left.")]
    attacker_ap: int
    attacker_rp: int
    target_rp: int
    fallen: Annotated[tuple[Id, ...], Meta(description="The units disabled, in the order of the scene.")]
    blows: Annotated[
        tuple[AttackOutcome, ...], Meta(description="Each attack by itself, in the order in which they were made.")
    ]
    lost: tuple[Lost, ...]


class ShootAnswer(Value, frozen=True):
    """How the shot went. It is not made where the target turns out to be out of range."""

    made: bool
    distance_cm: Annotated[float, Meta(description="From the shooter to the target; rounded to thousandths.")]
    sheltered: Annotated[bool, Meta(description="Whether the target sought shelter.")]
    dice: int
    difficulty: Annotated[int | None, Meta(description="Null where the shot is not made.")]
    hits: int
    blocks: int
    damage: int
    wounds: int
    target_hp: Annotated[int, Meta(description="The HP that the target has left.")]
    shooter_ap: int
    target_rp: int
    fallen: Annotated[tuple[Id, ...], Meta(description="The units disabled, in the order of the scene.")]
    lost: tuple[Lost, ...]


class ReactionsCase(FactCase, frozen=True):
    """A `unit`, what an opponent (`by`) does (`trigger`), and the `moment` in it at which the unit may react.

    `answered` are the reactions with which it has answered the same action already.
    """

    scene: Scene
    unit: Id
    by: Id
    trigger: Trigger
    moment: Moment
    answered: Annotated[tuple[Id, ...], Meta(max_length=20)] = ()


class Reaction(Value, frozen=True):
    """One reaction of the overview: open or not and why not, its price, and the RP that would be left."""

    reaction: Id
    open: bool
    rp: int
    rp_left: Annotated[int | None, Meta(description="Null if it is not available.")]
    why_not: tuple[str, ...]


class ReactionsAnswer(Value, frozen=True):
    """The number of available reactions, the RP left, and each reaction of the overview."""

    open: int
    rp: int
    reactions: tuple[Reaction, ...]


def _reaction_faults(field: Battlefield, case: ReactionsCase) -> Iterator[Fault]:
    """Find a unit that acts against itself, or else unknown reactions."""
    if case.unit == case.by:
        yield from itself("by", case.unit, case.by)
        return
    reactions = [row.id for row in field.book.actions.values() if row.type == "reaction"]
    for index, id_ in enumerate(case.answered):
        if id_ not in reactions:
            message, expected = f"there is no reaction {id_!r}", f"one of {', '.join(reactions)}"
            yield case_fault(f"answered/{index}", "unknown-reaction", message, id_, expected)


def itself(member: str, id_: str, other: str) -> Iterator[Fault]:
    """Find a unit that acts against itself."""
    if id_ == other:
        yield case_fault(member, "itself", "a unit cannot act against itself", other, "another unit")


def decide_attack(table: Table, state: CaseState[Battlefield, AttackCase]) -> Decided[AttackAnswer]:
    """What is the outcome of this close combat attack, with dodge, block roll and counterblow?"""
    before, attacker, target = state.field, state.case.attacker, state.case.target
    forbid(table.call(attack.close_violations, before, attacker, target))
    field, outcomes = attack.close_combat(table, before, attacker, target)
    attacks = tuple(outcome for outcome in outcomes if outcome.by == attacker)
    counterblows = tuple(outcome for outcome in outcomes if outcome.by == target)
    (ap, rp), (_, target_rp) = (_points(table, field, id_) for id_ in (attacker, target))
    answer = AttackAnswer(
        sum(outcome.dodged for outcome in attacks),
        sum(outcome.hits for outcome in attacks),
        sum(outcome.blocks for outcome in attacks),
        sum(outcome.damage for outcome in attacks),
        sum(outcome.wounds for outcome in attacks),
        bool(counterblows),
        sum(outcome.wounds for outcome in counterblows),
        boxes.left(field, target, "hp"),
        boxes.left(field, attacker, "hp"),
        ap,
        rp,
        target_rp,
        _fallen(before, field),
        outcomes,
        tuple(starmap(Lost, boxes.lost(before, field).items())),
    )
    return Decided(answer, field.scene)


def decide_shoot(table: Table, state: CaseState[Battlefield, ShootCase]) -> Decided[ShootAnswer]:
    """What is the outcome of this ranged attack, and does the target seek shelter?"""
    before, shooter, target = state.field, state.case.shooter, state.case.target
    forbid(table.call(attack.declaration_violations, before, shooter, target))
    distance = table.call(_distance, before, shooter, target)
    field, outcome = attack.ranged(table, before, shooter, target)
    (ap, _), (_, target_rp) = (_points(table, field, id_) for id_ in (shooter, target))
    shot = outcome or no_outcome(shooter, target, "ranged")
    answer = ShootAnswer(
        outcome is not None,
        distance,
        shot.sheltered,
        shot.dice,
        outcome.difficulty if outcome else None,
        shot.hits,
        shot.blocks,
        shot.damage,
        shot.wounds,
        boxes.left(field, target, "hp"),
        ap,
        target_rp,
        _fallen(before, field),
        tuple(starmap(Lost, boxes.lost(before, field).items())),
    )
    return Decided(answer, field.scene)


def decide_reactions(table: Table, state: CaseState[Battlefield, ReactionsCase]) -> Decided[ReactionsAnswer]:
    """Which reactions can this unit take at this moment, at what price, and why not the others?"""
    case = state.case
    offers = answers.offers(table, state.field, case.unit, case.trigger, case.by, case.moment, case.answered)
    rows = tuple(
        Reaction(
            offer.reaction,
            offer.open,
            offer.rp,
            offer.at_hand - offer.rp if offer.open else None,
            tuple(reason.text for reason in offer.reasons),
        )
        for offer in offers
    )
    return Decided(ReactionsAnswer(sum(row.open for row in rows), offers[0].at_hand if offers else 0, rows))


def worth(answer: AttackAnswer | ShootAnswer, side: str) -> int:
    """Give the worth of an attack to a side: boxes lost by the others, minus its own."""
    return sum(-each.boxes if each.side == side else each.boxes for each in answer.lost)


def _distance(table: Table, field: Battlefield, a: str, b: str) -> float:
    with table.without_findings():
        return round(reach.range_cm(table, field, a, b) * PER_UNIT) / PER_UNIT


def _points(table: Table, field: Battlefield, unit_id: str) -> tuple[int, int]:
    with table.without_findings():
        return boxes.points(table, field, unit_id)


def _fallen(before: Battlefield, after: Battlefield) -> tuple[str, ...]:
    return tuple(unit.id for unit in before.units if after.unit(unit.id).disabled is not None)


QUESTIONS = (
    Question(
        "attack",
        AttackCase,
        prepared("attacker", "target", wrong=lambda field, case: itself("target", case.attacker, case.target)),
        decide_attack,
        dice=True,
        worth=worth,
        ends=(
            "wounds",
            "counterblow",
            "wounds_back",
            "target_hp",
            "attacker_hp",
            "attacker_ap",
            "attacker_rp",
            "target_rp",
            "fallen",
            "lost",
        ),
    ),
    Question(
        "shoot",
        ShootCase,
        prepared("shooter", "target", wrong=lambda field, case: itself("target", case.shooter, case.target)),
        decide_shoot,
        dice=True,
        worth=worth,
    ),
    Question("reactions", ReactionsCase, prepared("unit", "by", wrong=_reaction_faults), decide_reactions),
)
