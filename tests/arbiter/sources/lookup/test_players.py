"""What players say, as it is written down: the files are read, or refused with their place."""

from pathlib import Path

import pytest

from arbiter.sources.lookup.players import Questions, load_glossary, load_questions


def write(folder: Path, text: str) -> Path:
    path = folder / "file.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_questions_are_read_with_their_decision(tmp_path: Path) -> None:
    text = "a/b:\n  asked: [how far]\n  answer: Six.\n  depends_on: whether it rains\nc: {asked: [why, what]}\n"
    read = load_questions(write(tmp_path, text), ["a/b", "c", "d"])
    assert read == {"a/b": Questions(("how far",), "Six.", "whether it rains"), "c": Questions(("why", "what"))}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x: {asked: [why]}", "x is neither a unit of sources.yaml nor a reading"),
        ("c: {answer: Yes.}", "c has no question"),
        ("c: {asked: why}", "[...].asked"),
        ("c: {asked: [7]}", "[...].asked[0]"),
        ("c: {asked: ['']}", "[...].asked[0]"),
        ("c: {asked: [why], ansver: Yes.}", "ansver"),
        ("[c]", "Expected `object`"),
    ],
)
def test_questions_that_are_not_of_the_form_are_refused_with_their_place(tmp_path: Path, text: str, told: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ValueError, match=r"file\.yaml") as refusal:
        load_questions(path, ["c"])
    assert told in str(refusal.value)


def test_a_glossary_is_read(tmp_path: Path) -> None:
    text = "terms: {line of sight: [los]}\nabsent:\n  - {words: [overwatch], answer: There is none.}\n"
    glossary = load_glossary(write(tmp_path, text))
    assert glossary.terms == {"line of sight": ("los",)}
    assert [(each.words, each.answer) for each in glossary.absent] == [(("overwatch",), "There is none.")]


@pytest.mark.parametrize("text", ["terms: [los]", "terms: {los: sight}", "absent: [{words: [x]}]", "words: {}"])
def test_a_glossary_that_is_not_of_the_form_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ValueError, match=r"file\.yaml"):
        load_glossary(write(tmp_path, text))


def test_a_game_without_the_files_has_none(tmp_path: Path) -> None:
    assert load_questions(tmp_path / "asked.yaml", []) == {}
    assert load_glossary(tmp_path / "glossary.yaml").terms == {}
