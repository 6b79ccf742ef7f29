"""Missions: what they count, and the victory points they give in a phase or at the end."""

from typing import Literal

from arbiter.facts import Number, Units, fact
from arbiter.geometry.plane.shapes import thousandths
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.rapture.battlefield import Battlefield
from services.rapture.profiles import Mission
from services.rapture.rules import aims
from services.rapture.rules.elimination import eliminated_units
from services.rapture.scene import Side, Unit, edge_of

When = Literal["preparation", "cleanup", "end"]

_THINGS = {
    "objectives-held": ("objective held", "objectives held"),
    "units-beyond-middle": ("unit beyond the middle", "units beyond the middle"),
    "eliminated": ("eliminated unit", "eliminated units"),
    "deeds": ("use of its ability", "uses of its ability"),
}
"""What missions count, by its name for one and for many."""


@rule("missions.points", cites=("preparation/victory-points", "cleanup/victory-points", "victory/missions"), neutral=0)
def points(table: Table, field: Battlefield, side: str, when: When) -> int:
    """Decide the victory points of a side's mission now: for each thing it counts, up to its maximum."""
    own = next(each for each in field.scene.all_sides if each.id == side)
    if own.mission is None or (mission := field.book.missions[own.mission]).when != when:
        return 0
    many = _counted(table, field, own, mission)
    things = _THINGS[mission.counts]
    points = many * mission.points_each
    if mission.most is not None:
        points = min(points, max(0, mission.most - own.victory_points))
    cites = {"preparation": "preparation/victory-points", "cleanup": "cleanup/victory-points"}.get(
        when, "victory/missions"
    )
    text, limit = "{mission} gives {side} {points} for {many}", {}
    if points < many * mission.points_each:
        text, limit = f"{text}; the limit is {{most}} in all", {"most": mission.most}
    table.find(
        text,
        cites=cites,
        mission=mission.name or mission.id,
        side=side,
        points=Quantity(points, "victory point"),
        many=Quantity(many, *things),
        **limit,
    )
    return points


def _counted(table: Table, field: Battlefield, side: Side, mission: Mission) -> int:
    own = tuple(unit for unit in field.units if unit.side == side.id)
    match mission.counts:
        case "deeds":
            return side.deeds
        case "eliminated":
            return len(eliminated_units(table, field, side.id))
        case "units-beyond-middle":
            beyond = units_beyond(table, field, side)
            return sum(unit.id in beyond for unit in own)
        case _:
            return objectives_held(table, field, side, thousandths(mission.reach_cm or 0))


@fact(
    "objectives_held",
    "How many objectives does {side} hold?",
    of=("side",),
    kind=Number("objectives", most=20.0, whole=True, usual=0.0),
    says="Objectives that {side} holds: {value}",
    cites="victory/missions",
)
def objectives_held(table: Table, field: Battlefield, side: Side, near: int) -> int:
    """Count the objectives within a distance of a unit of a side, and of no unit of another side."""
    own = tuple(unit for unit in field.units if unit.side == side.id)
    others = tuple(unit for unit in field.units if unit.side != side.id)
    return sum(
        any(aims.at_objective(field, unit.id, row.id, near) for unit in own)
        and not any(aims.at_objective(field, unit.id, row.id, near) for unit in others)
        for row in field.scene.objectives
    )


@fact(
    "beyond_middle",
    "Which units of {side} are beyond the middle of the table?",
    of=("side",),
    kind=Units(),
    says="Beyond the middle, of {side}: {value}",
    cites="victory/missions",
)
def units_beyond(table: Table, field: Battlefield, side: Side) -> tuple[str, ...]:
    """List the units of a side that are beyond the middle."""
    return tuple(unit.id for unit in field.units if unit.side == side.id and _beyond(field, side, unit))


def _beyond(field: Battlefield, side: Side, unit: Unit) -> bool:
    """Decide whether the centre of every model of a unit is in the half away from its own edge."""
    edge = edge_of(side)
    across = 0 if edge in ("west", "east") else 1
    middle = (field.ground.width, field.ground.depth)[across] / 2
    sign = 1 if edge in ("west", "south") else -1
    return all(sign * (body.at[across] - middle) > 0 for body in field.solids(unit))
