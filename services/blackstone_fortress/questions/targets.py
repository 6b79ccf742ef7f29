"""Targets: whom a unit can attack now, with which weapon, dice and chances, and whom it cannot, and why."""

from collections.abc import Iterator
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Why
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress import attack_law
from services.blackstone_fortress.attack_law import AttackDice
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import State, checking, id_faults
from services.blackstone_fortress.profiles import DieName
from services.blackstone_fortress.rules import armoury, attacks, defence, sight
from services.blackstone_fortress.rules.armoury import Attack
from services.blackstone_fortress.rules.wounds import remaining
from services.blackstone_fortress.scene import Explorer, Scene

Fraction = Annotated[str, Meta(description='An exact fraction, as in "7/12".')]


class TargetsCase(FactCase, frozen=True):
    """Whom an `attacker` can attack now, with each of its weapon actions or weapons."""

    scene: Scene
    attacker: Id


class Volley(Value, frozen=True):
    """What one cost of a weapon action buys against a target: its number of attacks, and the chance to fell it.

    The chance is for a hostile to be slain by these attacks alone. For an explorer's action without aiming.
    """

    attacks: int
    slays: Fraction
    cost: int | None = None


class EligibleTarget(Value, frozen=True):
    """A target that can be attacked, and what one attack on it is expected to do.

    `expected_damage` counts 1 for a wound and 3 for a grievous wound, after cover and an explorer's defence roll;
    `expected_aimed` is the same for an aimed attack. Re-rolls for inspiration points and ripostes are left out.
    """

    target: Id
    range: int
    dice: tuple[DieName, ...]
    in_cover: Annotated[bool, Meta(description="Whether cover counts for the target.")]
    expected_damage: Fraction
    expected_aimed: Fraction
    volleys: tuple[Volley, ...] = ()


class IneligibleTarget(Value, frozen=True):
    """An enemy that cannot be attacked, and every reason why."""

    target: Id
    reasons: tuple[Why, ...]


class Choice(Value, frozen=True):
    """A weapon action of an explorer or a weapon of a hostile, with the enemies that it can attack and cannot.

    `action` and `weapon` are as a question about the attack has them.
    """

    action: Id | None
    weapon: Id | None
    name: str
    eligible: tuple[EligibleTarget, ...]
    ineligible: tuple[IneligibleTarget, ...]


class TargetsAnswer(Value, frozen=True):
    """Whom the unit can attack with anything, and the same for each weapon action or weapon."""

    targets: Annotated[tuple[Id, ...], Meta(description="Everybody who can be attacked with something.")]
    weapons: tuple[Choice, ...]


def _faults(field: Battlefield, case: TargetsCase) -> Iterator[Fault]:
    yield from id_faults("unit", case.attacker, "attacker", tuple(field.units))


def targets(table: Table, state: State[TargetsCase]) -> Decided[TargetsAnswer]:
    """Whom a unit can attack now and with what, the dice and chances of it, and why it cannot attack the others."""
    field, attacker = state.field, state.field.units[state.case.attacker]
    if isinstance(attacker, Explorer):
        choices = tuple(
            _choice(
                table,
                field,
                attacker.id,
                action.id,
                armoury.explorer_attack(table, field, attacker.id, action),
                tuple((row.cost, row.attacks) for row in action.costs),
            )
            for action in field.side(attacker).weapon_actions
        )
    else:
        choices = tuple(
            _choice(table, field, attacker.id, weapon, armoury.hostile_attack(field, attacker, weapon=weapon), ())
            for weapon in armoury.weapons_carried(field, attacker)
        )
    attackable = {aim.target for choice in choices for aim in choice.eligible}
    enemies = tuple(enemy.id for enemy in field.enemies(attacker) if enemy.id in attackable)
    return Decided(TargetsAnswer(enemies, choices))


def _choice(
    table: Table, field: Battlefield, attacker_id: str, id_: str, attack: Attack, costs: tuple[tuple[int, int], ...]
) -> Choice:
    eligible, ineligible = [], []
    for enemy in field.enemies(field.units[attacker_id]):
        reasons = attacks.violations(table, field, attacker_id, enemy.id, attack)
        if reasons:
            ineligible.append(IneligibleTarget(enemy.id, tuple(reason.why for reason in reasons)))
        else:
            eligible.append(_eligible_target(table, field, attacker_id, enemy.id, attack, costs))
    ours = isinstance(field.units[attacker_id], Explorer)
    return Choice(id_ if ours else None, None if ours else id_, attack.name, tuple(eligible), tuple(ineligible))


def _eligible_target(
    table: Table,
    field: Battlefield,
    attacker_id: str,
    target_id: str,
    attack: Attack,
    costs: tuple[tuple[int, int], ...],
) -> EligibleTarget:
    hexes = sight.apart(table, field, field.units[attacker_id], field.units[target_id])
    pool = pool_of(table, field, attacker_id, target_id, attack, hexes)
    with table.without_findings():
        aimed = pool_of(table, field, attacker_id, target_id, replace(attack, ignores_cover=True), hexes)
    wounds_left = remaining(field, target_id)
    volleys = tuple(Volley(count, _slays(pool, count, wounds_left), cost) for cost, count in costs)
    return EligibleTarget(
        target_id,
        hexes,
        pool.dice,
        pool.in_cover,
        str(attack_law.expected(pool)),
        str(attack_law.expected(aimed)),
        volleys,
    )


def pool_of(
    table: Table, field: Battlefield, attacker_id: str, target_id: str, attack: Attack, hexes: int
) -> AttackDice:
    """Give the dice of an attack at a range, and of the defence against it, with the readings that matter to them."""
    dice = attacks.dice_at(table, field.scene.twists, attack, hexes)
    in_cover = attacks.shelters(table, field, attacker_id, target_id, attack)
    pool = AttackDice(dice, in_cover, attack.reroll_failures, sniping="wound-extra-on-grievous" in attack.traits)
    if isinstance(field.units[target_id], Explorer):
        defending = defence.dice_of(table, field, target_id, attacker_id, attack.without_cover)
        pool = replace(pool, defence=defending, defence_reroll=defence.rolls_again(table, field, target_id))
    changes: dict[str, Any] = {}
    if max(len(pool.dice), len(pool.defence)) > 1:
        changes["two_dice"] = table.read("two-dice")
        if changes["two_dice"] == "each" and (pool.reroll or pool.defence_reroll):
            changes["reroll_scope"] = table.read("reroll-scope")
    if pool.reroll and pool.in_cover:
        changes["reroll_cover"] = table.read("reroll-cover")
    return replace(pool, **changes) if changes else pool


def _slays(pool: AttackDice, attacks_: int, wounds_left: int) -> str:
    weights, whole = attack_law.several(pool, attacks_, wounds_left)
    return str(attack_law.chances((weights, whole)).get(wounds_left, 0))


TARGETS = Question("targets", TargetsCase, checking(_faults), targets)

QUESTIONS = (TARGETS,)
