"""Combat: an attack hand to hand, by a strike or a charge, and a shot, standing or on the run, with all reactions."""

from typing import Any

from arbiter.facts import FactCase
from arbiter.fault import Fault, Faults, pointer
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.size_skirmish import actionchecks
from services.size_skirmish.actionchecks import Announced
from services.size_skirmish.actions import Action, Actions, AttackOutcome, Closing, Way
from services.size_skirmish.questions import outcomes
from services.size_skirmish.questions.outcomes import Course
from services.size_skirmish.rules import procedure
from services.size_skirmish.scene import Facing, Place, Scene


class AttackCase(FactCase, frozen=True):
    """An attack of an `attacker` on a `target`, hand to hand.

    It is a strike from where the attacker stands, or with `charge` the movement "attack" first. `way` or `goal` say
    where a charge leads, `turned` and `facing` how the attacker turns before and after it; without a way and a goal it
    takes the shortest way into contact. `closing` is how it is moved or aligned before the blows. Without `reactions`,
    the passive players choose them.
    """

    scene: Scene
    attacker: Id
    target: Id
    charge: bool = False
    closing: Closing = "stay"
    way: Way = ()
    goal: Place | None = None
    turned: Facing | None = None
    facing: Facing | None = None
    reactions: Actions | None = None


class ShootCase(FactCase, frozen=True):
    """A shot at a `target`: from where the `shooter` stands, or with `run` the movement "run and shoot".

    `way` or `goal` say where a run leads, `turned` and `facing` how the shooter turns before and after it. Without
    `reactions`, the passive players choose them.
    """

    scene: Scene
    shooter: Id
    target: Id
    run: bool = False
    way: Way = ()
    goal: Place | None = None
    turned: Facing | None = None
    facing: Facing | None = None
    reactions: Actions | None = None


class CombatAnswer(Value, frozen=True):
    """The outcome of an attack or a shot.

    `done` is false where the reactions have made it impossible, or a flight took its place. `blows` are all attacks in
    it, those of the exchange in their order; `damage` are the hit points that those of the attacker have cost,
    `damage_back` those that it has lost by the others. `course` tells everything, with the reactions before it and the
    flights after it.
    """

    done: bool
    blows: tuple[AttackOutcome, ...]
    damage: int
    damage_back: int
    course: Course


def prepare_attack(case: AttackCase) -> Announced:
    """Check the actions; raises `Faults`."""
    return _prepared(case, "attacker", "charge", "attack", "strike", case.closing)


def prepare_shoot(case: ShootCase) -> Announced:
    """Check the actions; raises `Faults`."""
    return _prepared(case, "shooter", "run", "run-and-shoot", "shoot")


def _prepared(
    case: AttackCase | ShootCase, actor: str, moves: str, movement: str, action: str, closing: Closing = "stay"
) -> Announced:
    """Announce a movement that ends in an attack if the case says so, or else the attack alone.

    `actor` and `moves` are the members that say who acts and whether it moves; the members of a movement are refused
    for what is done without one.
    """
    model = getattr(case, actor)
    way: dict[str, Any] = {"way": case.way, "goal": case.goal, "turned": case.turned, "facing": case.facing}
    if getattr(case, moves):
        deed = Action(model, "move", movement, case.target, closing=closing, **way)
    else:
        faults = [
            Fault(
                pointer("case", name),
                "idle-member",
                f"a {'strike' if action == 'strike' else 'shot'} without a movement has no {name}",
                value,
                f"no `{name}`, or `{moves}` of true",
            )
            for name, value in way.items()
            if value
        ]
        if faults:
            raise Faults(faults)
        deed = Action(model, action, target=case.target, closing=closing)
    return actionchecks.checked_announcement(case.scene, deed, case.reactions, at="", actor=actor)


def decide(table: Table, state: Announced) -> Decided[CombatAnswer]:
    """Answer the questions `attack` and `shoot`: the whole procedure around one combat."""
    field, result = procedure.carry_out(table, state.field, state.announcement)
    outcome = result.outcome
    by = state.announcement.action.model
    answer = CombatAnswer(
        outcomes.done(state.announcement.action, result),
        outcome.blows,
        sum(blow.damage for blow in outcome.blows if blow.by == by),
        sum(blow.damage for blow in outcome.blows if blow.against == by and blow.by != by),
        outcomes.course(state.field, field, result),
    )
    return Decided(answer, field.scene)


QUESTIONS = (
    Question(
        name="attack",
        gist="What comes of this attack hand to hand, with the reactions to it and the blows back?",
        case=AttackCase,
        answer=CombatAnswer,
        prepare=prepare_attack,
        rule=decide,
        dice=True,
        worth=outcomes.worth,
    ),
    Question(
        name="shoot",
        gist="What comes of this shot, with the reactions to it?",
        case=ShootCase,
        answer=CombatAnswer,
        prepare=prepare_shoot,
        rule=decide,
        dice=True,
        worth=outcomes.worth,
    ),
)
