"""Sight, cover and range: what a straight line between two hexes meets, and how far it is.

Follows the steps "Pick Target" and "Measure Range" of the attack sequence and the passage on cover. Distances are hexes.
"""

from arbiter.rule import rule
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, Unit
from services.blackstone_fortress.model import Hex


@rule(
    "sight.visible",
    cites=("sight/centre-to-centre", "sight/blocked-by", "sight/before-target-centre", "sight/mutual"),
    without=lambda field, a, b: True,
)
def visible(table: Table, field: Battlefield, a: Hex, b: Hex) -> bool:
    """Decide whether miniatures in two hexes see each other.

    The line runs from centre to centre; an edge, obstruction or wall hexside that it touches blocks it. Whether a mere
    contact (a corner, or a run along a hexside) is a touch is the reading `corner-contact`.
    """
    if field.ground.sees(a, b, "touch"):
        clear = True
    elif not field.ground.sees(a, b, "cross"):
        clear = False
    else:
        clear = table.read("corner-contact") == "cross"
    table.find("{a} and {b} " + ("see each other" if clear else "do not see each other"), a=a, b=b, visible=clear)
    return clear


@rule(
    "sight.in_cover",
    cites=("cover/cover-hexside", "cover/own-hexside"),
    without=lambda field, attacker, target: False,
)
def in_cover(table: Table, field: Battlefield, attacker: Hex, target: Hex) -> bool:
    """Decide whether a target's hex is in cover from an attacker's hex.

    The line of sight has to touch or cross a cover hexside that is not one of the attacker's own six. Whether a mere
    contact counts is the reading `cover-corner-contact`.
    """
    if "no-cover" in field.scene.twists:
        return uncovered_by_twist(table)
    if not field.ground.in_cover(attacker, target, "touch"):
        covered = False
    elif field.ground.in_cover(attacker, target, "cross"):
        covered = True
    else:
        covered = table.read("cover-corner-contact") == "touch"
    if covered:
        table.find("{target} is in cover from {attacker}", target=target, attacker=attacker, in_cover=True)
    else:
        table.find("{target} is not in cover from {attacker}", target=target, attacker=attacker, in_cover=False)
    return covered


@rule("sight.uncovered_by_twist", cites="twists/no-cover", without=lambda: True)
def uncovered_by_twist(table: Table) -> bool:
    """Decide that nobody is in cover while a twist has the cover hexsides ignored."""
    table.find("a twist has cover hexsides ignored", in_cover=False)
    return False


@rule(
    "sight.range_between",
    cites=("range/count-hexes", "range/shortest", "range/target-not-own"),
    without=lambda field, a, b: 0,
)
def range_between(table: Table, field: Battlefield, a: Hex, b: Hex) -> int:
    """Count the hexes from one hex to another by the shortest count, the other's counted and one's own not."""
    hexes = field.ground.distance(a, b)
    table.find("the range from {a} to {b} is {hexes}", a=a, b=b, hexes=hexes)
    return hexes


def adjacent(table: Table, field: Battlefield, a: Hex, b: Hex) -> bool:
    """Say whether two hexes are adjacent; whether a wall hexside between them parts them is `wall-adjacency`."""
    if not field.ground.adjacent(a, b):
        return False
    return not field.ground.walled(a, b) or table.read("wall-adjacency") == "adjacent"


def seen(table: Table, field: Battlefield, unit: Unit) -> tuple[Unit, ...]:
    """Give the enemies on the battlefield that a unit sees, in the scene's order."""
    return tuple(
        enemy for enemy in field.enemies(unit) if enemy.hex and unit.hex and visible(table, field, unit.hex, enemy.hex)
    )
