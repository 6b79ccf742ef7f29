"""Targets: which models a model may attack from its place, with what, and why not the others."""

from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.rule import Why
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import OfModel, of_model
from services.size_skirmish.rules import armour, dice, melee, shooting, tables, view
from services.size_skirmish.scene import Scene


class TargetsCase(FactCase, frozen=True):
    """Whom a `model` may attack with the weapon it has in hand."""

    scene: Scene
    model: Id


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


def prepare_targets(case: TargetsCase) -> OfModel:
    """Find the model on the battlefield; raises `Faults`."""
    return of_model(case.scene, case.model)


def decide_targets(table: Table, state: OfModel) -> Decided[TargetsAnswer]:
    """Answer the question `targets`: each model by itself."""
    field, model = state.field, state.field.unit(state.model)
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


QUESTIONS = (
    Question(
        name="targets",
        gist="Whom may this model attack from where it stands, with how many dice, on which numbers, and why not?",
        case=TargetsCase,
        answer=TargetsAnswer,
        prepare=prepare_targets,
        rule=decide_targets,
        dice=False,
    ),
)
