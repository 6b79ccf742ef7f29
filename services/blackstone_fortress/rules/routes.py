"""Routes: how far it is from one hex to another on foot, and who is closest or furthest by that.

A route is a count of hexes that crosses no wall hexside and enters no obstructed hex. Where no route leads, the
distance is `UNREACHABLE` unless a reading takes the range instead.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, TypeVar

from arbiter.facts import Number, fact
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from services.blackstone_fortress.battlefield import Battlefield, Unit, place
from services.blackstone_fortress.ground import NOBODY, Ground
from services.blackstone_fortress.scene import Explorer, Hex, Hostile

UNREACHABLE = 9_999
"""The distance, in hexes, of somebody to whom no route leads: further than any route."""

Metric = Literal["closest-metric", "deployment-metric"]
K = TypeVar("K")


def distance(table: Table, field: Battlefield, a: Hex, b: Hex, mover: Unit | None = None) -> int:
    """Count the hexes of the shortest route from one hex to another; see `on_foot`."""
    return table.once(on_foot, field.ground, a, b, NOBODY if mover is None else field.enemies_in(mover))


@rule(
    "routes.on_foot",
    cites=("hostile-activation/by-route", "hostile-action/distance-by-route"),
    neutral=lambda ground, a, b, held: ground.distance(a, b),
)
def on_foot(table: Table, ground: Ground, a: Hex, b: Hex, held: frozenset[Hex]) -> int:
    """Count the hexes of the shortest route from one hex to another, the first not counted.

    Whether hexes `held` by enemies of the mover lengthen it is the reading `route-through-miniatures`; what counts
    where no route leads is the reading `unreachable-distance`.
    """
    hexes = ground.on_foot(a, b)
    if hexes is not None and held:
        around = ground.on_foot(a, b, held)
        if around != hexes and table.read("route-through-miniatures") == "blocked-by-enemies":
            hexes = around
    if hexes is not None:
        return hexes
    return ground.distance(a, b) if table.read("unreachable-distance") == "range" else UNREACHABLE


def to_nearest(table: Table, ground: Ground, a: Hex, goals: frozenset[Hex], held: frozenset[Hex]) -> int:
    """Count the hexes of the shortest route from a hex to the nearest of some others; see `on_foot`."""
    return min([on_foot(table, ground, a, goal, held) for goal in sorted(goals)])


def lengths(
    table: Table,
    field: Battlefield,
    pairs: Iterable[tuple[Hex, Hex]],
    mover: Unit | None = None,
    metric: Metric | None = None,
) -> list[int]:
    """Count the hexes of each pair's route, or of its range where the reading named by `metric` says so."""
    ground, held = field.ground, NOBODY if mover is None else field.enemies_in(mover)
    return [table.once(_apart, ground, a, b, held, metric) for a, b in pairs]


def _apart(table: Table, ground: Ground, a: Hex, b: Hex, held: frozenset[Hex], metric: Metric | None) -> int:
    hexes = on_foot(table, ground, a, b, held)
    if metric is None:
        return hexes
    straight = ground.distance(a, b)
    return straight if hexes != straight and table.read(metric) == "range" else hexes


def nearest(
    table: Table,
    field: Battlefield,
    pairs: Iterable[tuple[K, Hex, Hex]],
    mover: Unit | None = None,
    metric: Metric | None = None,
) -> tuple[K, ...]:
    """Give the keys, in their order and each once, whose pair of hexes is the least far apart."""
    listed = list(pairs)
    keys = dict.fromkeys([key for key, _, _ in listed])
    if len(keys) < 2:
        return tuple(keys)
    far = lengths(table, field, [(a, b) for _, a, b in listed], mover, metric)
    least = min(far)
    return tuple(dict.fromkeys([one[0] for one, hexes in zip(listed, far, strict=True) if hexes == least]))


@rule(
    "routes.closest_explorers",
    cites="hostile-action/distance-by-route",
    neutral=lambda field, hostile_id, among=None, metric=None: tuple(among if among is not None else field.explorers),
)
def closest_explorers(
    table: Table,
    field: Battlefield,
    hostile_id: str,
    among: Sequence[Explorer] | None = None,
    metric: Metric | None = None,
) -> tuple[Explorer, ...]:
    """Decide which explorers are the closest to a hostile, of all on the battlefield or of those `among`."""
    return _most(table, field, hostile_id, among, metric, "closest")


@rule(
    "routes.furthest_explorers",
    cites=("hostile-action/distance-by-route", "hostile-action/aim-target"),
    neutral=lambda field, hostile_id, among=None, metric=None: tuple(among if among is not None else field.explorers),
)
def furthest_explorers(
    table: Table,
    field: Battlefield,
    hostile_id: str,
    among: Sequence[Explorer] | None = None,
    metric: Metric | None = None,
) -> tuple[Explorer, ...]:
    """Decide which explorers are the furthest from a hostile, of all on the battlefield or of those `among`."""
    return _most(table, field, hostile_id, among, metric, "furthest")


def _most(
    table: Table,
    field: Battlefield,
    hostile_id: str,
    among: Sequence[Explorer] | None,
    metric: Metric | None,
    which: Literal["closest", "furthest"],
) -> tuple[Explorer, ...]:
    explorers = field.explorers if among is None else tuple(among)
    hostile = field.hostile(hostile_id)
    if hostile.hex is None or len(explorers) < 2:
        return explorers
    far = [route(table, field, hostile, one, metric) for one in explorers]
    best = min(far) if which == "closest" else max(far)
    result = tuple(one for one, hexes in zip(explorers, far, strict=True) if hexes == best)
    table.find(
        "closest to {hostile}: {explorers}" if which == "closest" else "furthest from {hostile}: {explorers}",
        hostile=field.name(hostile),
        explorers=Listing(map(field.name, result)),
        hexes=None if best == UNREACHABLE else best,
    )
    return result


@fact(
    "route",
    f"How many hexes is it on foot from {{hostile}} to {{explorer}}, or {UNREACHABLE} where no way leads there?",
    of=("hostile", "explorer"),
    kind=Number("hexes", least=1, most=UNREACHABLE, whole=True),
    says="it is {value} hexes on foot from {hostile} to {explorer}",
    cites="hostile-action/distance-by-route",
)
def route(table: Table, field: Battlefield, hostile: Hostile, explorer: Explorer, metric: Metric | None = None) -> int:
    """Count the hexes of the route from a hostile to an explorer."""
    return lengths(table, field, [(place(hostile), place(explorer))], hostile, metric)[0]


def pick_explorer(table: Table, field: Battlefield, label: str, equals: Sequence[Explorer]) -> Explorer:
    """Let the player who controls the hostiles pick one of several explorers who are equally close or equally far.

    The reading `closest-ties` can leave this to the leader, which matters where somebody else plays the hostiles.
    """
    chooser = "hostiles"
    if len(equals) > 1 and field.scene.hostile_player is not None and table.read("closest-ties") == "leader":
        chooser = "leader"
    return field.explorer(table.choose(chooser, label, [one.id for one in equals], about=field, means=field.option))
