"""Ways to a goal: the cheapest, into contact with a figure, as far as possible, as near as possible.

How they are found is in `wayfinding`. No rules stand here. Lengths are thousandths of an inch.
"""

from math import dist, inf

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.moves import clipped, stays
from arbiter.geometry.plane.paths.reach import Reach
from arbiter.geometry.plane.paths.shortest import Leg, Path
from arbiter.geometry.plane.shapes import floats
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry.footing import LOW, ring, support
from services.stargrave.geometry.overlaps import SLACK, overlaps, touches
from services.stargrave.geometry.ways import Way, first_near, follow, hanging
from services.stargrave.rules import interception, movement
from services.stargrave.rules.wayfinding import Route, Search
from services.stargrave.scene import Figure

AROUND = 16
"""How many places beside a figure are tried where the straight way to it ends nowhere."""

SPACING = 250

FINE = 1e-4
"""How exactly it is found how far an allowance reaches, in thousandths."""

BIT = 4.0
"""How much of a way into contact bends to a place of whole thousandths."""


def shortest(
    table: Table, field: Battlefield, mover: str, goal: shapes.Point, at_most: float = inf, running: bool = False
) -> Route | None:
    """Give the cheapest way of a figure to a place that is found; None if there is none, or it costs too much."""
    return Search(table, field, field.figure(mover), running).shortest(goal, at_most)


def into_contact(table: Table, field: Battlefield, mover: str, target: str, climbs: bool = True) -> Route | None:
    """Give the cheapest way that is found into contact with another figure; None where there is none."""
    figure, them = field.figure(mover), field.solid(field.figure(target))
    body = field.solid(figure)
    reach = body.radius + them.radius
    without = field.with_(figures=tuple(other for other in field.scene.figures if other.id != target))
    route = Search(table, without, figure, climbs=climbs).shortest(them.at)
    along = None if route is None else first_near(route.way, them, reach, "plan")
    search = Search(table, field, figure, climbs=climbs)
    if route is not None and along is not None:
        ended = _end_at_contact(field, figure, route.way.path, along, them)
        if ended is not None and search.open(ended):
            return Route(ended, search.price(ended), route.error)
    beside = (interception.beside(replace(body, at=place), them) for place in ring(them.at, reach, AROUND))
    places = [place for place in beside if place is not None]
    best: tuple[int, int, Route] | None = None
    # The nearest first, as others then need not be searched beyond what the best way costs; of equals the first wins.
    for number, place in sorted(enumerate(places), key=lambda each: dist(body.at, each[1])):
        found = search.shortest(place, inf if best is None else best[0] - (number > best[1]))
        if found is not None:
            best = found.cost, number, found
    return best and best[2]


def as_far(table: Table, field: Battlefield, mover: str, way: Way, allowance: int, running: bool = False) -> Way:
    """Give as much of a way as an allowance pays for, up to a place where the figure can stand or hold on."""
    figure = field.figure(mover)
    search = Search(table, field, figure, running)
    open_ = way.stands and not way.against
    if open_ and search.price(way) <= allowance:
        return way
    if open_ and not (way.changes or way.rough):
        reached = follow(field, figure, clipped(way.path, 0.0, float(allowance)))
        if reached.stands and not reached.against:
            return reached

    def part(along: float) -> Way:
        return follow(field, figure, clipped(way.path, 0.0, along))

    low, high = 0.0, way.path.length
    if search.price(way) <= allowance:
        low = high
    while high - low > FINE:
        middle = (low + high) / 2
        low, high = (middle, high) if search.price(part(middle)) <= allowance else (low, middle)
    part_way = _part_way(search, way, low, allowance)
    if part_way is not None and movement.part_way(table, field, mover, part_way):
        return part_way
    outlines = [piece.outline for piece in search.pieces]
    edges = [stay.leaves - 1.0 for stay in stays(way.path, outlines)]
    foots = [since for piece in search.pieces for since, _ in overlaps(way.path, piece, search.body.radius)]
    # Where it passes the base of a friend it cannot stop, but before it.
    others = [field.solid(other) for other in field.figures if other.id != mover]
    bases = [cut for them in others for cut in touches(way.path, floats(them.at), search.body.radius + them.radius)]
    stops = [low, low - 1.0, *foots, *edges, *bases]
    for along in sorted((stop for stop in stops if 0 < stop <= low), reverse=True):
        reached = part(along)
        x, y = reached.path.end
        if reached.stands and not reached.against and support(search.pieces, (round(x), round(y))) == reached.end:
            return reached
    return part(0.0)


def _part_way(search: Search, way: Way, along: float, allowance: int) -> Way | None:
    """Give a way with as much of a climb as an allowance pays for that ends at some length of it.

    None where nothing is climbed there, or less than a low step. Where it begins to overlap the piece a base climbs up;
    until its middle is on top the way is no longer than that.
    """
    ontos = ((climb, climb.step if climb.end > climb.start else 0.0) for climb in way.changes if climb.how == "climb")
    climb = next((one for one, onto in ontos if -SLACK <= along - one.along <= onto + SLACK), None)
    if climb is None:
        return None
    foot = follow(search.field, search.figure, clipped(way.path, 0.0, climb.along))
    if foot.against or not foot.room:
        return None
    foot = replace(foot, end=climb.start, changes=tuple(one for one in foot.changes if one.along < climb.along))
    is_up = climb.end > climb.start

    def holding(height: int) -> Way:
        end = climb.start + height if is_up else climb.start - height
        return hanging(foot, end, 0.0 if is_up else climb.step)

    low, high = 0, abs(climb.end - climb.start) + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if search.price(holding(middle)) <= allowance else (low, middle)
    return holding(low) if low >= LOW else None


def nearest_to(table: Table, field: Battlefield, mover: str, goal: shapes.Point, allowance: int) -> Way | None:
    """Give the way to that place within an allowance, over even ground, which is the nearest to somewhere."""
    figure = field.figure(mover)
    search = Search(table, field, figure)
    start = floats(search.body.at)
    obstacles = search.obstacles(search.body.at, climbing=False)
    if search.body.elevation or not obstacles.free(start):
        return None
    reach = Reach(obstacles, start, float(allowance))
    best = min(reach.samples(SPACING), key=lambda sample: (dist(sample.at, goal), sample.cost), default=None)
    if best is None or dist(best.at, goal) >= dist(start, goal):
        return None
    path = reach.path(best.at)
    way = path and follow(field, figure, path)
    return way if way and search.open(way) else None


def _end_at_contact(field: Battlefield, figure: Figure, path: Path, along: float, them: shapes.Figure) -> Way | None:
    """Give a path that ends at the place of whole thousandths where the figure's base touches another's."""
    x, y = path.at(along)
    last = interception.beside(replace(field.solid(figure), at=(round(x), round(y))), them)
    if last is None:
        return None
    # Only the very last bit turns to the whole thousandths.
    cut = clipped(path, 0.0, max(along - BIT, 0.0))
    rest = dist(cut.end, last)
    legs = (*cut.legs, Leg(cut.end, floats(last), rest)) if rest else cut.legs
    whole = cut.length + rest
    return follow(field, figure, Path(path.start, floats(last), whole, whole, legs))
