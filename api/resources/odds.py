"""Odds: `POST` or `QUERY /v1/games/{game}/{question}/odds`, the exact law of an answer, or a crowd of games counted."""

from flask import Blueprint, Response

from api.arbiters.walks import add_timing
from api.auth.callers import needs
from api.caching.etags import ASK_METHODS, vary
from api.quotas import costs
from api.quotas.limiter import charged
from api.resources.questions import QUESTION, PostedQuestion, posted, with_dice
from api.schemas.responses import accept_json

pages = Blueprint("odds", __name__)
pages.before_request(accept_json)
pages.after_request(vary)
pages.after_request(add_timing)


@pages.route(f"{QUESTION}/odds", methods=ASK_METHODS)
@needs("ask")
@charged(costs.ODDS)
@posted
@with_dice
def odds(question: PostedQuestion) -> Response:
    """Give every possible answer with its probability."""
    return question.respond("odds")
