"""The entries to look up in each game, loaded at their first use."""

from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from threading import Lock
from typing import Any, TypeVar

from arbiter.game import Arbiter
from arbiter.sources import examples as sources_examples
from arbiter.sources.examples import Example
from arbiter.sources.lookup.cards import CARDS, MOST_CARDS, Absence, CardWriter, LookupAnswer
from arbiter.sources.lookup.entries import Entry, Kind, entries
from arbiter.sources.lookup.players import Questions, load_glossary, load_questions
from arbiter.sources.lookup.search import Lookup

T = TypeVar("T")

MOST_CATALOGUES = 32
"""Catalogues that are cached; a service has a few games."""


class GameCatalogue:
    """One game with its index and its worked examples."""

    def __init__(self, game: Arbiter) -> None:
        self.game = game
        self._lock = Lock()
        self._rested_on: dict[str, dict[str, set[str]]] = {}

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All entries, in the order of the text."""
        return entries(self.game)

    @cached_property
    def by_id(self) -> dict[str, Entry]:
        """All entries, by id."""
        return {entry.id: entry for entry in self.entries}

    @cached_property
    def questions(self) -> Mapping[str, Questions]:
        """Players' questions, by the unit or reading that answers them."""
        ids = (*self.game.ledger.units, *self.game.readings.by_id)
        return load_questions(self.game.folder / "asked.yaml", ids)

    @cached_property
    def lookup(self) -> Lookup:
        """The full-text index."""
        return Lookup(self.game, self.entries, self.questions, load_glossary(self.game.folder / "glossary.yaml"))

    @cached_property
    def cards(self) -> CardWriter:
        """The writer of cards."""
        examples = (each for of_question in self.examples.values() for each in of_question)
        return CardWriter(self.game, self.entries, self.questions, examples)

    @cached_property
    def examples(self) -> dict[str, tuple[Example, ...]]:
        """The worked examples by question, in the order of the files."""
        found: dict[str, tuple[Example, ...]] = dict.fromkeys(self.game.questions, ())
        for each in sources_examples.load_examples(self.game.folder / "examples"):
            found[each.question] = (*found[each.question], each)
        return found

    @property
    def exercised(self) -> dict[str, tuple[str, ...]]:
        """Titles of the examples whose rulings use a unit, a rule or a reading, by its id."""
        # Running every example is slow, so two simultaneous requests do not both do it.
        with self._lock:
            return self._exercised

    def grounds(self, question: str) -> tuple[Entry, ...]:
        """Give the entries that the rulings of a question's examples use, in the order of the text."""
        with self._lock:
            known = set().union(*self._rested(question).values())
        return tuple(entry for entry in self.entries if entry.id in known)

    @cached_property
    def _exercised(self) -> dict[str, tuple[str, ...]]:
        titles: dict[str, dict[str, None]] = {}
        for question in self.examples:
            for title, known in self._rested(question).items():
                for id_ in known:
                    titles.setdefault(id_, {})[title] = None
        return {id_: tuple(known) for id_, known in titles.items()}

    def _rested(self, question: str) -> dict[str, set[str]]:
        """Give the ids that the rulings of a question's examples use, by title."""
        if question not in self._rested_on:
            self._rested_on[question] = {
                each.title: _rests_on(sources_examples.run(self.game, each)) for each in self.examples[question]
            }
        return self._rested_on[question]


def look_up(
    catalogues: Iterable[GameCatalogue], q: str, kind: Kind | None = None, most: int | None = None
) -> LookupAnswer:
    """Look a question up in the rules of one or several games: the best match first, from any of them."""
    cards = min(most or CARDS, MOST_CARDS)
    found = [(catalogue, catalogue.lookup.search(q, MOST_CARDS, kind)) for catalogue in catalogues]
    ranking = sorted(
        ((catalogue, match) for catalogue, matches in found for match in matches.entries),
        key=lambda pair: -pair[1].score,
    )[:MOST_CARDS]
    leading = [matches for _, matches in found if matches.entries and matches.entries[0] == ranking[0][1]]
    good, clear = any(matches.good for matches in leading), any(matches.clear for matches in leading)
    absent = tuple(
        Absence(catalogue.game.name, each.words, each.answer) for catalogue, matches in found for each in matches.absent
    )
    decided = clear and ranking[0][0].game.name not in {each.game for each in absent}
    return LookupAnswer(
        q,
        "none" if not ranking else "good" if good else "weak",
        ranking[0][0].cards.decision(ranking[0][1].entry) if decided else None,
        absent,
        _all(matches.understood for _, matches in found),
        _all(matches.did_you_mean for _, matches in found),
        tuple(catalogue.cards.card(match.entry) for catalogue, match in ranking[:cards]),
        tuple(catalogue.cards.passage(match.entry) for catalogue, match in ranking[cards:]),
    )


@lru_cache(maxsize=MOST_CATALOGUES)
def catalogue_of(game: Arbiter) -> GameCatalogue:
    """Give the cached catalogue of a game: reading all its examples takes a large part of a second."""
    return GameCatalogue(game)


def _all(parts: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys(each for part in parts for each in part))


def _rests_on(ruling: dict[str, Any]) -> set[str]:
    steps = [*ruling["findings"], *ruling["reasons"]]
    cited = {id_ for step in steps for id_ in step["cites"]}
    return {step["rule"] for step in steps} | cited | {reading["id"] for reading in ruling["readings"]}
