"""The full-text index of one game: SQLite's FTS5 with its stemmer and BM25, in memory."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arbiter.sources.lookup.words import STOP, words_of

MOST_POSTINGS = 8_192
"""Terms whose rows are remembered."""

Postings = tuple[NDArray[np.intp], NDArray[np.float64]]


class Terms:
    """The terms of a glossary: finds them in stems, by any of the words that players use for them."""

    def __init__(self, index_of: Mapping[tuple[str, ...], tuple[str, ...]]) -> None:
        self._of = index_of
        self._longest = max((len(phrase) for phrase in index_of), default=0)

    def within(self, stems: Sequence[str]) -> list[tuple[int, int, tuple[str, ...]]]:
        """Give the terms in the order of the text, each with where its phrase begins and ends; the longest counts."""
        found, start = [], 0
        while start < len(stems):
            for end in range(min(len(stems), start + self._longest), start, -1):
                if terms := self._of.get(tuple(stems[start:end])):
                    found.append((start, end, terms))
                    start = end - 1
                    break
            start += 1
        return found


class Index:
    """Rows of text, each found by its stems and by the terms in it."""

    def __init__(self, rows: Sequence[str], wholes: Sequence[str], groups: Sequence[Sequence[str]]) -> None:
        self._lock = Lock()
        self._base = sqlite3.connect(":memory:", check_same_thread=False)
        self._base.executescript(
            """
            CREATE VIRTUAL TABLE text USING fts5(words, tokenize = 'porter unicode61 remove_diacritics 2');
            CREATE VIRTUAL TABLE stem USING fts5vocab(text, instance);
            CREATE VIRTUAL TABLE row USING fts5(stems, terms, tokenize = 'unicode61 remove_diacritics 0');
            CREATE VIRTUAL TABLE entry USING fts5(stems, terms, tokenize = 'unicode61 remove_diacritics 0');
            """
        )
        phrases = [(f"t{number}", phrase) for number, group in enumerate(groups) for phrase in group]
        of: dict[tuple[str, ...], tuple[str, ...]] = {}
        for (term, _), stems in zip(phrases, self.stems([phrase for _, phrase in phrases]), strict=True):
            if stems:
                of[tuple(stems)] = tuple(dict.fromkeys((*of.get(tuple(stems), ()), term)))
        self.terms = Terms(of)
        every = self.stems((*rows, *wholes))
        self.vocabulary = frozenset(stem for stems in every for stem in stems).union(*of)
        self.spellings = sorted(
            {word for text in (*rows, *(phrase for _, phrase in phrases)) for word in words_of(text) if len(word) > 3}
        )
        for table, part, first in (("row", every[:len(rows)], 0), ("entry", every[len(rows):], 0)):
          self._base.executemany(
            f"INSERT INTO {table} (rowid, stems, terms) VALUES (?, ?, ?)",
            [
                (
                    number,
                    " ".join(stem for stem in stems if stem not in STOP),
                    " ".join(term for _, _, terms in self.terms.within(stems) for term in terms),
                )
                for number, stems in enumerate(part)
            ],
        )
        self.postings = lru_cache(maxsize=MOST_POSTINGS)(self._postings)

    def stems(self, texts: Iterable[str]) -> list[list[str]]:
        """Give the stems of texts, as FTS5 makes them."""
        stems: list[list[str]] = []
        with self._lock:
            for text in texts:
                stems.append([])
                words = " ".join(words_of(text))
                self._base.execute("INSERT INTO text (rowid, words) VALUES (?, ?)", (len(stems) - 1, words))
            for row, term in self._base.execute("SELECT doc, term FROM stem ORDER BY doc, offset"):
                stems[row].append(term)
            self._base.execute("DELETE FROM text")
        return stems

    def _postings(self, table: str, column: str, phrase: str) -> Postings:
        """Give the rows that hold a phrase, and how much it tells of each by BM25."""
        with self._lock:
            rows: list[Any] = self._base.execute(
                f"SELECT rowid, -bm25({table}) FROM {table} WHERE {table} MATCH ?", (f'{column} : "{phrase}"',)
            ).fetchall()
        return np.array([row for row, _ in rows], dtype=np.intp), np.array([score for _, score in rows])
