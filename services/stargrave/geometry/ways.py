"""What a way leads over: heights, climbs, drops and jumps, rough ground, and what a base runs into on it.

A way is the path of the middle of a base. Lengths are thousandths of an inch; what falls short of another by less than
a millionth of a thousandth is equal to it, so that a single straight length is compared exactly. What anything costs,
and whether it is allowed, is decided elsewhere.

A piece that cannot be entered on the level is stood on where the middle of a base lies inside its outline. A base is
taken up when it begins to overlap the piece on its way there, and down when it has left it whole. Rough ground counts
where the middle of a base goes over it on the level of the table; water costs nothing extra.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from math import dist, sqrt
from typing import Annotated, Literal, NamedTuple

from msgspec import Meta
from msgspec.structs import asdict, replace

from arbiter.caching import held_by_first
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.paths.bounds import passes
from arbiter.geometry.plane.paths.moves import Stay, box_around, clipped, first_within, polyline, stays
from arbiter.geometry.plane.paths.room import TOUCH, clearance
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import floats, whole
from arbiter.skirmish.plane import place, point
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry import footing
from services.stargrave.geometry.footing import LOW
from services.stargrave.geometry.overlaps import SLACK, Spell, overlaps, touches
from services.stargrave.ground import Ground
from services.stargrave.scene import Figure, Place

How = Literal["walk", "jump", "drop"]

COURSES_KEPT = 4_096
"""Paths of which a ground remembers what they lead over, in each of two generations."""

LENGTHS_KEPT = 8_192
"""Paths of which a ground remembers how much of them lies on rough ground, in each of two generations."""


class _Contact(NamedTuple):
    """A piece, where a base overlaps it, and where the middle of the base is over it."""

    piece: shapes.Piece
    spell: Spell
    over: tuple[Stay, ...]


class Step(Value, frozen=True):
    """One straight step of a way: where it leads (`to`), and whether it is walked, jumped, or a step into a drop."""

    to: Place
    how: Annotated[How, Meta(description="A drop is fallen down instead of climbed down.")] = "walk"


class Stretch(Value, frozen=True):
    """A part of a way between two of its lengths, gone in one manner at one height."""

    since: float
    until: float
    how: How
    height: int


class Change(Value, frozen=True):
    """A change of height at some length of a way: a climb up or down, or a fall.

    `step` is how much of the way leads from beside a piece onto its top, or off it: half a base at most.
    """

    along: float
    start: int
    end: int
    how: Literal["climb", "fall"]
    step: float = 0.0


class Rough(Value, frozen=True):
    """Where a way goes over a piece of rough ground."""

    piece: str
    since: float
    until: float


class Course(Value, frozen=True):
    """What a path leads over for all bases of a size, whoever else is on the table.

    `against` are the pieces that a base runs into. Where it ends, at the height `end`, `held` says whether the ground
    bears the figure.
    """

    stretches: tuple[Stretch, ...]
    changes: tuple[Change, ...]
    rough: tuple[Rough, ...]
    against: tuple[str, ...]
    held: bool
    end: int


class Way(Course, frozen=True):
    """A way and what it leads over.

    `through` are the figures whose bases it enters, each with the length at which it first does. Where it ends, `room`
    says whether nobody else stands there, and `beside` names the walls that leave its base no room when it has come
    down in a fall.
    """

    path: Path
    steps: tuple[tuple[float, How], ...]
    through: tuple[tuple[str, float], ...]
    room: bool
    beside: tuple[str, ...]
    start: int

    def height_at(self, along: float) -> int:
        """Give the height at a length of the way, after what changes there."""
        if not self.stretches:
            return self.end
        place = bisect_right([stretch.since for stretch in self.stretches], along) - 1
        return self.stretches[max(place, 0)].height if along < self.path.length else self.end

    @property
    def stands(self) -> bool:
        """Whether the figure can stand where the way ends, if need be a little beside it."""
        return self.held and self.room

    @property
    def falls(self) -> tuple[Change, ...]:
        """The falls on the way, in their order."""
        return tuple(change for change in self.changes if change.how == "fall")

    @property
    def jumped(self) -> float:
        """How much of the way is jumped."""
        return sum(part.until - part.since for part in self.stretches if part.how == "jump")


def follow_steps(field: Battlefield, figure: Figure, steps: Sequence[Step]) -> Way:
    """Follow a figure along straight steps."""
    places = [field.solid(figure).at, *(point(step.to) for step in steps)]
    hows = [step.how for step, here, to in zip(steps, places, places[1:], strict=False) if here != to]
    path = polyline(list(map(floats, places)))
    ends = accumulate(leg.length for leg in path.legs)
    return follow(field, figure, path, tuple(zip(ends, hows, strict=True)))


def follow(field: Battlefield, figure: Figure, path: Path, steps: tuple[tuple[float, How], ...] = ()) -> Way:
    """Follow a figure along a path; `steps` say up to which length it is gone in which manner, by default walked."""
    body = field.solid(figure)
    spans = steps or (((path.length, "walk"),) if path.length else ())
    over = course(field.ground, path, body.radius, body.elevation, spans)
    there = replace(body, at=whole(path.end), elevation=over.end)
    fallen = bool(over.changes) and over.changes[-1].how == "fall" and over.changes[-1].along >= path.length - TOUCH
    beside_end = tuple(piece.id for piece in footing.pressing(field, there)) if fallen else ()
    return Way(
        **asdict(over),
        path=path,
        steps=spans,
        through=tuple(_through(field, figure, path, over.stretches)),
        room=not path.length or bool(beside_end) or footing.is_left_room(field, there, path.end),
        beside=beside_end,
        start=body.elevation,
    )


def walked(ground: Ground, path: Path, body: shapes.Figure) -> Course:
    """Give what a walk along a path leads over, for a base that begins it at the height of a body."""
    return course(ground, path, body.radius, body.elevation, ((path.length, "walk"),) if path.length else ())


@held_by_first(COURSES_KEPT)
def course(ground: Ground, path: Path, radius: int, elevation: int, spans: tuple[tuple[float, How], ...]) -> Course:
    """Give what a path leads over for bases of a radius that begin it at some height."""
    standing, rough = _near(ground, path, radius)
    on, beside = _touched(path, radius, elevation, standing)
    stretches = tuple(_stretches(path, elevation, spans, on))
    last = complex(*path.end)
    over = (one.piece for one in on if one.spell[1] >= path.length - TOUCH)
    end = max((piece.height for piece in over if clearance(last, piece.outline) < radius - TOUCH), default=0)
    if not path.length:
        end = elevation
    changes = tuple(_with_step(path, radius, on, change) for change in _changes(stretches, elevation, end, path.length))
    # The middle of a base that is over a piece overlaps it.
    met = (one.piece for one in (*on, *beside))
    under = max((piece.height for piece in met if clearance(last, piece.outline) < -TOUCH), default=0)
    return Course(
        stretches,
        changes,
        tuple(_rough(path, stretches, rough)),
        tuple(_against(stretches, on, beside)),
        not path.length or under == end,
        end,
    )


@held_by_first(LENGTHS_KEPT)
def lengths_on_rough(ground: Ground, path: Path, radius: int) -> tuple[float, ...] | None:
    """Give the lengths of a walk over rough ground on the level of the table; None where a base meets other terrain."""
    standing, rough = _near(ground, path, radius)
    if any(True for piece in standing for _ in overlaps(path, piece, radius)):
        return None
    level = (Stretch(0.0, path.length, "walk", 0),)
    return tuple(part.until - part.since for part in _rough(path, level, rough))


def hanging(way: Way, end: int, step: float) -> Way:
    """Give a way that ends part-way up a piece beside which it leads, at some height, or down a piece that it left."""
    climb = Change(way.path.length, way.end, end, "climb", step)
    return replace(way, changes=(*way.changes, climb), held=True, end=end)


def at_place(figure: Figure, at: shapes.Point, height: int) -> Figure:
    """Give a figure put somewhere else, in thousandths."""
    return replace(figure, at=place(at), elevation_in=float(shapes.units(height)))


def stop_at(field: Battlefield, figure: Figure, way: Way, along: float) -> Figure:
    """Give a figure stopped at some length of its way, where nobody else stands: there, or before it came to others."""
    body = field.solid(figure)
    others = [them for them in field.bodies if them.id != figure.id]
    cuts = {cut for them in others for cut in touches(way.path, floats(them.at), body.radius + them.radius)}
    for before in (along, *sorted((cut for cut in cuts if 0 < cut < along), reverse=True)):
        height = way.height_at(before)
        spot = footing.nearest_free_place(field, replace(body, elevation=height), way.path.at(before))
        if spot is not None:
            return at_place(figure, spot, height)
    return figure


def first_near(way: Way, other: shapes.Figure, reach: int, height: str) -> float | None:
    """Find the first length of a way at which its middle is no further than `reach` from another's middle in plan.

    By `space` the reach is shortened by the difference in height, as the straight line through space is: `reach` is
    then the sum of the radii, or nothing, and the inch beyond.
    """
    for stretch in way.stretches or (Stretch(0.0, 0.0, "walk", way.start),):
        within = float(reach)
        if height == "space":
            rise = abs(stretch.height - other.elevation)
            if rise > shapes.PER_UNIT:
                continue
            within = reach - shapes.PER_UNIT + sqrt(shapes.PER_UNIT**2 - rise**2)
        spot = first_within(clipped(way.path, stretch.since, stretch.until), floats(other.at), within)
        if spot is not None:
            return stretch.since + spot.along
    return None


def _near(ground: Ground, path: Path, radius: int) -> tuple[list[shapes.Piece], list[shapes.Piece]]:
    """List the pieces beside a path that are stood on or walked around, and those of rough ground."""
    left, low, right, high = box_around(path)
    near = [
        piece
        for piece, box in ground.boxes
        if box[0] - radius <= right and left <= box[2] + radius and box[1] - radius <= high and low <= box[3] + radius
    ]
    return [piece for piece in near if piece.ground == "impassable"], [
        piece for piece in near if piece.ground == "rough"
    ]


def _touched(
    path: Path, radius: int, elevation: int, standing: Iterable[shapes.Piece]
) -> tuple[list[_Contact], list[_Contact]]:
    """Find where a base overlaps pieces: those that its middle goes over, and those that it only brushes."""
    on: list[_Contact] = []
    beside: list[_Contact] = []
    for piece in standing:
        spells = tuple(overlaps(path, piece, radius))
        over = stays(path, (piece.outline,)) if spells else ()
        for spell in spells:
            # Who stands on a piece with the middle of the base beyond its edge is on it until the base has left it.
            stood = spell[0] <= TOUCH and elevation >= piece.height
            inside = any(stay.enters < spell[1] and stay.leaves > spell[0] for stay in over)
            (on if piece.climbable and (inside or stood) else beside).append(_Contact(piece, spell, over))
    return on, beside


def _stretches(
    path: Path, elevation: int, spans: Sequence[tuple[float, How]], on: Sequence[_Contact]
) -> Iterator[Stretch]:
    """Cut a way into stretches of one manner and one height."""
    cuts = sorted({0.0, *(until for until, _ in spans), *(cut for one in on for cut in one.spell)})
    height = elevation
    last: Stretch | None = None
    for since, until in pairwise(cut for cut in cuts if cut <= path.length):
        how = next(how for end, how in spans if until <= end + TOUCH)
        if how != "jump" and not (elevation and until <= SLACK):
            height = max((one.piece.height for one in on if one.spell[0] <= since and until <= one.spell[1]), default=0)
        elif last is not None and last.how != "jump":
            height = last.height
        if last is not None and (last.how, last.height) == (how, height):
            last = Stretch(last.since, until, how, height)
            continue
        if last is not None:
            yield last
        last = Stretch(since, until, how, height)
    if last is not None:
        yield last


def _changes(stretches: Sequence[Stretch], elevation: int, end: int, length: float) -> Iterator[Change]:
    """List where the height changes; down in a drop or at the end of a jump it is a fall."""
    height, how = elevation, "walk"
    for stretch in stretches:
        if stretch.height != height:
            fallen = stretch.height < height and (stretch.how == "drop" or how == "jump")
            yield Change(stretch.since, height, stretch.height, "fall" if fallen else "climb")
        height, how = stretch.height, stretch.how
    if stretches and end != height:
        yield Change(length, height, end, "fall" if end < height and how != "walk" else "climb")


def _with_step(path: Path, radius: int, on: Sequence[_Contact], change: Change) -> Change:
    """Give a change of height with the part of the way that leads onto the top of a piece, or off it.

    The middle of the base crosses the edge of the piece there. A way that ends no more than `SLACK` beyond it, where
    whole thousandths are, ends at the edge.
    """
    top = max(change.start, change.end)
    for piece, (since, until), over in on:
        if piece.height != top or change.how == "fall":
            continue
        if change.end == top and abs(since - change.along) <= TOUCH:
            edges = (stay.enters for stay in over if stay.leaves > since)
            edge = min(edges, default=since)
            step = (path.length if path.length - edge <= SLACK else edge) - since
        elif change.start == top and abs(until - change.along) <= TOUCH:
            # Whoever begins with the middle of the base on the edge or beyond it is stepping off from the start.
            edge = max((stay.leaves for stay in over if stay.enters < until), default=0.0)
            step = until - (0.0 if edge <= SLACK else edge)
        else:
            continue
        return replace(change, step=min(step, radius + SLACK))
    return change


def _against(stretches: Sequence[Stretch], on: Sequence[_Contact], beside: Sequence[_Contact]) -> Iterator[str]:
    """List the pieces that a base runs into: brushed by it, or met in a jump, and higher than it is there."""
    contacts: dict[str, None] = {}
    for spells, kinds in ((beside, ("walk", "drop", "jump")), (on, ("jump",))):
        for piece, (since, until), _ in spells:
            for stretch in stretches:
                shares = stretch.since < until - TOUCH and since < stretch.until - TOUCH
                if shares and stretch.how in kinds and piece.height - stretch.height >= LOW:
                    contacts.setdefault(piece.id)
    yield from contacts


def _rough(path: Path, stretches: Sequence[Stretch], rough: Sequence[shapes.Piece]) -> Iterator[Rough]:
    """List where a way goes over rough ground: on the level of the table, and not in a jump."""
    for stay in stays(path, [piece.outline for piece in rough]):
        open_: Spell | None = None
        for part in stretches:
            since, until = max(stay.enters, part.since), min(stay.leaves, part.until)
            if until - since <= TOUCH or part.height or part.how == "jump":
                continue
            if open_ is not None and since - open_[1] > TOUCH:
                yield Rough(rough[stay.piece].id, *open_)
                open_ = None
            open_ = (since if open_ is None else open_[0], until)
        if open_ is not None:
            yield Rough(rough[stay.piece].id, *open_)


def _through(
    field: Battlefield, figure: Figure, path: Path, stretches: Sequence[Stretch]
) -> Iterator[tuple[str, float]]:
    """List whose bases a way enters, at a height at which their bodies meet, and where it first does."""
    body, (left, low, right, high) = field.solid(figure), box_around(path)
    for them in field.bodies:
        (x, y), wide = them.at, body.radius + them.radius + 1.0
        if x + wide < left or x - wide > right or y + wide < low or y - wide > high or them.id == figure.id:
            continue
        before, after = dist(path.start, them.at), dist(path.end, them.at)
        circle = ((floats(them.at), wide),)
        if not any(leg.centre is not None or passes(leg.start, leg.end, circle) for leg in path.legs):
            continue
        apart = min(before, after) - body.radius - them.radius
        reach = body.radius + them.radius - 2 * TOUCH - (them.slack if apart < 0 else 0)
        for part in stretches:
            if part.height >= them.elevation + them.height or them.elevation >= part.height + body.height:
                continue
            spot = first_within(clipped(path, part.since, part.until), floats(them.at), reach)
            if spot is not None:
                yield them.id, part.since + spot.along
                break
