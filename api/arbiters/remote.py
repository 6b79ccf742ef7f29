"""A game that is decided by a service of its own: questions are passed on, answers and problems come back as they are.

Every question is passed on with its seed, so that its answer depends on nothing but what is sent, and to ask again does
no harm. It is asked again where nothing was heard of it: the connection was refused, or dropped before an answer began.
What may still be worked at (no answer in time) is not asked again, so that a slow arbiter gets no double load.
"""

import secrets
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus
from math import ceil
from typing import Any
from urllib.parse import urlsplit

import certifi
import msgspec
import requests
from requests.adapters import HTTPAdapter
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import HTTPError, NewConnectionError

from api.arbiters.breaker import Breaker, Closed, Patience, Terms
from api.arbiters.identity import Identity, OtherEdition
from api.arbiters.local import SEED, Reply
from api.arbiters.passing import Exchange, Garbled, Unheard
from api.problems.catalogue import KINDS
from api.problems.handlers import OverBudget, ProblemError
from api.quotas.costs import of_paths
from api.quotas.limiter import settle
from api.schemas.responses import JSON, PROBLEM
from arbiter.game import Arbiter

MOST_TRIES = 3
"""How often a question is sent at most: again after a connection that failed, and once after 502, 503 or 504."""

MOST_PAUSE_S = 0.05
"""The first pause before a question is sent again is a random part of this, and of twice as much each time."""

MOST_ANSWER_BYTES = 64 * 1024 * 1024

QUIET_S = 5.0
"""An arbiter that has answered nothing for so long may hold only half of the gateway's threads."""

_UPSTREAM = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})
_TOO_MANY_PATHS = KINDS["too-many-paths"].path
_PASSED_ON = frozenset({HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY,
                        HTTPStatus.INTERNAL_SERVER_ERROR})  # fmt: skip

_SAID = {"Content-Type": JSON, "Accept": JSON, "Accept-Encoding": "identity"}

_NO_DICE = "none"
"""The seed of a question that has no dice."""

_jitter = secrets.SystemRandom().random


class NoAnswer(Exception):
    """What came back is no answer of an arbiter; the message says what it was."""


class _Limits(msgspec.Struct, frozen=True):
    """What the body of odds says of how they are counted; it is well-formed, for an arbiter has read it."""

    heads: int | None = None
    policies: dict[str, str] = {}


class _OverBudget(msgspec.Struct, frozen=True):
    """What the problem of too many paths says of them."""

    budget: int


class _Walked(msgspec.Struct, frozen=True):
    """What a law says of its paths."""

    paths: int = 0


class RemoteArbiter:
    """Passes questions on to a service of the game's own, and its answers and problems back as they are."""

    def __init__(
        self,
        game: Arbiter,
        address: str,
        *,
        connect_s: float = 2.0,
        read_s: float = 60.0,
        threads: int = 4,
        breaker: Breaker | None = None,
        more: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        """Ask the service of the game at an address, from so many threads.

        `more` gives headers that every question is passed on with, besides its own.
        """
        self.identity, self.address = Identity.of(game), address.rstrip("/")
        self.connect_s, self.read_s = connect_s, read_s
        self.breaker = breaker or Breaker(Terms(probe_s=connect_s + read_s + 5))
        self.patience = Patience(max(1, threads // 2), QUIET_S)
        self._more = more
        self._without_dice = frozenset(name for name, each in game.questions.items() if not each.dice)
        self._session = requests.Session()
        # Proxies and passwords of the environment are for other places than our own services.
        self._session.trust_env = False
        # Tries are counted here, where it is known what was tried.
        adapter = HTTPAdapter(pool_connections=1, pool_maxsize=threads, max_retries=0)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)
        # Questions take the short way over the session's connections: what a session does besides (cookies, redirects,
        # proxies) no question needs.
        pool = adapter.get_connection_with_tls_context(
            requests.Request("POST", self.address).prepare(), verify=certifi.where(), proxies={}
        )
        assert isinstance(pool, HTTPConnectionPool)
        parts = urlsplit(self.address)
        self._exchange = Exchange(pool, parts.netloc, MOST_ANSWER_BYTES)
        self._path = f"{parts.path}/v1/games/{game.name}"

    @property
    def game(self) -> str:
        """The name of the game."""
        return self.identity.game

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        fresh = secrets.token_hex(8) if seed is None and question not in self._without_dice else _NO_DICE
        headers = {"X-Request-Id": request_id, SEED: seed or fresh}
        return self._replied(question, body, headers)

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        reply = self._replied(f"{question}/odds", body, {"X-Request-Id": request_id})
        if reply.status == HTTPStatus.UNPROCESSABLE_ENTITY and _kind(reply) == _TOO_MANY_PATHS:
            # What may be had instead depends on the jobs that the gateway does, of which the arbiter knows nothing.
            asked = msgspec.json.decode(body, type=_Limits)
            budget = msgspec.json.decode(reply.body, type=_OverBudget).budget
            settle(of_paths(budget))
            raise OverBudget(budget, asked.heads, asked.policies)
        if reply.status == HTTPStatus.OK:
            settle(of_paths(msgspec.json.decode(reply.body, type=_Walked).paths))
        return reply

    def look(self, within_s: float) -> Identity:
        """Ask the service who it is; raises `NoAnswer` where no arbiter answers."""
        try:
            answer = self._session.get(
                f"{self.address}/healthz", timeout=(min(self.connect_s, within_s), within_s), allow_redirects=False
            )
        except requests.RequestException as away:
            raise NoAnswer(type(away).__name__) from away
        there = Identity.said_by(answer.headers)
        if answer.status_code != HTTPStatus.OK or there is None:
            raise NoAnswer(f"status {answer.status_code}")
        return there

    def _replied(self, page: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        try:
            self.patience.enter()
        except Closed as closed:
            raise self._away(closed, closed.wait_s) from closed
        heard = False
        try:
            ticket = self.breaker.admit()
            try:
                reply = self._tried(f"{self._path}/{page}", body, {**_SAID, **headers, **self._more()})
            except OtherEdition:
                # It is alive, whatever it is.
                self.breaker.succeeded(ticket)
                raise
            except BaseException:
                self.breaker.failed(ticket)
                raise
            self.breaker.succeeded(ticket)
            heard = True
        except Closed as closed:
            raise self._away(closed, closed.wait_s) from closed
        except OtherEdition as other:
            heard = True
            said = f"The arbiter of {self.game} is of another edition: {other}. Answers of both are never mixed."
            raise ProblemError("edition-mismatch", said, headers={"Retry-After": "5"}) from other
        except (HTTPError, Unheard, Garbled, NoAnswer) as away:
            raise self._away(away, 1.0) from away
        finally:
            self.patience.leave(heard=heard)
        return reply

    def _tried(self, path: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        deadline = time.monotonic() + self.connect_s + self.read_s
        refused_before = False
        for tries in range(1, MOST_TRIES + 1):
            last = tries == MOST_TRIES
            try:
                reply = self._sent(path, body, headers, deadline)
            except (NewConnectionError, Unheard):
                if last:
                    raise
            else:
                if reply.status not in _UPSTREAM:
                    return reply
                if last or refused_before:
                    raise NoAnswer(f"status {reply.status}")
                refused_before = True
            pause_s = _jitter() * MOST_PAUSE_S * 2 ** (tries - 1)
            if time.monotonic() + pause_s >= deadline:
                break
            time.sleep(pause_s)
        raise NoAnswer("no answer in time")

    def _sent(self, path: str, body: bytes, headers: Mapping[str, str], deadline: float) -> Reply:
        left_s = max(0.001, deadline - time.monotonic())
        answer = self._exchange.post(
            path, body, headers,
            connect_s=min(self.connect_s, left_s), read_s=min(self.read_s, left_s), deadline=deadline,
        )  # fmt: skip
        status, there = answer.status, Identity.told_in(answer.fields)
        if there is None:
            if status in _UPSTREAM:
                return Reply(answer.content, status)
            raise NoAnswer(f"status {status} of something that is no arbiter")
        if there != self.identity:
            raise OtherEdition(there, self.identity)
        form = answer.fields.get("content-type", "")
        if status in _UPSTREAM or (status == HTTPStatus.OK and form == JSON):
            return Reply(answer.content, status)
        if status in _PASSED_ON and form == PROBLEM:
            return Reply(answer.content, status, PROBLEM)
        raise NoAnswer(f"status {status} with {form[:100]!r}")

    def _away(self, because: Exception, wait_s: float) -> ProblemError:
        told = f"The arbiter of {self.game} does not answer"
        told += f": {because}." if isinstance(because, Closed) else "; ask again."
        return ProblemError("arbiter-away", told, headers={"Retry-After": str(max(1, ceil(wait_s)))})


def _kind(reply: Reply) -> Any:
    return msgspec.json.decode(reply.body).get("type")
