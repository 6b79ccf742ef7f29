"""Aims: what an attack on somebody would be like, before anything is rolled."""

from arbiter.rule import Reason
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import armour, dice, melee, shooting, tables, view


class Aim(Value, frozen=True):
    """An attack that might be made: what is against it, how far it goes (thousandths), and its dice and numbers.

    `behind` is of a strike alone; a model without a weapon in hand has no dice and no numbers.
    """

    target: str
    violations: tuple[Reason, ...]
    away: float
    defence: int
    behind: bool | None = None
    dice: int | None = None
    to_hit: int | None = None
    to_damage: int | None = None


def aim(table: Table, field: Battlefield, by: str, against: str) -> Aim:
    """Give what an attack with the weapon in hand would be like."""
    model, target = field.model(by), field.model(against)
    weapon = field.weapon(model)
    shoots = weapon is not None and weapon.kind == "ranged"
    of = shooting.shot_violations if shoots else melee.strike_violations
    violations = of(table, field, by, against)
    away = float(view.distance(table, field, by, against))
    guard = armour.defending(table, field, against).dice
    if weapon is None:
        return Aim(against, violations, away, guard)
    behind = None if shoots else melee.behind(table, field, by, against)
    more, plus = shooting.modifier(table, field, by, against) if shoots else (0, 0)
    rolling = armour.attacking(table, field, by, weapon, more, plus)
    sizes = field.profile(model).size, field.profile(target).size
    # A modifier may leave the range of the faces, but a 1 always fails.
    hit = min(tables.NEVER, max(dice.FAILS + 1, tables.to_hit(table, *sizes) - plus))
    return Aim(against, violations, away, guard, behind, rolling.dice, hit, tables.to_damage(table, *sizes))
