"""The book: tables read from data files by their names, and the rows of a scene laid over them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from arbiter.skirmish.battle import Transcript
from arbiter.skirmish.book import SkirmishBook, by_profiles
from arbiter.sources.rows import Rows
from arbiter.value import Value
from tests.arbiter.skirmish.arena import BOOK, Book, Card


class Profiles(Value, frozen=True):
    """What a scene brings along."""

    cards: tuple[Card, ...] = ()


class Named(Value, frozen=True):
    """The same under another name."""

    units: tuple[Card, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Tables(SkirmishBook):
    """A table from a file, and one that is not."""

    cards: Mapping[str, Card]
    numbers: Mapping[str, int]


def test_a_table_is_the_file_of_its_name_without_what_is_said_about_the_rows(tmp_path: Path) -> None:
    (tmp_path / "cards.yaml").write_text("- {id: wolf, name: Wolf, gist: It bites.}\n", encoding="utf-8")
    book = Tables.shipped(Rows(tmp_path), numbers={"teeth": 42})
    assert (book.cards, book.numbers) == ({"wolf": Card("wolf", "Wolf")}, {"teeth": 42})


def test_a_row_of_the_scene_takes_the_place_of_the_shipped_one() -> None:
    own = (Card("wolf", "Grey Wolf"), Card("bear", "Bear"))
    for book in (BOOK.overlaid(Profiles(own)), BOOK.overlaid(Named(own), units="cards")):
        assert {id_: card.name for id_, card in book.cards.items()} == {
            "squire": "Squire",
            "wolf": "Grey Wolf",
            "bear": "Bear",
        }
    assert BOOK.cards["wolf"].name == "Wolf"


def test_a_scene_without_rows_shares_the_shipped_book() -> None:
    assert BOOK.overlaid(Profiles()) is BOOK


def test_scenes_with_the_same_rows_share_a_book_that_is_shipped_once() -> None:
    shipped: list[Book] = []

    def ship() -> Book:
        shipped.append(BOOK)
        return BOOK

    book_of, own = by_profiles(ship, units="cards"), (Card("wolf", "Grey Wolf"),)
    assert book_of(Named()) is BOOK
    assert book_of(Named(own)) is book_of(Named((Card("wolf", "Grey Wolf"),)))
    assert book_of(Named(own)).cards["wolf"].name == "Grey Wolf"
    assert shipped == [BOOK]


def test_a_transcript_says_what_changed_or_that_nothing_did() -> None:
    lines = Transcript(["Round 1"])
    lines.entry("ann", ("bob falls", "ann is tired"))
    lines.entry("bob", iter(()))
    lines.entry("eve", [], "does nothing")
    assert lines == ["Round 1", "  ann: bob falls; ann is tired", "  bob: nothing changes", "  eve: does nothing"]
