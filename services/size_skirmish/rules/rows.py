"""Rows: what a model may do now, by the rows of the tables of actions and movements, and what forbids the rest.

Each row is tried with all its possible targets by the rules that also carry it out. For
movements towards somebody only the targets are tried, for the way is not known yet.
"""

from collections.abc import Callable, Sequence
from typing import Literal

from arbiter.rule import rule
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.actions import Action, Violations
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import ActionEntry, Movement
from services.size_skirmish.rules import action_table, melee, procedure, ranges, targets


class Row(Value, frozen=True):
    """A row: its type, its violations, its possible targets, and its range before dice."""

    id: str
    name: str
    type: Literal["simple", "complex"]
    violations: Violations
    targets: tuple[str, ...] = ()
    range: int | None = None
    dice: int = 0


@rule("rows.overview", cites=("actions/columns", "move/columns"), neutral=())
def overview(table: Table, field: Battlefield, actor: str) -> tuple[Row, ...]:
    """Decide what a model may do now, row by row of the two tables, actions first; a move stands for its movements."""
    barred = procedure.selected(table, field, Action(actor, "block"))
    actions = tuple(
        Row(row.id, row.name, row.type, *_tried(table, field, _thinkable(field, actor, row), row, barred))
        for row in (*field.book.actions.values(), *_of_scenario(field, actor))
        if row.type is not None
    )
    movements = tuple(
        Row(
            row.id,
            row.name,
            row.type,
            *_tried(table, field, _moves(field, actor, row), row, barred),
            ranges.fixed(table, field, actor, row),
            row.dice,
        )
        for row in field.book.movements.values()
    )
    return actions + movements


def _of_scenario(field: Battlefield, actor: str) -> tuple[ActionEntry, ...]:
    """Return the rows that the scenario adds to the table of actions for an NPC."""
    own = field.book.npc_actions
    return tuple(own[id_] for id_ in field.unit(actor).actions if id_ in own)


def _tried(
    table: Table, field: Battlefield, actions: Sequence[Action], row: ActionEntry | Movement, barred: Violations
) -> tuple[Violations, tuple[str, ...]]:
    """Return the violations of a row, and its targets; it is open if one of its actions is possible."""
    if not actions:
        return (*barred, table.reason("There is no target for {action}", action=row.name)), ()
    against = _struck if row.id == "strike" else _now
    if isinstance(row, Movement) and row.path in ("towards", "pursuit"):
        against = _towards
    tried = [
        (action, (*action_table.npc_actions(table, field, action), *against(table, field, action)))
        for action in actions
    ]
    fit = [action for action, violations in tried if not violations]
    aims = tuple(dict.fromkeys(action.target for action in fit if action.target is not None))
    violations = () if fit else tuple(dict.fromkeys(reason for _, violations in tried for reason in violations))
    return (*barred, *violations), () if barred else aims


Against = Callable[[Table, Battlefield, Action], Violations]


def _now(table: Table, field: Battlefield, action: Action) -> Violations:
    return action_table.violations(table, field, action)


def _struck(table: Table, field: Battlefield, action: Action) -> Violations:
    # A strike that could be turned against another model has no target for that.
    return melee.strike_violations(table, field, action.model, action.target or "")


def _towards(table: Table, field: Battlefield, action: Action) -> Violations:
    return () if action.target is None else targets.target_violations(table, field, action.model, action.target)


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
    if row.path not in ("towards", "pursuit"):
        return (Action(actor, "move", row.id, facing=model.facing if row.path == "none" else None),)
    enemies = field.enemies(model)
    aims = tuple(other.id for other in enemies if row.needs != "fleeing" or other.fleeing is not None)
    return tuple(Action(actor, "move", row.id, target=each) for each in aims)
