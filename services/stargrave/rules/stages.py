"""What the legs of ways cost: straight from place to place, or bent where rough ground is crossed.

Each is priced by the rules of `movement` and kept. No rules stand here. Lengths are thousandths of an inch.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from math import dist

from msgspec.structs import replace

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.bounds import passes
from arbiter.geometry.plane.paths.fan import Floats, circles, fan_from
from arbiter.geometry.plane.paths.moves import polyline, stays, straight
from arbiter.geometry.plane.paths.room import TOUCH, clearance
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import PER_UNIT, Point, floats
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry import crossings
from services.stargrave.geometry.corners import barriers, is_near_climb
from services.stargrave.geometry.overlaps import SLACK
from services.stargrave.geometry.ways import Change, Way, at_place, follow, lengths_on_rough, walked
from services.stargrave.rules import movement
from services.stargrave.scene import Figure

MOST_JOINS = 3
"""At how many places a way is looked at that leads from leg to leg on the same rough ground."""


class Stage(Value, frozen=True):
    """A leg of a way from one place to another: what it costs, how high it ends, and where it bends on rough ground."""

    cost: float
    height: int
    bends: tuple[Point, ...] = ()


class Stages:
    """The legs of ways of one figure on one battlefield, each with its price."""

    def __init__(self, table: Table, field: Battlefield, figure: Figure, running: bool) -> None:
        self.table, self.field, self.figure, self.running = table, field, figure, running
        self.body, self.enemies = field.solid(figure), field.enemies(figure)
        self.rough = [piece for piece in field.ground.pieces.values() if piece.ground == "rough"]
        self.closed = tuple(self._closed())
        # From where on this base is in contact with another, if that is an enemy's.
        contacts = {
            them.at: self.body.radius + them.radius + self.body.slack for them in map(field.solid, self.enemies)
        }
        self._bases = circles(tuple((at, radius, float(contacts.get(at, 0.0))) for at, radius in self.closed))
        # Whether parts of inches of rough ground are paid as whole ones; None if it costs nothing extra.
        part = self._rough_adds(PER_UNIT / 2) if self.rough else 0.0
        self._rounded = None if part <= 0 else part > PER_UNIT / 2
        self._stages: dict[tuple[Point, int, Point], Stage | None] = {}

    def most_saved(self, places: Iterable[Point]) -> int:
        """Give how much less a way past some places may cost than its legs: parts of inches are rounded up as one.

        So they are where the way leads on over the same rough ground, or, by one reading, in all of a move.
        """
        if not self.rough or not self._rounded:
            return 0
        if self._rough_adds(PER_UNIT / 2, PER_UNIT / 2) < 2 * self._rough_adds(PER_UNIT / 2):
            return 2 * PER_UNIT * MOST_JOINS
        joins = (at for at in places if any(clearance(complex(*at), piece.outline) < -TOUCH for piece in self.rough))
        return 2 * PER_UNIT * sum(1 for _ in islice(joins, MOST_JOINS))

    def _closed(self) -> Iterator[tuple[Point, float]]:
        """Give where other bases keep the middle of this one from going, whatever it climbs on its way."""
        ground, body = self.field.ground, self.body
        for them in self.field.bodies:
            reach = body.radius + them.radius
            if them.id == self.figure.id or them.elevation >= body.height or dist(body.at, them.at) <= reach:
                continue
            if not is_near_climb(ground, them.at, reach + body.radius):
                yield them.at, reach - SLACK - 2 * TOUCH

    def least(self, at: Point, height: int, places: Floats) -> Floats:
        """Give what the legs from a place to others cost at least; endless where surely none may be taken."""
        fan = fan_from(at, places)
        if height:
            return fan.lengths

        def climb_adds(height: int) -> float:
            return max(up_and_down(self.table, self.field, self.figure, height, self.running) - TOUCH, 0.0)

        into = fan.enters(self._bases, movement.ROUNDED)
        return barriers(self.field.ground).least(fan, self.body.radius, into, climb_adds)

    def between(self, at: Point, height: int, to: Point) -> Stage | None:
        """Give the cheapest leg from place to place, straight or bent on rough ground; None where none may be taken."""
        key = (at, height, to)
        if key not in self._stages:
            self._stages[key] = self._find(at, height, to)
        return self._stages[key]

    def _find(self, at: Point, height: int, to: Point) -> Stage | None:
        path = straight(floats(at), floats(to))
        # Where it leads over rough ground it may bend past what is in the way.
        if self._enters(path) and not stays(path, [piece.outline for piece in self.rough]):
            return None
        over = walked(self.field.ground, path, replace(self.body, elevation=height))
        if over.against and not over.rough:
            return None
        way = follow(self.field, at_place(self.figure, at, height), path)
        return self._bent(at, height, to, way) if way.rough else self._stage(way)

    def _enters(self, path: Path) -> bool:
        """Check whether straight legs surely lead through the base of another figure."""
        return any(passes(leg.start, leg.end, self.closed) for leg in path.legs)

    def _stage(self, way: Way, bends: tuple[Point, ...] = ()) -> Stage | None:
        if way.against or way.through or not way.stands:
            return None
        if any(movement.goes_on_from(self.field, self.figure.id, enemy, way) for enemy in self.enemies):
            return None
        cost = way.path.length
        if way.changes or way.rough:
            cost = float(price(self.table, self.field, self.figure.id, way, self.running))
        return Stage(cost, way.end, bends)

    def _bent(self, at: Point, height: int, to: Point, way: Way) -> Stage | None:
        """Give the cheapest of a straight leg over rough ground and those that bend at its borders."""
        best, rounded = self._stage(way), self._rounded
        if rounded is None:
            return best
        figure = at_place(self.figure, at, height)
        bent: tuple[Point, ...] = (at, to)
        for piece in self.rough:
            if not any(part.piece == piece.id for part in way.rough):
                continue
            for number, (a, b) in enumerate(pairwise(bent)):
                # A leg may begin or end at the border, where it does not bend.
                options = [
                    tuple(dict.fromkeys((*bent[: number + 1], *more, *bent[number + 1 :])))
                    for more in crossings.bends(self.field.ground, piece.id, a, b, rounded)
                ]
                best = self._cheapest_bent(figure, options, best)
            bent = bent if best is None else (at, *best.bends, to)
        return best

    def _cheapest_bent(self, figure: Figure, options: Sequence[tuple[Point, ...]], best: Stage | None) -> Stage | None:
        """Give the cheapest of a stage and of legs by way of some places, the first of equals."""
        body, paths = self.field.solid(figure), [polyline([*map(floats, places)]) for places in options]
        number = -1
        open_ = self._not_barred(body, paths)
        for bound, place in sorted((self._costs_at_least(figure, paths[place]), place) for place in open_):
            if best is not None and bound > best.cost:
                break
            if self._enters(paths[place]) or walked(self.field.ground, paths[place], body).against:
                continue
            stage = self._stage(follow(self.field, figure, paths[place]), options[place][1:-1])
            if stage is not None and (best is None or (stage.cost, place) < (best.cost, number)):
                best, number = stage, place
        return best

    def _not_barred(self, body: shapes.Figure, paths: Sequence[Path]) -> Sequence[int]:
        """Give the numbers of the paths of which it is not sure that they lead into something."""
        if body.elevation:
            return range(len(paths))
        ways = [[(*leg.start, *leg.end) for leg in path.legs] for path in paths]
        return barriers(self.field.ground).open_ways(ways, self.body.radius, self._bases, movement.ROUNDED)

    def _costs_at_least(self, figure: Figure, path: Path) -> float:
        """Bound from below what a path costs: what it does cost where nothing but rough ground is in its way."""
        lengths = None if figure.elevation_in else lengths_on_rough(self.field.ground, path, self.body.radius)
        return path.length + (self._rough_adds(*lengths) if lengths else 0.0) - TOUCH

    def _rough_adds(self, *lengths: float) -> float:
        """Give what lengths of rough ground add to what a way costs."""
        with self.table.without_findings():
            return movement.ground(self.table, self.field, self.figure.id, (), lengths, self.running)


def up_and_down(table: Table, field: Battlefield, figure: Figure, height: int, running: bool) -> float:
    """Give what is added to the length of a way that climbs one piece and down again."""
    step = field.solid(figure).radius + SLACK
    climbs = (Change(0.0, 0, height, "climb", step), Change(0.0, height, 0, "climb", step))
    with table.without_findings():
        return movement.ground(table, field, figure.id, climbs, (), running)


def price(table: Table, field: Battlefield, mover: str, way: Way, running: bool) -> int:
    """Give what a way costs."""
    with table.without_findings():
        return movement.cost(table, field, mover, way, running)
