"""How an action and its reactions went, as answers report it, and what the sides lost by it."""

from typing import Annotated, Protocol

from msgspec import Meta

from arbiter.geometry.plane.shapes import PER_UNIT
from arbiter.rule import Why
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import ActionOutcome, AttackOutcome
from services.size_skirmish.battlefield import Battlefield, in_play
from services.size_skirmish.rules import procedure
from services.size_skirmish.rules.procedure import ProcedureOutcome
from services.size_skirmish.scene import Place


class Step(Value, frozen=True):
    """One action or reaction as carried out, or why it could not be."""

    model: Id
    action: Id
    movement: Id | None
    target: Id | None
    done: bool
    why_not: tuple[Why, ...]
    follow_up_why_not: Annotated[
        tuple[Why, ...], Meta(description="Why no strike or shot followed a movement that was made.")
    ]
    distance: Annotated[float | None, Meta(description="The range that was determined, in the scene's unit.")]
    way: tuple[Place, ...]
    blows: tuple[AttackOutcome, ...]
    losers: Annotated[tuple[Id, ...], Meta(description="Who lost the combat.")]


class Lost(Value, frozen=True):
    """The hit points that a side has lost; of a model that is out all that it had left."""

    side: Id
    hit_points: int


class Hurt(Value, frozen=True):
    """A model that has lost hit points, and how many it has left."""

    model: Id
    lost: int
    left: int


class Course(Value, frozen=True):
    """How an action went: the reactions in their order, the action itself, and what has become of the models.

    `fleeing` are those who flee now and did not before, `out` those who are eliminated or have fled from the table.
    """

    reactions: tuple[Step, ...]
    action: Step
    hurt: tuple[Hurt, ...]
    fleeing: tuple[Id, ...]
    out: tuple[Id, ...]
    lost: tuple[Lost, ...]


def course(before: Battlefield, after: Battlefield, result: ProcedureOutcome) -> Course:
    """Describe how an action went that led from one battlefield to another."""
    own = tuple((model, after.unit(model.id)) for model in before.units)
    losses = ((now, now.hit_points_lost - was.hit_points_lost) for was, now in own)
    hurt = tuple(Hurt(now.id, more, after.hit_points(now)) for now, more in losses if more > 0)
    fleeing = tuple(now.id for was, now in own if now.fleeing is not None and was.fleeing is None and in_play(now))
    out = tuple(now.id for _, now in own if now.out is not None)
    return Course(tuple(map(step, result.reactions)), step(result.outcome), hurt, fleeing, out, lost(before, after))


def carried_out(table: Table, announced: Announced) -> tuple[Battlefield, ActionOutcome, bool, Course]:
    """Carry out an announced action, and say how it went, and whether it was done.

    That is whether it was carried out, at least in part; a flight in its place does not count.
    """
    before, wanted, reactions = announced
    after, result = procedure.carry_out(table, before, wanted, reactions)
    outcome, action = result.outcome, result.outcome.action
    done = outcome.done and (action.action, action.movement) == (wanted.action, wanted.movement)
    return after, outcome, done, course(before, after, result)


def step(outcome: ActionOutcome) -> Step:
    """Return one action or reaction as answers report it."""
    action = outcome.action
    return Step(
        action.model,
        action.action,
        action.movement,
        action.target,
        outcome.done,
        tuple(reason.why for reason in outcome.violations),
        tuple(reason.why for reason in outcome.in_vain),
        None if outcome.distance is None else outcome.distance / PER_UNIT,
        outcome.way,
        outcome.blows,
        outcome.losers,
    )


def lost(before: Battlefield, after: Battlefield) -> tuple[Lost, ...]:
    """Count the hit points that each side has lost, in the order of the scene."""
    losses = {side.id: 0 for side in before.scene.sides}
    for was in before.units:
        if was.npc is None:
            now = after.unit(was.id)
            losses[was.side] += before.hit_points(was) - (after.hit_points(now) if in_play(now) else 0)
    return tuple(Lost(side, many) for side, many in losses.items())


class Told(Protocol):
    """An answer that tells the course of an action, or of none."""

    @property
    def course(self) -> Course | None: ...


def worth(answer: Told, who: str) -> int:
    """Return what an action is worth to a side: what the others have lost, less what it has lost itself."""
    losses = answer.course.lost if answer.course is not None else ()
    return sum(-each.hit_points if each.side == who else each.hit_points for each in losses)
