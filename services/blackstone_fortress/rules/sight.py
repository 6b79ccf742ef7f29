"""Sight, cover and range: what a straight line between two hexes meets, and how far it is.

Follows the steps "Pick Target" and "Measure Range" of the attack sequence, and "Cover". Distances are hexes.
"""

from collections.abc import Iterator

from arbiter.facts import Facts, Number, Units, YesNo, fact
from arbiter.rule import rule
from arbiter.skirmish.contacts_given import Clash
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield, Unit, place
from services.blackstone_fortress.ground import Ground
from services.blackstone_fortress.scene import Hex


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
    strictest, laxest = ground.edged("rim"), ground.edged("listed-only")
    if strictest.sees(a, b, "touch"):
        return True
    if not laxest.sees(a, b, "cross"):
        return False
    both = [(any_.sees(a, b, "touch"), any_.sees(a, b, "cross")) for any_ in (strictest, laxest)]
    touched, crossed = both[0] if both[0] == both[1] or table.read("edge-definition") == "rim" else both[1]
    return touched if touched == crossed else table.read("corner-contact") == "cross"


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
    kind=Number("hexes", least=1, whole=True, among=(2.0,)),  # close, and neither adjacent nor far
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
        on_board = ground.count_on_board(a, b)
    if on_board != counted and table.read("range-count") == "on-board":
        counted = on_board
    table.find("the range from {a} to {b} is {hexes}", a=a, b=b, hexes=counted)
    return counted


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


def _beside_clashes(facts: Facts, field: Battlefield, found: tuple[str, ...], unit: str) -> Iterator[Clash]:
    """Find what contradicts that these enemies stand next to a unit and see it.

    Who is not among them contradicts nothing: an enemy may have been slain by then.
    """
    for enemy in field.enemies(field.by_id[unit]):
        pair = (unit, enemy.id)
        if enemy.id in found and facts.peek(apart, field, *pair) not in (None, 1):
            yield apart, pair
        if enemy.id in found and facts.peek(sees, field, *pair) is False:
            yield sees, pair


@fact(
    "beside",
    "Which enemies stand next to {unit} and see it?",
    of=("unit",),
    kind=Units(),
    says="next to {unit} and in its sight: {value}",
    cites=("attack/adjacent-first", "sight/mutual"),
    against=_beside_clashes,
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


def _together_clashes(facts: Facts, field: Battlefield, found: tuple[str, ...], unit: str) -> Iterator[Clash]:
    """Find what contradicts that just these others stand in the hex of a unit."""
    for other in field.by_id:
        if other != unit and other not in found and unit in (facts.peek(together, field, other) or ()):
            yield together, (other,)


@fact(
    "together",
    "Who else stands in the hex of {unit}?",
    of=("unit",),
    kind=Units(),
    says="in the hex of {unit}: {value}",
    cites=("hex-limits/hostiles", "hex-limits/explorers"),
    against=_together_clashes,
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
