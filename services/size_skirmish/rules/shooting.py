"""Shooting: who may be shot at, the range and its modifier, the shot, and its result.

Follows "Ranged Combat". Its first steps are those of `procedure`, and casualties stand in `harm`.
"""

from collections.abc import Iterator
from math import ceil

from arbiter.facts import FactNeeded
from arbiter.geometry.plane import shapes
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Quantity, Signed
from services.size_skirmish.actions import Action, ActionContext, ActionOutcome, AttackOutcome, Done, Violations
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import armour, harm, targets, view
from services.size_skirmish.scene import Band, Weapon


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Violations:
    """Return every violation of a shot now."""
    return shot_violations(table, field, action.model, action.target or "")


def shot_violations(table: Table, field: Battlefield, attacker: str, target: str) -> Violations:
    """Return every violation of one model shooting at another from its place."""
    return table.held(_shot_violations, field.layout, attacker, target)


def _shot_violations(table: Table, field: Battlefield, attacker: str, target: str) -> Violations:
    if violations := targets.target_violations(table, field, attacker, target) or ready(table, field, attacker):
        return violations
    against = (into_melee, in_sight, in_range)
    try:
        return table.reasons(reason for rule in against for reason in rule(table, field, attacker, target))
    except FactNeeded:
        # Of what a melee forbids nobody is asked anything.
        if violations := into_melee(table, field, attacker, target):
            return violations
        raise


@violations_rule("shooting.ready", cites=("ranged/announced", "actions/slow-reload", "actions/fast-reload"))
def ready(table: Table, field: Battlefield, attacker: str) -> Iterator[Reason]:
    """Decide whether a model is ready to shoot: a ranged weapon is in hand, and loaded."""
    weapon, name = field.armed(attacker, "ranged"), field.name(attacker)
    if weapon is None:
        yield table.reason("{name} has no ranged weapon in hand", cites="ranged/announced", name=name)
    elif weapon.id in field.unit(attacker).unloaded:
        cites, text = f"actions/{weapon.reload}-reload", "The {weapon} of {name} must be reloaded first"
        yield table.reason(text, cites=cites, weapon=weapon.name or weapon.id, name=name)


@violations_rule("shooting.into_melee", cites="ranged/not-into-melee")
def into_melee(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether a melee forbids a shot: models in melee are no targets.

    Whether a model in melee may shoot at others is the reading `shoot-from-melee`.
    """
    if fighting := field.opponents(target):
        text = "{other} is in melee with {names}; shooting into melee is forbidden"
        yield table.reason(text, other=field.name(target), names=field.names(fighting))
    elif field.opponents(attacker) and table.read("shoot-from-melee") == "forbidden":
        yield table.reason("{name} is in melee and may not shoot at models outside it", name=field.name(attacker))
    else:
        table.find("{other} is not in melee", other=field.name(target))


@violations_rule("shooting.in_sight", cites="ranged/announced")
def in_sight(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether a model can be aimed at: it needs a line of sight.

    Whether it has to be in the field of view too is the reading `sight-front`.
    """
    values = {"name": field.name(attacker), "other": field.name(target)}
    if not view.free(table, field, attacker, target):
        yield table.reason("{name} has no line of sight to {other}", **values)
    elif not view.faced(table, field, attacker, target):
        yield table.reason("{other} is not in the field of view of {name}", **values)
    else:
        table.find("{name} can aim at {other}", **values)


@violations_rule("shooting.in_range", cites="ranged/measure")
def in_range(table: Table, field: Battlefield, attacker: str, target: str) -> Iterator[Reason]:
    """Decide whether a model is within the range of the weapon, the end of its last band included."""
    weapon, away = field.armed(attacker, "ranged"), view.away(table, field, attacker, target)
    if weapon is None:
        return
    values = {"name": field.name(attacker), "other": field.name(target)}
    if band := _band(table, field, weapon, attacker, target):
        table.find("{other} is within {up_to:g} of {name}", up_to=band.up_to, **values)
    else:
        text = "{other} is {away:g} away from {name}; the maximum range is {most:g}"
        most = weapon.bands[-1].up_to if weapon.bands else 0.0
        # Rounded up to thousandths: what is out of range never looks in range.
        up = ceil(round(away * shapes.PER_UNIT, 6)) / shapes.PER_UNIT
        yield table.reason(text, away=up, most=most, **values)


def _band(table: Table, field: Battlefield, weapon: Weapon, attacker: str, target: str) -> Band | None:
    """Return the range band in which a target is; None beyond the last."""
    if table.facts is not None:
        far = view.away(table, field, attacker, target)
        return next((band for band in weapon.bands if far <= band.up_to), None)
    ends = ((band, shapes.thousandths(band.up_to)) for band in weapon.bands)
    return next((band for band, far in ends if view.within(table, field, attacker, target, far)), None)


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out a shot: measure the range, shoot, and unload a weapon that needs a reload."""
    field, blow = shot(table, field, action.model, action.target or "")
    return field, ActionOutcome(action, distance=context.distance, blows=(blow,))


@rule(
    "shooting.shot",
    cites=("ranged/shot", "ranged/without-hit-points"),
    neutral=lambda field, attacker, target: (field, AttackOutcome(attacker, target, "ranged")),
)
def shot(table: Table, field: Battlefield, attacker: str, target: str) -> tuple[Battlefield, AttackOutcome]:
    """Decide what a shot does; it is made with hit points or without."""
    weapon = field.armed(attacker, "ranged")
    if weapon is None:
        return field, AttackOutcome(attacker, target, "ranged")
    name, other = field.name(attacker), field.name(target)
    if not field.hit_points(field.unit(attacker)):
        text = "{name} has no hit points left but still shoots"
        table.find(text, cites="ranged/without-hit-points", name=name)
    more, plus = modifier(table, field, attacker, target)
    attack = armour.attacking(field, attacker, weapon, more, plus)
    defence = armour.defending(table, field, target)
    damage = table.call(harm.attack_damage, attack, defence, "ranged", field.hit_points(field.unit(target)))
    text = "{name} shoots at {other}, who loses {damage}"
    table.find(text, cites="ranged/shot", name=name, other=other, damage=Quantity(damage, "hit point"))
    outcome = AttackOutcome(attacker, target, "ranged", damage=damage)
    return harm.suffered(table, emptied(table, field, attacker), outcome), outcome


@rule("shooting.modifier", cites="ranged/measure", neutral=(0, 0))
def modifier(table: Table, field: Battlefield, attacker: str, target: str) -> tuple[int, int]:
    """Decide what the range modifies: the attack dice, or by the reading `range-modifier` the number to hit."""
    weapon = field.armed(attacker, "ranged")
    band = None if weapon is None else _band(table, field, weapon, attacker, target)
    if band is None or not band.modifier:
        return 0, 0
    number = table.read("range-modifier") == "number"
    text = "Range up to {up_to:g}: {modifier} to {what}"
    what = "what the dice show" if number else "the number of attack dice"
    table.find(text, up_to=band.up_to, modifier=Signed(band.modifier), what=what)
    return (0, band.modifier) if number else (band.modifier, 0)


@rule("shooting.emptied", cites=("actions/slow-reload", "actions/fast-reload"), neutral=unchanged)
def emptied(table: Table, field: Battlefield, attacker: str) -> Battlefield:
    """Decide whether a weapon is unloaded by a shot: it is, if it has to be reloaded at all."""
    weapon = field.armed(attacker, "ranged")
    if weapon is None or weapon.reload == "none":
        return field
    name = weapon.name or weapon.id
    table.find("The {weapon} must be reloaded now", cites=f"actions/{weapon.reload}-reload", weapon=name)
    table.event("unloaded", model=attacker, weapon=weapon.id)
    return field.changed(attacker, unloaded=(*field.unit(attacker).unloaded, weapon.id))


@rule("shooting.result", cites="ranged/result", neutral=())
def result(table: Table, field: Battlefield, blows: tuple[AttackOutcome, ...]) -> tuple[str, ...]:
    """Decide who loses a shot: the models it hurts."""
    losers = tuple(blow.against for blow in blows if blow.damage)
    table.find("{names} lost the combat", names=field.names(losers) or "Nobody")
    return losers
