"""Sight, cover and range: what a straight line between two hexes meets, and how far it is.

Follows the steps "Pick Target" and "Measure Range" of the attack sequence, and "Cover". Distances are hexes.
"""

from typing import Literal

from msgspec.structs import replace

from arbiter.caching import held_by_first
from arbiter.facts import Number, Units, YesNo, fact
from arbiter.geometry.hex import coordinates as hexes
from arbiter.rule import rule
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, Unit, place
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Hex

EdgeDefinition = Literal["rim", "listed-only"]

COUNTS_KEPT = 4_096
"""Counts from one hex to another that a ground remembers, in each of two generations."""

STARTS_KEPT = 8
"""Hexes of which a ground remembers the counts to all others, in each of two generations."""


@fact(
    "sees",
    "Do {one} and {other} see each other?",
    of=("one", "other"),
    says=("{one} and {other} see each other", "{one} and {other} do not see each other"),
    cites=("sight/centre-to-centre", "sight/mutual"),
    mutual=True,
)
def sees(table: Table, field: Battlefield, one: Unit, other: Unit) -> bool:
    """Say whether two units see each other."""
    return visible(table, field, place(one), place(other))


def visible(table: Table, field: Battlefield, a: Hex, b: Hex) -> bool:
    """Say whether miniatures in two hexes see each other; see `line_is_free`."""
    return table.always(line_is_free, field.ground, a, b)


@rule(
    "sight.line_is_free",
    cites=("sight/centre-to-centre", "sight/blocked-by", "sight/before-target-centre", "sight/mutual"),
    neutral=True,
)
def line_is_free(table: Table, ground: Ground, a: Hex, b: Hex) -> bool:
    """Decide whether miniatures in two hexes see each other.

    The line runs from centre to centre; an edge, obstruction or wall hexside that it touches blocks it. Whether a mere
    contact (a corner, or a run along a hexside) is a touch is the reading `corner-contact`, and which hexsides are
    edges is the reading `edge-definition`.
    """
    clear = _clear(table, ground, a, b)
    text = "{a} and {b} see each other" if clear else "{a} and {b} do not see each other"
    table.find(text, a=a, b=b, visible=clear)
    return clear


def _clear(table: Table, ground: Ground, a: Hex, b: Hex) -> bool:
    """Read as little as possible: most lines are free, or blocked, however edges and contacts are read."""
    strictest, laxest = edged(ground, "rim"), edged(ground, "listed-only")
    if strictest.sees(a, b, "touch"):
        return True
    if not laxest.sees(a, b, "cross"):
        return False
    both = [(any_.sees(a, b, "touch"), any_.sees(a, b, "cross")) for any_ in (strictest, laxest)]
    touched, crossed = both[0] if both[0] == both[1] or table.read("edge-definition") == "rim" else both[1]
    return touched if touched == crossed else table.read("corner-contact") == "cross"


def edged(ground: Ground, definition: EdgeDefinition) -> Ground:
    """Give the ground with its edges as a definition has them: those listed, with the rim of the battlefield or not.

    A board that lists none has its rim for edges anyway, so most grounds are given back as they are.
    """
    if (ground.posted.edges is None) == (definition == "rim"):
        return ground
    return _edged_otherwise(ground) or ground


@held_by_first(1)
def _edged_otherwise(ground: Ground) -> Ground | None:
    """Give the ground with no edges where it has its rim, and with its rim where it lists some; None if that is it."""
    board = ground.posted
    listed = board.edges
    if listed is None:
        return Ground.of(replace(board, edges=()))
    axial = [ground.axial(hex_) for hex_ in board.hexes]
    listed_sides = {hexes.side(ground.axial(a), ground.axial(b)) for a, b in listed}
    more = sorted(hexes.rim(axial) - listed_sides)
    rim = tuple((ground.posted_hex(a), ground.posted_hex(b)) for a, b in more)
    return Ground.of(replace(board, edges=(*listed, *rim))) if rim else None


def shelters(table: Table, field: Battlefield, attacker: Unit, target: Unit) -> bool:
    """Say whether a target is in cover from an attacker; see `cover_from`."""
    return cover_from(table, field, attacker, target) if sheltering(field) else uncovered_by_twist(table)


@fact(
    "cover",
    "Is {target} in cover from {attacker}?",
    of=("attacker", "target"),
    kind=YesNo(usual=False),
    says=("{target} is in cover from {attacker}", "{target} is in the open for {attacker}"),
    cites="cover/cover-hexside",
)
def cover_from(table: Table, field: Battlefield, attacker: Unit, target: Unit) -> bool:
    """Say whether a target is in cover from an attacker, where no twist has cover ignored."""
    return in_cover(table, field, place(attacker), place(target))


def in_cover(table: Table, field: Battlefield, attacker: Hex, target: Hex) -> bool:
    """Say whether a target's hex is in cover from an attacker's hex; see `line_is_covered`."""
    return covered(table, field.ground, attacker, target, sheltering(field))


def sheltering(field: Battlefield) -> bool:
    """Say whether cover hexsides give cover at all: no twist has them ignored."""
    return "no-cover" not in field.scene.twists


def covered(table: Table, ground: Ground, attacker: Hex, target: Hex, sheltering: bool) -> bool:
    """Say whether a target's hex is in cover from an attacker's hex, where cover hexsides are `sheltering` or not."""
    return table.always(line_is_covered, ground, attacker, target) if sheltering else uncovered_by_twist(table)


@rule("sight.line_is_covered", cites=("cover/cover-hexside", "cover/own-hexside"), neutral=False)
def line_is_covered(table: Table, ground: Ground, attacker: Hex, target: Hex) -> bool:
    """Decide whether a target's hex is in cover from an attacker's hex.

    The line of sight has to touch or cross a cover hexside that is not one of the attacker's own six. Whether a mere
    contact counts is the reading `cover-corner-contact`.
    """
    covered = _sheltered(table, ground, attacker, target)
    text = "{target} is in cover from {attacker}" if covered else "{target} is not in cover from {attacker}"
    table.find(text, target=target, attacker=attacker, in_cover=covered)
    return covered


def _sheltered(table: Table, ground: Ground, attacker: Hex, target: Hex) -> bool:
    if not ground.in_cover(attacker, target, "touch"):
        return False
    return ground.in_cover(attacker, target, "cross") or table.read("cover-corner-contact") == "touch"


@rule("sight.uncovered_by_twist", cites="twists/no-cover", neutral=True)
def uncovered_by_twist(table: Table) -> bool:
    """Decide that nobody is in cover while a twist has the cover hexsides ignored."""
    table.find("a twist makes attacks ignore cover hexsides", in_cover=False)
    return False


@fact(
    "range",
    "How many hexes is it from {one} to {other}?",
    of=("one", "other"),
    kind=Number("hexes", least=1, whole=True),
    says="the range from {one} to {other} is {value}",
    cites=("range/count-hexes", "range/shortest"),
    mutual=True,
)
def apart(table: Table, field: Battlefield, one: Unit, other: Unit) -> int:
    """Count the hexes from one unit to another."""
    return range_between(table, field, place(one), place(other))


def range_between(table: Table, field: Battlefield, a: Hex, b: Hex) -> int:
    """Count the hexes from one hex to another; see `hexes_between`."""
    return table.always(hexes_between, field.ground, a, b)


@rule("sight.hexes_between", cites=("range/count-hexes", "range/shortest", "range/target-not-own"), neutral=0)
def hexes_between(table: Table, ground: Ground, a: Hex, b: Hex) -> int:
    """Count the hexes from one hex to another by the shortest count, the other's counted and one's own not.

    Whether hexes that are not on the battlefield can be counted is the reading `range-count`. Where none but such a
    count leads to the other hex, it is the count by either reading.
    """
    counted = on_board = ground.distance(a, b)
    if not ground.keeps_on_board(a, b):
        on_board = count_on_board(ground, a, b)
    if on_board != counted and table.read("range-count") == "on-board":
        counted = on_board
    table.find("the range from {a} to {b} is {hexes}", a=a, b=b, hexes=counted)
    return counted


@held_by_first(COUNTS_KEPT)
def count_on_board(ground: Ground, a: Hex, b: Hex) -> int:
    """Count the hexes from one to another over hexes of the battlefield alone, whatever lies on or between them."""
    straight = ground.distance(a, b)
    if straight <= 1 or _straight_on_board(ground, a, b):
        return straight
    return _counts(ground, a).get(b, straight)


def _straight_on_board(ground: Ground, a: Hex, b: Hex) -> bool:
    """Say whether some way that is no longer than the plain count stays on the battlefield.

    Such ways take steps in two directions only, in any order, and so fill a parallelogram, which is gone through row by
    row.
    """
    on_board = ground.board.hexes
    (q, r), (bq, br) = ground.axial(a), ground.axial(b)
    dq, dr = bq - q, br - r
    sign_q, sign_r = (dq > 0) - (dq < 0), (dr > 0) - (dr < 0)
    if sign_q * sign_r >= 0:
        first, times, second, rows = (sign_q, 0), abs(dq), (0, sign_r), abs(dr)
    else:
        slant = min(abs(dq), abs(dr))
        first, times = (sign_q, sign_r), slant
        second, rows = ((sign_q, 0), abs(dq) - slant) if abs(dq) > abs(dr) else ((0, sign_r), abs(dr) - slant)
    # Nearly always one of the two ways with a single bend stays on the battlefield, and the rest need not be tried.
    for one, of_one, other, of_other in ((first, times, second, rows), (second, rows, first, times)):
        bend = q + of_one * one[0], r + of_one * one[1]
        before = [(q + step * one[0], r + step * one[1]) for step in range(of_one + 1)]
        after = [(bend[0] + step * other[0], bend[1] + step * other[1]) for step in range(of_other + 1)]
        if on_board.issuperset(before) and on_board.issuperset(after):
            return True
    reachable = [True] + [False] * times
    for row in range(rows + 1):
        here = False
        for step in range(times + 1):
            here = (here or reachable[step]) and (
                (q + step * first[0] + row * second[0], r + step * first[1] + row * second[1]) in on_board
            )
            reachable[step] = here
        if not any(reachable):
            return False
    return reachable[times]


@held_by_first(STARTS_KEPT)
def _counts(ground: Ground, start: Hex) -> dict[Hex, int]:
    counts = {start: 0}
    edge = [start]
    while edge:
        further = []
        for hex_ in edge:
            for near in ground.neighbours(hex_):
                if near not in counts:
                    counts[near] = counts[hex_] + 1
                    further.append(near)
        edge = further
    return counts


def adjacent(table: Table, field: Battlefield, a: Hex, b: Hex) -> bool:
    """Say whether two hexes are adjacent; whether a wall hexside between them parts them is `wall-adjacency`."""
    if not field.ground.adjacent(a, b):
        return False
    return not field.ground.walled(a, b) or table.read("wall-adjacency") == "adjacent"


def next_to(table: Table, field: Battlefield, a: Unit, b: Unit) -> bool:
    """Say whether two units stand in adjacent hexes, whatever lies between them."""
    if table.facts is not None:
        return apart(table, field, a, b) <= 1
    return field.ground.adjacent(place(a), place(b))


@fact(
    "beside",
    "Which enemies stand next to {unit} and see it?",
    of=("unit",),
    kind=Units(),
    says="next to {unit} and in its sight: {value}",
    cites=("attack/adjacent-first", "sight/mutual"),
)
def beside(table: Table, field: Battlefield, unit: Unit) -> tuple[str, ...]:
    """Give the ids of the enemies in adjacent hexes whom a unit sees, in the scene's order.

    No wall parts units that see each other in adjacent hexes, so that it does not matter whether walls part hexes.
    """
    here = place(unit)
    around = field.ground.around(here)
    return tuple(
        [enemy.id for enemy in field.enemies(unit) if enemy.hex in around and visible(table, field, here, place(enemy))]
    )


@fact(
    "together",
    "Who else stands in the hex of {unit}?",
    of=("unit",),
    kind=Units(),
    says="in the hex of {unit}: {value}",
    cites=("hex-limits/hostiles", "hex-limits/explorers"),
)
def together(table: Table, field: Battlefield, unit: Unit) -> tuple[str, ...]:
    """Give the ids of the others who stand in a unit's hex, in the scene's order."""
    return tuple([other.id for other in field.at(place(unit)) if other.id != unit.id])


def near(table: Table, field: Battlefield, one: Unit, other: Unit) -> bool:
    """Say whether a unit is in another's hex or next to it; each is near itself."""
    if one.hex is None or other.hex is None:
        return False
    return one.id == other.id or is_near(table, field, one, other, one.hex, other.hex)


@fact(
    "near",
    "Is {other} in the hex of {one}, or next to it?",
    of=("one", "other"),
    says=("{other} is in the hex of {one} or next to it", "{other} is further than a hex from {one}"),
    cites="draik/flurry-targets",
)
def is_near(table: Table, field: Battlefield, one: Unit, other: Unit, here: Hex, there: Hex) -> bool:
    """Say whether a unit is within a hex of another, who stands or stood here."""
    return here == there or adjacent(table, field, here, there)


def seen(table: Table, field: Battlefield, unit: Unit) -> tuple[Unit, ...]:
    """Give the enemies on the battlefield that a unit sees, in the scene's order."""
    if unit.hex is None:
        return ()
    if table.facts is not None:
        return tuple([enemy for enemy in field.enemies(unit) if sees(table, field, unit, enemy)])
    hexes = table.once(seen_from, field.ground, unit.hex, field.enemies_in(unit))
    return tuple([enemy for enemy in field.enemies(unit) if enemy.hex in hexes])


def seen_from(table: Table, ground: Ground, here: Hex, among: frozenset[Hex]) -> frozenset[Hex]:
    """Give those of some hexes that are visible from here."""
    return frozenset([hex_ for hex_ in sorted(among) if table.always(line_is_free, ground, here, hex_)])
