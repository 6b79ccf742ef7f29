"""What a model may do next in a battle: the open rows of the tables and their possible targets."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain
from math import dist
from typing import Final

from arbiter.candidates import Candidates
from arbiter.geometry.plane.shapes import thousandths
from arbiter.option import Option
from arbiter.skirmish.plane import point
from arbiter.table import Table
from services.size_skirmish import advance
from services.size_skirmish.actions import Action
from services.size_skirmish.battlefield import Battlefield
from services.size_skirmish.geometry import ways
from services.size_skirmish.rules import melee, ranges, shooting, targets
from services.size_skirmish.scene import Model, Weapon

Offer = Candidates[str | None]
"""The possible targets or goals of an action, None alone where it needs none; the action is open if there is one."""

Offers = Iterator[tuple[str, Offer]]
"""The actions that come into question by name, in the order of the tables; no more are made than are asked for."""

ROUNDED: Final = 2
"""Thousandths by which a move may end nearer than it leads."""

TOWARDS: Final = ("walk", "march", "run", "squeeze")
"""The movements that lead to a goal."""

AIMED: Final = ("push", "strike", "shoot", "restore-morale", "attack", "run-and-shoot", "pursue")


def offers(table: Table, field: Battlefield, actor: str, charge: advance.Charge) -> Offers:
    """Return what a model may do, each action with its targets; only what somebody looks at is put to the test.

    NPCs move or use the actions they have. What is done with a weapon, an item or a piece is named with it:
    `change-weapon:crossbow`, `pick-up:lamp`, `climb:tower`; down it is `climb-down`. Whether a way leads to a goal is
    checked when it is chosen.
    """
    model = field.unit(actor)
    moves = _moves(table, field, model, charge)
    if model.npc is None:
        return chain(_actions(table, field, model), moves)
    return iter((_allowed(table, field, model) | dict(moves)).items())


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


def action(
    table: Table, field: Battlefield, actor: str, name: str, aim: str | None, charge: advance.Charge
) -> Action | None:
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
            return advance.climb(table, field, actor, which)
        case "climb-down":
            return advance.climb(table, field, actor, advance.DOWN)
        case "disengage":
            return advance.away(table, field, actor)
        case "align":
            here = field.solid(actor).at
            return Action(actor, "move", what, facing=advance.facing(field, actor, here) or field.unit(actor).facing)
        case "attack" | "run-and-shoot":
            return charge(what, aim or "")
        case "pursue":
            return Action(actor, "move", what, aim)
        case "strike":
            return Action(actor, what, target=aim, closing="align")
        case _ if what in TOWARDS:
            return advance.towards(table, field, actor, what, aim or "")
        case _:
            return Action(actor, what, target=aim)


def _if(holds: Callable[[], object] = lambda: True) -> Offer:
    """Return an action without targets that is open if something holds, or is there."""
    return Candidates((None,), lambda _: bool(holds()))


def _allowed(table: Table, field: Battlefield, model: Model) -> dict[str, Offer]:
    """Return the actions that the scenario allows an NPC."""
    allowed = {**dict.fromkeys(model.actions), **({"pick-up": None} if "item" in model.actions else {})}
    own: dict[str, Offer] = {each: _if() for each in model.actions if each in field.book.npc_actions}
    return {name: aims for name, aims in _actions(table, field, model) if name.partition(":")[0] in allowed} | own


def _actions(table: Table, field: Battlefield, model: Model) -> Iterator[tuple[str, Offer]]:
    def can(kind: str, other: str | None) -> bool:
        return advance.can(table, field, Action(model.id, kind, target=other))

    struck = _attackable(table, field, model)
    for weapon in field.profile(model).weapons:
        yield f"change-weapon:{weapon}", _if(partial(_better, table, field, model, struck, weapon))
    yield "push", Candidates(_near(field, model, field.ground.slack), partial(can, "push"))
    yield ("shoot" if field.armed(model.id, "ranged") else "strike"), struck
    for reload in ("slow-reload", "fast-reload"):
        for weapon in model.unloaded:
            if field.book.weapons[weapon].reload == reload.removesuffix("-reload"):
                yield f"{reload}:{weapon}", _if()
    shaken = (other.id for other in field.friends(model) if other.fleeing is not None)
    yield "restore-morale", Candidates(shaken, partial(can, "restore-morale"))
    for item in field.scene.items:
        pick_up = Action(model.id, "item", item=item.id, use="pick-up")
        yield f"pick-up:{item.id}", _if(partial(advance.can, table, field, pick_up))
    yield "block", _if()


def _better(table: Table, field: Battlefield, model: Model, struck: Offer, weapon: str) -> bool:
    """Return whether another weapon reaches somebody, and the one in hand nobody."""
    if next(_in_reach(field, model, field.book.weapons[weapon]), None) is None or struck:
        return False
    armed = field.changed(model.id, in_hand=weapon)
    return bool(_attackable(table, armed, armed.unit(model.id)))


def _attackable(table: Table, field: Battlefield, model: Model) -> Offer:
    """Return the models that a model may attack with the weapon in hand from its place."""
    violations = shooting.shot_violations if field.armed(model.id, "ranged") else melee.strike_violations
    weapon = field.weapon(model)
    if weapon is None:
        return Candidates((), bool)

    def open_(other: str | None) -> bool:
        with table.without_findings():
            return not violations(table, field, model.id, other or "")

    return Candidates(_in_reach(field, model, weapon), open_)


def _in_reach(field: Battlefield, model: Model, weapon: Weapon) -> Iterator[str]:
    """Yield the enemies that a weapon may reach from the place of a model; heights make it farther."""
    body, most = field.solid(model), thousandths(_reach(weapon))
    return (other.id for other in field.enemies(model) if dist(body.at, field.solid(other).at) < most + 1)


def _reach(weapon: Weapon) -> float:
    """Return how far a weapon goes."""
    return weapon.reach or max((band.up_to for band in weapon.bands), default=0.0)


def _near(field: Battlefield, model: Model, far: float) -> Iterator[str]:
    """Yield the other models whose bases are no farther from that of a model."""
    body = field.solid(model)
    others = (other for other in field.bodies if other.id != model.id)
    return (other.id for other in others if dist(body.at, other.at) - body.radius - other.radius <= far)


def _moves(table: Table, field: Battlefield, model: Model, charge: advance.Charge) -> Iterator[tuple[str, Offer]]:
    """Yield the movements; a model in melee strikes or disengages."""
    yield "align", _if(lambda: model.npc is not None or _looks_away(field, model))
    if field.opponents(model.id):
        yield "disengage", _if()
        return
    goals: Offer = Candidates(advance.goals(field, model.id), lambda _: True)
    yield from ((movement, goals) for movement in ("walk", "march", "run"))
    yield from _aimed(table, field, model, charge)
    for piece in advance.climbable(field, model.id):
        name = "climb-down" if piece == advance.DOWN else f"climb:{piece}"
        yield name, _if(partial(advance.climb, table, field, model.id, piece))
    yield "squeeze", Candidates(advance.goals(field, model.id), lambda _: _is_pressed(table, field, model))


def _looks_away(field: Battlefield, model: Model) -> bool:
    """Return whether the nearest opponent is behind a model."""
    turn = advance.facing(field, model.id, field.solid(model).at)
    return turn is not None and turn[0] * model.facing[0] + turn[1] * model.facing[1] < 0


def _is_pressed(table: Table, field: Battlefield, model: Model) -> bool:
    """Return whether models of another side are near enough to squeeze through between them."""
    far = ranges.fixed(table, field, model.id, field.book.movements["squeeze"])
    return any(field.unit(other).side != model.side for other in _near(field, model, far))


def _aimed(table: Table, field: Battlefield, model: Model, charge: advance.Charge) -> Iterator[tuple[str, Offer]]:
    """Yield the movements towards a target that end in a strike or a shot, and pursuits."""
    movement = "run-and-shoot" if field.armed(model.id, "ranged") else "attack"
    enemies = field.enemies(model)

    def ends_well(other: str | None) -> bool:
        return _ends_well(table, field, model, movement, other or "", charge)

    def pursued(other: str | None) -> bool:
        return advance.can(table, field, Action(model.id, "move", "pursue", other))

    if model.npc is None or field.book.movements[movement].then in model.actions:
        targeted, left = (other.id for other in enemies), {other.id: field.hit_points(other) for other in enemies}
        yield movement, Candidates(targeted, ends_well, lambda other: left[other or ""])
    yield "pursue", Candidates((other.id for other in enemies if other.fleeing is not None), pursued)


def _ends_well(
    table: Table, field: Battlefield, model: Model, movement: str, other: str, charge: advance.Charge
) -> bool:
    """Return whether a charge, or run and shoot, ends where the model may attack its target."""
    weapon = field.weapon(model)
    if weapon is None or weapon.id in model.unloaded:
        return False
    # Weapons reach from middle to middle; places are rounded.
    beyond = dist(field.solid(model).at, field.solid(other).at) - thousandths(_reach(weapon)) - ROUNDED
    if beyond > 0 and beyond > ranges.fixed(table, field, model.id, field.book.movements[movement]):
        return False
    if targets.target_violations(table, field, model.id, other):
        return False
    # Whoever is in melee stays in it wherever the shot comes from.
    if movement == "run-and-shoot" and shooting.into_melee(table, field, model.id, other):
        return False
    action = charge(movement, other)
    if action is None or action.goal is None:
        return False
    there = ways.put(field, model, point(action.goal), action.facing)
    violations = shooting.shot_violations if movement == "run-and-shoot" else melee.strike_violations
    return not violations(table, there, model.id, other)
