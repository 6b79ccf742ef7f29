"""Attacks and all other actions, with the reactions to them; whom one may attack, and whether one tests morale."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.rule import Why
from arbiter.skirmish.cases import CaseState, case_fault, refuse
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import Action, Actions, AttackOutcome, Closing, Way
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import ModelCase, prepared
from services.size_skirmish.questions import outcomes
from services.size_skirmish.questions.outcomes import Course
from services.size_skirmish.rules import armour, dice, melee, morale, nerve, shooting, tables, view
from services.size_skirmish.scene import Facing, Place, Scene


class AttackCase(FactCase, frozen=True):
    """An attack of an `attacker` on a `target`, hand to hand.

    It is a strike from where the attacker stands, or with `charge` the movement "attack" first. `way` or `goal` say
    where a charge leads, `turned` and `facing` how the attacker turns before and after it; without a way and a goal it
    takes the shortest way into contact. `closing` is how it is moved or aligned before the blows. Without `reactions`,
    the passive players choose them.
    """

    scene: Scene
    attacker: Id
    target: Id
    charge: bool = False
    closing: Closing = "stay"
    way: Way = ()
    goal: Place | None = None
    turned: Facing | None = None
    facing: Facing | None = None
    reactions: Actions | None = None


class ShootCase(FactCase, frozen=True):
    """A shot at a `target`: from where the `shooter` stands, or with `run` the movement "run and shoot".

    `way` or `goal` say where a run leads, `turned` and `facing` how the shooter turns before and after it. Without
    `reactions`, the passive players choose them.
    """

    scene: Scene
    shooter: Id
    target: Id
    run: bool = False
    way: Way = ()
    goal: Place | None = None
    turned: Facing | None = None
    facing: Facing | None = None
    reactions: Actions | None = None


class CombatAnswer(Value, frozen=True):
    """The outcome of an attack or a shot.

    `done` is false where the reactions have made it impossible, or a flight took its place. `blows` are all attacks in
    it, those of the exchange in their order; `damage` are the hit points that those of the attacker have cost,
    `damage_back` those that it has lost by the others. `course` tells everything, with the reactions before it and the
    flights after it.
    """

    done: bool
    blows: tuple[AttackOutcome, ...]
    damage: int
    damage_back: int
    course: Course


def _prepared(
    case: AttackCase | ShootCase, actor: str, moves: str, movement: str, action: str, closing: Closing = "stay"
) -> Announced:
    """Announce a movement that ends in an attack if the case says so, or else the attack alone.

    `actor` and `moves` are the members that say who acts and whether it moves; the members of a movement are refused
    for what is done without one.
    """
    model = getattr(case, actor)
    way: dict[str, Any] = {"way": case.way, "goal": case.goal, "turned": case.turned, "facing": case.facing}
    if getattr(case, moves):
        deed = Action(model, "move", movement, case.target, closing=closing, **way)
    else:
        alone, instead = f"a {'strike' if action == 'strike' else 'shot'} without a movement", f"`{moves}` of true"
        refuse(
            case_fault(name, "idle-member", f"{alone} has no {name}", value, f"no `{name}`, or {instead}")
            for name, value in way.items()
            if value
        )
        deed = Action(model, action, target=case.target, closing=closing)
    return actionchecks.checked_announcement(case.scene, deed, case.reactions, at="", actor=actor)


def decide(table: Table, state: Announced) -> Decided[CombatAnswer]:
    """Answer the questions `attack` and `shoot`: the whole procedure around one combat."""
    field, outcome, done, course = outcomes.carried_out(table, state)
    by, blows = state.action.model, outcome.blows
    damage = sum(blow.damage for blow in blows if blow.by == by)
    back = sum(blow.damage for blow in blows if blow.against == by and blow.by != by)
    return Decided(CombatAnswer(done, blows, damage, back, course), field.scene)


class TargetsCase(ModelCase, frozen=True):
    """Whom a `model` may attack with the weapon it has in hand."""


class Target(Value, frozen=True):
    """One model that might be attacked.

    `open`: it may be attacked now; otherwise `why_not` lists every violation. `dice` are the attack dice at
    this distance, each of which hits on `to_hit` (7 is never) and does damage on `to_damage`, against so many `defence`
    dice. `behind`: a strike would come from behind; null for a shot. Where no weapon is in hand, all of them are null
    but for `defence`.
    """

    target: Id
    open: bool
    distance: Annotated[
        float | None,
        Meta(description="In the scene's unit, rounded to thousandths; null for a strike where nothing is measured."),
    ]
    behind: bool | None
    dice: int | None
    to_hit: int | None
    to_damage: int | None
    defence: int
    why_not: tuple[Why, ...]


class TargetsAnswer(Value, frozen=True):
    """How many may be attacked with which weapon, and every model that is not of the same side."""

    weapon: Id | None
    open: int
    targets: tuple[Target, ...]


def decide_targets(table: Table, state: CaseState[Battlefield, TargetsCase]) -> Decided[TargetsAnswer]:
    """Whom may this model attack from where it stands, with how many dice, on which numbers, and why not?"""
    field, model = state.field, state.field.unit(state.case.model)
    rows = tuple(_target(table, field, model.id, other.id) for other in field.enemies(model) if other.id != model.id)
    weapon = field.weapon(model)
    return Decided(TargetsAnswer(weapon.id if weapon else None, sum(each.open for each in rows), rows))


def _target(table: Table, field: Battlefield, attacker: str, target: str) -> Target:
    """Give the values of an attack with the weapon in hand, before any roll."""
    model = field.unit(attacker)
    weapon = field.weapon(model)
    shoots = weapon is not None and weapon.kind == "ranged"
    violations_of = shooting.shot_violations if shoots else melee.strike_violations
    violations = tuple(reason.why for reason in violations_of(table, field, attacker, target))
    away = None
    if shoots or field.measures(attacker, target):
        away = round(view.away(table, field, attacker, target) * PER_UNIT) / PER_UNIT
    guard = armour.defending(table, field, target).dice
    if weapon is None:
        return Target(target, not violations, away, None, None, None, None, guard, violations)
    behind = None if shoots else melee.behind(table, field, attacker, target)
    more, plus = shooting.modifier(table, field, attacker, target) if shoots else (0, 0)
    attack = armour.attacking(field, attacker, weapon, more, plus)
    sizes = field.profile(model).size, field.profile(field.unit(target)).size
    # A modifier may leave the range of the faces, but a 1 always fails.
    hit = min(tables.NEVER, max(dice.FAILS + 1, tables.to_hit(table, *sizes) - plus))
    damage = tables.to_damage(table, *sizes)
    return Target(target, not violations, away, behind, attack.dice, hit, damage, guard, violations)


class ActionCase(FactCase, frozen=True):
    """An action, and the reactions to it in their order; without them, the passive players choose."""

    scene: Scene
    deed: Action
    reactions: Actions | None = None


class ActionAnswer(Value, frozen=True):
    """Whether the announced action was carried out, at least in part, and its course; a flight is another action."""

    done: bool
    course: Course


def decide_action(table: Table, state: Announced) -> Decided[ActionAnswer]:
    """How does this action go, whatever it is, with all reactions to it?"""
    field, _, done, course = outcomes.carried_out(table, state)
    return Decided(ActionAnswer(done, course), field.scene)


class MoraleCase(FactCase, frozen=True):
    """A `model` that may have to test its morale.

    `lost_before` are the hit points that it had lost before its last losses, and `cause` is who did that to it. Without
    `lost_before` it is tested as at its activation, because it flees.
    """

    scene: Scene
    model: Id
    lost_before: Annotated[int, Meta(ge=0, le=100)] | None = None
    cause: Id | None = None


class MoraleAnswer(Value, frozen=True):
    """Whether the model had to test, and what it does: it stays, flees, or may act (or not) after it has rallied.

    A flight because of losses is made at once, to the place `at`; that of an activation is the action that follows.
    """

    tested: bool
    does: Literal["stays", "flees", "acts", "spent"]
    fleeing: bool
    at: Place | None
    hit_points: Annotated[int, Meta(description="What the model has left.")]


def _losses(field: Battlefield, case: MoraleCase) -> Iterator[Fault]:
    """Find losses and causes that a model cannot have."""
    before, model = case.lost_before, field.unit(case.model)
    if case.cause == model.id:
        yield case_fault("cause", "itself", "a model cannot flee from itself", case.cause, "another")
    if before is not None and before > model.hit_points_lost:
        message = f"{model.id} has not lost so many hit points"
        yield case_fault("lost_before", "hit-points", message, before, f"at most {model.hit_points_lost}")
    if before is None and model.fleeing is None:
        message = f"{model.id} is not fleeing and does not test on activation"
        yield case_fault("lost_before", "not-fleeing", message, None, "a number")


def decide_morale(table: Table, state: CaseState[Battlefield, MoraleCase]) -> Decided[MoraleAnswer]:
    """Does this model have to test its morale, does it pass, and how far does it flee if not?"""
    field, case, tested = state.field, state.case, True
    does: Literal["stays", "flees", "acts", "spent"] = "stays"
    if case.lost_before is None:
        field, does = table.call(morale.activated, field, case.model)
    elif tested := nerve.shaken(table, field, case.lost_before, case.model):
        passed, field = table.call(morale.tested, field, case.model, case.cause)
        does = "stays" if passed else "flees"
    else:
        nerve.steady(table, field, case.lost_before, case.model)
    model = field.unit(case.model)
    answer = MoraleAnswer(tested, does, model.fleeing is not None, model.at, field.hit_points(model))
    return Decided(answer, field.scene)


QUESTIONS = (
    Question(
        "attack",
        AttackCase,
        lambda case: _prepared(case, "attacker", "charge", "attack", "strike", case.closing),
        decide,
        gist="What comes of this attack hand to hand, with the reactions to it and the blows back?",
        dice=True,
        worth=outcomes.worth,
    ),
    Question(
        "shoot",
        ShootCase,
        lambda case: _prepared(case, "shooter", "run", "run-and-shoot", "shoot"),
        decide,
        gist="What comes of this shot, with the reactions to it?",
        dice=True,
        worth=outcomes.worth,
    ),
    Question("targets", TargetsCase, prepared("model"), decide_targets),
    Question(
        "action",
        ActionCase,
        lambda case: actionchecks.checked_announcement(case.scene, case.deed, case.reactions),
        decide_action,
        dice=True,
        worth=outcomes.worth,
    ),
    Question("morale", MoraleCase, prepared("model", "cause", faults=_losses), decide_morale, dice=True),
)
