"""Harm: lost hit points, and casualties.

Follows the steps on damage and on casualties in "Melee" and "Ranged Combat", what they say of the end of a melee, and
the last sentence of the text, by which not every NPC can be killed.
"""

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.table import Table
from arbiter.text import Quantity
from services.size_skirmish.actions import AttackOutcome
from services.size_skirmish.attacks import DicePool, Kind
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.rules import armour, leaving, matching


def attack_damage(table: Table, attacker: DicePool, target: DicePool, kind: Kind, left: int) -> int:
    """Return the damage of an attack, capped at the hit points that are left."""
    return min(left, table.call(matching.attacked, attacker, target, kind).damage)


@rule("harm.suffered", cites=("melee/damage", "ranged/damage", "move/fall-attack-dice"), neutral=unchanged)
def suffered(table: Table, field: Battlefield, blow: AttackOutcome) -> Battlefield:
    """Decide what damage costs: one hit point each. Casualties are removed later."""
    field = armour.block_over(table, field, blow.against)
    if not blow.damage:
        return field
    id_, model = blow.against, field.unit(blow.against)
    lost, left = Quantity(blow.damage, "hit point"), field.hit_points(model) - blow.damage
    text, cites = "{name} loses {lost}; hit points left: {left}", matching.LEFT[blow.kind]
    table.find(text, cites=cites, name=field.name(id_), lost=lost, left=left)
    table.event("suffered", model=id_, damage=blow.damage, by=None if blow.kind == "fall" else blow.by)
    return field.changed(id_, hit_points_lost=model.hit_points_lost + blow.damage)


@rule("harm.casualties", cites=("melee/casualties", "ranged/casualties"), neutral=unchanged)
def casualties(table: Table, field: Battlefield, spared: tuple[str, ...] = ()) -> Battlefield:
    """Decide who is removed as a casualty: all without hit points, except models that are spared for now."""
    without_points = [model.id for model in field.units if not field.hit_points(model) and model.id not in spared]
    for id_ in without_points:
        if unkillable(table, field, id_):
            continue
        table.find("{name} has no hit points left and is removed from the table", name=field.name(id_))
        table.event("eliminated", model=id_)
        field = leaving.gone(table, ended(table, field, id_), id_, "eliminated")
    return field


@rule("harm.unkillable", cites=("npc/active-killed", "npc/passive-not-attacked"), neutral=False)
def unkillable(table: Table, field: Battlefield, model_id: str) -> bool:
    """Decide whether a model without hit points stays on the table: only an NPC that may not be attacked."""
    kind, name = field.unit(model_id).npc, field.name(model_id)
    if kind is None:
        return False
    if not field.book.npcs[kind].attackable:
        table.find("{name} is a passive NPC and cannot be killed", cites="npc/passive-not-attacked", name=name)
        return True
    return kind == "scenario" and table.read("scenario-npc-attacked") == "no"


@rule("harm.ended", cites="melee/ends-eliminated", neutral=unchanged)
def ended(table: Table, field: Battlefield, model_id: str) -> Battlefield:
    """Decide which melees end with an eliminated model: all of its melees."""
    if others := field.opponents(model_id):
        name = field.name(model_id)
        table.find("The melee of {name} with {others} is over", name=name, others=field.names(others))
    return field.parted(model_id)
