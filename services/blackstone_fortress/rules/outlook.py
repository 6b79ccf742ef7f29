"""Outlook: how many hexes lie to the enemies of a unit, were it to stand there: sight, cover both ways, range."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arbiter.rule import rule
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import sight
from services.blackstone_fortress.scene import Hex


class Sightline(NamedTuple):
    """The free line between a hex and an enemy: its range, and which of the two would be in cover from the other.

    `enemy` is the enemy's place among those of the battlefield.
    """

    enemy: int
    range: int
    in_cover: bool
    enemy_in_cover: bool


@rule(
    "outlook.sightlines",
    cites=("sight/centre-to-centre", "sight/mutual", "cover/cover-hexside"),
    neutral=lambda field, unit_id, hexes: dict.fromkeys(hexes, ()),
)
def sightlines(
    table: Table, field: Battlefield, unit_id: str, hexes: Sequence[Hex]
) -> Mapping[Hex, tuple[Sightline, ...]]:
    """Decide for each of many hexes which enemies a unit would see there, and they it, from how far and in what cover.

    Enemies in one hex share a line, which is decided once.
    """
    unit = field.units[unit_id]
    standing: dict[Hex, list[int]] = {}
    for index, enemy in enumerate(field.enemies(unit)):
        if enemy.hex is not None:
            standing.setdefault(enemy.hex, []).append(index)
    lines: dict[Hex, tuple[Sightline, ...]] = {}
    with table.without_findings():
        for hex_ in hexes:
            lines[hex_] = tuple(
                sorted(
                    Sightline(index, *line)
                    for there, indices in standing.items()
                    if (line := _line(table, field, hex_, there)) is not None
                    for index in indices
                )
            )
    seen = sum(map(bool, lines.values()))
    covered = sum(any(line.in_cover for line in of_hex) for of_hex in lines.values())
    text = "enemies see {unit} in {seen} of {count} hexes; in {covered} of these it is in cover from one of them"
    table.find(text, unit=field.name(unit), count=len(lines), seen=seen, covered=covered)
    return lines


def _line(table: Table, field: Battlefield, hex_: Hex, there: Hex) -> tuple[int, bool, bool] | None:
    if not sight.visible(table, field, hex_, there):
        return None
    return (
        sight.range_between(table, field, there, hex_),
        sight.in_cover(table, field, there, hex_),
        sight.in_cover(table, field, hex_, there),
    )
