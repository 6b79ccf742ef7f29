"""Pictures of scenes, rulings and odds, in the form that a client requests; PNGs are cached in memory."""

from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from time import thread_time
from typing import Any, Literal

import msgspec
from cachetools import LRUCache, cached

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
from arbiter.ruling import Odds, Ruling
from rendering.permalink_page import Shared
from rendering.pictures import answers, scenes
from rendering.pictures.palette import Theme
from rendering.pictures.png import png
from rendering.pictures.svg import Crop, svg
from rendering.sheet import sheet
from rendering.stored_ruling import StoredRuling

FORMS = (SVG, PNG)

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of a picture, for a browser that opens it directly: it runs no script, whatever names it contains."""

PNG_BYTES = 16 * MIB
"""Bytes of PNGs that a process caches."""


def draw(drawing: Drawing, form: str, theme: Theme, crop: Crop, head: Literal["yes", "no"], ground: str) -> bytes:
    """Draw a picture in a form, with the options of its query string."""
    if form == SVG:
        return charge_time(lambda: svg(drawing, theme, crop, head=head == "yes", has_ground=ground))
    return rasterise(charge_time(lambda: svg(drawing, "light" if theme == "auto" else theme, crop, head=head == "yes")))


@cached(LRUCache(PNG_BYTES, getsizeof=len), key=lambda picture: sha256(picture).digest(), lock=Lock())
def rasterise(picture: bytes) -> bytes:
    """Give a picture as PNG, and charge for it if it is not in memory."""
    charge(costs.PNG)
    return charge_time(lambda: png(picture), costs.PNG)


def charge_time(draw: Callable[[], bytes], before: int = 0) -> bytes:
    """Draw, and charge for the time beyond the units that were charged before."""
    began = thread_time()
    picture = draw()
    settle(max(0, of_work(1_000 * (thread_time() - began)) - before))
    return picture


def of_scene(game: Arbiter, scene: Any) -> Drawing:
    """Draw a scene alone; raises `Faults` for an impossible one."""
    return _there(scenes.of_scene(game, scene))


def of_answer(game: Arbiter, question: str, body: bytes, answer: bytes) -> Drawing:
    """Draw a question with its ruling."""
    return _there(answers.draw(game, _ask(game, question, "ruling", body).case, answers.read(Ruling[Any], answer)))


def sheet_of(game: Arbiter, question: str, body: bytes, answer: bytes, ground: str) -> bytes:
    """Write the sheet of a question with its ruling; `ground` is the digest of the ground that the client has."""
    made = answers.read(Ruling[Any], answer)
    drawing = answers.draw(game, _ask(game, question, "ruling", body).case, made)
    return charge_time(lambda: codec.encode(sheet(game, made, answer, drawing, ground)))


def of_stored(stored: StoredRuling) -> Drawing:
    """Draw a stored ruling, or the scene of stored odds."""
    game, ask, made = _read(stored)
    return _there(answers.draw(game, ask.case, made))


def card_of(stored: StoredRuling, foot: str) -> bytes:
    """Give the card of a stored ruling, or of stored odds, as PNG."""
    game, ask, made = _read(stored)
    return rasterise(answers.draw_card(game, stored.question, ask, made, foot))


def link_preview(stored: StoredRuling, verdict: str, address: str) -> Shared:
    """Give the link preview of a stored ruling; a ruling whose board has expired, or without a scene, is not drawn."""
    try:
        game, ask, made = _read(stored)
        drawing = answers.draw(game, ask.case, made)
    except (ProblemError, Faults):
        return Shared(verdict, verdict, address, False)
    return answers.preview(drawing, made, verdict, address)


def _there(drawing: Drawing | None) -> Drawing:
    if drawing is None:
        raise ProblemError("not-acceptable", "There is no picture: the case has no board.")
    return drawing


def _ask(game: Arbiter, question: str, kind: str, body: bytes) -> Any:
    body_type = odds_type if kind == "odds" else ask_type
    return services().bodies[game.name].decode(body_type(game.questions[question]), body).ask


def _read(stored: StoredRuling) -> tuple[Arbiter, Any, answers.Made]:
    """Read a stored ruling, or stored odds: the game, the posted body, and the answer."""
    game = services().games.get(stored.game)
    if game is None or stored.question not in game.questions or stored.kind == "simulation":
        raise ProblemError("not-acceptable", "There is no picture of this.")
    ask = _ask(game, stored.question, stored.kind, stored.body)
    try:
        return game, ask, answers.read(Odds[Any] if stored.kind == "odds" else Ruling[Any], stored.answer)
    except msgspec.ValidationError:
        detail = "Another version of this service made the ruling; it is available as JSON."
        raise ProblemError("not-acceptable", detail) from None
