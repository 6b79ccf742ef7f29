"""Odds: `POST` or `QUERY /v1/games/{game}/{question}/odds`, the exact law of an answer, or a crowd of games counted."""

from collections.abc import Mapping

from flask import Blueprint, Response

from api.arbiters.local import ArbiterClient
from api.caching.conditional import ASKED_BY, ConditionalResponses, asked_either_way
from api.jobs.submission import JobSubmission, replied
from api.observability.request_log import request_id
from api.problems.handlers import ProblemError
from api.quotas import costs
from api.quotas.costs import charged
from api.schemas import request_body
from api.schemas.responses import accept_json
from api.settings import Settings
from arbiter.game import Arbiter


def resource(
    games: Mapping[str, Arbiter],
    seats: Mapping[str, ArbiterClient],
    hands: Mapping[str, JobSubmission],
    settings: Settings,
    lasting: ConditionalResponses,
) -> Blueprint:
    """Give the odds of questions."""
    pages = Blueprint("odds", __name__)
    pages.before_request(accept_json)
    pages.after_request(asked_either_way)

    @charged(costs.ODDS)
    def odds(game: str, question: str) -> Response:
        """Give every possible answer with its probability."""
        refuse_without_dice(games[game], question)
        body, name = request_body.body(settings.max_body_bytes), request_id()

        def decide() -> Response:
            if hands[game].plainly(question):
                return replied(seats[game].odds(question, body, name))
            return hands[game].asked("odds", question, body, lambda _: seats[game].odds(question, body, name))

        return lasting.answered("odds", games[game], question, body, decide)

    for game in games.values():
        for name in game.questions:
            pages.add_url_rule(
                f"/v1/games/{game.name}/{name}/odds", f"{game.name}/{name}/odds", odds,
                defaults={"game": game.name, "question": name}, methods=ASKED_BY,
            )  # fmt: skip
    return pages


def refuse_without_dice(game: Arbiter, question: str) -> None:
    """Refuse to weigh, or to play again and again, what is decided without dice."""
    if not game.questions[question].dice:
        raise ProblemError(
            "no-dice", f"{question!r} is decided without dice: post to /v1/games/{game.name}/{question} for its answer."
        )
