"""Fights between two figures that are in combat, and what a creature does, carried out or only looked up."""

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta
from msgspec.structs import astuple

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.cases import case_fault, forbid
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave import costs
from services.stargrave.battlefield import Battlefield
from services.stargrave.questions.cases import State, prepared
from services.stargrave.rules import activation, combat, creatures, histories, power_figures
from services.stargrave.rules.combat import After, Means
from services.stargrave.rules.creatures import CreatureAction, Kind
from services.stargrave.scene import Scene

Action = Literal[Kind, "nothing"]

Modifier = Annotated[int, Meta(ge=-20, le=20)]


class Extra(Value, frozen=True):
    """What the players know of that the scene does not say: more on the roll, more damage, and its multiplier."""

    fight: Modifier = 0
    damage: Modifier = 0
    multiplier: Annotated[int, Meta(ge=1, le=10)] = 1


class AttackCase(FactCase, frozen=True):
    """A fight: the `fighter` attacks the `opponent`, and with what.

    Without an opponent the attacker's player picks one of those with whom it is in combat; without a weapon each fights
    with the one that does the most damage.
    """

    scene: Scene
    fighter: Id
    opponent: Id | None = None
    weapon: Annotated[Id | None, Meta(description="A melee weapon of the fighter, or `unarmed`.")] = None
    opponent_weapon: Annotated[Id | None, Meta(description="A melee weapon of the opponent, or `unarmed`.")] = None
    extra: Extra = Extra()
    opponent_extra: Extra = Extra()


class AttackAnswer(Value, frozen=True):
    """How the fight went. The rolls themselves stand among the findings and throws."""

    opponent: Annotated[Id, Meta(description="Who was fought.")]
    winner: Annotated[Id | None, Meta(description="Who won; null if the rolls were equal.")]
    damage: Annotated[int, Meta(description="The Health that the opponent lost.")]
    damage_to_fighter: Annotated[int, Meta(description="The Health that the fighter lost.")]
    critical: Annotated[bool, Meta(description="Whether damage was done by a critical.")]
    health: Annotated[int, Meta(description="The Health that the opponent has left.")]
    fighter_health: Annotated[int, Meta(description="The Health that the fighter has left.")]
    bonus: Annotated[int, Meta(description="What the fighter added to its die.")]
    opponent_bonus: Annotated[int, Meta(description="What the opponent added to its die.")]
    after: Annotated[After, Meta(description="What the winner chose; `over` if one of them is out of the game.")]
    still_in_combat: Annotated[bool, Meta(description="Whether the two are in combat with each other afterwards.")]


def _attack_faults(field: Battlefield, case: AttackCase) -> Iterator[Fault]:
    if case.opponent == case.fighter:
        text = "a figure cannot fight itself"
        yield case_fault("opponent", "same-figure", text, case.opponent, "another figure")
    if case.opponent is None and case.opponent_weapon is not None:
        text, expected = "a weapon is given, but no opponent", "no weapon, or an opponent as well"
        yield case_fault("opponent_weapon", "no-opponent", text, case.opponent_weapon, expected)
    for member, id_ in (("weapon", case.fighter), ("opponent_weapon", case.opponent)):
        weapon: str | None = getattr(case, member)
        if id_ is None or weapon is None:
            continue
        weapons = combat.melee(field, field.figure(id_))
        if weapon not in weapons:
            text = f"{id_} has no melee weapon {weapon!r}"
            yield case_fault(member, "unknown-weapon", text, weapon, f"one of {', '.join(weapons)}")


def attack(table: Table, state: State[AttackCase]) -> Decided[AttackAnswer]:
    """How a fight between two figures in combat goes: both combat rolls, the damage, and who is pushed back."""
    field, case = state.field, state.case
    fighter, opponent = case.fighter, case.opponent or _choose_opponent(table, field, case.fighter)
    reasons = combat.violations(table, field, fighter, opponent)
    if reasons or opponent is None:
        raise Forbidden(*reasons)
    means = Means(case.weapon, *astuple(case.extra))
    against = Means(case.opponent_weapon, *astuple(case.opponent_extra))
    after, outcome = combat.resolve_fight(table, field, fighter, opponent, means, against)
    engaged = combat.remains(table, after, fighter, opponent, outcome.after)
    answer = AttackAnswer(
        opponent,
        outcome.winner,
        outcome.to_opponent,
        outcome.to_fighter,
        outcome.critical,
        after.health(after.figure(opponent)),
        after.health(after.figure(fighter)),
        outcome.fighter_bonus,
        outcome.opponent_bonus,
        outcome.after,
        engaged,
    )
    return Decided(answer, after.scene)


def _choose_opponent(table: Table, field: Battlefield, fighter: str) -> str | None:
    opponents = combat.engaged_with(table, field, fighter)
    if not opponents:
        return None
    choice: str = table.choose(
        field.player(fighter), f"{fighter}: opponent", opponents, about=field, means=field.option
    )
    return choice


# Creatures


class BehaviourCase(FactCase, frozen=True):
    """A creature that nobody controls, and whether it acts or is only asked what it would do first."""

    scene: Scene
    creature: Annotated[Id, Meta(description="The creature that activates.")]
    carry_out: Annotated[bool, Meta(description="Whether it acts; else only its first action is looked up.")] = True


class Behaviour(Value, frozen=True):
    """What a creature does."""

    creature: Id
    steps: Annotated[tuple[int, ...], Meta(description="The steps that were asked, in order.")]
    action: Annotated[Action, Meta(description="Its first action.")]
    target: Annotated[Id | None, Meta(description="Whom that concerns.")]
    deeds: Annotated[tuple[CreatureAction, ...], Meta(description="All that it did; empty where it is only looked up.")]
    health: Annotated[int, Meta(description="Its Health afterwards.")]
    damage: Annotated[int, Meta(description="The Health that the others have lost, all together.")] = 0
    felled: Annotated[int, Meta(description="How many of the others have gone out of the game.")] = 0
    out: Annotated[tuple[Id, ...], Meta(description="Who has gone out of the game.")] = ()


def _behaviour_faults(field: Battlefield, case: BehaviourCase) -> Iterator[Fault]:
    free = [figure.id for figure in field.figures if figure.crew is None]
    if case.creature not in free:
        text = f"{case.creature} is not a creature in play"
        expected = "one of " + (", ".join(free) or "the creatures in play, but there are none")
        hint = "a player decides what a controlled figure does"
        yield case_fault("creature", "no-creature", text, case.creature, expected, hint)


def behaviour(table: Table, state: State[BehaviourCase]) -> Decided[Behaviour]:
    """What a creature that nobody controls does in its activation: fights, shots and moves, step by step."""
    field, case, creature = state.field, state.case, state.case.creature
    forbid(histories.once_a_turn(table, field, creature))
    if power_figures.powered_down(table, field, creature):
        idle = Behaviour(creature, (), "nothing", None, (), field.health(field.figure(creature)))
        return Decided(idle, activation.begin(table, field, creature).scene if case.carry_out else None)
    if not case.carry_out:
        return Decided(_first_action(table, field, creature))
    outcome = creatures.turn(table, field, creature)
    action: Action = outcome.actions[0].kind if outcome.actions else "nothing"
    target = outcome.actions[0].target if outcome.actions else None
    after = outcome.field
    gone = tuple(figure.id for figure in field.figures if after.figure(figure.id).health == 0)
    health = after.health(after.figure(creature))
    others = (figure for figure in field.figures if figure.id != creature)
    damage = sum(max(0, field.health(other) - after.health(after.figure(other.id))) for other in others)
    felled = len(gone) - (creature in gone)
    answer = Behaviour(creature, outcome.steps, action, target, outcome.actions, health, damage, felled, gone)
    return Decided(answer, after.scene)


def _first_action(table: Table, field: Battlefield, creature: str) -> Behaviour:
    health = field.health(field.figure(creature))
    if not activation.actions_left(table, field, creature):
        return Behaviour(creature, (), "nothing", None, (), health)
    if creatures.step_1(table, field, creature):
        with table.without_findings():
            target = creatures.opponent(table, field, creature)
        return Behaviour(creature, (1,), "fight", target, (), health)
    plan = creatures.step_2(table, field, creature)
    if plan.kind == "step-3":
        return Behaviour(creature, (1, 2, 3), "random-move", None, (), health)
    return Behaviour(creature, (1, 2), plan.kind, plan.targets[0] if plan.targets else None, (), health)


ATTACK = Question(
    "attack",
    AttackCase,
    prepared("fighter", "opponent", "weapon", "opponent_weapon", in_play=False, faults=_attack_faults),
    attack,
    dice=True,
)

BEHAVIOUR = Question(
    "behaviour",
    BehaviourCase,
    prepared("creature", in_play=False, faults=_behaviour_faults),
    behaviour,
    dice=True,
    cost=lambda state: costs.of_activation(state.field),
)
