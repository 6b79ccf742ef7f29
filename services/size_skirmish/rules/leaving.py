"""Leaving: how a melee is left, and how it holds those who move in another way.

Follows the row of disengaging in the table of movements, and the end of a melee in "Melee". Lengths are thousandths.
"""

from collections.abc import Iterator
from functools import partial
from math import dist
from typing import Final, Literal

from msgspec.structs import replace

from arbiter.facts import fact
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import Figure, Point, thousandths, whole
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import courses
from services.size_skirmish.geometry.lines import Heights, within
from services.size_skirmish.ground import in_touch
from services.size_skirmish.rules.turns import row
from services.size_skirmish.scene import Item, Place

HEIGHTS: Final = ("distance-height", ("space", "plan"))


@violations_rule("leaving.no_melee", cites="move/disengage-from-melee")
def no_melee(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether a model may disengage: it must be in melee."""
    if row(field, action).needs == "melee" and not field.opponents(action.model):
        yield table.reason("{name} is not in melee", name=field.name(action.model))


@rule("leaving.disengaged", cites=("move/disengage-from-melee", "melee/ends-disengaged"), neutral=unchanged)
def disengaged(table: Table, field: Battlefield, action: Action) -> Battlefield:
    """Decide which melees end with a movement: all those of a model that disengages and gets clear of its opponents."""
    if row(field, action).needs != "melee":
        return field
    mover, others = action.model, field.opponents(action.model)
    if is_clear(table, field, mover):
        others = ()
    elif field.measures(mover):
        others = holding(table, field, mover, field.solid(mover).at)
    if not others:
        return ended(table, field, mover)
    text = "{name} does not get clear of {others} and stays in melee"
    table.find(text, name=field.name(mover), others=field.names(others))
    return field


@violations_rule("leaving.clear", cites="move/disengage-from-melee")
def clear(table: Table, field: Battlefield, action: Action, path: Path) -> Iterator[Reason]:
    """Decide whether a disengagement gets clear of the opponents: what that means is the reading `disengage-ends`.

    A movement without a way is not judged: where it will lead is not known yet.
    """
    if row(field, action).needs == "melee" and path.length:
        yield from _not_clear(table, field, action, whole(path.end))


@violations_rule("leaving.way_named", cites="move/disengage-from-melee")
def way_named(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether an announced disengagement leads anywhere: without a way it has to be clear already."""
    disengages = action.action == "move" and row(field, action).needs == "melee"
    # Where nothing is measured, the players move it.
    if disengages and not action.way and action.goal is None and field.measures(action.model):
        yield from _not_clear(table, field, action, field.solid(action.model).at)


def _not_clear(table: Table, field: Battlefield, action: Action, at: Point) -> Iterator[Reason]:
    if others := holding(table, field, action.model, at):
        text = "{name} disengages and must get clear of {others}"
        yield table.reason(text, name=field.name(action.model), others=field.names(others))


@fact(
    "clear",
    "Does {mover} get out of contact with all its opponents?",
    of=("mover",),
    says=("{mover} gets clear of its opponents", "{mover} stays in contact with an opponent"),
    cites="move/disengage-from-melee",
)
def is_clear(table: Table, field: Battlefield, mover: str) -> bool:
    """Return whether a model is clear of its opponents in melee where it stands."""
    return not holding(table, field, mover, field.solid(mover).at)


def holding(table: Table, field: Battlefield, mover: str, at: Point) -> tuple[str, ...]:
    """Return the opponents in melee of whom a model would not be clear at a place, by `disengage-ends`."""
    body, opponents = field.solid(mover), field.opponents(mover)
    there = replace(body, at=at)

    def not_clear(ends: str) -> tuple[str, ...]:
        if ends == "anywhere":
            return ()
        return tuple(id_ for id_ in opponents if _holds(table, field, there, id_, ends))

    return settled(table, not_clear, ("disengage-ends", ("out-of-contact", "out-of-reach", "anywhere")))


def out_of_reach(table: Table, field: Battlefield, mover: str) -> tuple[str, ...]:
    """Return the opponents in melee of a model who are out of weapon reach of it."""
    body = field.solid(mover)
    return tuple(id_ for id_ in field.opponents(mover) if not _holds(table, field, body, id_, "out-of-reach"))


def _holds(table: Table, field: Battlefield, there: Figure, other: str, ends: str) -> bool:
    """Return whether an opponent touches a model that stands there, or is within weapon reach of it."""
    if ends == "out-of-contact":
        return in_touch(there, field.solid(other))
    return settled(table, partial(within, there, field.solid(other), reach(field, there.id, other)), HEIGHTS)


def ended(table: Table, field: Battlefield, mover: str) -> Battlefield:
    """Return the battlefield after a model leaves its melees."""
    if not (others := field.opponents(mover)):
        return field
    table.find("{name} leaves its melee with {others}", name=field.name(mover), others=field.names(others))
    table.event("melee_left", model=mover, opponents=list(others))
    return field.parted(mover)


@rule("leaving.items", cites=("melee/casualties", "ranged/casualties"), neutral=unchanged)
def items(table: Table, field: Battlefield, mover: str, at: Place | None, off_table: bool = False) -> Battlefield:
    """Decide which items of a lost model stay on the ground: the reading `items-of-the-gone`."""
    model, name = field.unit(mover), field.name(mover)
    if at is None or not model.items:
        return field
    read = table.read("items-of-the-gone")
    if read == "all-gone" or (off_table and read == "casualties-drop"):
        table.find("{name} takes {items} along", name=name, items=Listing(model.items))
        return field
    table.find("{name} leaves {items} on the ground", name=name, items=Listing(model.items))
    for item in model.items:
        table.event("item_dropped", model=mover, item=item)
    lying = tuple(Item(item, at, model.height_above) for item in model.items)
    return field.changed(mover, items=()).with_(items=(*field.scene.items, *lying))


def gone(
    table: Table, field: Battlefield, mover: str, out: Literal["eliminated", "fled"], over: Place | None = None
) -> Battlefield:
    """Return the battlefield after a model is out, on the table or `over` its edge at a place, with its items."""
    field = items(table, field, mover, over or field.unit(mover).at, over is not None)
    return field.changed(mover, at=None, out=out, fleeing=None, statuses=(), height_above=0.0)


@rule(
    "leaving.within_reach",
    cites=("move/disengage-from-melee", "melee/ends-disengaged"),
    neutral=lambda field, action, path: path.length,
)
def within_reach(table: Table, field: Battlefield, action: Action, path: Path) -> float:
    """Decide how much of a way a model in melee may go: while its opponents stay within weapon reach.

    The reading `leave-melee` says whether other movements lead farther. A model that is farther away already may not
    go farther still.
    """
    opponents = field.opponents(action.model)
    if not path.length or not opponents or row(field, action).needs == "melee":
        return path.length
    body = field.solid(action.model)
    others = [(field.solid(id_), reach(field, action.model, id_)) for id_ in opponents]

    def not_farther(there: Figure, other: Figure) -> bool:
        return dist(there.at, other.at) <= dist(body.at, other.at)

    def held_to(heights: Heights) -> float:
        def near(along: float) -> bool:
            there = replace(body, at=whole(path.at(along)))
            return all(within(there, other, far, heights) or not_farther(there, other) for other, far in others)

        return courses.as_long(path, near).length

    length = settled(table, held_to, HEIGHTS)
    if length >= path.length or table.read("leave-melee") == "any-move":
        return path.length
    table.find("{name} stays within weapon reach of its melee", name=field.name(action.model))
    return length


@violations_rule("leaving.held", cites="move/disengage-from-melee")
def held(table: Table, field: Battlefield, action: Action, path: Path) -> Iterator[Reason]:
    """Decide whether a way leaves a melee without disengaging."""
    if within_reach(table, field, action, path) < path.length:
        name, others = field.name(action.model), field.names(field.opponents(action.model))
        text = "{name} is in melee with {others} and can leave only by disengaging or fleeing"
        yield table.reason(text, name=name, others=others)


def reach(field: Battlefield, a: str, b: str) -> int:
    """Return the longest reach of the melee weapons on the cards of two models."""
    weapons = (
        field.book.weapons[id_] for model in (field.unit(a), field.unit(b)) for id_ in field.profile(model).weapons
    )
    return max((thousandths(weapon.reach) for weapon in weapons if weapon.reach is not None), default=0)
