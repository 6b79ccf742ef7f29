"""A look-up and its cards as lines, for terminals and chats."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from arbiter.sources.lookup.cards import Card, LookupAnswer, Numbers, Passage, RuleDecision, Unclear
from rendering.data_rows import table_lines, values_line
from rendering.permalink_page import escape_markdown

NOT_GOOD = {
    "weak": "Nothing in the text matches this question well. The nearest passages:",
    "none": "No word of this question is known here. Ask in other English words, or name what it is about.",
}
"""The text instead of an answer."""


class Line(NamedTuple):
    """A line of text: its indentation, and whether it is a heading."""

    text: str
    level: int = 0
    strong: bool = False


def answer(found: LookupAnswer) -> Iterator[Line]:
    """Give the lines of a look-up: the decision first, then what was understood, then the cards."""
    if found.answer:
        yield from _decision(found.answer)
    yield from (Line(sentence, strong=True) for sentence in absences(found))
    yield from map(Line, caution(found))
    yield from (Line(note) for note in notes(found))
    for number, each in enumerate(found.cards):
        yield from card(each, leads=number == 0 and found.answer is not None)
    if found.others:
        yield Line("See also", strong=True)
        yield from (Line(f"{each.id} ({each.game}): {each.gist}", 1) for each in found.others)


def absences(found: LookupAnswer) -> Iterator[str]:
    """Say what a text lacks, with the name of its game if several were searched."""
    named = {each.game for each in found.cards} | {each.game for each in found.others}
    named |= {each.game for each in found.absent}
    several = len(named) > 1
    yield from (f"{each.game}: {each.answer}" if several else each.answer for each in found.absent)


def caution(found: LookupAnswer) -> Iterator[str]:
    """Say what the cards are if they do not answer the question."""
    if found.match in NOT_GOOD:
        yield NOT_GOOD[found.match]
    elif found.absent:
        yield "The nearest passages:"


def notes(found: LookupAnswer) -> Iterator[str]:
    """Say how words of a question were read, and which are unknown."""
    if found.understood:
        yield "Understood: " + "; ".join(f"{each.word} as {each.meaning}" for each in found.understood)
    for each in found.did_you_mean:
        yield f"Unknown: {each.word}" + (f"; did you mean {', '.join(each.words)}?" if each.words else "")


def card(each: Card, *, leads: bool = False) -> Iterator[Line]:
    """Give the lines of a card; `leads` says that its decision has been given before it."""
    yield Line(f"{each.id} ({place(each)})", strong=True)
    yield Line(each.gist, 1)
    if not leads:
        yield from (Line(sentence, 1) for sentence in sentences(each))
    yield from (Line(f"Unclear: {sentence}", 1) for reading in each.unclear for sentence in unclear(reading))
    yield from (Line(f"But: {one.gist} ({one.id})", 1) for one in each.exceptions)
    for row in each.numbers:
        yield Line(numbers(row), 1)
        yield from (Line(one, 2) for one in table_lines(row))
    if each.more_numbers:
        yield Line(f"and {each.more_numbers} more rows of data", 1)
    for board in each.boards:
        yield Line(f"On a board: ask {each.game} {board.question}, as in the example {board.example!r}", 1)
    for name, beside in (("Before it", each.previous), ("After it", each.next)):
        if beside:
            yield Line(f"{name}: {beside.gist} ({beside.id})", 1)


def place(each: Card | Passage) -> str:
    """Give the reference of a passage."""
    return f"{each.game}; {'a reading' if each.kind == 'reading' else each.where}"


def sentences(each: Card) -> Iterator[str]:
    """Give the decision of a card, what it depends on, and why no rule needs it."""
    if each.answer and each.answer != each.gist:
        yield each.answer
    if each.depends_on:
        yield f"It depends on {each.depends_on}."
    if each.because:
        yield f"No rule: {each.because}"


def unclear(reading: Unclear) -> Iterator[str]:
    """Give an unclear passage: the question, the default, and the other readings."""
    gists = {option.id: option.gist for option in reading.options}
    others = " ".join(f"Or, by {id_}: {gist}" for id_, gist in gists.items() if id_ != reading.default)
    yield f"{reading.question} By default: {gists[reading.default]} {others} (reading {reading.id})"


def numbers(row: Numbers) -> str:
    """Give a row of data in one line, without the long tables within it."""
    return f"{row.name} ({row.table}): {values_line(row) or 'no numbers'}"


def plain(lines: Iterable[Line], link: str = "") -> str:
    """Write lines as plain text."""
    written = [f"{'  ' * line.level}{line.text}" for line in lines]
    return "\n".join([*written, *([link] if link else [])]) + "\n"


def markdown(lines: Iterable[Line], link: str) -> str:
    """Write lines as Markdown, with all marks in texts escaped."""
    written: list[str] = []
    for line in lines:
        text = escape_markdown(line.text)
        # Without an empty line Markdown would add a paragraph to the list before it.
        written += (
            [f"{'  ' * (line.level - 1)}- {text}"] if line.level else ["", f"**{text}**" if line.strong else text, ""]
        )
    return "\n".join([*written, "", f"<{link}>"]).strip() + "\n"


def _decision(decision: RuleDecision) -> Iterator[Line]:
    if decision.text:
        yield Line(decision.text, strong=True)
    if decision.depends_on:
        yield Line(f"It depends on {decision.depends_on}.", strong=not decision.text)
    yield Line(f"{decision.citation.id} ({decision.game}; {decision.citation.where})", 1)
