"""The rows that contain a word, and its score for each: by BM25, and by the likelihood in questions about an entry."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Scores = NDArray[np.float64]
Rows = NDArray[np.intp]

SATURATION, LENGTH = 1.2, 0.75
"""BM25's k1 and b, with the usual values."""

PRIOR = 100.0
"""Words of the whole game that smooth each entry, as with a Dirichlet prior."""

_NOWHERE = (np.array([], dtype=np.intp), np.array([], dtype=float))


class _Counts:
    """The count of each word in each row: `rows` and `counts` are sorted by word, and split at `starts`."""

    def __init__(self, texts: Sequence[Sequence[str]], row_of: Rows, weight_of: Scores, size: int) -> None:
        self.numbers: dict[str, int] = {}
        words = [self.numbers.setdefault(word, len(self.numbers)) for text in texts for word in text]
        lengths = [len(text) for text in texts]
        rows, weights = np.repeat(row_of, lengths), np.repeat(weight_of, lengths)
        keys, places = np.unique(np.array(words, dtype=np.intp) * size + rows, return_inverse=True)
        self.counts = np.bincount(places, weights, len(keys))
        self.rows = keys % size
        self.words = keys // size
        self.starts = np.searchsorted(self.words, np.arange(len(self.numbers) + 1))
        self.length = np.bincount(rows, weights, size)


class Bm25:
    """The score of a word for each row, by BM25."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        size = len(texts)
        self._counts = every = _Counts(texts, np.arange(size), np.ones(size), size)
        holding = np.diff(every.starts)
        # A word in most of the rows has no information, and never a negative score.
        rarity = np.maximum(np.log((size - holding + 0.5) / (holding + 0.5)), 1e-6)
        length = every.length / max(every.length.mean(), 1.0)
        damping = SATURATION * (1 - LENGTH + LENGTH * length[every.rows])
        self._scores = rarity[every.words] * every.counts * (SATURATION + 1) / (every.counts + damping)

    def postings(self, word: str) -> tuple[Rows, Scores]:
        """Give the rows that contain a word, and its score for each."""
        number = self._counts.numbers.get(word)
        if number is None:
            return _NOWHERE
        part = slice(self._counts.starts[number], self._counts.starts[number + 1])
        return self._counts.rows[part], self._scores[part]


class Likelihood:
    """The log-likelihood ratio of a word in questions about an entry and in all questions."""

    def __init__(self, texts: Sequence[Sequence[str]], entry_of: Rows, weight_of: Scores, entries: int) -> None:
        self._counts = every = _Counts(texts, entry_of, weight_of, entries)
        total = np.bincount(every.words, every.counts, len(every.numbers))
        share = total / max(total.sum(), 1.0)
        self._gains = np.log1p(every.counts / (PRIOR * share[every.words]))
        self._never = np.log(PRIOR / (every.length + PRIOR))

    def of(self, words: Mapping[str, float]) -> Scores:
        """Give for each entry the log-likelihood ratio of these weighted words; unknown ones count nothing."""
        weights, likelihood = 0.0, np.zeros(len(self._never))
        for word, weight in words.items():
            if (number := self._counts.numbers.get(word)) is not None:
                part = slice(self._counts.starts[number], self._counts.starts[number + 1])
                likelihood[self._counts.rows[part]] += weight * self._gains[part]
                weights += weight
        likelihood += weights * self._never
        return likelihood
