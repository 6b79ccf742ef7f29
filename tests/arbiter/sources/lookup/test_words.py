"""Words of a question, and which of its sentences asks."""

import pytest

from arbiter.sources.lookup.words import sentences, words_of


def test_words_are_in_lower_case_and_an_apostrophe_parts_none() -> None:
    assert words_of("Can't HE shoot/run 2x? It’s 'mine'") == ["cant", "he", "shoot", "run", "2x", "its", "mine"]
    assert words_of('natural_one ¿?*"') == ["natural", "one"]


def test_slips_of_short_words_are_mended() -> None:
    assert words_of("wen teh gun jams, wat nxt") == ["when", "the", "gun", "jams", "what", "next"]


@pytest.mark.parametrize(
    ("text", "asking"),
    [
        ("My man is down. Can he act? He has a gun.", ["Can he act?"]),
        ("What now? He fell. And does he die?", ["What now?", "And does he die?"]),
        ("My man is down. So can he act. He has a gun.", ["So can he act."]),
        ("gun jammed", ["gun jammed"]),
        ("gun jammed. no bullets", ["gun jammed.", "no bullets"]),
    ],
)
def test_the_sentences_that_ask(text: str, asking: list[str]) -> None:
    found, leading, story = sentences(text)
    assert [each.strip() for each in found] == asking
    assert len(found) + len(leading) + len(story) == len(
        [each for each in text.replace("?", ".").split(".") if each.strip()]
    )


def test_a_long_story_without_a_question_asks_in_its_last_sentence() -> None:
    found, leading, story = sentences("It began. " + "We moved. " * 30 + "He fell. Nobody knew the penalty")
    assert found == [" Nobody knew the penalty"]
    assert leading == [" He fell."]
    assert len(story) == 31


def test_the_sentence_before_each_question_leads_to_it() -> None:
    found, leading, story = sentences("We met. I shot. Is he hit? He fell. He is up. Does he act? Does he shoot?")
    assert [each.strip() for each in found] == ["Is he hit?", "Does he act?", "Does he shoot?"]
    assert [each.strip() for each in leading] == ["I shot.", "He is up."]
    assert [each.strip() for each in story] == ["We met.", "He fell."]


@pytest.mark.parametrize("text", ["", "  ", "?!…", "...\n\n"])
def test_marks_alone_are_no_sentence(text: str) -> None:
    assert sentences(text) == ([], [], [])
