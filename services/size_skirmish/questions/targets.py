"""Targets: which models a model may attack from its place, with what, and why not the others."""

from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.question import Decided, Question
from arbiter.rule import Why
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import aims
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.checks import on_battlefield
from services.size_skirmish.scene import Model, Scene


class TargetsCase(FactCase, frozen=True):
    """Whom a model may attack with the weapon it has in hand."""

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


@dataclass(frozen=True)
class TargetsState:
    """The battlefield, and the model that aims."""

    field: Battlefield
    model: str


def prepare_targets(case: TargetsCase) -> TargetsState:
    """Find the model on the battlefield; raises `Faults`."""
    return TargetsState(on_battlefield(case.scene, ("model", case.model)), case.model)


def decide_targets(table: Table, state: TargetsState) -> Decided[TargetsAnswer]:
    """Answer the question `targets`: each model by itself."""
    field = state.field
    weapon = field.weapon(field.unit(state.model))
    rows = tuple(_target(aims.aim(table, field, state.model, other.id)) for other in _others(field, state.model))
    return Decided(TargetsAnswer(weapon.id if weapon else None, sum(each.open for each in rows), rows))


def _others(field: Battlefield, attacker: str) -> tuple[Model, ...]:
    return tuple(other for other in field.enemies(field.unit(attacker)) if other.id != attacker)


def _target(aim: aims.Aim) -> Target:
    return Target(
        aim.target,
        not aim.violations,
        None if aim.away is None else round(aim.away * PER_UNIT) / PER_UNIT,
        aim.behind,
        aim.dice,
        aim.to_hit,
        aim.to_damage,
        aim.defence,
        tuple(reason.why for reason in aim.violations),
    )


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
