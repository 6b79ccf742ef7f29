"""The search for ways: the cheapest that is found, and by how much its cost may exceed the minimum.

Over even ground the shortest way is exact, with true arcs around corners. Where climbing or rough ground may help, ways
of straight legs past corners are searched, too, each priced by the rules of `movement`; `error` then says by how much
the cost may exceed the least. No rules stand here. Lengths are thousandths of an inch.
"""

from collections.abc import Iterator
from functools import cached_property
from math import ceil, dist, floor, inf, sqrt

from msgspec.structs import replace

from arbiter.geometry.plane.paths.bounds import cut_off, keeps_off, touching
from arbiter.geometry.plane.paths.lazy import Arrival, arrivals
from arbiter.geometry.plane.paths.moves import polyline, straight
from arbiter.geometry.plane.paths.room import TOUCH, Round, clearance
from arbiter.geometry.plane.paths.shortest import Leg, Obstacles, Path, prepared
from arbiter.geometry.plane.shapes import Point, floats
from arbiter.readings import settled
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry.corners import corners_of, has_room
from services.stargrave.geometry.footing import LOW, is_left_room, on_table, ring
from services.stargrave.geometry.footing import support as support
from services.stargrave.geometry.overlaps import SLACK
from services.stargrave.geometry.ways import Way, follow
from services.stargrave.rules import movement
from services.stargrave.rules.stages import Stages, price, up_and_down
from services.stargrave.scene import Figure

FAR, HASTE = 16_000, 1.2
"""From what distance on a search leans towards its goal, and by how much."""

PASSING = ("nobody", "friends")

LITTLE = 10
"""Thousandths that are not worth a search: passing enemies as near as combat allows saves fewer."""


class Route(Value, frozen=True):
    """A way, its cost, and by how much the cost may exceed that of the cheapest way."""

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
        # How far a way that only passes an enemy stays from its base, so that it is not in combat.
        self.beside = self.body.slack + 2
        self.pieces = [piece for piece in field.ground.pieces.values() if piece.ground == "impassable"]
        self.rough = [piece for piece in field.ground.pieces.values() if piece.ground == "rough"]
        self._enemies = [field.solid(enemy) for enemy in field.enemies(figure)]
        self._enemies_at = {them.at for them in self._enemies}
        self._nearest_known: dict[tuple[Point, str, float], Path | None] = {}

    @cached_property
    def stages(self) -> Stages:
        """The legs of ways with their prices."""
        return Stages(self.table, self.field, self.figure, self.running)

    def shortest(self, goal: Point, at_most: float = inf) -> Route | None:
        """Find the cheapest way to a place; None where there is none, or none that costs no more than `at_most`."""
        direct = follow(self.field, self.figure, straight(floats(self.body.at), floats(goal)))
        if not (direct.changes or direct.rough) and self.open(direct):
            cost = ceil(direct.path.length - TOUCH)
            return Route(direct, cost, 0) if cost <= at_most else None
        if not self.standing_at(goal):
            return None
        if not self.climbs:
            return self._even(goal, at_most)
        around = self.obstacles(goal, climbing=True).path(floats(self.body.at), floats(goal))
        if around is None or around.length - TOUCH > at_most:
            return None
        # No way to the place is shorter than around nothing but what cannot be climbed.
        least = around.length
        even = self._even(goal, at_most)
        best, bound = even, least
        if even is not None:
            bound = self._bound(goal, least, at_most, even.way.path.length)
        if even is None or even.cost > ceil(bound - TOUCH) + LITTLE:
            limit = min(at_most, inf if even is None else even.cost)
            if self.open(direct):
                limit = min(limit, self.price(direct))
            # Other bases may surround a place where nothing can be climbed past them.
            is_cut_off = even is None and cut_off(self.body.at, goal, self.nodes, self.stages.closed)
            over = None if is_cut_off else self._over(goal, limit)
            if over is not None and (even is None or over.cost < even.cost):
                best = over
        if best is None or best.cost > at_most:
            return None
        if even is None:
            bound = self._bound(goal, least, at_most, at_most)
        return Route(best.way, best.cost, max(0, best.cost - ceil(bound - TOUCH)))

    def _bound(self, goal: Point, least: float, at_most: float, longest: float) -> float:
        """Bound from below what ways to a place cost where even ones longer than some length do not matter."""
        climbing = least + self.cheapest_climb(goal)
        if climbing < longest:
            climbing = self._least_climbing(goal, least)
        bound = min(climbing, self._least_even(goal, at_most, longest))
        # Neither tells anything where nothing can be climbed and no even way is found.
        return max(bound, least) if bound < inf else least

    def price(self, way: Way) -> int:
        """Give what a way costs."""
        return price(self.table, self.field, self.figure.id, way, self.running)

    def open(self, way: Way) -> bool:
        """Check whether nothing keeps the figure from taking a way, whatever it costs."""
        if way.against or not way.stands:
            return False
        with self.table.without_findings():
            return not movement.blocked(self.table, self.field.put(self.figure), self.figure.id, way)

    def obstacles(self, goal: Point, climbing: bool, passing: str = "nobody", beside: int | None = None) -> Obstacles:
        """Give the ways around what cannot be entered, and around the figures in the way.

        `climbing` leaves out what can be climbed, and all figures; `passing` says through whose bases it may go, and
        `beside` how far it stays from those of enemies, if not out of contact with them.
        """
        barriers = tuple(
            piece.outline for piece in self.pieces if piece.height >= LOW and not (climbing and piece.climbable)
        )
        rounds = () if climbing else tuple(self._rounds(goal, passing, self.beside if beside is None else beside))
        ground = self.field.ground
        for radius in (self.body.radius, self.body.radius - SLACK):
            found = prepared(barriers, max(radius, 1), (ground.width, ground.depth), rounds)
            if found.free(floats(self.body.at)) and found.free(floats(goal)):
                break
        return found

    def _rounds(self, goal: Point, passing: str, beside: int) -> Iterator[Round]:
        for other in self.field.figures:
            them = self.field.solid(other)
            if other.id == self.figure.id or them.elevation >= self.body.height:
                continue
            friend = other.crew == self.figure.crew
            most = min(floor(dist(at, them.at)) for at in (self.body.at, goal)) - self.body.radius
            radius = min(them.radius if friend else them.radius + beside, most)
            if radius > 0:
                yield Round(them.at, radius, friend and passing == "friends")

    def _even(self, goal: Point, at_most: float) -> Route | None:
        """Find the shortest way over even ground, priced with the rough ground that it happens to cross.

        None where there is none, or none that costs no more than `at_most`.
        """
        if self.body.elevation or support(self.pieces, goal):
            return None

        start, spots = floats(self.body.at), tuple(self._before(goal)) or (goal,)

        def around(passing: str) -> Path | None:
            route = []
            for spot in spots:
                if spot == goal:
                    path = self._apart(goal, passing, at_most)
                else:
                    path = self.obstacles(spot, climbing=False, passing=passing).path(start, floats(spot), at_most)
                path = path and _led_on(path, goal)
                if path and (len(spots) == 1 or self.open(follow(self.field, self.figure, path))):
                    route.append(path)
            return min(route, key=lambda path: path.length, default=None)

        friends = self.field.friends(self.figure)
        path = settled(self.table, around, ("passing-figures", PASSING)) if friends else around("nobody")
        if path is None:
            return None
        way = follow(self.field, self.figure, path)
        cost = self.price(way)
        return Route(way, cost, 0) if cost <= at_most and self.open(way) else None

    def _apart(self, goal: Point, passing: str, at_most: float) -> Path | None:
        """Find the shortest path over even ground that keeps out of contact with all enemies that it only passes."""
        nearest = self._nearest(goal, passing, at_most)
        if nearest is None:
            return None
        enemies = (thing for thing in self._rounds(goal, passing, self.beside) if thing.at in self._enemies_at)
        if keeps_off(nearest, ((thing.at, thing.radius + self.body.radius) for thing in enemies)):
            return nearest
        obstacles = self.obstacles(goal, climbing=False, passing=passing)
        return obstacles.path(floats(self.body.at), floats(goal), at_most)

    def _nearest(self, goal: Point, passing: str, at_most: float) -> Path | None:
        """Find the shortest path over even ground that may pass enemies as near as combat allows."""
        key = goal, passing, at_most
        if key not in self._nearest_known:
            obstacles = self.obstacles(goal, climbing=False, passing=passing, beside=self.body.slack)
            self._nearest_known[key] = obstacles.path(floats(self.body.at), floats(goal), at_most)
        return self._nearest_known[key]

    def _before(self, goal: Point) -> Iterator[Point]:
        """Give places just out of contact from which it is straight on to a goal in contact with an enemy.

        They lie beside the goal, where the base goes around the enemy no longer than it must, and behind it.
        """
        for them in self._enemies:
            reach, apart = self.body.radius + them.radius + self.beside, dist(goal, them.at)
            if not 0 < apart < reach or them.elevation >= self.body.height:
                continue
            out = complex(goal[0] - them.at[0], goal[1] - them.at[1]) / apart
            aside = sqrt(reach**2 - apart**2)
            # A little further out than square, so that rounding does not lead past the goal.
            for spot in (out * SLACK + out * 1j * aside, out * SLACK - out * 1j * aside, out * (reach - apart + 1)):
                yield round(goal[0] + spot.real), round(goal[1] + spot.imag)

    def _least_even(self, goal: Point, at_most: float, longest: float) -> float:
        """Bound from below how long an even way to a place is, which may pass enemies as near as combat allows.

        Ways that cost more than `at_most` do not matter, and what is longer than `longest` is bounded by this.
        """

        def length(passing: str) -> float:
            path = self._nearest(goal, passing, at_most)
            return longest if path is None else min(path.length, longest)

        friends = self.field.friends(self.figure)
        return settled(self.table, length, ("passing-figures", PASSING)) if friends else length("nobody")

    def cheapest_climb(self, goal: Point) -> float:
        """Bound from below what is added to the length of a way that climbs; endless where nothing can be climbed."""
        if self.body.elevation or support(self.pieces, goal):
            return 0.0
        heights = {piece.height for piece in self.pieces if piece.climbable and piece.height >= LOW}
        return min(map(self._up_and_down, heights), default=inf)

    def _up_and_down(self, height: int) -> float:
        return up_and_down(self.table, self.field, self.figure, height, self.running)

    def _least_climbing(self, goal: Point, least: float) -> float:
        """Bound from below what a way costs that climbs: as the piece that it climbs lies, and all ways are long."""
        if self.body.elevation or support(self.pieces, goal):
            return least
        climbs = [piece for piece in self.pieces if piece.climbable and piece.height >= LOW]
        added = {height: self._up_and_down(height) for height in {piece.height for piece in climbs}}
        beside = ((max(least, touching(self.body.at, goal, each.outline)), each.height) for each in climbs)
        return min((length + added[height] for length, height in beside), default=inf)

    def _over(self, goal: Point, at_most: float) -> Route | None:
        """Search ways of straight legs from corner to corner, over and through everything that may be crossed."""
        before: dict[Point, Point] = {}
        heights: dict[Point, int] = {}
        # Far beyond any Move a way is wanted soon rather than the best: its error says how good it is.
        haste = 1.0 if dist(self.body.at, goal) <= FAR else HASTE
        places, price = (*self.nodes, goal), self.stages.between
        body, least, limit = self.body, self.stages.least, at_most + TOUCH
        for one in arrivals(
            body.at, body.elevation, places, price, at_most=limit, goal=goal, haste=haste, least_of=least
        ):
            heights[one.at] = one.height
            if one.before is not None:
                before[one.at] = one.before
            if one.at == goal:
                return self._route(before, heights, goal, at_most)
        return None

    def corners(self, allowance: int) -> dict[Point, Arrival]:
        """Give how the corners are reached past which ways may lead that cost no more than an allowance."""
        body, stages, limit = self.body, self.stages, allowance + self.most_saved(allowance)
        found = arrivals(body.at, body.elevation, self.nodes, stages.between, at_most=limit, least_of=stages.least)
        return {one.at: one for one in found}

    def most_saved(self, allowance: int) -> int:
        """Give how much less a way may cost than its legs, each of which is rounded up by itself."""
        return LITTLE + self.stages.most_saved(at for at in self.nodes if dist(self.body.at, at) <= allowance)

    def cost_by(self, corners: dict[Point, Arrival], goal: Point, at_most: float, saved: int = 0) -> float | None:
        """Give what the cheapest of the ways past these corners to a place costs, if not more than `at_most`.

        Its legs, one by one, may cost more by what is `saved`.
        """
        stages, best, last = self.stages, at_most + saved, None
        for bound, at in sorted((one.cost + dist(at, goal), at) for at, one in corners.items()):
            if bound > best + TOUCH:
                break
            leg = stages.between(at, corners[at].height, goal)
            if leg is not None and corners[at].cost + leg.cost <= best + TOUCH:
                best, last = corners[at].cost + leg.cost, corners[at]
        if last is None:
            return None
        before, length = {goal: last.at}, dist(last.at, goal)
        while last.before is not None:
            before[last.at], length = last.before, length + dist(last.before, last.at)
            last = corners[last.before]
        if best - length <= TOUCH:
            return best if best <= at_most + TOUCH else None
        route = self._route(before, {at: one.height for at, one in corners.items()}, goal, at_most)
        return None if route is None else float(route.cost)

    def _route(
        self, before: dict[Point, Point], heights: dict[Point, int], goal: Point, at_most: float
    ) -> Route | None:
        places = [goal]
        while places[-1] in before:
            at, to = before[places[-1]], places[-1]
            stage = self.stages.between(at, heights[at], to)
            places += [*reversed(stage.bends if stage is not None else ()), at]
        places.reverse()
        way = follow(self.field, self.figure, polyline([*map(floats, places)]))
        cost = self.price(way)
        return Route(way, cost, 0) if cost <= at_most and self.open(way) else None

    @cached_property
    def nodes(self) -> tuple[Point, ...]:
        """The places past which a way of straight legs may bend: around pieces, rough ground and figures."""
        places = list(corners_of(self.field.ground, self.body.radius))
        for other in self.field.figures:
            if other.id != self.figure.id:
                them = self.field.solid(other)
                places += ring(them.at, self.body.radius + them.radius + self.beside, 8)
        return tuple(place for place in dict.fromkeys(places) if self._free(place))

    def standing_at(self, at: Point) -> bool:
        """Check whether the figure could stand at a place: no terrain and nobody is in the way."""
        height = support(self.pieces, at)
        there = replace(self.body, at=at, elevation=height)
        taller = (piece for piece in self.pieces if piece.height - height >= LOW)
        clear = (clearance(complex(*at), piece.outline) >= self.body.radius - SLACK for piece in taller)
        return on_table(self.field, self.body, at) and all(clear) and is_left_room(self.field, there, floats(at))

    def _free(self, at: Point) -> bool:
        # A way that comes into contact with an enemy bends nowhere any more.
        gaps = (dist(at, them.at) - self.body.radius - them.radius for them in self._enemies)
        return all(gap > self.body.slack for gap in gaps) and has_room(self.field.ground, at, self.body.radius)


def _led_on(path: Path, goal: Point) -> Path:
    """Give a path with a straight leg to a goal behind it."""
    rest = dist(path.end, goal)
    if not rest:
        return path
    legs = (*path.legs, Leg(path.end, floats(goal), rest))
    return Path(path.start, floats(goal), path.length + rest, path.length + rest, legs)
