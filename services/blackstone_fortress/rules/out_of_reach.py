"""Why a unit cannot end its move in a hex: what stands there, or what keeps every way there too long."""

from collections.abc import Mapping, Sequence

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.blackstone_fortress.battlefield import Battlefield, place
from services.blackstone_fortress.rules import movement
from services.blackstone_fortress.rules.movement import Footing, Way, as_mover
from services.blackstone_fortress.scene import Hex


@rule(
    "out_of_reach.violations",
    cites=("move/up-to-move", "move/not-across-walls", "move/halt-next-to-enemy"),
    neutral=lambda field, mover_id, wanted, hexes, foot: {},
)
def violations(
    table: Table, field: Battlefield, mover_id: str, wanted: Sequence[Hex], hexes: int, foot: Footing
) -> Mapping[Hex, tuple[Reason, ...]]:
    """Decide why a unit cannot end a move of so many hexes in these hexes, which are not among those where it may."""
    legal, unhalted = _however_far(table, field, mover_id, foot) if wanted else ({}, {})
    return {hex_: _violations_in_hex(table, field, mover_id, hex_, hexes, foot, legal, unhalted) for hex_ in wanted}


def _however_far(
    table: Table, field: Battlefield, mover_id: str, foot: Footing
) -> tuple[Mapping[Hex, Way], Mapping[Hex, Way]]:
    """Give the ways of a move as long as the battlefield allows, by the rules and if nothing made the unit halt."""
    far = len(field.ground.hexes) * 2
    start = place(field.units[mover_id])
    with table.without_findings():
        halting = movement.halting_hexes(table, field, mover_id, far) - {start}
    legal = field.ground.reach(start, far, halting=halting, blocked=foot.barred, costs=foot.costs)
    return legal, field.ground.reach(start, far, blocked=foot.barred, costs=foot.costs)


def _violations_in_hex(
    table: Table,
    field: Battlefield,
    mover_id: str,
    hex_: Hex,
    hexes: int,
    foot: Footing,
    legal: Mapping[Hex, Way],
    unhalted: Mapping[Hex, Way],
) -> tuple[Reason, ...]:
    unit = field.units[mover_id]
    reasons: list[Reason] = []

    def because(text: str, *cites: str, **values: int | Quantity) -> None:
        reasons.append(table.reason(text, cites=as_mover(unit, *cites), unit=field.name(unit), hex=hex_, **values))

    if hex_ not in field.ground.open:
        because("{hex} is obstructed", "move/not-through-obstructions")
    if any(enemy.hex == hex_ for enemy in field.enemies(unit)):
        because("an enemy stands in {hex}", "move/not-through-enemies")
    if hex_ in foot.full:
        because("{hex} has no room for {unit}", "move/end-hex-limit")
    if reasons:
        return tuple(reasons)
    if hex_ in legal:
        because(
            "the shortest way to {hex} takes {cost} of movement, and {unit} may move {hexes}",
            "move/up-to-move",
            cost=Quantity(foot.cost(legal[hex_]), "hex", "hexes"),
            hexes=hexes,
        )
    elif hex_ in unhalted:
        because("every way to {hex} leads past an enemy beside whom {unit} has to halt", "move/halt-next-to-enemy")
    else:
        because("no way leads to {hex}", "move/not-across-walls", "move/not-through-obstructions")
    return tuple(reasons)
