"""The basic hostile actions of the back page: Advance, Aim, Charge, Fall Back, Hold, Onslaught and Sneak.

An action is a row of steps, mostly moves and attacks; after one of these explorers may answer with overwatch.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

from arbiter.rule import rule
from arbiter.table import Table
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.rules import hiding_moves, hostile_attacks, hostile_moves, overwatch, sight
from services.blackstone_fortress.rules.attacks import AttackOutcome
from services.blackstone_fortress.rules.hostile_attacks import PLAIN, Manner

AGAIN = Manner(again=True)
Trigger = Literal["move", "attack"]


class StepResult(NamedTuple):
    """The result of a step: the battlefield, its trigger for overwatch, whether it was made at all, and its attack.

    A step that the action did not call for after all is no move and no attack.
    """

    field: Battlefield
    trigger: Trigger | None = None
    made: bool = False
    attack: AttackOutcome | None = None


Step = Callable[[Table, Battlefield, str, StepResult | None], StepResult]
"""One step of an action: it is given the hostile's id and the step before it."""

Steps = tuple[Step, ...]
"""An action: its steps in order."""

Outcomes = tuple[AttackOutcome, ...]
"""How the attacks of an action went, in order."""


def carry_out(table: Table, field: Battlefield, hostile_id: str, steps: Steps) -> tuple[Battlefield, Outcomes]:
    """Take the steps of an action one after another as long as the hostile stands, each answered by overwatch.

    Give the battlefield after them, and how the hostile's attacks went. With the reading `overwatch-each-step` at once
    per action, only the end of the action is answered.
    """
    outcomes: Outcomes = ()
    at_end = table.readings["overwatch-each-step"] == "once-per-action"
    result: StepResult | None = None
    last: Trigger | None = None
    made = False
    for count, step in enumerate(steps, 1):
        result = step(table, field, hostile_id, result)
        field = result.field
        if result.attack is not None:
            outcomes = (*outcomes, result.attack)
        if field.hostile(hostile_id).slain:
            return field, outcomes
        if result.trigger is None:
            continue
        more = count < len(steps)
        last, made = result.trigger, made or result.made
        if more or not at_end:
            field = overwatch.triggered(table, field, hostile_id, result.trigger, made=result.made, more=more)
        if field.hostile(hostile_id).slain:
            return field, outcomes
    if at_end and last is not None:
        field = overwatch.triggered(table, field, hostile_id, last, made=made)
    return field, outcomes


def move_closer(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    """Move towards the closest explorer."""
    after = hostile_moves.towards_closest(table, field, hostile_id)
    return StepResult(after, "move", after is not field)


def attack_in(manner: Manner) -> Step:
    """Give the step of attacking the closest explorer, or the furthest, in a manner."""

    def step(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
        after, outcome = hostile_attacks.attack(table, field, hostile_id, manner)
        return StepResult(after, "attack", outcome is not None, outcome)

    return step


def attack_again_in(manner: Manner) -> Step:
    """Give the step of the second attack of an Onslaught: the target is picked anew, by `onslaught-moved-on`."""

    def step(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
        first = before.attack if before else None
        gone = first is not None and field.explorer(first.target).out_of_action
        # Only where somebody else could be attacked does it matter that the first target is gone.
        others = gone and hostile_attacks.targets(table, field, hostile_id, manner)
        if others and attack_lost(table, field, hostile_id):
            return StepResult(field, "attack", False)
        return attack_in(manner)(table, field, hostile_id, before)

    return step


@rule("hostile_actions.attack_lost", cites="hostile-action/onslaught-second", neutral=False)
def attack_lost(table: Table, field: Battlefield, hostile_id: str) -> bool:
    """Decide whether the second attack of an Onslaught is lost with the target of the first: `onslaught-moved-on`."""
    if table.read("onslaught-moved-on") == "anew":
        return False
    table.find("with its target gone, {hostile} does not attack again", hostile=field.name(hostile_id))
    return True


def charge_steps(manner: Manner = PLAIN) -> Steps:
    """Give the steps of a Charge: a move, and then an attack on somebody adjacent or another move."""

    def strike_or_move(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
        near = sight.beside(table, field, field.hostile(hostile_id))
        if near:
            after, outcome = hostile_attacks.attack(table, field, hostile_id, manner, near)
            if outcome is not None or table.read("charge-unable") == "stays":
                return StepResult(after, "attack", outcome is not None, outcome)
        return charge_again(table, field, hostile_id)

    return move_closer, strike_or_move


@rule(
    "hostile_actions.charge_again",
    cites="hostile-action/charge-again",
    neutral=lambda field, hostile_id: StepResult(field, "move", False),
)
def charge_again(table: Table, field: Battlefield, hostile_id: str) -> StepResult:
    """Decide what a charging hostile does that attacks nobody adjacent: it moves to the closest explorer once more."""
    table.find("{hostile} has no adjacent target and moves again", hostile=field.name(hostile_id))
    return move_closer(table, field, hostile_id, None)


@rule("hostile_actions.advance", cites=("hostile-action/advance-move", "hostile-action/advance-attack"), neutral=())
def advance(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Advance: move towards the closest explorer, then attack the closest one who is visible and in range."""
    _announce(table, field, hostile_id, "advances")
    return (move_closer, attack_in(PLAIN))


@rule("hostile_actions.aim", cites=("hostile-action/aim-target", "hostile-action/aim-ignores-cover"), neutral=())
def aim(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Aim: attack the furthest explorer who is visible and in range, and ignore cover."""
    _announce(table, field, hostile_id, "aims")
    return (attack_in(Manner(furthest=True, ignores_cover=True)),)


@rule("hostile_actions.charge", cites=("hostile-action/charge-move", "hostile-action/charge-attack"), neutral=())
def charge(table: Table, field: Battlefield, hostile_id: str, manner: Manner = PLAIN) -> Steps:
    """Charge: move towards the closest explorer, then attack a visible one who is adjacent, or else move again."""
    _announce(table, field, hostile_id, "charges")
    return charge_steps(manner)


@rule(
    "hostile_actions.fall_back", cites=("hostile-action/fall-back-hide", "hostile-action/fall-back-attack"), neutral=()
)
def fall_back(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Fall Back: with doubled Move end out of every explorer's sight if that can be done, and attack if it cannot."""
    _announce(table, field, hostile_id, "falls back")
    return (_hide_or_attack,)


def _hide_or_attack(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    by_hand = field.scene.is_partial
    ends = {} if by_hand else hiding_moves.hidden_ends(table, field, hostile_id)
    if ends or (by_hand and hiding_moves.can_hide(table, field, field.hostile(hostile_id))):
        after = hostile_moves.move_to_end(table, field, hostile_id, ends, "fall back to")
        return StepResult(after, "move", after is not field)
    return attack_in(PLAIN)(table, field, hostile_id, before)


@rule("hostile_actions.hold", cites="hostile-action/hold", neutral=())
def hold(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Hold: do nothing."""
    _announce(table, field, hostile_id, "holds and does nothing")
    return ()


@rule(
    "hostile_actions.onslaught", cites=("hostile-action/onslaught-first", "hostile-action/onslaught-second"), neutral=()
)
def onslaught(table: Table, field: Battlefield, hostile_id: str, manner: Manner = PLAIN) -> Steps:
    """Onslaught: attack the closest explorer who is visible and in range, and then the closest once more."""
    _announce(table, field, hostile_id, "attacks twice in an onslaught")
    return attack_in(manner), attack_again_in(manner)


@rule("hostile_actions.sneak", cites=("hostile-action/sneak-closest", "hostile-action/sneak-unseen"), neutral=())
def sneak(table: Table, field: Battlefield, hostile_id: str) -> Steps:
    """Sneak: end as close as possible to an explorer without entering a hex that any explorer sees."""
    _announce(table, field, hostile_id, "sneaks")
    return (_sneak,)


def _sneak(table: Table, field: Battlefield, hostile_id: str, before: StepResult | None) -> StepResult:
    ends = {} if field.scene.is_partial else hiding_moves.sneaking_ends(table, field, hostile_id)
    after = hostile_moves.move_to_end(table, field, hostile_id, ends, "sneak to")
    return StepResult(after, "move", after is not field)


def _announce(table: Table, field: Battlefield, hostile_id: str, does: str) -> None:
    table.find("{hostile} {does}", hostile=field.name(hostile_id), does=does)
