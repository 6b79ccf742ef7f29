"""Forcing combat: who may intercept a figure that moves, where, and who then stands beside whom.

Follows "Forcing Combat" under "Movement", and what creatures always do. Each figure is asked once in a movement, at the
first place at which it may intercept. Lengths are thousandths of an inch.
"""

from math import ceil, dist, floor

from msgspec.structs import replace

from arbiter.geometry import plane
from arbiter.geometry.plane import PER_UNIT, Point
from arbiter.geometry.planemoves import first_within, straight
from arbiter.geometry.planepathsroom import TOUCH
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.ground import place
from services.stargrave.model import Figure
from services.stargrave.rules import combat
from services.stargrave.rules.unclear import settled
from services.stargrave.rules.ways import Stretch, Way, at_place, clipped, first_near, follow

REACH = PER_UNIT

FORCE, LET_PASS = "force", "let-pass"


class Met(Value, frozen=True):
    """Where a movement is stopped, and by whom."""

    along: float
    by: tuple[str, ...]


def met(
    table: Table, field: Battlefield, id_: str, way: Way, since: float, until: float, asked: frozenset[str]
) -> tuple[Met | None, frozenset[str]]:
    """Give where a movement is stopped between two lengths of its way, if it is, and who has been asked by then."""
    for along, enemy_id in threats(table, field, id_, way):
        if enemy_id in asked or not since <= along <= until:
            continue
        asked |= {enemy_id}
        enemy = field.figure(enemy_id)
        if forces(table, field, id_, enemy):
            return Met(along, (enemy_id, *_more(table, field, id_, way, along, asked))), asked
    return None, asked


def threats(table: Table, field: Battlefield, id_: str, way: Way) -> tuple[tuple[float, str], ...]:
    """Give who may force combat with a figure on its way, and where first, in the order in which it meets them."""
    spots = []
    for enemy in field.enemies(field.figure(id_)):
        if _goal(field, id_, enemy, way):
            continue
        along = point(table, field, id_, enemy, way)
        if along is not None and free(table, field, enemy.id) and _can(field, id_, enemy, way, along):
            spots.append((along, enemy.id))
    return tuple(sorted(spots, key=lambda spot: spot[0]))


def _goal(field: Battlefield, id_: str, enemy: Figure, way: Way) -> bool:
    """Say whether a way ends in contact with an enemy, who then has nothing to intercept."""
    reach = field.solid(field.figure(id_)).radius + field.solid(enemy).radius + combat.CONTACT
    return dist(way.path.end, field.solid(enemy).at) <= reach


@rule(
    "interception.point",
    cites=("movement/forcing-combat", "in-combat/within-one-inch"),
    without=lambda field, id_, enemy, way: None,
)
def point(table: Table, field: Battlefield, id_: str, enemy: Figure, way: Way) -> float | None:
    """Decide at which length of its way a figure first moves within 1 inch of an enemy, so that it may be intercepted.

    Whether it has to end there is the reading `forcing-where`, whether it may have begun there `forcing-from-near`, and
    how the inch is measured `distance-from` and `distance-in-height`.
    """
    them = field.solid(enemy)
    radii = field.solid(field.figure(id_)).radius + them.radius
    if first_near(way, them, radii + REACH, "plan") is None:
        return None
    x, y = way.path.end
    last = follow(field, at_place(field.figure(id_), (round(x), round(y)), way.end), straight((x, y), (x, y)))

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
        text = "{mover} moves within 1 inch of {enemy}"
        table.find(text, mover=field.name(field.figure(id_)), enemy=field.name(enemy))
    return along


@rule("interception.free", cites="movement/forcing-free", without=lambda field, id_: True)
def free(table: Table, field: Battlefield, id_: str) -> bool:
    """Decide whether a figure is free to intercept: only one that is in no combat is."""
    engaged = combat.in_combat(table, field, id_)
    name = field.name(field.figure(id_))
    table.find(
        "{figure} is in combat and intercepts nobody" if engaged else "{figure} is free to intercept", figure=name
    )
    return not engaged


def forces(table: Table, field: Battlefield, id_: str, enemy: Figure) -> bool:
    """Give whether an enemy that may intercept a figure does: its player chooses, and creatures always do."""
    if enemy.crew is None:
        return creature_forces(table, field, enemy.id)
    mover, name = field.name(field.figure(id_)), field.name(enemy)
    chosen = table.choose(
        enemy.crew,
        f"{enemy.id}: force combat",
        (FORCE, LET_PASS),
        about=field,
        notes=(f"{name} intercepts {mover}", f"{mover} moves on"),
    )
    return bool(chosen == FORCE)


@rule("interception.creature_forces", cites="creatures/always-force", without=lambda field, id_: False)
def creature_forces(table: Table, field: Battlefield, id_: str) -> bool:
    """Decide that a creature forces combat whenever it can."""
    table.find("{creature} always forces combat", creature=field.name(field.figure(id_)))
    return True


def _more(table: Table, field: Battlefield, id_: str, way: Way, along: float, asked: frozenset[str]) -> tuple[str, ...]:
    """Give who else intercepts at the same place; whether more than one may is the reading `forcing-several`."""
    mover = field.figure(id_)
    radius = field.solid(mover).radius
    at = way.path.at(along)
    others = [
        enemy
        for enemy in field.enemies(mover)
        if enemy.id not in asked
        and dist(at, field.solid(enemy).at) <= radius + field.solid(enemy).radius + REACH + TOUCH
        and not combat.in_combat(table, field, enemy.id)
        and _can(field, id_, enemy, way, along)
    ]
    if not others or table.read("forcing-several") == "one":
        return ()
    return tuple(enemy.id for enemy in others if forces(table, field, id_, enemy))


def forced(table: Table, field: Battlefield, id_: str, by: tuple[str, ...]) -> Battlefield:
    """Give the battlefield after figures have intercepted another, which stands where its movement was stopped."""
    for enemy in by:
        field = brought_together(table, field, id_, enemy)
    return field


@rule("interception.brought_together", cites=("movement/forcing-combat",), without=lambda field, id_, by: field)
def brought_together(table: Table, field: Battlefield, id_: str, by: str) -> Battlefield:
    """Decide who is moved when combat is forced, and move it into contact: the reading `forcing-who-moves`."""
    mover, enemy = field.figure(id_), field.figure(by)
    table.event("forced-combat", figure=by, mover=id_)
    table.find("{enemy} forces combat with {mover}", enemy=field.name(enemy), mover=field.name(mover))
    if combat.touching(field.solid(mover), field.solid(enemy)):
        return field
    moved, still = (enemy, mover) if table.read("forcing-who-moves") == "interceptor" else (mover, enemy)
    to = beside(field.solid(moved), field.solid(still))
    if to is None:
        return field
    table.event("moved", figure=moved.id, start=moved.at, end=place(to), elevation_in=still.elevation_in)
    return field.put(replace(moved, at=place(to), elevation_in=still.elevation_in))


def _can(field: Battlefield, id_: str, enemy: Figure, way: Way, along: float) -> bool:
    """Say whether an enemy can come straight into contact: nothing that cannot be climbed, and nobody, is between."""
    x, y = way.path.at(along)
    mover = at_place(field.figure(id_), (round(x), round(y)), way.height_at(along))
    body, them = field.solid(mover), field.solid(enemy)
    if combat.touching(body, them):
        return True
    to = beside(them, body)
    if to is None:
        return False
    there = follow(field.put(mover), enemy, straight(_floats(them.at), _floats(to)))
    return not there.against and not there.through and there.end == body.elevation


def beside(mover: plane.Figure, still: plane.Figure) -> Point | None:
    """Find the place of whole thousandths at which one base touches another that it comes straight up to.

    Bases do not reach into each other there. None where both middles are the same.
    """
    apart = dist(mover.at, still.at)
    if not apart:
        return None
    reach = mover.radius + still.radius
    (x, y), (sx, sy) = mover.at, still.at
    ex, ey = sx + (x - sx) * reach / apart, sy + (y - sy) * reach / apart
    around = [(i, j) for i in range(floor(ex) - 1, ceil(ex) + 2) for j in range(floor(ey) - 1, ceil(ey) + 2)]
    clear = [at for at in around if (at[0] - sx) ** 2 + (at[1] - sy) ** 2 >= reach * reach]
    return min(
        clear, key=lambda at: ((at[0] - sx) ** 2 + (at[1] - sy) ** 2 + (at[0] - ex) ** 2 + (at[1] - ey) ** 2, at)
    )


def touches(way: Way, part: Stretch, them: plane.Figure, reach: int) -> float | None:
    """Find the first length of a stretch of a way at which its middle is within some reach of another's in plan."""
    spot = first_within(clipped(way.path, part.since, part.until), _floats(them.at), reach)
    return None if spot is None else part.since + spot.along


def _floats(at: Point) -> tuple[float, float]:
    return float(at[0]), float(at[1])
