"""What a model may do next in a battle: the open rows of the tables and their possible targets."""

from collections.abc import Iterator
from math import dist
from typing import Final

from arbiter.geometry.plane.shapes import Figure, thousandths
from arbiter.option import Option
from arbiter.skirmish.plane import point
from arbiter.table import Table
from services.size_skirmish import advance
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import ways
from services.size_skirmish.ground import TOUCH
from services.size_skirmish.rules import melee, ranges, shooting, targets
from services.size_skirmish.scene import Model

Offers = dict[str, tuple[str, ...]]
"""The open actions by name, each with its possible targets; empty if it needs none."""

TOWARDS: Final = ("walk", "march", "run", "squeeze")
"""The movements that lead to a goal."""

AIMED: Final = ("push", "strike", "shoot", "restore-morale", "attack", "run-and-shoot", "pursue")


def offers(table: Table, field: Battlefield, actor: str) -> Offers:
    """Return the open actions of a model in the order of the tables; NPCs move or use the actions they have.

    What is done with a weapon, an item or a piece is named with it: `change-weapon:crossbow`, `pick-up:lamp`,
    `climb:tower`; down it is `climb-down`. Whether a way leads to a goal is checked when it is chosen.
    """
    model = field.unit(actor)
    with table.without_findings():
        result = dict(_actions(table, field, model)) if model.npc is None else _allowed(table, field, model)
        return result | dict(_moves(table, field, model))


def option(name: str) -> Option:
    """Return what an option means that is an open action, with the weapon, item or piece that is named with it."""
    what, _, which = name.partition(":")
    kind = {"pick-up": "item", "climb": "piece"}.get(what, "weapon")
    label = what.replace("-", " ") + (f" {which}" if which else "")
    return Option(name, label, {"action": what} | ({kind: which} if which else {}))


def aimed(field: Battlefield, aim: str) -> Option:
    """Return what an option means that is a target or a goal: a model, an item, a piece or the brink."""
    if aim in field.by_id:
        return field.option(aim)
    kind, _, which = aim.partition(":")
    return Option(aim, f"the {kind} {which}".strip(), {kind: which or True})


def action(table: Table, field: Battlefield, actor: str, name: str, aim: str | None) -> Action | None:
    """Return the action behind an offer; None for a movement that leads nowhere."""
    what, _, which = name.partition(":")
    if name in field.book.npc_actions:
        return Action(actor, name)
    match what:
        case "change-weapon" | "slow-reload" | "fast-reload":
            return Action(actor, what, weapon=which)
        case "pick-up":
            return Action(actor, "item", item=which, use="pick-up")
        case "climb":
            return advance.climbs(table, field, actor).get(which)
        case "climb-down":
            return advance.climbs(table, field, actor).get(advance.DOWN)
        case "disengage":
            return advance.away(table, field, actor)
        case "align":
            here = field.solid(field.unit(actor)).at
            return Action(actor, "move", what, facing=advance.facing(field, actor, here) or field.unit(actor).facing)
        case "attack" | "run-and-shoot":
            return advance.up_to(table, field, actor, what, aim or "")
        case "pursue":
            return Action(actor, "move", what, aim)
        case "strike":
            return Action(actor, what, target=aim, closing="align")
        case _ if what in TOWARDS:
            return advance.towards(table, field, actor, what, aim or "")
        case _:
            return Action(actor, what, target=aim)


# Actions


def _allowed(table: Table, field: Battlefield, model: Model) -> Offers:
    """Return the open actions that the scenario allows an NPC."""
    open_actions = _actions(table, field, model)
    allowed = {**dict.fromkeys(model.actions), **({"pick-up": None} if "item" in model.actions else {})}
    own: Offers = {each: () for each in model.actions if each in field.book.npc_actions}
    return {name: aims for name, aims in open_actions if name.partition(":")[0] in allowed} | own


def _actions(table: Table, field: Battlefield, model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    struck = _attackable(table, field, model)
    for weapon in field.profile(model).weapons:
        armed = field.changed(model.id, in_hand=weapon)
        if not struck and _attackable(table, armed, armed.unit(model.id)):
            yield f"change-weapon:{weapon}", ()
    touched = tuple(
        other.id
        for other in _near(field, model, TOUCH)
        if advance.can(table, field, Action(model.id, "push", target=other.id))
    )
    if touched:
        yield "push", touched
    if struck:
        yield ("shoot" if shooting.armed(field, model.id) else "strike"), struck
    for reload in ("slow-reload", "fast-reload"):
        for weapon in model.unloaded:
            if field.book.weapons[weapon].reload == reload.removesuffix("-reload"):
                yield f"{reload}:{weapon}", ()
    if shaken := tuple(
        other.id
        for other in field.friends(model)
        if other.fleeing is not None and advance.can(table, field, Action(model.id, "restore-morale", target=other.id))
    ):
        yield "restore-morale", shaken
    for item in field.scene.items:
        if advance.can(table, field, Action(model.id, "item", item=item.id, use="pick-up")):
            yield f"pick-up:{item.id}", ()
    yield "block", ()


def _attackable(table: Table, field: Battlefield, model: Model) -> tuple[str, ...]:
    """Return the models that a model may attack with the weapon in hand from its place."""
    violations = shooting.shot_violations if shooting.armed(field, model.id) else melee.strike_violations
    if field.weapon(model) is None:
        return ()
    return tuple(other.id for other in field.enemies(model) if not violations(table, field, model.id, other.id))


def _near(field: Battlefield, model: Model, far: float) -> tuple[Model, ...]:
    """Return the other models whose bases are no farther from that of a model."""
    body = field.solid(model)
    return tuple(other for other in field.units if other.id != model.id and _between(body, field.solid(other)) <= far)


# Movements


def _moves(table: Table, field: Battlefield, model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the open movements; a model in melee strikes or disengages."""
    held = bool(field.opponents(model.id))
    goals = () if held else advance.goals(field, model.id)
    here = field.solid(model).at
    turn = advance.facing(field, model.id, here)
    if model.npc is not None or (turn is not None and turn[0] * model.facing[0] + turn[1] * model.facing[1] < 0):
        yield "align", ()
    if goals:
        yield "walk", goals
    if held:
        yield "disengage", ()
    if goals:
        yield "march", goals
        yield "run", goals
    if not held:
        yield from _aimed(table, field, model)
    for piece in () if held else advance.climbs(table, field, model.id):
        yield ("climb-down" if piece == advance.DOWN else f"climb:{piece}"), ()
    if goals and any(other.side != model.side for other in _near(field, model, _range(table, field, model, "squeeze"))):
        yield "squeeze", goals


def _aimed(table: Table, field: Battlefield, model: Model) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the movements towards a target that end in a strike or a shot, and pursuits."""
    ranged = shooting.armed(field, model.id) is not None
    movement = "run-and-shoot" if ranged else "attack"
    allowed = model.npc is None or field.book.movements[movement].then in model.actions
    aims = tuple(
        other.id for other in field.enemies(model) if allowed and _ends_well(table, field, model, movement, other)
    )
    if aims:
        yield movement, aims
    fleeing = tuple(
        other.id
        for other in field.enemies(model)
        if other.fleeing is not None and advance.can(table, field, Action(model.id, "move", "pursue", other.id))
    )
    if fleeing:
        yield "pursue", fleeing


def _ends_well(table: Table, field: Battlefield, model: Model, movement: str, other: Model) -> bool:
    """Return whether a charge, or run and shoot, ends where the model may attack its target."""
    weapon = field.weapon(model)
    if weapon is None or weapon.id in model.unloaded or targets.target_violations(table, field, model.id, other.id):
        return False
    most = weapon.reach or max((band.up_to for band in weapon.bands), default=0.0)
    body, them = field.solid(model), field.solid(other)
    if _between(body, them) > _range(table, field, model, movement) + thousandths(most):
        return False
    charge = advance.up_to(table, field, model.id, movement, other.id)
    if charge is None or charge.goal is None:
        return False
    there = ways.put(field, model, point(charge.goal), charge.facing)
    violations = shooting.shot_violations if movement == "run-and-shoot" else melee.strike_violations
    return not violations(table, there, model.id, other.id)


def _between(one: Figure, other: Figure) -> float:
    """Return the distance in plan from base to base."""
    return dist(one.at, other.at) - one.radius - other.radius


def _range(table: Table, field: Battlefield, model: Model, movement: str) -> int:
    return ranges.fixed(table, field, model.id, field.book.movements[movement])
