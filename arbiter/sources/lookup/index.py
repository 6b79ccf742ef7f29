"""The index of one game: stems by SQLite's FTS5, phrases, and the words of its lines and entries."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from threading import Lock
from typing import NamedTuple

import numpy as np

from arbiter.sources.lookup.postings import Bm25, Likelihood, Rows, Scores
from arbiter.sources.lookup.words import STOP, words_of

SHARES = {"content": 1.0, "groups": 0.5, "pairs": 0.3, "stop": 0.3}
"""The weights of words, groups of synonyms, pairs of neighbours, and words like who and how in a likelihood."""


class Span(NamedTuple):
    """A phrase in a list of stems: its start and end, and its groups."""

    start: int
    end: int
    groups: tuple[int, ...]


class Phrases:
    """Phrases of one or more stems, each in one or more groups."""

    def __init__(self, stems: Iterable[tuple[int, Sequence[str]]]) -> None:
        groups: dict[tuple[str, ...], dict[int, None]] = {}
        for group, phrase in stems:
            if phrase:
                groups.setdefault(tuple(phrase), {})[group] = None
        # By their first stem, longest first.
        self._by_first: dict[str, list[tuple[tuple[str, ...], tuple[int, ...]]]] = {}
        for phrase in sorted(groups, key=len, reverse=True):
            self._by_first.setdefault(phrase[0], []).append((phrase, tuple(groups[phrase])))

    def within(self, stems: Sequence[str]) -> list[Span]:
        """Give the phrases in a list of stems, in order; of those that overlap the first and longest counts."""
        spans: list[Span] = []
        end = 0
        for start, stem in enumerate(stems):
            if start >= end and (span := self._at(stems, start, stem)):
                spans.append(span)
                end = span.end
        return spans

    def _at(self, stems: Sequence[str], start: int, stem: str) -> Span | None:
        for phrase, groups in self._by_first.get(stem, ()):
            end = start + len(phrase)
            if len(phrase) == 1 or tuple(stems[start:end]) == phrase:
                return Span(start, end, groups)
        return None


class Index:
    """Lines of text and their entries, found by stems and by groups of synonyms.

    A line is one question, or one gist.
    """

    def __init__(
        self,
        lines: Sequence[str],
        entry_of: Rows,
        weight_of: Scores,
        own: Sequence[bool],
        groups: Sequence[Sequence[str]],
    ) -> None:
        self._lock = Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        self._base.executescript(
            """
            CREATE VIRTUAL TABLE text USING fts5(words, tokenize = 'porter unicode61 remove_diacritics 2');
            CREATE VIRTUAL TABLE stem USING fts5vocab(text, instance);
            """
        )
        entries = int(entry_of.max(initial=-1)) + 1
        members = [(number, phrase) for number, group in enumerate(groups) for phrase in group]
        stemmed = self.stems([phrase for _, phrase in members])
        self.phrases = Phrases((number, stems) for (number, _), stems in zip(members, stemmed, strict=True))
        self.stop = frozenset(stem for stems in self.stems(STOP) for stem in stems)
        self.line_stems = self.stems(lines)
        self.vocabulary = frozenset(stem for stems in (*self.line_stems, *stemmed) for stem in stems)
        texts = (*lines, *(phrase for _, phrase in members))
        words = Counter(word for text in (*STOP, *texts) for word in words_of(text) if word.isalpha())
        self.spellings = [word for word, _ in words.most_common()]
        every = [self.tokens(stems) for stems in self.line_stems]
        both = [[*each["content"], *each["groups"]] for each in every]
        self.lines = Bm25(both)
        wholes: list[list[str]] = [[] for _ in range(entries)]
        for entry, tokens, is_own in zip(entry_of.tolist(), both, own, strict=True):
            if is_own:
                wholes[entry] += tokens
        self.wholes = Bm25(wholes)
        self._likelihoods = {
            kind: Likelihood([each[kind] for each in every], entry_of, weight_of, entries) for kind in SHARES
        }
        self._entries = entries

    def stems(self, texts: Iterable[str]) -> list[list[str]]:
        """Give the stems of the words of each text."""
        rows = [(number, " ".join(words_of(text))) for number, text in enumerate(texts)]
        stems: list[list[str]] = [[] for _ in rows]
        with self._lock:
            self._base.executemany("INSERT INTO text (rowid, words) VALUES (?, ?)", rows)
            for row, stem in self._base.execute("SELECT doc, term FROM stem ORDER BY doc, offset"):
                stems[row].append(stem)
            # Rolled back, so that the table is unchanged: deleted rows leave traces in an FTS5 table.
            self._base.rollback()
        return stems

    def tokens(self, stems: Sequence[str]) -> dict[str, list[str]]:
        """Give the tokens of a text: its words, groups, pairs of neighbours, and words with little information."""
        groups = (group for span in self.phrases.within(stems) for group in span.groups)
        return {
            "content": [stem for stem in stems if stem not in self.stop],
            "groups": [group_token(group) for group in groups],
            "pairs": [f"{stem} {after}" for stem, after in pairwise(stems)],
            "stop": [stem for stem in stems if stem in self.stop],
        }

    def likelihood(self, tokens: Mapping[str, Mapping[str, float]]) -> Scores:
        """Give for each entry the log-likelihood ratio of weighted tokens in questions about it."""
        each = (share * self._likelihoods[kind].of(tokens.get(kind, {})) for kind, share in SHARES.items())
        return sum(each, np.zeros(self._entries))


def group_token(group: int) -> str:
    """Give the token of a group; no stem has a colon."""
    return f"group:{group}"
