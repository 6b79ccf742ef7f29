"""Moves of explorers and hostiles: where a miniature may go, where it has to halt, and why it may not.

A way lists the hexes a miniature enters, in order, without the one it starts in. Distances are hexes of movement.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arbiter.nowhere import ELSEWHERE
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.blackstone_fortress.battlefield import Battlefield, Unit, place
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.rules import action_rolls, hex_limits, wounds
from services.blackstone_fortress.scene import Explorer, Hex

Way = tuple[Hex, ...]


class Footing(NamedTuple):
    """What decides where a unit may set foot: hexes that end its move, that it cannot enter, that it cannot end in.

    `costs` says what entering a hex costs where it is not one; `held` that the unit cannot leave its hex at all.
    """

    halting: frozenset[Hex]
    barred: frozenset[Hex]
    full: frozenset[Hex]
    costs: Mapping[Hex, int]
    held: bool

    def cost(self, way: Collection[Hex]) -> int:
        """Give how many hexes of movement a way takes."""
        return sum([self.costs.get(hex_, 1) for hex_ in way]) if self.costs else len(way)


def as_mover(unit: Unit, *cites: str) -> tuple[str, ...]:
    """Give the units to cite for a rule of explorers' moves, with the one that hands it on to hostiles if need be."""
    return cites if isinstance(unit, Explorer) else (*cites, "hostile-move/explorer-rules")


@rule("movement.allowance", cites=("move/up-to-move", "hostile-move/move-value"), neutral=0)
def allowance(table: Table, field: Battlefield, mover_id: str) -> int:
    """Decide how many hexes a unit may move: the Move value on its card."""
    unit = field.units[mover_id]
    if isinstance(unit, Explorer):
        hexes, cites = field.side(unit).move, "move/up-to-move"
    else:
        hexes, cites = field.card(unit).move, "hostile-move/move-value"
    table.find("{unit} has Move {hexes}", cites=cites, unit=field.name(unit), hexes=hexes)
    return hexes


@rule("movement.enemy_hexes", cites="move/not-through-enemies", neutral=frozenset())
def enemy_hexes(table: Table, field: Battlefield, mover_id: str, within: int) -> frozenset[Hex]:
    """Decide which hexes a unit cannot enter because of enemies; only those `within` so many hexes are listed."""
    unit = field.units[mover_id]
    held = field.enemies_in(unit)
    table.explain(_record_enemy_hexes, field, unit, held, within)
    return held


def _record_enemy_hexes(table: Table, field: Battlefield, unit: Unit, held: frozenset[Hex], within: int) -> None:
    near = held & field.ground.within(place(unit), within)
    if near:
        table.find(
            "{unit} cannot enter {hexes}, where enemies stand",
            cites=as_mover(unit, "move/not-through-enemies"),
            unit=field.name(unit),
            hexes=Listing(sorted(near)),
        )


@rule("movement.passable", cites=("move/through-friends", "move/through-full-hex"), neutral=frozenset())
def passable(table: Table, field: Battlefield, mover_id: str, within: int) -> frozenset[Hex]:
    """Decide which occupied hexes a unit may pass through: those of its friends, full or not."""
    unit = field.units[mover_id]
    hexes = field.friends_in(unit)
    if not hexes.isdisjoint(field.ground.within(place(unit), within)):
        text = "{unit} can pass through the hexes of its friends"
        table.find(text, unit=field.name(unit), cites=as_mover(unit, "move/through-friends", "move/through-full-hex"))
    return hexes


@rule("movement.full_hexes", cites="move/end-hex-limit", neutral=frozenset())
def full_hexes(table: Table, field: Battlefield, mover_id: str, within: int) -> frozenset[Hex]:
    """Decide in which of the hexes `within` so many hexes a unit cannot end its move, for want of room."""
    unit = field.units[mover_id]
    near = field.friends_in(unit) & field.ground.within(place(unit), within)
    full = [hex_ for hex_ in field.standing if hex_ in near and not hex_limits.room(table, field, hex_, unit)]
    if full:
        text = "{unit} cannot end its move in {hexes}"
        table.find(text, cites=as_mover(unit, "move/end-hex-limit"), unit=field.name(unit), hexes=Listing(full))
    return frozenset(full)


@rule("movement.halting_hexes", cites="move/halt-next-to-enemy", neutral=frozenset())
def halting_hexes(table: Table, field: Battlefield, mover_id: str, within: int) -> frozenset[Hex]:
    """Decide which hexes end a unit's move when it enters them: those adjacent to an enemy.

    Only hexes `within` so many hexes of the unit matter; the reading `wall-adjacency` is consulted for no others.
    """
    unit = field.units[mover_id]
    halting = table.once(_adjacent, field.ground, place(unit), within, field.enemies_in(unit))
    table.explain(_record_halting_hexes, field, unit, halting)
    return halting


def _adjacent(table: Table, ground: Ground, here: Hex, within: int, enemies: frozenset[Hex]) -> frozenset[Hex]:
    """Give the hexes adjacent to one of the enemies, of those `within` so many hexes of `here`."""
    near = ground.within(here, within)
    adjacent = ground.next_to(enemies) & near
    behind_walls = (ground.beside(enemies) & near) - adjacent
    if behind_walls and table.read("wall-adjacency") == "adjacent":
        return adjacent | behind_walls
    return adjacent


def _record_halting_hexes(table: Table, field: Battlefield, unit: Unit, halting: frozenset[Hex]) -> None:
    if halting:
        table.find(
            "{unit} has to halt on entering {hexes}, next to an enemy",
            cites=as_mover(unit, "move/halt-next-to-enemy"),
            unit=field.name(unit),
            hexes=Listing(sorted(halting)),
        )


@rule("movement.may_leave", cites="move/leaving-enemy", neutral=False)
def may_leave(table: Table, field: Battlefield, mover_id: str) -> bool:
    """Decide that a unit which starts next to an enemy may leave; without this it would be held there."""
    unit = field.units[mover_id]
    text = "{unit} starts next to an enemy and may leave, but has to halt in the next hex beside an enemy"
    table.find(text, cites=as_mover(unit, "move/leaving-enemy"), unit=field.name(unit))
    return True


@rule("movement.entry_costs", cites="twists/cover-entry-cost", neutral=lambda field: {})
def entry_costs(table: Table, field: Battlefield) -> Mapping[Hex, int]:
    """Decide what entering a hex costs where a twist makes it more than one: two, for hexes with a cover hexside."""
    costs = dict.fromkeys(field.ground.covered, 2)
    table.find("a twist makes hexes with a cover hexside cost two hexes of movement", hexes=len(costs))
    return costs


def footing(table: Table, field: Battlefield, mover_id: str, within: int) -> Footing:
    """Give where a unit may set foot in a move of at most `within` hexes."""
    unit = field.units[mover_id]
    start = place(unit)
    friends = field.friends_in(unit)
    return Footing(
        halting=halting_hexes(table, field, mover_id, within),
        barred=enemy_hexes(table, field, mover_id, within) | (friends - passable(table, field, mover_id, within)),
        full=full_hexes(table, field, mover_id, within),
        costs=entry_costs(table, field) if "cover-entry-cost" in field.scene.twists else {},
        held=not field.enemies_in(unit).isdisjoint(field.ground.around(start))
        and not may_leave(table, field, mover_id),
    )


def steps(field: Battlefield, foot: Footing, here: Hex, left: int) -> tuple[Hex, ...]:
    """Give the hexes that can be entered from a hex with so much movement left, in the order of the directions."""
    barred, costs = foot.barred, foot.costs
    return tuple([hex_ for hex_ in field.ground.entries(here) if hex_ not in barred and costs.get(hex_, 1) <= left])


def walks(
    start: Hex, limit: int, foot: Footing, onward: Callable[[Hex, int], Iterable[Hex]]
) -> Iterator[tuple[Hex, int, Way]]:
    """Go through every hex to which `onward` leads, once with each movement left there, and a way to it.

    `onward` gives the hexes that follow a hex with so much movement left.
    """
    been: set[tuple[Hex, int]] = set()
    ahead: list[tuple[Hex, Way]] = [(start, ())]
    while ahead:
        here, way = ahead.pop(0)
        left = limit - foot.cost(way)
        if (here, left) not in been:
            been.add((here, left))
            yield here, left, way
            ahead += [(hex_, (*way, hex_)) for hex_ in onward(here, left)]


@rule(
    "movement.ways",
    cites=("move/adjacent-steps", "move/not-across-walls", "move/not-through-obstructions"),
    neutral=lambda field, mover_id, hexes, avoiding=frozenset(), foot=None: {place(field.units[mover_id]): ()},
)
def ways(
    table: Table,
    field: Battlefield,
    mover_id: str,
    hexes: int,
    avoiding: Collection[Hex] = frozenset(),
    foot: Footing | None = None,
) -> Mapping[Hex, Way]:
    """Decide where a unit may end a move of so many hexes: each such hex with one shortest legal way to it.

    The hex it stands in comes first, with an empty way. `avoiding` are hexes that it must not enter besides;
    `foot` is where it may set foot, for a caller that already has it.
    """
    unit = field.units[mover_id]
    start = place(unit)
    foot = foot or footing(table, field, mover_id, hexes)
    ends = field.ground.reach(
        start,
        0 if foot.held else hexes,
        halting=foot.halting - {start},
        blocked=foot.barred | frozenset(avoiding),
        full=foot.full,
        costs=foot.costs,
    )
    table.find(
        "{unit} can end a move of up to {hexes} in {count}",
        cites=as_mover(unit, "move/adjacent-steps", "move/not-across-walls", "move/not-through-obstructions"),
        unit=field.name(unit),
        hexes=Quantity(hexes, "hex", "hexes"),
        count=Quantity(len(ends) - 1, "other hex", "other hexes"),
    )
    return ends


@rule(
    "movement.violations",
    cites=("move/adjacent-steps", "move/not-across-walls", "move/not-through-obstructions"),
    neutral=(),
)
def violations(
    table: Table, field: Battlefield, mover_id: str, way: Sequence[Hex], hexes: int | None = None
) -> tuple[Reason, ...]:
    """Decide whether a unit may move along a way: every reason against it, none when it may.

    `hexes` stands in for the unit's Move value where another rule gives the length of the move.
    """
    if not way:
        return ()
    limit = allowance(table, field, mover_id) if hexes is None else hexes
    return tuple(_violations(table, field, field.units[mover_id], way, limit))


def _violations(table: Table, field: Battlefield, unit: Unit, way: Sequence[Hex], limit: int) -> Iterator[Reason]:
    foot, name, enemies = footing(table, field, unit.id, len(way)), field.name(unit), field.enemies_in(unit)

    def against(text: str, cites: str, **values: Any) -> Reason:
        return table.reason(text, cites=as_mover(unit, cites), **values)

    if (spent := foot.cost(way)) > limit:
        yield table.reason(
            "the way takes {spent} of movement, and {unit} may move {limit}",
            cites="move/up-to-move" if isinstance(unit, Explorer) else "hostile-move/move-value",
            spent=Quantity(spent, "hex", "hexes"),
            unit=name,
            limit=limit,
        )
    for before, hex_ in zip((place(unit), *way), way, strict=False):
        at = {"hex": hex_, "before": before}
        if not field.ground.adjacent(before, hex_):
            yield against("{hex} is not adjacent to {before}", "move/adjacent-steps", **at)
        elif field.ground.walled(before, hex_):
            yield against("a wall stands between {before} and {hex}", "move/not-across-walls", **at)
        if hex_ not in field.ground.open:
            yield against("{hex} is obstructed", "move/not-through-obstructions", **at)
        if hex_ in foot.barred and hex_ in enemies:
            yield against("an enemy stands in {hex}", "move/not-through-enemies", **at)
        elif hex_ in foot.barred:
            yield against("a friend stands in {hex}", "move/through-friends", **at)
    if foot.held:
        yield table.reason("{unit} is held by an enemy", cites="move/halt-next-to-enemy", unit=name)
    for hex_ in () if foot.held else dict.fromkeys(way[:-1]):
        if hex_ in foot.halting:
            text = "{unit} has to halt in {hex}, next to an enemy"
            yield against(text, "move/halt-next-to-enemy", unit=name, hex=hex_)
    if way[-1] in foot.full:
        yield against("{hex} has no room for {unit} to end its move in", "move/end-hex-limit", hex=way[-1], unit=name)


@rule("movement.move", cites=("move/up-to-move", "hostile-move/move-value"), neutral=unchanged)
def move(table: Table, field: Battlefield, mover_id: str, way: Sequence[Hex]) -> Battlefield:
    """Move a unit along a way that it may take; `violations` says whether it may. An empty way leaves it where it is.

    Where no board shows the way, the players make the move, and what they gave of the unit's place is over.
    With the twist of trapped discoveries, an explorer rolls its Agility in each hex with a marker, and may not get on.
    """
    unit = field.units[mover_id]
    if field.scene.is_partial:
        table.find("the players move {unit}", unit=field.name(unit))
        table.event("moved", unit=mover_id, start=None, way=(), end=None)
        return field.change(unit, hex=ELSEWHERE)
    if not way:
        return field
    if isinstance(unit, Explorer) and "discovery-agility" in field.scene.twists:
        return _through_traps(table, field, mover_id, tuple(way))
    return _walk(table, field, mover_id, place(unit), tuple(way))


def _through_traps(table: Table, field: Battlefield, mover_id: str, way: Way) -> Battlefield:
    markers = {marker.hex for marker in field.scene.discoveries}
    start, entered = place(field.units[mover_id]), 0
    for count, hex_ in enumerate(way, 1):
        if hex_ not in markers and count < len(way):
            continue
        field = _walk(table, field, mover_id, start, way[entered:count])
        start, entered = hex_, count
        if hex_ in markers:
            field = trapped_discovery(table, field, mover_id)
            if field.explorer(mover_id).out_of_action:
                break
    return field


def _walk(table: Table, field: Battlefield, mover_id: str, start: Hex, way: Way) -> Battlefield:
    unit, end = field.units[mover_id], way[-1]
    cites = "move/up-to-move" if isinstance(unit, Explorer) else "hostile-move/move-value"
    table.find(
        "{unit} moves from {start} to {end}", cites=cites, unit=field.name(unit), start=start, end=end, hexes=len(way)
    )
    table.event("moved", unit=mover_id, start=start, way=way, end=end)
    return field.change(unit, hex=end)


@rule("movement.trapped_discovery", cites="twists/discovery-agility", neutral=unchanged)
def trapped_discovery(table: Table, field: Battlefield, explorer_id: str) -> Battlefield:
    """Decide what a trapped discovery does to who enters its hex: a failed Agility roll costs a grievous wound."""
    explorer = field.explorer(explorer_id)
    rolled = action_rolls.roll(table, f"{explorer_id}: agility", field.side(explorer).agility)
    results = action_rolls.counting(table, rolled)
    action_rolls.record(table, f"{explorer_id}: agility", results)
    failed = not results
    text = "{explorer} springs the trap on the discovery" if failed else "{explorer} avoids the trap on the discovery"
    table.find(text, explorer=field.name(explorer), failed=failed)
    return wounds.wound_explorer(table, field, explorer_id, 0, 1) if failed else field
