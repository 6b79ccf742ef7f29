"""What the gateway holds of each game for look-ups: found once, when it is first asked for."""

from functools import cached_property, lru_cache
from threading import Lock
from typing import Any

from arbiter.game import Arbiter
from arbiter.sources import examples as sources_examples
from arbiter.sources.examples import Example
from arbiter.sources.search import Entry, Lookup, entries

MOST_SHELVES = 32
"""Shelves that are remembered; a service has a few games."""


class GameCatalogue:
    """One game with its index and its worked examples."""

    def __init__(self, game: Arbiter) -> None:
        self.game = game
        self._lock = Lock()

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Everything that can be looked up, in the order of the text."""
        return entries(self.game)

    @cached_property
    def lookup(self) -> Lookup:
        """The full-text index."""
        return Lookup(self.entries)

    @cached_property
    def examples(self) -> dict[str, tuple[Example, ...]]:
        """The worked examples by question, in the order of the files."""
        found: dict[str, tuple[Example, ...]] = dict.fromkeys(self.game.questions, ())
        for each in sources_examples.load_examples(self.game.folder / "examples"):
            found[each.question] = (*found[each.question], each)
        return found

    @property
    def exercised(self) -> dict[str, tuple[str, ...]]:
        """Titles of the examples whose ruling rests on a unit or a rule, by its id."""
        # Running every example takes a moment, so that it is not done twice by two requests that come together.
        with self._lock:
            return self._exercised

    @cached_property
    def _exercised(self) -> dict[str, tuple[str, ...]]:
        titles: dict[str, dict[str, None]] = {}
        for each in (each for examples in self.examples.values() for each in examples):
            for id_ in _rests_on(sources_examples.run(self.game, each)):
                titles.setdefault(id_, {})[each.title] = None
        return {id_: tuple(known) for id_, known in titles.items()}


@lru_cache(maxsize=MOST_SHELVES)
def catalogue_of(game: Arbiter) -> GameCatalogue:
    """Give the one catalogue of a game: reading all its examples takes a good part of a second."""
    return GameCatalogue(game)


def asked(each: Example) -> dict[str, Any]:
    """Give the body of an example with its dice settled, so that whoever posts it has the same ruling."""
    body = each.body()
    return body if "dice" in body else {**body, "dice": {"seed": sources_examples.SEED}}


def _rests_on(ruling: dict[str, Any]) -> set[str]:
    steps = [*ruling["findings"], *ruling["reasons"]]
    return {step["rule"] for step in steps} | {id_ for step in steps for id_ in step["cites"]}
