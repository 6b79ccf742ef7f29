"""Aims: what an attack on somebody would be like, before anything is rolled."""

from arbiter.rule import Reason
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import armour, dice, melee, shooting, tables, view


class Aim(Value, frozen=True):
    """An attack that might be made: what is against it, how far it goes (thousandths), and its dice and numbers."""

    target: str
    reasons: tuple[Reason, ...]
    away: float
    behind: bool
    dice: int | None
    to_hit: int | None
    to_damage: int | None
    defence: int


def aim(table: Table, field: Battlefield, by: str, against: str) -> Aim:
    """Give what an attack with the weapon in hand would be like."""
    model, target = field.model(by), field.model(against)
    weapon = field.weapon(model)
    shoots = weapon is not None and weapon.kind == "ranged"
    of = shooting.against_shot if shoots else melee.against_strike
    reasons = of(table, field, by, against)
    away = float(view.distance(table, field, by, against))
    behind = melee.behind(table, field, by, against)
    guard = armour.defending(table, field, against).dice
    if weapon is None:
        return Aim(against, reasons, away, behind, None, None, None, guard)
    more, plus = shooting.modifier(table, field, by, against) if shoots else (0, 0)
    rolling = armour.attacking(table, field, by, weapon, more, plus)
    sizes = field.profile(model).size, field.profile(target).size
    hit = min(tables.NEVER, max(dice.FAILS, tables.to_hit(table, *sizes) - plus))
    return Aim(against, reasons, away, behind, rolling.dice, hit, tables.to_damage(table, *sizes), guard)
