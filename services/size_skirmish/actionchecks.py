"""What makes a posted action impossible: unknown names, missing members and members it does not use."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from arbiter.fault import Fault, Faults, gather
from arbiter.skirmish.cases import refuse
from arbiter.skirmish.faults import case_pointer, unknown_id
from services.size_skirmish.actions import Action, Actions
from services.size_skirmish.battlefield import Battlefield, in_play, prepare
from services.size_skirmish.checks import VALIDATOR
from services.size_skirmish.scene import Board, Place, Scene

NEEDS = {
    "move": ("movement",),
    "change-weapon": ("weapon",),
    "push": ("target",),
    "strike": ("target",),
    "shoot": ("target",),
    "item": ("item", "use"),
    "pass-item": ("item", "target"),
}
"""The required members of an action."""

MOVES = {"align": ("facing",), "attack": ("target",), "run-and-shoot": ("target",), "pursue": ("target",)}
"""The required members of a movement."""

ONLY = {"movement": ("move",), "use": ("item",), "item": ("item", "pass-item")}
"""The members that belong to some actions only."""


STAY = "`stay`, or no `closing`"


class Announced(NamedTuple):
    """The battlefield of a case, and the action that is announced on it, with the reactions that are posted."""

    field: Battlefield
    action: Action
    reactions: Actions | None


def announced(case: Any) -> Announced:
    """Return the deed of a case, with the reactions to it; raises `Faults`."""
    return _announced(case, case.deed, "deed", "model")


def announced_by(case: Any, action: str, actor: str = "model", **members: Any) -> Announced:
    """Return the action of a case whose members say what is done, with the reactions to it; raises `Faults`.

    `actor` is the member that names who acts; `members` are those of the action that the case does not have.
    """
    deed = deed_of(case, action=action, model=getattr(case, actor), **members)
    return _announced(case, deed, "", actor)


def deed_of(case: Any, **members: Any) -> Action:
    """Return the action that is made of the members of a case, by their names, and of some others."""
    own = {name: getattr(case, name) for name in Action.__struct_fields__ if hasattr(case, name)}
    return Action(**own | members)


def _announced(case: Any, action: Action, at: str, actor: str) -> Announced:
    """Return an action that `actor` announces at a member of a case, or by its members, with the reactions to it."""
    reactions: Actions | None = getattr(case, "reactions", None)
    posted = [(at, action), *((f"reactions/{index}", each) for index, each in enumerate(reactions or ()))]
    field = on_table(case.scene, *posted, actor=actor)
    seen = {action.model}
    faults = []
    for index, each in enumerate(reactions or ()):
        here = case_pointer("reactions", index)
        if each.model in seen:
            message = f"{each.model} acts or reacts already"
            faults.append(Fault(f"{here}/model", "repeated-id", message, each.model, "each model once"))
        if each.closing != "stay":
            message = f"{each.model} reacts, and strikes from its place"
            faults.append(Fault(f"{here}/closing", "idle-member", message, each.closing, STAY))
        seen.add(each.model)
    refuse(faults)
    return Announced(field, action, reactions)


def on_table(scene: Scene, *posted: tuple[str, Action], actor: str = "model") -> Battlefield:
    """Return the battlefield of a case that names actions, each with the member that holds it; raises `Faults`.

    `actor` is the member that names the actor of the first.
    """
    faults, field = VALIDATOR.validated(scene)

    def found() -> Iterator[Fault]:
        yield from faults
        as_posted = field or prepare(scene)
        for index, (member, action) in enumerate(posted):
            yield from action_faults(as_posted, action, case_pointer(member), "model" if index else actor)

    gather(found)
    if field is None:
        raise Faults(faults)
    return field


def action_faults(field: Battlefield, action: Action, here: str, actor: str = "model") -> Iterator[Fault]:
    """Find what is impossible about a single action; `actor` is the member that names its actor."""
    yield from _model(field, action.model, f"{here}/{actor}")
    yield from unknown_id("action", action.action, f"{here}/action", {**field.book.actions, **field.book.npc_actions})
    if action.movement is not None:
        yield from unknown_id("movement", action.movement, f"{here}/movement", field.book.movements)
    if action.target is not None:
        yield from _model(field, action.target, f"{here}/target")
        if action.target == action.model:
            yield Fault(f"{here}/target", "itself", "a model cannot target itself", action.target, "another model")
    if action.weapon is not None:
        yield from unknown_id("weapon", action.weapon, f"{here}/weapon", field.book.weapons)
    if action.item is not None:
        carried = [item for model in field.scene.models for item in model.items]
        yield from unknown_id("item", action.item, f"{here}/item", [*(item.id for item in field.scene.items), *carried])
    yield from _members(action, here)
    yield from _places(field, action, here)


def _model(field: Battlefield, id_: str, where: str) -> Iterator[Fault]:
    """Find a model that is unknown or not in play."""
    if id_ not in field.by_id:
        yield from unknown_id("model", id_, where, field.by_id)
    elif not in_play(field.unit(id_)):
        yield Fault(where, "not-in-play", f"{id_} is not on the battlefield, or is out", id_, "a model in play")


def _members(action: Action, here: str) -> Iterator[Fault]:
    """Find members that are missing in an action and members that it does not use."""
    what = action.movement or action.action
    for member in (*NEEDS.get(action.action, ()), *MOVES.get(action.movement or "", ())):
        if getattr(action, member) is None:
            yield Fault(f"{here}/{member}", "missing-member", f"{what} needs a {member}", None, f"a {member}")
    if action.closing != "stay" and action.action != "strike" and action.movement != "attack":
        yield Fault(f"{here}/closing", "idle-member", f"{what} does not use `closing`", action.closing, STAY)
    for member, actions in ONLY.items():
        value = getattr(action, member)
        if value is not None and action.action not in actions:
            yield Fault(f"{here}/{member}", "idle-member", f"{action.action} has no {member}", value, "null")


def _places(field: Battlefield, action: Action, here: str) -> Iterator[Fault]:
    """Find zero directions and places off the battlefield."""
    for member in ("turned", "facing"):
        if getattr(action, member) == (0, 0):
            message = f"{action.model} faces nowhere"
            yield Fault(f"{here}/{member}", "facing", message, [0, 0], "a vector that is not nothing")
    for index, at in enumerate(action.way):
        yield from off_board(field.scene.board, at, f"{here}/way/{index}", "the way leaves the battlefield")
    if action.goal is not None:
        yield from off_board(field.scene.board, action.goal, f"{here}/goal", "the way leaves the battlefield")
        if action.way:
            message = "a movement has a way or a goal"
            yield Fault(f"{here}/goal", "idle-member", message, list(action.goal), "null, or no `way`")


def off_board(board: Board, at: Place, where: str, message: str) -> Iterator[Fault]:
    """Find a place off the battlefield."""
    if at[0] > board.width or at[1] > board.depth:
        yield Fault(where, "off-the-table", message, list(at), f"inside {board.width:g} by {board.depth:g}")
