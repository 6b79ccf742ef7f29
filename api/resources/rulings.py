"""Rulings: `POST` or `QUERY /v1/games/{game}/{question}`, one route for each question of each game."""

from collections.abc import Mapping

from flask import Blueprint, Response, request

from api.arbiters.local import ArbiterClient, TrustedLocalArbiter, passed_on
from api.caching.conditional import ASKED_BY, ConditionalResponses, asked_either_way
from api.jobs.submission import JobSubmission, replied
from api.observability.request_log import request_id
from api.quotas import costs
from api.quotas.costs import charged
from api.schemas import request_body
from api.server.straight import WRONG
from api.settings import Settings
from api.signing.commitments import Commitments, is_committed
from api.signing.envelope import Signing
from arbiter.game import Arbiter


def resource(
    games: Mapping[str, Arbiter],
    seats: Mapping[str, ArbiterClient],
    hands: Mapping[str, JobSubmission],
    settings: Settings,
    commitments: Commitments,
    signing: Signing,
    lasting: ConditionalResponses,
) -> Blueprint:
    """Decide questions."""
    pages = Blueprint("rulings", __name__)
    pages.before_request(signing.accept)
    pages.after_request(asked_either_way)

    @charged(costs.RULING)
    def ruling(game: str, question: str) -> Response:
        """Decide a question: the ruling, with every step, die, choice, change and source."""
        body, name = request_body.body(settings.max_body_bytes), request_id()
        # It was decided already, on the short way, and came to no answer.
        wrong: Exception | None = request.environ.get(WRONG)
        if wrong is not None:
            raise wrong
        plainly = hands[game].plainly(question)

        def decide(settled: bytes) -> Response:
            if plainly:
                return replied(seats[game].ask(question, settled, name))
            return hands[game].asked(
                "ruling", question, settled, lambda seed: seats[game].ask(question, settled, name, seed)
            )

        # A gateway settles committed dice before it passes a question on; what comes here all the same is refused.
        settled_before = isinstance(seats[game], TrustedLocalArbiter) and passed_on(request.environ) is not None
        if not signing.wanted(request.environ) and (settled_before or not is_committed(body)):
            return lasting.answered("ruling", games[game], question, body, lambda: decide(body))
        # A signed statement says when it was made, and a nonce has to be looked at each time: nothing of it is kept.
        # Whoever checks them has no boards of ours, so that the board takes the place of its digest.
        body = hands[game].bodies.expanded(body)
        answer, commitment = commitments.answered(games[game], question, body, decide, plainly=plainly)
        answer.headers["Cache-Control"] = "no-store"
        return signing.given(body, answer, commitment)

    for game in games.values():
        for name in game.questions:
            pages.add_url_rule(
                f"/v1/games/{game.name}/{name}", f"{game.name}/{name}", ruling,
                defaults={"game": game.name, "question": name}, methods=ASKED_BY,
            )  # fmt: skip
    return pages
