"""View: what lies in a model's front, what it sees, and how far models are from each other.

Follows "Visibility and Distance". The geometry is that of `lines`; here the text decides what follows from it. Lengths
are thousandths of the scene's unit.
"""

from fractions import Fraction
from functools import partial
from typing import Any, Final

from arbiter.facts import Number, fact
from arbiter.geometry.plane.measure import Distance
from arbiter.geometry.plane.shapes import PER_UNIT, Figure
from arbiter.geometry.plane.witness import Grazes
from arbiter.readings import Options, settled
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import lines

UNITS: Final = {"inches": ("inch", "inches"), "centimetres": ("centimetre", "centimetres")}
"""The name of one unit of length, and of many."""

_FRONT: tuple[Options, ...] = (("front-of", ("centre", "any-part")), ("front-border", ("included", "excluded")))
_MODELS: Options = ("models-block-sight", ("yes", "no"))
_HEIGHT: Options = ("sight-height", ("space", "plan"))
_SIGHT: tuple[Options, ...] = (("sight-to", ("any-part", "centre")), ("graze", ("cross", "touch")), _HEIGHT)
_STRICT: lines.How = ("centre", "touch", "plan")
_SIGHT_BOUNDS = (("yes", *_STRICT), ("no", "any-part", "cross", "space"), ("no", "centre", "cross", "space"))
"""Who is seen in the strictest way is seen in all; who is hidden in the most generous ways is hidden in all."""

_DISTANCE: Options = ("distance-height", ("space", "plan"))


@fact(
    "in_front",
    "Is {target} in front of {observer}, in the half of the table that it faces?",
    of=("observer", "target"),
    says=("{target} is in front of {observer}", "{target} is behind {observer}"),
    cites="view/front-half",
)
@rule("view.ahead", cites="view/front-half", neutral=True)
def ahead(table: Table, field: Battlefield, observer: str, target: str) -> bool:
    """Decide whether a model lies in another's field of view: the half of its surroundings that it faces.

    What of it has to lie there is the reading `front-of`, whether just 90 degrees off is in it is `front-border`.
    """
    in_front = settled(table, partial(lines.ahead, field.solid(observer), field.solid(target)), *_FRONT)
    text = "{other} is in front of {model}" if in_front else "{other} is behind {model}"
    table.find(text, model=field.name(observer), other=field.name(target), ahead=in_front)
    return in_front


@fact(
    "sees",
    "Does a line of sight lead from {observer} to {target}?",
    of=("observer", "target"),
    says=("{observer} has a line of sight to {target}", "{observer} has no line of sight to {target}"),
    cites="view/true-line-of-sight",
)
@rule("view.free", cites="view/true-line-of-sight", neutral=True)
def free(table: Table, field: Battlefield, observer: str, target: str) -> bool:
    """Decide whether a line of sight leads from one model to another, whichever way the one faces.

    What has to be seen is the reading `sight-to`, whether heights count is `sight-height`, whether the bodies of other
    models hide is `models-block-sight`, and whether a line that only touches something is blocked is `graze`.
    """
    looker, seen = field.solid(observer), field.solid(target)
    third = lines.between(looker, seen, field.bodies)

    def past(models: str, to: lines.To, grazes: Grazes, heights: lines.Heights) -> bool:
        return lines.free(field.ground, looker, seen, third if models == "yes" else (), to, grazes, heights)

    is_free = settled(table, past, _MODELS, *_SIGHT, bounds=_SIGHT_BOUNDS)
    text = "{model} has a line of sight to {other}" if is_free else "{model} has no line of sight to {other}"
    table.find(text, model=field.name(observer), other=field.name(target), free=is_free)
    return is_free


def plainly(field: Battlefield, observer: str, target: str) -> bool:
    """Return whether a line of sight leads from one model to another by all readings of what hides."""
    looker, seen = field.solid(observer), field.solid(target)
    return lines.free(field.ground, looker, seen, lines.between(looker, seen, field.bodies), *_STRICT)


def faced(table: Table, field: Battlefield, observer: str, target: str) -> bool:
    """Return whether a model faces another as far as a line of sight needs it: the reading `sight-front`."""
    if table.facts is not None and table.read("sight-front") == "not-needed":
        return True  # nobody is asked for what does not matter
    return ahead(table, field, observer, target) or table.read("sight-front") == "not-needed"


def blockers(table: Table, field: Battlefield, observer: str, target: str) -> tuple[str, ...]:
    """Return what hides parts of one model from another: pieces and models, by their ids."""
    return settled(table, partial(lines.blockers, field.ground, *_line(table, field, observer, target)), _HEIGHT)


def drawn(table: Table, field: Battlefield, observer: str, target: str, is_free: bool) -> lines.Drawn:
    """Return the line that shows whether one model sees another, by the readings of this table, for drawing."""
    readings: Any = table.readings
    how = readings["sight-to"], readings["graze"], readings["sight-height"]
    return lines.drawn(field.ground, *_line(table, field, observer, target), how, is_free)


def _line(table: Table, field: Battlefield, observer: str, target: str) -> tuple[Figure, Figure, tuple[Figure, ...]]:
    """Return two models, and the others that may hide one from the other by the readings of this table."""
    looker, seen = field.solid(observer), field.solid(target)
    hide = table.readings["models-block-sight"] == "yes"
    return looker, seen, lines.between(looker, seen, field.bodies) if hide else ()


@rule("view.distance", cites="view/distance-centres", neutral=Distance(Fraction(0)))
def distance(table: Table, field: Battlefield, one: str, other: str) -> Distance:
    """Decide how far two models are from each other: from the middle of one base to that of the other.

    Whether a difference in height counts is the reading `distance-height`.
    """
    length = settled(table, partial(lines.distance, field.solid(one), field.solid(other)), _DISTANCE)
    far = Quantity(round(float(length) / PER_UNIT, 3), *UNITS[field.scene.unit])
    table.find("{other} is {away} from {model}", model=field.name(one), other=field.name(other), away=far)
    return length


MEASURED_TO = 0.5
"""How exactly players measure, in the scene's unit."""


@fact(
    "distance",
    "How far is it from the middle of the base of {one} to that of {other}, in the scene's unit (inches)?",
    of=("one", "other"),
    kind=Number("the scene's unit", tolerance=MEASURED_TO),
    says="It is {value} from {one} to {other}",
    cites="view/distance-centres",
    mutual=True,
)
def away(table: Table, field: Battlefield, one: str, other: str) -> float:
    """Return how far two models are from each other, in the scene's unit."""
    return float(distance(table, field, one, other)) / PER_UNIT


def within(table: Table, field: Battlefield, one: str, other: str, reach: int) -> bool:
    """Return whether two models are within a distance of each other, just that distance included; it finds nothing."""
    return settled(table, partial(lines.within, field.solid(one), field.solid(other), reach), _DISTANCE)


def perhaps_within(field: Battlefield, one: str, other: str, reach: int) -> bool:
    """Return whether two models may be within a distance: they are in plan, or nobody knows where they are."""
    if not field.measures(one, other) or field.place(one) is None or field.place(other) is None:
        return True
    return lines.within(field.solid(one), field.solid(other), reach, "plan")
