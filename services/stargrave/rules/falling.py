"""Falls: the damage that a fall of some inches does, who takes it, and where one comes down beside a wall.

Follows "Falling" under "Movement". Heights are thousandths of an inch.
"""

from arbiter.geometry.plane import shapes
from arbiter.readings import settled
from arbiter.rule import rule
from arbiter.skirmish import plane
from arbiter.table import Table
from arbiter.text import Listing, Quantity
from services.stargrave.battlefield import Battlefield
from services.stargrave.geometry import footing
from services.stargrave.rules import harm
from services.stargrave.rules.lengths import inches

HARMLESS = 3 * shapes.PER_UNIT
"""Up to this height a fall does nothing; what it does at just this height is unclear."""


def fall(table: Table, field: Battlefield, mover: str, height: int) -> Battlefield:
    """Give the battlefield after a figure has fallen some height and taken the damage; where it lies is not decided."""
    lost = harm.lost(field, mover, damage(table, height))
    table.event("fell", figure=mover, inches=height / shapes.PER_UNIT, damage=lost)
    return harm.harm(table, field, mover, lost, None)


@rule("falling.landed", cites=("movement/fall-damage", "movement/short-fall"), neutral=lambda field, body: body.at)
def landed(table: Table, field: Battlefield, body: shapes.Figure) -> shapes.Point | None:
    """Decide where a figure stands that falls beside walls so near that they leave its base no room; None if nowhere.

    `body` is the figure as it comes down, and onto somebody it does not. Whether it is put as near as its base has
    room is the reading `no-room-to-land`.
    """
    walls = footing.pressing(field, body)
    if not walls:
        return body.at
    to = footing.nearest(field, body) if footing.nearest_free_place(field, body, body.at) is not None else None
    if to is None or table.read("no-room-to-land") == "nowhere":
        return None
    text = "{figure} lands as near to {walls} as its base fits"
    table.find(text, figure=field.name(body.id), walls=Listing(wall.id for wall in walls), to=plane.place(to))
    return to


def damage(table: Table, height: int) -> int:
    """Decide how many points of damage a fall does."""
    return 0 if short(table, height) else long(table, height)


@rule("falling.short", cites="movement/short-fall", neutral=False)
def short(table: Table, height: int) -> bool:
    """Decide whether a fall is too short to hurt; whether one of exactly 3 inches is, is `exactly-three-inches`."""
    harmless = height < HARMLESS or (height == HARMLESS and table.read("exactly-three-inches") == "harmless")
    if harmless:
        table.find("A fall of {inches} does no damage", inches=inches(height))
    return harmless


@rule("falling.long", cites=("movement/fall-damage", "movement/fall-rounding"), neutral=0)
def long(table: Table, height: int) -> int:
    """Decide how much damage a fall does that hurts: one and a half times its inches, rounded down.

    Whether the height is rounded down first is the reading `fall-rounding`.
    """

    def points(rounded: str) -> int:
        inches = height if rounded == "damage" else height // shapes.PER_UNIT * shapes.PER_UNIT
        return inches * 3 // (2 * shapes.PER_UNIT)

    done = settled(table, points, ("fall-rounding", ("damage", "height")))
    text = "A fall of {inches} does {damage}"
    table.find(text, inches=inches(height), damage=Quantity(done, "point of damage", "points of damage"))
    return done
