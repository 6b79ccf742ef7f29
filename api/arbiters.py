"""Arbiters as the gateway asks them: body in, answer out, whether a game is decided here or by a service of its own."""

import re
import secrets
from typing import Any, Protocol

import msgspec
from flask import request

from api import wire
from api.answers import JSON
from api.bodies import ask_type, odds_type
from api.costs import of_paths
from api.problems import OverBudget
from api.rates import settle
from api.settings import Settings
from arbiter.arbiter import Arbiter
from arbiter.law import PathBudgetExceeded
from arbiter.question import Ask, AskOdds
from arbiter.value import Value

SEED = "Arbiter-Seed"
"""The header in which a gateway passes a seed on. Only a game's own service heeds it, and no other."""

_SEED = re.compile(r"[!-~]{1,128}")


class Reply(Value, frozen=True):
    """What an arbiter answers, ready to be sent."""

    body: bytes
    status: int = 200
    media_type: str = JSON


class Asked(Protocol):
    """The arbiter of one game, wherever it is; every method takes a body as it was posted.

    Whoever decides here raises `Faults`, `OverBudget` or `Refused`; a reply from elsewhere may be a problem.
    """

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        """Decide a question: the reply is a ruling. Where the body says nothing of dice, they come from the seed."""

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        """Give the odds of a question: the reply is a law, or counted heads."""


class LocalArbiter:
    """Decides in this process."""

    def __init__(self, game: Arbiter, settings: Settings) -> None:
        self.game, self._budget, self._deepest = game, settings.path_budget, settings.max_depth
        self._asks = {name: ask_type(question) for name, question in game.questions.items()}
        self._odds = {name: odds_type(question) for name, question in game.questions.items()}

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        ask: Ask[Any] = wire.decode(self._asks[question], body, deepest=self._deepest)
        # The patch has to fit the scene as the client wrote it, with the defaults it left out still left out.
        ruling = self.game.ask(
            question, ask, seed=seed or secrets.token_hex(8),
            posted=lambda: msgspec.json.decode(body)["case"]["scene"],
        )  # fmt: skip
        return Reply(wire.encode(ruling))

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        ask: AskOdds[Any] = wire.decode(self._odds[question], body, deepest=self._deepest)
        try:
            law = self.game.odds(question, ask, self._budget)
        except PathBudgetExceeded as exceeded:
            settle(of_paths(exceeded.budget))
            raise OverBudget(exceeded.budget, ask.heads, ask.policies) from None
        settle(of_paths(law.paths))
        return Reply(wire.encode(law))


class Inner(LocalArbiter):
    """Decides in this process for a gateway, which settles the seed of dice that nobody named, and passes it on."""

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        said = request.headers.get(SEED, "")
        return super().ask(question, body, request_id, said if _SEED.fullmatch(said) else seed)
