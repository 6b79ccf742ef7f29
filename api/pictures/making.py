"""Pictures of scenes, rulings and odds, in the form that a client asks for; a PNG that was made before is in memory."""

from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from time import thread_time
from typing import Any, Literal

import msgspec
from cachetools import LRUCache

from api.problems.handlers import ProblemError
from api.quotas import costs
from api.quotas.limiter import charge, of_work, settle
from api.schemas import codec
from api.schemas.bodies import ask_type, odds_type
from api.schemas.responses import PNG, SVG
from api.settings import MIB
from api.web.services import services
from arbiter.drawing import Drawing
from arbiter.fault import Faults
from arbiter.game import Arbiter
from arbiter.odds.exact import PathBudgetExceeded
from arbiter.question import AskOdds
from arbiter.ruling import Odds, Ruling
from rendering.permalink_page import Shared
from rendering.pictures import ruling_card, scenes
from rendering.pictures.card import card
from rendering.pictures.palette import Theme
from rendering.pictures.pen import cut, visible
from rendering.pictures.png import png
from rendering.pictures.svg import Crop, svg
from rendering.sheet import sheet
from rendering.stored_ruling import StoredRuling

FORMS = (SVG, PNG)

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
}
"""Fields that go out with a picture, for whoever opens it by itself: it runs nothing, whatever a name in it may be."""

PNG_BYTES = 16 * MIB
"""Bytes of PNGs that a process has in memory."""

LONGEST_SENTENCE = 300
"""Characters of the sentence by which a link unfolds."""

CARD_PATHS = 3_000
"""Paths that are walked for the odds on a card; odds that have more are not on it."""

_made: LRUCache[str, bytes] = LRUCache(PNG_BYTES, getsizeof=len)
_lock = Lock()


def draw(drawing: Drawing, form: str, theme: Theme, crop: Crop, head: Literal["yes", "no"], ground: str) -> bytes:
    """Draw a picture in a form, as its query string has it."""
    if form == SVG:
        return charge_time(lambda: svg(drawing, theme, crop, head=head == "yes", has_ground=ground))
    return rasterise(charge_time(lambda: svg(drawing, "light" if theme == "auto" else theme, crop, head=head == "yes")))


def rasterise(picture: bytes) -> bytes:
    """Give a picture as PNG, and charge for it where it is not in memory."""
    digest = sha256(picture).hexdigest()
    with _lock:
        found = _made.get(digest)
    if found is None:
        charge(costs.PNG)
        found = charge_time(lambda: png(picture), costs.PNG)
        with _lock:
            if len(found) <= PNG_BYTES:
                _made[digest] = found
    return found


def charge_time(draw: Callable[[], bytes], before: int = 0) -> bytes:
    """Draw, and charge for the time that it has taken beyond the units that were charged before."""
    began = thread_time()
    picture = draw()
    settle(max(0, of_work(1_000 * (thread_time() - began)) - before))
    return picture


def of_scene(game: Arbiter, scene: Any) -> Drawing:
    """Draw a bare scene; raises `Faults` for one that cannot be."""
    return _there(scenes.of_scene(game, scene))


def of_answer(game: Arbiter, question: str, body: bytes, answer: bytes) -> Drawing:
    """Draw a question with the ruling that was answered to it."""
    return _there(_of_ruling(game, question, body, answer)[0])


def sheet_of(game: Arbiter, question: str, body: bytes, answer: bytes, ground: str) -> bytes:
    """Write the sheet of a question with the ruling that was answered to it; `ground` is what the client has of it."""
    drawing, made = _of_ruling(game, question, body, answer)
    return charge_time(lambda: codec.encode(sheet(game, made, answer, drawing, ground)))


def of_stored(stored: StoredRuling) -> Drawing:
    """Draw a stored ruling, or what stored odds are about."""
    return _there(_of_stored(stored)[0])


def card_of(stored: StoredRuling, foot: str) -> bytes:
    """Give the card of a stored ruling, or of stored odds, as PNG."""
    drawing, made = _of_stored(stored)
    title = services().games[stored.game].title
    if isinstance(made, Odds):
        return rasterise(card(drawing, ruling_card.of_odds(title, made, drawing, foot)))
    return rasterise(card(drawing, ruling_card.of_ruling(title, made, drawing, _law(stored), foot)))


def link_preview(stored: StoredRuling, verdict: str, address: str) -> Shared:
    """Say how a link to a stored ruling unfolds; a ruling whose board is gone, or that has no scene, is not drawn."""
    try:
        drawing, made = _of_stored(stored)
    except (ProblemError, Faults):
        return Shared(verdict, verdict, address, False)
    said = ruling_card.outcome(made, drawing)[0] if isinstance(made, Ruling) else verdict
    sentence = verdict if drawing is None else cut(drawing.description, LONGEST_SENTENCE)
    return Shared(said, visible(sentence), address, drawing is not None)


def _there(drawing: Drawing | None) -> Drawing:
    if drawing is None:
        raise ProblemError("not-acceptable", "There is nothing to draw: the case has no board.")
    return drawing


def _of_ruling(game: Arbiter, question: str, body: bytes, answer: bytes) -> tuple[Drawing | None, Ruling[Any]]:
    asked = services().bodies[game.name].decode(ask_type(game.questions[question]), body).ask
    members = msgspec.json.decode(answer)
    made = msgspec.convert({name: members[name] for name in Ruling.__struct_fields__ if name in members}, Ruling[Any])
    return scenes.of_ruling(game, asked.case, made), made


def _of_stored(stored: StoredRuling) -> tuple[Drawing | None, Ruling[Any] | Odds[Any]]:
    game = services().games.get(stored.game)
    if game is None or stored.question not in game.questions or stored.kind == "simulation":
        raise ProblemError("not-acceptable", "There is no picture of this.")
    try:
        if stored.kind == "ruling":
            return _of_ruling(game, stored.question, stored.body, stored.answer)
        asked = services().bodies[game.name].decode(odds_type(game.questions[stored.question]), stored.body).ask
        members = msgspec.json.decode(stored.answer)
        law = msgspec.convert({name: members[name] for name in Odds.__struct_fields__ if name in members}, Odds[Any])
    except msgspec.ValidationError:
        detail = "Another version of this service made the ruling; it is to be had as JSON."
        raise ProblemError("not-acceptable", detail) from None
    return scenes.of_odds(game, asked.case, law), law


def _law(stored: StoredRuling) -> Odds[Any] | None:
    """Give the odds of a ruling where they are quickly walked; none where dice have no part in it."""
    game = services().games[stored.game]
    if not game.questions[stored.question].dice or game.questions[stored.question].cost is not None:
        return None
    asked = services().bodies[game.name].decode(ask_type(game.questions[stored.question]), stored.body).ask
    try:
        ask: AskOdds[Any] = AskOdds(asked.case, asked.policies, asked.readings)
        law = game.odds(stored.question, ask, CARD_PATHS)
    except (Faults, PathBudgetExceeded):
        return None
    # As they would be answered, so that values compare with those of the stored answer.
    return msgspec.convert(msgspec.to_builtins(law, enc_hook=str), Odds[Any])
