"""Squads: which models are removed while HP are left, and whether models stand in formation."""

from collections.abc import Iterator

from msgspec.structs import replace

from arbiter.nowhere import unplaced
from arbiter.option import Option
from arbiter.rule import Reason, rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.rapture.battlefield import Battlefield
from services.rapture.ground import in_touch
from services.rapture.rules import boxes
from services.rapture.rules.reach import moot


@rule("squads.remove_models", cites="health/casualty", neutral=unchanged)
def remove_models(table: Table, field: Battlefield, unit_id: str) -> Battlefield:
    """Decide whether models of a squad are removed as it loses HP: by the reading `squad-casualties`.

    Then the share of models left equals the share of HP, rounded up; the player chooses which are removed.
    """
    unit = field.unit(unit_id)
    card, many, name = field.profile(unit), len(unit.models), field.name(unit_id)
    remaining = -(-card.models * boxes.left(field, unit_id, "hp") // len(card.hp))
    if unit.disabled is not None or remaining >= many or table.read("squad-casualties") == "stay":
        return field
    if not field.measures(unit_id):
        field = field.put(replace(unit, models=unplaced(remaining)))
    for _ in range(len(field.unit(unit_id).models) - remaining):
        unit = field.unit(unit_id)
        means = {
            number: Option(number, f"the model at {x:g}, {y:g}", {"unit": name, "model": (x, y)})
            for number, (x, y) in enumerate(unit.models, 1)
        }
        label, player = f"{unit_id}: model taken off", field.player(unit_id)
        removed = table.choose(player, label, tuple(means), about=field, means=means.__getitem__)
        left = tuple(at for number, at in enumerate(unit.models, 1) if number != removed)
        table.event("model-off", unit=unit_id, model=unit.models[removed - 1], left=len(left))
        field = field.put(replace(unit, models=left))
    table.find("{unit} keeps {kept} of {many} models", unit=name, kept=remaining, many=many)
    return field


@violations_rule("squads.formation_violations", cites="preparation/formations")
def formation_violations(table: Table, field: Battlefield, unit_id: str) -> Iterator[Reason]:
    """Decide which models of a squad are out of formation.

    By the reading `formation` that is none, or all not in one chain of contact with the first model.
    """
    if moot(table, "formation", "as-placed"):
        return
    bodies = field.solids(field.unit(unit_id))
    chain, rest = set(bodies[:1]), set(bodies[1:])
    while linked := {body for body in rest if any(in_touch(body, other) for other in chain)}:
        chain |= linked
        rest -= linked
    if rest and table.read("formation") != "as-placed":
        for number, body in enumerate(bodies, 1):
            if body in rest:
                text = "Model {model} of {unit} is not in contact with the others"
                yield table.reason(text, model=number, unit=field.name(unit_id))
