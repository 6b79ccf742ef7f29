"""Looking rules up in players' words: any word may match, and the entry that matches most of the question is first."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from math import sqrt
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import OSA

from arbiter.game import Arbiter
from arbiter.sources.lookup.entries import Entry, Kind
from arbiter.sources.lookup.index import Index, Phrases, group_token
from arbiter.sources.lookup.players import Absent, Glossary, Questions
from arbiter.sources.lookup.postings import Bm25, Scores
from arbiter.sources.lookup.texts import lines_of
from arbiter.sources.lookup.words import STOP, sentences, words_of
from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value

MEANING, TYPO = 0.9, 0.8
"""The weights of a synonym, and of a word with corrected spelling."""

ASKING, LEADING, STORY = 1.0, 0.75, 0.5
"""The weights of words in a sentence that asks, in the sentence before it, and in the rest of the story."""

BEST = 4
"""The number of an entry's best lines that count."""

WHOLE = 1.5
"""The weight of an entry's whole text, relative to one of its lines."""

LIKELY = 0.03
"""The exponent of the likelihood of the question under the entry's own questions."""

GOOD = 0.65
"""The part of a question, by the weight of its words, that a good match covers."""

CLEAR = 1.3
"""How many times better than the next a match must be to lead with its decision; docs/lookup.md has the figures."""

LITERAL = 1_000.0
"""The weight of an exact match with an indexed question: more than everything else."""

SAME_WORD, LIKE_WORD = 0.75, 0.6
"""The similarity of a misspelt word to its replacement, and to a suggestion."""

MOST_LIKE, MOST_OFFERED = 12, 3
"""Words that are compared with a misspelt one, and those that an answer suggests."""

SHORTEST_TYPO = 4
"""The least length of a word with corrected spelling; shorter ones resemble too many others."""

MOST_SENSES = 80
"""Words and phrases of a question that are searched for; the first ones, from the sentence that asks."""

MOST_MENTIONS = 10
"""The most words that an answer lists as understood, or as unknown."""


class Understood(Value, frozen=True):
    """A word or phrase of the question, and the term of the text, or the spelling, that it was read as."""

    word: str
    meaning: str


class Suggestion(Value, frozen=True):
    """An unknown word of the question, and similar known words."""

    word: str
    words: tuple[str, ...]


class Match(Value, frozen=True):
    """An entry, its score, and the part of the question that it covers, from 0 to 1."""

    entry: Entry
    score: float
    coverage: float


class Matches(Value, frozen=True):
    """The matches of a look-up, best first, and its understanding of the question.

    `good` says that the first entry covers enough of the question to be an answer, rather than only the nearest match;
    `clear`, that it also matches so much better than the next that its decision answers the question.
    """

    entries: tuple[Match, ...]
    good: bool
    clear: bool = False
    understood: tuple[Understood, ...] = ()
    did_you_mean: tuple[Suggestion, ...] = ()
    absent: tuple[Absent, ...] = ()


class Sense(NamedTuple):
    """One word or phrase of a question: its weight, and the ways in which a row can express it."""

    weight: float
    ways: tuple[tuple[str, float], ...]


class _Query:
    """A question as understood, sentence by sentence."""

    def __init__(self) -> None:
        self.tokens: dict[str, dict[str, float]] = {}
        self.senses: dict[str, Sense] = {}
        self.understood: dict[str, str] = {}
        self.unknown: dict[str, tuple[str, ...]] = {}
        self.missing: set[str] = set()
        self.literal: set[int] = set()
        self.absent: dict[int, None] = {}

    def add(self, name: str, weight: float, ways: Sequence[tuple[str, float]]) -> None:
        if ways and (name not in self.senses or self.senses[name].weight < weight):
            self.senses[name] = Sense(weight, tuple(ways))


class Lookup:
    """The look-up over the units and readings of one game."""

    def __init__(
        self, game: Arbiter, entries: Iterable[Entry], questions: Mapping[str, Questions], glossary: Glossary
    ) -> None:
        self._entries = tuple(entries)
        self._glossary = glossary
        lines = lines_of(game, self._entries, questions)
        self._line_entry = np.array([line.entry for line in lines])
        self._line_weight = np.array([line.weight for line in lines])
        self._terms = tuple(glossary.terms)
        groups = [*((term, *words) for term, words in glossary.terms.items()), *_thesaurus()]
        texts, own = [line.text for line in lines], [line.own for line in lines]
        self._index = Index(texts, self._line_entry, self._line_weight, own, groups)
        self._literal: dict[tuple[str, ...], set[int]] = {}
        for line, stems in zip(lines, self._index.line_stems, strict=True):
            self._literal.setdefault(self._content(stems), set()).add(line.entry)
        self._literal.pop((), None)
        absent = [(number, word) for number, each in enumerate(glossary.absent) for word in each.words]
        # By their exact words: facing is not a turn of the game, although turning has the same stem.
        self._absent = Phrases((number, _singular(phrase)) for number, phrase in absent)

    def search(self, text: str, most: int = 10, kind: Kind | None = None) -> Matches:
        """Give the entries that match most of the question, best first; none if no word is known."""
        query = self._query(text)
        scores, coverage = self._scores(query)
        indices = (int(index) for index in np.argsort(-scores, kind="stable") if self._is_of(index, kind))
        ranking = [
            Match(self._entries[index], round(float(scores[index]), 3), round(float(coverage[index]), 3))
            for index in islice(indices, most)
            if scores[index] > 0
        ]
        good = bool(ranking) and ranking[0].coverage >= GOOD
        next_best = ranking[1].score if len(ranking) > 1 else 0.0
        return Matches(
            tuple(ranking),
            good,
            good and ranking[0].score >= CLEAR * next_best,
            tuple(Understood(word, meaning) for word, meaning in query.understood.items())[:MOST_MENTIONS],
            tuple(Suggestion(word, words) for word, words in query.unknown.items())[:MOST_MENTIONS],
            tuple(self._glossary.absent[number] for number in query.absent),
        )

    def _is_of(self, index: int, kind: Kind | None) -> bool:
        # A rule says how the service decides; units and readings have the text's statements.
        own = self._entries[index].kind
        return own == kind if kind else own != "rule"

    def _query(self, text: str) -> _Query:
        query = _Query()
        weighed = [
            (sentence, weight)
            for part, weight in zip(sentences(text), (ASKING, LEADING, STORY), strict=True)
            for sentence in part
        ]
        whole, *stemmed = self._index.stems([text, *(sentence for sentence, _ in weighed)])
        query.literal = self._literal.get(self._content(whole), set())
        for (sentence, weight), stems in zip(weighed, stemmed, strict=True):
            self._understand(query, sentence, stems, weight)
        return query

    def _content(self, stems: Sequence[str]) -> tuple[str, ...]:
        """Give the stems with information about the subject of a question, or all if there are none."""
        return tuple(stem for stem in stems if stem not in self._index.stop) or tuple(stems)

    def _understand(self, query: _Query, sentence: str, stems: list[str], weight: float) -> None:
        words = words_of(sentence)
        if len(words) != len(stems):
            words = stems
        counts = [1.0] * len(stems)
        for place, word in enumerate(words):
            if stems[place] in self._index.vocabulary or stems[place] in self._index.stop:
                continue
            if meant := self._mend(query, word):
                (stems[place],), counts[place] = self._index.stems([meant])[0], TYPO
            if stems[place] not in self._index.stop:
                query.missing.add(word)
        ways: list[list[tuple[str, float]]] = [[] for _ in stems]
        for place, stem in enumerate(stems):
            if stem in self._index.vocabulary and stem not in self._index.stop:
                ways[place].append((stem, counts[place]))
        for span in self._index.phrases.within(stems):
            meanings: list[tuple[str, float]] = [
                (group_token(group), 1.0 if group < len(self._terms) else MEANING) for group in span.groups
            ]
            if span.end - span.start == 1:
                ways[span.start] += meanings
            else:
                query.add(" ".join(stems[span.start : span.end]), weight, meanings)
            self._explain(query, " ".join(words[span.start : span.end]), span.groups)
        for stem, each in zip(stems, ways, strict=True):
            query.add(stem, weight, each)
        for kind, tokens in self._index.tokens(stems).items():
            weights = query.tokens.setdefault(kind, {})
            weights.update((token, max(weight, weights.get(token, 0.0))) for token in tokens)
        if weight == ASKING and not query.literal:
            for span in self._absent.within(_singular(sentence)):
                query.absent.update(dict.fromkeys(span.groups))

    def _mend(self, query: _Query, word: str) -> str | None:
        """Give the replacement of a misspelt word; if none is similar enough, remember the suggestions."""
        if len(word) < SHORTEST_TYPO or not word.isalpha():
            return None
        if word in query.understood:
            return query.understood[word]
        near = process.extract(
            word, self._index.spellings, scorer=OSA.normalized_similarity, limit=MOST_LIKE, score_cutoff=LIKE_WORD
        )
        # The first letter is rarely wrong, and most words are common; these come first.
        near.sort(key=lambda each: (each[0][0] != word[0], -each[1], each[0] not in STOP))
        if near and near[0][1] >= SAME_WORD and near[0][0][0] == word[0]:
            query.understood[word] = near[0][0]
            return near[0][0]
        query.unknown[word] = tuple(spelling for spelling, _, _ in near[:MOST_OFFERED])
        return None

    def _explain(self, query: _Query, phrase: str, groups: Sequence[int]) -> None:
        """Remember which terms of the text a phrase of the player means."""
        terms = [self._terms[group] for group in groups if group < len(self._terms)]
        if terms and phrase not in terms:
            query.understood.setdefault(phrase, ", ".join(terms))

    def _scores(self, query: _Query) -> tuple[Scores, Scores]:
        """Give for each entry its score, and the part of the question that it covers."""
        index, entries = self._index, len(self._entries)
        lines, wholes = np.zeros(len(self._line_entry)), np.zeros(entries)
        covered, weights = np.zeros(entries), []
        for sense in list(query.senses.values())[:MOST_SENSES]:
            in_lines, in_wholes = (
                _word_scores(index.lines, sense, len(lines)),
                _word_scores(index.wholes, sense, entries),
            )
            lines += sense.weight * _damp(in_lines)
            wholes += sense.weight * _damp(in_wholes)
            # The best score of a word shows how rare it is, and so its share of the question.
            weights.append(sense.weight * float(in_wholes.max(initial=0.0)))
            covered += weights[-1] * (in_wholes > 0)
        # An unknown word is rare: it counts as much as the rarest word, even if a similar word replaces it.
        whole_question = sum(weights) + len(query.missing) * max(weights, default=0.0)
        scores = self._best_lines(lines * self._line_weight) + WHOLE * wholes
        likelihood = index.likelihood(query.tokens)
        scores *= np.exp(LIKELY * (likelihood - likelihood.max(initial=0.0)))
        scores[list(query.literal)] += LITERAL
        return scores, covered / whole_question if whole_question else covered

    def _best_lines(self, lines: Scores) -> Scores:
        """Give for each entry the sum of its best lines."""
        some = np.flatnonzero(lines)
        order = some[np.lexsort((-lines[some], self._line_entry[some]))]
        entry = self._line_entry[order]
        first = np.flatnonzero(np.diff(entry, prepend=-1))
        place = np.arange(len(order)) - np.repeat(first, np.diff(first, append=len(order)))
        best = np.zeros(len(self._entries))
        np.add.at(best, entry[place < BEST], lines[order][place < BEST])
        return best


def _singular(text: str) -> list[str]:
    """Give the words of a text, each without the s of a plural."""
    return [word.removesuffix("s") for word in words_of(text)]


def _word_scores(table: Bm25, sense: Sense, size: int) -> Scores:
    """Give for each row the score of a word, by its best way."""
    said = np.zeros(size)
    for word, weight in sense.ways:
        rows, scores = table.postings(word)
        said[rows] = np.maximum(said[rows], weight * scores)
    return said


def _damp(said: Scores) -> Scores:
    """Let rare words count more than others, but not alone: plain BM25 lets them decide."""
    peak = float(said.max(initial=0.0))
    return said / sqrt(peak) if peak > 0 else said


@cache
def _thesaurus() -> tuple[tuple[str, ...], ...]:
    groups: Iterator[list[str]] = load_yaml(Path(__file__).parent / "thesaurus.yaml")
    return tuple(tuple(group) for group in groups)
