"""What powers put on the table: walls, a drone, a guided grenade and flame templates, and where they may be put.

Powers stand in the research notes. Lengths are thousandths of an inch, or inches where a name says so.
"""

from collections.abc import Iterator
from itertools import chain, combinations
from math import atan2, dist, sin, sqrt

from arbiter.dice import D20
from arbiter.geometry.plane import shapes
from arbiter.geometry.plane.measure import squared_to_outline
from arbiter.nowhere import Nowhere
from arbiter.rule import Reason, rule
from arbiter.skirmish import plane
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.stargrave import ground
from services.stargrave.battlefield import Battlefield, Ids, in_play
from services.stargrave.book import Power
from services.stargrave.geometry import footing
from services.stargrave.rules import drones, flames, grenades, jams, lengths, power_moves, shot_rolls, sight, wards
from services.stargrave.rules.grenades import Grenade
from services.stargrave.rules.shooting import Attacked
from services.stargrave.scene import Figure, Piece, Place, Role, Spell

HOLOGRAPHIC, FORCE = "holographic-wall", wards.FORCE_WALL
WALLS = (HOLOGRAPHIC, FORCE)
DRONE, TARGET_LOCK, FIRE = drones.DRONE, "target-lock", "psionic-fire"

HALF_THICKNESS = 50
"""Half of how thick a wall of a power is; no source says, and a wall has to have some thickness."""


# Walls


@violations_rule("power_places.wall_violations", cites=("power/holographic-wall", "power/wall-of-force"))
def wall_violations(
    table: Table, field: Battlefield, user: str, power: Power, ends: tuple[Place, Place]
) -> Iterator[Reason]:
    """Decide whether a wall may be put up between two places: no longer than it is, in sight, and upon nobody.

    A Holographic Wall needs line of sight from its activator to its middle. A Wall of Force lets nobody stand in it.
    """
    cites, most = f"power/{power.id}", float(power.numbers["wall_length_in"])
    if isinstance(ends[0], Nowhere):
        yield from unseen(table, field, user, power, ends[0])
        return
    a, b = plane.point(ends[0]), plane.point(ends[1])
    if dist(a, b) > shapes.thousandths(most) + 1:
        text = "{power} is at most {most} long"
        yield table.reason(text, cites=cites, power=power.name, most=lengths.in_inches(most))
    middle = plane.place(((a[0] + b[0]) // 2, (a[1] + b[1]) // 2))
    yield from unseen(table, field, user, power, middle)
    if power.id == FORCE:
        piece = ground.as_piece(wall(field, power, ends))
        for figure in field.figures:
            if squared_to_outline(field.solid(figure).at, piece.outline) < field.solid(figure).radius ** 2:
                text = "{figure} stands where {power} is to be"
                yield table.reason(text, cites=cites, figure=field.name(figure), power=power.name)


def unseen(table: Table, field: Battlefield, user: str, power: Power, middle: Place) -> Iterator[Reason]:
    """Give why a wall may not be put up where its activator has to see its middle, and does not."""
    if "line-of-sight" in power.classes and not drones.sees_point(table, field, user, middle):
        text, cites = "{name} does not see where {power} is to stand", f"power/{power.id}"
        yield table.reason(text, cites=cites, name=field.name(user), power=power.name)


def wall(field: Battlefield, power: Power, ends: tuple[Place, Place]) -> Piece:
    """Give the piece of terrain that a power puts up between two places."""
    id_ = grenades.new_id(power.id, field.scene.board.pieces)
    (ax, ay), (bx, by) = (plane.point(end) for end in ends)
    length = dist((ax, ay), (bx, by))
    u, v = HALF_THICKNESS * (bx - ax) / length, HALF_THICKNESS * (by - ay) / length
    corners = ((ax + v, ay - u), (bx + v, by - u), (bx - v, by + u), (ax - v, ay + u))
    inside = ((min(max(x, 0), field.ground.width), min(max(y, 0), field.ground.depth)) for x, y in corners)
    is_force = power.id == FORCE
    return Piece(
        id_,
        tuple(plane.place((round(x), round(y))) for x, y in inside),
        float(power.numbers["wall_height_in"]),
        sight="open" if is_force else "blocks",
        cover="none",
        ground="impassable" if is_force else "even",
        climbable=False,
        power=power.id,
        since=field.scene.turn.number,
    )


@rule(
    "power_places.raised",
    cites=("power/holographic-wall", "power/wall-of-force"),
    neutral=lambda field, *_: (field, None),
)
def raised(table: Table, field: Battlefield, power: Power, ends: tuple[Place, Place]) -> tuple[Battlefield, str | None]:
    """Decide what a power puts up between two places: a wall that stops sight alone, or all but sight."""
    height = lengths.in_inches(float(power.numbers["wall_height_in"]))
    table.find("{power} stands, {height} high", cites=f"power/{power.id}", power=power.name, height=height)
    if not field.measures():
        table.event("wall")
        return field, None
    piece = wall(field, power, ends)
    table.event("wall", id=piece.id, ends=ends)
    return field.with_board(pieces=(*field.scene.board.pieces, piece)), piece.id


@rule("power_places.fading", cites="power/holographic-wall", neutral=lambda field: field)
def fading(table: Table, field: Battlefield) -> Battlefield:
    """Decide at the end of a turn which Holographic Walls fail: each of an earlier turn on a roll of 4 or less."""
    for piece in field.scene.board.pieces:
        if piece.power != HOLOGRAPHIC or (piece.since or 0) >= field.scene.turn.number:
            continue
        face: int = table.roll(D20, f"{piece.id}: end")
        most = int(field.book.powers[HOLOGRAPHIC].numbers["ends_at_most"])
        outcome = "fails" if face <= most else "stays"
        table.record(f"{piece.id}: end", total=face, needed=most, most=True, outcome=outcome)
        if face <= most:
            table.find("{wall} rolls {face}: on {most} or less it fails", wall=piece.id, face=face, most=most)
            field = removed(table, field, piece.id)
        else:
            table.find("{wall} rolls {face} and stays", wall=piece.id, face=face)
    return field


@rule("power_places.broken", cites="power/wall-of-force", neutral=False)
def broken(table: Table, field: Battlefield, wall_id: str, face: int) -> bool:
    """Decide whether a shot at a Wall of Force ends it: on a shooting roll of 19 or 20."""
    least = int(field.book.powers[FORCE].numbers["ends_at_least"])
    table.find("The shot at {wall} rolls {face}; {least} or more ends the wall", wall=wall_id, face=face, least=least)
    return face >= least


@violations_rule("power_places.shot_violations", cites=("shooting/range", "power/wall-of-force"))
def shot_violations(table: Table, field: Battlefield, shooter: str, range_in: float, wall_id: str) -> Iterator[Reason]:
    """Decide whether a Wall of Force may be shot at: its nearest place is within range, on the plan."""
    body = sight.solid(field, shooter)
    apart = sqrt(squared_to_outline(body.at, field.ground.pieces[wall_id].outline)) - body.radius
    if apart > shapes.thousandths(range_in):
        text = "{wall} is out of range: the weapon reaches {inches}"
        yield table.reason(text, wall=wall_id, inches=lengths.in_inches(range_in))


def shot_at(
    table: Table, field: Battlefield, shooter: str, weapon_id: str, wall_id: str
) -> tuple[Battlefield, bool, bool]:
    """Give the battlefield after a shot at a Wall of Force, whether that ended it, and whether the weapon jams."""
    face = shot_rolls.attack_roll(table, shooter)
    if is_jammed := shot_rolls.jams(table, shot_rolls.Shot(0, 0, 0, 0), face):
        field = jams.jam(table, field, shooter, weapon_id)
    is_broken = broken(table, field, wall_id, face)
    outcome = "the wall ends" if is_broken else "the wall stands"
    table.record(f"{shooter}: shooting", total=face, outcome=outcome + (", jam" if is_jammed else ""))
    if is_broken:
        field = removed(table, field, wall_id)
    return field, is_broken, is_jammed


def removed(table: Table, field: Battlefield, wall_id: str) -> Battlefield:
    """Give the battlefield without a wall of a power."""
    table.event("wall-ended", id=wall_id)
    return field.with_board(pieces=tuple(piece for piece in field.scene.board.pieces if piece.id != wall_id))


# Drone


@violations_rule("power_places.drone_violations", cites="power/drone")
def drone_violations(table: Table, field: Battlefield, user: str, to: Place) -> Iterator[Reason]:
    """Decide whether a drone may be put down at a place: within touch of its activator, and where it has room."""
    if isinstance(to, Nowhere):
        return
    drone = _drone(field, user, to)
    there = field.with_(figures=(*field.scene.figures, drone))
    body, near = there.solid(drone), shapes.thousandths(TOUCH_IN)
    names = {"name": field.name(user)}
    if not lengths.between_figures(sight.solid(field, user), body, "edges", "space") <= near:
        yield table.reason("The drone is not within 1 inch of {name}", cites="powers/touch", **names)
    if not (footing.on_table(field, body, body.at) and footing.fits(there, body)) or footing.pressing(there, body):
        yield table.reason("There is no room for the drone at that place", **names)


TOUCH_IN = 1.0


def _drone(field: Battlefield, user: str, to: Place) -> Figure:
    id_, activator = grenades.new_id(DRONE, field.scene.figures), field.figure(user)
    role: Role = "creature" if activator.crew is None else "soldier"
    drone = Figure(id_, DRONE, activator.crew, role, activator.at, activator.elevation_in, spells=(Spell(DRONE),))
    return power_moves.put(field, drone, to)


@rule("power_places.deployed", cites=("power/drone", "creatures/drone"), neutral=lambda field, *_: (field, None))
def deployed(table: Table, field: Battlefield, user: str, to: Place) -> tuple[Battlefield, str | None]:
    """Decide what Drone does: a drone joins the crew as a soldier, at the place that was picked."""
    drone = _drone(field, user, to)
    table.find("A drone joins the crew of {name}", name=field.name(user))
    table.event("deployed", figure=drone.id, at=drone.at)
    return field.with_(figures=(*field.scene.figures, drone)), drone.id


# Target Lock


@violations_rule("power_places.lock_violations", cites="power/target-lock")
def lock_violations(
    table: Table, field: Battlefield, user: str, power: Power, thrower: str, kind: grenades.Kind, at: Place
) -> Iterator[Reason]:
    """Decide whether somebody may throw the grenade of Target Lock: its activator, or a crew member beside it."""
    figure, names = field.figure(thrower), {"name": field.name(thrower)}
    if not in_play(figure):
        yield table.reason("{name} is not in play", **names)
        return
    inches = float(power.numbers["helper_within_in"])
    if thrower != user:
        if figure.crew != field.figure(user).crew:
            yield table.reason("{name} is of another crew", **names)
        elif not sight.within(table, field, user, thrower, inches):
            text = "{name} is not within {inches} of the activator"
            yield table.reason(text, inches=lengths.in_inches(inches), **names)
    weapon = grenades.weapon_of(field, thrower, kind, launcher=False)
    if weapon is None:
        yield table.reason("{name} has no such grenade", **names)
    else:
        yield from grenades.violations(table, field, Grenade(thrower, kind, at), weapon)


@rule("power_places.locked", cites="power/target-lock", neutral=lambda field, *_: (field, ()))
def locked(table: Table, field: Battlefield, thrower: str, kind: grenades.Kind, at: Place) -> Attacked:
    """Decide what Target Lock does: a grenade lands exactly on its point, without a roll."""
    table.find("The grenade of {name} lands exactly", name=field.name(thrower))
    return grenades.burst(table, field, Grenade(thrower, kind, at))


# Psionic Fire


@rule("power_places.templates", cites="power/psionic-fire", neutral=())
def templates(table: Table, field: Battlefield, user: str, towards: tuple[Place, ...]) -> Ids:
    """Decide whom the flame templates of Psionic Fire touch: each figure once, whichever touches it."""
    every = (flames.touched(table, field, user, flames.FLAME_THROWER, place) for place in towards)
    found = tuple(dict.fromkeys(chain.from_iterable(every)))
    if found:
        table.find("The templates touch {names}", names=field.names(found))
    return found


@violations_rule("power_places.fire_violations", cites="power/psionic-fire")
def fire_violations(
    table: Table, field: Battlefield, user: str, power: Power, towards: tuple[Place, ...]
) -> Iterator[Reason]:
    """Decide whether flame templates may lie so: two at most, which do not overlap."""
    most = int(power.numbers["templates"])
    if len(towards) > most:
        yield table.reason("{power} has {most} templates", power=power.name, most=most)
    elif any(_overlap(field, user, one, other) for one, other in combinations(towards, 2)):
        yield table.reason("The templates of {power} overlap", power=power.name)


def _overlap(field: Battlefield, user: str, one: Place, other: Place) -> bool:
    """Check whether two flame templates from one base overlap.

    They mirror each other in the line that halves the angle between them, and overlap where either crosses it: where
    the middle of its round end is nearer to that line than the end is wide.
    """
    row, body = field.book.templates["flame"], sight.solid(field, user)
    wide = shapes.thousandths(row.width_in) // 2
    middle = body.radius + shapes.thousandths(row.length_in or 0) - wide
    (ax, ay), (bx, by) = ((x - body.at[0], y - body.at[1]) for x, y in (plane.point(one), plane.point(other)))
    angle = atan2(abs(ax * by - ay * bx), ax * bx + ay * by)
    return middle * sin(angle / 2) < wide
