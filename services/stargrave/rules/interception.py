"""Forcing combat: who may intercept a figure that moves, where, and who then stands beside whom.

Follows "Forcing Combat" under "Movement", and what creatures always do. Each figure may intercept once in a movement,
at the first place at which it can. Lengths are thousandths of an inch.
"""

from collections.abc import Iterator
from math import ceil, dist, floor

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.moves import clipped, first_within, straight
from arbiter.geometry.plane.paths.room import TOUCH
from arbiter.option import Option
from arbiter.readings import Options, settled
from arbiter.rule import rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Ids
from services.stargrave.geometry import footing
from services.stargrave.geometry.ways import Stretch, Way, at_place, first_near, follow, stop_at
from services.stargrave.rules import combat
from services.stargrave.scene import Figure

REACH = shapes.PER_UNIT

ROUNDED = 2
"""Thousandths by which a place of whole ones may lie beyond contact on a slant."""

AROUND = 16
"""How many places around a figure are tried where terrain leaves no room straight in front of it."""

OVER: tuple[Options, ...] = (("forcing-over-terrain", ("climbed", "level")), ("low-steps", ("free", "climb")))
"""The readings that say what an interceptor may climb."""


def first_interception(
    table: Table, field: Battlefield, mover: str, way: Way, since: float, until: float, considered: frozenset[str]
) -> tuple[tuple[float, Ids] | None, frozenset[str]]:
    """Give the first interception between two lengths of a way, if any, and the enemies considered so far.

    That is the length at which the movement is intercepted, and by whom.
    """
    spots = threats(table, field, mover, way)
    waiting = [(along, enemy) for along, enemy in spots if since <= along <= until and enemy not in considered]
    while waiting:
        along = waiting[0][0]
        # What differs by less than rounding can tell is one place.
        near = tuple(enemy for spot, enemy in waiting if spot <= along + TOUCH)
        waiting = waiting[len(near) :]
        considered |= set(near)
        forcing = tuple(enemy for enemy in near if forces(table, field, mover, field.figure(enemy)))
        if not forcing:
            continue
        first = first_of(table, field, mover, forcing)
        rest = tuple(enemy for enemy in forcing if enemy != first)
        if rest and table.read("forcing-several") == "one":
            return (along, (first,)), considered
        return (along, (first, *rest, *_others_at(table, field, mover, way, along, considered))), considered
    return None, considered


@rule("interception.first_of", cites="movement/forcing-combat", neutral=lambda field, mover, forcing: forcing[0])
def first_of(table: Table, field: Battlefield, mover: str, forcing: Ids) -> str:
    """Decide who intercepts first of several who can at one and the same place: the reading `forcing-order`.

    Where the order of the turn leaves several, or is not rolled yet, the player of the mover picks.
    """
    if len(forcing) == 1:
        return forcing[0]
    if field.scene.turn.order and table.read("forcing-order") == "initiative":
        # Creatures come last in a turn.
        order = (*field.scene.turn.order, None)
        first_place = min(order.index(field.figure(enemy).crew) for enemy in forcing)
        forcing = tuple(enemy for enemy in forcing if field.figure(enemy).crew == order[first_place])
    who, label = field.player(mover), f"{mover}: first interceptor"
    first: str = table.choose(who, label, forcing, about=field, means=field.option)
    table.find("{enemy} is the first to intercept {mover}", enemy=field.name(first), mover=field.name(mover))
    return first


def threats(table: Table, field: Battlefield, mover: str, way: Way) -> tuple[tuple[float, str], ...]:
    """List the enemies that may force combat on a way, each with the first length at which it may, in order."""
    spots = []
    body = field.solid(field.figure(mover))
    for enemy in field.enemies(field.figure(mover)):
        them = field.solid(enemy)
        # An enemy in contact with whom the way ends has nothing to intercept.
        if dist(way.path.end, them.at) <= body.radius + them.radius + body.slack:
            continue
        along = point(table, field, mover, enemy, way)
        if along is not None and free(table, field, enemy.id) and _can(table, field, mover, enemy, way, along):
            spots.append((along, enemy.id))
    return tuple(sorted(spots, key=lambda spot: spot[0]))


@rule("interception.point", cites=("movement/forcing-combat", "in-combat/within-one-inch"), neutral=None)
def point(table: Table, field: Battlefield, mover: str, enemy: Figure, way: Way) -> float | None:
    """Decide at which length of its way a figure first moves within 1 inch of an enemy, so that it may be intercepted.

    Whether it has to end there is the reading `forcing-where`, whether it may have begun there `forcing-from-near`, and
    how the inch is measured `distance-from` and `distance-in-height`.
    """
    them = field.solid(enemy)
    radii = field.solid(field.figure(mover)).radius + them.radius
    if first_near(way, them, radii + REACH, "plan") is None:
        return None
    end = way.path.end
    last = follow(field, at_place(field.figure(mover), shapes.whole(end), way.end), straight(end, end))

    def first(ends: str, height: str, where: str, near: str) -> float | None:
        reach = REACH + (radii if ends == "edges" else 0)
        along = first_near(way, them, reach, height)
        if along is None or (near == "entering" and along <= TOUCH):
            return None
        if where == "any-point":
            return along
        return way.path.length if first_near(last, them, reach, height) is not None else None

    along = settled(
        table,
        first,
        ("distance-from", ("edges", "centres")),
        ("distance-in-height", ("space", "plan")),
        ("forcing-where", ("any-point", "end")),
        ("forcing-from-near", ("yes", "entering")),
    )
    if along is not None:
        table.find("{mover} moves within 1 inch of {enemy}", mover=field.name(mover), enemy=field.name(enemy))
    return along


@rule("interception.free", cites="movement/forcing-free", neutral=True)
def free(table: Table, field: Battlefield, interceptor: str) -> bool:
    """Decide whether a figure is free to intercept: only one that is in no combat is."""
    engaged = combat.in_combat(table, field, interceptor)
    text = "{figure} is in combat and cannot intercept" if engaged else "{figure} is free to intercept"
    table.find(text, figure=field.name(interceptor))
    return not engaged


def forces(table: Table, field: Battlefield, mover: str, enemy: Figure) -> bool:
    """Decide whether an enemy that may intercept does so: its player chooses, and creatures always do."""
    if enemy.crew is None:
        return creature_forces(table, field, enemy.id)
    mover_name, enemy_name = field.name(mover), field.name(enemy)
    labels = {"force": f"{enemy_name} intercepts {mover_name}", "let-pass": f"{mover_name} moves on"}

    def means(option: str) -> Option:
        return Option(option, labels[option], {"figure": enemy_name, "intercepts": option == "force"})

    chosen: str = table.choose(enemy.crew, f"{enemy.id}: force combat", tuple(labels), about=field, means=means)
    return chosen == "force"


@rule("interception.creature_forces", cites="creatures/always-force", neutral=False)
def creature_forces(table: Table, field: Battlefield, interceptor: str) -> bool:
    """Decide that a creature forces combat whenever it can."""
    table.find("{creature} always forces combat", creature=field.name(interceptor))
    return True


def _others_at(table: Table, field: Battlefield, mover: str, way: Way, along: float, considered: frozenset[str]) -> Ids:
    """List the others that intercept at the same place; whether several may is the reading `forcing-several`."""
    body, at = field.solid(field.figure(mover)), way.path.at(along)
    others = [
        enemy
        for enemy in field.enemies(field.figure(mover))
        if enemy.id not in considered
        and dist(at, field.solid(enemy).at) <= body.radius + field.solid(enemy).radius + REACH + TOUCH
        and not combat.in_combat(table, field, enemy.id)
        and _can(table, field, mover, enemy, way, along)
    ]
    if not others or table.read("forcing-several") == "one":
        return ()
    return tuple(enemy.id for enemy in others if forces(table, field, mover, enemy))


def resolve_interception(table: Table, field: Battlefield, mover: str, interceptors: Ids) -> tuple[Battlefield, Ids]:
    """Give the battlefield after figures intercept another, and those of them that found room."""
    arrived = []
    for enemy in interceptors:
        # An earlier interceptor may occupy the place of the next.
        if comes(table, field, mover, enemy):
            field = brought_together(table, field, mover, enemy)
            arrived.append(enemy)
    return field, tuple(arrived)


@rule("interception.brought_together", cites=("movement/forcing-combat",), neutral=lambda field, *_: field)
def brought_together(table: Table, field: Battlefield, mover: str, interceptor: str) -> Battlefield:
    """Decide which figure moves into contact when combat is forced: the reading `forcing-who-moves`."""
    figure, enemy = field.figure(mover), field.figure(interceptor)
    table.event("forced-combat", figure=interceptor, mover=mover)
    table.find("{enemy} forces combat with {mover}", enemy=field.name(enemy), mover=field.name(figure))
    if combat.touching(field.solid(figure), field.solid(enemy)):
        return field
    moved, still = (enemy, figure) if table.read("forcing-who-moves") == "interceptor" else (figure, enemy)
    contacts = tuple(_contacts(field, moved, still))
    there = settled(table, lambda over, low: _first(contacts, over, low), *OVER)
    if there is None:
        return field
    table.event("moved", figure=moved.id, start=moved.at, end=there.at, elevation_in=there.elevation_in)
    return field.put(there)


@rule("interception.comes", cites="movement/forcing-combat", neutral=True)
def comes(table: Table, field: Battlefield, mover: str, interceptor: str) -> bool:
    """Decide whether an interceptor comes into contact: no figure, and nothing unclimbable, may be in between.

    Whether it climbs is the reading `forcing-over-terrain`; both stay on the level on which they then touch.
    """
    figure, enemy = field.figure(mover), field.figure(interceptor)
    if combat.touching(field.solid(figure), field.solid(enemy)):
        return True
    ways = {"interceptor": tuple(_contacts(field, enemy, figure)), "mover": tuple(_contacts(field, figure, enemy))}
    can = settled(
        table,
        lambda who, over, low: _first(ways[who], over, low) is not None,
        ("forcing-who-moves", ("interceptor", "mover")),
        *OVER,
    )
    if not can:
        table.find("{enemy} cannot come into contact with {mover}", enemy=field.name(enemy), mover=field.name(figure))
    return can


def _can(table: Table, field: Battlefield, mover: str, enemy: Figure, way: Way, along: float) -> bool:
    """Check whether an enemy comes into contact with a figure that is stopped at some length of its way."""
    return comes(table, field.put(stop_at(field, field.figure(mover), way, along)), mover, enemy.id)


def _first(contacts: tuple[tuple[Figure, Way], ...], over: str, low: str) -> Figure | None:
    """Give the first place in contact to which a figure comes with no more climbing than two readings allow."""
    for there, way in contacts:
        climbs = any(low == "climb" or abs(change.end - change.start) >= footing.LOW for change in way.changes)
        if over == "climbed" or not climbs:
            return there
    return None


def _contacts(field: Battlefield, moved: Figure, still: Figure) -> Iterator[tuple[Figure, Way]]:
    """Give how a figure may be placed in contact with another, and on which way: straight up to it, if it has room.

    Where terrain leaves it no room there, it is placed around the other, as near to where it stood as may be.
    """
    body, them = field.solid(moved), field.solid(still)
    places = touching_places(body, them)
    direct = [follow(field, moved, straight(shapes.floats(body.at), shapes.floats(at))) for at in places[:1]]
    if any(way.through or not all(field.ground.pieces[id_].climbable for id_ in way.against) for way in direct):
        return
    if any(way.against or not way.stands for way in direct):
        around = footing.ring(them.at, body.radius + them.radius, AROUND)
        sides = (beside(replace(body, at=at), them) for at in around)
        places = sorted((at for at in sides if at is not None), key=lambda at: (dist(at, body.at), at))
    for at in places:
        way = follow(field, moved, straight(shapes.floats(body.at), shapes.floats(at)))
        there = at_place(moved, at, way.end)
        there_body = field.solid(there)
        open_ = way.stands and not (way.against or way.through) and footing.on_table(field, body, at)
        if open_ and footing.fits(field, there_body) and combat.touching(there_body, them):
            yield there, way


def touching_places(mover: shapes.Figure, still: shapes.Figure) -> list[shapes.Point]:
    """Find the places of whole thousandths at which one base touches another that it comes straight up to, best first.

    Bases do not reach into each other there. None where both middles are the same.
    """
    apart = dist(mover.at, still.at)
    if not apart:
        return []
    reach = mover.radius + still.radius
    (x, y), (sx, sy) = mover.at, still.at
    ex, ey = sx + (x - sx) * reach / apart, sy + (y - sy) * reach / apart
    around = [(i, j) for i in range(floor(ex) - 1, ceil(ex) + 2) for j in range(floor(ey) - 1, ceil(ey) + 2)]
    clear = [at for at in around if reach**2 <= (at[0] - sx) ** 2 + (at[1] - sy) ** 2 <= (reach + ROUNDED) ** 2]
    return sorted(
        clear, key=lambda at: ((at[0] - sx) ** 2 + (at[1] - sy) ** 2 + (at[0] - ex) ** 2 + (at[1] - ey) ** 2, at)
    )


def beside(mover: shapes.Figure, still: shapes.Figure) -> shapes.Point | None:
    """Give the best of `touching_places`; None where both middles are the same."""
    return next(iter(touching_places(mover, still)), None)


def touches(way: Way, part: Stretch, them: shapes.Figure, reach: int) -> float | None:
    """Find the first length of a stretch of a way at which its middle is within some reach of another's in plan."""
    spot = first_within(clipped(way.path, part.since, part.until), shapes.floats(them.at), reach)
    return None if spot is None else part.since + spot.along
