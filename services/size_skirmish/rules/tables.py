"""The hit table and the damage table: what a die has to show, by the sizes of attacker and target."""

from arbiter.rule import Read, rule
from arbiter.table import Table
from services.size_skirmish import book
from services.size_skirmish.scene import Size

HIT, DAMAGE = "hit_table", "damage_table"

NEVER = 7
"""No face of a die is as high."""


def cell(read: Read, table: str, attacker: Size, target: Size) -> book.Cell:
    """Return the cell for two sizes. Whose size stands at the left is `table-rows`, where it matters."""
    cells = book.cells(table)
    entry, turned = cells[attacker, target], cells[target, attacker]
    return turned if entry.least != turned.least and read("table-rows") == "target" else entry


@rule("tables.to_hit", cites=("tables/sizes", "tables/hit-columns"), neutral=NEVER)
def to_hit(table: Table, attacker: Size, target: Size) -> int:
    """Decide what an attack die has to show to hit, by the sizes of attacker and target."""
    return _least(table, HIT, "hits", attacker, target)


@rule("tables.to_damage", cites=("tables/sizes", "tables/damage-columns"), neutral=NEVER)
def to_damage(table: Table, attacker: Size, target: Size) -> int:
    """Decide what a damage die has to show to do damage, by the sizes of attacker and target."""
    return _least(table, DAMAGE, "damages", attacker, target)


def _least(table: Table, name: str, does: str, attacker: Size, target: Size) -> int:
    entry = cell(table.read, name, attacker, target)
    text, cites = f"Size {{attacker}} {does} size {{target}} on {{least}}+", ("tables/sizes", *entry.cites)
    table.find(text, cites=cites, attacker=attacker, target=target, least=entry.least)
    return entry.least
