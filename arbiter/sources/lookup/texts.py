"""The indexed text of a game: lines for each entry, with the weight of a match in them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from math import sqrt
from typing import NamedTuple

from arbiter.game import Arbiter
from arbiter.sources.coverage import rows
from arbiter.sources.lookup.entries import Entry
from arbiter.sources.lookup.players import Questions

GIST, ANSWER, DATA, RULE = 0.9, 0.7, 0.7, 0.4
"""The weights of a match in a gist, an answer, the name of a data row or a rule, relative to one in a question."""

EXCUSED = 0.8
"""The weight of a match in an excused entry: flavour, headings, and passages that no rule needs."""

MOST_NAMES = 3
"""The most data rows that name a unit; a unit that more rows cite is about none of them."""


class Line(NamedTuple):
    """A line of text of one entry, by its number; `own` if it describes the entry itself."""

    entry: int
    text: str
    weight: float
    own: bool = True


def lines_of(game: Arbiter, entries: Sequence[Entry], questions: Mapping[str, Questions]) -> list[Line]:
    """Give every line of a game's units and readings, entry by entry."""
    number = {entry.id: index for index, entry in enumerate(entries)}
    lines = [*_of_entries(game, entries, questions), *_of_data(game, number), *_of_rules(game, number)]
    return sorted(lines, key=lambda line: line.entry)


def _of_entries(game: Arbiter, entries: Sequence[Entry], questions: Mapping[str, Questions]) -> Iterator[Line]:
    for index, entry in enumerate(entries):
        scale = EXCUSED if entry.status == "excused" else 1.0
        options = game.readings.by_id[entry.id].options if entry.kind == "reading" else ()
        gist = " ".join((re.sub(r"[/._-]", " ", entry.id), entry.gist, *(option.gist for option in options)))
        yield Line(index, gist, GIST * scale)
        if players := questions.get(entry.id):
            yield from (Line(index, question, scale) for question in players.asked)
            yield Line(index, f"{players.answer} {players.depends_on}", ANSWER * scale)


def _of_data(game: Arbiter, number: Mapping[str, int]) -> Iterator[Line]:
    names: dict[str, list[str]] = {}
    for row in rows(game):
        for unit in row.cites:
            names.setdefault(unit, []).append(str(row.content.get("name", row.content.get("id", ""))))
    for unit, each in names.items():
        if unit in number:
            own, weight = len(each) <= MOST_NAMES, DATA / sqrt(len(each))
            yield from (Line(number[unit], name, weight, own) for name in each)


def _of_rules(game: Arbiter, number: Mapping[str, int]) -> Iterator[Line]:
    # A rule is not an answer for a player; its text counts for the units that it cites.
    for rule in game.rules.values():
        yield from (Line(number[unit], rule.gist, RULE, False) for unit in rule.cites if unit in number)
