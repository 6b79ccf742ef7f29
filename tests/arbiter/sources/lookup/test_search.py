"""Looking rules up as players ask, in the small game of the template."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.sources.catalogue import catalogue_of
from arbiter.sources.lookup.entries import Kind
from arbiter.sources.lookup.search import Matches
from services._template.arbiter import ARBITER

LOOKUP = catalogue_of(ARBITER).lookup


def ids(text: str, kind: Kind | None = None) -> list[str]:
    return [match.entry.id for match in LOOKUP.search(text, kind=kind).entries]


def first(text: str) -> str:
    return ids(text)[0]


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("can I run off the map", "board/edge"),
        ("am I allowed to run off of the map, please?", "board/edge"),
        ("DODGING", "shooting/dodge"),
        ("how do I jump aside", "shooting/dodge"),
        ("who begins if it is a draw", "turn/tie"),
        ("may I shoot first and walk afterwards", "turn/move-then-shoot"),
        ("shooting/natural-one", "shooting/natural-one"),
    ],
)
def test_players_words_find_the_passage(text: str, unit: str) -> None:
    assert first(text) == unit


def test_any_word_may_match() -> None:
    assert "shooting/dodge" in ids("zeppelin dodge banana")[:3]
    assert ids("zeppelin banana") == []


def test_the_term_for_a_players_word_is_named() -> None:
    understood = LOOKUP.search("do boulders stop los").understood
    assert {(each.word, each.meaning) for each in understood} >= {("los", "sight"), ("boulders", "rock")}
    assert all(each.word != each.meaning for each in understood)


@pytest.mark.parametrize(
    ("text", "word", "meant"), [("can I doge", "doge", "dodge"), ("can I esacpe the baord edge", "baord", "board")]
)
def test_a_misspelt_word_is_taken_for_the_one_that_is_like_it(text: str, word: str, meant: str) -> None:
    found = LOOKUP.search(text)
    assert (word, meant) in [(each.word, each.meaning) for each in found.understood]
    assert found.entries


def test_what_is_not_known_is_named_with_words_like_it() -> None:
    (each,) = LOOKUP.search("dodge boulxxxs").did_you_mean
    assert each.word == "boulxxxs"
    assert "boulders" in each.words
    (each,) = LOOKUP.search("dodge zeppelins").did_you_mean
    assert (each.word, each.words) == ("zeppelins", ())


def test_what_the_text_does_not_have_is_told() -> None:
    (absent,) = LOOKUP.search("how does overwatch work").absent
    assert absent.answer.startswith("The text has no reaction fire")
    assert LOOKUP.search("are there hand to hands and punches").absent == LOOKUP.search("is there a punch").absent
    assert not LOOKUP.search("how do I shoot").absent
    # In the story it is no part of the question.
    assert not LOOKUP.search("In another game there is overwatch. Who goes first?").absent


def test_only_what_covers_the_question_is_a_good_match() -> None:
    assert LOOKUP.search("may I pass through my buddies").good
    noise = LOOKUP.search("what is the melting point of tungsten and zirconium")
    assert noise.entries
    assert not noise.good
    assert not LOOKUP.search("zeppelin").good


def test_a_story_counts_less_than_the_question_in_it() -> None:
    story = "My marksman has shot at a scout who stood in a neighbouring hex and dodged. " * 20
    assert len(story) < 2_000
    assert first(f"{story} Who goes first in the next round?") == "turn/initiative"
    assert ids("Who goes first in the next round? " + story)[0] == "turn/initiative"


def test_rules_are_found_only_where_they_are_asked_for() -> None:
    assert all("." not in id_ for id_ in ids("dodge"))
    assert ids("dodge", "rule")[0].startswith("shooting.dodge")
    assert ids("does a 1 miss", "reading") == ["natural-one"]


@given(st.text(max_size=60))
def test_no_text_breaks_the_search(text: str) -> None:
    assert isinstance(LOOKUP.search(text), Matches)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        '"',
        "'; DROP TABLE line; --",
        "_",
        "a AND",
        "NEAR(",
        "NEAR(dodge save, 2)",
        "*",
        "dod*",
        "stems:dodge",
        "x" * 2_000,
        "\x00",
        "сколько ходов",
        "射击",
        "٣",
        "-dodge",
        "^dodge",
        "{dodge}",
        "dodge OR NOT",
        "\ud800",
    ],
)
def test_odd_text_harms_nothing(text: str) -> None:
    assert len(LOOKUP.search(text).entries) <= 10
    assert "shooting/dodge" in ids("dodge")[:3]


def test_at_most_as_many_as_are_wanted() -> None:
    assert len(LOOKUP.search("shooting", 3).entries) == 3


def test_a_decision_leads_only_where_one_entry_matches_clearly_better_than_the_next() -> None:
    for question in ("may I pass through my buddies", "dodge", "how do I reset my password"):
        found = LOOKUP.search(question)
        first, second = found.entries[:2]
        assert found.clear == (found.good and first.score >= 1.3 * second.score)
    assert not LOOKUP.search("dodge").clear
