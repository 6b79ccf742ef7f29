"""The sheet of a ruling: what a page shows beside its picture, said once, for the table and for whoever builds another.

The verdict in a few words with its tone, one sentence, the reasons in groups by what they are about, and the picture.
"""

from itertools import groupby
from typing import Any, Literal

import msgspec

from arbiter.drawing import Drawing
from arbiter.game import Arbiter
from arbiter.ruling import Ruling
from arbiter.value import Value
from rendering.pictures import ruling_card
from rendering.pictures.scenes import sentence
from rendering.pictures.svg import svg
from rendering.view import Step, steps

Tone = Literal["yes", "part", "no", "dim"]
"""The colour of a verdict: good for who asks, open, against it, or neither."""


class Group(Value, frozen=True):
    """Steps that are about one unit, or about none in particular."""

    about: str
    steps: tuple[Step, ...]


class Sheet(Value, frozen=True):
    """A ruling as a page shows it.

    `gist` is one sentence that says what came of it. `picture` is SVG, null where there is no board. `ruling` is what
    the question answers as JSON.
    """

    verdict: str
    tone: str
    gist: str
    why: tuple[Group, ...]
    picture: str | None
    ruling: msgspec.Raw


def sheet(game: Arbiter, made: Ruling[Any], answer: bytes, drawing: Drawing | None) -> Sheet:
    """Write the sheet of a ruling, of its answer as JSON, and of what is drawn of it."""
    verdict, tone = ruling_card.outcome(made, drawing)
    told = {step.text: step for step in (*steps(game.name, made.reasons), *steps(game.name, made.findings))}
    why = tuple(Group(about, tuple(group)) for about, group in groupby(told.values(), key=lambda step: step.about))
    gist = sentence(drawing, made) if drawing is not None else ""
    picture = None if drawing is None else svg(drawing).decode()
    return Sheet(verdict, tone, gist, why, picture, msgspec.Raw(answer))
