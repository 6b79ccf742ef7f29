"""Paths: the way of a movement, through whom it may lead, and its violations.

Follows the third column of the table of movements, but for climbing, falling and fleeing, which have modules of their
own. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Callable, Iterator
from math import ceil, dist, inf
from typing import Final, Literal, TypeVar

from arbiter.geometry.plane.paths.moves import clipped
from arbiter.geometry.plane.paths.room import TOUCH as EQUAL
from arbiter.geometry.plane.paths.shortest import Path
from arbiter.geometry.plane.shapes import PER_UNIT, whole
from arbiter.option import single
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.paths import stepped
from arbiter.skirmish.plane import point
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from arbiter.text import Listing
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.geometry import courses, ways
from services.size_skirmish.ground import in_touch
from services.size_skirmish.rules import fronts, leaving, ranges
from services.size_skirmish.rules.turns import AIMED, aimed, begins, row

T = TypeVar("T")


TOWARDS: Final = ("move/attack-towards", "move/run-and-shoot-towards", "move/pursue-towards")
"""The units of the table for movements that lead towards a target."""


def made(table: Table, field: Battlefield, action: Action, distance: int | None) -> Path:
    """Return the way of a movement within a range, as far as possible from the model's place now."""
    body = field.solid(action.model)
    path = planned(table, field, action)
    if path is None:
        return courses.stays_put(body)
    path = clipped(path, 0.0, distance or 0) if path.length > (distance or 0) + EQUAL else path
    path = clipped(path, 0.0, fronts.front(table, field, action, path))
    path = clipped(path, 0.0, leaving.within_reach(table, field, action, path))
    return _past(table, field, action, lambda bases: courses.as_far(field, body, path, bases))


def planned(table: Table, field: Battlefield, action: Action) -> Path | None:
    """Return the announced way at full length; None if no way leads to its goal."""
    body = field.solid(action.model)
    if action.way:
        return stepped(body, action.way)
    if action.goal is not None:
        goal = point(action.goal)
        return to(table, field, action, lambda bases, beyond: ways.shortest(field.ground, body, goal, bases, beyond))
    if aimed(field, action):
        return approach(table, field, action)
    return courses.stays_put(body)


Search = Callable[[tuple[ways.Base, ...], tuple[ways.Outline, ...]], T]
"""A search past bases and outlines that block."""


def to(table: Table, field: Battlefield, action: Action, search: Search[T], near: float = inf) -> T:
    """Return the result of a search on the ways of a movement: past models, and in the front area if it has to be.

    Only friends within `near` matter.
    """
    body = field.solid(action.model)
    beyond = courses.behind(field, body, begins(table, field, action)) if fronts.in_front(table, field, action) else ()
    return _past(table, field, action, lambda bases: search(bases, beyond), near)


def approach(table: Table, field: Battlefield, action: Action) -> Path | None:
    """Return the shortest way into base contact with a target; straight if it has to be (`towards`)."""
    body, target = field.solid(action.model), field.unit(action.target or action.model)
    if not in_play(target) or target.id == body.id:
        return None
    them = field.solid(target)
    if in_touch(body, them):
        return courses.stays_put(body)
    if straight_on(table, field, action):
        return courses.straight_to(body, them)
    path = to(table, field, action, lambda bases, beyond: ways.into_contact(field.ground, body, them, bases, beyond))
    if path is None or len(path.legs) == 1:
        return path
    return courses.straight_to(body, them) if _straight_read(table, field, action) else path


@rule("paths.squeezes", cites="move/squeeze-through", neutral=False)
def squeezes(table: Table, field: Battlefield, action: Action) -> bool:
    """Decide whether a movement leads through NPCs and opponents: squeezing through does."""
    if row(field, action).path != "through":
        return False
    table.find("{name} may squeeze through between NPCs and opponents", name=field.name(action.model))
    return True


def _past(
    table: Table, field: Battlefield, action: Action, decide: Callable[[tuple[ways.Base, ...]], T], near: float = inf
) -> T:
    """Decide something by the bases on the way; whether friends may be passed is read only where it matters."""
    model, squeezed = field.unit(action.model), squeezes(table, field, action)
    body = field.solid(model)

    def by(friends: str) -> T:
        passable = [other.id for other in field.units if (friends == "free" if other.side == model.side else squeezed)]
        return decide(ways.bases(field, body, passable))

    bodies = (field.solid(friend) for friend in field.friends(model))
    if not any(dist(other.at, body.at) < near + body.radius + other.radius for other in bodies):
        return by("free")
    return settled(table, by, ("through-friends", ("free", "blocked")))


@violations_rule("paths.through", cites="move/squeeze-through")
def through(table: Table, field: Battlefield, action: Action, path: Path) -> Iterator[Reason]:
    """Decide who blocks a way: models move only through friends (`through-friends`) and end on nobody."""
    body = field.solid(action.model)

    def contacts(bases: tuple[ways.Base, ...]) -> tuple[str, ...]:
        if not path.length:
            return ()
        blocked = ways.passed(path, body.radius, [other for other, passable in bases if not passable])
        entered = ways.entered(whole(path.end), body.radius, [other for other, _ in bases])
        return tuple(dict.fromkeys((*blocked, *entered)))

    if in_the_way := _past(table, field, action, contacts):
        text, others = "The way of {name} is blocked by {others}", field.names(in_the_way)
        yield table.reason(text, others=others, name=field.name(body.id))


@every_reason
def violations(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Return every violation of the way of a movement. A rolled range cuts it short and is not one."""
    if targetless := no_target(table, field, action):
        yield from targetless
    elif (path := planned(table, field, action)) is None:
        yield from no_way(table, field, action)
    else:
        for against in (too_far, barred, through, fronts.astray, away, leaving.held, leaving.clear):
            yield from against(table, field, action, path)


@violations_rule("paths.no_target", cites=TOWARDS)
def no_target(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether there is a target to move towards: a model in play; a pursued one has to flee."""
    of = row(field, action)
    if of.path not in AIMED:
        return
    target, cites = field.unit(action.target or action.model), f"move/{of.id}-towards"
    if target.id == action.model or not in_play(target):
        yield table.reason("{name} is not another model in play", cites=cites, name=field.name(target.id))
    elif of.needs == "fleeing" and target.fleeing is None:
        yield table.reason("{name} is not fleeing", cites=cites, name=field.name(target.id))


@violations_rule("paths.no_way", cites="move/ranges")
def no_way(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide that a model cannot move without a way."""
    cites = f"move/{row(field, action).id}"
    yield table.reason("There is no way there for {name}", cites=cites, name=field.name(action.model))


@violations_rule("paths.too_far", cites="move/ranges")
def too_far(table: Table, field: Battlefield, action: Action, path: Path) -> Iterator[Reason]:
    """Decide whether a way is longer than its range, which is inclusive. Rolled ranges cut the way instead."""
    of = row(field, action)
    if of.dice or aimed(field, action):
        return
    most = ranges.fixed(table, field, action.model, of)
    if path.length > most + EQUAL:
        text = "The way of {name} is {length:g} long; the maximum for {movement} is {most:g}"
        cites, name, length = ("move/ranges", f"move/{of.id}"), field.name(action.model), ceil(path.length - EQUAL)
        values = {"length": length / PER_UNIT, "movement": of.name, "most": most / PER_UNIT}
        yield table.reason(text, cites=cites, name=name, **values)


@violations_rule("paths.barred", cites="move/ranges")
def barred(table: Table, field: Battlefield, action: Action, path: Path) -> Iterator[Reason]:
    """Decide whether a way leads off the table, into impassable terrain, or off its level."""
    body, name, cites = field.solid(action.model), field.name(action.model), f"move/{row(field, action).id}"
    if ways.off_table(field, body, path):
        yield table.reason("The way of {name} leads off the table", cites=cites, name=name)
    if pieces := courses.into(field, body, path):
        yield table.reason("The way of {name} leads into {pieces}", cites=cites, name=name, pieces=Listing(pieces))
    if courses.level(field, body, path) < path.length:
        text = "The way of {name} leads over an edge; going down takes a climb or a fall"
        yield table.reason(text, cites=("move/climb", "move/fall"), name=name)


@violations_rule("paths.away", cites=TOWARDS)
def away(table: Table, field: Battlefield, action: Action, path: Path) -> Iterator[Reason]:
    """Decide whether a way leads towards the target: nearer to it, or straight at it (`towards`)."""
    of = row(field, action)
    if of.path not in AIMED or not path.length:
        return
    target = field.solid(action.target or action.model)
    straight = courses.aside(path, target.at) <= target.slack
    nearer = dist(whole(path.end), target.at) < dist(path.start, target.at)
    if straight_on(table, field, action) or (nearer != straight and _straight_read(table, field, action)):
        nearer = straight
    values = {"name": field.name(action.model), "target": field.name(target.id)}
    if nearer:
        table.find("The way of {name} leads towards {target}", cites=f"move/{of.id}-towards", **values)
    else:
        text = "The way of {name} does not lead towards {target}"
        yield table.reason(text, cites=f"move/{of.id}-towards", **values)


def straight_on(table: Table, field: Battlefield, action: Action) -> bool:
    """Return whether a pursuit has to go straight."""
    return row(field, action).path == "pursuit" and not route(table, field, action)


def _straight_read(table: Table, field: Battlefield, action: Action) -> bool:
    return row(field, action).path == "towards" and table.read("towards") == "straight"


@rule("paths.route", cites="move/pursue-route", neutral=False)
def route(table: Table, field: Battlefield, action: Action) -> bool:
    """Decide whether a pursuer chooses its way: it does, as long as it comes nearer."""
    table.find("{name} chooses the way of its pursuit", name=field.name(action.model))
    return True


@rule("paths.then", cites=("move/attack-like-march-and-strike", "move/run-and-shoot-like-walking"), neutral=None)
def then(table: Table, field: Battlefield, action: Action) -> Literal["strike", "shoot"] | None:
    """Decide what follows a movement within the action: a strike (by `attack-strikes`), or a shot."""
    of = row(field, action)
    if of.then is None or (of.then == "strike" and table.read("attack-strikes") == "approach"):
        return None
    strikes = of.then == "strike"
    text = "{movement} of {name} includes a strike" if strikes else "{movement} of {name} includes a shot"
    cites = "move/attack-like-march-and-strike" if strikes else "move/run-and-shoot-like-walking"
    table.find(text, cites=cites, movement=of.name, name=field.name(action.model))
    return of.then


def shot_when(table: Table, field: Battlefield, action: Action) -> Literal["before", "after"]:
    """Return when in run and shoot the shot is made: by `run-and-shoot-when` its player may choose."""
    if table.read("run-and-shoot-when") == "after":
        return "after"
    who, means = field.unit(action.model).side, single("shot", "shoot {} the movement")
    when: Literal["after", "before"] = table.choose(
        who, f"{action.model}: shot", ("after", "before"), about=field, means=means
    )
    return when
