"""Ways to somewhere: the cheapest that is found, how much dearer than the cheapest it may be, and as far as it goes.

Over even ground the shortest way is exact, with true arcs around corners. Where climbing or rough ground may help, ways
of straight legs past corners are searched, too, each priced by the rules of `movement`; `error` then says by how much
the cost may exceed the least. No rules stand here. Lengths are thousandths of an inch.
"""

from cmath import phase, rect
from collections.abc import Iterator, Sequence
from functools import lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from math import ceil, cos, dist, floor, inf, pi

from msgspec.structs import replace

from arbiter.geometry import plane
from arbiter.geometry.plane import Point
from arbiter.geometry.planemoves import stays, straight
from arbiter.geometry.planemovesreach import Reach
from arbiter.geometry.planepaths import Leg, Obstacles, Path
from arbiter.geometry.planepathsroom import TOUCH, Round, clearance
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.model import Figure
from services.stargrave.rules import combat, interception, movement
from services.stargrave.rules.overlaps import SLACK, overlaps
from services.stargrave.rules.unclear import settled
from services.stargrave.rules.ways import LOW, Way, at_place, clipped, first_near, follow

BESIDE = combat.CONTACT + 2
"""How far a way that only passes an enemy stays from its base, so that it is not in combat."""

PER_CORNER = 4
"""Into how many parts half a turn around a corner is cut."""

AROUND = 16
"""How many places beside a figure are tried where the straight way to it ends nowhere."""

SPACING = 250

FINE = 1e-4
"""How exactly it is found how far an allowance reaches, in thousandths."""

BIT = 4.0
"""How much of a way into contact bends to a place of whole thousandths."""

PASSING = ("nobody", "friends")


class Found(Value, frozen=True):
    """A way, what it costs, and by how much that may exceed what the cheapest way costs."""

    way: Way
    cost: int
    error: int


class Search:
    """The search for ways of one figure on one battlefield: `figure` may have been moved from where it stands."""

    def __init__(
        self, table: Table, field: Battlefield, figure: Figure, running: bool = False, climbs: bool = True
    ) -> None:
        self.table, self.field, self.figure, self.running, self.climbs = table, field, figure, running, climbs
        self.body = field.solid(figure)
        self.pieces = [piece for piece in field.ground.pieces.values() if piece.ground == "impassable"]
        self.rough = [piece for piece in field.ground.pieces.values() if piece.ground == "rough"]
        self._nodes: tuple[Point, ...] | None = None
        self._legs: dict[tuple[Point, int, Point], tuple[float, int] | None] = {}

    def shortest(self, goal: Point, at_most: float = inf) -> Found | None:
        """Find the cheapest way to a place; None where there is none, or none that costs no more than `at_most`."""
        direct = follow(self.field, self.figure, straight(_floats(self.body.at), _floats(goal)))
        if not (direct.changes or direct.rough) and self.open(direct):
            cost = ceil(direct.path.length - TOUCH)
            return Found(direct, cost, 0) if cost <= at_most else None
        even = self._even(goal)
        if not self.climbs:
            return even if even is not None and even.cost <= at_most else None
        least = self._least(goal)
        if least is None:
            return None
        climb = self.cheapest_climb(goal)
        bound = min(least + climb, inf if even is None else even.way.path.length)
        best = even
        if best is None or best.cost > ceil(bound - TOUCH):
            limit = min(at_most, best.cost if best else inf)
            over = self._over(goal, limit)
            if over is not None and (best is None or over.cost < best.cost):
                best = over
        if best is None or best.cost > at_most:
            return None
        return Found(best.way, best.cost, max(0, best.cost - ceil(bound - TOUCH)))

    def price(self, way: Way) -> int:
        """Give what a way costs."""
        with self.table.hushed():
            return movement.cost(self.table, self.field, self.figure.id, way, self.running)

    def open(self, way: Way) -> bool:
        """Say whether nothing keeps the figure from taking a way, whatever it costs."""
        if way.against or not way.stands:
            return False
        with self.table.hushed():
            return not movement.blocked(self.table, self.field.put(self.figure), self.figure.id, way)

    def obstacles(self, goal: Point, climbing: bool, passing: str = "nobody") -> Obstacles:
        """Give the ways around what cannot be entered, and around the figures in the way.

        `climbing` leaves out what can be climbed, and all figures; `passing` says through whose bases it may go.
        """
        shut = tuple(
            piece.outline for piece in self.pieces if piece.height >= LOW and not (climbing and piece.climbable)
        )
        rounds = () if climbing else tuple(self._rounds(goal, passing))
        ground = self.field.ground
        for radius in (self.body.radius, self.body.radius - SLACK):
            found = _obstacles(shut, max(radius, 1), (ground.width, ground.depth), rounds)
            if found.free(_floats(self.body.at)) and found.free(_floats(goal)):
                break
        return found

    def _rounds(self, goal: Point, passing: str) -> Iterator[Round]:
        for other in self.field.figures:
            them = self.field.solid(other)
            if other.id == self.figure.id or them.elevation >= self.body.height:
                continue
            friend = other.crew == self.figure.crew
            most = min(floor(dist(at, them.at)) for at in (self.body.at, goal)) - self.body.radius
            radius = min(them.radius if friend else them.radius + BESIDE, most)
            if radius > 0:
                yield Round(them.at, radius, friend and passing == "friends")

    def _even(self, goal: Point) -> Found | None:
        """Find the shortest way over even ground, priced with the rough ground that it happens to cross."""
        if self.body.elevation or support(self.pieces, goal):
            return None

        def around(passing: str) -> Path | None:
            return self.obstacles(goal, climbing=False, passing=passing).path(_floats(self.body.at), _floats(goal))

        friends = self.field.friends(self.figure)
        path = settled(self.table, around, ("passing-figures", PASSING)) if friends else around("nobody")
        if path is None:
            return None
        way = follow(self.field, self.figure, path)
        return Found(way, self.price(way), 0) if self.open(way) else None

    def _least(self, goal: Point) -> float | None:
        """Bound from below how long a way to a place is: around nothing but what cannot be climbed."""
        path = self.obstacles(goal, climbing=True).path(_floats(self.body.at), _floats(goal))
        return None if path is None else path.length

    def cheapest_climb(self, goal: Point) -> float:
        """Bound from below what is added to the length of a way that climbs."""
        if self.body.elevation or support(self.pieces, goal):
            return 0.0
        return float(
            min((2 * piece.height for piece in self.pieces if piece.climbable and piece.height >= LOW), default=0)
        )

    def _over(self, goal: Point, at_most: float) -> Found | None:
        """Search ways of straight legs from corner to corner, over and through everything that may be crossed."""
        nodes = (*self.nodes(), goal)
        start = self.body.at
        best: dict[Point, float] = {start: 0.0}
        before: dict[Point, Point] = {}
        heights = {start: self.body.elevation}
        queue: list[tuple[float, float, Point]] = [(dist(start, goal), 0.0, start)]
        done: set[Point] = set()
        while queue:
            _, cost, at = heappop(queue)
            if at in done:
                continue
            done.add(at)
            if at == goal:
                return self._found(before, goal, at_most)
            for to in nodes:
                bound = cost + dist(at, to)
                if to in done or bound >= best.get(to, inf) or bound + dist(to, goal) > at_most + TOUCH:
                    continue
                leg = self._leg(at, heights[at], to)
                if leg is not None and cost + leg[0] < best.get(to, inf) and cost + leg[0] <= at_most + TOUCH:
                    best[to], before[to], heights[to] = cost + leg[0], at, leg[1]
                    heappush(queue, (cost + leg[0] + dist(to, goal), cost + leg[0], to))
        return None

    def costs(self, allowance: int) -> dict[Point, tuple[float, int]]:
        """Give the corners that can be reached with an allowance, each with its cost and height."""
        found = {self.body.at: (0.0, self.body.elevation)}
        queue = [(0.0, self.body.at)]
        done: set[Point] = set()
        while queue:
            cost, at = heappop(queue)
            if at in done:
                continue
            done.add(at)
            for to in self.nodes():
                bound = cost + dist(at, to)
                if to in done or bound > allowance or (to in found and bound >= found[to][0]):
                    continue
                leg = self._leg(at, found[at][1], to)
                if leg is not None and cost + leg[0] <= allowance and (to not in found or cost + leg[0] < found[to][0]):
                    found[to] = (cost + leg[0], leg[1])
                    heappush(queue, (cost + leg[0], to))
        return {at: of for at, of in found.items() if at in done}

    def cost_by(self, costs: dict[Point, tuple[float, int]], goal: Point, at_most: float) -> float | None:
        """Give what the cheapest of the ways past these corners to a place costs, if not more than `at_most`."""
        best = at_most
        reached = False
        for bound, at in sorted((cost + dist(at, goal), at) for at, (cost, _) in costs.items()):
            if bound > best + TOUCH:
                break
            leg = self._leg(at, costs[at][1], goal)
            if leg is not None and costs[at][0] + leg[0] <= best + TOUCH:
                best, reached = costs[at][0] + leg[0], True
        return best if reached else None

    def _leg(self, at: Point, height: int, to: Point) -> tuple[float, int] | None:
        """Give what a straight leg costs and how high it ends; None where it may not be taken."""
        key = (at, height, to)
        if key not in self._legs:
            way = follow(self.field, at_place(self.figure, at, height), straight(_floats(at), _floats(to)))
            shut = bool(way.against or way.through or not way.stands)
            cost = way.path.length if not (way.changes or way.rough) else float(self.price(way))
            self._legs[key] = None if shut else (cost, way.end)
        return self._legs[key]

    def _found(self, before: dict[Point, Point], goal: Point, at_most: float) -> Found | None:
        places = [goal]
        while places[-1] in before:
            places.append(before[places[-1]])
        places.reverse()
        way = follow(self.field, self.figure, _through(places))
        cost = self.price(way)
        return Found(way, cost, 0) if cost <= at_most and self.open(way) else None

    def nodes(self) -> tuple[Point, ...]:
        """Give the places past which a way of straight legs may bend: around pieces, rough ground and figures."""
        if self._nodes is None:
            places = [
                place for piece in self.pieces if piece.height >= LOW for place in _corners(piece, self.body.radius)
            ]
            places += [corner for piece in self.rough for corner in piece.outline]
            for other in self.field.figures:
                if other.id != self.figure.id:
                    them = self.field.solid(other)
                    places += _ring(them.at, self.body.radius + them.radius + BESIDE, 8)
            self._nodes = tuple(place for place in dict.fromkeys(places) if self._free(place))
        return self._nodes

    def standing_at(self, at: Point) -> bool:
        """Say whether the figure could stand at a place: no terrain and nobody is in the way."""
        way = follow(
            self.field, at_place(self.figure, at, support(self.pieces, at)), straight(_floats(at), _floats(at))
        )
        radius, ground = self.body.radius, self.field.ground
        inside = radius <= at[0] <= ground.width - radius and radius <= at[1] <= ground.depth - radius
        taller = (piece for piece in self.pieces if piece.height - way.end >= LOW)
        clear = all(clearance(complex(*at), piece.outline) >= radius - SLACK for piece in taller)
        return inside and clear and not way.through

    def _free(self, at: Point) -> bool:
        radius, ground = self.body.radius, self.field.ground
        inside = radius <= at[0] <= ground.width - radius and radius <= at[1] <= ground.depth - radius
        tall = (piece for piece in self.pieces if piece.height >= LOW)
        return inside and all(clearance(complex(*at), piece.outline) >= radius - SLACK for piece in tall)


def shortest(
    table: Table, field: Battlefield, id_: str, goal: Point, at_most: float = inf, running: bool = False
) -> Found | None:
    """Give the cheapest way of a figure to a place that is found; None if there is none, or it costs too much."""
    return Search(table, field, field.figure(id_), running).shortest(goal, at_most)


def into_contact(table: Table, field: Battlefield, id_: str, target: str, climbs: bool = True) -> Found | None:
    """Give the cheapest way that is found into contact with another figure; None where there is none."""
    figure, them = field.figure(id_), field.solid(field.figure(target))
    body = field.solid(figure)
    reach = body.radius + them.radius
    without = field.with_(figures=tuple(other for other in field.scene.figures if other.id != target))
    found = Search(table, without, figure, climbs=climbs).shortest(them.at)
    if found is not None:
        along = first_near(found.way, them, reach, "plan")
        if along is not None:
            ended = _ended(field, figure, found.way.path, along, them)
            search = Search(table, field, figure, climbs=climbs)
            if ended is not None and search.open(ended):
                return Found(ended, search.price(ended), found.error)
    search = Search(table, field, figure, climbs=climbs)
    beside = (interception.beside(replace(body, at=place), them) for place in _ring(them.at, reach, AROUND))
    ways = [search.shortest(place) for place in beside if place is not None]
    return min((way for way in ways if way is not None), key=lambda way: way.cost, default=None)


def as_far(table: Table, field: Battlefield, id_: str, way: Way, allowance: int) -> Way:
    """Give as much of a way as an allowance pays for, up to a place where the figure can stand."""
    figure = field.figure(id_)
    search = Search(table, field, figure)
    open_ = way.stands and not way.against
    if open_ and search.price(way) <= allowance:
        return way
    if open_ and not (way.changes or way.rough):
        return follow(field, figure, clipped(way.path, 0.0, float(allowance)))

    def part(along: float) -> Way:
        return follow(field, figure, clipped(way.path, 0.0, along))

    low, high = 0.0, way.path.length
    if search.price(way) <= allowance:
        low = high
    while high - low > FINE:
        middle = (low + high) / 2
        low, high = (middle, high) if search.price(part(middle)) <= allowance else (low, middle)
    outlines = [piece.outline for piece in search.pieces]
    edges = [stay.leaves - 1.0 for stay in stays(way.path, outlines)]
    foots = [since for piece in search.pieces for since, _ in overlaps(way.path, piece, search.body.radius)]
    stops = [low, low - 1.0, *foots, *edges]
    for along in sorted((stop for stop in stops if 0 < stop <= low), reverse=True):
        reached = part(along)
        x, y = reached.path.end
        if reached.stands and not reached.against and support(search.pieces, (round(x), round(y))) == reached.end:
            return reached
    return part(0.0)


def nearest_to(table: Table, field: Battlefield, id_: str, goal: Point, allowance: int) -> Way | None:
    """Give the way to that place within an allowance, over even ground, which is the nearest to somewhere."""
    figure = field.figure(id_)
    search = Search(table, field, figure)
    start = _floats(search.body.at)
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


def _ended(field: Battlefield, figure: Figure, path: Path, along: float, them: plane.Figure) -> Way | None:
    """Give a path that ends at the place of whole thousandths where the figure's base touches another's."""
    x, y = path.at(along)
    last = interception.beside(replace(field.solid(figure), at=(round(x), round(y))), them)
    if last is None:
        return None
    # Only the very last bit turns to the whole thousandths.
    cut = clipped(path, 0.0, max(along - BIT, 0.0))
    rest = dist(cut.end, last)
    legs = (*cut.legs, Leg(cut.end, _floats(last), rest)) if rest else cut.legs
    whole = cut.length + rest
    return follow(field, figure, Path(path.start, _floats(last), whole, whole, legs))


@lru_cache(maxsize=256)
def _obstacles(shut: tuple[tuple[Point, ...], ...], radius: int, table: Point, rounds: tuple[Round, ...]) -> Obstacles:
    return Obstacles(shut, radius, table, rounds)


def support(pieces: Sequence[plane.Piece], at: Point) -> int:
    """Give the height on which a base stands whose middle is at a place."""
    return max((piece.height for piece in pieces if clearance(complex(*at), piece.outline) < -TOUCH), default=0)


def _corners(piece: plane.Piece, radius: int) -> list[Point]:
    """Give places around the corners of a piece, outside the arcs on which a base goes around them."""
    outline = piece.outline if plane.twice_area(piece.outline) > 0 else piece.outline[::-1]
    found = []
    for before, at, after in zip((outline[-1], *outline), outline, (*outline[1:], outline[0]), strict=False):
        if plane.cross(before, at, after) <= 0:
            continue
        first, last = _outward(before, at), _outward(at, after)
        turn = _turn(first, last)
        parts = max(1, ceil(turn / (pi / PER_CORNER)))
        reach = (radius + SLACK) / cos(turn / parts / 2)
        for part in range(parts):
            way = first * rect(1.0, turn * (part + 0.5) / parts)
            found.append((round(at[0] + reach * way.real), round(at[1] + reach * way.imag)))
    return found


def _outward(a: Point, b: Point) -> complex:
    side = complex(b[0] - a[0], b[1] - a[1])
    return side / abs(side) * -1j


def _turn(first: complex, last: complex) -> float:
    return abs(phase(last / first))


def _ring(at: Point, radius: int, count: int) -> list[Point]:
    """Give places around a circle where its tangents meet, so that the legs between them stay outside."""
    reach = radius / cos(pi / count)
    ways = (rect(1.0, 2 * pi * number / count) for number in range(count))
    return [(round(at[0] + reach * way.real), round(at[1] + reach * way.imag)) for way in ways]


def _through(places: Sequence[Point]) -> Path:
    legs = tuple(Leg(_floats(a), _floats(b), dist(a, b)) for a, b in pairwise(places) if a != b)
    length = sum(leg.length for leg in legs)
    return Path(_floats(places[0]), _floats(places[-1]), length, length, legs)


def _floats(at: Point) -> tuple[float, float]:
    return float(at[0]), float(at[1])
