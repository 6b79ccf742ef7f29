"""The event phase: whether the combat ends, the event roll and its event, and the start of the next turn."""

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
from services.blackstone_fortress.book import EncounterCard, encounter_cards
from services.blackstone_fortress.checks import State, checking, fault
from services.blackstone_fortress.questions.setup import deck_faults
from services.blackstone_fortress.rules import encounters, ending, events, overwatch, turn, unique_actions
from services.blackstone_fortress.rules.ending import Outcome
from services.blackstone_fortress.scene import Scene

EventId = Literal[
    "all-is-dust",
    "unfulfilled-destiny",
    "not-dead-yet",
    "changing-conditions",
    "escape-chamber",
    "inspiration",
    "heroic-effort",
    "lucky-find",
]


class EventCase(FactCase, frozen=True):
    """The scene in its event phase.

    The encounter card of Changing Conditions is drawn by chance, which can be handed as the card's id; `gone` are cards
    that are no longer in the deck, each time one of its copies.
    """

    scene: Scene
    only: Annotated[
        EventId | None,
        Meta(description="Resolve this event alone: no end of the combat, no roll, and the turn goes on."),
    ] = None
    deck: Annotated[
        tuple[EncounterCard, ...], Meta(max_length=60, description="The encounter deck; left out, the shipped one.")
    ] = ()
    gone: Annotated[
        tuple[Id, ...], Meta(max_length=60, description="Encounter cards that have been drawn before.")
    ] = ()


class EventAnswer(Value, frozen=True):
    """Whether the combat goes on, which event came and what was picked for it, and the turn that follows."""

    combat: Annotated[Outcome, Meta(description="`on`, or how the combat has ended.")]
    event: Annotated[Id | None, Meta(description="The event; null when the combat has ended.")]
    picked: Annotated[
        Id | None, Meta(description="Whom or what the event was about: a marker, unit, portal or encounter card.")
    ]
    turn: Annotated[int, Meta(description="The number of the turn that it is now.")]
    leader: Annotated[Id | None, Meta(description="The leader from now on.")]


def _faults(field: Battlefield, case: EventCase) -> Iterator[Fault]:
    yield from deck_faults(field, case.deck)
    deck = case.deck or encounter_cards()
    for index, id_ in enumerate(case.gone):
        if case.gone[: index + 1].count(id_) > sum(card.copies for card in deck if card.id == id_):
            message = f"the deck has no card {id_!r} left to go"
            asked = "ids of cards in the deck, each at most as often as it is there"
            yield fault(f"gone/{index}", "not-in-the-deck", message, id_, asked)


def decide_event(table: Table, state: State[EventCase]) -> Decided[EventAnswer]:
    """The event phase: whether the combat ends, the event that the leader rolls, and the next turn."""
    field, case = state.field, state.case
    deck = encounters.without(case.deck or encounter_cards(), case.gone)
    if case.only is not None:
        field, subject = events.EVENTS[case.only](table, field, deck)
        return Decided(_answer(field, "on", case.only, subject), field.scene)
    reasons = (*turn.out_of_phase(table, field, ("activation", "event")), *turn.unfinished(table, field))
    if reasons:
        raise Forbidden(*reasons)
    field = turn.begin_phase(table, overwatch.clear(table, field), "event")
    combat = ending.checked(table, field)
    if combat != "on":
        field = ending.cleared(table, field, combat, case.gone)
        return Decided(_answer(field, combat, None, None), field.scene)
    if "event-phase-wounds" in field.scene.twists:
        field = events.hostile_air(table, field)
    event = table.call(events.looked_up, turn.leader_name(field))
    subject = None
    if event is not None:
        field, subject = events.EVENTS[event](table, field, deck)
    field = turn.begin_next(table, turn.pass_leader(table, unique_actions.fall_silent(table, field)))
    return Decided(_answer(field, "on", event, subject), field.scene)


def _answer(field: Battlefield, combat: Outcome, event: str | None, subject: str | None) -> EventAnswer:
    return EventAnswer(combat, event, subject, field.scene.turn.number, field.scene.leader)


QUESTIONS = (Question("event", EventCase, checking(_faults), decide_event, dice=True),)
