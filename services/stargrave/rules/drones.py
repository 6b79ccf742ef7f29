"""Drones: the activator of a drone sees and touches from where the drone is, for its powers.

Powers stand in the research notes.
"""

from collections.abc import Callable

from arbiter.rule import rule
from arbiter.table import Table
from services.stargrave.battlefield import Battlefield, Ids, Reasons
from services.stargrave.book import Power
from services.stargrave.rules import sight, wards

DRONE = "drone"

Look = Callable[[str, str], Reasons]
"""What keeps a power from what it is aimed at: seen from one figure, and measured from another."""


@rule("drones.of", cites="power/drone", neutral=())
def of(table: Table, field: Battlefield, user: str) -> Ids:
    """Decide from where else an activator sees and touches: the drone of its crew in play, if it knows that power."""
    figure = field.figure(user)
    if all(power.id != DRONE for power in field.profile(figure).powers):
        return ()
    crew = (each for each in field.figures if each.crew == figure.crew and each.id != user)
    return tuple(each.id for each in crew if wards.under(each, DRONE))


@rule("drones.through", cites="power/drone", neutral=lambda field, user, power, target, look: look(user, user))
def through(table: Table, field: Battlefield, user: str, power: Power, target: str, look: Look) -> Reasons:
    """Decide what keeps a power from its aim, where its activator may use the place of a drone as well as its own.

    Whether ranges are measured from the drone, too, is the reading `drone-reach`. `target` names the aim.
    """
    reasons = look(user, user)
    for drone in of(table, field, user) if reasons else ():
        with table.without_findings():
            from_drone, from_user = look(drone, drone), look(drone, user)
        if bool(from_drone) != bool(from_user):
            from_drone = from_user if table.read("drone-reach") == "activator" else from_drone
        if not from_drone:
            text = "{drone} lets {name} reach {target} with {power}"
            names = {"name": field.name(user), "drone": field.name(drone)}
            table.find(text, power=power.name, target=target, **names)
            return ()
    return reasons


def eye(table: Table, field: Battlefield, user: str, target: str) -> str:
    """Give from which figure a target is seen that a power attacks: its activator, else a drone of it."""
    with table.without_findings():
        if wards.sees(table, field, user, target):
            return user
        seeing = (drone for drone in of(table, field, user) if wards.sees(table, field, drone, target))
        return next(seeing, user)


def sees_point(table: Table, field: Battlefield, user: str, at: tuple[float, float]) -> bool:
    """Check whether an activator sees a point of the table, itself or from where its drone is."""
    return any(sight.sees_point(table, field, one, at) for one in (user, *of(table, field, user)))
