"""Aims: the values of a possible attack, before any roll."""

from arbiter.rule import Reason
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import armour, dice, melee, shooting, tables, view


class Aim(Value, frozen=True):
    """A possible attack: its violations, its distance, its dice and its target numbers.

    `behind` is of a strike alone; its distance is None where nothing is measured. A model without a weapon in hand
    has no dice and no numbers.
    """

    target: str
    violations: tuple[Reason, ...]
    away: float | None
    defence: int
    behind: bool | None = None
    dice: int | None = None
    to_hit: int | None = None
    to_damage: int | None = None


def aim(table: Table, field: Battlefield, attacker: str, target: str) -> Aim:
    """Return the values of an attack with the weapon in hand."""
    model = field.unit(attacker)
    weapon = field.weapon(model)
    shoots = weapon is not None and weapon.kind == "ranged"
    violations_of = shooting.shot_violations if shoots else melee.strike_violations
    violations = violations_of(table, field, attacker, target)
    needless = not shoots and not field.measures(attacker, target)
    away = None if needless else view.away(table, field, attacker, target)
    guard = armour.defending(table, field, target).dice
    if weapon is None:
        return Aim(target, violations, away, guard)
    behind = None if shoots else melee.behind(table, field, attacker, target)
    more, plus = shooting.modifier(table, field, attacker, target) if shoots else (0, 0)
    attack = armour.attacking(table, field, attacker, weapon, more, plus)
    sizes = field.profile(model).size, field.profile(field.unit(target)).size
    # A modifier may leave the range of the faces, but a 1 always fails.
    hit = min(tables.NEVER, max(dice.FAILS + 1, tables.to_hit(table, *sizes) - plus))
    return Aim(target, violations, away, guard, behind, attack.dice, hit, tables.to_damage(table, *sizes))
