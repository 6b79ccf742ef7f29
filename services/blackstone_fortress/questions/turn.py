"""The turn: destiny, initiative, covering fire and gambits, and where the combat stands."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from arbiter.facts import FactCase
from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.rule import Forbidden
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.checks import State, checked_case, checking, fault
from services.blackstone_fortress.questions import events
from services.blackstone_fortress.questions.explorers import explorer_faults
from services.blackstone_fortress.rules import covering_fire, destiny, ending, gambits, initiative, turn
from services.blackstone_fortress.rules.action_rolls import Result
from services.blackstone_fortress.rules.ending import Outcome
from services.blackstone_fortress.rules.gambits import Stake
from services.blackstone_fortress.rules.payments import Payment, card_of
from services.blackstone_fortress.scene import ActivationFace, Explorer, Scene


class SceneCase(FactCase, frozen=True):
    """A scene, and nothing else."""

    scene: Scene


# Where the combat stands


class TurnAnswer(Value, frozen=True):
    """Where the combat stands: whose card is next, who else is to come, and whether the combat is over."""

    number: int
    phase: Annotated[str | None, Meta(description="The phase, if the scene says it.")]
    leader: Id | None
    hostile_player: Annotated[Id | None, Meta(description="Who plays the hostiles: somebody else, or the leader.")]
    next: Annotated[Id | None, Meta(description="The card that is activated next; null when all are used.")]
    side: Annotated[Literal["explorers", "hostiles"] | None, Meta(description="Whose card that is.")]
    units: Annotated[tuple[Id, ...], Meta(description="Who is on that card and stands on the battlefield.")]
    waiting: Annotated[tuple[Id, ...], Meta(description="The cards that come after it, from left to right.")]
    combat: Annotated[Outcome, Meta(description="`on`, or how the combat has ended.")]


def stands(table: Table, field: Battlefield) -> Decided[TurnAnswer]:
    """Where the combat stands: whose card is next, who is to come, and whether the combat is over."""
    scene = field.scene
    card = turn.next_card(table, field)
    units = turn.on_card(field, card) if card is not None else ()
    side: Literal["explorers", "hostiles"] | None = None
    if units:
        side = "explorers" if isinstance(units[0], Explorer) else "hostiles"
    answer = TurnAnswer(
        scene.turn.number,
        scene.turn.phase,
        scene.leader,
        scene.hostile_player or scene.leader,
        card,
        side,
        tuple(unit.id for unit in units if unit.hex is not None),
        tuple(other for other in scene.turn.track if other != card and not turn.is_down(field, other)),
        ending.at_once(table, field),
    )
    return Decided(answer)


# Destiny


class DestinyAnswer(Value, frozen=True):
    """The destiny dice of the turn: which were rolled, which are available, which are discarded."""

    rolled: Annotated[bool, Meta(description="Whether a destiny roll was made.")]
    dice: Annotated[tuple[int, ...], Meta(description="The dice that were rolled, from low to high.")]
    available: Annotated[tuple[int, ...], Meta(description="The dice that explorers may use.")]
    discarded: tuple[int, ...]
    number_available: Annotated[int, Meta(description="How many dice explorers may use.")]


def roll_destiny(table: Table, field: Battlefield) -> Decided[DestinyAnswer]:
    """The leader's destiny roll: which dice become available to the explorers this turn."""
    _in_phase(table, field, "destiny")
    after, dice = destiny.phase(table, field)
    now = after.scene.turn
    answer = DestinyAnswer(bool(dice), dice, now.destiny, now.discarded_destiny, len(now.destiny))
    return Decided(answer, after.scene)


def _in_phase(table: Table, field: Battlefield, phase: str) -> None:
    if reasons := turn.out_of_phase(table, field, (phase,)):
        raise Forbidden(*reasons)


# Initiative


class InitiativeCase(Value, frozen=True):
    """The first steps of the initiative phase: activation rolls, and the deal of the initiative cards.

    The deal is a chance, which can be handed as the ids of the cards from left to right.
    """

    scene: Scene
    explorers: Annotated[
        Annotated[tuple[Id, ...], Meta(max_length=12)] | None,
        Meta(description="Who rolls activation dice; null for everyone who is not out of action."),
    ] = None
    deal: Annotated[bool, Meta(description="Whether the cards are dealt.")] = True


class ActivationDice(Value, frozen=True):
    """The activation dice on an explorer's card."""

    explorer: Id
    dice: tuple[int, ...]


class InitiativeAnswer(Value, frozen=True):
    """The dice that were rolled, and the track from left to right."""

    activation: tuple[ActivationDice, ...]
    track: tuple[Id, ...]
    first: Annotated[Id | None, Meta(description="The card furthest left.")]


def _initiative_faults(field: Battlefield, case: InitiativeCase) -> Iterator[Fault]:
    explorers = case.explorers or ()
    for index, id_ in enumerate(explorers):
        yield from explorer_faults(field, id_, f"explorers/{index}")
    yield from _named_once("explorers", explorers)
    named = [one for one in field.scene.explorers if one.id in explorers]
    for card, times in Counter(map(card_of, named)).items():
        if times > 1:
            message = f"{times} of these share the card {card} and its dice"
            yield fault("explorers", "card-twice", message, list(explorers), "one of them, who rolls for the card")


def _named_once(where: str, ids: tuple[str, ...]) -> Iterator[Fault]:
    for id_, times in Counter(ids).items():
        if times > 1:
            message, hint = f"{id_} is named {times} times", "what comes afterwards is a question of its own"
            yield fault(where, "unit-twice", message, list(ids), "every explorer once", hint)


def decide_initiative(table: Table, state: State[InitiativeCase]) -> Decided[InitiativeAnswer]:
    """Activation rolls and the deal of the initiative cards."""
    field, case = state.field, state.case
    _in_phase(table, field, "initiative")
    rolling = initiative.rollers(field) if case.explorers is None else case.explorers
    if reasons := initiative.cannot_roll(table, field, rolling):
        raise Forbidden(*reasons)
    field = initiative.steps(table, field, rolling, case.deal)
    dice = tuple(ActivationDice(id_, field.explorer(id_).activation) for id_ in rolling)
    track = field.scene.turn.track
    return Decided(InitiativeAnswer(dice, track, track[0] if track else None), field.scene)


# Covering fire


class CoveringFireCase(FactCase, frozen=True):
    """An `explorer` and the `other`, who would swap initiative cards; players who are not said to agree are asked."""

    scene: Scene
    explorer: Id
    other: Id
    agreed: Annotated[tuple[Id, ...], Meta(max_length=2, description="Those of the two whose players agree.")] = ()


class CoveringFireAnswer(Value, frozen=True):
    """The track after the swap, and who may still swap in this step."""

    track: tuple[Id, ...]
    open: Annotated[tuple[tuple[Id, Id], ...], Meta(description="Pairs of explorers who may still swap.")]
    over: Annotated[bool, Meta(description="Whether the step is over, because nobody else can swap.")]


def _covering_faults(field: Battlefield, case: CoveringFireCase) -> Iterator[Fault]:
    pair = (case.explorer, case.other)
    yield from explorer_faults(field, case.explorer)
    yield from explorer_faults(field, case.other, "other")
    yield from _named_once("other", pair)
    for index, id_ in enumerate(case.agreed):
        if id_ not in pair:
            message = f"{id_!r} takes no part in this swap"
            yield fault(f"agreed/{index}", "unknown-explorer", message, id_, " or ".join(pair))


def cover(table: Table, state: State[CoveringFireCase]) -> Decided[CoveringFireAnswer]:
    """Whether two explorers may swap their places on the track, and the track after it."""
    field, a, b = state.field, state.case.explorer, state.case.other
    reasons = (*turn.out_of_phase(table, field, ("initiative",)), *covering_fire.violations(table, field, a, b))
    if reasons := reasons or covering_fire.withheld(table, field, a, b, state.case.agreed):
        raise Forbidden(*reasons)
    field = covering_fire.swap(table, field, a, b)
    pairs = covering_fire.still_open(table, field)
    return Decided(CoveringFireAnswer(field.scene.turn.track, pairs, not pairs), field.scene)


# Gambits


class Attempt(Value, frozen=True):
    """An `explorer` who attempts a gambit, and the `die` staked on it; without one the gambit has to be free."""

    explorer: Id
    die: ActivationFace | None = None
    destiny: Annotated[bool, Meta(description="Whether that is a destiny die.")] = False


class GambitCase(Value, frozen=True):
    """One gambit, or several that explorers want to attempt at the same time and the leader puts in order."""

    scene: Scene
    attempts: Annotated[tuple[Attempt, ...], Meta(min_length=1, max_length=6)]


class AttemptResult(Value, frozen=True):
    """How a gambit went: what the agility roll came to, the group swapped with, the place on the track (1 is first)."""

    explorer: Id
    results: tuple[Result, ...]
    swapped_with: Id | None
    place: int | None
    again: Annotated[bool, Meta(description="Whether the explorer can pay for another gambit.")]


class GambitAnswer(Value, frozen=True):
    """The gambits in the leader's order, and the track after them."""

    attempts: tuple[AttemptResult, ...]
    track: tuple[Id, ...]
    first: Annotated[Id | None, Meta(description="The card that is now furthest left.")]
    moved: Annotated[bool, Meta(description="Whether any card has changed its place.")]


def _gambit_faults(field: Battlefield, case: GambitCase) -> Iterator[Fault]:
    for index, attempt in enumerate(case.attempts):
        yield from explorer_faults(field, attempt.explorer, f"attempts/{index}/explorer")
        if attempt.destiny and attempt.die is None:
            message = "the face of the staked destiny die is missing"
            yield fault(f"attempts/{index}/die", "no-die", message, None, "the face of the destiny die")
    yield from _named_once("attempts", tuple(attempt.explorer for attempt in case.attempts))


def _stake(attempt: Attempt) -> Stake:
    return Stake(attempt.explorer, None if attempt.die is None else Payment(attempt.die, attempt.destiny))


def decide_gambits(table: Table, state: State[GambitCase]) -> Decided[GambitAnswer]:
    """What a gambit does: the agility roll, and the hostile group with which an explorer changes places."""
    field = state.field
    stakes = {attempt.explorer: _stake(attempt) for attempt in state.case.attempts}
    reasons = (
        *turn.out_of_phase(table, field, ("initiative",)),
        *(reason for stake in stakes.values() for reason in gambits.violations(table, field, stake)),
    )
    if reasons:
        raise Forbidden(*reasons)
    before = field.scene.turn.track
    attempts: list[AttemptResult] = []
    for id_ in gambits.order(table, field, tuple(stakes)):
        track = field.scene.turn.track
        field = gambits.stake(table, field, stakes[id_])
        field, results = gambits.attempt(table, field, id_)
        attempts.append(_attempt_result(table, field, id_, results, track))
    track = field.scene.turn.track
    return Decided(GambitAnswer(tuple(attempts), track, track[0] if track else None, track != before), field.scene)


def _attempt_result(
    table: Table, field: Battlefield, explorer_id: str, results: tuple[Result, ...], before: tuple[str, ...]
) -> AttemptResult:
    card, track = card_of(field.explorer(explorer_id)), field.scene.turn.track
    place = track.index(card) if card in track else None
    # Where the explorer's card lies now, there lay the card of the group with which it has swapped.
    other = None if place is None else before[place]
    again = gambits.may_go_on(table, field, explorer_id)
    return AttemptResult(
        explorer_id, results, None if other == card else other, None if place is None else place + 1, again
    )


QUESTIONS = (
    Question("turn", SceneCase, checked_case, stands),
    Question("destiny", SceneCase, checked_case, roll_destiny, dice=True),
    Question("initiative", InitiativeCase, checking(_initiative_faults), decide_initiative, dice=True),
    Question("covering-fire", CoveringFireCase, checking(_covering_faults), cover),
    Question("gambit", GambitCase, checking(_gambit_faults), decide_gambits, dice=True),
    *events.QUESTIONS,
)
