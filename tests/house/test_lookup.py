"""Every game is looked up as players ask: what they ask finds its passage, and so do most words nobody has thought of.

A red test names the question and where to mend: the question in asked.yaml, or a word in glossary.yaml. `make lookup`
prints the figures; with ARGS=--misses also the questions that are not answered among the first three.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from arbiter.game import Arbiter
from arbiter.sources.catalogue import catalogue_of
from arbiter.sources.lookup.search import SHORTEST_TYPO
from arbiter.sources.lookup.words import words_of
from tests.effort import cases
from tests.services.asking import every_game, per_game
from upkeep.lookup import Found, figures, find, report, sets_of

FLOORS = {"held_out": (0.82, 0.94), "players": (0.75, 0.92)}
"""Of each set of questions that are not indexed, the part that has to be answered first, and among the first three.

The goal is 0.80 and 0.95; docs/lookup.md says what is reached.
"""

COMMONER = 4
"""How many times more often the right spelling of a word stands in a game's questions than its slip."""

ENGLISH = {"alter", "beats", "centimeters", "east", "form", "lots", "option", "threes"}
"""Words that are no slips of later, beast, centimetres, eats, from, lost, potion and theres."""

Answers = dict[str, dict[str, list[Found]]]


@pytest.fixture(scope="module")
def answers() -> Answers:
    """Every question of every game looked up once, by set and game; an ordinary run takes a sixth of those indexed."""
    found: Answers = {}
    for game in every_game().values():
        catalogue = catalogue_of(game)
        for name, questions in sets_of(catalogue):
            found.setdefault(name, {})[game.name] = list(
                find(catalogue, questions[:: cases(1, 6)] if name == "asked" else questions)
            )
    return found


def test_what_players_ask_finds_its_own_passage(answers: Answers) -> None:
    wrong = [
        f"{game}: {each.question.q!r} finds {each.question.accepts[0]} at place {each.place or 'none'}"
        for game, found in answers["asked"].items()
        for each in found
        if not 1 <= each.place <= 3
    ]
    assert not wrong, "\n".join((*wrong, "let no two entries of asked.yaml share a question"))
    assert set(answers["asked"]) == set(every_game())


@pytest.mark.parametrize("name", FLOORS)
def test_questions_that_are_not_indexed_find_theirs(answers: Answers, name: str) -> None:
    reached = figures([each for found in answers[name].values() for each in found])
    first, in_three = FLOORS[name]
    print(f"{name}: first {reached.first:.1%}, in three {reached.in_three:.1%}, of {reached.questions}")
    assert reached.first >= first
    assert reached.in_three >= in_three
    assert reached.empty == 0


@per_game()
def test_every_passage_that_is_ruled_has_questions(game: Arbiter) -> None:
    questions = catalogue_of(game).questions
    wanted = [unit.id for unit in game.ledger.units.values() if unit.status in ("ruled", "data")]
    missing = [id_ for id_ in (*wanted, *game.readings.by_id) if id_ not in questions]
    assert not missing, "\n".join((*missing, f"write what players ask of them in {game.folder.name}/asked.yaml"))


@per_game()
def test_no_answer_says_yes_or_no_without_saying_to_what(game: Arbiter) -> None:
    # One answer stands above questions that are put either way: do shields stop swords, do swords ignore shields.
    # It stands there alone, so that a pronoun has nothing to stand for.
    bare = re.compile(
        r"(?i)(yes|no)[.,:;]|(it|its|he|she|they|his|her|their|that) |.*\b(reads it as|by default) (yes|no)[.,:;]"
    )
    wrong = [f"{id_}: {each.answer}" for id_, each in catalogue_of(game).questions.items() if bare.match(each.answer)]
    assert not wrong, "\n".join(wrong)


@per_game()
def test_questions_that_measure_are_not_indexed_and_name_what_is_there(game: Arbiter) -> None:
    sets = dict(sets_of(catalogue_of(game)))
    indexed = {_bare(each.q) for each in sets.pop("asked")}
    known = {*game.ledger.units, *game.readings.by_id}
    assert "held_out" in sets, f"tests/services/{game.folder.name}/held_out.yaml is missing"
    for name, questions in sets.items():
        assert [each.q for each in questions if _bare(each.q) in indexed] == [], name
        assert [id_ for each in questions for id_ in each.accepts if id_ not in known] == [], name
        assert all(each.accepts for each in questions), name


@per_game()
def test_no_word_of_a_question_is_a_common_one_with_two_letters_exchanged(game: Arbiter) -> None:
    # A misspelt word that is indexed counts as known, so that nobody who misspells it alike is understood.
    counts = Counter(
        word for each in catalogue_of(game).questions.values() for question in each.asked for word in words_of(question)
    )
    slips = [
        f"{word}: {meant}"
        for word, count in counts.items()
        for meant in _exchanges(word)
        if counts[meant] >= COMMONER * count and word not in ENGLISH
    ]
    assert not slips, "\n".join((*slips, f"mend the spelling in {game.folder.name}/asked.yaml"))


def test_the_glossary_names_no_word_as_absent_that_answers_something(answers: Answers) -> None:
    told = [(each.question.q, each.absent) for found in answers["asked"].values() for each in found if each.absent]
    assert not told, told


def test_the_command_prints_a_line_for_each_set() -> None:
    lines = list(_report())
    assert [line.split()[:2] for line in lines[1:]] == [
        [game, name] for game in ("template-skirmish", "all") for name in ("asked", "held_out")
    ]
    assert lines[1].split()[3:6] == ["100.0%"] * 3


def _exchanges(word: str) -> Iterator[str]:
    """Give a word with two neighbouring letters exchanged, for each two that differ."""
    if len(word) >= SHORTEST_TYPO and word.isalpha():
        for at, (one, other) in enumerate(pairwise(word)):
            if one != other:
                yield f"{word[:at]}{other}{one}{word[at + 2 :]}"


def _report() -> Iterator[str]:
    return report([every_game()["template-skirmish"]])


def _bare(question: str) -> str:
    return " ".join(question.lower().replace("?", " ").split())
