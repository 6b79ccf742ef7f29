"""Rulings: `POST` or `QUERY /v1/games/{game}/{question}`, one route for each question of each game."""

from collections.abc import Mapping

from flask import Blueprint, Response

from api import posted
from api.answers import accept_json
from api.arbiters import Asked
from api.handing import HandingIn, replied
from api.lasting import ASKED_BY, Lasting, asked_either_way
from api.logs import request_id
from api.settings import Settings
from arbiter.arbiter import Arbiter


def resource(
    games: Mapping[str, Arbiter],
    seats: Mapping[str, Asked],
    hands: Mapping[str, HandingIn],
    settings: Settings,
    lasting: Lasting,
) -> Blueprint:
    """Decide questions."""
    pages = Blueprint("rulings", __name__)
    pages.before_request(accept_json)
    pages.after_request(asked_either_way)

    def ruling(game: str, question: str) -> Response:
        """Decide a question: the ruling, with every step, die, choice, change and source."""
        body, name = posted.body(settings.max_body_bytes), request_id()

        def decide() -> Response:
            if hands[game].plainly(question):
                return replied(seats[game].ask(question, body, name))
            return hands[game].asked("ruling", question, body, lambda seed: seats[game].ask(question, body, name, seed))

        return lasting.answered("ruling", games[game], question, body, decide)

    for game in games.values():
        for name in game.questions:
            pages.add_url_rule(
                f"/v1/games/{game.name}/{name}", f"{game.name}/{name}", ruling,
                defaults={"game": game.name, "question": name}, methods=ASKED_BY,
            )  # fmt: skip
    return pages
