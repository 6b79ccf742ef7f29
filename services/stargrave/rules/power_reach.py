"""Reach: whether a power reaches what it is aimed at: itself, what its activator sees, or what it touches.

Classes and ranges stand in the research notes; what a target has to be is in `power_aims`.
"""

from collections.abc import Iterator
from functools import partial

from arbiter.rule import Reason
from arbiter.skirmish.reasons import every_reason, violations_rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Reasons, in_play
from services.stargrave.book import Power
from services.stargrave.rules import combat, drones, lengths, power_aims, power_places, shooting, sight, wards
from services.stargrave.rules.power_aims import PowerAim
from services.stargrave.scene import Place

CONCEALED, REMOTE, DARK_ENERGY = "concealed-firearm", "remote-firing", "dark-energy"

TOUCH = 1.0
"""Inches that a power by touch reaches."""


@every_reason
def violations(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> Iterator[Reason]:
    """List the violations of the reach of a power."""
    if power.id == CONCEALED:
        yield from at_close_quarters(table, field, user, aim)
    elif ("self" in power.classes and aim.target in (None, user)) or power.id in power_places.WALLS:
        return
    elif "line-of-sight" in power.classes:
        yield from _sight_violations(table, field, user, power, aim)
    elif "touch" in power.classes:
        yield from _touch_violations(table, field, user, power, aim)
    else:
        yield from only_self(table, field, user, power)


@violations_rule("power_reach.at_close_quarters", cites="power/concealed-firearm")
def at_close_quarters(table: Table, field: Battlefield, user: str, aim: PowerAim) -> Iterator[Reason]:
    """Decide whether Concealed Firearm may be used on a figure: one with which its user is in combat."""
    if aim.target not in combat.engaged_with(table, field, user):
        yield table.reason("{name} is not in combat with the target", name=field.name(user))


@violations_rule("power_reach.only_self", cites="powers/self")
def only_self(table: Table, field: Battlefield, user: str, power: Power) -> Iterator[Reason]:
    """Decide whether a power works on another figure: a self-only power does not."""
    yield table.reason("{power} works only on {name}", power=power.name, name=field.name(user))


def _sight_violations(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> Iterator[Reason]:
    """List what keeps a power by line of sight from its target, and from a token or whoever carries it."""
    carrier = power_aims.carrier(field, aim.token)
    for id_ in dict.fromkeys(id_ for id_ in (aim.target, carrier and carrier.id) if id_):
        if not in_play(field.figure(id_)):
            yield from out_of_play(table, field, id_)
        elif id_ != user:
            look = partial(_figure_in_sight, table, field, power, id_)
            yield from drones.through(table, field, user, power, field.name(id_), look)
    if carrier is None and aim.token is not None and (at := field.token(aim.token).at) is not None:
        look = partial(_token_in_sight, table, field, power, aim.token, at)
        yield from drones.through(table, field, user, power, aim.token, look)


@violations_rule("power_reach.out_of_play", cites=("powers/line-of-sight", "powers/touch"))
def out_of_play(table: Table, field: Battlefield, target: str) -> Iterator[Reason]:
    """Decide why a figure that is not in play is no aim for a power: it is neither seen nor touched."""
    yield table.reason("{target} is not in play", target=field.name(target))


def _figure_in_sight(
    table: Table, field: Battlefield, power: Power, target: str, looker: str, measured: str
) -> Reasons:
    inches = None if power.id == REMOTE else power.range_in
    near = inches is None or sight.within(table, field, measured, target, inches)
    seen = wards.sees(table, field, looker, target)
    walls = wards.walled_off(table, field, looker, target) if seen and power.id == DARK_ENERGY else ()
    return (*in_sight(table, field, looker, power, field.name(target), seen, near), *walls)


def _token_in_sight(
    table: Table, field: Battlefield, power: Power, token: str, at: Place, looker: str, measured: str
) -> Reasons:
    height = field.token(token).elevation_in
    near = power.range_in is None or sight.within_point(table, field, measured, at, power.range_in, height)
    return in_sight(table, field, looker, power, token, sight.sees_point(table, field, looker, at, height), near)


@violations_rule("power_reach.in_sight", cites="powers/line-of-sight")
def in_sight(
    table: Table, field: Battlefield, looker: str, power: Power, target: str, seen: bool, near: bool
) -> Iterator[Reason]:
    """Decide whether a power by line of sight reaches an aim that is seen or not, and near or not."""
    names = {"power": power.name, "name": field.name(looker), "target": target}
    if seen and near:
        table.find("{target} is a valid target for {power}", **names)
    if not seen:
        yield table.reason("{name} does not see {target}", **names)
    if not near:
        text = "{target} is out of range: {power} reaches {reach}"
        reach = lengths.in_inches(power.range_in or 0.0)
        yield table.reason(text, cites=f"power/{power.id}", reach=reach, **names)


@violations_rule("power_reach.remote", cites=("power/remote-firing", "powers/remote-firing-robot"))
def remote(table: Table, field: Battlefield, power: Power, robot: str | None, target: str | None) -> Iterator[Reason]:
    """Decide whether a robot may make the shot of Remote Firing: at a figure that it sees within range."""
    if robot is None or target is None or not in_play(field.figure(robot)):
        return
    if not in_play(field.figure(target)):
        yield table.reason("{target} is not in play", target=field.name(target))
        return
    yield from shooting.in_sight(table, field, robot, target)
    yield from shooting.into_combat(table, field, robot, target)
    if not sight.within(table, field, robot, target, power.range_in or 0.0):
        text, inches = "{target} is more than {inches} from {robot}", lengths.in_inches(power.range_in or 0.0)
        names = {"target": field.name(target), "robot": field.name(robot)}
        yield table.reason(text, cites="power/remote-firing", inches=inches, **names)


def _touch_violations(table: Table, field: Battlefield, user: str, power: Power, aim: PowerAim) -> Reasons:
    """List what keeps a power by touch from its target."""
    # A figure that is raised has no place yet; `power_moves` checks that it stands up beside the activator.
    if aim.target is None or aim.target == user or power.id == power_aims.PUPPET_MASTER:
        return ()
    target = field.figure(aim.target)
    if not in_play(target):
        return out_of_play(table, field, target.id)
    reach = power.range_in or TOUCH

    def look(toucher: str, measured: str) -> Reasons:
        return in_touch(table, field, toucher, target.id, reach)

    return drones.through(table, field, user, power, field.name(target), look)


@violations_rule("power_reach.in_touch", cites="powers/touch")
def in_touch(table: Table, field: Battlefield, toucher: str, target: str, reach_in: float) -> Iterator[Reason]:
    """Decide whether a power by touch reaches a figure: one within 1 inch."""
    if not sight.within(table, field, toucher, target, reach_in):
        text = "{target} is not within {reach} of {name}"
        names = {"target": field.name(target), "name": field.name(toucher)}
        yield table.reason(text, reach=lengths.in_inches(reach_in), **names)
