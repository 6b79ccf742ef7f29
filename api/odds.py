"""Odds: `POST /v1/games/{game}/{question}/odds`, the exact law of a question's answer, or a crowd of games counted."""

from collections.abc import Mapping

from flask import Blueprint, Response, g

from api import posted
from api.answers import accept_json
from api.arbiters import Asked
from api.problems import Refused
from api.settings import Settings
from arbiter.arbiter import Arbiter


def resource(games: Mapping[str, Arbiter], seats: Mapping[str, Asked], settings: Settings) -> Blueprint:
    """Give the odds of questions."""
    pages = Blueprint("odds", __name__)
    pages.before_request(accept_json)

    def odds(game: str, question: str) -> Response:
        """Give every possible answer with its probability."""
        if not games[game].questions[question].dice:
            raise Refused(
                "no-dice", f"{question!r} is decided without dice: post to /v1/games/{game}/{question} for its answer."
            )
        reply = seats[game].odds(question, posted.body(settings.max_body_bytes), g.request_id)
        return Response(reply.body, reply.status, content_type=reply.media_type)

    for game in games.values():
        for name in game.questions:
            pages.add_url_rule(
                f"/v1/games/{game.name}/{name}/odds", f"{game.name}/{name}/odds", odds,
                defaults={"game": game.name, "question": name}, methods=["POST"],
            )  # fmt: skip
    return pages
