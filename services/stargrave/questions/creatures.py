"""What a creature does: its activation, step by step, carried out or only looked up."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from services.stargrave.battlefield import Battlefield
from services.stargrave.checks import checked_case
from services.stargrave.model import Scene
from services.stargrave.profiles import Id
from services.stargrave.rules import activation, creatures

Action = Literal["fight", "shoot", "advance", "random-move", "nothing"]


class BehaviourCase(Value, frozen=True):
    """A creature that nobody controls, and whether it acts or is only asked what it would do first."""

    scene: Scene
    creature: Annotated[Id, Meta(description="The creature that activates.")]
    carry_out: Annotated[bool, Meta(description="Whether it acts; else only its first action is looked up.")] = True


class Deed(Value, frozen=True):
    """One action that a creature has taken, and where it stood afterwards."""

    kind: Action
    target: Annotated[Id | None, Meta(description="Whom it fought, shot at or went for.")] = None
    weapon: Annotated[Id | None, Meta(description="With what it shot.")] = None
    at_thousandths: Annotated[
        tuple[int, int] | None, Meta(description="Where it then stood, in thousandths of an inch; null if it is out.")
    ] = None


class Behaviour(Value, frozen=True):
    """What a creature does."""

    creature: Id
    steps: Annotated[tuple[int, ...], Meta(description="The steps that were asked, in order.")]
    action: Annotated[Action, Meta(description="Its first action.")]
    target: Annotated[Id | None, Meta(description="Whom that concerns.")]
    deeds: Annotated[tuple[Deed, ...], Meta(description="All that it did; empty where it is only looked up.")]
    health: Annotated[int, Meta(description="Its Health afterwards.")]
    dealt: Annotated[int, Meta(description="How much Health the others have lost, all together.")] = 0
    felled: Annotated[int, Meta(description="How many of the others have gone out of the game.")] = 0
    out: Annotated[tuple[Id, ...], Meta(description="Who has gone out of the game.")] = ()


@dataclass(frozen=True)
class _Asked:
    field: Battlefield
    case: BehaviourCase


def _prepare(case: BehaviourCase) -> _Asked:
    field = checked_case(case.scene, ("creature", "figure", case.creature))
    free = [figure.id for figure in field.figures if figure.crew is None]
    if case.creature not in free:
        raise Faults(
            [
                Fault(
                    pointer("case", "creature"), "no-creature", f"{case.creature} is no creature in play",
                    case.creature, "one of " + (", ".join(free) or "the creatures in play, but there are none"),
                    "whom a player controls does as the player says",
                )
            ]
        )  # fmt: skip
    return _Asked(field, case)


def behaviour(table: Table, state: _Asked) -> Decided[Behaviour]:
    """Decide what a creature does, step by step, and let it act if it is to."""
    field, case = state.field, state.case
    if not case.carry_out:
        return Decided(_looked_up(table, field, case.creature))
    done = creatures.turn(table, field, case.creature)
    deeds = tuple(Deed(deed.kind, deed.target, deed.weapon, deed.at) for deed in done.deeds)
    first = deeds[0] if deeds else Deed("nothing")
    after = done.field
    gone = tuple(figure.id for figure in field.figures if after.figure(figure.id).health == 0)
    health = after.health(after.figure(case.creature))
    others = tuple(figure for figure in field.figures if figure.id != case.creature)
    dealt = sum(max(0, field.health(of) - after.health(after.figure(of.id))) for of in others)
    felled = sum(id_ != case.creature for id_ in gone)
    answer = Behaviour(case.creature, done.steps, first.kind, first.target, deeds, health, dealt, felled, gone)
    return Decided(answer, after.scene)


def _looked_up(table: Table, field: Battlefield, id_: str) -> Behaviour:
    figure = field.figure(id_)
    health = field.health(figure)
    if not activation.actions_left(table, field, id_):
        return Behaviour(id_, (), "nothing", None, (), health)
    if creatures.step_1(table, field, id_):
        with table.hushed():
            target = creatures.opponent(table, field, id_)
        return Behaviour(id_, (1,), "fight", target, (), health)
    plan = creatures.step_2(table, field, id_)
    if plan.kind == "step-3":
        return Behaviour(id_, (1, 2, 3), "random-move", None, (), health)
    kind: Action = "nothing" if plan.kind == "nothing" else plan.kind
    return Behaviour(id_, (1, 2), kind, plan.targets[0] if plan.targets else None, (), health)


BEHAVIOUR = Question(
    name="behaviour",
    gist="What a creature that nobody controls does in its activation: fights, shots and moves, step by step.",
    case=BehaviourCase,
    answer=Behaviour,
    prepare=_prepare,
    rule=behaviour,
    dice=True,
)

QUESTIONS = (BEHAVIOUR,)
