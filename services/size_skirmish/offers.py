"""What a model may do next in a battle: the open rows of the tables and their possible targets."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from itertools import chain
from math import dist
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

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

Aims = Candidates[Any]
"""The possible targets or goals of an action by their ids, None alone where it needs none."""


class Offer(NamedTuple):
    """An action that comes into question, which is open if there is a target or goal for it.

    `made` is the action at one of them; None for a movement that leads nowhere.
    """

    aims: Aims
    made: Callable[[Any], Action | None]


Offers = Iterator[tuple[str, Offer]]
"""The actions that come into question by name, in the order of the tables; no more are made than are asked for."""

ROUNDED: Final = 2
"""Thousandths by which a move may end nearer than it leads."""

TOWARDS: Final = ("walk", "march", "run", "squeeze")
"""The movements that lead to a goal."""


def offers(table: Table, field: Battlefield, actor: str) -> Offers:
    """Return what a model may do, each action with its targets; only what somebody looks at is put to the test.

    NPCs move or use the actions they have. What is done with a weapon, an item or a piece is named with it:
    `change-weapon:crossbow`, `pick-up:lamp`, `climb:tower`; down it is `climb-down`. Whether a way leads to a goal is
    checked when it is chosen.
    """
    model = field.unit(actor)
    actions, moves = _actions(table, field, model), _moves(table, field, model)
    if model.npc is None:
        return chain(actions, moves)
    allowed = (*model.actions, "pick-up") if "item" in model.actions else model.actions
    given = ((name, offer) for name, offer in actions if name.partition(":")[0] in allowed)
    own = (_alone(each, partial(Action, actor, each)) for each in model.actions if each in field.book.npc_actions)
    # A card or a scenario may name something twice.
    return iter(dict(chain(given, own, moves)).items())


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


def _alone(
    name: str, made: Callable[[], Action | None], holds: Callable[[], object] = lambda: True
) -> tuple[str, Offer]:
    """Return an action without targets that is open if something holds, or is there."""
    return name, Offer(Candidates((None,), lambda _: bool(holds())), lambda _: made())


def _at(table: Table, field: Battlefield, action: Action, aims: Iterable[str]) -> Offer:
    """Return an action that is open at those of some models at whom it has no violations."""

    def made(aim: str) -> Action:
        return replace(action, target=aim)

    return Offer(Candidates(aims, lambda aim: advance.can(table, field, made(aim))), made)


def _actions(table: Table, field: Battlefield, model: Model) -> Offers:
    act, struck = partial(Action, model.id), _attackable(table, field, model)
    for weapon in field.profile(model).weapons:
        better = partial(_better, table, field, model, struck, weapon)
        yield _alone(f"change-weapon:{weapon}", partial(act, "change-weapon", weapon=weapon), better)
    yield "push", _at(table, field, act("push"), _near(field, model, field.ground.slack))
    if field.armed(model.id, "ranged"):
        yield "shoot", Offer(struck, lambda other: act("shoot", target=other))
    else:
        yield "strike", Offer(struck, lambda other: act("strike", target=other, closing="align"))
    for reload in ("slow-reload", "fast-reload"):
        for weapon in model.unloaded:
            if field.book.weapons[weapon].reload == reload.removesuffix("-reload"):
                yield _alone(f"{reload}:{weapon}", partial(act, reload, weapon=weapon))
    shaken = (other.id for other in field.friends(model) if other.fleeing is not None)
    yield "restore-morale", _at(table, field, act("restore-morale"), shaken)
    for item in field.scene.items:
        pick_up = partial(act, "item", item=item.id, use="pick-up")
        yield _alone(f"pick-up:{item.id}", pick_up, partial(advance.can, table, field, pick_up()))
    yield _alone("block", partial(act, "block"))


def _better(table: Table, field: Battlefield, model: Model, struck: Aims, weapon: str) -> bool:
    """Return whether another weapon reaches somebody, and the one in hand nobody."""
    if next(_in_reach(field, model, field.book.weapons[weapon]), None) is None or struck:
        return False
    armed = field.changed(model.id, in_hand=weapon)
    return bool(_attackable(table, armed, armed.unit(model.id)))


def _attackable(table: Table, field: Battlefield, model: Model) -> Aims:
    """Return the models that a model may attack with the weapon in hand from its place."""
    violations = shooting.shot_violations if field.armed(model.id, "ranged") else melee.strike_violations
    weapon = field.weapon(model)
    if weapon is None:
        return Candidates((), bool)

    def open_(other: str) -> bool:
        with table.without_findings():
            return not violations(table, field, model.id, other)

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


def _moves(table: Table, field: Battlefield, model: Model) -> Offers:
    """Yield the movements; a model in melee strikes or disengages."""
    yield _alone("align", partial(_aligned, field, model), lambda: model.npc is not None or _looks_away(field, model))
    if field.opponents(model.id):
        yield _alone("disengage", partial(advance.away, table, field, model.id))
        return
    goals: Aims = Candidates(advance.goals(field, model.id), lambda _: True)
    for movement in ("walk", "march", "run"):
        yield movement, Offer(goals, partial(advance.towards, table, field, model.id, movement))
    yield from _charges(table, field, model)
    for piece in advance.climbable(field, model.id):
        climb = partial(advance.climb, table, field, model.id, piece)
        yield _alone("climb-down" if piece == advance.DOWN else f"climb:{piece}", climb, climb)
    pressed: Aims = Candidates(advance.goals(field, model.id), lambda _: _is_pressed(table, field, model))
    yield "squeeze", Offer(pressed, partial(advance.towards, table, field, model.id, "squeeze"))


def _aligned(field: Battlefield, model: Model) -> Action:
    facing = advance.facing(field, model.id, field.solid(model).at) or model.facing
    return Action(model.id, "move", "align", facing=facing)


def _looks_away(field: Battlefield, model: Model) -> bool:
    """Return whether the nearest opponent is behind a model."""
    turn = advance.facing(field, model.id, field.solid(model).at)
    return turn is not None and turn[0] * model.facing[0] + turn[1] * model.facing[1] < 0


def _is_pressed(table: Table, field: Battlefield, model: Model) -> bool:
    """Return whether models of another side are near enough to squeeze through between them."""
    far = ranges.fixed(table, field, model.id, field.book.movements["squeeze"])
    return any(field.unit(other).side != model.side for other in _near(field, model, far))


def _charges(table: Table, field: Battlefield, model: Model) -> Offers:
    """Yield the movements towards a target that end in a strike or a shot, and pursuits."""
    movement = "run-and-shoot" if field.armed(model.id, "ranged") else "attack"
    charge = cache(partial(advance.up_to, table, field, model.id, movement))
    enemies = field.enemies(model)

    def ends_well(other: str) -> bool:
        return _ends_well(table, field, model, movement, other, charge)

    if model.npc is None or field.book.movements[movement].then in model.actions:
        targeted, left = (other.id for other in enemies), {other.id: field.hit_points(other) for other in enemies}
        yield movement, Offer(Candidates(targeted, ends_well, left.__getitem__), charge)
    fleeing = (other.id for other in enemies if other.fleeing is not None)
    yield "pursue", _at(table, field, Action(model.id, "move", "pursue"), fleeing)


def _ends_well(
    table: Table, field: Battlefield, model: Model, movement: str, other: str, charge: Callable[[str], Action | None]
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
    action = charge(other)
    if action is None or action.goal is None:
        return False
    there = ways.put(field, model, point(action.goal), action.facing)
    violations = shooting.shot_violations if movement == "run-and-shoot" else melee.strike_violations
    return not violations(table, there, model.id, other)
