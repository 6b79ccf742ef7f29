"""Questions about hostiles: what one does and why, how it moves, and what a whole group does when its card comes up."""

from collections.abc import Iterator
from typing import Annotated, TypeVar

from msgspec import Meta
from msgspec.structs import replace

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress import checks
from services.blackstone_fortress.battlefield import Battlefield, place
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.checks import State
from services.blackstone_fortress.questions.moves import on_board
from services.blackstone_fortress.rules import (
    behaviour,
    hostile_activation,
    hostile_moves,
    movement,
    overwatch,
    reinforcements,
    turn,
    wounds,
)
from services.blackstone_fortress.rules.attacks import AttackOutcome
from services.blackstone_fortress.rules.behaviour import ColumnTest
from services.blackstone_fortress.rules.unique_hostile_actions import perform
from services.blackstone_fortress.scene import Hex, Scene

A = TypeVar("A", bound="Behaviour | Reinforcements | Activation")


class BehaviourCase(FactCase, frozen=True):
    """A hostile whose behaviour is looked up, and resolved into moves and attacks unless that is not wanted."""

    scene: Scene
    hostile: Annotated[Id, Meta(description="The hostile that is activated.")]
    resolve: Annotated[
        bool | None,
        Meta(description="Whether it is carried out; null: with a board, or the `action` given, and else looked up."),
    ] = None
    action: Annotated[
        Id | None, Meta(description="The action, where it is known already: nothing is rolled or looked up then.")
    ] = None


class Behaviour(Value, frozen=True):
    """What a hostile does: how its action was found, and what came of it."""

    hostile: Id
    action: Annotated[Id | None, Meta(description="The action; null for a stunned hostile, who stands up instead.")]
    name: Annotated[str, Meta(description="The action as the card calls it.")] = ""
    column: Annotated[Id | None, Meta(description="The first column that applies.")] = None
    tests: Annotated[tuple[ColumnTest, ...], Meta(description="The columns that were tested, from left to right.")] = ()
    roll: Annotated[int | None, Meta(description="The behaviour roll.")] = None
    rolls: Annotated[
        tuple[int, int] | None, Meta(description="The row of the table, from its first to its last roll.")
    ] = None
    stood_up: Annotated[bool, Meta(description="Whether the hostile was stunned and stood up.")] = False
    hex: Annotated[Hex | None, Meta(description="Where it stands now; null once it is slain.")] = None
    slain: Annotated[bool, Meta(description="Whether overwatch or a riposte has slain it.")] = False
    wounds: Annotated[int, Meta(description="Wounds that explorers now have more.")] = 0
    grievous: Annotated[int, Meta(description="Grievous wounds that explorers now have more.")] = 0
    out_of_action: Annotated[tuple[Id, ...], Meta(description="Explorers whom it has taken out of action.")] = ()
    attacks: Annotated[tuple[AttackOutcome, ...], Meta(description="How its attacks went, in order.")] = ()


def _behaviour_faults(field: Battlefield, case: BehaviourCase) -> Iterator[Fault]:
    yield from _hostile(field, case.hostile)
    if case.action is not None:
        actions = [row["id"] for row in rows("hostile_actions")]
        yield from checks.id_faults("action", case.action, "action", actions)


def _hostile(field: Battlefield, id_: str) -> Iterator[Fault]:
    yield from checks.standing(field, "hostile", id_, "hostile", field.hostiles)


def _behaviour(table: Table, acting: State[BehaviourCase]) -> Decided[Behaviour]:
    """What a hostile does: its column and its roll on the behaviour table, and the moves and attacks that follow."""
    before, case = acting.field, acting.case
    resolve = not before.scene.is_partial or case.action is not None if case.resolve is None else case.resolve
    reasons = hostile_activation.violations(table, before, case.hostile) if resolve else ()
    if reasons:
        raise Forbidden(*reasons)
    after: Battlefield = before
    outcomes: tuple[AttackOutcome, ...] = ()
    if before.hostile(case.hostile).stunned:
        answer = Behaviour(case.hostile, None, stood_up=True)
        after = wounds.stand_up(table, before, case.hostile)
    else:
        answer = Behaviour(case.hostile, case.action) if case.action else _look_up(table, before, case.hostile)
        answer = replace(answer, name=behaviour.action_name(answer.action or "hold"))
        if resolve:
            after, outcomes = perform(table, before, case.hostile, answer.action or "hold")
    if not resolve:
        return Decided(replace(answer, hex=before.hostile(case.hostile).hex))
    after = hostile_activation.done(table, after, case.hostile)
    hostile = after.hostile(case.hostile)
    answer = replace(answer, hex=hostile.hex, slain=hostile.slain, attacks=outcomes)
    return Decided(_with_harm(answer, before, after), after.scene)


def _look_up(table: Table, field: Battlefield, hostile_id: str) -> Behaviour:
    tests = behaviour.columns(table, field, hostile_id)
    column = tests[-1].column
    roll = behaviour.roll(table, field, hostile_id)
    action = behaviour.action_on(table, field, hostile_id, column, roll)
    row = behaviour.row_of(behaviour.table_of(field, hostile_id), roll)
    return Behaviour(hostile_id, action, column=column, tests=tests, roll=roll, rolls=row.rolls)


def _with_harm(answer: A, before: Battlefield, after: Battlefield) -> A:
    """Give the answer with what the explorers have suffered between two states of the battlefield."""
    pairs = [(one, after.explorer(one.id)) for one in before.scene.explorers]
    return replace(
        answer,
        wounds=sum(now.wounds - then.wounds for then, now in pairs),
        grievous=sum(now.grievous - then.grievous for then, now in pairs),
        out_of_action=tuple(now.id for then, now in pairs if now.out_of_action and not then.out_of_action),
    )


class HostileMoveCase(Value, frozen=True):
    """A hostile that moves by the rules of hostile moves: towards an explorer, a hex, or the closest explorer."""

    scene: Scene
    hostile: Annotated[Id, Meta(description="The hostile that moves.")]
    explorer: Annotated[Id | None, Meta(description="The explorer it moves towards.")] = None
    hex: Annotated[Hex | None, Meta(description="The hex it moves towards, where no explorer is named.")] = None


class Way(Value, frozen=True):
    """A hex in which the hostile may end, and one way there."""

    hex: Hex
    way: tuple[Hex, ...]


class HostileMove(Value, frozen=True):
    """Where a hostile's move may end by the rules, and where it has ended."""

    hostile: Id
    towards: Annotated[Hex | None, Meta(description="The hex it moves towards; null if there is no explorer.")]
    ends: Annotated[tuple[Way, ...], Meta(description="Where it may end; its player picks.")] = ()
    hex: Annotated[Hex | None, Meta(description="Where it stands now; null once it is slain by overwatch.")] = None


def _move_faults(field: Battlefield, case: HostileMoveCase) -> Iterator[Fault]:
    yield from _hostile(field, case.hostile)
    if case.explorer is not None:
        yield from checks.standing(field, "explorer", case.explorer, "explorer", field.explorers)
    if case.hex is not None:
        yield from on_board(field, "hex", (case.hex,))


def _hostile_move(table: Table, moving: State[HostileMoveCase]) -> Decided[HostileMove]:
    """Move a hostile towards an explorer or a hex, closer with each hex it enters."""
    field, case = moving.field, moving.case
    target = case.hex
    explorer = case.explorer
    if explorer is None and target is None:
        explorer = hostile_moves.closest(table, field, case.hostile)
    if explorer is not None:
        target = place(field.explorer(explorer))
    if target is None:
        return Decided(HostileMove(case.hostile, None, hex=place(field.hostile(case.hostile))))
    hexes = movement.allowance(table, field, case.hostile)
    ends = hostile_moves.ends_towards(table, field, case.hostile, target, hexes)
    after = hostile_moves.move_to_end(table, field, case.hostile, ends, "move to")
    after = overwatch.triggered(table, after, case.hostile, "move", made=after is not field)
    listed = tuple(Way(hex_, way) for hex_, way in ends.items())
    return Decided(HostileMove(case.hostile, target, listed, after.hostile(case.hostile).hex), after.scene)


class GroupCase(Value, frozen=True):
    """A hostile group whose card has come up."""

    scene: Scene
    group: Annotated[Id, Meta(description="The hostile group.")]


class Standing(Value, frozen=True):
    """How a hostile stands: its hex, null once it is slain."""

    unit: Id
    hex: Hex | None


class Reinforcements(Value, frozen=True):
    """A group's reinforcement roll and what came of it."""

    group: Id
    controlled_by: Annotated[str, Meta(description="Who controls the hostiles.")]
    roll: Annotated[int | None, Meta(description="The roll that counted; null if none of the group is slain.")] = None
    size: Annotated[
        str | None, Meta(description="The size of the smallest slain hostile: the column that was used.")
    ] = None
    by_roll: Annotated[int, Meta(description="How many the roll brings back, if there is a hex for each.")] = 0
    number: Annotated[int, Meta(description="How many came back.")] = 0
    returned: Annotated[tuple[Standing, ...], Meta(description="Who came back, and where they stand now.")] = ()
    wounds: Annotated[int, Meta(description="Wounds that explorers now have more.")] = 0
    grievous: Annotated[int, Meta(description="Grievous wounds that explorers now have more.")] = 0
    out_of_action: Annotated[tuple[Id, ...], Meta(description="Explorers who were taken out of action.")] = ()


class Activation(Value, frozen=True):
    """What a whole group has done: its reinforcements, where its hostiles stand now, and what explorers suffer."""

    group: Id
    controlled_by: Annotated[str, Meta(description="Who controls the hostiles.")]
    returned: Annotated[int, Meta(description="How many hostiles came back.")]
    hostiles: Annotated[tuple[Standing, ...], Meta(description="The group's hostiles that stood or came back.")]
    wounds: Annotated[int, Meta(description="Wounds that explorers now have more.")] = 0
    grievous: Annotated[int, Meta(description="Grievous wounds that explorers now have more.")] = 0
    out_of_action: Annotated[tuple[Id, ...], Meta(description="Explorers who were taken out of action.")] = ()


def _group_faults(field: Battlefield, case: GroupCase) -> Iterator[Fault]:
    groups = list(dict.fromkeys(hostile.group for hostile in field.scene.hostiles))
    yield from checks.id_faults("group", case.group, "group", groups)


def _reinforcements(table: Table, state: State[GroupCase]) -> Decided[Reinforcements]:
    """A group's reinforcement roll: who returns, where, and what each does on arrival."""
    before, group = state.field, state.case.group
    controller = hostile_activation.controlled_by(table, before)
    roll = reinforcements.rolled(table, before, group)
    after, returned = reinforcements.arrive(table, before, group, roll)
    standing = tuple(Standing(id_, after.hostile(id_).hex) for id_ in returned)
    answer = Reinforcements(group, controller, number=len(returned), returned=standing)
    if roll is not None:
        counted = roll.roll if roll.again is None else roll.again
        answer = replace(answer, roll=counted, size=roll.size, by_roll=roll.number)
    return Decided(_with_harm(answer, before, after), after.scene)


def _activation(table: Table, state: State[GroupCase]) -> Decided[Activation]:
    """Activate a hostile group: its reinforcements, and then the behaviour of each hostile, the closest first."""
    before, group = state.field, state.case.group
    reasons = (
        *turn.out_of_phase(table, before, ("initiative", "activation")),
        *turn.not_its_turn(table, before, group),
        *turn.already_activated(table, before, group),
    )
    if reasons:
        raise Forbidden(*reasons)
    begins = before.scene.turn.phase == "initiative"
    begun = turn.begin_phase(table, before, "activation") if begins else before
    after, returned = hostile_activation.activate_group(table, begun, group)
    after = turn.card_down(table, after, group)
    stood = {hostile.id for hostile in before.hostiles} | set(returned)
    members = (hostile for hostile in after.scene.hostiles if hostile.group == group and hostile.id in stood)
    standing = tuple(Standing(hostile.id, hostile.hex) for hostile in members)
    answer = Activation(group, turn.hostile_player_name(before), len(returned), standing)
    return Decided(_with_harm(answer, before, after), after.scene)


BEHAVIOUR = Question("behaviour", BehaviourCase, checks.checking(_behaviour_faults), _behaviour, dice=True)

QUESTIONS = (
    BEHAVIOUR,
    Question("hostile-move", HostileMoveCase, checks.checking(_move_faults), _hostile_move, dice=True),
    Question("reinforcements", GroupCase, checks.checking(_group_faults), _reinforcements, dice=True),
    Question("hostile-activation", GroupCase, checks.checking(_group_faults), _activation, dice=True),
)
