"""Battlefield creation: where the explorers start, which hostiles they meet, and the initiative deck."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

from msgspec import Meta

from arbiter.fault import Fault, pointer
from arbiter.question import Decided, Question
from arbiter.table import Table
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.cards import EncounterCard, encounter_cards
from services.blackstone_fortress.checks import checked_case
from services.blackstone_fortress.profiles import Id
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


@dataclass(frozen=True)
class SetupState:
    """The battlefield, how the explorers come, the encounter deck, and the supply of miniatures."""

    field: Battlefield
    start: Start
    deck: tuple[EncounterCard, ...]
    miniatures: tuple[Supply, ...] = ()


def prepare_setup(case: SetupCase) -> SetupState:
    """Find the explorers and cards that the case names; raises `Faults`."""
    deck = case.deck or encounter_cards()
    field = checked_case(
        case.scene,
        lambda field: _places(field, case),
        lambda field: deck_faults(field, case.deck),
        lambda field: _numbers(field, deck),
        lambda field: supply_faults(field, case.miniatures),
    )
    places = tuple((place.unit, place.hex) for place in case.places)
    return SetupState(field, Start(case.arrival, case.hexes, places), deck, case.miniatures)


def _places(field: Battlefield, case: SetupCase) -> Iterator[Fault]:
    for index, hex_ in enumerate(case.hexes):
        yield from _open(field, ("hexes", index), hex_)
    explorers = {explorer.id: explorer for explorer in field.scene.explorers}
    named = Counter(place.unit for place in case.places)
    for index, place in enumerate(case.places):
        yield from _open(field, ("places", index, "hex"), place.hex)
        where = ("places", index, "unit")
        if place.unit not in explorers:
            yield _fault(
                where,
                "unknown-explorer",
                f"the scene has no explorer {place.unit!r}",
                place.unit,
                "one of " + ", ".join(explorers),
            )
        elif explorers[place.unit].out_of_action:
            yield _fault(
                where,
                "not-on-the-battlefield",
                f"{place.unit} is out of action",
                place.unit,
                "an explorer who is not out of action",
            )
        elif named[place.unit] > 1:
            yield _fault(where, "unit-twice", f"{place.unit} has two places", place.unit, "one place for each explorer")


def _open(field: Battlefield, path: tuple[str | int, ...], hex_: Hex) -> Iterator[Fault]:
    if hex_ not in field.ground.open:
        code, problem = (
            ("in-obstruction", "obstructed") if hex_ in field.ground.hexes else ("off-board", "not on the board")
        )
        yield _fault(path, code, f"{list(hex_)} is {problem}", hex_, "an open hex of the board")


def deck_faults(field: Battlefield, deck: tuple[EncounterCard, ...]) -> Iterator[Fault]:
    """Find the faults of an encounter deck that is given with a case."""
    twists = [row["id"] for row in rows("twists")]
    named = Counter(card.id for card in deck)
    for index, card in enumerate(deck):
        if named[card.id] > 1:
            yield _fault(
                ("deck", index, "id"),
                "repeated-id",
                f"two cards are called {card.id}",
                card.id,
                "an id for each card, and `copies` for equal ones",
            )
        for number, entry in enumerate(card.entries):
            where = ("deck", index, "entries", number)
            if entry.twist is not None and entry.twist not in twists:
                yield _fault(
                    (*where, "twist"),
                    "unknown-twist",
                    f"there is no twist {entry.twist!r}",
                    entry.twist,
                    "one of " + ", ".join(twists),
                )
            if entry.twist is not None and entry.group:
                yield _fault(
                    where,
                    "group-and-twist",
                    "an entry is a hostile group or a twist",
                    entry.twist,
                    "either `group` or `twist`",
                )
            for place, member in enumerate(entry.group):
                if member.hostile not in field.book.hostiles:
                    yield _fault(
                        (*where, "group", place, "hostile"),
                        "unknown-hostile-profile",
                        f"there is no hostile profile {member.hostile!r}",
                        member.hostile,
                        "one of " + ", ".join(field.book.hostiles),
                    )


def supply_faults(field: Battlefield, supply: tuple[Supply, ...]) -> Iterator[Fault]:
    """Find the faults of a supply of miniatures that is given with a case."""
    named = Counter(kind.hostile for kind in supply)
    for index, kind in enumerate(supply):
        where = ("miniatures", index, "hostile")
        if kind.hostile not in field.book.hostiles:
            yield _fault(
                where,
                "unknown-hostile-profile",
                f"there is no hostile profile {kind.hostile!r}",
                kind.hostile,
                "one of " + ", ".join(field.book.hostiles),
            )
        elif named[kind.hostile] > 1:
            yield _fault(where, "repeated-id", f"{kind.hostile} is listed twice", kind.hostile, "every kind once")


def _numbers(field: Battlefield, deck: tuple[EncounterCard, ...]) -> Iterator[Fault]:
    """Find markers for which there are too few cards, or so many hostiles that no scene can hold them."""
    cards, markers = len(encounters.deck_of(deck)), field.scene.discoveries
    if cards < len(markers):
        yield _fault(
            ("deck",),
            "too-few-cards",
            f"{cards} cards for {len(markers)} discovery markers",
            cards,
            "a card for each marker",
        )
    most = [max(sum(member.count for member in card.entries[number].group) for card in deck) for number in range(4)]
    hostiles = len(field.scene.hostiles) + sum(most[marker.number - 1] for marker in markers)
    if hostiles > MOST_HOSTILES:
        yield _fault(
            ("scene", "discoveries"),
            "too-many-hostiles",
            f"the markers may bring {hostiles} hostiles onto the battlefield",
            len(markers),
            f"at most {MOST_HOSTILES} hostiles",
            "set up a part of the markers at a time",
        )


def _fault(path: tuple[str | int, ...], code: str, message: str, seen: object, expected: str, hint: str = "") -> Fault:
    return Fault(pointer("case", *path), code, message, seen, expected, hint)


def set_up(table: Table, state: SetupState) -> Decided[SetupAnswer]:
    """Create the battlefield: the explorers' start, the hostiles of the encounter cards, and the initiative deck."""
    field, encounter_results, deck = setup.set_up(table, state.field, state.start, state.deck, state.miniatures)
    answer = SetupAnswer(
        tuple(Place(one.id, one.hex) for one in field.explorers if one.hex is not None),
        encounter_results,
        tuple(Place(one.id, one.hex) for one in field.hostiles if one.hex is not None),
        tuple(one.id for one in field.scene.hostiles if one.hex is None and not one.slain),
        deck,
    )
    return Decided(answer, field.scene)


SETUP = Question(
    name="setup",
    gist="How a battlefield is created: where the explorers start, who meets them where, and the initiative deck.",
    case=SetupCase,
    answer=SetupAnswer,
    prepare=prepare_setup,
    rule=set_up,
    dice=True,
)

QUESTIONS = (SETUP,)
