"""Where models go in battles: towards a goal within a movement's range, out of a melee, up and down.

The rules decide what a movement may do; this module only proposes ways. Lengths are thousandths of the scene's unit.
"""

from collections.abc import Iterator
from math import cos, dist, pi, sin
from typing import Final

from arbiter.geometry.plane.shapes import Figure, Piece, Point, thousandths, whereabouts, whole
from arbiter.skirmish.plane import place, point
from arbiter.table import Table
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import levels, ways
from services.size_skirmish.rules import action_table, paths, ranges
from services.size_skirmish.scene import NPC, Direction

ITEM, PIECE, BRINK = "item:", "piece:", "brink"

DOWN = ""
"""The name of a climb down, which has no piece."""

PARTS: Final = (1.0, 0.9, 0.75, 0.5, 0.25)
"""The parts of a range that are tried in turn until the end has room."""

LEAST = 400
"""The shortest move worth making, in thousandths."""

NEAR = 2
"""Thousandths by which a way stays below its range, so that rounding never makes it too long."""

DEEP: Final = (1.0, 0.5, 0.05)
"""How far onto a piece a climb ends, in radii of the base."""

TURNS: Final = (0.0, pi / 4, -pi / 4, pi / 2, -pi / 2)
"""Angles off the straight way out of a melee, in the order in which they are tried."""


def goals(field: Battlefield, mover: str) -> Iterator[str]:
    """Yield the goals of a model: opponents, items and climbable pieces; from above only the brink."""
    body = field.solid(mover)
    if body.elevation:
        yield from () if levels.at_a_drop(field, body) else (BRINK,)
        return
    yield from (other.id for other in opponents(field, mover))
    yield from (f"{ITEM}{item.id}" for item in field.scene.items if not item.height_above)
    beside = levels.beside(field, body)
    yield from (f"{PIECE}{piece.id}" for piece in _low(field, mover) if piece not in beside)


def opponents(field: Battlefield, mover: str) -> tuple[Figure, ...]:
    """Return the models of other sides, without NPCs, in the order of the scene."""
    return tuple(field.solid(other) for other in field.enemies(field.unit(mover)) if other.side != NPC)


def facing(field: Battlefield, mover: str, at: Point) -> Direction | None:
    """Return the direction from a place to the nearest opponent of a model; None without one."""
    bodies = (other for other in opponents(field, mover) if other.at != at)
    nearest = min(bodies, key=lambda other: dist(other.at, at), default=None)
    return None if nearest is None else ways.towards(at, nearest.at)


def towards(table: Table, field: Battlefield, mover: str, movement: str, goal: str) -> Action | None:
    """Return the movement that brings a model to a goal or nearest to it; None if it comes no nearer."""
    row = field.book.movements[movement]
    body = field.solid(mover)
    for wished in _wishes(field, body, movement, goal):
        with table.without_findings():
            path = paths.approach(table, field, wished) if wished.target else paths.planned(table, field, wished)
        if path is None:
            continue
        # What the dice of a range add is not known yet, and a way that is too long for them is cut short.
        far = path.length if row.dice else min(path.length, ranges.fixed(table, field, mover, row) - NEAR)
        for part in PARTS:
            if (along := far * part) < LEAST:
                break
            end = whole(path.at(along))
            faced = facing(field, mover, end)
            action = Action(mover, "move", movement, turned=wished.turned, goal=place(end), facing=faced)
            if can(table, field, action):
                return action
    return None


def _wishes(field: Battlefield, body: Figure, movement: str, goal: str) -> Iterator[Action]:
    """Yield movements all the way to a goal, the likeliest first; in the front area the model turns to the goal."""
    front = field.book.movements[movement].path == "front"

    def turned(at: Point) -> Direction | None:
        return ways.towards(body.at, at) if front else None

    if goal in field.by_id:
        at = field.solid(goal).at
        yield Action(body.id, "move", movement, goal, turned=turned(at))
        return
    if goal.startswith(ITEM):
        id_ = goal.removeprefix(ITEM)
        spots = [point(item.at) for item in field.scene.items if item.id == id_]
    elif goal == BRINK:
        spots = _brinks(field, body)
    else:
        spots = [side.off(body.radius) for side in _sides(body, field.ground.pieces[goal.removeprefix(PIECE)])]
    for spot in spots:
        yield Action(body.id, "move", movement, goal=place(spot), turned=turned(spot))


def up_to(table: Table, field: Battlefield, mover: str, movement: str, target: str) -> Action | None:
    """Return the movement that brings a model into contact with another, or as near as its range allows.

    None if no way leads nearer.
    """
    body, them = field.solid(mover), field.solid(target)
    with table.without_findings():
        path = paths.planned(table, field, Action(mover, "move", movement, target))
        far = ranges.fixed(table, field, mover, field.book.movements[movement]) - NEAR
    if path is None or not path.length:
        return None
    end = whole(path.at(min(far, path.length)))
    turned, faced = ways.towards(body.at, them.at), ways.towards(end, them.at)
    if turned is None or faced is None:
        return None
    action = Action(mover, "move", movement, target, goal=place(end), turned=turned, facing=faced)
    return action if can(table, field, action) else None


def away(table: Table, field: Battlefield, mover: str) -> Action | None:
    """Return the straightest open way of a model out of its melee; None if there is none."""
    body = field.solid(mover)
    others = [field.solid(other).at for other in field.opponents(mover)]
    x, y = (sum(axis) / len(others) for axis in zip(*others, strict=True))
    by = dist(body.at, (x, y))
    if not by:
        return None
    u, v = (body.at[0] - x) / by, (body.at[1] - y) / by
    far = ranges.fixed(table, field, mover, field.book.movements["disengage"]) - NEAR
    for part in PARTS[::2]:
        for turn in TURNS:
            ahead = u * cos(turn) - v * sin(turn), u * sin(turn) + v * cos(turn)
            end = whole((body.at[0] + far * part * ahead[0], body.at[1] + far * part * ahead[1]))
            if ways.free(field.ground, body, end):
                action = Action(mover, "move", "disengage", goal=place(end), facing=facing(field, mover, end))
                if can(table, field, action):
                    return action
    return None


def climbable(field: Battlefield, mover: str) -> tuple[str, ...]:
    """Return what a model may try to climb: the pieces at its base that it can climb in one movement, and down."""
    body, low = field.solid(mover), _low(field, mover)
    up = [piece.id for piece in levels.beside(field, body) if piece.height > body.elevation and piece in low]
    return (*up, DOWN) if body.elevation else tuple(up)


def climb(table: Table, field: Battlefield, mover: str, onto: str) -> Action | None:
    """Return the open climb of a model onto a piece at its base, or down; None if there is none."""
    body = field.solid(mover)
    if onto == DOWN:
        landing = levels.landing(field, body, body.at) if body.elevation else None
        spots = [] if landing is None else [landing.at]
    else:
        nearest = _sides(body, field.ground.pieces[onto])[0]
        spots = [nearest.off(-deep * body.radius) for deep in DEEP]
    actions = (Action(mover, "move", "climb", way=(place(at),), facing=facing(field, mover, at)) for at in spots)
    return next((action for action in actions if can(table, field, action)), None)


def _low(field: Battlefield, mover: str) -> tuple[Piece, ...]:
    """Return the pieces that a model can climb in one movement."""
    movement = field.profile(field.unit(mover)).movement
    most = thousandths(movement) * field.book.movements["climb"].times
    return tuple(piece for piece in field.ground.climbable if piece.height <= most)


def _sides(body: Figure, piece: Piece) -> list[levels.Side]:
    """Return the sides of a piece, the nearest first."""
    return sorted(levels.sides_of(piece, body.at), key=lambda side: dist(side.foot, body.at))


def _brinks(field: Battlefield, body: Figure) -> list[Point]:
    """Return the places on the piece under a model from which it can climb down."""
    level = (piece for piece in field.ground.climbable if piece.height == body.elevation)
    under = (piece for piece in level if whereabouts(body.at, piece.outline) == "inside")
    return [side.off(-0.9 * body.radius) for piece in under for side in _sides(body, piece)]


def can(table: Table, field: Battlefield, action: Action) -> bool:
    """Return whether an action has no violations now."""
    with table.without_findings():
        return not action_table.violations(table, field, action)
