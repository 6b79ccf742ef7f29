"""Pushing: where a figure comes to stand that is pushed back by 1 inch, what stops it, and off what it falls.

Follows the last sentence of "Combat"; what a push meets is unclear in the text. The way is straight, and its end is a
whole number of thousandths, at or before the place where the base would meet what stops it.
"""

from collections.abc import Iterator
from fractions import Fraction
from math import cos, floor, hypot, pi, sin, sqrt

from msgspec.structs import replace

from arbiter.facts import Number, fact
from arbiter.geometry.plane import measure, shapes
from arbiter.geometry.plane.paths.room import TOUCH
from arbiter.option import Option
from arbiter.rule import rule
from arbiter.skirmish import plane
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry import footing
from services.stargrave.geometry.footing import nearest_free_place, on_table
from services.stargrave.geometry.ways import at_place
from services.stargrave.rules import falling
from services.stargrave.rules.lengths import inches

PUSH = shapes.PER_UNIT
"""How far a figure is pushed, in thousandths."""

HOURS = 12

Direction = tuple[float, float]

Stop = tuple[shapes.Piece, Fraction]
"""A piece that stops a base, and the square of the distance that it keeps."""

BRUSHED = 1
"""Thousandths by which a base may go into another that it slides past: places are rounded to whole ones."""


class Push(Value, frozen=True):
    """A push: where the base ends, how far that is in thousandths, and how high it stands there."""

    to: shapes.Point
    length: int
    elevation: int


def may_be_pushed(table: Table, field: Battlefield, mover: str, away_from: str) -> bool:
    """Check whether a push may be chosen at all: there is a direction for it."""
    if not field.measures(mover, away_from) and table.read("push-into-obstacle") == "stops":
        return True
    return free_behind(table, field, mover, away_from)


@fact(
    "free_behind",
    "Is there a whole inch of room to push {mover} back from {other}?",
    of=("mover", "other"),
    says=("There is room to push {mover} back from {other}", "Something stops {mover} from being pushed back"),
    cites="combat/push",
)
def free_behind(table: Table, field: Battlefield, mover: str, other: str) -> bool:
    """Check whether there is a direction in which a figure may be pushed back."""
    body = field.solid(field.figure(mover))
    vectors = _vectors(body, field.solid(field.figure(other)))
    if not vectors:
        return False
    # Straight back and its whole way a push may go by all readings.
    return _way(field, body, vectors["straight"]).length == PUSH or bool(_directions(table, field, mover, other))


@rule("pushing.pushed", cites="combat/push", neutral=lambda field, *_: field)
def pushed(table: Table, field: Battlefield, mover: str, away_from: str, chooser_id: str | None = None) -> Battlefield:
    """Decide where a figure comes to stand that is pushed back by 1 inch from another, and whether it falls.

    `chooser_id` is who picks the direction where there is a choice, by default the other's player: the reading
    `push-direction`. What a drop does is the reading `push-off-ledge`.
    """
    if not field.measures(mover, away_from):
        # The players carry it out on their table.
        table.find("{name} goes back {inches}, or up to what stops it", name=field.name(mover), inches=inches(PUSH))
        table.event("pushed", figure=mover)
        field = field.away(mover)
        return _down(table, field, mover, 0) if table.read("push-off-ledge") == "falls" else field
    ways = _directions(table, field, mover, away_from)
    if not ways:
        return field

    def means(direction: str) -> Option:
        x, y = to = tuple(value / shapes.PER_UNIT for value in ways[direction].to)
        values = {"to": to, "inches": ways[direction].length / shapes.PER_UNIT}
        return Option(direction, f"{direction}, to {x:g}, {y:g}", values)

    who = chooser_id or field.player(away_from)
    choice: str = table.choose(who, f"{mover}: push direction", tuple(ways), about=field, means=means)
    way, figure = _edged(table, field, mover, ways[choice]), field.figure(mover)
    to, drop = plane.place(way.to), shapes.thousandths(figure.elevation_in) - way.elevation
    table.find("{name} goes back {inches}", name=field.name(figure), inches=inches(way.length), to=to)
    table.event("pushed", figure=mover, to=to)
    return _down(table, field.put(at_place(figure, way.to, way.elevation)), mover, drop)


def _down(table: Table, field: Battlefield, mover: str, drop: int) -> Battlefield:
    height = shapes.thousandths(drop_in(table, field, float(shapes.units(drop))))
    return falling.fall(table, field, mover, height) if height else field


@fact(
    "drop_in",
    "How many inches does the figure come down as it is moved?",
    of=(),
    kind=Number("inches", tolerance=0.5, most=120.0, usual=0.0),
    says="Inches that the figure comes down: {value}",
    cites=("combat/push", "movement/fall-damage"),
)
def drop_in(table: Table, field: Battlefield, measured: float) -> float:
    """Give how far a figure falls that is pushed back or moved by a power, which a board has shown by then."""
    return measured


def _directions(table: Table, field: Battlefield, mover: str, away_from: str) -> dict[str, Push]:
    """Give the ways that may be picked, by their names, straight back first.

    A push that cannot go its whole way stops or is forbidden, by the reading `push-into-obstacle`.
    """
    body, other = field.solid(field.figure(mover)), field.solid(field.figure(away_from))
    vectors = _vectors(body, other)
    if not vectors:
        return {}
    if len(vectors) > 1 and table.read("push-direction") == "straight":
        vectors = {"straight": vectors["straight"]}
    ways = {name: _way(field, body, vector) for name, vector in vectors.items()}
    if any(way.length < PUSH for way in ways.values()) and table.read("push-into-obstacle") == "forbidden":
        ways = {name: way for name, way in ways.items() if way.length == PUSH}
    return ways


def _vectors(body: shapes.Figure, other: shapes.Figure) -> dict[str, Direction]:
    """Give the directions that lead further from the other: straight back, and by the hours of a clock."""
    x, y = body.at[0] - other.at[0], body.at[1] - other.at[1]
    apart = hypot(x, y)
    if not apart:
        return {}
    vectors = {"straight": (x / apart, y / apart)}
    for hour in range(1, HOURS + 1):
        direction = sin(2 * pi * hour / HOURS), cos(2 * pi * hour / HOURS)
        u, v = _at((x, y), direction, PUSH)
        if u**2 + v**2 > apart**2:
            vectors[f"{hour} o'clock"] = direction
    return vectors


def _at(start: shapes.Point, direction: Direction, length: int) -> shapes.Point:
    return shapes.whole((start[0] + direction[0] * length, start[1] + direction[1] * length))


def _way(field: Battlefield, body: shapes.Figure, direction: Direction) -> Push:
    """Give the way in a direction up to what stops it: terrain that is not entered, a figure, or the table's edge."""
    others = (field.solid(other) for other in field.figures if other.id != body.id)
    room = min((_up_to(other, body, direction) for other in others), default=PUSH)
    exact, slack = (_farthest(field, body, direction, room, tuple(_limits(field, body, by))) for by in (0, 1))
    # A base that touches a slanting wall goes along it by the thousandth that is lost in rounding.
    length = slack if slack > exact + 2 else exact
    while length:
        to = nearest_free_place(field, body, _at(body.at, direction, length))
        if to is not None:
            return Push(to, length, _level(field, to, body))
        # Between two bases rounding may leave no room until a little before.
        length -= 1
    return Push(body.at, 0, body.elevation)


def _up_to(other: shapes.Figure, body: shapes.Figure, direction: Direction) -> int:
    """Give how far a base goes in a direction before it meets another, the whole way where it only slides past it."""
    x, y = other.at[0] - body.at[0], other.at[1] - body.at[1]
    ahead, aside = x * direction[0] + y * direction[1], x * direction[1] - y * direction[0]
    reach = body.radius + other.radius
    level = other.elevation < body.elevation + body.height and body.elevation < other.elevation + other.height
    if not level or ahead <= 0 or abs(aside) >= reach - BRUSHED:
        return PUSH
    return min(max(floor(ahead - sqrt(reach**2 - aside**2) + TOUCH), 0), PUSH)


def _farthest(field: Battlefield, body: shapes.Figure, direction: Direction, room: int, stops: tuple[Stop, ...]) -> int:
    low, high = 0, room
    while low < high:
        middle = (low + high + 1) // 2
        to = _at(body.at, direction, middle)
        clear = on_table(field, body, to) and all(_to_piece(body.at, to, piece) >= limit for piece, limit in stops)
        low, high = (middle, high) if clear else (low, middle - 1)
    return low


def _limits(field: Battlefield, body: shapes.Figure, slack: int) -> Iterator[Stop]:
    """Give the terrain that may stop a base, with the square of the distance that it keeps, or of the less it has now.

    It is allowed to come nearer by `slack`.
    """
    for piece in field.ground.impassable:
        if piece.height > body.elevation and measure.in_contact(body, piece, PUSH):
            limit = Fraction((body.radius - slack) ** 2)
            yield piece, min(limit, measure.squared_to_outline(body.at, piece.outline))


def _to_piece(start: shapes.Point, end: shapes.Point, piece: shapes.Piece) -> Fraction:
    """Work out the square of the distance between a straight way and a piece, 0 where they meet."""
    outline = piece.outline
    if any(_crossing(start, end, a, b) for a, b in shapes.edges(outline)):
        return Fraction(0)
    return min(
        measure.squared_to_outline(start, outline),
        measure.squared_to_outline(end, outline),
        *(measure.squared_to_segment(corner, start, end) for corner in outline),
    )


def _crossing(a: shapes.Point, b: shapes.Point, c: shapes.Point, d: shapes.Point) -> bool:
    """Check whether two segments cross, each with its ends on different hands of the other."""
    hands = shapes.cross(a, b, c), shapes.cross(a, b, d), shapes.cross(c, d, a), shapes.cross(c, d, b)
    return hands[0] * hands[1] < 0 and hands[2] * hands[3] < 0


def _level(field: Battlefield, at: shapes.Point, body: shapes.Figure) -> int:
    """Give how high a base stands whose middle is pushed to a place, going down where what it stood on ends.

    A figure that stands on no piece that is posted keeps its height: what holds it up is not known.
    """
    if _top(field, body.at, body.elevation) != body.elevation:
        return body.elevation
    return _top(field, at, body.elevation)


def _top(field: Battlefield, at: shapes.Point, at_most: int) -> int:
    """Give the height of the highest piece under a place that stands no higher than asked, 0 for the table itself."""
    low = (each for each in field.ground.impassable if each.height <= at_most)
    return max((each.height for each in low if shapes.whereabouts(at, each.outline) != "outside"), default=0)


def _edged(table: Table, field: Battlefield, mover: str, way: Push) -> Push:
    """Give the way as it ends where there is a drop: over it or at its edge, by the reading `push-off-ledge`.

    Where somebody stands below, or walls leave no room, there is no room to fall, and it ends at the edge by either.
    """
    body = field.solid(field.figure(mover))
    if way.elevation == body.elevation:
        return way
    down = replace(body, at=way.to, elevation=way.elevation)
    pressed = footing.pressing(field, down)
    below = falling.landed(table, field, down) if pressed else nearest_free_place(field, down, down.at)
    if below is not None and table.read("push-off-ledge") == "falls":
        return replace(way, to=below)
    low, high = 0, way.length
    share = Fraction(1, way.length)
    while low < high:
        middle = (low + high + 1) // 2
        at = _between(body.at, way.to, middle * share)
        low, high = (middle, high) if _level(field, at, body) == body.elevation else (low, middle - 1)
    while not footing.fits(field, replace(body, at=_between(body.at, way.to, low * share))):
        low -= 1
    return Push(_between(body.at, way.to, low * share), low, body.elevation)


def _between(start: shapes.Point, end: shapes.Point, share: Fraction) -> shapes.Point:
    return round(start[0] + share * (end[0] - start[0])), round(start[1] + share * (end[1] - start[1]))
