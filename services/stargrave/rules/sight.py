"""Sight: who sees whom, how far it is, what stands between, and what cover the target has.

Follows the first step of "Shooting" and the first rows of its table of modifiers. The geometry is that of `look` and
`vantage`; here the text decides what follows from it. Lengths are thousandths of an inch, or inches where a name says
so.
"""

from functools import partial
from itertools import product

from arbiter.facts import Number, OneOf, fact
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.measure import Distance
from arbiter.geometry.plane.shapes import Figure as Body
from arbiter.nowhere import Nowhere
from arbiter.readings import Options, settled
from arbiter.rule import rule
from arbiter.skirmish.plane import point, somewhere
from arbiter.table import Table
from arbiter.text import Listing
from services.stargrave.battlefield import Battlefield, Ids
from services.stargrave.geometry import sheltering, vantage
from services.stargrave.geometry.look import Look, Sighting
from services.stargrave.geometry.look import look as look_past
from services.stargrave.geometry.sheltering import Cover as Cover
from services.stargrave.rules import lengths
from services.stargrave.scene import Place

SIGHT_FROM = ("sight-from", ("body", "centre"))
FIGURES_BLOCK = ("figures-block-sight", ("no", "yes"))
DISTANCE = (("distance-from", ("edges", "centres")), ("distance-in-height", ("space", "plan")))
COVER = (
    ("cover-part", ("any", "tenth")),
    ("cover-share", ("silhouette", "width")),
    ("cover-together", ("together", "best-piece")),
    ("touched-by-both", ("cover", "ignored")),
)

SMOKE_ABOVE = "smoke:"
"""What the id of a cloud of smoke begins with where it stands among pieces of terrain."""


def solid(field: Battlefield, figure_id: str) -> Body:
    """Give a figure on the table as the geometry takes it."""
    return field.solid(field.figure(figure_id))


def spot(at: Place, elevation_in: float = 0.0) -> Body:
    """Give a point as something to look at or from: a figure of no more than a thousandth."""
    if isinstance(at, Nowhere):
        return somewhere("")
    return Body("", point(at), 1, 1, shapes.thousandths(elevation_in))


def name_of(field: Battlefield, body: Body) -> str:
    """Give the name of a figure, or what a point is called."""
    return field.name(body.id) if body.id in field.by_id else "the point"


def _names(field: Battlefield, looker: Body, target: Body) -> dict[str, str]:
    return {"looker": name_of(field, looker), "target": name_of(field, target)}


# Line of sight


def sees(table: Table, field: Battlefield, a: str, b: str) -> bool:
    """Check whether one figure on the table sees another."""
    return visible(table, field, solid(field, a), solid(field, b))


@fact(
    "sees_point",
    "Does {looker} see the point or token that it aims at?",
    of=("looker",),
    says=("{looker} sees the point", "{looker} does not see the point"),
    cites="shooting/line-of-sight",
)
def sees_point(table: Table, field: Battlefield, looker: str, at: Place, elevation_in: float = 0.0) -> bool:
    """Check whether a figure sees a point of the table."""
    return visible.function(table, field, solid(field, looker), spot(at, elevation_in))


@fact(
    "sees",
    "Does {looker} see {target}?",
    of=("looker", "target"),
    says=("{looker} sees {target}", "{looker} does not see {target}"),
    cites="shooting/line-of-sight",
)
@rule("sight.visible", cites="shooting/line-of-sight", neutral=True)
def visible(table: Table, field: Battlefield, looker: Body, target: Body) -> bool:
    """Decide whether there is line of sight from a looker to a target: nothing blocks some part of it.

    From where it looks is the reading `sight-from`, whether a line that only touches something is blocked the reading
    `graze`, and whether figures block lines the reading `figures-block-sight`.
    """
    look = look_at(table, field, looker, target)
    blocks = _figures_block(look)

    def decided(origin: str, figures: str, graze: str) -> bool:
        is_visible = look.glimpsed(origin, figures)
        return is_visible == "seen" or (graze == "cross" and is_visible == "grazing")

    # Who is seen in the strictest way is seen in all, who is hidden in the most generous way is hidden in all.
    if look.sees("centre", blocks[1][-1]):
        seen = True
    elif look.glimpsed("body", "no") == "hidden":
        seen = False
    else:
        seen = settled(table, decided, SIGHT_FROM, blocks, ("graze", ("cross", "touch")))
    text = "{looker} sees {target}" if seen else "{looker} does not see {target}"
    table.find(text, **_names(field, looker, target), seen=seen)
    return seen


def line(table: Table, field: Battlefield, looker: Body, target: Body) -> tuple[Look, Sighting]:
    """Give the look at a target and what is seen of it from the best place, for showing and drawing."""
    look = look_at(table, field, looker, target)
    return look, settled(table, look.sighting, SIGHT_FROM, _figures_block(look))


def look_at(table: Table, field: Battlefield, looker: Body, target: Body) -> Look:
    """Settle what the text says about what stands in the way, for looking by any reading."""
    clouds = smoke(table, field, looker, target)
    left_out = not_in_the_way(table, field, looker, target)
    return look_past(field.ground, clouds, looker, target, field.bodies_between(looker, target), left_out)


def _figures_block(look: Look) -> Options:
    """Give the reading of whether figures block lines, with one option alone where there are none."""
    return FIGURES_BLOCK if look.bodies else (FIGURES_BLOCK[0], ("no",))


@rule("sight.smoke", cites="grenades/smoke-blocks", neutral=())
def smoke(table: Table, field: Battlefield, looker: Body, target: Body) -> tuple[shapes.Piece, ...]:
    """Decide which clouds of smoke stand in the way as if they were walls: those near the line, 3 inches high."""
    template = field.book.templates["smoke"]
    wide, high = shapes.thousandths(template.width_in) // 2, shapes.thousandths(template.height_in or 0)
    clouds = (Body(SMOKE_ABOVE + cloud.id, point(cloud.at), wide, high) for cloud in field.scene.board.smoke)
    pieces = vantage.as_pieces(vantage.near(clouds, looker, target))
    for piece in pieces:
        if vantage.glance(field.ground, looker, target).hides(piece):
            text, cloud = "Smoke blocks the line of sight between {looker} and {target}", piece.id
            table.find(text, **_names(field, looker, target), smoke=cloud.removeprefix(SMOKE_ABOVE))
    return pieces


@rule(
    "sight.not_in_the_way",
    cites="shooting-modifiers/shooter-contact-blocks",
    neutral=lambda field, looker, target: vantage.touched(field.ground, looker, target),
)
def not_in_the_way(table: Table, field: Battlefield, looker: Body, target: Body) -> Ids:
    """Decide which pieces block no line although they stand in it: none, not even those that the looker touches."""
    for id_ in vantage.touched(field.ground, looker, target):
        piece = field.ground.pieces[id_]
        if piece.sight == "blocks" and vantage.glance(field.ground, looker, target).hides(piece):
            text = "{piece} may block the line of {looker}, who touches it"
            table.find(text, piece=id_, looker=name_of(field, looker))
    return ()


# Range


def distance(table: Table, field: Battlefield, a: str, b: str) -> Distance:
    """Measure from figure to figure; from where, and whether in height too, are two readings."""
    one, other = solid(field, a), solid(field, b)
    return settled(table, lambda ends, height: lengths.between_figures(one, other, ends, height), *DISTANCE)


def distance_to(table: Table, field: Battlefield, a: str, at: Place, elevation_in: float = 0.0) -> Distance:
    """Measure from a figure to a point."""
    one, x_y, z = solid(field, a), point(at), shapes.thousandths(elevation_in)
    return settled(table, lambda ends, height: lengths.from_point(one, x_y, z, ends, height), *DISTANCE)


@fact(
    "range_in",
    "How many inches is it from {one} to {other}?",
    of=("one", "other"),
    kind=Number("inches", tolerance=0.5, most=120.0, usual=1.0),
    says="Inches from {one} to {other}: {value}",
    cites="shooting/range",
)
def range_in(table: Table, field: Battlefield, a: str, b: str) -> float:
    """Measure from figure to figure in inches."""
    return float(distance(table, field, a, b)) / 1000


def within(table: Table, field: Battlefield, a: str, b: str, inches: float) -> bool:
    """Check whether two figures are within so many inches of each other."""
    if table.facts is not None:
        return range_in(table, field, a, b) <= inches
    one, other, most = solid(field, a), solid(field, b), shapes.thousandths(inches)
    return settled(table, lambda ends, height: lengths.between_figures(one, other, ends, height) <= most, *DISTANCE)


@fact(
    "point_range_in",
    "How many inches is it from {figure} to the point or token that it aims at?",
    of=("figure",),
    kind=Number("inches", tolerance=0.5, most=120.0, usual=1.0),
    says="Inches from {figure} to the point: {value}",
    cites="shooting/range",
)
def point_range_in(table: Table, field: Battlefield, a: str, at: Place, elevation_in: float = 0.0) -> float:
    """Measure from a figure to a point in inches."""
    return float(distance_to(table, field, a, at, elevation_in)) / 1000


def within_point(table: Table, field: Battlefield, a: str, at: Place, inches: float, elevation_in: float = 0.0) -> bool:
    """Check whether a figure is within so many inches of a point."""
    if table.facts is not None:
        return point_range_in(table, field, a, at, elevation_in) <= inches
    return near_point(table, field, a, at, inches, elevation_in)


def near_point(table: Table, field: Battlefield, a: str, at: Place, inches: float, elevation_in: float = 0.0) -> bool:
    """Measure whether a figure is within so many inches of a point."""
    one, x_y, z, most = solid(field, a), point(at), shapes.thousandths(elevation_in), shapes.thousandths(inches)
    return settled(table, lambda ends, height: lengths.from_point(one, x_y, z, ends, height) <= most, *DISTANCE)


# Intervening terrain


@fact(
    "between",
    "How many pieces of terrain stand between {looker} and {target}, without those that either touches?",
    of=("looker", "target"),
    kind=Number("pieces", whole=True, most=20, usual=0),
    says="Pieces of terrain between {looker} and {target}: {value}",
    cites="shooting-modifiers/intervening",
)
def count_between(table: Table, field: Battlefield, looker: Body, target: Body) -> int:
    """Count the pieces of terrain, and by one reading the figures, between a looker and a target."""
    return len(intervening(table, field, looker, target))


@rule("sight.intervening", cites="shooting-modifiers/intervening", neutral=())
def intervening(table: Table, field: Battlefield, looker: Body, target: Body) -> Ids:
    """Decide which pieces of terrain, and by one reading which figures, stand between a looker and a target.

    What lies between is the reading `intervening`, whether figures count the reading `figures-intervene`. What the
    target or the shooter touches is left out; of the former the reading `touched-without-cover` may bring some back.
    """
    look = look_at(table, field, looker, target)
    terrain = _touched_between(field, look)
    by_target = touched_by_target(table, field, looker, target, terrain)
    by_shooter = touched_by_shooter(table, field, looker, target, terrain)
    loose = _without_cover(table, field, look, tuple(id_ for id_ in by_target if id_ not in by_shooter))
    apart = {*by_shooter, *(id_ for id_ in by_target if id_ not in loose)}
    # Figures that touch the looker or the target are no more between than terrain is.
    apart |= {body.id for body in look.bodies if any(vantage.in_touch(body, end) for end in (looker, target))}

    def decided(how: str, origin: str, figures: str, counting: str) -> Ids:
        pieces, bodies = sheltering.between(look, how, origin, figures)
        return tuple(id_ for id_ in (*pieces, *(bodies if counting == "yes" else ())) if id_ not in apart)

    counts = ("figures-intervene", ("no", "yes") if look.bodies else ("no",))
    counted = settled(table, decided, ("intervening", sheltering.HOWS), SIGHT_FROM, _figures_block(look), counts)
    if counted:
        bodies = {body.id for body in look.bodies}
        pieces = Listing(field.name(id_) if id_ in bodies else id_ for id_ in counted)
        text, names = "Between {looker} and {target}: {pieces}", _names(field, looker, target)
        table.find(text, **names, pieces=pieces, count=len(counted))
    return counted


def _touched_between(field: Battlefield, look: Look) -> Ids:
    """Give the terrain that looker or target touches, of what lies between them by any reading."""
    touched = {
        *vantage.touched(field.ground, look.target, look.looker),
        *vantage.touched(field.ground, look.looker, look.target),
    }
    if not touched:
        return ()
    readings = product(sheltering.HOWS, SIGHT_FROM[1], _figures_block(look)[1])
    every = {id_ for options in readings for id_ in sheltering.between(look, *options)[0]}
    return tuple(piece.id for piece in look.terrain if piece.id in touched & every)


@rule("sight.touched_by_target", cites="shooting-modifiers/target-contact", neutral=())
def touched_by_target(table: Table, field: Battlefield, looker: Body, target: Body, pieces: Ids) -> Ids:
    """Decide which of some pieces in between are cover at most, because the target is in contact with them."""
    touched = tuple(id_ for id_ in pieces if id_ in vantage.touched(field.ground, target, looker))
    for id_ in touched:
        text = "{target} touches {piece}, which is cover and not intervening terrain"
        table.find(text, target=name_of(field, target), piece=id_)
    return touched


@rule("sight.touched_by_shooter", cites="shooting-modifiers/shooter-contact", neutral=())
def touched_by_shooter(table: Table, field: Battlefield, looker: Body, target: Body, pieces: Ids) -> Ids:
    """Decide which of some pieces in between do not count, because the shooter is in contact with them."""
    touched = tuple(id_ for id_ in pieces if id_ in vantage.touched(field.ground, looker, target))
    for id_ in touched:
        text = "{looker} touches {piece}, which is no intervening terrain"
        table.find(text, looker=name_of(field, looker), piece=id_)
    return touched


def _without_cover(table: Table, field: Battlefield, look: Look, touched: Ids) -> Ids:
    """Give those of the touched pieces that count as intervening after all, since they hide too little to be cover."""
    if not touched:
        return ()
    around = figures_around(table, field, look.looker, look.target)

    def loose(*options: str) -> Ids:
        return tuple(id_ for id_ in touched if not sheltering.helps(look, around, id_, *options))

    readings = (*COVER, SIGHT_FROM, _figures_block(look))
    if not any(loose(*options) for options in product(*(options for _, options in readings))):
        return ()
    return settled(table, loose, *readings) if table.read("touched-without-cover") == "intervening" else ()


# Cover


@fact(
    "cover",
    "Is {target} in cover from {looker}: none, light or heavy?",
    of=("looker", "target"),
    kind=OneOf(("none", "light", "heavy")),
    says="Cover of {target} from {looker}: {value}",
    cites=("shooting-modifiers/light-cover-solid", "shooting-modifiers/heavy-cover"),
)
@rule(
    "sight.shelter",
    cites=(
        "shooting-modifiers/light-cover-solid",
        "shooting-modifiers/light-cover-soft",
        "shooting-modifiers/heavy-cover",
    ),
    neutral="none",
)
def shelter(table: Table, field: Battlefield, looker: Body, target: Body) -> Cover:
    """Decide what cover a target has: heavy, light or none, by what it touches and how much of it that hides.

    How much is a part, of what the share is taken, whether pieces are taken together, and what a piece is that both
    touch, are the readings `cover-part`, `cover-share`, `cover-together` and `touched-by-both`.
    """
    look = look_at(table, field, looker, target)
    around = figures_around(table, field, looker, target)
    touched = sheltering.touched(look, around)
    if not touched:
        return "none"
    level = settled(table, partial(sheltering.cover, look, around), *COVER, SIGHT_FROM, _figures_block(look))
    stuff = {piece.cover for piece in touched}
    light = tuple(f"shooting-modifiers/light-cover-{kind}" for kind in ("solid", "soft") if kind in stuff)
    says: dict[Cover, tuple[str, tuple[str, ...]]] = {
        "heavy": ("Solid cover hides half of {target} or more", ("shooting-modifiers/heavy-cover",)),
        "light": ("{target} is in light cover", light),
        "none": ("What {target} touches hides too little of it to be cover", ()),
    }
    text, cites = says[level]
    table.find(text, cites=cites, target=name_of(field, target), cover=level)
    return level


@rule("sight.figures_around", cites="shooting-modifiers/figures-as-cover", neutral=())
def figures_around(table: Table, field: Battlefield, looker: Body, target: Body) -> tuple[shapes.Piece, ...]:
    """Decide which figures are solid cover for a target: those in contact with it that hide a part of it."""
    bodies = tuple(body for body in field.bodies_between(looker, target) if vantage.in_touch(body, target))
    pieces = vantage.as_pieces(bodies)
    for piece in pieces:
        if vantage.glance(field.ground, looker, target).hides(piece):
            text = "{figure} is solid cover for {target}"
            table.find(text, figure=field.name(field.by_id[piece.id]), target=name_of(field, target))
    return pieces
