"""Marches: where a unit can stand after several moves in a row, the others standing still, and why not elsewhere.

Follows "Explorer Activations" (an action may be taken again) and "Move". Each move keeps all the rules of `movement`.
"""

from collections.abc import Iterable, Mapping, Sequence

from arbiter.rule import Reason, rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.blackstone_fortress.battlefield import Battlefield, place
from services.blackstone_fortress.rules import movement, out_of_reach, sight
from services.blackstone_fortress.rules.movement import Footing, as_mover
from services.blackstone_fortress.scene import Explorer, Hex
from services.blackstone_fortress.strides import Strides


def everywhere(table: Table, field: Battlefield, mover_id: str) -> Footing:
    """Give where a unit may set foot on the whole battlefield, however far it is."""
    return movement.footing(table, field, mover_id, 2 * len(field.ground.hexes))


@rule(
    "marches.reached",
    cites=("explorer-action/repeat", "move/up-to-move", "hostile-move/move-value"),
    neutral=lambda field, mover_id, hexes, foot, moves: _strides(field, mover_id, 0, foot, 0),
)
def reached(table: Table, field: Battlefield, mover_id: str, hexes: int, foot: Footing, moves: int) -> Strides:
    """Decide where a unit can stand after up to so many moves of so many hexes each, one after the other.

    Each move begins where the one before has ended: in a hex with room, and beside an enemy where it had to halt.
    """
    unit = field.units[mover_id]
    strides = _strides(field, mover_id, hexes, foot, moves, _held_hexes(table, field, mover_id, foot))
    table.find(
        "{unit} can stand in {count} after up to {moves} of {hexes}",
        cites=("explorer-action/repeat", "move/up-to-move")
        if isinstance(unit, Explorer)
        else as_mover(unit, "hostile-move/move-value"),
        unit=field.name(unit),
        count=Quantity(len(strides.arrivals) - 1, "other hex", "other hexes"),
        moves=Quantity(moves, "move"),
        hexes=Quantity(hexes, "hex", "hexes"),
    )
    return strides


def _held_hexes(table: Table, field: Battlefield, mover_id: str, foot: Footing) -> frozenset[Hex]:
    """Give the hexes that a unit cannot leave once it stands there: none, as long as it may leave an enemy's side."""
    start = frozenset({place(field.units[mover_id])})
    if foot.held:
        return foot.halting | start
    with table.without_findings():
        return frozenset() if movement.may_leave(table, field, mover_id) else foot.halting - start


def _strides(
    field: Battlefield, mover_id: str, hexes: int, foot: Footing, moves: int, held: frozenset[Hex] = frozenset()
) -> Strides:
    return Strides(field.ground, place(field.units[mover_id]), hexes, foot, held, moves)


@rule(
    "marches.unreached",
    cites=("move/up-to-move", "hostile-move/move-value"),
    neutral=lambda field, mover_id, wanted, hexes, foot, moves: {},
)
def unreached(
    table: Table, field: Battlefield, mover_id: str, wanted: Sequence[Hex], hexes: int, foot: Footing, moves: int
) -> Mapping[Hex, tuple[Reason, ...]]:
    """Decide why a unit cannot stand in these hexes after up to so many moves; none of them is within its reach."""
    unit = field.units[mover_id]
    far = _however_many(table, field, mover_id, hexes, foot)
    never = [hex_ for hex_ in wanted if hex_ not in far.arrivals]
    violations = dict(out_of_reach.violations(table, field, mover_id, never, hexes, foot))
    for hex_ in wanted:
        if hex_ in far.arrivals:
            violations[hex_] = (
                table.reason(
                    "{unit} needs {needed} to {hex}, and may make {moves} at most",
                    cites=_cites(field, mover_id),
                    hex=hex_,
                    unit=field.name(unit),
                    needed=Quantity(far.arrivals[hex_].moves, "move"),
                    moves=moves,
                ),
            )
    _record(table, [reason for reasons in violations.values() for reason in reasons])
    return {hex_: violations[hex_] for hex_ in wanted if hex_ in violations}


@rule("marches.unsighted", cites=("sight/centre-to-centre", "sight/blocked-by"), neutral=())
def unsighted(
    table: Table, field: Battlefield, mover_id: str, target: Hex, hexes: int, foot: Footing, moves: int
) -> tuple[Reason, ...]:
    """Decide why a unit sees a hex from nowhere after up to so many moves, which it is known not to do."""
    unit = field.units[mover_id]
    far = _however_many(table, field, mover_id, hexes, foot)
    if views := first_views(table, field, far, target):
        reason = table.reason(
            "{unit} first sees {target} from {hex}, which takes {needed}, and may make {moves} at most",
            cites=_cites(field, mover_id),
            target=target,
            hex=views[0],
            unit=field.name(unit),
            needed=Quantity(far.arrivals[views[0]].moves, "move"),
            moves=moves,
        )
    else:
        reason = table.reason(
            "{unit} sees {target} from nowhere that it can ever reach: {count}",
            unit=field.name(unit),
            target=target,
            count=Quantity(len(far.arrivals), "hex", "hexes"),
        )
    _record(table, [reason])
    return (reason,)


def _record(table: Table, reasons: Iterable[Reason]) -> None:
    for reason in reasons:
        table.find("{why}", cites=reason.cites, why=reason)


def first_views(table: Table, field: Battlefield, strides: Strides, target: Hex) -> tuple[Hex, ...]:
    """Give the hexes from which a target's hex is seen that take the fewest moves, and of these the fewest hexes."""
    views: list[Hex] = []
    with table.without_findings():
        for hex_, arrival in strides.arrivals.items():
            if views and arrival != strides.arrivals[views[0]]:
                break
            if sight.visible(table, field, hex_, target):
                views.append(hex_)
    return tuple(views)


def _however_many(table: Table, field: Battlefield, mover_id: str, hexes: int, foot: Footing) -> Strides:
    """Give where a unit can stand after any number of moves: more moves than there are hexes change nothing."""
    return _strides(field, mover_id, hexes, foot, len(field.ground.hexes), _held_hexes(table, field, mover_id, foot))


def _cites(field: Battlefield, mover_id: str) -> tuple[str, ...]:
    unit = field.units[mover_id]
    return ("move/up-to-move",) if isinstance(unit, Explorer) else as_mover(unit, "hostile-move/move-value")
