"""The card that answers a look-up: a passage with its numbers, its unclear points, its exceptions and neighbours."""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import groupby
from typing import Any, Literal

from arbiter.game import Arbiter
from arbiter.ruling import Citation
from arbiter.sources.coverage import Row, rows
from arbiter.sources.examples import Example
from arbiter.sources.ledger import Reading, ReadingOption
from arbiter.sources.lookup.entries import Entry, Kind
from arbiter.sources.lookup.players import Questions
from arbiter.sources.lookup.search import Suggestion, Understood
from arbiter.value import Value

Quality = Literal["good", "weak", "none"]

CARDS, MOST_CARDS = 3, 10
"""Cards of an answer by default, and at most; the next matches are lines, up to the same number."""

MOST_ROWS, MOST_UNCLEAR, MOST_EXCEPTIONS, MOST_BOARDS = 8, 4, 5, 2
"""Data rows, readings, exceptions and questions on a card."""

MOST_TOGETHER = 6
"""Units that are cited together because they limit each other; more are a list."""

MOST_LIMITED = 8
"""The most units that one exception limits; a unit that is cited together with more is a general rule."""

_LIMITS = re.compile(
    r"\b(unless|except|but|instead|ignores?|never|cannot|may not|must not|does not|do not|only if|even if|no longer)\b"
)
_NOT_NUMBERS = {"id", "name", "gist", "cites", "confidence", "disputed"}


class Passage(Value, frozen=True):
    """A unit, rule or reading in one line."""

    game: str
    id: str
    kind: Kind
    gist: str
    where: str


class Numbers(Value, frozen=True):
    """A row of the data that cites a unit: the table, its id and name, and its values."""

    table: str
    id: str
    name: str
    values: dict[str, Any]


class Unclear(Value, frozen=True):
    """An unclear passage: the question, the ways to read the text, the default, and the reason."""

    id: str
    question: str
    default: str
    options: tuple[ReadingOption, ...]
    why: str


class BoardQuestion(Value, frozen=True):
    """A question that decides a passage on a board, with the body of a worked example to post."""

    question: str
    gist: str
    example: str
    body: dict[str, Any]
    links: dict[str, str] = {}


class RuleDecision(Value, frozen=True):
    """The decision of the text in one sentence, what else it depends on, and the citation.

    An empty `text` says that nothing is decided without a board.
    """

    game: str
    text: str
    depends_on: str
    citation: Citation


class Card(Value, frozen=True):
    """A unit, rule or reading with everything that a player needs for it.

    `answer` decides the usual question in one sentence, `depends_on` names what it depends on. `exceptions`
    are passages that limit it: rules, readings or data cite them together, and their gist says so.
    """

    game: str
    id: str
    kind: Kind
    gist: str
    where: str
    status: str
    because: str = ""
    answer: str = ""
    depends_on: str = ""
    cites: tuple[Citation, ...] = ()
    numbers: tuple[Numbers, ...] = ()
    more_numbers: int = 0
    unclear: tuple[Unclear, ...] = ()
    exceptions: tuple[Passage, ...] = ()
    boards: tuple[BoardQuestion, ...] = ()
    previous: Passage | None = None
    next: Passage | None = None
    links: dict[str, str] = {}


class Absence(Value, frozen=True):
    """A subject that a game's text lacks: the words that name it, and a sentence that says so."""

    game: str
    words: tuple[str, ...]
    answer: str


class LookupAnswer(Value, frozen=True):
    """What a look-up finds, best first: `cards`, and `others` in a line each.

    `match` is `good`, `weak` if the cards are only the nearest matches, and `none` if no word is known. `answer` is
    present if the first card decides the question, or says what the decision depends on. `absent` names what a text
    lacks; `understood` says how words were read.
    """

    q: str
    match: Quality
    answer: RuleDecision | None
    absent: tuple[Absence, ...]
    understood: tuple[Understood, ...]
    did_you_mean: tuple[Suggestion, ...]
    cards: tuple[Card, ...]
    others: tuple[Passage, ...]
    links: dict[str, str] = {}


class CardWriter:
    """Writes the cards of one game."""

    def __init__(
        self, game: Arbiter, entries: Iterable[Entry], questions: Mapping[str, Questions], examples: Iterable[Example]
    ) -> None:
        self._game, self._questions, self._examples = game, questions, tuple(examples)
        self._entries = {entry.id: entry for entry in entries}
        self._units = list(game.ledger.units)

    def card(self, entry: Entry) -> Card:
        """Write the card of an entry."""
        players = self._questions.get(entry.id, Questions())
        rows_ = self._rows.get(entry.id, ())
        unit = self._game.ledger.units.get(entry.id)
        return Card(
            self._game.name,
            entry.id,
            entry.kind,
            entry.gist,
            entry.where,
            entry.status,
            because=unit.because if unit else "",
            answer=players.answer,
            depends_on=players.depends_on,
            cites=tuple(self._game.cite(id_) for id_ in entry.cites),
            numbers=tuple(_numbers(row) for row in rows_[:MOST_ROWS]),
            more_numbers=max(0, len(rows_) - MOST_ROWS),
            unclear=tuple(_unclear(reading) for reading in self._readings(entry))[:MOST_UNCLEAR],
            exceptions=tuple(
                self.passage(self._entries[id_]) for id_ in self._limits.get(entry.id, ())[:MOST_EXCEPTIONS]
            ),
            boards=self._boards(entry),
            previous=self._beside(entry.id, -1),
            next=self._beside(entry.id, 1),
        )

    def passage(self, entry: Entry) -> Passage:
        """Give an entry in one line."""
        return Passage(self._game.name, entry.id, entry.kind, entry.gist, entry.where)

    def decision(self, entry: Entry) -> RuleDecision | None:
        """Give the decision of the text about an entry; None if none is written."""
        players = self._questions.get(entry.id, Questions())
        if not players.answer and not players.depends_on:
            return None
        citation = Citation(entry.id, entry.where, entry.gist)
        return RuleDecision(self._game.name, players.answer, players.depends_on, citation)

    @cached_property
    def _rows(self) -> dict[str, tuple[Row, ...]]:
        by_unit: dict[str, tuple[Row, ...]] = {}
        for row in rows(self._game):
            for unit in row.cites:
                by_unit[unit] = (*by_unit.get(unit, ()), row)
        return by_unit

    @cached_property
    def _limits(self) -> dict[str, tuple[str, ...]]:
        """The units that limit each unit: cited together with it, with a gist that says so.

        Readings cite units of several chapters that have no more than one word in common.
        """
        groups = [
            *(rule.cites for rule in self._game.rules.values()),
            *(row.cites for row in rows(self._game)),
            *(chapter for reading in self._game.readings.by_id.values() for chapter in _chapters(reading.cites)),
        ]
        together: dict[str, dict[str, None]] = {}
        for group in groups:
            for unit in group if len(group) <= MOST_TOGETHER else ():
                together.setdefault(unit, {}).update(dict.fromkeys(other for other in group if other != unit))
        limits = {each for each in together if _LIMITS.search(self._game.ledger.units[each].gist)}
        general = {each for each in limits if len(together[each]) > MOST_LIMITED}
        return {unit: tuple(each for each in others if each in limits - general) for unit, others in together.items()}

    def _readings(self, entry: Entry) -> Iterator[Reading]:
        for reading in self._game.readings.by_id.values():
            if reading.id == entry.id or entry.id in reading.cites:
                yield reading

    def _boards(self, entry: Entry) -> tuple[BoardQuestion, ...]:
        """Give the first example of each question whose ruling uses an entry."""
        first: dict[str, Example] = {}
        units = set(entry.cites if entry.kind == "rule" else (entry.id,))
        for example in self._examples:
            if units & set(example.cites) or entry.id in example.readings:
                first.setdefault(example.question, example)
        return tuple(
            BoardQuestion(name, self._game.questions[name].gist, example.title, example.ready_body())
            for name, example in first.items()
        )[:MOST_BOARDS]

    def _beside(self, id_: str, step: int) -> Passage | None:
        if id_ not in self._game.ledger.units:
            return None
        place = self._units.index(id_) + step
        return self.passage(self._entries[self._units[place]]) if 0 <= place < len(self._units) else None


def _chapters(cites: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Group the units that a reading cites by chapter."""
    ordered = sorted(cites, key=_chapter)
    yield from (tuple(units) for _, units in groupby(ordered, key=_chapter))


def _chapter(unit: str) -> str:
    return unit.partition("/")[0]


def _numbers(row: Row) -> Numbers:
    content = row.content
    values = {
        name: value for name, value in content.items() if name not in _NOT_NUMBERS and value not in (None, [], {})
    }
    name = str(content.get("name", content.get("id", row.place)))
    return Numbers(row.table, str(content.get("id", row.place)), name, values)


def _unclear(reading: Reading) -> Unclear:
    return Unclear(reading.id, reading.question, reading.default, reading.options, reading.why)
