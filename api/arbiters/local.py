"""Arbiters that decide in this process: body in, answer out."""

import re
import secrets
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from time import thread_time
from typing import Any

from flask import Response, request

from api.arbiters.walks import WalkWatch, note
from api.problems.handlers import OverBudget
from api.quotas.limiter import of_work, settle
from api.schemas import codec
from api.schemas.bodies import ask_type, odds_points, odds_type
from api.schemas.responses import JSON
from api.schemas.scenes import Bodies, DecodedBody, without_board
from api.settings import Settings
from arbiter.game import Arbiter
from arbiter.odds.exact import PathBudgetExceeded, TimeBudgetExceeded
from arbiter.question import AskOdds
from arbiter.value import Value

SEED = "Arbiter-Seed"
"""The header in which a gateway passes a seed on. Only a game's own service reads it."""

BOARD_BY_DIGEST = "Arbiter-Board-By-Digest"
"""The header by which a gateway says that its client named the board of a scene by its digest: the patch then replaces
the whole reference with a changed board. It is sent together with a seed, and read by the same services."""

WARM_UP_PATHS = 200
"""Paths that the warm-up walks of odds."""

_SEED_HEADER = "HTTP_" + SEED.upper().replace("-", "_")
_SEED = re.compile(r"[!-~]{1,128}")


class Reply(Value, frozen=True):
    """An arbiter's answer, ready to be sent; from a game's own service, with the time of the decision or walk."""

    body: bytes
    status: int = 200
    media_type: str = JSON
    walk_s: float = 0.0

    @property
    def response(self) -> Response:
        """The reply as a response."""
        return Response(self.body, self.status, content_type=self.media_type)


class LocalArbiter:
    """Decides in this process; raises `Faults`, `OverBudget` or `ProblemError`."""

    def __init__(self, game: Arbiter, settings: Settings, bodies: Bodies) -> None:
        self.game, self._settings, self.bodies = game, settings, bodies
        self._asks = {name: ask_type(question) for name, question in game.questions.items()}
        self._odds = {name: odds_type(question) for name, question in game.questions.items()}

    def ask(
        self, question: str, body: bytes, request_id: str, seed: str | None = None, decoded: DecodedBody | None = None
    ) -> Reply:
        """Decide a question as it was posted; without dice in its body, they come from the seed.

        `decoded` is the body, if it had to be decoded before.
        """
        return Reply(self.decide(question, decoded or self.bodies.decode(self._asks[question], body), seed))

    def decide(self, question: str, decoded: DecodedBody, seed: str | None = None) -> bytes:
        """Decide a question whose body is decoded; give the ruling as JSON.

        A question that is never heavy has no estimate: it is charged for the time that it took.
        """
        began, asking = thread_time(), self.game.questions[question]
        seed = seed or (secrets.token_hex(8) if asking.dice else "")
        try:
            # The patch has to match the scene as the client wrote it, without the defaults that it left out.
            return self.game.ask_json(question, decoded.ask, seed=seed, posted=decoded.posted)
        finally:
            if asking.cost is None:
                self._settle(thread_time() - began)

    def _settle(self, taken_s: float) -> None:
        settle(of_work(1_000 * taken_s))

    def odds(self, question: str, body: bytes, request_id: str, decoded: DecodedBody | None = None) -> Reply:
        """Give the odds of a question as it was posted: a law, or counted heads."""
        decoded = decoded or self.bodies.decode(self._odds[question], body)
        ask: AskOdds[Any] = decoded.ask
        return Reply(self.weigh(question, decoded, self.bodies.expand_boards(body) if ask.vary else None))

    def weigh(self, question: str, decoded: DecodedBody, table: bytes | None = None) -> bytes:
        """Give the odds of a question whose body is decoded; they are charged while they are walked.

        For a table of odds, `table` is the body as it was posted, with its boards.
        """
        ask: AskOdds[Any] = decoded.ask
        watch = WalkWatch(self._settings.odds_limit_ms / 1_000)
        try:
            if table is None:
                law = self.game.odds(question, ask, self._settings.path_budget, watch)
            else:
                points = odds_points(self.game, question, ask, table, watch)
                law = self.game.odds_table(question, ask, points, self._settings.path_budget, watch)
        except (PathBudgetExceeded, TimeBudgetExceeded) as exceeded:
            raise OverBudget(exceeded, ask.heads, ask.policies) from None
        watch.settle()
        return codec.encode(law)

    def warm_up(self, question: str, body: bytes) -> None:
        """Decide a question and its odds without a caller, so that the first caller finds the caches filled."""
        self.game.ask_json(question, self.bodies.decode(self._asks[question], body).ask, seed="")
        if self.game.questions[question].dice:
            ask = self.bodies.decode(self._odds[question], body).ask
            # A long walk has loaded everything long before its end.
            with suppress(PathBudgetExceeded):
                self.game.odds(question, ask, WARM_UP_PATHS)


class TrustedLocalArbiter(LocalArbiter):
    """Decides in this process for a gateway, which draws and passes on the seed of dice that the body does not name."""

    def ask(
        self, question: str, body: bytes, request_id: str, seed: str | None = None, decoded: DecodedBody | None = None
    ) -> Reply:
        decoded = decoded or self.bodies.decode(self._asks[question], body)
        if BOARD_BY_DIGEST in request.headers:
            decoded = DecodedBody(decoded.ask, partial(without_board, decoded.posted))
        return super().ask(question, body, request_id, seed_passed_on(request.environ) or seed, decoded)

    def _settle(self, taken_s: float) -> None:
        """Leave it to the gateway to charge its caller."""
        note(taken_s)


def seed_passed_on(environ: Mapping[str, Any]) -> str | None:
    """Give the seed that a gateway has passed on with the request of this WSGI environment; None if it did not."""
    seed: str = environ.get(_SEED_HEADER, "")
    return seed if _SEED.fullmatch(seed) else None
