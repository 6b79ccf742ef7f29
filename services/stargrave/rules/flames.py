"""Flames: whom the template of a flame thrower touches, and its attack on each of them.

Follows the notes on the flame thrower in the table of weapons and in the research notes. The template is a sample; a
case may say instead whom it touches.
"""

from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.templates import Drop
from arbiter.rule import rule
from arbiter.skirmish.plane import point
from arbiter.table import Table
from arbiter.text import Quantity
from services.stargrave.battlefield import Battlefield, Ids
from services.stargrave.rules import harm, jams, shooting, sight, wards
from services.stargrave.scene import Place

FLAME_THROWER = "flame-thrower"
COMBAT_ARMOUR = "combat-armour"

STEPS_LESS = {"one-less": 1, "none": 2, "full": 0}
"""By how many steps cover counts for less against flames, by the options of the reading `flame-cover`."""


@rule("flames.touched", cites="weapons/flame-thrower-touches", neutral=())
def touched(table: Table, field: Battlefield, user: str, weapon_id: str, towards: Place) -> Ids:
    """Decide whom a flame template touches: every other figure, friend or foe, that any part of it lies over.

    It is laid on the plan from the edge of the user's base towards a place, begins as a point, and ends round.
    """
    template = field.book.templates[field.book.weapons[weapon_id].template or "flame"]
    body = sight.solid(field, user)
    length, wide = shapes.thousandths(template.length_in or 0), shapes.thousandths(template.width_in) // 2
    cone = Drop(body.at, point(towards), length=length, far_radius=wide, gap=body.radius)
    under = tuple(figure.id for figure in field.figures if figure.id != user and cone.touches(field.solid(figure)))
    figures = tuple(id_ for id_ in under if not behind_force(table, field, user, id_))
    for id_ in figures:
        table.find("The flames touch {name}", name=field.name(id_))
    if not figures:
        table.find("The flames touch nobody")
    return figures


@rule("flames.behind_force", cites="power/wall-of-force", neutral=False)
def behind_force(table: Table, field: Battlefield, user: str, target: str) -> bool:
    """Decide whether a Wall of Force keeps flames from a figure that their template lies over.

    Whether it stops flames is the reading `force-wall-flames`.
    """
    with table.without_findings():
        is_behind = bool(wards.walled_off(table, field, user, target))
    if not is_behind or table.read("force-wall-flames") == "pass":
        return False
    table.find("A Wall of Force keeps the flames from {name}", name=field.name(target))
    return True


def burn(table: Table, field: Battlefield, firing: shooting.Firing, targets: Ids) -> shooting.Attacked:
    """Give the battlefield after the flames have attacked each of those that they touch, and how each attack went.

    Whether the rest are attacked when one of the rolls has jammed the flame thrower is the reading `jam-spares`.
    """
    user = firing.shooter
    if firing.cleared_jam:
        field = jams.clear_jam(table, field, user, firing.weapon)
    looker = sight.solid(field, user)
    natural = table.read("flame-critical") == "both" if targets else True
    outcomes: list[shooting.AttackOutcome] = []
    for target in targets:
        if any(outcome.jammed for outcome in outcomes) and table.read("jam-spares") == "everybody":
            break
        less = cover_less(table, field, looker, target)
        shot = shooting.aimed(table, field, firing, target, less, armour=armour, natural=natural)
        field, outcome = shooting.attack(table, field, user, target, shot, user)
        outcomes.append(outcome)
    if any(outcome.jammed for outcome in outcomes):
        field = jams.jam(table, field, user, firing.weapon)
    return field, tuple(outcomes)


@rule(
    "flames.armour",
    cites=("weapons/flame-thrower-target", "weapons/flame-thrower-armour"),
    neutral=lambda field, target: harm.armour(field, field.figure(target)),
)
def armour(table: Table, field: Battlefield, target: str) -> int:
    """Decide what Armour counts against flames: what of worn armour does, is the reading `flame-armour`."""
    figure = field.figure(target)
    whole = harm.armour(field, figure)
    worn = [field.book.armour[id_] for id_ in field.profile(figure).worn]
    without = {"full": 0, "unworn": sum(each.armour for each in worn)}
    without["combat-armour"] = sum(each.armour for each in worn if each.id != COMBAT_ARMOUR)
    if not any(without.values()):
        return whole
    less = without[table.read("flame-armour")]
    if less:
        text = "Flames ignore {less} of the Armour that {name} wears"
        table.find(text, less=Quantity(less, "point"), name=field.name(figure))
    return whole - less


@rule("flames.cover_less", cites=("weapons/flame-thrower-target", "weapons/flame-thrower-armour"), neutral=0)
def cover_less(table: Table, field: Battlefield, looker: shapes.Figure, target: str) -> int:
    """Decide by how many steps cover counts for less against flames; how many is the reading `flame-cover`."""
    if sight.shelter(table, field, looker, sight.solid(field, target)) == "none":
        return 0
    steps = STEPS_LESS[table.read("flame-cover")]
    if steps:
        text = "Cover counts for one step less against flames" if steps == 1 else "Cover does not count against flames"
        table.find(text, steps=steps)
    return steps
