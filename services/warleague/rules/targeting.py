"""Targeting: which tiles can be reached by each targeting method, and what is in the way."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, cast

from arbiter.geometry.tile.board import Grazes
from arbiter.nowhere import Somewhere
from arbiter.readings import Options, settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import beside, violations_rule
from arbiter.table import Table
from arbiter.text import Listing, Quantity, Signed, UnitName
from arbiter.value import Value
from services.warleague.battlefield import Battlefield
from services.warleague.book import table as rows
from services.warleague.ground import Contact
from services.warleague.profiles import Method, Stat, TargetedCard, Targeting
from services.warleague.rules import observed
from services.warleague.scene import Obstacle, Tile, Unit


class Line(Value, frozen=True):
    """Whether a tile can be reached by a method: every reason why not, and what is in the way.

    `blockers` are the ids of units and obstacles in the way, crates as `crate column,row`; `contacts` is what the line
    meets of them.
    """

    open: bool
    reasons: tuple[Reason, ...] = ()
    blockers: tuple[str, ...] = ()
    contacts: tuple[Contact, ...] = ()


OPEN = Line(True)

GRAZES: Options = ("grazes", ("both", "either", "never"))
FRIENDS: Options = ("friends-block", ("yes", "no"))
OVER: Options = ("thrown-over-obstacles", ("stop", "pass"))
METRIC: Options = ("range-metric", ("steps", "diagonals"))


@rule("targeting.distance", cites=("targeting/in-range", "ranged/range"), neutral=0)
def distance(table: Table, field: Battlefield, a: Tile, b: Tile) -> int:
    """Decide how many tiles away one tile is from another; how diagonals count is `range-metric`."""
    tiles = settled(table, partial(field.ground.distance, a, b), METRIC)
    table.find("The distance from {a} to {b} is {tiles}", a=tile(a), b=tile(b), tiles=Quantity(tiles, "tile"))
    return tiles


def tiles_to(table: Table, field: Battlefield, attacker: str, to: Tile) -> int:
    """Give how many tiles away a tile is from a unit."""
    measure = partial(distance, table, field, field.at(attacker), to)
    return int(observed.seen(observed.distance, table, field, attacker, to, 0, measure))


# Targeting methods


@rule("targeting.direct", cites="targeting/direct", neutral=OPEN)
def direct(table: Table, field: Battlefield, attacker: str, to: Tile) -> Line:
    """Decide whether a unit reaches a tile directly: it has to be next to the unit's own."""
    if adjacent(table, field, attacker, to):
        table.find("{unit} is next to {tile}", tile=tile(to), unit=field.name(attacker))
        return OPEN
    return Line(False, (_found(table, "{unit} is not next to {tile}", tile=tile(to), unit=field.name(attacker)),))


def adjacent(table: Table, field: Battlefield, attacker: str, to: Tile) -> bool:
    """Give whether a tile is next to a unit's own."""
    measure = partial(field.ground.adjacent, field.at(attacker), to)
    return bool(observed.seen(observed.adjacent, table, field, attacker, to, False, measure))


@rule("targeting.clear_line", cites=("targeting/clear-line", "targeting/clear-line-blockers"), neutral=OPEN)
def clear_line(table: Table, field: Battlefield, attacker: str, to: Tile) -> Line:
    """Decide whether a unit has a clear line to a tile: no other unit, obstacle or crate is on a tile in between.

    Whether friends are in the way is `friends-block`, and what is merely grazed `grazes`.
    """
    contacts: tuple[Contact, ...] = ()

    def measure() -> bool:
        nonlocal contacts
        here = field.at(attacker)

        def between(friendly: str) -> frozenset[Tile]:
            return over_concealed(table, field, here, to, blockers(field, attacker, friendly))

        def free(grazes: Grazes, friendly: str) -> bool:
            return field.ground.sees(here, to, between(friendly), grazes)

        contacts = _contacts(table, field, here, to, between(table.readings["friends-block"]))
        return settled(table, free, GRAZES, FRIENDS)

    clear = observed.seen(observed.clear_line, table, field, attacker, to, True, measure)
    return _line(table, field, attacker, to, contacts, clear, "{unit} has a clear line to {tile}")


def blockers(field: Battlefield, attacker: str, friendly: str) -> frozenset[Tile]:
    """Give the tiles that block a clear line of a unit; whether those of its friends do is `friends-block`."""
    unit = field.unit(attacker)
    return field.solid | (field.tiles_of_others(unit) if friendly == "yes" else field.tiles_of_enemies(unit))


@rule(
    "targeting.over_concealed",
    cites="targeting/concealed",
    neutral=lambda field, here, to, blockers: blockers | {hidden.at for hidden in field.scene.concealed},
)
def over_concealed(
    table: Table, field: Battlefield, here: Tile, to: Tile, blockers: frozenset[Tile]
) -> frozenset[Tile]:
    """Decide what stands in the way of a clear line: concealed ground is no part of it."""
    hidden = frozenset([hidden.at for hidden in field.scene.concealed]) - {here, to}
    passed = [at for one in field.ground.contacts(here, to, hidden, "never") if one.blocks for at in one.tiles]
    if passed:
        table.find("The line passes over concealed ground: {tiles}", tiles=Listing(map(tile, passed)))
    return blockers


@rule(
    "targeting.ballistics",
    cites=("targeting/ballistics", "targeting/ballistics-blockers", "thrown/over-obstacles"),
    neutral=OPEN,
)
def ballistics(table: Table, field: Battlefield, attacker: str, to: Tile, thrown: bool = False) -> Line:
    """Decide whether a unit reaches a tile on a ballistic trajectory: over units and crates, but over no obstacle.

    Whether what is thrown passes obstacles too is `thrown-over-obstacles`, and what is merely grazed `grazes`.
    """
    contacts: tuple[Contact, ...] = ()

    def measure(overs: tuple[str, ...] = ("stop",)) -> bool:
        nonlocal contacts
        here, obstacles = field.at(attacker), field.obstacles

        def free(grazes: Grazes, over: str) -> bool:
            return (thrown and over == "pass") or field.ground.sees(here, to, obstacles, grazes)

        contacts = _contacts(table, field, here, to, obstacles)
        return settled(table, free, GRAZES, (OVER[0], overs))

    if table.facts is None:
        clear = measure(OVER[1])
    else:
        passes = thrown and table.read(OVER[0]) == "pass"
        clear = passes or observed.seen(observed.no_obstacle, table, field, attacker, to, True, measure)
    return _line(table, field, attacker, to, contacts, clear, "Nothing blocks the trajectory from {unit} to {tile}")


@rule(
    "targeting.limitless",
    cites="targeting/limitless",
    neutral=lambda field, attacker, to: Line(field.ground.sees(field.at(attacker), to, field.obstacles, "both")),
)
def limitless(table: Table, field: Battlefield, attacker: str, to: Tile) -> Line:
    """Decide whether a unit reaches a tile without limits: nothing is in the way."""
    table.find("Nothing can block the way from {unit} to {tile}", unit=field.name(attacker), tile=tile(to))
    return OPEN


METHODS: Mapping[Method, Callable[[Table, Battlefield, str, Tile], Line]] = {
    "direct": direct,
    "clear-line": clear_line,
    "ballistics": ballistics,
    "limitless": limitless,
}
"""The targeting methods in the text's order."""


def line(table: Table, field: Battlefield, attacker: str, card: TargetedCard, to: Tile) -> Line:
    """Give whether a unit reaches a tile by the method of a weapon, an item or an ability, whatever the range."""
    # A melee weapon reaches what is next to its bearer in any case, so that its method does not matter.
    near = card.method is None and card.is_melee and adjacent(table, field, attacker, to)
    how = "direct" if near else method(table, card)
    if how == "ballistics":
        return ballistics(table, field, attacker, to, thrown=card.targeting == "thrown")
    return METHODS[how](table, field, attacker, to)


def method(table: Table, card: TargetedCard) -> Method:
    """Give the targeting method of a card: its own, or that of its targeting type."""
    if card.method is not None:
        return card.method
    return hand_to_hand(table) if card.is_melee else BY_TYPE[card.targeting]


BY_TYPE: Mapping[Targeting | None, Method] = {row["id"]: row["method"] for row in rows("targeting_types")}
"""The method of each targeting type where a card gives none."""


@rule("targeting.hand_to_hand", cites="melee/adjacent", neutral="clear-line")
def hand_to_hand(table: Table) -> Method:
    """Decide by which method melee weapons target: directly, adjacent tiles alone, unless `melee-method` says else."""
    how = cast(Method, table.read("melee-method"))
    text = "Melee weapons reach adjacent tiles only" if how == "direct" else "Melee weapons need a clear line"
    table.find(text)
    return how


# Bonuses and range

WITH: Mapping[str, str] = {
    "ranged": "with ranged weapons",
    "melee": "in melee",
    "thrown": "with what it throws",
    "generic": "with any weapon",
}
"""What a bonus or penalty is for, by its targeting type."""


@rule("targeting.by_type", cites="modifier/by-type", neutral=0)
def by_type(table: Table, field: Battlefield, attacker: str, stat: Stat, targeting: Targeting) -> int:
    """Decide what is added to a value for one targeting type: the bonuses and penalties of that type."""
    return _steps(table, field, attacker, stat, targeting)


@rule("targeting.generic", cites="modifier/generic", neutral=0)
def generic(table: Table, field: Battlefield, attacker: str, stat: Stat) -> int:
    """Decide what is added to a value whatever the targeting type in use: the generic bonuses and penalties."""
    return _steps(table, field, attacker, stat, "generic")


def bonus(table: Table, field: Battlefield, attacker: str, stat: Stat, targeting: Targeting | None) -> int:
    """Give what is added to the damage or range of a unit's weapons of a type, or without a type of its abilities.

    Whether generic bonuses count beside those of the type is `generic-modifier`, and for abilities `ability-bonuses`.
    """
    if targeting is None:
        held = any(each.stat == stat and each.targeting == "generic" for each in field.changes(attacker))
        return generic(table, field, attacker, stat) if held and table.read("ability-bonuses") == "yes" else 0
    own, other = by_type(table, field, attacker, stat, targeting), generic(table, field, attacker, stat)
    if not own or not other:
        return own + other
    return own + other if table.read("generic-modifier") == "adds" else own


def _steps(table: Table, field: Battlefield, attacker: str, stat: Stat, targeting: str) -> int:
    steps = [each.step for each in field.changes(attacker) if each.stat == stat and each.targeting == targeting]
    if steps:
        text, step = "{unit} has {step} {stat} {type}", Signed(sum(steps))
        table.find(text, unit=field.name(attacker), step=step, stat=stat, type=WITH[targeting])
    return sum(steps)


def range_of(table: Table, field: Battlefield, attacker: str, card: TargetedCard) -> int | None:
    """Give how many tiles away a target may be, with what is added to a unit's range; None is no limit."""
    if card.range is None:
        return None
    return max(0, card.range + bonus(table, field, attacker, "range", card.targeting))


@violations_rule("targeting.range_violations", cites="targeting/in-range")
def range_violations(table: Table, field: Battlefield, attacker: str, card: TargetedCard, to: Tile) -> Iterator[Reason]:
    """Decide whether a tile is within range: no further away than the range of what is used."""
    most = range_of(table, field, attacker, card)
    if most is None:
        return
    if most and table.facts is not None and _is_hand_to_hand(card) and adjacent(table, field, attacker, to):
        return  # how many tiles it is, players need not say
    away = tiles_to(table, field, attacker, to)
    if away > most:
        text = "The range of {card} is {most}, and {tile} is {away} away"
        yield _found(table, text, tile=tile(to), away=Quantity(away, "tile"), card=card.title, most=most)
    else:
        table.find("{card} has range {most} and reaches {tile}", tile=tile(to), card=card.title, most=most)


# What may be aimed at


def violations(table: Table, field: Battlefield, attacker: str, card: TargetedCard, to: Tile) -> tuple[Reason, ...]:
    """Give every reason why a unit does not reach a tile with a weapon, a grenade or an ability: line, and range."""
    reasons = line(table, field, attacker, card, to).reasons
    measure = partial(range_violations, table, field, attacker, card, to)
    return (*reasons, *beside(reasons if _is_hand_to_hand(card) else (), measure, ()))


def _is_hand_to_hand(card: TargetedCard) -> bool:
    """Say whether it is a matter of adjacent tiles that a card reaches a target, and so has been asked."""
    return card.method == "direct" or (card.method is None and card.is_melee)


def targets(field: Battlefield, attacker: str, to: Tile) -> tuple[Unit, ...]:
    """Give the units that an attack on a tile may hit: all there but the attacker, and but for downed heroes."""
    return tuple(unit for unit in field.on(to) if unit.id != attacker and not unit.downed)


@violations_rule("targeting.aim_violations", cites="targeting/mode")
def aim_violations(table: Table, field: Battlefield, attacker: str, card: TargetedCard, to: Tile) -> Iterator[Reason]:
    """Decide whether a tile may be aimed at: an enemy is there.

    Whether a friend may be aimed at with a weapon is `friendly-targets`, and whether what explodes may be aimed at a
    tile where no enemy is `thrown-at-tile`. Abilities may be for friends, and for the unit itself.
    """
    there = field.on(to) if card.targeting is None else targets(field, attacker, to)
    if card.targeting is None and there:
        return
    if any(field.opposed(field.player(attacker), unit.side) for unit in there):
        return
    if card.explodes and table.read("thrown-at-tile") == "yes":
        return
    if there and table.read("friendly-targets") == "yes":
        return
    downed = [field.name(unit.id) for unit in field.on(to) if unit.downed]
    if downed and not there:
        words: dict[str, Any] = {"unit": downed[0], "tile": tile(to), "cites": "kill/heroes"}
        yield _found(table, "{unit} on {tile} is downed and cannot be attacked", **words)
    else:
        what = "Only friends are on {tile}" if there else "There is no valid target on {tile}"
        yield _found(table, what, tile=tile(to))


class TileName(tuple[int, int]):
    """A tile in a sentence, as "tile 3,4"; as data, its column and row."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return f"tile {self[0]},{self[1]}"

    def __str__(self) -> str:
        return format(self)


class UnitTile(UnitName):
    """The tile of a unit, in the sentences of a table whose tiles only the players see; as data the unit."""

    __slots__ = ()

    def __format__(self, form: str) -> str:
        return f"the tile of {super().__format__(form)}"


def tile(at: Tile) -> TileName | UnitTile:
    """Name a tile as players do; one that only they see is the tile of the unit there."""
    return UnitTile(at.of, at.title) if isinstance(at, Somewhere) else TileName(at)


def tile_label(at: Tile) -> str:
    """Name a tile in the label of a die or a choice."""
    return f"tile of {at.of}" if isinstance(at, Somewhere) else f"tile {at[0]},{at[1]}"


def _contacts(table: Table, field: Battlefield, here: Tile, to: Tile, blockers: frozenset[Tile]) -> tuple[Contact, ...]:
    """Give what a line meets, by the reading of the table."""
    return field.ground.contacts(here, to, blockers, cast(Grazes, table.readings["grazes"]))


def _line(
    table: Table, field: Battlefield, attacker: str, to: Tile, contacts: tuple[Contact, ...], clear: bool, text: str
) -> Line:
    if clear:
        table.find(text, unit=field.name(attacker), tile=tile(to))
        return Line(True, contacts=contacts)
    tiles = [at for one in contacts if one.blocks for at in one.tiles]
    things = [(what, id_) for at in tiles for what, id_ in standing(field, at)]
    text = (
        "The line from {unit} to {tile} is blocked by {things}"
        if things
        else "The line from {unit} to {tile} is blocked"
    )
    words: dict[str, Any] = {"things": Listing(what for what, _ in things)} if things else {}
    reason = _found(table, text, unit=field.name(attacker), tile=tile(to), **words)
    return Line(False, (reason,), tuple(id_ for _, id_ in things), contacts)


def _found(table: Table, text: str, **values: Any) -> Reason:
    """Report why something is out of reach, and give it as a reason."""
    table.find(text, **values)
    return table.reason(text, **values)


def obstacle_name(obstacle: Obstacle) -> str:
    """Name an obstacle by its kind and its id; by its id alone where that says the kind."""
    return obstacle.id if obstacle.id.startswith(obstacle.kind) else f"{obstacle.kind} {obstacle.id}"


def standing(field: Battlefield, at: Tile) -> list[tuple[str, str]]:
    """Name what stands on a tile and can be in the way, in words and by its id."""
    things = [(f"the {obstacle_name(each)}", each.id) for each in field.scene.obstacles if each.at == at]
    things += [(f"the crate on {tile(at)}", f"crate {at[0]},{at[1]}") for crate in field.scene.crates if crate.at == at]
    return things + [(field.name(unit.id), unit.id) for unit in field.on(at)]
