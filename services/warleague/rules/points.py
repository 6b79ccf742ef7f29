"""Action points: what a unit has left, and what it pays with them."""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.warleague.battlefield import Battlefield


def left(field: Battlefield, unit: str) -> int:
    """Give the action points that a unit has left."""
    ap = field.unit(unit).ap
    return field.full(unit, "ap") if ap is None else ap


@violations_rule("points.violations", cites="ap/pay")
def violations(table: Table, field: Battlefield, unit: str, price: int) -> Iterator[Reason]:
    """Decide whether a unit can pay a price: it has as many action points left."""
    has = left(field, unit)
    if has < price:
        yield table.reason("{unit} has {left} AP and needs {price}", unit=field.name(unit), left=has, price=price)


@rule("points.paid", cites="ap/pay", neutral=unchanged)
def paid(table: Table, field: Battlefield, unit: str, price: int, what: str) -> Battlefield:
    """Decide what paying leaves: so many action points less."""
    has = left(field, unit) - price
    table.find(
        "{unit} pays {price} AP for {what} and has {left} left", unit=field.name(unit), price=price, what=what, left=has
    )
    table.event("points-spent", unit=unit, points=price, what=what, left=has)
    return field.put(replace(field.unit(unit), ap=has))


@rule("points.renewed", cites=("ap/per-unit", "ap/pay"), neutral=unchanged)
def renewed(table: Table, field: Battlefield, units: tuple[str, ...]) -> Battlefield:
    """Decide what units have at hand when their points are renewed: all that each has of its own."""
    for unit in units:
        has = field.full(unit, "ap")
        table.find("{unit} has all of its {left} AP again", unit=field.name(unit), left=has)
        table.event("points-renewed", unit=unit, left=has)
        field = field.put(replace(field.unit(unit), ap=None))
    return field


def with_round(table: Table, field: Battlefield) -> Battlefield:
    """Give the battlefield at the beginning of a round; whether points are renewed then is `points-renewed`."""
    living = (unit.id for unit in field.scene.units if not unit.dead)
    spent = tuple(unit for unit in living if left(field, unit) != field.full(unit, "ap"))
    return renewed(table, field, spent) if spent and table.read("points-renewed") == "round" else field


def with_turn(table: Table, field: Battlefield, unit: str) -> Battlefield:
    """Give the battlefield at the beginning of a unit's turn; whether its points are renewed is `points-renewed`."""
    return renewed(table, field, (unit,)) if renews(table, field, unit) else field


def renews(table: Table, field: Battlefield, unit: str) -> bool:
    """Say whether the beginning of its turn gives a unit points: `points-renewed`, where some are spent."""
    return left(field, unit) != field.full(unit, "ap") and table.read("points-renewed") == "turn"
