"""Battlefield creation: where the explorers start, which hostiles they meet, and the initiative deck."""

from collections import Counter
from collections.abc import Iterator
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault
from arbiter.question import Decided, Question
from arbiter.skirmish.fields import Id
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import EncounterCard, encounter_cards
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.checks import State, checking, fault, one_of
from services.blackstone_fortress.rules import encounters, setup
from services.blackstone_fortress.rules.deployment import Supply
from services.blackstone_fortress.rules.setup import Arrival, EncounterResult, Start
from services.blackstone_fortress.scene import Hex, Scene

MOST_HOSTILES = 80
"""How many hostiles a scene may hold."""


class Place(Value, frozen=True):
    """The `hex` in which a `unit` stands."""

    unit: Id
    hex: Hex


Miniatures = Annotated[
    tuple[Supply, ...],
    Meta(
        max_length=40, description="How many miniatures there are of each kind; of a kind not named there are enough."
    ),
]


class SetupCase(Value, frozen=True):
    """A board with its markers and portals, the explorers, and what the combat card says of their arrival.

    An encounter card is drawn for each discovery marker: a chance, which can be handed as the ids of the cards drawn.
    Explorers without a hex, for whom `places` says none, take one of the players' choice.
    """

    scene: Scene
    arrival: Annotated[Arrival, Meta(description="Whether the explorers come in a maglev chamber or are ambushed.")]
    hexes: Annotated[
        tuple[Hex, ...],
        Meta(min_length=1, max_length=40, description="The hexes of the arrival chamber, or the ambush hexes."),
    ]
    places: Annotated[
        tuple[Place, ...], Meta(max_length=12, description="Hexes that the players have chosen for explorers.")
    ] = ()
    deck: Annotated[
        tuple[EncounterCard, ...], Meta(max_length=60, description="The encounter deck; left out, the shipped one.")
    ] = ()
    miniatures: Miniatures = ()


class SetupAnswer(Value, frozen=True):
    """The battlefield as it is created; the scene after it has everybody in place and waits for turn 1."""

    explorers: Annotated[tuple[Place, ...], Meta(description="Where the explorers start.")]
    encounters: Annotated[
        tuple[EncounterResult, ...], Meta(description="What each discovery marker's encounter card has brought.")
    ]
    hostiles: Annotated[tuple[Place, ...], Meta(description="Where the hostiles are deployed.")]
    left_out: Annotated[tuple[Id, ...], Meta(description="Hostiles for whom there was no room or no miniature.")]
    initiative_deck: Annotated[tuple[Id, ...], Meta(description="Its cards, before they are shuffled.")]


def _faults(field: Battlefield, case: SetupCase) -> Iterator[Fault]:
    for index, hex_ in enumerate(case.hexes):
        yield from _open(field, f"hexes/{index}", hex_)
    explorers = {explorer.id: explorer for explorer in field.scene.explorers}
    named = Counter(place.unit for place in case.places)
    for index, place in enumerate(case.places):
        yield from _open(field, f"places/{index}/hex", place.hex)
        where, id_ = f"places/{index}/unit", place.unit
        if id_ not in explorers:
            yield fault(where, "unknown-explorer", f"the scene has no explorer {id_!r}", id_, one_of(explorers))
        elif explorers[id_].out_of_action:
            message, asked = f"{id_} is out of action", "an explorer who is not out of action"
            yield fault(where, "not-on-the-battlefield", message, id_, asked)
        elif named[id_] > 1:
            yield fault(where, "unit-twice", f"{id_} has two places", id_, "one place for each explorer")


def _open(field: Battlefield, where: str, hex_: Hex) -> Iterator[Fault]:
    if hex_ not in field.ground.open:
        code, problem = (
            ("in-obstruction", "obstructed") if hex_ in field.ground.hexes else ("off-board", "not on the board")
        )
        yield fault(where, code, f"{list(hex_)} is {problem}", hex_, "an open hex of the board")


def deck_faults(field: Battlefield, deck: tuple[EncounterCard, ...]) -> Iterator[Fault]:
    """Find the faults of an encounter deck that is given with a case."""
    twists = [row["id"] for row in rows("twists")]
    named = Counter(card.id for card in deck)
    for index, card in enumerate(deck):
        if named[card.id] > 1:
            message, asked = f"two cards are called {card.id}", "an id for each card, and `copies` for equal ones"
            yield fault(f"deck/{index}/id", "repeated-id", message, card.id, asked)
        for number, entry in enumerate(card.entries):
            where, twist = f"deck/{index}/entries/{number}", entry.twist
            if twist is not None and twist not in twists:
                yield fault(f"{where}/twist", "unknown-twist", f"there is no twist {twist!r}", twist, one_of(twists))
            if twist is not None and entry.group:
                message = "an entry is a hostile group or a twist"
                yield fault(where, "group-and-twist", message, twist, "either `group` or `twist`")
            for place, member in enumerate(entry.group):
                yield from _profile_faults(field, f"{where}/group/{place}/hostile", member.hostile)


def supply_faults(field: Battlefield, supply: tuple[Supply, ...]) -> Iterator[Fault]:
    """Find the faults of a supply of miniatures that is given with a case."""
    named = Counter(kind.hostile for kind in supply)
    for index, kind in enumerate(supply):
        where = f"miniatures/{index}/hostile"
        yield from _profile_faults(field, where, kind.hostile)
        if kind.hostile in field.book.hostiles and named[kind.hostile] > 1:
            yield fault(where, "repeated-id", f"{kind.hostile} is listed twice", kind.hostile, "every kind once")


def _profile_faults(field: Battlefield, where: str, id_: str) -> Iterator[Fault]:
    profiles = field.book.hostiles
    if id_ not in profiles:
        yield fault(where, "unknown-hostile-profile", f"there is no hostile profile {id_!r}", id_, one_of(profiles))


def _numbers(field: Battlefield, case: SetupCase) -> Iterator[Fault]:
    """Find markers for which there are too few cards, or so many hostiles that no scene can hold them."""
    deck, markers = case.deck or encounter_cards(), field.scene.discoveries
    cards = len(encounters.deck_of(deck))
    if cards < len(markers):
        message = f"{cards} cards for {len(markers)} discovery markers"
        yield fault("deck", "too-few-cards", message, cards, "a card for each marker")
    most = [max(sum(member.count for member in card.entries[number].group) for card in deck) for number in range(4)]
    hostiles = len(field.scene.hostiles) + sum(most[marker.number - 1] for marker in markers)
    if hostiles > MOST_HOSTILES:
        yield fault(
            "scene/discoveries",
            "too-many-hostiles",
            f"the markers may bring {hostiles} hostiles onto the battlefield",
            len(markers),
            f"at most {MOST_HOSTILES} hostiles",
            "set up a part of the markers at a time",
        )


def set_up(table: Table, state: State[SetupCase]) -> Decided[SetupAnswer]:
    """How a battlefield is created: where the explorers start, who meets them where, and the initiative deck."""
    case = state.case
    start = Start(case.arrival, case.hexes, tuple((place.unit, place.hex) for place in case.places))
    cards = case.deck or encounter_cards()
    field, encounter_results, deck = setup.set_up(table, state.field, start, cards, case.miniatures)
    answer = SetupAnswer(
        tuple(Place(one.id, one.hex) for one in field.explorers if one.hex is not None),
        encounter_results,
        tuple(Place(one.id, one.hex) for one in field.hostiles if one.hex is not None),
        tuple(one.id for one in field.scene.hostiles if one.hex is None and not one.slain),
        deck,
    )
    return Decided(answer, field.scene)


QUESTIONS = (
    Question(
        "setup",
        SetupCase,
        checking(
            _faults,
            lambda field, case: deck_faults(field, case.deck),
            _numbers,
            lambda field, case: supply_faults(field, case.miniatures),
        ),
        set_up,
        dice=True,
    ),
)
