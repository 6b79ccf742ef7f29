"""Explorers' activations: what an explorer can do now, doing it, and the end of the activation."""

from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden, Reason
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import basic_actions
from services.blackstone_fortress.checks import State, checking, fault, one_of
from services.blackstone_fortress.questions.explorers import ExplorerCase, explorer_faults, prepare_explorer
from services.blackstone_fortress.rules import (
    activation,
    armoury,
    ending,
    explorer_actions,
    movement,
    payments,
    portals,
    turn,
    unique_actions,
    weapon_actions,
)
from services.blackstone_fortress.rules.ending import Outcome
from services.blackstone_fortress.rules.explorer_actions import Action, Offer, Violation
from services.blackstone_fortress.rules.payments import Payment
from services.blackstone_fortress.rules.unique_actions import ActionDetails
from services.blackstone_fortress.scene import Hex, Scene

MOVING = ("phase-move", "move-hostile")
"""The kinds of unique actions that take a way."""


# What an explorer can do


class ActionsAnswer(Value, frozen=True):
    """Whether an explorer may act now, and every action it knows: open or not, with dice, targets and reasons."""

    explorer: Id
    may_act: Annotated[bool, Meta(description="Whether the explorer may act at all now.")]
    reasons: Annotated[tuple[Violation, ...], Meta(description="Why not, if it may not.")]
    stands_up_first: Annotated[bool, Meta(description="Whether it is stunned and discards an activation die first.")]
    open: Annotated[int, Meta(description="How many of the actions are open.")]
    actions: Annotated[tuple[Offer, ...], Meta(description="Every action, once for each of its costs.")]


def list_actions(table: Table, state: State[ExplorerCase]) -> Decided[ActionsAnswer]:
    """What an explorer can do now: every action with its cost, the dice that could pay, and why not."""
    field, id_ = state.field, state.case.explorer
    reasons = explorer_actions.waiting(table, field, id_)
    stunned = explorer_actions.stands_up_first(table, field, id_)
    field = payments.left_to_pay(table, field, id_)
    known_actions = explorer_actions.actions(table, field, id_)
    offers = tuple(explorer_actions.offered(table, field, id_, action) for action in known_actions)
    count = sum(offer.open for offer in offers) if not reasons else 0
    return Decided(ActionsAnswer(id_, not reasons, reasons, stunned, count, offers))


# Acting


class ActCase(FactCase, frozen=True):
    """An action that an `explorer` takes, and the dice that pay for it.

    `dice` are one die, and for an aimed weapon action a second. A move goes along `way`, and so does that of a phase
    crystal and of a hostile that is commanded, which is the first of `targets`. A weapon action names at least its
    first target; those of later attacks are asked for.
    """

    scene: Scene
    explorer: Id
    action: Annotated[Id, Meta(description="The action's id: `move`, `search`, or one of the explorer's own.")]
    dice: Annotated[tuple[Payment, ...], Meta(min_length=1, max_length=2)]
    cost: Annotated[
        Annotated[int, Meta(ge=1, le=6)] | None,
        Meta(description="Which of the action's costs is paid; left out, the highest that the first die pays for."),
    ] = None
    way: Annotated[tuple[Hex, ...], Meta(max_length=30, description="The hexes entered, in order.")] = ()
    targets: Annotated[tuple[Id, ...], Meta(max_length=6, description="The hostiles attacked, or commanded.")] = ()


class ActAnswer(Value, frozen=True):
    """What the action has come to, and how the explorer stands after it."""

    action: Id
    cost: Annotated[int, Meta(description="The cost that was paid.")]
    hex: Annotated[Hex | None, Meta(description="Where the explorer stands now.")]
    wounds: Annotated[int, Meta(description="The explorer's wounds now.")]
    grievous: Annotated[int, Meta(description="The explorer's grievous wounds now.")]
    inspiration: Annotated[int, Meta(description="The explorer's inspiration points now.")]
    slain: Annotated[tuple[Id, ...], Meta(description="The hostiles that the action has slain.")]
    escape_chamber: Annotated[bool, Meta(description="Whether the escape chamber is there now.")]
    activation: Annotated[tuple[int, ...], Meta(description="The activation dice left.")]
    destiny: Annotated[tuple[int, ...], Meta(description="The destiny dice left to all explorers.")]
    again: Annotated[bool, Meta(description="Whether the explorer can pay for another action.")]
    combat: Annotated[Outcome, Meta(description="`on`, or how the combat has ended.")]


def _faults(field: Battlefield, case: ActCase) -> Iterator[Fault]:
    yield from explorer_faults(field, case.explorer)
    hostiles = [hostile.id for hostile in field.hostiles]
    for index, id_ in enumerate(case.targets):
        if id_ not in hostiles:
            message, nobody = f"no hostile {id_!r} stands on the battlefield", "those on the battlefield, but nobody is"
            yield fault(f"targets/{index}", "unknown-hostile", message, id_, one_of(hostiles, nobody))
    if case.explorer not in {explorer.id for explorer in field.scene.explorers}:
        return
    costs = _costs(field, case.explorer)
    if case.action in costs:
        yield from _act_faults(field, case, costs[case.action])
    else:
        message = f"{case.explorer} has no action {case.action!r}"
        yield fault("action", "unknown-action", message, case.action, one_of(costs))


def _costs(field: Battlefield, explorer_id: str) -> dict[str, tuple[int, ...]]:
    """Give the costs, apart from twists, of every action that an explorer knows."""
    explorer = field.explorer(explorer_id)
    costs: dict[str, tuple[int, ...]] = {row["id"]: (row["cost"],) for row in basic_actions()}
    costs |= {weapon.id: tuple(price.cost for price in weapon.costs) for weapon in field.side(explorer).weapon_actions}
    return costs | {unique.id: (unique.cost,) for unique in unique_actions.of(field, explorer)}


def _act_faults(field: Battlefield, case: ActCase, costs: tuple[int, ...]) -> Iterator[Fault]:
    explorer = field.explorer(case.explorer)
    weapons = {weapon.id: weapon for weapon in field.side(explorer).weapon_actions}
    kind = next((unique.kind for unique in unique_actions.of(field, explorer) if unique.id == case.action), None)
    if case.cost is not None and case.cost not in costs:
        message = f"{case.action} has no cost of {case.cost}+"
        yield fault("cost", "unknown-cost", message, case.cost, one_of(costs))
    if len(case.dice) > 1 and case.action not in weapons:
        yield fault("dice/1", "one-die", f"{case.action} is paid for with one die", len(case.dice), "one die")
    if case.way and case.action != "move" and kind not in MOVING:
        yield fault("way", "no-way", f"{case.action} takes no way", len(case.way), "nothing")
    for index, hex_ in enumerate(case.way):
        if hex_ not in field.ground.hexes:
            yield fault(f"way/{index}", "off-board", f"{list(hex_)} is not on the board", hex_, "a hex of the board")
    least, most = 0, 0
    if case.action in weapons:
        least, most = 1, max(price.attacks for price in weapons[case.action].costs)
    elif kind == "move-hostile":
        least, most = 1, 1
    if not least <= len(case.targets) <= most:
        asked = f"{least}" if least == most else f"{least} to {most}"
        message = f"{case.action} takes {asked} targets"
        yield fault("targets", "wrong-number-of-targets", message, len(case.targets), asked)


def act(table: Table, state: State[ActCase]) -> Decided[ActAnswer]:
    """An explorer's action: whether it may be taken with these dice, and what comes of it."""
    case, id_ = state.case, state.case.explorer
    reasons = explorer_actions.actor_violations(table, state.field, id_)
    field = state.field if reasons else activation.begin(table, state.field, id_)
    action = _action(table, field, case)
    reasons = (*reasons, *_violations(table, field, case, action))
    if reasons:
        raise Forbidden(*reasons)
    standing = {hostile.id for hostile in field.hostiles}
    field = _carry_out(table, payments.spend(table, field, id_, case.dice), case, action)
    # Where no board shows the way, the players move the explorer.
    moved = action.id in ("move", "phase-crystal") and (case.way or field.scene.is_partial)
    field = unique_actions.uncloaked(table, field, id_ if moved else None)
    explorer = field.explorer(id_)
    again = explorer_actions.may_act_again(table, field, id_)
    combat = ending.at_once(table, field)
    answer = ActAnswer(
        action.id,
        action.cost,
        explorer.hex,
        explorer.wounds,
        explorer.grievous,
        explorer.inspiration,
        tuple(hostile.id for hostile in field.scene.hostiles if hostile.slain and hostile.id in standing),
        portals.has_chamber(field),
        payments.purse(field, id_).activation,
        field.scene.turn.destiny,
        again and combat == "on",
        combat,
    )
    return Decided(answer, ending.after(table, field, combat).scene)


def _action(table: Table, field: Battlefield, case: ActCase) -> Action:
    """Give the action at the cost that is paid: the one named, else the highest that the die meets, else the lowest."""
    prices = [one for one in explorer_actions.actions(table, field, case.explorer) if one.id == case.action]
    if case.cost is not None and len(prices) > 1:
        return next(one for one in prices if one.cost == case.cost)
    paid = [one for one in prices if one.cost <= case.dice[0].die]
    return max(paid or prices[:1], key=lambda one: one.cost)


def _violations(table: Table, field: Battlefield, case: ActCase, action: Action) -> tuple[Reason, ...]:
    """Give every reason why an action cannot be taken in the way that the case says."""
    id_ = case.explorer
    aiming = case.dice[1:]
    reasons = [*explorer_actions.violations(table, field, id_, action)]
    reasons += payments.violations(table, field, id_, case.dice, (action.cost, *(1 for _ in aiming)))
    reasons += [reason for die in aiming for reason in armoury.extra_die(table, die)]
    if field.explorer(id_).hex is None:
        return tuple(reasons)
    if action.id == "move":
        reasons += movement.violations(table, field, id_, case.way)
    elif action.kind == "unique":
        reasons += unique_actions.details_violations(table, field, id_, action.id, _details(case))
    elif action.kind == "weapon":
        weapon = armoury.action_of(field, field.explorer(id_), action.id)
        attack = armoury.explorer_attack(table, field, id_, weapon, bool(aiming), case.dice[0].die)
        reasons += weapon_actions.violations(table, field, id_, action.id, case.targets, attack)
        price = next(price for price in weapon.costs if price.cost == action.cost)
        reasons += weapon_actions.too_many_targets(table, weapon, price, len(case.targets))
    return tuple(reasons)


def _details(case: ActCase) -> ActionDetails:
    return ActionDetails(case.targets[0] if case.targets else None, case.way)


def _carry_out(table: Table, field: Battlefield, case: ActCase, action: Action) -> Battlefield:
    id_ = case.explorer
    if action.kind == "unique":
        return unique_actions.perform(table, field, id_, action.id, _details(case))
    if action.kind == "weapon":
        aimed, paid = len(case.dice) > 1, case.dice[0].die
        return weapon_actions.take_attacks(table, field, id_, action.id, action.cost, case.targets, aimed, paid)[0]
    if action.id == "move":
        return movement.move(table, field, id_, case.way)
    basic = {
        "recuperate": explorer_actions.recuperate,
        "search": explorer_actions.search,
        "summon": explorer_actions.summon,
    }
    return basic[action.id](table, field, id_)


# The end of an activation


class EndActivationAnswer(Value, frozen=True):
    """How an explorer's activation has ended, and whose card is next."""

    explorer: Id
    overwatch: Annotated[tuple[int, ...], Meta(description="The dice kept for overwatch.")]
    inspired: Annotated[bool, Meta(description="Whether the explorer is inspired now.")]
    inspiration: Annotated[int, Meta(description="The explorer's inspiration points now.")]
    point: Annotated[bool, Meta(description="Whether it has gained an inspiration point.")]
    next: Annotated[Id | None, Meta(description="The card that is next; null when all are used or the combat is over.")]
    combat: Annotated[Outcome, Meta(description="`on`, or how the combat has ended.")]


def end_activation(table: Table, state: State[ExplorerCase]) -> Decided[EndActivationAnswer]:
    """The end of an explorer's activation: overwatch dice, the inspiration roll, and whose card is next."""
    field, id_ = state.field, state.case.explorer
    if reasons := explorer_actions.actor_violations(table, field, id_):
        raise Forbidden(*reasons)
    before = field.explorer(id_)
    field = activation.end(table, activation.begin(table, field, id_), id_)
    after = field.explorer(id_)
    next_card = turn.next_card(table, field)
    combat = ending.at_once(table, field)
    answer = EndActivationAnswer(
        id_,
        after.overwatch,
        after.inspired,
        after.inspiration,
        after.inspiration > before.inspiration or (after.inspired and not before.inspired),
        next_card if combat == "on" else None,
        combat,
    )
    return Decided(answer, ending.after(table, field, combat).scene)


QUESTIONS = (
    Question("actions", ExplorerCase, prepare_explorer, list_actions),
    Question("act", ActCase, checking(_faults), act, dice=True),
    Question("end-activation", ExplorerCase, prepare_explorer, end_activation, dice=True),
)
