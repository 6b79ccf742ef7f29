"""Simulations: `POST /v1/games/{game}/{question}/simulations`, a question played many times as a job, and sweeps."""

from flask import Blueprint, Response

from api.auth.callers import needs
from api.jobs.submission import by_preference
from api.quotas import costs
from api.quotas.limiter import charged
from api.resources.questions import QUESTION, PostedQuestion, posted, with_dice
from api.schemas.responses import accept_json

pages = Blueprint("simulations", __name__)
pages.before_request(accept_json)
pages.after_request(by_preference)


@pages.post(f"{QUESTION}/simulations")
@needs("jobs")
@charged(costs.SIMULATION)
@posted
@with_dice
def simulate(question: PostedQuestion) -> Response:
    """Accept a simulation, and answer with the path of its job."""
    return question.submission.simulate(question.name, question.body)
