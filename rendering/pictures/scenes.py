"""The picture of a scene, or of a ruling: the game's drawing, with a title and a sentence."""

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from arbiter.drawing import NEUTRAL, Area, Drawing, Line, Shown, Unit
from arbiter.game import Arbiter
from arbiter.ruling import Odds, Ruling
from rendering import text as rendering_text
from rendering.pictures.palette import NAMED

MOST_LINES = 12
"""Lines of sight that the sentence names."""

MOST_MEANS = 4
LAST_FINDINGS = 2
"""Findings that the sentence repeats: the last ones state the outcome."""


def of_scene(game: Arbiter, scene: Any) -> Drawing | None:
    """Draw a scene alone; None without a board. Raises `Faults` for an impossible scene."""
    if game.drawing is None:
        return None
    drawn = game.drawing(scene, None)
    if drawn is None:
        return None
    there = rendering_text.short(list(drawn.sides))
    return _coloured(replace(drawn, title=game.title, description=f"The table as it stands. Sides: {there}."))


def of_ruling(game: Arbiter, case: Any, made: Ruling[Any]) -> Drawing | None:
    """Draw a case with its ruling, with answer and events as in JSON; None without a board."""
    scene = getattr(case, "scene", None)
    if game.drawing is None or scene is None:
        return None
    events = tuple({"name": event.name, "values": event.values} for event in made.effects.events)
    verdict = rendering_text.verdict(made)
    drawn = game.drawing(scene, Shown(made.question, case, made.answer, events, verdict))
    if drawn is None:
        return None
    return _coloured(replace(drawn, title=title(game, made.question), description=sentence(drawn, made)))


def of_odds(game: Arbiter, case: Any, law: Odds[Any]) -> Drawing | None:
    """Draw the subject of odds; None without a board."""
    scene = getattr(case, "scene", None)
    if game.drawing is None or scene is None:
        return None
    drawn = game.drawing(scene, Shown(law.question, case, None))
    if drawn is None:
        return None
    means = [f"{each.field} {each.mean:.3g} on average" for each in law.marginals if each.mean is not None]
    description = _join("", means[:MOST_MEANS]) if means else "The odds of every answer."
    return _coloured(replace(drawn, title=f"{title(game, law.question)}, odds", description=description))


def _coloured(drawing: Drawing) -> Drawing:
    """Put sides in the order of their colours: a side named red is drawn red."""
    slots: dict[int, str] = {}
    for name in sorted(drawing.sides, key=lambda name: name.lower() not in NAMED):
        wanted = NAMED.get(name.lower(), 0)
        slots[wanted if wanted not in slots else next(n for n in range(len(slots) + 1) if n not in slots)] = name
    sides = tuple(slots.get(index, "") for index in range(max(slots, default=-1) + 1))
    marks = tuple(
        replace(mark, side=sides.index(drawing.sides[mark.side]))
        if isinstance(mark, Unit) and mark.side != NEUTRAL
        else mark
        for mark in drawing.marks
    )
    return replace(drawing, sides=sides, marks=marks)


def title(game: Arbiter, question: str) -> str:
    """Name a question of a game in words."""
    return f"{game.title}: {question.replace('-', ' ')}"


def sentence(drawn: Drawing, made: Ruling[Any]) -> str:
    """State the outcome of a question: the lines that were drawn, why it is forbidden, or the last findings."""
    if not made.allowed:
        return _join("Forbidden: ", (reason.text for reason in made.reasons))
    if made.status != "ruled":
        return f"{rendering_text.verdict(made)}."
    titles = [mark.title for mark in drawn.marks if isinstance(mark, Line)]
    if made.question in ("line-of-sight", "targets") and titles:
        more = (f"and {len(titles) - MOST_LINES} more",) if len(titles) > MOST_LINES else ()
        return _join("", (*titles[:MOST_LINES], *more))
    shaded = dict.fromkeys(mark.legend for mark in drawn.marks if isinstance(mark, Area))
    if shaded:
        return _join("Shaded: ", shaded)
    return _join("", (finding.text for finding in made.findings[-LAST_FINDINGS:])) if made.findings else "Ruled."


def _join(first: str, parts: Iterable[str]) -> str:
    return f"{first}{'; '.join(part.rstrip('.') for part in parts)}."
