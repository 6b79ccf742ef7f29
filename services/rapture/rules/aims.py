"""Aims: whether an ability reaches its target: another unit, or an objective, which is a point of the battlefield."""

from arbiter.facts import fact
from arbiter.geometry.plane.shapes import Figure, thousandths
from arbiter.geometry.plane.witness import Grazes
from arbiter.readings import settled
from arbiter.rule import Reason, rule
from arbiter.skirmish.plane import point
from arbiter.table import Table
from services.rapture import lines
from services.rapture.battlefield import Battlefield, in_play
from services.rapture.profiles import Ability
from services.rapture.rules import reach
from services.rapture.scene import Objective, spot_of


@rule("aims.violations", cites=("ability/range", "ability/line-of-sight", "action/ability"), neutral=())
def violations(table: Table, field: Battlefield, unit_id: str, ability: str, target: str | None) -> tuple[Reason, ...]:
    """Decide why an ability does not reach its target: wrong kind, too far away, or not visible."""
    card, unit = field.book.abilities[ability], field.unit(unit_id)
    if not in_play(unit):
        return ()
    if card.target == "self":
        if target in (None, unit_id):
            return ()
        return (
            table.reason(
                "{ability} only affects its user", cites="action/ability", ability=field.ability_name(ability)
            ),
        )
    if card.target == "objective":
        return _objective_violations(table, field, unit_id, card, target)
    if (
        target is None
        or target not in field.by_id
        or not in_play(field.by_id[target])
        or not _suits(field, unit_id, card, target)
    ):
        text = "{ability} must target {kind}"
        kind = "another unit of the same side" if card.target == "friend" else "an opponent"
        return (table.reason(text, cites="action/ability", ability=field.ability_name(ability), kind=kind),)
    words = {"unit": field.name(unit.id), "target": field.name(target)}
    reasons = []
    if card.range_cm is not None and not _near(table, field, unit_id, target, card):
        text = (
            "{unit} is not in contact with {target}"
            if card.range_cm == 0
            else "{target} is more than {most:g} cm away from {unit}"
        )
        reasons.append(table.reason(text, cites="ability/range", most=card.range_cm, **words))
    if card.line_of_sight and not reach.sees(table, field, unit_id, target):
        reasons.append(table.reason("{unit} cannot see {target}", cites="ability/line-of-sight", **words))
    return tuple(reasons)


def _suits(field: Battlefield, unit_id: str, card: Ability, target: str) -> bool:
    same = field.unit(target).side == field.unit(unit_id).side
    return same and target != unit_id if card.target == "friend" else not same


def _near(table: Table, field: Battlefield, unit_id: str, target: str, card: Ability) -> bool:
    if card.range_cm == 0:
        return reach.touching(table, field, unit_id, target)
    return reach.within(table, field, unit_id, target, thousandths(card.range_cm or 0))


def _objective_violations(
    table: Table, field: Battlefield, unit_id: str, card: Ability, target: str | None
) -> tuple[Reason, ...]:
    objective = next((row for row in field.scene.objectives if row.id == target), None)
    if objective is None:
        text = "{ability} must target an objective"
        return (table.reason(text, cites="action/ability", ability=field.ability_name(card.id)),)
    words = {"unit": field.name(unit_id), "target": objective.id}
    reasons = []
    if card.range_cm is not None and not reaches_objective(
        table, field, unit_id, objective, thousandths(card.range_cm)
    ):
        text = (
            "{unit} is not in contact with {target}"
            if card.range_cm == 0
            else "{target} is more than {most:g} cm away from {unit}"
        )
        reasons.append(table.reason(text, cites="ability/range", most=card.range_cm, **words))
    if card.line_of_sight and not sees_objective(table, field, unit_id, objective):
        reasons.append(table.reason("{unit} cannot see {target}", cites="ability/line-of-sight", **words))
    return tuple(reasons)


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
    at = next(point(spot_of(row)) for row in field.scene.objectives if row.id == objective)
    for body in field.solids(field.unit(unit_id)):
        most = body.radius + (reach_ or body.slack)
        if (body.at[0] - at[0]) ** 2 + (body.at[1] - at[1]) ** 2 <= most * most:
            return True
    return False


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
        return any(lines.free(field.ground, body, spot, (), origin, grazes, "plan") for body in bodies)

    return settled(table, seen, ("sight-from", ("any-point", "centre")), ("graze", ("cross", "touch")))
