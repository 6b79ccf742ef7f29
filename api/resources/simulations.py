"""Simulations: `POST /v1/games/{game}/{question}/simulations`, a question played many times as a job, and sweeps."""

from collections.abc import Mapping

from flask import Blueprint, Response

from api.jobs.submission import JobSubmission, by_preference
from api.quotas import costs
from api.quotas.costs import charged
from api.resources.odds import refuse_without_dice
from api.schemas import request_body
from api.schemas.responses import accept_json
from api.settings import Settings
from arbiter.game import Arbiter


def resource(games: Mapping[str, Arbiter], hands: Mapping[str, JobSubmission], settings: Settings) -> Blueprint:
    """Take simulations."""
    pages = Blueprint("simulations", __name__)
    pages.before_request(accept_json)
    pages.after_request(by_preference)

    @charged(costs.SIMULATION)
    def simulate(game: str, question: str) -> Response:
        """Take a simulation, and say where its job is."""
        refuse_without_dice(games[game], question)
        return hands[game].simulated(question, request_body.body(settings.max_body_bytes))

    for game in games.values():
        for name in game.questions:
            pages.add_url_rule(
                f"/v1/games/{game.name}/{name}/simulations", f"{game.name}/{name}/simulations", simulate,
                defaults={"game": game.name, "question": name}, methods=["POST"],
            )  # fmt: skip
    return pages
