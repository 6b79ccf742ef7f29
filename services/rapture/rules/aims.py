"""Aims: whether an ability reaches its target: another unit, or an objective, which is a point of the battlefield."""

from collections.abc import Iterator
from functools import partial

from arbiter.facts import fact
from arbiter.geometry.plane.shapes import Figure, thousandths
from arbiter.geometry.plane.witness import Grazes
from arbiter.readings import settled
from arbiter.rule import Reason
from arbiter.skirmish.plane import point
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.rapture import lines
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.profiles import Ability
from services.rapture.rules import reach
from services.rapture.scene import Objective, spot_of


@violations_rule("aims.violations", cites=("ability/range", "ability/line-of-sight", "action/ability"))
def violations(table: Table, field: Battlefield, unit_id: str, ability: str, target: str | None) -> Iterator[Reason]:
    """Decide why an ability does not reach its target: wrong kind, too far away, or not visible."""
    card, name = field.book.abilities[ability], field.ability_name(ability)
    objective = next((row for row in field.scene.objectives if row.id == target), None)
    if not in_play(field.unit(unit_id)):
        return
    if card.target == "self":
        if target not in (None, unit_id):
            yield table.reason("{ability} only affects its user", cites="action/ability", ability=name)
        return
    far = None if card.range_cm is None else thousandths(card.range_cm)
    if card.target == "objective":
        if objective is None:
            yield table.reason("{ability} must target an objective", cites="action/ability", ability=name)
            return
        near = far is None or reaches_objective(table, field, unit_id, objective, far)
        sees, target_name = partial(sees_objective, table, field, unit_id, objective), objective.id
    else:
        if target is None or not _suits(field, unit_id, card, target):
            kind = "another unit of the same side" if card.target == "friend" else "an opponent"
            yield table.reason("{ability} must target {kind}", cites="action/ability", ability=name, kind=kind)
            return
        if card.range_cm == 0:
            near = reach.touching(table, field, unit_id, target)
        else:
            near = far is None or bool(reach.in_range(table, field, unit_id, target, far))
        sees, target_name = partial(reach.sees, table, field, unit_id, target), field.name(target)
    words = {"unit": field.name(unit_id), "target": target_name}
    if not near:
        touching, away = "{unit} is not in contact with {target}", "{target} is more than {most:g} cm away from {unit}"
        text = touching if card.range_cm == 0 else away
        yield table.reason(text, cites="ability/range", most=card.range_cm, **words)
    if card.line_of_sight and not sees():
        yield table.reason("{unit} cannot see {target}", cites="ability/line-of-sight", **words)


def _suits(field: Battlefield, unit_id: str, card: Ability, target: str) -> bool:
    if target not in field.by_id or not in_play(field.unit(target)):
        return False
    enemies = field.are_enemies(field.unit(target), field.unit(unit_id))
    return not enemies and target != unit_id if card.target == "friend" else enemies


@fact(
    "at_objective",
    "Is {unit} near enough to {objective}?",
    of=("unit", "objective"),
    says=("{unit} is near enough to {objective}", "{unit} is not near enough to {objective}"),
    cites="ability/range",
)
def reaches_objective(table: Table, field: Battlefield, unit_id: str, objective: Objective, reach_: int) -> bool:
    """Decide whether a unit is within a distance, in thousandths, of an objective."""
    return at_objective(field, unit_id, objective.id, reach_)


def at_objective(field: Battlefield, unit_id: str, objective: str, reach_: int) -> bool:
    """Decide whether a base of a unit is within a distance, in thousandths, of an objective, which is a point."""
    x, y = next(point(spot_of(row)) for row in field.scene.objectives if row.id == objective)
    return any(
        (body.at[0] - x) ** 2 + (body.at[1] - y) ** 2 <= (body.radius + (reach_ or body.slack)) ** 2
        for body in field.solids(field.unit(unit_id))
    )


@fact(
    "sees_objective",
    "Does {unit} see {objective}?",
    of=("unit", "objective"),
    says=("{unit} sees {objective}", "{unit} does not see {objective}"),
    cites="ability/line-of-sight",
)
def sees_objective(table: Table, field: Battlefield, unit_id: str, objective: Objective) -> bool:
    """Decide whether a unit sees an objective, which is a point, by the readings on sight."""
    spot = Figure(objective.id, point(spot_of(objective)), 1, 1)

    def seen(origin: lines.From, grazes: Grazes) -> bool:
        bodies = field.solids(field.unit(unit_id))
        return any(lines.line_on(field.ground, body, spot, (), origin, grazes, "plan") is not None for body in bodies)

    return settled(table, seen, ("sight-from", ("any-point", "centre")), ("graze", ("cross", "touch")))
