"""Boards: `PUT /v1/games/{game}/boards/{sha256}` once, then `"board": {"ref": "sha256:…"}` in every scene."""

from collections.abc import Callable
from functools import wraps

from flask import Blueprint, Response, request
from werkzeug.exceptions import NotFound

from api.auth.callers import needs
from api.caching.board_library import DIGEST, BoardRef, board_type, path
from api.problems.handlers import ProblemError
from api.quotas import costs
from api.quotas.limiter import charged
from api.schemas import request_body
from api.schemas.responses import JSON, accept_json, json_response
from api.web.services import services
from arbiter.fault import Faults, pointer
from arbiter.game import Arbiter

IMMUTABLE = "public, max-age=31536000, immutable"
"""The board under a digest never changes."""

BOARD = "/v1/games/<game>/boards/<digest>"

pages = Blueprint("boards-by-digest", __name__)
pages.before_request(accept_json)


def of_game(view: Callable[[Arbiter, str], Response]) -> Callable[[str, str], Response]:
    """Let a view take the game and a valid digest instead of the names in the path."""

    @wraps(view)
    def checked(game: str, digest: str) -> Response:
        arbiter = services().game(game)
        if board_type(arbiter) is None:
            raise NotFound
        if not DIGEST.fullmatch(digest):
            raise Faults.one(
                pointer("digest"), "wrong-digest", "this is no SHA-256", digest, "64 lower-case hexadecimal digits"
            )
        return view(arbiter, digest)

    return checked


@pages.put(BOARD)
@needs("boards")
@charged(costs.BOARD)
@of_game
def put(game: Arbiter, digest: str) -> Response:
    """Store a board under its digest."""
    body = request_body.body(services().settings.max_board_bytes, what="board")
    fresh = services().boards.put(game, digest, body)
    answer = json_response(BoardRef(f"sha256:{digest}"), 201 if fresh else 200)
    answer.headers["Location"] = path(game.name, digest)
    return answer


@pages.get(BOARD)
@needs("ask")
@of_game
def get(game: Arbiter, digest: str) -> Response:
    """Give a stored board."""
    text = services().boards.store.get(game.name, digest)
    if text is None:
        raise ProblemError("not-found", "No board with this digest is stored.")
    headers = {"ETag": f'"{digest}"', "Cache-Control": IMMUTABLE}
    answer = Response(text, 200, headers, content_type=JSON)
    answer.make_conditional(request)
    return answer
