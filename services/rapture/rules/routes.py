"""Routes of units: the way to a place, and where the other models and apprentices of the unit go.

The only rule here is whose bases can be passed. Lengths are thousandths of a centimetre.
"""

from collections.abc import Sequence
from math import dist, floor, inf

from msgspec.structs import replace

from arbiter.geometry.plane.paths.moves import straight
from arbiter.geometry.plane.paths.reach import Reach
from arbiter.geometry.plane.paths.room import TOUCH as EQUAL
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure, Point, floats, whole
from arbiter.readings import settled
from arbiter.skirmish.paths import Base, start_of, stepped
from arbiter.skirmish.plane import point
from arbiter.table import Table
from services.rapture import ways
from services.rapture.battlefield import Battlefield
from services.rapture.rules import bands
from services.rapture.scene import Place, Unit
from services.rapture.ways import Way

PASSING = ("passing-models", ("nobody", "friends"))


def way_to(
    table: Table,
    field: Battlefield,
    unit_id: str,
    goal: Point,
    models: Sequence[Place] = (),
    along: Sequence[tuple[str, Point]] = (),
    at_most: float = inf,
) -> Way | None:
    """Give the shortest way of a unit's first model to a place, with the places of the others.

    Without `models`, see `way_with`. None if no way leads there, or every one is longer than `at_most`.
    """
    first = _shortest(table, field, unit_id, 0, goal, at_most)
    return None if first is None else way_with(table, field, unit_id, first, models, along, at_most)


def way_by(
    table: Table,
    field: Battlefield,
    unit_id: str,
    goal: Place | None,
    places: Sequence[Place] | None,
    models: Sequence[Place] = (),
    along: Sequence[tuple[str, Point]] = (),
) -> Way | None:
    """Give the way of a unit straight from place to place, or else the shortest one to a goal, as `way_with` does."""
    if places is None:
        return way_to(table, field, unit_id, point(goal or (0.0, 0.0)), models, along)
    first = stepped(field.solids(field.unit(unit_id))[0], places)
    return way_with(table, field, unit_id, first, models, along)


def way_with(
    table: Table,
    field: Battlefield,
    unit_id: str,
    first: Path,
    models: Sequence[Place] = (),
    along: Sequence[tuple[str, Point]] = (),
    at_most: float = inf,
) -> Way | None:
    """Give the way of a whole unit whose first model takes a path; None without room or way for a model.

    A way longer than `at_most` counts as none.

    The other models go to `models`, in order. Without it they keep their place beside the first model, or come as near
    to it as there is room. Apprentices go to `along`, or stay beside their leader, or take the nearest free place.
    """
    unit = field.unit(unit_id)
    bodies = field.solids(unit)
    with table.without_findings():
        apprentices = bands.companions(table, field, unit_id)
    outside = ways.others(field, (unit_id, *apprentices))
    end = whole(first.end)
    shift = end[0] - bodies[0].at[0], end[1] - bodies[0].at[1]
    placed = [(unit, replace(bodies[0], at=end))]
    paths = [first]
    for number, body in enumerate(bodies[1:], 1):
        if models:
            spot: Point | None = point(models[number - 1])
        else:
            spot = _beside(field, body, placed, _moved(body.at, shift), outside)
        path = None if spot is None else _shortest(table, field, unit_id, number, spot, at_most)
        if spot is None or path is None:
            return None
        placed.append((unit, replace(body, at=spot)))
        paths.append(path)
    places, ends = dict(along), []
    for id_ in apprentices:
        (body,) = field.solids(field.unit(id_))
        spot = places.get(id_) or ways.beside(field, body, placed[0][1], _moved(body.at, shift), (*outside, *placed))
        if spot is None:
            return None
        placed.append((field.unit(id_), replace(body, at=spot)))
        ends.append((id_, spot))
    return Way(tuple(paths), tuple(ends))


def way_into_contact(
    table: Table, field: Battlefield, unit_id: str, target_id: str, at_most: float = inf
) -> Way | None:
    """Give the shortest way found that brings the first model of a unit into contact with another unit.

    It leads straight up to it, or to one of the places around its models. None if every way is longer than `at_most`.
    """
    body = field.solids(field.unit(unit_id))[0]
    others = ways.others(field, (unit_id,))
    goals = [spot for solid in field.solids(field.unit(target_id)) for spot in ways.around(field, body, solid, others)]
    near = sorted(set(goals), key=lambda spot: (dist(spot, body.at), spot))
    best: Way | None = None
    for spot in near:
        if dist(spot, body.at) > at_most + EQUAL or (best is not None and dist(spot, body.at) >= best.length):
            break
        way = way_to(table, field, unit_id, spot, at_most=at_most)
        if way is not None and (best is None or way.length < best.length):
            best, at_most = way, way.length
    return best


def reach(table: Table, field: Battlefield, unit_id: str, allowed: int) -> Reach | None:
    """Give the area that the first model of a unit reaches with an allowance; None if its start is blocked."""
    body = field.solids(field.unit(unit_id))[0]

    def found(passing: str) -> Reach | None:
        obstacles = ways.obstacles(field.ground, body, _bases_on_way(table, field, unit_id, body, None, passing))
        start = start_of(obstacles, body)
        return Reach(obstacles, start, float(allowed)) if obstacles.free(start) else None

    near = any(dist(body.at, other.at) < allowed + body.radius + other.radius for other in _friends(field, unit_id))
    return found(table.read("passing-models") if near else "nobody")


def _shortest(table: Table, field: Battlefield, unit_id: str, number: int, goal: Point, at_most: float) -> Path | None:
    body = field.solids(field.unit(unit_id))[number]
    if body.at == goal:
        return straight(floats(goal), floats(goal))

    def found(passing: str) -> Path | None:
        bases = _bases_on_way(table, field, unit_id, body, goal, passing)
        return ways.shortest(field.ground, body, goal, bases, at_most)

    return settled(table, found, PASSING) if _friends(field, unit_id) else found("nobody")


def _friends(field: Battlefield, unit_id: str) -> tuple[Figure, ...]:
    unit = field.unit(unit_id)
    return tuple(body for friend in field.friends(unit) if friend.leader != unit_id for body in field.solids(friend))


def _bases_on_way(
    table: Table, field: Battlefield, unit_id: str, body: Figure, goal: Point | None, passing: str
) -> tuple[Base, ...]:
    """Give the bases that a model goes around: clear of opponents, except those in contact at its goal."""
    unit = field.unit(unit_id)
    with table.without_findings():
        band = unit_id, *bands.companions(table, field, unit_id)
    bases = []
    for whose, other in ways.others(field, band):
        friend = whose.side == unit.side
        gap = 0 if friend else ways.apart(other)
        if goal is not None:
            short = floor(dist(goal, other.at)) - body.radius - other.radius
            gap = short if -other.slack <= short < gap else gap
        bases.append((other, gap, friend and passing == "friends"))
    return tuple(bases)


def _beside(
    field: Battlefield,
    body: Figure,
    placed: Sequence[tuple[Unit, Figure]],
    wish: Point,
    bodies: Sequence[tuple[Unit, Figure]],
) -> Point | None:
    """Give the place for a model nearest to a wish: the wish itself, or beside a model already placed."""
    every = (*bodies, *placed)
    if ways.free(field, body, wish) and not ways.units_entered(wish, body.radius, every):
        return wish
    spots = (ways.beside(field, body, leader, wish, every) for _, leader in placed)
    return min((spot for spot in spots if spot is not None), key=lambda spot: dist(spot, wish), default=None)


def _moved(at: Point, shift: Point) -> Point:
    return at[0] + shift[0], at[1] + shift[1]
