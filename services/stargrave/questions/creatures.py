"""What a creature does: its activation, step by step, carried out or only looked up."""

from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave import costs
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import checked_case
from services.stargrave.questions.state import State
from services.stargrave.rules import activation, creatures, histories, power_figures
from services.stargrave.rules.creatures import CreatureAction, Kind
from services.stargrave.scene import Scene

Action = Literal[Kind, "nothing"]


class BehaviourCase(FactCase, frozen=True):
    """A creature that nobody controls, and whether it acts or is only asked what it would do first."""

    scene: Scene
    creature: Annotated[Id, Meta(description="The creature that activates.")]
    carry_out: Annotated[bool, Meta(description="Whether it acts; else only its first action is looked up.")] = True


class Behaviour(Value, frozen=True):
    """What a creature does."""

    creature: Id
    steps: Annotated[tuple[int, ...], Meta(description="The steps that were asked, in order.")]
    action: Annotated[Action, Meta(description="Its first action.")]
    target: Annotated[Id | None, Meta(description="Whom that concerns.")]
    deeds: Annotated[tuple[CreatureAction, ...], Meta(description="All that it did; empty where it is only looked up.")]
    health: Annotated[int, Meta(description="Its Health afterwards.")]
    damage: Annotated[int, Meta(description="The Health that the others have lost, all together.")] = 0
    felled: Annotated[int, Meta(description="How many of the others have gone out of the game.")] = 0
    out: Annotated[tuple[Id, ...], Meta(description="Who has gone out of the game.")] = ()


def _prepare(case: BehaviourCase) -> State[BehaviourCase]:
    field = checked_case(case.scene, ("creature", "figure", case.creature))
    free = [figure.id for figure in field.figures if figure.crew is None]
    if case.creature not in free:
        raise Faults(
            [
                Fault(
                    pointer("case", "creature"),
                    "no-creature",
                    f"{case.creature} is not a creature in play",
                    case.creature,
                    "one of " + (", ".join(free) or "the creatures in play, but there are none"),
                    "a player decides what a controlled figure does",
                )
            ]
        )
    return State(field, case)


def behaviour(table: Table, state: State[BehaviourCase]) -> Decided[Behaviour]:
    """Decide what a creature does, step by step, and let it act if it is to."""
    field, case = state.field, state.case
    if reasons := histories.once_a_turn(table, field, case.creature):
        raise Forbidden(*reasons)
    if power_figures.powered_down(table, field, case.creature):
        idle = Behaviour(case.creature, (), "nothing", None, (), field.health(field.figure(case.creature)))
        return Decided(idle, activation.begin(table, field, case.creature).scene if case.carry_out else None)
    if not case.carry_out:
        return Decided(_first_action(table, field, case.creature))
    outcome = creatures.turn(table, field, case.creature)
    action: Action = outcome.actions[0].kind if outcome.actions else "nothing"
    target = outcome.actions[0].target if outcome.actions else None
    after = outcome.field
    gone = tuple(figure.id for figure in field.figures if after.figure(figure.id).health == 0)
    health = after.health(after.figure(case.creature))
    others = tuple(figure for figure in field.figures if figure.id != case.creature)
    damage = sum(max(0, field.health(other) - after.health(after.figure(other.id))) for other in others)
    felled = sum(id_ != case.creature for id_ in gone)
    answer = Behaviour(case.creature, outcome.steps, action, target, outcome.actions, health, damage, felled, gone)
    return Decided(answer, after.scene)


def _first_action(table: Table, field: Battlefield, creature: str) -> Behaviour:
    figure = field.figure(creature)
    health = field.health(figure)
    if not activation.actions_left(table, field, creature):
        return Behaviour(creature, (), "nothing", None, (), health)
    if creatures.step_1(table, field, creature):
        with table.without_findings():
            target = creatures.opponent(table, field, creature)
        return Behaviour(creature, (1,), "fight", target, (), health)
    plan = creatures.step_2(table, field, creature)
    if plan.kind == "step-3":
        return Behaviour(creature, (1, 2, 3), "random-move", None, (), health)
    kind: Action = "nothing" if plan.kind == "nothing" else plan.kind
    return Behaviour(creature, (1, 2), kind, plan.targets[0] if plan.targets else None, (), health)


BEHAVIOUR = Question(
    name="behaviour",
    gist="What a creature that nobody controls does in its activation: fights, shots and moves, step by step.",
    case=BehaviourCase,
    answer=Behaviour,
    prepare=_prepare,
    rule=behaviour,
    dice=True,
    cost=lambda state: costs.of_activation(state.field),
)

QUESTIONS = (BEHAVIOUR,)
