"""Pictures, cards and previews of a posted question with its written answer."""

from typing import Any, TypeVar

import msgspec

from arbiter.drawing import Drawing
from arbiter.fault import Faults
from arbiter.game import Arbiter
from arbiter.odds.exact import PathBudgetExceeded
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from rendering.permalink_page import Shared
from rendering.pictures import ruling_card, scenes
from rendering.pictures.card import card
from rendering.pictures.pen import cut, visible

LONGEST_SENTENCE = 300
"""Characters of the sentence in a link preview."""

CARD_PATHS = 3_000
"""Paths that are walked for the odds on a card; odds with more paths are left out."""

Made = Ruling[Any] | Odds[Any]
T = TypeVar("T", bound=Made)


def read(kind: type[T], answer: bytes) -> T:
    """Read a written answer; raises `msgspec.ValidationError` for one of another version."""
    members, names = msgspec.json.decode(answer), getattr(kind, "__origin__", kind).__struct_fields__
    return msgspec.convert({name: members[name] for name in names if name in members}, kind)


def draw(game: Arbiter, case: Any, made: Made) -> Drawing | None:
    """Draw a case with its ruling or the subject of its odds; None without a board."""
    return scenes.of_ruling(game, case, made) if isinstance(made, Ruling) else scenes.of_odds(game, case, made)


def draw_card(game: Arbiter, question: str, ask: Ask[Any] | AskOdds[Any], made: Made, foot: str) -> bytes:
    """Draw the card of a ruling or of odds, as SVG; that of a ruling shows its odds, if they are short."""
    drawing = draw(game, ask.case, made)
    if isinstance(made, Odds):
        return card(drawing, ruling_card.of_odds(game.title, made, drawing, foot))
    return card(drawing, ruling_card.of_ruling(game.title, made, drawing, _law(game, question, ask), foot))


def preview(drawing: Drawing | None, made: Made, verdict: str, address: str) -> Shared:
    """Give the preview of a link to a ruling, or to odds."""
    said = ruling_card.outcome(made, drawing)[0] if isinstance(made, Ruling) else verdict
    sentence = verdict if drawing is None else cut(drawing.description, LONGEST_SENTENCE)
    return Shared(said, visible(sentence), address, drawing is not None)


def _law(game: Arbiter, question: str, ask: Ask[Any] | AskOdds[Any]) -> Odds[Any] | None:
    if not game.questions[question].dice or game.questions[question].cost is not None:
        return None
    try:
        law = game.odds(question, AskOdds(ask.case, ask.policies, ask.readings), CARD_PATHS)
    except (Faults, PathBudgetExceeded):
        return None
    # In the form of an answer, so that values compare with those of the stored answer.
    return msgspec.convert(msgspec.to_builtins(law, enc_hook=str), Odds[Any])
