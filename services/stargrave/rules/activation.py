"""Activation: how many actions a figure has, which it may take now, and what forbids the others.

Follows "Activation", "Actions" and "Group Activation". An action is named as it is done: `move`, `second-move`, `run`,
`fight`, `shoot`, `power`, `unlock`, `pick-up`, `clear-jam`, `medic-kit`, `special`; `power-move` stands beside the
`power` whose Power Move was made, and costs nothing of its own.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from msgspec.structs import replace

from arbiter.rule import Reason, rule
from arbiter.skirmish.reasons import violations_rule
from arbiter.table import Table
from arbiter.text import Quantity
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield, Reasons
from services.stargrave.rules import allowance, combat, harm, loot, medicine, movement

Action = Literal[
    "move",
    "second-move",
    "run",
    "fight",
    "shoot",
    "power",
    "power-move",
    "unlock",
    "pick-up",
    "free-pick-up",
    "clear-jam",
    "medic-kit",
    "special",
]

Actions = tuple[Action, ...]

FREE: Actions = ("power-move", "free-pick-up")
"""What is part of another action or costs none."""

NORMAL = 2

MOVES: Actions = ("move", "run")


class ActionOption(Value, frozen=True):
    """An action, and its violations; none if it is allowed now."""

    action: Action
    reasons: Reasons = ()


def begin(table: Table, field: Battlefield, actor: str) -> Battlefield:
    """Give the battlefield as a figure begins to activate: its stun ends, and `was_stunned` holds for this turn."""
    figure = field.figure(actor)
    table.event("activated", figure=actor)
    field = field.put(replace(figure, activated=True, stunned=False, was_stunned=figure.stunned))
    if all(token.unlocked_by is None for token in field.scene.tokens):
        return field
    return field.with_(tokens=tuple(replace(token, unlocked_by=None) for token in field.scene.tokens))


@rule("activation.actions", cites="activation/two-actions", neutral=0)
def actions(table: Table, field: Battlefield, actor: str) -> int:
    """Decide how many actions a figure has in its activation: two, unless it is stunned or wounded, or by a power."""
    figure = field.figure(actor)
    more = 0
    for spell in figure.spells:
        power = field.book.powers[spell.power]
        if added := int(power.numbers.get("actions", 0)):
            more += added
            text, cites = "{power} gives {name} {more}", f"power/{power.id}"
            actions_more = Quantity(added, "more action", "more actions")
            table.find(text, cites=cites, power=power.name, name=field.name(figure), more=actions_more)
    many = slowed(table, field, actor, NORMAL + more)
    table.find("{name} has {many}", name=field.name(figure), many=Quantity(many, "action"))
    return many


@rule(
    "activation.slowed",
    cites=("stunned/own-activation", "wounded/state", "wounded/numbers"),
    neutral=lambda field, actor, many: many,
)
def slowed(table: Table, field: Battlefield, actor: str, many: int) -> int:
    """Decide how many of its actions are left to a figure that is stunned or wounded.

    What it costs is in the readings `stunned-actions` and `wounded-effect`.
    """
    figure = field.figure(actor)
    if figure.was_stunned if figure.activated else figure.stunned:
        option = table.read("stunned-actions")
        many = {"one": many - 1, "all": 0, "none": many}[option]
        if option != "none":
            text = "{name} is stunned and has {many}"
            table.find(text, cites="stunned/own-activation", name=field.name(figure), many=Quantity(many, "action"))
    if many > 1 and harm.is_wounded(table, field, actor) and table.read("wounded-effect") != "none":
        many = 1
        text = "{name} is wounded and has one action"
        table.find(text, cites=("wounded/state", "wounded/numbers"), name=field.name(figure))
    return many


def spent(table: Table, previous: Actions) -> int:
    """Give how many actions the previous actions have cost; clearing a jam is free by one reading."""
    cost = sum(action not in FREE for action in previous)
    if "clear-jam" in previous and table.read("jam-clearing") == "free":
        cost -= previous.count("clear-jam")
    return cost


def actions_left(table: Table, field: Battlefield, actor: str, previous: Actions = ()) -> int:
    """Give how many actions a figure has left after its previous actions."""
    if "run" in previous:
        return 0
    return max(0, actions(table, field, actor) - spent(table, previous))


@rule("activation.group", cites="group-activation/move-first", neutral=False)
def group(table: Table, together: bool, declared: bool) -> bool:
    """Decide whether an activation with companions is a group activation, in which all have to move first.

    Whether it is one that nobody has declared is the reading `group-activation`.
    """
    in_group = together and (declared or table.read("group-activation") == "always")
    if in_group:
        table.find("In a group activation every figure moves as its first action")
    return in_group


def action_options(
    table: Table, field: Battlefield, actor: str, previous: Actions, in_group: bool
) -> tuple[ActionOption, ...]:
    """List every action after the previous ones, each with its violations.

    `in_group`: it is part of a group activation.
    """
    whole = actions(table, field, actor)
    return tuple(
        ActionOption(action, violations(table, field, actor, action, previous, whole, in_group))
        for action in (*ACTIONS, *special(table))
        if comes_up(field, actor, action, previous)
    )


def comes_up(field: Battlefield, actor: str, action: Action, previous: Actions) -> bool:
    """Check whether an action can come up at all: a second Move after the first, and jams where there are some."""
    if action in ("second-move", "move"):
        return (action == "second-move") == ("move" in previous)
    return action != "clear-jam" or bool(field.figure(actor).jammed)


def violations(
    table: Table, field: Battlefield, actor: str, action: Action, previous: Actions, whole: int, in_group: bool
) -> Reasons:
    """List the violations of an action after the previous ones; `whole` are the actions of the activation."""
    own = _OWN[action](table, field, actor, previous) if action in _OWN else ()
    if action == "pick-up" and not own and _picks_up_for_nothing(table, field, actor, previous):
        return own
    if action == "clear-jam" and table.read("jam-clearing") == "free":
        return own
    return (
        *none_left(table, field, actor, whole - spent(table, previous), previous),
        *move_first(table, field, actor, action, previous, in_group),
        *move_required(table, field, actor, action, previous, whole),
        *own,
    )


def _as_finding(table: Table, reason: Reason) -> Reason:
    """Record a violation as a finding as well: the question has an answer, so nothing is forbidden."""
    table.find("{why}", cites=reason.cites, why=reason)
    return reason


def _first_of(table: Table, violations: Sequence[Reasons]) -> Reasons:
    """Give the violations of the first of several possibilities; none if any of them is open."""
    return () if () in violations else tuple(_as_finding(table, reason) for reason in violations[0])


@violations_rule("activation.none_left", cites=("activation/two-actions", "movement/run-ends"))
def none_left(table: Table, field: Battlefield, actor: str, left: int, previous: Actions) -> Iterator[Reason]:
    """Decide whether a figure has an action left; running has ended its activation."""
    name = field.name(actor)
    if "run" in previous:
        text = "{name} has run, which ends its activation"
        yield _as_finding(table, table.reason(text, cites="movement/run-ends", name=name))
    elif left <= 0:
        text = "{name} has no actions left"
        yield _as_finding(table, table.reason(text, cites="activation/two-actions", name=name))


@violations_rule("activation.move_first", cites="group-activation/move-first")
def move_first(
    table: Table, field: Battlefield, actor: str, action: Action, previous: Actions, in_group: bool
) -> Iterator[Reason]:
    """Decide whether an action is open to a figure of a group activation: its first has to be a Move.

    What one may do that is in combat and can neither move nor run is the reading `group-in-combat`.
    """
    if not in_group or previous or action in MOVES:
        return
    name = field.name(actor)
    with table.without_findings():
        pinned = bool(movement.violations(table, field, actor, running=True))
    if pinned and table.read("group-in-combat") == "other-action":
        table.find("{name} is in combat and cannot move first: its Move is lost", name=name)
    else:
        yield _as_finding(table, table.reason("{name} is in a group activation and must move first", name=name))


@violations_rule("activation.move_required", cites="actions/move-required")
def move_required(
    table: Table, field: Battlefield, actor: str, action: Action, previous: Actions, whole: int
) -> Iterator[Reason]:
    """Decide whether an action leaves room for the Move that every activation has to have.

    `whole` are the actions of the activation. Readings: `single-action` for who has one only, `unused-move` for who
    cannot move, `power-move-counts` and `jam-clearing` for what takes the place of the Move.
    """
    if action in MOVES or any(of in MOVES for of in previous):
        return
    if "medic-kit" in (action, *previous) and medicine.instead_of_move(table):
        return
    name = field.name(actor)
    others = spent(table, previous)
    if whole <= 1:
        if table.read("single-action") != "any":
            yield _as_finding(table, table.reason("The only action of {name} must be a Move", name=name))
        return
    if others + 1 < whole:
        return
    if "power-move" in previous and table.read("power-move-counts") == "yes":
        return
    if "clear-jam" in (action, *previous) and table.read("jam-clearing") == "move":
        return
    if not combat.in_combat(table, field, actor) or table.read("unused-move") != "free-if-unable":
        yield _as_finding(table, table.reason("One action of {name} must be a Move", name=name))


# The requirements of each action


def run_violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Reasons:
    """List the violations of a run; whether a figure may run out of combat is the reading `run-from-combat`."""
    hindered = movement.violations(table, field, actor)
    if hindered and table.read("run-from-combat") == "yes":
        hindered = ()
    return (*allowance.run_violations(table, field, actor, not previous), *hindered)


@violations_rule("activation.fight_violations", cites="actions/fight")
def fight_violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Iterator[Reason]:
    """Decide whether a figure has an opponent to fight: it must be in combat."""
    if not combat.in_combat(table, field, actor):
        yield _as_finding(table, table.reason("{name} is not in combat", name=field.name(actor)))


@violations_rule("activation.shoot_violations", cites="actions/shoot")
def shoot_violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Iterator[Reason]:
    """Decide whether a figure has anything to shoot with; whether it may in combat is `shoot-while-in-combat`."""
    figure = field.figure(actor)
    names = {"name": field.name(figure)}
    guns = tuple(weapon for weapon in field.weapons(figure) if weapon.kind != "melee")
    fights = combat.in_combat(table, field, actor)
    if not guns:
        yield _as_finding(table, table.reason("{name} has nothing to shoot with", **names))
    elif all(weapon.id in figure.jammed for weapon in guns):
        text = "All weapons that {name} can shoot with are jammed"
        yield _as_finding(table, table.reason(text, cites="shooting/jam-unusable", **names))
    if fights and table.read("shoot-while-in-combat") == "no":
        text = "{name} is in combat and may not shoot"
        yield _as_finding(table, table.reason(text, cites="shooting/while-in-combat", **names))


@violations_rule("activation.power_violations", cites="actions/power")
def power_violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Iterator[Reason]:
    """Decide whether a figure knows a power that it may try to activate."""
    figure = field.figure(actor)
    if not field.profile(figure).powers:
        yield _as_finding(table, table.reason("{name} knows no powers", name=field.name(figure)))


@rule("activation.unlock_violations", cites="actions/unlock", neutral=())
def unlock_violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Reasons:
    """Decide whether there is a token that a figure may try to unlock; lists the violations."""
    locked = [token.id for token in field.scene.tokens if not token.unlocked]
    violations = [loot.unlock_violations(table, field, actor, id_) for id_ in locked]
    return _first_of(table, violations or [(table.reason("There is nothing to unlock"),)])


@rule("activation.pick_up_violations", cites=("loot/physical-action", "loot/data-action"), neutral=())
def pick_up_violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Reasons:
    """Decide whether there is an unlocked token that a figure may pick up; lists the violations."""
    unlocked = [token.id for token in field.scene.tokens if token.unlocked]
    violations = [loot.pick_up_violations(table, field, actor, id_) for id_ in unlocked]
    return _first_of(table, violations or [(table.reason("There is nothing to pick up"),)])


def _picks_up_for_nothing(table: Table, field: Battlefield, actor: str, previous: Actions) -> bool:
    """Check whether a token is there that a figure may pick up for nothing."""
    unlocked = (token.id for token in field.scene.tokens if token.unlocked)
    open_ = (id_ for id_ in unlocked if not loot.pick_up_violations(table, field, actor, id_))
    return any(loot.free(table, field, actor, id_, "unlock" in previous) for id_ in open_)


@rule("activation.tend_violations", cites="gear/medic-kit", neutral=())
def tend_violations(table: Table, field: Battlefield, actor: str, previous: Actions) -> Reasons:
    """Decide whether a figure may tend anyone with a medic kit, itself included; lists the violations of the first."""
    patients = [other.id for other in field.figures] if medicine.has_kit(field, actor) else [actor]
    return _first_of(table, [medicine.violations(table, field, actor, id_) for id_ in patients])


@rule("activation.special", cites="actions/special", neutral=())
def special(table: Table) -> Actions:
    """Decide whether an action may be spent on something special: it may, on what the scenario or gear allows."""
    table.find("An action may be spent on what the scenario or a piece of gear allows")
    return ("special",)


_OWN: dict[Action, Callable[[Table, Battlefield, str, Actions], Reasons]] = {
    "move": lambda table, field, actor, _: movement.violations(table, field, actor),
    "second-move": lambda table, field, actor, _: movement.violations(table, field, actor),
    "run": run_violations,
    "fight": fight_violations,
    "shoot": shoot_violations,
    "power": power_violations,
    "unlock": unlock_violations,
    "pick-up": pick_up_violations,
    "clear-jam": lambda *_: (),
    "medic-kit": tend_violations,
}

ACTIONS = tuple(_OWN)
