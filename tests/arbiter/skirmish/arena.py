"""A game of three members to try the room on: pawns that stand on a table of ten by ten, with cards in a book."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from arbiter.fault import Fault
from arbiter.skirmish.battlefield import SkirmishBattlefield
from arbiter.skirmish.book import SkirmishBook
from arbiter.skirmish.faults import SCENE, repeated_ids
from arbiter.skirmish.validation import Validator
from arbiter.value import Value


class Card(Value, frozen=True):
    """A card: its name."""

    id: str
    name: str


class Pawn(Value, frozen=True):
    """A pawn: its side, its card, and its lives; with none left it is out of play."""

    id: str
    side: str
    card: str = "squire"
    lives: int = 1


class Scene(Value, frozen=True):
    """The pawns, and whose turn it is."""

    pawns: tuple[Pawn, ...]
    turn: str = "red"


@dataclass(frozen=True, eq=False, slots=True)
class Book(SkirmishBook):
    """One table of cards."""

    cards: Mapping[str, Card]


BOOK = Book({"squire": Card("squire", "Squire"), "wolf": Card("wolf", "Wolf")})
GROUND = object()


@dataclass(frozen=True, eq=False, slots=True)
class Arena(SkirmishBattlefield[object, Book, Scene, Pawn]):
    """The battlefield of pawns; wolves are everybody's enemies, and each other's."""

    ROSTER = "pawns"

    @staticmethod
    def in_play(unit: Pawn, /) -> bool:
        """Say whether a pawn has a life left."""
        return unit.lives > 0

    def are_enemies(self, unit: Pawn, other: Pawn) -> bool:
        """Say whether two pawns are of different sides, or one of them is a wolf."""
        return unit.id != other.id and (unit.side != other.side or "wolf" in (unit.card, other.card))

    def profile(self, unit: Pawn) -> Card:
        """Give the card of a pawn."""
        return self.book.cards[unit.card]


def arena(*pawns: Pawn) -> Arena:
    """Give the battlefield of some pawns."""
    return Arena.of(GROUND, BOOK, Scene(pawns))


prepared: list[Scene] = []
"""The scenes that were prepared, in this order."""


def _prepare(scene: Scene) -> Arena:
    prepared.append(scene)
    return Arena.of(GROUND, BOOK, scene)


def _faults(scene: Scene) -> Iterator[Fault]:
    yield from repeated_ids(scene.pawns, f"{SCENE}/pawns", "pawn")


VALIDATOR = Validator(
    _faults,
    _prepare,
    {
        "pawn": lambda scene: [pawn.id for pawn in scene.pawns],
        "side": lambda scene: sorted({pawn.side for pawn in scene.pawns}),
    },
    playing=lambda scene: [pawn.id for pawn in scene.pawns if pawn.lives],
    unit="pawn",
    absence="has no life left",
)
