"""The action table: the rules of each action and movement, from the rows of the text to their functions."""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from arbiter.rule import Reason
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from services.size_skirmish.actions import NO_CONTEXT, Action, ActionContext, Done, Violations
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import ActionEntry, Movement
from services.size_skirmish.rules import actions, charge, fall, flight, melee, movement, push, reload, shooting
from services.size_skirmish.scene import Model


class Pair(NamedTuple):
    """The functions of an action: its violations, and what it does."""

    violations: Callable[[Table, Battlefield, Action, ActionContext], Violations]
    done: Callable[[Table, Battlefield, Action, ActionContext], Done]


ACTIONS: Final = {
    "change-weapon": Pair(actions.change_violations, actions.change_done),
    "push": Pair(push.violations, push.done),
    "strike": Pair(melee.violations, melee.done),
    "shoot": Pair(shooting.violations, shooting.done),
    "slow-reload": Pair(reload.violations, reload.done),
    "fast-reload": Pair(reload.violations, reload.done),
    "restore-morale": Pair(actions.restore_violations, actions.restore_done),
    "item": Pair(actions.item_violations, actions.item_done),
    "pass-item": Pair(actions.pass_violations, actions.pass_done),
    "block": Pair(lambda *_: (), actions.block_done),
}

NPC_ACTIONS: Final = Pair(lambda *_: (), actions.npc_done)
"""The functions of all actions that a scenario gives its NPCs."""

PATHS: Final = {
    "towards": Pair(charge.violations, charge.done),
    "away": Pair(flight.violations, flight.done),
    "fall": Pair(fall.violations, fall.done),
}
"""Movements by where they lead; all others are the same pair."""

MOVES: Final = Pair(movement.violations, movement.done)


def row(field: Battlefield, action: Action) -> ActionEntry | Movement:
    """Return the row of an action: that of its movement for a move, else that of the action table."""
    if action.action == "move" and action.movement is not None:
        return field.book.movements[action.movement]
    return field.book.actions.get(action.action) or field.book.npc_actions[action.action]


def violations(table: Table, field: Battlefield, action: Action, context: ActionContext = NO_CONTEXT) -> Violations:
    """Return every violation of an action now."""
    return _pair(field, action).violations(table, field, action, context)


def done(table: Table, field: Battlefield, action: Action, context: ActionContext) -> Done:
    """Carry out an action as far as possible."""
    return _pair(field, action).done(table, field, action, context)


@violations_rule("action_table.npc_actions", cites="npc/actions")
def npc_actions(table: Table, field: Battlefield, action: Action) -> Iterator[Reason]:
    """Decide whether an NPC may take an action: a movement, or one that its scenario gives it.

    Whether movements that end in a strike or a shot are among its movements is the reading `npc-moves`.
    """
    model, entry = field.unit(action.model), row(field, action)
    if model.npc is None and entry.id not in field.book.npc_actions:
        return
    values = {"name": field.name(model.id), "action": entry.name}
    if model.npc is None:
        yield table.reason("{name} is no NPC; {action} is an NPC action", **values)
    elif entry.id in model.actions or (isinstance(entry, Movement) and _moves(table, model, entry)):
        table.find("{name} is an NPC and may use {action}", **values)
    else:
        yield table.reason("{name} is an NPC without the action {action}", **values)


def _moves(table: Table, model: Model, entry: Movement) -> bool:
    """Return whether a movement is open to an NPC: without a blow, or with one among its actions."""
    return entry.then is None or entry.then in model.actions or table.read("npc-moves") == "all"


def fights(field: Battlefield, action: Action) -> bool:
    """Return whether an action is a combat: a strike, a shot, or a movement that ends in one."""
    entry = row(field, action)
    return entry.then is not None if isinstance(entry, Movement) else entry.id in ("strike", "shoot")


def _pair(field: Battlefield, action: Action) -> Pair:
    entry = row(field, action)
    return PATHS.get(entry.path, MOVES) if isinstance(entry, Movement) else ACTIONS.get(entry.id, NPC_ACTIONS)
