"""Attacks: who can be attacked, with which odds, and how an attack goes."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.option import single
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import State, checking, fault, id_faults, one_of, standing
from services.blackstone_fortress.profiles import ActionCost, WeaponAction
from services.blackstone_fortress.questions import explorers, overwatch, targets, wounds
from services.blackstone_fortress.rules import armoury, attacks, payments, sight, sightline, weapon_actions
from services.blackstone_fortress.rules.armoury import Attack
from services.blackstone_fortress.rules.attacks import AttackOutcome
from services.blackstone_fortress.rules.payments import Payment
from services.blackstone_fortress.rules.wounds import remaining
from services.blackstone_fortress.scene import Explorer, Hostile, Scene


class AttackCase(FactCase, frozen=True):
    """An explorer's weapon action, or an attack of a hostile with a weapon it carries, by the `attacker`.

    An explorer needs an `action` of its card, and pays for it: `die` says with which die, "free" that none is spent,
    null asks. `targets` are those of the action's attacks in order; attacks for which none is named, or whose target is
    gone by then, are asked for. A hostile makes one attack: `aimed` and `reroll` are what its own action does to it.
    Overwatch that the attack triggers is another question, and so is standing up: an explorer who is stunned does not
    discard the die for it here, but does in `act` and `stand-up`.
    """

    scene: Scene
    attacker: Id
    targets: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=6)]
    action: Annotated[Id | None, Meta(description="Explorers: the weapon action.")] = None
    cost: Annotated[
        Annotated[int, Meta(ge=1, le=6)] | None,
        Meta(description="Explorers: which of the action's costs; null is the highest that the die pays for."),
    ] = None
    die: Annotated[
        Payment | Literal["free"] | None, Meta(description="Explorers: the die that pays, `free` or null to be asked.")
    ] = None
    aimed: Annotated[bool, Meta(description="Whether the attack is aimed, or an Aim, and ignores cover.")] = False
    aim_die: Annotated[
        Payment | None, Meta(description="Explorers: the further die that pays for aiming; null to be asked.")
    ] = None
    weapon: Annotated[Id | None, Meta(description="Hostiles: a weapon it carries; null asks if there are several.")] = (
        None
    )
    overcharged: Annotated[bool, Meta(description="Hostiles: whether the weapon is overcharged.")] = False
    reroll: Annotated[bool, Meta(description="Hostiles: whether failed attack rolls are rolled again.")] = False


class AttackAnswer(Value, frozen=True):
    """What the attacks came to, all together and one by one.

    `damage`, `wounds` and `grievous` are what the targets suffered of these attacks, with 1 damage for a wound and 3
    for a grievous wound. `slain` and `out_of_action` name everybody who fell, an attacker who fell to a riposte too.
    """

    damage: int
    wounds: int
    grievous: int
    felled: Annotated[bool, Meta(description="Whether the first target is slain or out of action.")]
    remaining: Annotated[
        int,
        Meta(description="What the first target has left: damage a hostile stands, or empty spaces of an explorer."),
    ]
    slain: tuple[Id, ...]
    out_of_action: tuple[Id, ...]
    attacks: tuple[AttackOutcome, ...]


def _attack_faults(field: Battlefield, case: AttackCase) -> Iterator[Fault]:
    attacker = field.units.get(case.attacker)
    foes = None if attacker is None else field.enemies(attacker)
    yield from standing(field, "unit", case.attacker, "attacker")
    for index, target in enumerate(case.targets):
        yield from standing(field, "unit" if attacker is None else "enemy", target, f"targets/{index}", foes)
    if attacker is None:
        return
    if isinstance(attacker, Explorer):
        yield from _explorer_faults(field, attacker, case)
    else:
        yield from _hostile_faults(field, attacker, case)


def _explorer_faults(field: Battlefield, explorer: Explorer, case: AttackCase) -> Iterator[Fault]:
    yield from _foreign(case, ("weapon", "overcharged", "reroll"), "hostiles")
    actions = {action.id: action for action in field.side(explorer).weapon_actions}
    action = actions.get(case.action or "")
    if action is None:
        yield from id_faults("weapon action", case.action or "", "action", list(actions))
        return
    costs = {row.cost: row.attacks for row in action.costs}
    if case.cost is not None and case.cost not in costs:
        message = f"{action.name} has no cost of {case.cost}+"
        yield fault("cost", "unknown-cost", message, case.cost, one_of(costs))
        return
    most = max(costs.values()) if case.cost is None else costs[case.cost]
    if len(case.targets) > most:
        message, asked = f"{len(case.targets)} targets for {most} attacks", f"at most {most}, one for each attack"
        yield fault("targets", "too-many-targets", message, list(case.targets), asked)
    if case.aim_die is not None and not case.aimed:
        message = "a die pays for aiming, but the action is not aimed"
        yield fault("aim_die", "not-aimed", message, case.aim_die.die, "nothing, or `aimed` as well")


def _hostile_faults(field: Battlefield, hostile: Hostile, case: AttackCase) -> Iterator[Fault]:
    yield from _foreign(case, ("action", "cost", "die", "aim_die"), "explorers")
    if len(case.targets) > 1:
        message = "a hostile makes one attack at a time"
        yield fault("targets", "too-many-targets", message, list(case.targets), "one target")
    card = field.card(hostile)
    if case.weapon is not None and case.weapon not in card.weapons:
        yield from id_faults("weapon", case.weapon, "weapon", card.weapons)
        return
    for weapon in (case.weapon,) if case.weapon is not None else armoury.weapons_carried(field, hostile):
        if not any(row.overcharged in (None, case.overcharged) for row in field.book.weapons[weapon]):
            message, seen, asked = f"the {weapon} has no such mode", str(case.overcharged), str(not case.overcharged)
            yield fault("overcharged", "no-such-mode", message, seen, asked)


def _foreign(case: AttackCase, names: tuple[str, ...], whose: str) -> Iterator[Fault]:
    """Find members that have no meaning for this attacker."""
    for name in names:
        value = getattr(case, name)
        if value not in (None, False):
            yield fault(name, f"only-for-{whose}", f"`{name}` is for attacks of {whose}", str(value), "nothing")


def attack(table: Table, state: State[AttackCase]) -> Decided[AttackAnswer]:
    """How an attack goes: an explorer's weapon action with all its attacks, or one attack of a hostile."""
    by_explorer = isinstance(state.field.units[state.case.attacker], Explorer)
    after, outcomes = (_weapon_action if by_explorer else _hostile_attack)(table, state)
    return Decided(_answer(state.field, after, outcomes, state.case.targets[0]), after.scene)


def _weapon_action(table: Table, state: State[AttackCase]) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    field, case = state.field, state.case
    explorer = field.explorer(case.attacker)
    action = armoury.action_of(field, explorer, case.action or "")
    die = case.die or _unpaid(field, case.attacker)
    die = die or _choose_die(table, field, case.attacker, "die", case.cost or action.costs[0].cost, ())
    face = die.die if isinstance(die, Payment) else None
    weapon_actions.stunned_attacker(table, field, case.attacker)
    row = _price(action, case.cost, face)
    spent, costs = ((die,), (row.cost,)) if isinstance(die, Payment) else ((), ())
    attack = armoury.plain(action)
    reasons = list(weapon_actions.violations(table, field, case.attacker, action.id, case.targets, attack))
    if case.aimed:
        aim_die = case.aim_die or _choose_die(table, field, case.attacker, "aiming die", 1, spent)
        reasons += armoury.extra_die(table, aim_die)
        spent, costs = (*spent, aim_die), (*costs, 1)
    reasons += payments.violations(table, field, case.attacker, spent, costs)
    reasons += weapon_actions.too_many_targets(table, action, row, len(case.targets))
    if reasons:
        table.explain(_find_what_hides, state)
        raise Forbidden(*reasons)
    field = payments.spend(table, field, case.attacker, spent)
    return weapon_actions.take_attacks(
        table, field, case.attacker, action.id, row.cost, case.targets, case.aimed, face, not explorer.activated
    )


def _unpaid(field: Battlefield, explorer_id: str) -> Literal["free"] | None:
    """Say that nothing is paid where no board and no dice are in the scene: the players have paid themselves."""
    dice = payments.purse(field, explorer_id).activation or field.scene.turn.destiny
    return "free" if field.scene.is_partial and not dice else None


def _price(action: WeaponAction, cost: int | None, face: int | None) -> ActionCost:
    """Give the row of an action's costs: the one named, else the highest that the die pays for, else the lowest."""
    rows = sorted(action.costs, key=lambda row: row.cost)
    if cost is not None:
        return next(row for row in rows if row.cost == cost)
    paid = [row for row in rows if face is not None and row.cost <= face]
    return paid[-1] if paid else rows[0]


def _choose_die(
    table: Table, field: Battlefield, explorer_id: str, purpose: str, cost: int, spent: tuple[Payment, ...]
) -> Payment:
    """Let the explorer's player pick a die that pays a cost besides those already spent; forbidden if there is none."""
    one_each = (cost,)
    ways = {
        f"destiny {die.die}" if die.destiny else str(die.die): die
        for die in payments.ways(table, field, explorer_id, cost)
        if not payments.violations(table, field, explorer_id, (*spent, die), (*(1 for _ in spent), *one_each))
    }
    if not ways:
        raise Forbidden(*payments.enough(table, (), one_each))
    return payments.choose(table, field, f"{explorer_id}: {purpose}", ways)


def _hostile_attack(table: Table, state: State[AttackCase]) -> tuple[Battlefield, tuple[AttackOutcome, ...]]:
    field, case = state.field, state.case
    hostile, target = field.hostile(case.attacker), case.targets[0]
    carried = armoury.weapons_carried(field, hostile)
    violations: dict[str, tuple[Reason, ...]] = {}
    for weapon in (case.weapon,) if case.weapon is not None else carried:
        violations[weapon] = (
            *armoury.carried(table, field, case.attacker, weapon),
            *attacks.violations(table, field, case.attacker, target, _attack_with(field, case, weapon)),
        )
    weapons = tuple(weapon for weapon, reasons in violations.items() if not reasons)
    if not weapons:
        table.explain(_find_what_hides, state)
        raise Forbidden(*{reason.text: reason for reasons in violations.values() for reason in reasons}.values())
    weapon = table.choose("hostiles", f"{case.attacker}: weapon", weapons, about=field, means=single("weapon"))
    field, outcome = attacks.attack_once(table, field, case.attacker, target, _attack_with(field, case, weapon))
    return field, (outcome,)


def _find_what_hides(table: Table, state: State[AttackCase]) -> None:
    """Record what blocks the line to each target that the attacker does not see."""
    field = state.field
    here = field.units[state.case.attacker].hex
    for target in dict.fromkeys(state.case.targets) if field.measures() else ():
        there = field.units[target].hex
        if here and there and not sight.visible(table, field, here, there):
            table.always(sightline.contacts, field.ground, here, there, False)


def _attack_with(field: Battlefield, case: AttackCase, weapon: str) -> Attack:
    """Give the hostile's attack with what its action does to it."""
    ready = armoury.hostile_attack(field, field.hostile(case.attacker), case.overcharged, weapon)
    return replace(ready, ignores_cover=case.aimed, reroll_failures=case.reroll)


def _answer(before: Battlefield, after: Battlefield, outcomes: tuple[AttackOutcome, ...], target: str) -> AttackAnswer:
    wounds_, grievous = sum(outcome.wounds for outcome in outcomes), sum(outcome.grievous for outcome in outcomes)
    unit = after.units[target]
    gone = unit.hex is None
    return AttackAnswer(
        wounds_ + 3 * grievous,
        wounds_,
        grievous,
        gone,
        0 if gone else remaining(after, target),
        tuple(one.id for one in before.hostiles if after.hostile(one.id).slain),
        tuple(one.id for one in before.explorers if after.explorer(one.id).out_of_action),
        outcomes,
    )


ATTACK = Question("attack", AttackCase, checking(_attack_faults), attack, dice=True)

QUESTIONS = (ATTACK, *targets.QUESTIONS, *overwatch.QUESTIONS, *wounds.QUESTIONS, *explorers.QUESTIONS)
