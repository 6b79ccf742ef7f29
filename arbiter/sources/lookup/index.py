"""The full-text index of one game: SQLite's FTS5, with its stemmer and its BM25, in memory."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from arbiter.sources.lookup.words import STOP, words_of

MOST_POSTINGS = 8_192
"""Words and groups whose rows are remembered."""

Scores = NDArray[np.float64]
Table = Literal["line", "whole"]
Column = Literal["stems", "groups"]


class Span(NamedTuple):
    """A phrase in a list of stems: where it begins and ends, and the groups that it is in."""

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
    """Lines of text and whole texts, found by their stems and by the groups of words with one meaning.

    A line is one question, or one gist; a whole text is all that there is of one entry.
    """

    def __init__(self, lines: Sequence[str], wholes: Sequence[str], groups: Sequence[Sequence[str]]) -> None:
        self._lock = Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        # The first table stems; the others hold stems already, and so may be asked for groups by a word of our own.
        self._base.executescript(
            """
            CREATE VIRTUAL TABLE text USING fts5(words, tokenize = 'porter unicode61 remove_diacritics 2');
            CREATE VIRTUAL TABLE stem USING fts5vocab(text, instance);
            CREATE VIRTUAL TABLE line USING fts5(stems, groups, tokenize = 'unicode61 remove_diacritics 0');
            CREATE VIRTUAL TABLE whole USING fts5(stems, groups, tokenize = 'unicode61 remove_diacritics 0');
            """
        )
        self.sizes: Mapping[Table, int] = {"line": len(lines), "whole": len(wholes)}
        members = [(number, phrase) for number, group in enumerate(groups) for phrase in group]
        stemmed = self.stems([phrase for _, phrase in members])
        self.phrases = Phrases((number, stems) for (number, _), stems in zip(members, stemmed, strict=True))
        self.stop = frozenset(stem for stems in self.stems(STOP) for stem in stems)
        every = self.stems((*lines, *wholes))
        self.vocabulary = frozenset(stem for stems in (*every, *stemmed) for stem in stems)
        texts = (*lines, *(phrase for _, phrase in members))
        words = {word for text in texts for word in words_of(text) if word.isalpha()}
        self.spellings = sorted(words | STOP)
        self.line_stems = every[: len(lines)]
        self._insert("line", every[: len(lines)])
        self._insert("whole", every[len(lines) :])
        self._base.commit()
        self.postings = lru_cache(maxsize=MOST_POSTINGS)(self._postings)

    def stems(self, texts: Iterable[str]) -> list[list[str]]:
        """Give the stems of the words of each text."""
        rows = [(number, " ".join(words_of(text))) for number, text in enumerate(texts)]
        stems: list[list[str]] = [[] for _ in rows]
        with self._lock:
            self._base.executemany("INSERT INTO text (rowid, words) VALUES (?, ?)", rows)
            for row, stem in self._base.execute("SELECT doc, term FROM stem ORDER BY doc, offset"):
                stems[row].append(stem)
            # Rolled back, so that the table is as good as new: rows that are deleted leave traces in an FTS5 table.
            self._base.rollback()
        return stems

    def _insert(self, table: Table, texts: Sequence[Sequence[str]]) -> None:
        rows = (
            (
                number,
                " ".join(stem for stem in stems if stem not in self.stop),
                " ".join(f"g{group}" for span in self.phrases.within(stems) for group in span.groups),
            )
            for number, stems in enumerate(texts)
        )
        self._base.executemany(f"INSERT INTO {table} (rowid, stems, groups) VALUES (?, ?, ?)", rows)

    def _postings(self, table: Table, column: Column, word: str) -> tuple[NDArray[np.intp], Scores]:
        """Give the rows of a table that hold a word in a column, and by BM25 how much that says of each."""
        with self._lock:
            rows = self._base.execute(
                f"SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH ?", (f'{column} : "{word}"',)
            ).fetchall()
        return np.array([row for row, _ in rows], dtype=np.intp), np.array([score for _, score in rows], dtype=float)
