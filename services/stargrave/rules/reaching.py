"""Where a figure can go with an allowance: the area over even ground, and what single places cost.

The area is drawn around everything that would have to be climbed. Places are priced with climbing and rough ground, as
`wayfinding` does it. No rules stand here but that there has to be a way. Lengths are thousandths of an inch.
"""

from math import ceil, dist

from arbiter.geometry.plane.measure import squared_to_outline
from arbiter.geometry.plane.paths.reach import Reach, Shape
from arbiter.geometry.plane.paths.room import TOUCH
from arbiter.geometry.plane.shapes import Point, floats
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.geometry.footing import support
from services.stargrave.geometry.ways import follow
from services.stargrave.rules.wayfinding import Search


class PricedPlace(Value, frozen=True):
    """A place that can be reached, how high a figure stands there, and what a way there costs."""

    at: Point
    cost: int
    elevation: int


class ReachableArea(Value, frozen=True):
    """The reachable area over even ground, its error, and places with their costs.

    `even` says that no rough ground lies in the area, so that all of it is within the allowance.
    """

    shapes: tuple[Shape, ...]
    error: float
    even: bool
    samples: tuple[PricedPlace, ...]
    requested: tuple[PricedPlace | None, ...]


class _Prices:
    """What places cost that one figure can reach with one allowance."""

    def __init__(self, search: Search, allowance: int) -> None:
        self.search, self.allowance = search, allowance
        body = search.body
        obstacles = search.obstacles(body.at, climbing=False)
        start = floats(body.at)
        level = not body.elevation and obstacles.free(start)
        self.reach = Reach(obstacles, start, float(allowance)) if level else None
        self.corners, self.saved = search.corners(allowance), search.most_saved(allowance)
        self.least_climb = search.cheapest_climb(body.at)

    def of(self, at: Point) -> PricedPlace | None:
        """Give the price of a place; None where it is out of reach."""
        search, best, is_best = self.search, float(self.allowance), False
        height = support(search.pieces, at)
        if not search.standing_at(at):
            return None
        path = self.reach.path(floats(at)) if self.reach is not None and not height else None
        if path is not None:
            way = follow(search.field, search.figure, path)
            cost = float(search.price(way))
            if cost <= best + TOUCH:
                best, is_best = cost, True
            if is_best and not (way.rough or way.changes) and dist(search.body.at, at) + self.least_climb >= best:
                return PricedPlace(at, ceil(best - TOUCH), height)
        over = search.cost_by(self.corners, at, best, 0 if is_best else self.saved)
        if over is None and not is_best:
            return None
        return PricedPlace(at, ceil((best if over is None else over) - TOUCH), height)


def reach(
    table: Table,
    field: Battlefield,
    mover: str,
    allowance: int,
    spacing: int | None,
    requested: tuple[Point, ...],
    running: bool = False,
) -> ReachableArea:
    """Give what a figure can reach with an allowance, with samples every `spacing` and the places asked for."""
    search = Search(table, field, field.figure(mover), running)
    prices = _Prices(search, allowance)
    area = prices.reach.area() if prices.reach is not None else None
    x, y = search.body.at
    grid: list[Point] = []
    if spacing is not None:
        columns, rows = (range(ceil((of - allowance) / spacing), (of + allowance) // spacing + 1) for of in (x, y))
        places = ((column * spacing, row * spacing) for column in columns for row in rows)
        grid = [at for at in places if dist(at, (x, y)) <= allowance + TOUCH]
    samples = (prices.of(at) for at in grid)
    crossed = any(squared_to_outline((x, y), piece.outline) < allowance * allowance for piece in search.rough)
    shapes, error = ((), 0.0) if area is None else (area.shapes, area.error)
    priced = tuple(sample for sample in samples if sample is not None)
    return ReachableArea(shapes, error, not crossed, priced, tuple(prices.of(at) for at in requested))


@rule("reaching.no_way", cites="movement/move-stat", neutral=())
def no_way(table: Table, field: Battlefield, mover: str) -> Reasons:
    """Decide that a figure cannot go where no way leads at all."""
    return (table.reason("There is no way for {figure} to that place", figure=field.name(mover)),)
