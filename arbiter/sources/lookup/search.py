"""Looking rules up as players ask: any word may match, and the entry that says most of what was asked comes first."""

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
"""What a word counts that stands for another one, or whose spelling was mended."""

ASKING, LEADING, STORY = 1.0, 0.75, 0.5
"""What words count of a sentence that asks, of the sentence before it, and of the rest of the story."""

BEST = 4
"""Lines of an entry that count: its best ones."""

WHOLE = 1.5
"""What the text of an entry as a whole counts beside one of its lines."""

LIKELY = 0.03
"""What a match gains by how likely the question is where its entry is asked for: the exponent of that likelihood."""

GOOD = 0.65
"""The part of a question, by the weight of its words, that a good match covers."""

CLEAR = 1.3
"""How many times better than the next a match is that leads with its decision; docs/lookup.md has the figures."""

LITERAL = 1_000.0
"""What it counts that somebody has asked the very question before: more than all else."""

SAME_WORD, LIKE_WORD = 0.75, 0.6
"""How alike a misspelt word is to the one that was meant, and to one that may have been."""

MOST_LIKE, MOST_OFFERED = 12, 3
"""Words that are compared with a misspelt one, and those of them that an answer offers."""

SHORTEST_TYPO = 4
"""Letters of a word whose spelling is mended; shorter ones are like too many others."""

MOST_SENSES = 80
"""Words and phrases of a question that are looked for; the first ones, from the sentence that asks."""

MOST_MENTIONS = 10
"""What was understood, or not, that an answer lists."""


class Understood(Value, frozen=True):
    """A word or phrase of the question, and the term of the text, or the spelling, that it was taken for."""

    word: str
    meaning: str


class Suggestion(Value, frozen=True):
    """A word of the question that stands nowhere, and words like it that do."""

    word: str
    words: tuple[str, ...]


class Match(Value, frozen=True):
    """An entry, how well it matches, and the part of the question that it covers, from 0 to 1."""

    entry: Entry
    score: float
    coverage: float


class Matches(Value, frozen=True):
    """What a look-up finds, best first, and what it made of the question.

    `good` says that the first entry covers enough of the question to be an answer, rather than the nearest there is;
    `clear`, that it also matches so much better than the next that its decision answers the question.
    """

    entries: tuple[Match, ...]
    good: bool
    clear: bool = False
    understood: tuple[Understood, ...] = ()
    did_you_mean: tuple[Suggestion, ...] = ()
    absent: tuple[Absent, ...] = ()


class Sense(NamedTuple):
    """One word or phrase of a question: what it counts, and the ways in which a row can say it."""

    weight: float
    ways: tuple[tuple[str, float], ...]


class _Query:
    """A question as it is understood, sentence by sentence."""

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
        # By their very words: facing is no turn of the game, which has the stem of turning.
        self._absent = Phrases((number, _singular(phrase)) for number, phrase in absent)

    def search(self, text: str, most: int = 10, kind: Kind | None = None) -> Matches:
        """Give the entries that say most of what is asked, best first; none where no word is found anywhere."""
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
        # A rule says how the service decides; what the text says stands in units and readings.
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
        """Give the stems that tell what a question is about, or all where none does."""
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
        """Give the word that a misspelt one stands for; where none is like enough, remember those that come near."""
        if len(word) < SHORTEST_TYPO or not word.isalpha():
            return None
        if word in query.understood:
            return query.understood[word]
        near = process.extract(
            word, self._index.spellings, scorer=OSA.normalized_similarity, limit=MOST_LIKE, score_cutoff=LIKE_WORD
        )
        # People rarely mistake the first letter, and mostly use the words that everybody uses; those come first.
        near.sort(key=lambda each: (each[0][0] != word[0], -each[1], each[0] not in STOP))
        if near and near[0][1] >= SAME_WORD and near[0][0][0] == word[0]:
            query.understood[word] = near[0][0]
            return near[0][0]
        query.unknown[word] = tuple(spelling for spelling, _, _ in near[:MOST_OFFERED])
        return None

    def _explain(self, query: _Query, phrase: str, groups: Sequence[int]) -> None:
        """Remember for which terms of the text a phrase of the player stands."""
        terms = [self._terms[group] for group in groups if group < len(self._terms)]
        if terms and phrase not in terms:
            query.understood.setdefault(phrase, ", ".join(terms))

    def _scores(self, query: _Query) -> tuple[Scores, Scores]:
        """Give for each entry how well it matches, and which part of the question it covers."""
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
            # The best score of a word tells how rare it is, and so how much of the question.
            weights.append(sense.weight * float(in_wholes.max(initial=0.0)))
            covered += weights[-1] * (in_wholes > 0)
        # What stands nowhere is rare: it counts as much as the rarest word, also where a like word is found instead.
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
    """Give for each row how clearly it says a word, by its best way."""
    said = np.zeros(size)
    for word, weight in sense.ways:
        rows, scores = table.postings(word)
        said[rows] = np.maximum(said[rows], weight * scores)
    return said


def _damp(said: Scores) -> Scores:
    """Let rare words count for more than others, yet not for all: BM25 on its own lets them decide alone."""
    peak = float(said.max(initial=0.0))
    return said / sqrt(peak) if peak > 0 else said


@cache
def _thesaurus() -> tuple[tuple[str, ...], ...]:
    groups: Iterator[list[str]] = load_yaml(Path(__file__).parent / "thesaurus.yaml")
    return tuple(tuple(group) for group in groups)
