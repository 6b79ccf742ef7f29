"""Rulings: `POST /v1/games/{game}/{question}`, one route for each question of each game."""

from collections.abc import Mapping

from flask import Blueprint, Response, g

from api import posted
from api.answers import accept_json
from api.arbiters import Asked
from api.settings import Settings
from arbiter.arbiter import Arbiter


def resource(games: Mapping[str, Arbiter], seats: Mapping[str, Asked], settings: Settings) -> Blueprint:
    """Decide questions."""
    pages = Blueprint("rulings", __name__)
    pages.before_request(accept_json)

    def ruling(game: str, question: str) -> Response:
        """Decide a question: the ruling, with every step, die, choice, change and source."""
        reply = seats[game].ask(question, posted.body(settings.max_body_bytes), g.request_id)
        return Response(reply.body, reply.status, content_type=reply.media_type)

    for game in games.values():
        for name in game.questions:
            pages.add_url_rule(
                f"/v1/games/{game.name}/{name}", f"{game.name}/{name}", ruling,
                defaults={"game": game.name, "question": name}, methods=["POST"],
            )  # fmt: skip
    return pages
