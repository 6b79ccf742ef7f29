"""The shared part of the resources of questions: a posted question, resolved from the path of the request."""

from collections.abc import Callable
from functools import partial, wraps
from typing import NamedTuple

from flask import Response, request
from werkzeug.exceptions import MethodNotAllowed, NotFound

from api.arbiters.local import Reply
from api.arbiters.routing import ArbiterClient
from api.jobs.submission import JobSubmission
from api.observability.request_log import request_id
from api.problems.handlers import ProblemError
from api.schemas import request_body
from api.schemas.scenes import DecodedBody
from api.web.services import PAGES, services
from arbiter.game import Arbiter
from workers.jobs.work import Kind

QUESTION = "/v1/games/<game>/<question>"
"""The path of a question."""


class PostedQuestion(NamedTuple):
    """A question of a game with its posted body, and the id of the request."""

    game: Arbiter
    name: str
    body: bytes
    request_id: str

    @property
    def arbiter(self) -> ArbiterClient:
        """The arbiter that decides the game."""
        return services().arbiters[self.game.name]

    @property
    def submission(self) -> JobSubmission:
        """The object that decides heavy questions, and those whose client prefers a job."""
        return services().submissions[self.game.name]

    @property
    def at_once(self) -> bool:
        """Whether the question must be decided in the request: it is never heavy, and the client has no preference."""
        preferring = "Prefer" in request.headers or "Idempotency-Key" in request.headers
        return self.game.questions[self.name].cost is None and not preferring

    def respond(self, kind: Kind) -> Response:
        """Answer the question or its odds, from memory or by deciding."""
        return services().responses.respond(kind, self.game, self.name, self.body, lambda: self.decide(kind))

    def decide(self, kind: Kind) -> Response:
        """Decide the question or its odds, in the request or as a job."""
        if self.at_once:
            return self._ask(kind, None, None).response
        return self.submission.decide(kind, self.name, self.body, partial(self._ask, kind))

    def _ask(self, kind: Kind, seed: str | None, decoded: DecodedBody | None) -> Reply:
        if kind == "odds":
            return self.arbiter.odds(self.name, self.body, self.request_id, decoded)
        return self.arbiter.ask(self.name, self.body, self.request_id, seed, decoded)


def posted(view: Callable[[PostedQuestion], Response]) -> Callable[[str, str], Response]:
    """Let a view take the posted question instead of the names in the path; refuses unknown names."""

    @wraps(view)
    def with_question(game: str, question: str) -> Response:
        arbiter = services().game(game)
        if question in PAGES:
            raise MethodNotAllowed(["GET", "HEAD", "OPTIONS"])
        if question not in arbiter.questions:
            raise NotFound
        body = request_body.body(services().settings.max_body_bytes)
        return view(PostedQuestion(arbiter, question, body, request_id()))

    return with_question


def with_dice(view: Callable[[PostedQuestion], Response]) -> Callable[[PostedQuestion], Response]:
    """Let a view take only questions that are decided with dice."""

    @wraps(view)
    def checked(question: PostedQuestion) -> Response:
        refuse_without_dice(question.game, question.name)
        return view(question)

    return checked


def refuse_without_dice(game: Arbiter, question: str) -> None:
    """Refuse odds and simulations of a question without dice."""
    if not game.questions[question].dice:
        raise ProblemError(
            "no-dice", f"{question!r} is decided without dice: post to /v1/games/{game.name}/{question} for its answer."
        )
