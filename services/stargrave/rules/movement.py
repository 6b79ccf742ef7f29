"""Moving: who may not move, what a way costs, the violations of a way, and carrying it out.

Follows "Movement"; how far a figure may go is in `allowance`, jumps are in `jumping`, forcing combat in `interception`.
Lengths are thousandths of an inch.
"""

from collections.abc import Iterator
from math import ceil, dist, sqrt

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.room import TOUCH
from arbiter.readings import Options, settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.stargrave.battlefield import Battlefield, Ids, in_play
from services.stargrave.geometry.footing import LOW, on_table
from services.stargrave.geometry.ways import Change, Way, at_place, stop_at
from services.stargrave.rules import allowance as allowances
from services.stargrave.rules import combat, falling, interception, jumping
from services.stargrave.rules.lengths import inches
from services.stargrave.scene import Figure

LEVITATING = ("levitates", "flies", "antigravity-projection")
"""The traits of those who levitate, and the power that makes others do so."""

LOW_STEPS: Options = ("low-steps", ("free", "climb"))
PART_INCHES: Options = ("part-inches", ("each-piece", "whole-move", "none"))

ROUNDED = 2
"""How many thousandths a way may lead past where it is nearest to an enemy: it ends on whole ones."""


@violations_rule("movement.violations", cites=("movement/in-combat", "in-combat/within-one-inch"))
def violations(table: Table, field: Battlefield, mover: str, running: bool = False) -> Iterator[Reason]:
    """Decide whether a figure may move at all: not in combat; lists the violations. Running is `run-from-combat`."""
    opponents = combat.engaged_with(table, field, mover)
    if opponents and not (running and table.read("run-from-combat") == "yes"):
        text = "{figure} is in combat with {opponents} and may not move"
        yield table.reason(text, figure=field.name(mover), opponents=field.names(opponents))


@rule("movement.cost", cites="movement/move-stat", neutral=0)
def cost(table: Table, field: Battlefield, mover: str, way: Way, running: bool = False) -> int:
    """Decide how much movement a way costs: its length, and what climbing and rough ground cost more.

    Jumps count by their length unless the reading `jump-cost` has them free. Falls cost nothing.
    """
    length = way.path.length - jumping.free_of_charge(table, way)
    climbs = tuple(change for change in way.changes if change.how == "climb")
    lengths = tuple(part.until - part.since for part in way.rough)
    more = ground(table, field, mover, climbs, lengths, running) if climbs or lengths else 0.0
    whole = ceil(length + more - TOUCH)
    text = "The way of {figure} is {length} long and costs {inches}"
    table.find(text, figure=field.name(mover), length=inches(ceil(way.path.length - TOUCH)), inches=inches(whole))
    return whole


def ground(
    table: Table, field: Battlefield, mover: str, climbs: tuple[Change, ...], lengths: tuple[float, ...], running: bool
) -> float:
    """Give what climbs and lengths of rough ground add to what a way costs by its length."""
    is_lifted = levitating(table, field, mover) or (running and allowances.run_over_ground(table))
    climbed = _lifted(table, climbs) if is_lifted else climbing(table, climbs)
    return climbed - stepping(table, climbs, climbed) + (0.0 if is_lifted else rough(table, lengths))


@rule("movement.climbing", cites=("movement/climbing", "movement/part-inches"), neutral=0)
def climbing(table: Table, climbs: tuple[Change, ...]) -> int:
    """Decide what climbing costs: 2 inches for each inch or part of an inch of height.

    Over what part inches are rounded up is the reading `part-inches`, what climbing down costs is `climbing-down`, and
    whether a low step is climbed at all is `low-steps`.
    """

    def price(low: str, down: str, part: str) -> int:
        climbed = [(climb.end > climb.start, abs(climb.end - climb.start)) for climb in climbs]
        climbed = [(up, height) for up, height in climbed if low == "climb" or height >= LOW]
        twice = [height for up, height in climbed if up or down == "same"]
        once = [height for up, height in climbed if not up and down == "once"]
        if part == "whole-move":
            twice, once = [sum(twice)], [sum(once)]
        if part != "none":
            twice, once = [_whole(height) for height in twice], [_whole(height) for height in once]
        return 2 * sum(twice) + sum(once)

    paid = settled(table, price, LOW_STEPS, ("climbing-down", ("same", "once")), PART_INCHES)
    if climbs:
        heights = Listing(inches(abs(climb.end - climb.start)) for climb in climbs)
        table.find("Climbing {heights} costs {inches}", heights=heights, inches=inches(paid))
    return paid


@rule("movement.stepping", cites=("movement/climbing", "movement/move-stat"), neutral=0.0)
def stepping(table: Table, climbs: tuple[Change, ...], paid: float) -> float:
    """Decide how much of a way is free because it leads from beside a climbed piece onto its top, or off it.

    Whether it is free is the reading `climbing-step`. What is climbed costs no less than it is long on the plan.
    """
    steps = min(sum(climb.step for climb in climbs if abs(climb.end - climb.start) >= LOW), paid)
    if not steps or table.read("climbing-step") == "charged":
        return 0.0
    table.find("The step onto the top of a climb, or off it, is free: {inches}", inches=inches(steps))
    return steps


@rule("movement.part_way", cites=("movement/climbing", "creatures/climbs"), neutral=False)
def part_way(table: Table, field: Battlefield, mover: str, way: Way) -> bool:
    """Decide whether a figure may end its movement part-way up or down a climb: the reading `climbing-part-way`."""
    if table.read("climbing-part-way") == "no":
        return False
    text = "{figure} ends part-way through its climb, at a height of {inches}"
    table.find(text, figure=field.name(mover), inches=inches(way.end))
    return True


@rule("movement.rough", cites=("movement/rough-ground", "movement/part-inches"), neutral=0.0)
def rough(table: Table, lengths: tuple[float, ...]) -> float:
    """Decide what rough ground costs beyond its length: 2 inches are paid for each inch or part of an inch of it.

    Over what part inches are rounded up is the reading `part-inches`.
    """

    def paid(part: str) -> float:
        parts = (sum(lengths),) if part == "whole-move" else lengths
        return 2 * sum(length if part == "none" else _whole(length) for length in parts)

    whole = settled(table, paid, PART_INCHES)
    if lengths:
        over = Listing(map(inches, lengths))
        table.find("Crossing {over} of rough ground costs {inches}", over=over, inches=inches(whole))
    return whole - sum(lengths)


def _lifted(table: Table, climbs: tuple[Change, ...]) -> int:
    """Give what climbing costs whoever pays nothing extra for it: its height, but for low steps that cost nobody."""
    heights = [abs(climb.end - climb.start) for climb in climbs]
    prices = {"free": sum(height for height in heights if height >= LOW), "climb": sum(heights)}
    return settled(table, prices.__getitem__, LOW_STEPS)


def _whole(length: float) -> int:
    """Round a length up to whole inches; what exceeds them by less than rounding can tell is none."""
    return shapes.PER_UNIT * ceil((length - TOUCH) / shapes.PER_UNIT)


@rule("movement.levitating", cites="movement/levitate", neutral=False)
def levitating(table: Table, field: Battlefield, mover: str) -> bool:
    """Decide whether a figure pays nothing extra for rough ground and climbing, so that a climb costs its height."""
    figure = field.figure(mover)
    if not {*field.profile(figure).traits, *(spell.power for spell in figure.spells)} & set(LEVITATING):
        return False
    table.find("{figure} levitates and pays nothing extra for the ground", figure=field.name(figure))
    return True


@every_reason
def way_violations(
    table: Table, field: Battlefield, mover: str, way: Way, allowance: int, running: bool = False, earlier: int = 0
) -> Iterator[Reason]:
    """List the violations of a way.

    `earlier` is how far it moved in a straight line earlier in its activation, which may serve as run-up of a jump.
    """
    yield from blocked(table, field, mover, way)
    yield from jumping.violations(table, field, mover, way, earlier)
    yield from too_far(table, field, mover, way, allowance, running)


@violations_rule("movement.too_far", cites="movement/move-stat")
def too_far(table: Table, field: Battlefield, mover: str, way: Way, allowance: int, running: bool) -> Iterator[Reason]:
    """Decide whether a way costs more than a figure may move."""
    paid = cost(table, field, mover, way, running)
    if paid > allowance:
        text = "The way costs {inches}, but {figure} may move {allowed}"
        yield table.reason(text, inches=inches(paid), figure=field.name(mover), allowed=inches(allowance))


@violations_rule("movement.blocked", cites=("movement/move-stat", "movement/climbing", "movement/in-combat"))
def blocked(table: Table, field: Battlefield, mover: str, way: Way) -> Iterator[Reason]:
    """Decide what keeps a figure from taking a way: terrain, bases, combat on the way, or no footing at its end.

    Whether bases of friends are in the way is the reading `passing-figures`; nobody ends in another's base. A way that
    comes into contact with an enemy ends there.
    """
    name = field.name(mover)
    for piece in way.against:
        yield table.reason("{piece} is in the way of {figure}", cites="movement/climbing", piece=piece, figure=name)
    body = field.solid(field.figure(mover))
    if not all(on_table(field, body, leg.end) for leg in way.path.legs):
        yield table.reason("The way of {figure} leaves the table", cites="movement/move-stat", figure=name)
    barring = [other for other, _ in way.through if _bars(table, field, mover, field.figure(other), way)]
    landed = not way.beside or falling.landed(table, field, _at_end(field, mover, way)) is not None
    if not (way.held and landed and (way.room or barring)):
        yield table.reason("{figure} cannot stand where the way ends", cites="movement/climbing", figure=name)
    for other in barring:
        text = "{other} is in the way of {figure}"
        yield table.reason(text, cites="movement/move-stat", other=field.name(other), figure=name)
    touched = {other for other, _ in way.through}
    for enemy in field.enemies(field.figure(mover)):
        if enemy.id not in touched and goes_on_from(field, mover, enemy, way):
            text = "The way goes on after contact with {enemy}, but {figure} is then in combat"
            yield table.reason(text, cites="movement/in-combat", enemy=field.name(enemy), figure=name)


def _at_end(field: Battlefield, mover: str, way: Way) -> shapes.Figure:
    return field.solid(at_place(field.figure(mover), shapes.whole(way.path.end), way.end))


def _bars(table: Table, field: Battlefield, mover: str, other: Figure, way: Way) -> bool:
    body, them = field.solid(field.figure(mover)), field.solid(other)
    inside = dist(way.path.end, them.at) < body.radius + them.radius - body.slack
    return inside or field.figure(mover).crew != other.crew or table.read("passing-figures") == "nobody"


def goes_on_from(field: Battlefield, mover: str, enemy: Figure, way: Way) -> bool:
    """Check whether a way leads on from contact with an enemy: past it, along its base, or away.

    From its first contact on a way may only come nearer. A straight one does as far as the foot of the perpendicular:
    there, by Pythagoras, what is left of it is the root of what the squares of both distances differ by; a bent one is
    longer. Who begins in contact may leave.
    """
    body, them = field.solid(field.figure(mover)), field.solid(enemy)
    reach = body.radius + them.radius + body.slack
    before, after = dist(way.path.start, them.at), dist(way.path.end, them.at)
    # Too short a way to have come within reach and on to its end.
    if before <= reach or before + after > way.path.length + 2 * reach + 1:
        return False
    for part in way.stretches:
        level = part.height < them.elevation + them.height and them.elevation < part.height + body.height
        along = interception.touches(way, part, them, reach) if level else None
        if along is not None:
            first = dist(way.path.at(along), them.at)
            return way.path.length - along > sqrt(max(first**2 - after**2, 0.0)) + ROUNDED
    return False


def carry_out(table: Table, field: Battlefield, mover: str, way: Way) -> Battlefield:
    """Give the battlefield after a figure has taken an allowed way, up to where it is intercepted."""
    return resolve_movement(table, field, mover, way)[0]


def resolve_movement(table: Table, field: Battlefield, mover: str, way: Way) -> tuple[Battlefield, Ids]:
    """Give the battlefield after a figure has taken an allowed way, and the figures that have forced combat with it."""
    considered: frozenset[str] = frozenset()
    since = 0.0
    for fall in (*way.falls, None) if way.path.length or way.changes else ():
        until = way.path.length if fall is None else fall.along
        stop, considered = interception.first_interception(table, field, mover, way, since, until, considered)
        if stop is not None:
            along, interceptors = stop
            field = put(table, field, mover, way, along)
            return interception.resolve_interception(table, field, mover, interceptors)
        field = put(table, field, mover, way, until)
        since = until
        if fall is not None:
            field = falling.fall(table, field, mover, fall.start - fall.end)
            if not in_play(field.figure(mover)):
                break
    return field, ()


def put(table: Table, field: Battlefield, mover: str, way: Way, along: float) -> Battlefield:
    """Give the battlefield with a figure at some length of its way, or beside it where its base has no room there."""
    figure = field.figure(mover)
    moved = stop_at(field, figure, way, along)
    if way.beside and along >= way.path.length:
        to = falling.landed(table, field, _at_end(field, mover, way))
        moved = moved if to is None else at_place(figure, to, way.end)
    if (moved.at, moved.elevation_in) == (figure.at, figure.elevation_in):
        return field
    table.event("moved", figure=mover, start=figure.at, end=moved.at, elevation_in=moved.elevation_in)
    return field.put(moved)
