"""Moves of hostiles towards a destination: closer with each hex, through cover where it can be had, until they halt.

A move is described by the hexes where it may end, each with one way there; the player who controls the hostiles picks
among them.
"""

from collections.abc import Mapping
from typing import NamedTuple

from arbiter.nowhere import ELSEWHERE, PlaceNeeded
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, hex_option, place
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.rules import movement, routes, shelter, unique_actions
from services.blackstone_fortress.rules.movement import Footing, Way
from services.blackstone_fortress.scene import Hex, Hostile


@rule(
    "hostile_moves.closest", cites=("hostile-action/distance-by-route", "hostile-move/free-within-limits"), neutral=None
)
def closest(table: Table, field: Battlefield, hostile_id: str) -> str | None:
    """Decide which explorer a hostile moves towards: the closest by route, picked by its player among equals."""
    equals = routes.closest_explorers(table, field, hostile_id)
    if not equals:
        table.find("there is no explorer to move towards", explorer=None)
        return None
    chosen = routes.pick_explorer(table, field, f"{hostile_id}: destination", equals)
    table.find("{hostile} moves towards {explorer}", hostile=field.name(hostile_id), explorer=field.name(chosen))
    return chosen.id


def towards_closest(table: Table, field: Battlefield, hostile_id: str) -> Battlefield:
    """Move a hostile towards the closest explorer, as far as the rules let it."""
    if field.scene.is_partial:
        return move_to_end(table, field, hostile_id, {}, "move to")
    explorer_id = closest(table, field, hostile_id)
    if explorer_id is None:
        return field
    return towards(table, field, hostile_id, place(field.explorer(explorer_id)))


@rule(
    "hostile_moves.towards", cites=("hostile-move/explorer-rules", "hostile-move/free-within-limits"), neutral=unchanged
)
def towards(table: Table, field: Battlefield, hostile_id: str, target: Hex) -> Battlefield:
    """Move a hostile towards a hex, or the explorer in it; its player picks where it ends if there is a choice."""
    hexes = movement.allowance(table, field, hostile_id)
    return move_to_end(table, field, hostile_id, ends_towards(table, field, hostile_id, target, hexes), "move to")


def move_to_end(table: Table, field: Battlefield, hostile_id: str, ends: Mapping[Hex, Way], verb: str) -> Battlefield:
    """Let the player pick one of the hexes where a hostile may end, and move it there; without a board by hand."""
    way: Way = ()
    if not field.scene.is_partial:
        way = ends[table.choose("hostiles", f"{hostile_id}: {verb}", list(ends), about=field, means=hex_option)]
    elif field.hostile(hostile_id).hex is ELSEWHERE and any(explorer.overwatch for explorer in field.explorers):
        # What players say of the first move cannot be told from what they say of the second.
        raise PlaceNeeded
    return unique_actions.uncloaked(table, movement.move(table, field, hostile_id, way))


class _Walk(NamedTuple):
    """What a move towards a destination looks at: who moves where, how far, and where it may set foot."""

    field: Battlefield
    hostile: Hostile
    target: Hex
    limit: int
    foot: Footing


Onward = Mapping[tuple[Hex, int], tuple[Hex, ...]]
"""Where a hostile may go on to, by the hex that it is in and the movement that it has left there."""


@rule(
    "hostile_moves.ends_towards",
    cites=(
        "hostile-move/closer-each-hex",
        "hostile-move/halt-at-hex",
        "hostile-move/halt-at-explorer",
        "hostile-move/halt-when-stuck",
    ),
    neutral=lambda field, hostile_id, target, hexes: {field.hostile(hostile_id).hex: ()},
)
def ends_towards(table: Table, field: Battlefield, hostile_id: str, target: Hex, hexes: int) -> Mapping[Hex, Way]:
    """Decide where a hostile may end a move of so many hexes towards a hex, or towards the explorer who stands in it.

    Each hex it enters is closer to the destination than the one before, cover is preferred among equally close ones,
    and it goes on until its Move is used, until it is there or next to the explorer, or until nothing is closer. A hex
    that is full can be passed when the move can end beyond it.
    """
    hostile = field.hostile(hostile_id)
    walk = _Walk(field, hostile, target, hexes, movement.footing(table, field, hostile_id, hexes))
    onward = _onward(table, walk)
    ends = _ends(table, walk, onward, prefer=False)
    if len(ends) > 1:
        ends = _ends_in_cover(table, walk, onward, ends)
    ends = dict(sorted(ends.items(), key=lambda item: -len(item[1])))
    table.explain(_record_ends, walk, onward, ends)
    return ends


def _ends(table: Table, walk: _Walk, onward: Onward, *, prefer: bool) -> dict[Hex, Way]:
    """Find every hex where the walk may end, by going through all the ways that come closer with each hex."""

    def following(here: Hex, left: int) -> tuple[Hex, ...]:
        hexes = onward[here, left]
        return shelter.preferred(table, walk.field, hexes, "hostile-move/prefer-cover") if prefer else hexes

    ends: dict[Hex, Way] = {}
    for here, left, way in movement.walks(place(walk.hostile), walk.limit, walk.foot, following):
        if not onward[here, left] or (here not in walk.foot.full and table.read("hostile-move-length") == "may-stop"):
            ends.setdefault(here, way)
    return ends


def _ends_in_cover(table: Table, walk: _Walk, onward: Onward, ends: dict[Hex, Way]) -> dict[Hex, Way]:
    """Keep the ends that cover leaves: preferred at each hex that is entered, or only where the move ends."""
    at_each = _ends(table, walk, onward, prefer=True)
    at_last: dict[Hex, Way] = {}
    for length in dict.fromkeys(len(way) for way in ends.values()):
        equal = [end for end, way in ends.items() if len(way) == length]
        for end in shelter.preferred(table, walk.field, equal, "hostile-move/prefer-cover"):
            at_last[end] = ends[end]
    if set(at_each) == set(at_last) or table.read("prefer-cover-when") == "each-hex":
        return at_each
    return at_last


def _onward(table: Table, walk: _Walk) -> Onward:
    """Find where a hostile may go on to: hexes closer, open to it, and such that its move can end somewhere."""
    closer: dict[tuple[Hex, int], tuple[Hex, ...]] = {}
    ahead = [(place(walk.hostile), walk.limit)]
    while ahead:
        here, left = ahead.pop()
        if (here, left) not in closer:
            closer[here, left] = _closer(table, walk, here, left)
            ahead += [(hex_, left - walk.foot.cost((hex_,))) for hex_ in closer[here, left]]
    onward: dict[tuple[Hex, int], tuple[Hex, ...]] = {}
    for here, left in sorted(closer, key=lambda at: at[1]):
        onward[here, left] = tuple(
            hex_
            for hex_ in closer[here, left]
            if hex_ not in walk.foot.full or onward[hex_, left - walk.foot.cost((hex_,))]
        )
    return onward


def _closer(table: Table, walk: _Walk, here: Hex, left: int) -> tuple[Hex, ...]:
    """Give the hexes that a hostile can enter from a hex with so much movement left, and that are closer."""
    if walk.foot.held or (here in walk.foot.halting and here != walk.hostile.hex):
        return ()
    steps = movement.steps(walk.field, walk.foot, here, left)
    if not steps:
        return ()
    return table.once(_nearer, walk.field.ground, _targets(table, walk, here), here, steps, walk.field.explorers_in)


def _nearer(
    table: Table, ground: Ground, targets: tuple[Hex, ...], here: Hex, steps: tuple[Hex, ...], held: frozenset[Hex]
) -> tuple[Hex, ...]:
    """Keep the hexes that are closer to somewhere the hostile goes than the hex it is in."""
    return tuple([hex_ for hex_ in steps if any(_is_nearer(table, ground, to, here, hex_, held) for to in targets)])


def _is_nearer(table: Table, ground: Ground, target: Hex, here: Hex, hex_: Hex, held: frozenset[Hex]) -> bool:
    by_route = routes.on_foot(table, ground, hex_, target, held) < routes.on_foot(table, ground, here, target, held)
    by_range = ground.distance(hex_, target) < ground.distance(here, target)
    return by_route if by_route == by_range else (table.read("closer-by") == "range") == by_range


def _targets(table: Table, walk: _Walk, here: Hex) -> tuple[Hex, ...]:
    """Give the hex that a hostile goes to, or, found anew, the hexes of the explorers who are the closest by now."""
    if here == walk.hostile.hex or walk.target not in walk.field.explorers_in:
        return (walk.target,)

    def going_to(destination: str) -> tuple[Hex, ...]:
        return (walk.target,) if destination == "fixed" else _closest_places(table, walk, here)

    return settled(table, going_to, ("destination-fixed", ("fixed", "each-hex")))


def _closest_places(table: Table, walk: _Walk, here: Hex) -> tuple[Hex, ...]:
    places = tuple(dict.fromkeys([place(explorer) for explorer in walk.field.explorers]))
    far = routes.lengths(table, walk.field, [(here, hex_) for hex_ in places], walk.hostile)
    least = min(far)
    return tuple([hex_ for hex_, hexes in zip(places, far, strict=True) if hexes == least])


def _record_ends(table: Table, walk: _Walk, onward: Onward, ends: Mapping[Hex, Way]) -> None:
    """Say for each end why the hostile halts there."""
    beside = walk.target in {explorer.hex for explorer in walk.field.explorers}
    for end, way in ends.items():
        halting = bool(way) and end in walk.foot.halting
        if end == walk.target:
            text, unit = "{hostile} halts in {end}, which it was to reach", "hostile-move/halt-at-hex"
        elif halting and beside and walk.field.ground.adjacent(end, walk.target):
            text, unit = "{hostile} halts in {end}, next to its destination", "hostile-move/halt-at-explorer"
        elif halting:
            text, unit = "{hostile} halts in {end}, next to an explorer", "hostile-move/explorer-rules"
        elif way and walk.foot.cost(way) == walk.limit:
            text, unit = "{hostile} comes closer with each hex up to {end}", "hostile-move/closer-each-hex"
        elif not onward[end, walk.limit - walk.foot.cost(way)]:
            text, unit = "{hostile} cannot come closer than {end}", "hostile-move/halt-when-stuck"
        else:
            text, unit = "{hostile} may stop in {end}", "hostile-move/free-within-limits"
        table.find(text, cites=unit, hostile=walk.field.name(walk.hostile), end=end)
