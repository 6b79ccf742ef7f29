"""Falling: who can fall where, and what it does.

Follows the row of falling in the table of movements. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterator
from math import dist

from arbiter.facts import Number, fact
from arbiter.geometry.plane.shapes import PER_UNIT, Figure, thousandths
from arbiter.nowhere import ELSEWHERE, NOWHERE, PlaceNeeded
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.plane import place, point
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, AttackOutcome, Done, Violations
from services.size_skirmish.attacks import DicePool
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import number
from services.size_skirmish.geometry import levels, ways
from services.size_skirmish.geometry.levels import Landing
from services.size_skirmish.rules import armour, dice, harm, matching, turns
from services.size_skirmish.scene import Place


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Violations:
    """Return every violation of falling on purpose."""
    return (*chosen(table, field, action), *no_drop(table, field, action))


@violations_rule("fall.chosen", cites="move/fall")
def chosen(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether a model may fall on purpose: the reading `fall-chosen`."""
    if table.read("fall-chosen") != "chosen":
        yield table.reason("{name} may not fall on purpose", name=field.name(action.model))


@violations_rule("fall.no_drop", cites="move/fall")
def no_drop(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether there is a drop beside a model, and room below."""
    if not field.measures(action.model):
        return  # the players see the drop
    body, name = field.solid(action.model), field.name(action.model)
    if not levels.at_a_drop(field, body):
        yield table.reason("There is no drop at the base of {name}", name=name)
    elif _landing(field, body, action) is None:
        goal = _goal(action)
        if goal is None:
            text = "There is no room below for {name}"
        elif _too_far(body, goal):
            text = "{name} comes down beside what it stands on or hangs at, no farther away than {most:g}"
        else:
            text = "{name} cannot come down there: it is no lower, or there is no room"
        yield table.reason(text, name=name, most=2 * body.radius / PER_UNIT)


def _landing(field: Battlefield, body: Figure, action: Action) -> Landing | None:
    """Return where a model that falls on purpose lands: the posted place, if that is at its base, or the nearest."""
    goal = _goal(action)
    if goal is None:
        return levels.landing(field, body, body.at)
    return None if _too_far(body, goal) else levels.lands(field, body, point(goal))


def _goal(action: Action) -> Place | None:
    return action.way[-1] if action.way else action.goal


def _too_far(body: Figure, goal: Place) -> bool:
    return dist(point(goal), body.at) > 2 * body.radius + body.slack


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out a fall on purpose, if still possible."""
    if not field.measures(action.model):
        field, blow = fell(table, field, action.model, None, drop(table, field, action.model, None))
        return field, ActionOutcome(action, blows=(blow,))
    body = field.solid(action.model)
    landing = _landing(field, body, action) if levels.at_a_drop(field, body) else None
    if landing is None:
        return field, ActionOutcome(action)
    field, blow = fell(table, field, action.model, landing, drop(table, field, action.model, landing))
    if (facing := turns.ends(table, field, action, field.unit(action.model).facing)) is not None:
        field = field.changed(action.model, facing=facing)
    return field, ActionOutcome(action, blows=(blow,), way=(place(body.at), place(landing.at)))


@fact(
    "drop",
    "How far does {model} fall, in the scene's unit?",
    of=("model",),
    kind=Number("the scene's unit", tolerance=0.5),
    says="{model} falls {value}",
    cites=("move/fall", "move/fall-attack-dice"),
)
def drop(table: Table, field: Battlefield, model_id: str, landing: Landing | None) -> float:
    """Return how far a model falls, in the scene's unit."""
    if landing is None:
        raise PlaceNeeded
    return landing.height / PER_UNIT


@rule(
    "fall.fell",
    cites="move/fall-attack-dice",
    neutral=lambda field, model_id, landing, height: (
        _lying(field, model_id, landing),
        AttackOutcome(model_id, model_id, "fall"),
    ),
)
def fell(
    table: Table, field: Battlefield, model_id: str, landing: Landing | None, height: float
) -> tuple[Battlefield, AttackOutcome]:
    """Decide what a fall does: the model lands, is attacked by the ground, and defends itself."""
    name = field.name(model_id)
    table.find("{name} falls {height:g}", name=name, height=height)
    field = _lying(field, model_id, landing)
    table.event("fell", model=model_id, at=place(landing.at) if landing else NOWHERE, height=height)
    many, model = attack_dice(table, model_id, name, thousandths(height)), field.unit(model_id)
    attacker = DicePool(model_id, name, field.profile(model).size, many)
    damage = table.call(hurt, attacker, full_armour(table, field, model_id)) if many else 0
    blow = AttackOutcome(model_id, model_id, "fall", damage=min(damage, field.hit_points(model)))
    return harm.suffered(table, field, blow), blow


@rule("fall.attack_dice", cites="move/fall-attack-dice", neutral=0)
def attack_dice(table: Table, model_id: str, name: str, height: int) -> int:
    """Decide how many attack dice a fall has: by its distance (`fall-distance`), and by `fall-dice` times a d6."""

    def counted(distance: str) -> int:
        return height // PER_UNIT if distance == "whole" else -(-height // PER_UNIT)

    many = number("fall-dice") * settled(table, counted, ("fall-distance", ("whole", "begun")))
    if many and table.read("fall-dice") == "times-roll":
        many *= dice.added(table, model_id, name, "fall", 1)
    table.find("Fall of {height:g}: {dice}d6 attack", height=height / PER_UNIT, dice=many)
    return many


@rule(
    "fall.full_armour", cites="move/fall-full-armour", neutral=lambda field, model_id: armour.pool(field, model_id, 0)
)
def full_armour(table: Table, field: Battlefield, model_id: str) -> DicePool:
    """Decide the defence dice of a model that falls: its full armour."""
    pool = armour.defending(table, field, model_id)
    table.find("{name} defends with its full armour: {dice}d6", name=pool.name, dice=pool.dice)
    return pool


def hurt(table: Table, attacker: DicePool, target: DicePool) -> int:
    """Return the damage of a fall; whether every die hits is the reading `fall-hits`."""
    if table.read("fall-hits") == "both":
        return table.call(matching.attacked, attacker, target, "fall").damage
    return table.call(matching.damaged, attacker, attacker.dice, target, "fall")


def _lying(field: Battlefield, model_id: str, landing: Landing | None) -> Battlefield:
    """Return the battlefield with a model where it has come down."""
    if landing is None:
        return field.changed(model_id, at=ELSEWHERE)
    return ways.put(field, field.unit(model_id), landing.at).changed(
        model_id, height_above=landing.elevation / PER_UNIT
    )
