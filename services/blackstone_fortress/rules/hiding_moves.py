"""Moves of hostiles that keep out of sight: where Fall Back and Sneak may end."""

from collections.abc import Mapping

from arbiter.facts import fact
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.blackstone_fortress.battlefield import Battlefield, place
from services.blackstone_fortress.rules import movement, routes, shelter
from services.blackstone_fortress.rules.movement import Way
from services.blackstone_fortress.scene import Hex, Hostile


@rule(
    "hiding_moves.doubled",
    cites="hostile-action/fall-back-double",
    neutral=lambda field, hostile_id: field.card(field.hostile(hostile_id)).move,
)
def doubled(table: Table, field: Battlefield, hostile_id: str) -> int:
    """Decide how many hexes a hostile may move when it falls back: twice its Move value."""
    hexes = 2 * movement.allowance(table, field, hostile_id)
    most = Quantity(hexes, "hex", "hexes")
    table.find("{hostile} may fall back {hexes}", hostile=field.name(hostile_id), hexes=most)
    return hexes


@fact(
    "can_hide",
    "Can {hostile} reach a hex that no explorer sees, with twice its Move?",
    of=("hostile",),
    says=("{hostile} can hide from every explorer", "{hostile} has no hex in reach to hide in"),
    cites="hostile-action/fall-back-hide",
)
def can_hide(table: Table, field: Battlefield, hostile: Hostile) -> bool:
    """Say whether a hostile that falls back finds a hex out of every explorer's sight."""
    return bool(hidden_ends(table, field, hostile.id))


@rule(
    "hiding_moves.hidden_ends",
    cites=("hostile-action/fall-back-hide", "examples/fall-back"),
    neutral=lambda field, hostile_id: {},
)
def hidden_ends(table: Table, field: Battlefield, hostile_id: str) -> Mapping[Hex, Way]:
    """Decide in which hexes a hostile that falls back may end: those in reach that no explorer sees.

    Whether it may choose among all of them, or only among the nearest, is the reading `fall-back-path`.
    """
    ways = movement.ways(table, field, hostile_id, doubled(table, field, hostile_id))
    seen = shelter.seen_hexes(table, field, tuple(ways))
    hidden = {hex_: ways[hex_] for hex_ in ways if hex_ not in seen}
    lengths = [len(way) for way in hidden.values()]
    if lengths and min(lengths) != max(lengths) and table.read("fall-back-path") == "nearest-hidden":
        hidden = {hex_: way for hex_, way in hidden.items() if len(way) == min(lengths)}
    text = "{hostile} can hide from every explorer in {ends}" if hidden else "{hostile} has no hex in reach to hide in"
    table.find(text, hostile=field.name(hostile_id), ends=Listing(hidden))
    return hidden


@rule(
    "hiding_moves.sneaking_ends",
    cites=("hostile-action/sneak-closest", "hostile-action/sneak-unseen"),
    neutral=lambda field, hostile_id: {field.hostile(hostile_id).hex: ()},
)
def sneaking_ends(table: Table, field: Battlefield, hostile_id: str) -> Mapping[Hex, Way]:
    """Decide in which hexes a sneaking hostile may end: entering none that is seen, as near to an explorer as it can.

    The hex it is in is one of them when no other is nearer. Whether it may leave a hex that is seen is the reading
    `sneak-from-view`, whether each hex has to be closer than the one before `sneak-path`.
    """
    hostile = field.hostile(hostile_id)
    start = place(hostile)
    hexes = movement.allowance(table, field, hostile_id)
    around = sorted(field.ground.open & field.ground.within(start, hexes))
    seen = shelter.seen_hexes(table, field, around)
    ways = movement.ways(table, field, hostile_id, hexes, seen - {start})
    ends = _nearest(table, field, hostile, ways)
    closer = _nearest(table, field, hostile, _approaching(table, field, hostile, ways, hexes, seen))
    if set(closer) != set(ends) and table.read("sneak-path") == "each-hex-closer":
        ends = closer
    if start in seen and set(ends) != {start} and table.read("sneak-from-view") == "stays":
        ends = {start: ()}
    stays = set(ends) == {start}
    text = "{hostile} stays in {ends}, as near as it may sneak" if stays else "{hostile} can sneak to {ends}"
    table.find(text, hostile=field.name(hostile), ends=Listing(ends))
    return ends


def _nearest(table: Table, field: Battlefield, hostile: Hostile, ways: Mapping[Hex, Way]) -> dict[Hex, Way]:
    """Keep the ends from which the route to some explorer is the shortest."""
    far = {end: _gap(table, field, hostile, end) for end in ways}
    least = min(far.values(), default=0)
    return {end: ways[end] for end, hexes in far.items() if hexes == least}


def _gap(table: Table, field: Battlefield, hostile: Hostile, hex_: Hex) -> int:
    """Count the hexes from a hex to the explorer who is nearest to it."""
    return min(
        (routes.distance(table, field, hex_, place(explorer), hostile) for explorer in field.explorers),
        default=routes.UNREACHABLE,
    )


def _approaching(
    table: Table, field: Battlefield, hostile: Hostile, ways: Mapping[Hex, Way], hexes: int, seen: frozenset[Hex]
) -> dict[Hex, Way]:
    """Keep the ends that can be reached with each hex closer to an explorer than the one before."""
    foot = movement.footing(table, field, hostile.id, hexes)

    def closer(here: Hex, left: int) -> list[Hex]:
        if foot.held or (here != hostile.hex and here in foot.halting):
            return []
        gap, near = _gap(table, field, hostile, here), movement.steps(field, foot, here, left)
        return [hex_ for hex_ in near if hex_ not in seen and _gap(table, field, hostile, hex_) < gap]

    ends: dict[Hex, Way] = {}
    for here, _, way in movement.walks(place(hostile), hexes, foot, closer):
        if here in ways:
            ends.setdefault(here, way)
    return ends
