"""How creatures move: towards a target at full length, or at random until an obstacle halts them.

Follows steps 2 and 3 of "Creature Actions". Lengths are thousandths of an inch.
"""

from math import dist

from arbiter.geometry.plane.paths.moves import clipped, first_within, straight
from arbiter.geometry.plane.shapes import floats
from arbiter.rule import rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Layout
from services.stargrave.geometry.footing import LOW
from services.stargrave.geometry.overlaps import overlaps
from services.stargrave.geometry.ways import Way, follow
from services.stargrave.rules import allowance, movement, routes, scatter
from services.stargrave.rules.lengths import inches


def allowed_length(table: Table, field: Battlefield, mover: str, second: bool) -> int:
    """Give how far a figure may move now: with a Move, or with a second one."""
    return allowance.second_move(table, field, mover) if second else allowance.move(table, field, mover)


@rule("creature_moves.advance", cites="creatures/advances", neutral=lambda field, *_: field)
def advance(table: Table, field: Battlefield, mover: str, target: str, second: bool) -> Battlefield:
    """Decide where a creature ends that advances on a target: as far as it can on the cheapest way into contact.

    Where no way leads into contact it goes to the nearest place that it can reach over even ground.
    """
    length, over = allowed_length(table, field, mover, second), climbs(table, field, mover)
    values = {"creature": field.name(mover), "target": field.name(target)}
    if not field.measures(mover, target):
        table.find("{creature} moves up to {inches} towards {target}", inches=inches(length), **values)
        return moved_by_hand(table, field, mover)
    way, leads = towards(table, field, mover, target, length, over)
    if way is None:
        table.find("{creature} cannot come nearer to {target}", **values)
        return field
    if leads:
        table.find("{creature} moves {inches} towards {target}", inches=inches(way.path.length), **values)
        if way.changes:
            table.find("{creature} climbs what is in its way", cites="creatures/climbs", creature=values["creature"])
    else:
        table.find("There is no way for {creature} to {target}: it moves as near as it can", **values)
    return movement.carry_out(table, field, mover, way)


def moved_by_hand(table: Table, field: Battlefield, mover: str) -> Battlefield:
    """Give the battlefield after a move that the players carry out on their table."""
    table.event("moved", figure=mover)
    return field.away(mover)


def towards(
    table: Table, field: Battlefield, mover: str, target: str, allowed: int, over: bool = True
) -> tuple[Way | None, bool]:
    """Give the way by which a figure comes as near to another as it can, if any, and whether it leads into contact.

    `over` says whether it climbs.
    """
    return table.held(_towards, field.layout, mover, target, allowed, over)


def _towards(table: Table, field: Layout, mover: str, target: str, allowed: int, over: bool) -> tuple[Way | None, bool]:
    route = routes.into_contact(table, field, mover, target, over)
    if route is not None:
        return routes.as_far(table, field, mover, route.way, allowed), True
    return routes.nearest_to(table, field, mover, field.solid(field.figure(target)).at, allowed), False


@rule("creature_moves.climbs", cites="creatures/climbs", neutral=False)
def climbs(table: Table, field: Battlefield, mover: str) -> bool:
    """Decide whether a creature climbs obstacles on its way: it does where it has to."""
    return True


@rule("creature_moves.wander", cites="creatures/random-move", neutral=lambda field, *_: field)
def wander(table: Table, field: Battlefield, mover: str) -> Battlefield:
    """Decide where a creature ends that moves at random: its full Move in a random direction.

    Over how many directions the die decides is the reading `random-direction`.
    """
    length = allowed_length(table, field, mover, second=False)
    direction = scatter.at_random(table, mover)
    text = "{creature} moves {inches} in direction {rolled} of {count}"
    if not field.measures(mover):
        text += ", or up to what halts it"
        table.find(text, creature=field.name(mover), inches=inches(length), rolled=direction.face, count=direction.of)
        return moved_by_hand(table, field, mover)
    figure = field.figure(mover)
    start = field.solid(figure).at
    way = follow(field, figure, straight(floats(start), floats(direction.from_(start, length))))
    way = routes.as_far(table, field, mover, halted(table, field, mover, way), length)
    gone = inches(way.path.length)
    table.find(text, creature=field.name(mover), inches=gone, rolled=direction.face, count=direction.of)
    return movement.carry_out(table, field, mover, way)


@rule("creature_moves.halted", cites="creatures/halts", neutral=lambda field, mover, way: way)
def halted(table: Table, field: Battlefield, mover: str, way: Way) -> Way:
    """Decide how much of a straight way a creature goes before a wall or other obstacle halts it.

    Whether what can be climbed is an obstacle is the reading `creature-obstacle`. Figures and the edge of the table are
    obstacles, too.
    """
    figure = field.figure(mover)
    climbable, other = _obstacles(field, mover, way, True), _obstacles(field, mover, way, False)
    stop = min((*other, _edge(field, mover, way)))
    sooner = min((stop, *climbable))
    if sooner < stop and table.read("creature-obstacle") == "anything":
        stop = sooner
    if stop >= way.path.length:
        return way
    table.find("An obstacle halts {creature} after {inches}", creature=field.name(figure), inches=inches(stop))
    return follow(field, figure, clipped(way.path, 0.0, stop))


def _obstacles(field: Battlefield, mover: str, way: Way, climbable: bool) -> list[float]:
    """List after how much of a way each obstacle is met, of those that can be climbed or of the others."""
    body = field.solid(field.figure(mover))
    stops = []
    for piece in field.ground.impassable:
        if piece.climbable == climbable and piece.height - body.elevation >= LOW:
            stops += [since for since, _ in overlaps(way.path, piece, body.radius)]
    if not climbable:
        for other, _ in way.through:
            them = field.solid(field.figure(other))
            # A thousandth is left, for the place is one of whole thousandths.
            spot = first_within(way.path, floats(them.at), body.radius + them.radius + 1)
            stops.append(0.0 if spot is None else spot.along)
    return stops


def _edge(field: Battlefield, mover: str, way: Way) -> float:
    """Measure how much of a straight way stays on the table, bases and all."""
    radius = field.solid(field.figure(mover)).radius
    shares = [1.0]
    bounds = (field.ground.width, field.ground.depth)
    for start, end, wide in zip(way.path.start, way.path.end, bounds, strict=True):
        if end > wide - radius:
            shares.append((wide - radius - start) / (end - start))
        elif end < radius:
            shares.append((start - radius) / (start - end))
    return max(0.0, min(shares)) * dist(way.path.start, way.path.end)
