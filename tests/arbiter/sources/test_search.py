"""Looking rules up by words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.sources.search import Entry, Lookup, entries
from services._template.arbiter import ARBITER

LOOKUP = Lookup(entries(ARBITER))


def found(text: str, kind: str = "unit") -> list[str]:
    return [entry.id for entry in LOOKUP.search(text) if entry.kind == kind]


def test_everything_can_be_looked_up() -> None:
    everything = entries(ARBITER)
    assert len(everything) == len(ARBITER.ledger.units) + len(ARBITER.rules) + len(ARBITER.readings.by_id)
    for entry in everything:
        assert entry in LOOKUP.search(entry.id), entry.id
        assert entry.gist


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("dodge", "shooting/dodge"),
        ("DODGES", "shooting/dodge"),
        ("dod", "shooting/dodge"),
        ("once dodge", "shooting/dodge-once"),
        ("saved", "shooting/save"),
        ("neighbouring hexes", "movement/steps"),
        ("natural-one", "shooting/natural-one"),
    ],
)
def test_words_are_found_in_other_forms_and_from_their_beginning(text: str, unit: str) -> None:
    assert unit in found(text)


def test_every_word_must_be_there() -> None:
    assert found("dodge banana") == []
    assert set(found("dodge round")) < set(found("dodge"))


def test_the_name_counts_for_more_than_the_gist() -> None:
    named = Entry("shooting/dodge", "unit", "A target may try to get away.", "")
    told = Entry("shooting/hit", "unit", "Whoever is hit may dodge.", "dodge")
    assert Lookup([told, named]).search("dodge") == (named, told)


def test_rules_and_readings_are_found_too() -> None:
    assert "shooting.natural_one" in found("natural_one", "rule")
    assert found("miss die luck", "reading") == ["natural-one"]


@given(st.text(max_size=30))
def test_no_text_breaks_the_search(text: str) -> None:
    assert all(isinstance(entry, Entry) for entry in LOOKUP.search(text))


@pytest.mark.parametrize(
    "text", ["", "  ", '"', "'; DROP TABLE entry; --", "_", "a AND", "NEAR(", "*", "x" * 5000, "\x00"]
)
def test_odd_text_finds_little_and_harms_nothing(text: str) -> None:
    assert len(LOOKUP.search(text)) <= 50
    assert found("dodge")


def test_at_most_as_many_as_asked() -> None:
    assert len(LOOKUP.search("shooting", 3)) == 3
