"""Doing: which rules an action or a movement goes by. One table, from the rows of the text to their functions."""

from collections.abc import Callable
from typing import Final, NamedTuple

from arbiter.rule import Reason, rule
from arbiter.table import Table
from services.size_skirmish.actions import Deed, Did, Run
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.book import Action, Movement
from services.size_skirmish.rules import actions, charge, fall, flight, melee, movement, push, reload, shooting


class Pair(NamedTuple):
    """What is against a deed, and what it does."""

    reasons: Callable[[Table, Battlefield, Deed, Run], tuple[Reason, ...]]
    done: Callable[[Table, Battlefield, Deed, Run], tuple[Battlefield, Did]]


ACTIONS: Final = {
    "change-weapon": Pair(actions.change_reasons, actions.change_done),
    "push": Pair(push.reasons, push.done),
    "strike": Pair(melee.reasons, melee.done),
    "shoot": Pair(shooting.reasons, shooting.done),
    "slow-reload": Pair(reload.reasons, reload.done),
    "fast-reload": Pair(reload.reasons, reload.done),
    "restore-morale": Pair(actions.restore_reasons, actions.restore_done),
    "item": Pair(actions.item_reasons, actions.item_done),
    "pass-item": Pair(actions.pass_reasons, actions.pass_done),
    "block": Pair(actions.block_reasons, actions.block_done),
}

PATHS: Final = {
    "towards": Pair(charge.reasons, charge.done),
    "away": Pair(flight.reasons, flight.done),
    "fall": Pair(fall.reasons, fall.done),
}
"""Movements by where they lead; all others are the same pair."""

MOVES: Final = Pair(movement.reasons, movement.done)


def row(field: Battlefield, deed: Deed) -> Action | Movement:
    """Give the row of a deed: that of its movement for a move, else that of its action."""
    if deed.action == "move" and deed.movement is not None:
        return field.book.movements[deed.movement]
    return field.book.actions[deed.action]


def reasons(table: Table, field: Battlefield, deed: Deed, run: Run) -> tuple[Reason, ...]:
    """Give all that the book has against a deed now."""
    return _pair(field, deed).reasons(table, field, deed, run)


def done(table: Table, field: Battlefield, deed: Deed, run: Run) -> tuple[Battlefield, Did]:
    """Carry out a deed as far as possible."""
    return _pair(field, deed).done(table, field, deed, run)


@rule("doing.npc_actions", cites="npc/actions", neutral=())
def npc_actions(table: Table, field: Battlefield, deed: Deed) -> tuple[Reason, ...]:
    """Decide whether a deed is one that an NPC may do: a movement, or what its scenario has given it."""
    model, of = field.model(deed.model), row(field, deed)
    if model.npc is None:
        return ()
    if deed.action == "move" or of.id in model.actions:
        table.find("{name} is an NPC, and {action} is open to it", name=field.name(model.id), action=of.name)
        return ()
    return (table.reason("{name} is an NPC, and has no action {action}", name=field.name(model.id), action=of.name),)


def fights(field: Battlefield, deed: Deed) -> bool:
    """Say whether a deed is a combat: a strike, a shot, or a movement that ends in one."""
    of = row(field, deed)
    return of.then is not None if isinstance(of, Movement) else of.id in ("strike", "shoot")


def _pair(field: Battlefield, deed: Deed) -> Pair:
    of = row(field, deed)
    return PATHS.get(of.path, MOVES) if isinstance(of, Movement) else ACTIONS[of.id]
