"""Rows: what a model may do now, by the rows of the tables of actions and movements, and what forbids the rest.

Each row is tried with all its possible targets by the rules that also carry it out. For
movements towards somebody only the targets are tried, for the way is not known yet.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.rule import Why, rule
from arbiter.skirmish.fields import Id
from arbiter.skirmish.reasons import beside
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.actions import Action, Violations
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import ActionEntry, Movement
from services.size_skirmish.rules import action_table, melee, procedure, ranges, targets
from services.size_skirmish.rules.turns import AIMED

WITHOUT: Mapping[str, tuple[str, str]] = {
    "change-weapon": ("{name} has no other weapon", "actions/change-weapon"),
    "slow-reload": ("{name} has no weapon that must be reloaded", "actions/slow-reload"),
    "fast-reload": ("{name} has no weapon that must be reloaded", "actions/fast-reload"),
    "item": ("{name} has no item to use, and none lies on the battlefield", "actions/use-item"),
    "pass-item": ("{name} has no item to pass on, or nobody to pass it to", "actions/pass-item"),
}
"""What is missing for a row of which no action can be thought of, where that is no target, and its unit."""

NOTHING_TRIED: tuple[Violations, tuple[str, ...]] = ((), ())
"""The violations and targets of a row that nobody is asked about, for the model may do nothing anyhow."""


class ActionRow(Value, frozen=True):
    """A row of the tables of actions and movements: whether it is open, and if not, why.

    `targets` are the possible targets now. For a movement, `range` is its range before dice, and
    `dice` is how many d6 are added; the question `moves` is about its way.
    """

    action: Id
    name: str
    type: Literal["simple", "complex"]
    open: bool
    targets: tuple[Id, ...]
    range: Annotated[float | None, Meta(description="In the scene's unit; null for what is no movement.")]
    dice: int
    why_not: tuple[Why, ...]


@rule("rows.overview", cites=("actions/columns", "move/columns"), neutral=())
def overview(table: Table, field: Battlefield, actor: str) -> tuple[ActionRow, ...]:
    """Decide what a model may do now, row by row of the two tables, actions first; a move stands for its movements."""
    barred = procedure.selected(table, field, Action(actor, "block"))
    book, result = field.book, []
    of_scenario = (book.npc_actions[id_] for id_ in field.unit(actor).actions if id_ in book.npc_actions)
    rows: Iterable[ActionEntry | Movement] = (*book.actions.values(), *of_scenario, *book.movements.values())
    for row in rows:
        if row.type is None:
            continue
        violations, aims = beside(barred, partial(_tried, table, field, actor, row), NOTHING_TRIED)
        violations, far, dice = (*barred, *violations), None, 0
        if isinstance(row, Movement):
            far, dice = ranges.fixed(table, field, actor, row) / PER_UNIT, row.dice
        why, aims = tuple(reason.why for reason in violations), () if barred else aims
        result.append(ActionRow(row.id, row.name, row.type, not violations, aims, far, dice, why))
    return tuple(result)


def _tried(
    table: Table, field: Battlefield, actor: str, row: ActionEntry | Movement
) -> tuple[Violations, tuple[str, ...]]:
    """Return the violations of a row, and its targets; it is open if one of its actions is possible."""
    actions = _moves(field, actor, row) if isinstance(row, Movement) else _thinkable(field, actor, row)
    if not actions:
        if row.id in WITHOUT:
            text, cites = WITHOUT[row.id]
            return (table.reason(text, cites=cites, name=field.name(actor)),), ()
        return (table.reason("There is no target for {action}", action=row.name),), ()
    tried = [
        (action, (*action_table.npc_actions(table, field, action), *_against(table, field, row, action)))
        for action in actions
    ]
    fit = [action for action, violations in tried if not violations]
    aims = tuple(dict.fromkeys(action.target for action in fit if action.target is not None))
    return () if fit else tuple(dict.fromkeys(reason for _, violations in tried for reason in violations)), aims


def _against(table: Table, field: Battlefield, row: ActionEntry | Movement, action: Action) -> Violations:
    if isinstance(row, Movement) and row.path in AIMED:
        return targets.target_violations(table, field, action.model, action.target or "")
    if row.id == "strike":
        # A strike that could be turned against another model has no target for that.
        return melee.strike_violations(table, field, action.model, action.target or "")
    return action_table.violations(table, field, action)


def _thinkable(field: Battlefield, actor: str, row: ActionEntry) -> tuple[Action, ...]:
    """Return the candidate actions for a row of the action table, possible or not."""
    model = field.unit(actor)
    others = tuple(other.id for other in field.units if other.id != actor)
    carried = model.items
    match row.id:
        case "change-weapon":
            in_hand = field.weapon(model)
            weapons = field.profile(model).weapons
            return tuple(Action(actor, row.id, weapon=each) for each in weapons if in_hand and each != in_hand.id)
        case "slow-reload" | "fast-reload":
            return tuple(Action(actor, row.id, weapon=each) for each in model.unloaded)
        case "strike" | "shoot":
            return tuple(Action(actor, row.id, target=enemy.id) for enemy in field.enemies(model))
        case "push":
            return tuple(Action(actor, row.id, target=each) for each in others)
        case "pass-item":
            return tuple(Action(actor, row.id, target=each, item=item) for each in others for item in carried)
        case "restore-morale":
            friends = tuple(other.id for other in field.friends(model))
            return (Action(actor, row.id), *(Action(actor, row.id, target=each) for each in friends))
        case "item":
            lying = tuple(Action(actor, row.id, item=item.id, use="pick-up") for item in field.scene.items)
            return (*(Action(actor, row.id, item=each, use="use") for each in carried), *lying)
        case _:
            return (Action(actor, row.id),)


def _moves(field: Battlefield, actor: str, row: Movement) -> tuple[Action, ...]:
    """Return the candidate actions for a movement, without a way."""
    model = field.unit(actor)
    if row.path not in AIMED:
        return (Action(actor, "move", row.id, facing=model.facing if row.path == "none" else None),)
    enemies = field.enemies(model)
    aims = tuple(other.id for other in enemies if row.needs != "fleeing" or other.fleeing is not None)
    return tuple(Action(actor, "move", row.id, target=each) for each in aims)
