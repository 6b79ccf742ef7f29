"""Missions: what they count, and the victory points they give in a phase or at the end."""

from typing import Literal

from arbiter.facts import Number, Units, fact
from arbiter.geometry.plane.shapes import thousandths
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Quantity
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.profiles import Mission
from services.rapture.rules import aims
from services.rapture.scene import Side, Unit, edge_of

When = Literal["preparation", "cleanup", "end"]


def disabled(table: Table, unit: Unit) -> bool:
    """Decide whether a unit counts as disabled; with an Escape Marker that is `fleeing-at-end`."""
    if unit.disabled is not None:
        return True
    return unit.escaping and in_play(unit) and table.read("fleeing-at-end") == "yes"


def eliminated_units(table: Table, field: Battlefield, side: str) -> tuple[Unit, ...]:
    """Give the eliminated units of other sides that score for a side.

    Whether fled units score is `eliminated`; which side must have disabled them is `scored-by`.
    """
    return tuple(
        unit
        for unit in field.scene.units
        if unit.side != side
        and disabled(table, unit)
        and (unit.disabled == "casualty" or table.read("eliminated") != "casualties")
        and (unit.disabled_by == side or table.read("scored-by") != "who-did")
    )


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
    points = many * mission.points_each
    text, limit = "{mission} gives {side} {points} for {many}", {}
    if mission.most is not None and points > (left := max(0, mission.most - own.victory_points)):
        points, limit = left, {"most": mission.most}
        text = f"{text}; the limit is {{most}} in all"
    cites = "victory/missions" if when == "end" else f"{when}/victory-points"
    name, won, things = mission.name or mission.id, Quantity(points, "victory point"), _THINGS[mission.counts]
    table.find(text, cites=cites, mission=name, side=side, points=won, many=Quantity(many, *things), **limit)
    return points


def _counted(table: Table, field: Battlefield, side: Side, mission: Mission) -> int:
    match mission.counts:
        case "deeds":
            return side.deeds
        case "eliminated":
            return len(eliminated_units(table, field, side.id))
        case "units-beyond-middle":
            beyond = units_beyond(table, field, side)
            return sum(unit.id in beyond for unit in field.units if unit.side == side.id)
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
    own, others = ([unit.id for unit in field.units if (unit.side == side.id) == mine] for mine in (True, False))

    def anyone_at(objective: str, ids: list[str]) -> bool:
        return any(aims.at_objective(field, id_, objective, near) for id_ in ids)

    return sum(anyone_at(row.id, own) and not anyone_at(row.id, others) for row in field.scene.objectives)


@fact(
    "beyond_middle",
    "Which units of {side} are beyond the middle of the table?",
    of=("side",),
    kind=Units(),
    says="Beyond the middle, of {side}: {value}",
    cites="victory/missions",
)
def units_beyond(table: Table, field: Battlefield, side: Side) -> tuple[str, ...]:
    """List the units of a side of which the centre of every model is in the half away from its own edge."""
    own = [unit for unit in field.units if unit.side == side.id]
    if not own:
        return ()
    edge, ground = edge_of(side), field.ground
    middle = ground.across(edge) / 2
    return tuple(
        unit.id for unit in own if all(ground.from_edge(edge, body.at) > middle for body in field.solids(unit))
    )
