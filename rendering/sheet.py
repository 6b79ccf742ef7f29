"""The sheet of a ruling: the content of a page next to its picture, for the table and for other clients.

It has the verdict in a few words with its tone, one sentence, the reasons in groups by unit, and the picture.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from arbiter.drawing import Drawing, Line, Unit, Verdict
from arbiter.game import Arbiter
from arbiter.ruling import Ruling
from arbiter.value import Value
from rendering.pictures import ruling_card
from rendering.pictures.scenes import sentence
from rendering.pictures.svg import svg
from rendering.view import Step, steps

Tone = Literal["yes", "part", "no", "dim"]
"""The colour of a verdict: good for the acting unit, open, against it, or neither."""


_TONES: dict[Verdict, Tone] = {"seen": "yes", "cover": "part", "blocked": "no", "aimed": "dim"}


class Group(Value, frozen=True):
    """Steps about one unit, or about none in particular.

    If a line leads to the unit, `gist` says how it ends and why, and `tone` is its colour.
    """

    about: str
    name: str
    gist: str
    tone: Tone
    steps: tuple[Step, ...]


class Sheet(Value, frozen=True):
    """A ruling as a page shows it.

    `gist` states the outcome in one sentence. `picture` is SVG, null without a board. `ruling` is the JSON answer of
    the question.
    """

    verdict: str
    tone: str
    gist: str
    why: tuple[Group, ...]
    picture: str | None
    ruling: msgspec.Raw


def sheet(game: Arbiter, made: Ruling[Any], answer: bytes, drawing: Drawing | None, has_ground: str = "") -> Sheet:
    """Write the sheet of a ruling, with its answer as JSON and its picture, without the ground that a page has."""
    verdict, tone = ruling_card.outcome(made, drawing)
    told = {step.text: step for step in (*steps(game.name, made.reasons), *steps(game.name, made.findings))}
    why = tuple(_groups(told.values(), drawing))
    gist = sentence(drawing, made) if drawing is not None else ""
    picture = None if drawing is None else svg(drawing, head=False, has_ground=has_ground).decode()
    return Sheet(verdict, tone, gist, why, picture, msgspec.Raw(answer))


def _groups(told: Iterable[Step], drawing: Drawing | None) -> Iterator[Group]:
    """Give the steps in groups: first those about units that a line leads to, in the order of the lines."""
    by_unit: dict[str, list[Step]] = {}
    for step in told:
        by_unit.setdefault(step.about, []).append(step)
    marks = () if drawing is None else drawing.marks
    names = {mark.id: mark.name for mark in marks if isinstance(mark, Unit)}
    for line in marks:
        if isinstance(line, Line) and line.about:
            steps_ = tuple(by_unit.pop(line.about, ()))
            yield Group(line.about, names.get(line.about, line.about), line.how, _TONES[line.verdict], steps_)
    for about, group in by_unit.items():
        yield Group(about, names.get(about, about), "", "dim", tuple(group))
