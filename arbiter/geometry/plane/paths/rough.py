"""Cheapest paths of a round base where some of the ground is rough: a legal path, and how far from the best it may be.

The intervals into which the border of the rough ground is cut are gone over twice: from middle to middle, and over the
corners of the rough ground, which is a real path and an upper bound; and for a lower bound. There, what a leg costs
between any points of two intervals is at least what its tangent plane at their middles says, as lengths are convex.
Summed over a path, all that a crossing of an interval can gain is half the interval's length times the amount by which
the middles break the law of refraction. Intervals through which no path can beat the best one known by more than what
is wanted are dropped; the others are halved, until the bounds meet.

No side of the border is visited twice, as going along it instead is never dearer; so no path of the lower bound may go
back to the side that it comes from.
"""

from cmath import phase, rect
from collections.abc import Sequence
from math import inf, pi, tau
from typing import NamedTuple

import msgspec
import numpy as np
import shapely
from numpy.typing import NDArray

from arbiter.geometry.plane.paths.legs import EVEN, Country, Floats, Legs, Nodes
from arbiter.geometry.plane.paths.moves import inside
from arbiter.geometry.plane.paths.room import Polygon
from arbiter.geometry.plane.paths.search import SAME_WAY
from arbiter.geometry.plane.paths.shortest import Leg, Obstacles, Path, Point, as_point

# What the sums of a bound may lose to rounding, in thousandths.
ROUNDING = 1e-6
MOST_NODES = 160
SHORTEST_HALF = 1e-3


class Runs(NamedTuple):
    """The legs along one side of the border, each once for every side that a path may have come from, -1 for none."""

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    origin: NDArray[np.int64]


class Step(NamedTuple):
    """All ways through one node: the legs that come, the legs that go, and what each pair adds to their costs.

    A leg is a number: its ground times the square of the count of nodes, and its place in the table of legs; after
    these come the runs.
    """

    comes: NDArray[np.int64]
    goes: NDArray[np.int64]
    adds: Floats


def cheapest(
    obstacles: Obstacles,
    rough: Sequence[Polygon],
    factor: float,
    start: Point,
    goal: Point,
    *,
    wanted: float = 1.0,
    budget: int = MOST_NODES,
) -> Path | None:
    """Find a path whose cost is the least but for an error that it states: at most `wanted`, if the budget allows.

    The budget is how many intervals and turns are looked at together; time goes with its cube. It runs out where the
    cheapest path bends at a corner of rough ground: the path goes over the corner itself, but the lower bound draws
    near only as fast as intervals get short.

    Every length costs its `factor` where the base's centre is inside a rough polygon, once where these overlap, and
    itself elsewhere. None if there is no path at all. ValueError: a factor below one, nothing wanted.
    """
    if factor < 1:
        raise ValueError(f"rough ground costs no less than even ground, as a factor of {factor} says")
    if wanted <= 0:
        raise ValueError(f"an error has to be wanted that is above zero, not {wanted}")
    even = obstacles.path(start, goal)
    if even is None:
        return None
    country = Country(obstacles, rough, factor, start, goal)
    best = _priced(country, even)
    # Ground costs at least its length.
    low = even.length
    if best.cost - low > wanted:
        best, low = _narrowed(country, best, low, wanted, budget)
    error = max(best.cost - low, 0.0)
    return msgspec.structs.replace(best, error=error + ROUNDING if error else 0.0)


def _narrowed(country: Country, best: Path, low: float, wanted: float, budget: int) -> tuple[Path, float]:
    """Halve intervals until the best path costs no more than is wanted above the lower bound, or there are too many."""
    nodes, corners = country.nodes(best.cost), _corners(country, best.cost)
    while len(nodes.at) <= budget:
        both = Nodes(*(np.concatenate(parts) for parts in zip(nodes, corners, strict=True)))
        legs = country.legs(both)
        found = _path_over_middles(country, both, legs)
        if found is not None and found.cost < best.cost:
            best = found
        # The lower bound needs no corners, as an interval holds its ends.
        first = slice(len(nodes.at))
        legs = Legs._make(table[..., first, first] for table in legs)
        at_goal, through = _bounds(country, nodes, legs)
        low = max(low, min(at_goal, best.cost - wanted))
        if best.cost - low <= wanted:
            break
        nodes = nodes.kept(through < best.cost - wanted)
        if nodes.half.max() < SHORTEST_HALF:
            break
        nodes = nodes.halved()
    return best, low


def _corners(country: Country, at_most: float) -> Nodes:
    """List the corners of the rough ground that a path of at most some length can pass: cheapest paths bend there."""
    room, at = country.obstacles.room, np.unique(shapely.get_coordinates(country.rough), axis=0)
    x, y = at[((at >= room.low) & (at <= room.high)).all(axis=1)].T
    spots = x + 1j * y
    spots = spots[np.abs(spots - country.start) + np.abs(spots - country.goal) <= at_most]
    no_number = np.full(len(spots), -1)
    return Nodes(spots, np.ones_like(spots), np.zeros(len(spots)), no_number, no_number)


def _bounds(country: Country, nodes: Nodes, legs: Legs) -> tuple[float, Floats]:
    """Bound from below the cost of all paths, and of those through each node.

    All go through the start and the goal.

    Where intervals are as long as the legs between them, the sharp bound may fall and fall around a ring of them. A
    path has no more legs than it can visit turns and sides, so that it falls no oftener; then the blunt one helps.
    """
    count = len(nodes.at)
    most = 2 * len(np.unique(nodes.side)) + int((nodes.turn >= 0).sum()) + 1
    at_goal, through = -inf, np.full(count, -inf)
    beside = _beside(nodes)
    legs = legs._replace(may=legs.may & ~beside)
    runs = _runs(nodes, beside)
    for sharp in (True, False):
        steps = [_step(country, nodes, legs, runs, v, sharp=sharp) for v in range(count)]
        costs = _costs(country, nodes, legs, runs, sharp=sharp)
        ahead, _, settled = _forward(costs, steps, most)
        back = _backward(costs, steps, most)
        at_goal = max(at_goal, float(ahead[steps[1].comes].min(initial=inf)))
        through = np.maximum(through, [_through(step, ahead, back) for step in steps])
        if settled:
            break
    through[:2] = -inf
    return at_goal, through


def _beside(nodes: Nodes) -> NDArray[np.bool_]:
    """Tell which pairs of nodes are intervals of one side."""
    return np.asarray((nodes.side[:, None] == nodes.side[None, :]) & (nodes.side >= 0)[:, None])


def _runs(nodes: Nodes, beside: NDArray[np.bool_]) -> Runs:
    """List the legs along sides."""
    start, end = np.nonzero(beside & ~np.eye(len(nodes.at), dtype=bool))
    origins = np.unique(nodes.side)
    run, origin = np.nonzero(nodes.side[start][:, None] != origins[None, :])
    return Runs(start[run], end[run], origins[origin])


def _costs(country: Country, nodes: Nodes, legs: Legs, runs: Runs, *, sharp: bool) -> Floats:
    """List what legs cost at least, by their numbers: at their middles, or bluntly whatever points they join."""
    rates = np.array([1.0, country.factor])[:, None, None]
    along = np.abs(nodes.at[runs.end] - nodes.at[runs.start])
    if sharp:
        return np.concatenate([np.where(legs.may, rates * legs.length, inf).reshape(-1), along])
    tangents = country.obstacles.tangents
    reach = np.array([abs(tangents.signed[turn]) if turn >= 0 else 0.0 for turn in nodes.turn.tolist()])
    give = nodes.half + reach
    apart = np.abs(nodes.at[None, :] - nodes.at[:, None]) - give[None, :] - give[:, None]
    # A leg between two turns is as long as it is, as nothing about it may vary.
    turns = nodes.turn >= 0
    apart = np.where(turns[None, :] & turns[:, None], legs.length, apart)
    along = np.maximum(along - nodes.half[runs.end] - nodes.half[runs.start], 0.0)
    return np.concatenate([np.where(legs.may, rates * np.maximum(apart, 0.0), inf).reshape(-1), along])


def _step(country: Country, nodes: Nodes, legs: Legs, runs: Runs | None, v: int, *, sharp: bool | None) -> Step:
    """List the ways through a node, for a sharp or a blunt lower bound, or, with neither, for real paths over middles.

    For the sharp bound they cost less than nothing where the node's interval gains.
    """
    count = len(nodes.at)
    which = np.stack([legs.legal, np.zeros_like(legs.legal)]) if sharp is None else legs.may
    in_ground, u = np.nonzero(which[:, :, v])
    out_ground, z = np.nonzero(which[:, v, :])
    comes = in_ground * count * count + u * count + v
    goes = out_ground * count * count + v * count + z
    barred = u[:, None] == z[None, :]
    if nodes.turn[v] >= 0 and comes.size and goes.size:
        barred |= in_ground[:, None] != out_ground[None, :]
        adds = _arcs(country, legs, int(nodes.turn[v]), v, u, z, in_ground, barred, sharp=sharp)
    elif runs is not None and nodes.side[v] >= 0:
        # From a side along this one to another, which is not the first.
        in_run, out_run = np.flatnonzero(runs.end == v), np.flatnonzero(runs.start == v)
        comes = np.concatenate([comes, 2 * count * count + in_run])
        goes = np.concatenate([goes, 2 * count * count + out_run])
        came, goal = nodes.side[u], nodes.side[z]
        barred |= (came[:, None] == goal[None, :]) & (came >= 0)[:, None]
        onto = came[:, None] != runs.origin[out_run][None, :]
        off = (runs.origin[in_run][:, None] == goal[None, :]) & (goal >= 0)[None, :]
        barred = np.block([[barred, onto], [off, np.ones((len(in_run), len(out_run)), dtype=bool)]])
        adds = np.zeros(barred.shape)
        if sharp:
            rates, way = np.array([1.0, country.factor]), nodes.along[v].conjugate()
            pulls = rates[in_ground] * (legs.way[u, v] * way).real
            pushes = rates[out_ground] * (legs.way[v, z] * way).real
            pulls = np.concatenate([pulls, (legs.way[runs.start[in_run], v] * way).real])
            pushes = np.concatenate([pushes, (legs.way[v, runs.end[out_run]] * way).real])
            adds = -nodes.half[v] * np.abs(pulls[:, None] - pushes[None, :])
    else:
        adds = np.zeros((len(comes), len(goes)))
    return Step(comes, goes, np.where(barred, inf, adds))


def _arcs(
    country: Country,
    legs: Legs,
    turn: int,
    v: int,
    u: NDArray[np.int64],
    z: NDArray[np.int64],
    ground: NDArray[np.int64],
    barred: NDArray[np.bool_],
    *,
    sharp: bool | None,
) -> Floats:
    """Price the arcs from where legs come to a turn to where others leave it; infinite where one cannot walk so."""
    tangents, room, lower = country.obstacles.tangents, country.obstacles.room, sharp is not None
    reach, sign = abs(tangents.signed[turn]), -1.0 if turn & 1 else 1.0
    since, until = legs.arriving[u, v], legs.leaving[v, z]
    sweeps = sign * np.angle(until[None, :] * since.conj()[:, None])
    slack_in = np.minimum(legs.slack[u, v], pi) if lower else np.zeros(len(u))
    slack_out = np.minimum(legs.slack[v, z], pi) if lower else np.zeros(len(z))
    behind = sweeps < -(slack_in[:, None] + slack_out[None, :]) - SAME_WAY
    adds = np.where(behind, inf if room.corners[turn >> 1].before else sweeps + tau, sweeps)
    if not lower:
        adds = np.maximum(adds, 0.0)
    sure = adds - slack_in[:, None] - slack_out[None, :]
    if room.shut(turn >> 1):
        for i, j in np.argwhere(np.isfinite(adds) & ~barred).tolist():
            begins = complex(since[i]) * rect(1.0, sign * float(slack_in[i]))
            if sure[i, j] >= 0 and not room.open_arc(turn >> 1, begins, sign * float(sure[i, j])):
                adds[i, j] = inf
    if lower:
        adds = adds if sharp else np.where(np.isfinite(adds), np.maximum(sure, 0.0), inf)
        return np.asarray(adds * reach * np.array([1.0, country.factor])[ground][:, None])
    middles = since[:, None] * np.exp(0.5j * sign * np.where(np.isfinite(adds), adds, 0.0))
    spots = tangents.centres[turn] + reach * middles
    rough = shapely.contains(country.rough, shapely.points(spots.real, spots.imag))
    return np.asarray(adds * reach * np.where(rough, country.factor, 1.0))


def _forward(costs: Floats, steps: list[Step], most: int) -> tuple[Floats, NDArray[np.int64], bool]:
    """Find the least cost from the start to the end of every leg, the leg before, and whether more legs save nothing.

    All ways of at most `most` legs are examined.
    """
    found = np.full(len(costs), inf)
    before = np.full(len(costs), -1, dtype=np.int64)
    found[steps[0].goes] = costs[steps[0].goes]
    for _ in range(most):
        known, changed = found.copy(), False
        for step in steps[2:]:
            if step.adds.size and np.isfinite(reached := known[step.comes]).any():
                total = step.adds + reached[:, None]
                pick = total.argmin(axis=0)
                best = total[pick, np.arange(len(pick))] + costs[step.goes]
                better = best < known[step.goes] - ROUNDING / 1000
                if better.any():
                    changed = True
                    found[step.goes[better]] = best[better]
                    before[step.goes[better]] = step.comes[pick[better]]
        if not changed:
            return found, before, True
    return found, before, False


def _backward(costs: Floats, steps: list[Step], most: int) -> Floats:
    """Find the least cost from the beginning of every leg to the goal, over at most `most` legs."""
    found = np.full(len(costs), inf)
    found[steps[1].comes] = costs[steps[1].comes]
    for _ in range(most):
        known, changed = found.copy(), False
        for step in steps[2:]:
            if step.adds.size and np.isfinite(reached := known[step.goes]).any():
                best = (step.adds + reached[None, :]).min(axis=1) + costs[step.comes]
                better = best < known[step.comes] - ROUNDING / 1000
                if better.any():
                    changed = True
                    found[step.comes[better]] = best[better]
        if not changed:
            break
    return found


def _through(step: Step, ahead: Floats, back: Floats) -> float:
    """Bound from below the cost of all paths through a node."""
    if not step.adds.size:
        return inf
    return float((step.adds + ahead[step.comes][:, None] + back[step.goes][None, :]).min())


def _path_over_middles(country: Country, nodes: Nodes, legs: Legs) -> Path | None:
    """Find the cheapest path over the middles of intervals, points and turns, and price it as it is."""
    count = len(nodes.at)
    steps = [_step(country, nodes, legs, None, v, sharp=None) for v in range(count)]
    costs = np.stack([legs.price, np.full_like(legs.price, inf)]).reshape(-1)
    found, before, _ = _forward(costs, steps, count)
    at_goal = found.reshape(2, count, count)[EVEN, :, 1]
    if not np.isfinite(at_goal).any():
        return None
    leg = int(at_goal.argmin()) * count + 1
    chain = [leg]
    while (leg := int(before[leg])) >= 0:
        chain.append(leg)
    return _priced(country, _path_along(country, nodes, legs, [divmod(leg, count) for leg in chain[::-1]]))


def _path_along(country: Country, nodes: Nodes, legs: Legs, row: list[tuple[int, int]]) -> Path:
    tangents = country.obstacles.tangents
    parts: list[Leg] = []
    here, came = country.start, 0j
    for u, v in row:
        turn = int(nodes.turn[u])
        if turn >= 0:
            centre, radius, leaving = tangents.centres[turn], abs(tangents.signed[turn]), complex(legs.leaving[u, v])
            angle = phase(leaving / came)
            sign = -1.0 if turn & 1 else 1.0
            if angle * sign < -SAME_WAY:
                angle += sign * tau
            there = centre + radius * leaving
            if abs(angle) > SAME_WAY:
                parts.append(Leg(as_point(here), as_point(there), radius * abs(angle), as_point(centre), radius, angle))
            here = there
        to = complex(nodes.at[v])
        if nodes.turn[v] >= 0:
            came = complex(legs.arriving[u, v])
            to += abs(tangents.signed[int(nodes.turn[v])]) * came
        if length := abs(to - here):
            parts.append(Leg(as_point(here), as_point(to), length))
        here = to
    length = sum(part.length for part in parts)
    return Path(as_point(country.start), as_point(country.goal), length, length, tuple(parts))


def _priced(country: Country, path: Path) -> Path:
    """Say what a path costs."""
    over = 0.0
    for part in shapely.get_parts(country.rough):
        over += inside(path, [part.exterior.coords[:-1]])[0]
        over -= sum(inside(path, [hole.coords[:-1] for hole in part.interiors]))
    return msgspec.structs.replace(path, cost=path.length + (country.factor - 1) * over)
