"""Squads: which models are removed while HP are left, and whether models stand in formation."""

from msgspec.structs import replace

from arbiter.nowhere import unplaced
from arbiter.option import Option
from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.ground import in_touch
from services.rapture.rules import boxes
from services.rapture.rules.reach import moot


@rule("squads.remove_models", cites="health/casualty", neutral=lambda field, unit_id: field)
def remove_models(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide whether models of a squad are removed as it loses HP: by the reading `squad-casualties`.

    Then the share of models left equals the share of HP, rounded up; the player chooses which are removed.
    """
    unit = field.unit(unit_id)
    card = field.profile(unit)
    many = len(unit.models)
    remaining = -(-card.models * boxes.left(field, unit_id, "hp") // len(card.hp))
    if unit.disabled is not None or remaining >= many or table.read("squad-casualties") == "stay":
        return field
    if not field.measures(unit_id):
        field = field.put(replace(unit, models=unplaced(remaining)))
    for _ in range(len(field.unit(unit_id).models) - remaining):
        unit = field.unit(unit_id)
        options = tuple(range(1, len(unit.models) + 1))
        means = {
            number: Option(number, f"the model at {x:g}, {y:g}", {"unit": field.name(unit), "model": (x, y)})
            for number, (x, y) in enumerate(unit.models, 1)
        }.__getitem__
        removed = table.choose(field.player(unit_id), f"{unit_id}: model taken off", options, about=field, means=means)
        left = tuple(at for number, at in enumerate(unit.models, 1) if number != removed)
        table.event("model-off", unit=unit_id, model=unit.models[removed - 1], left=len(left))
        field = field.put(replace(unit, models=left))
    table.find("{unit} keeps {kept} of {many} models", unit=field.name(unit.id), kept=remaining, many=many)
    return field


@rule("squads.formation_violations", cites="preparation/formations", neutral=())
def formation_violations(table: Table, field: Battlefield, unit_id: str) -> tuple[Reason, ...]:
    """Decide which models of a squad are out of formation.

    By the reading `formation` that is none, or all not in one chain of contact with the first model.
    """
    if moot(table, "formation", "as-placed"):
        return ()
    unit = field.unit(unit_id)
    bodies = field.solids(unit)
    chain, rest = set(bodies[:1]), set(bodies[1:])
    while linked := {body for body in rest if any(in_touch(body, other) for other in chain)}:
        chain |= linked
        rest -= linked
    if not rest or table.read("formation") == "as-placed":
        return ()
    alone = [number for number, body in enumerate(bodies, 1) if body in rest]
    return tuple(
        table.reason(
            "Model {model} of {unit} is not in contact with the others", model=number, unit=field.name(unit.id)
        )
        for number in alone
    )
