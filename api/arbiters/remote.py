"""A game that a separate service decides: questions are passed on, answers and problems are returned unchanged.

A question is sent with its seed, so that its answer depends only on the request, and a retry is harmless. It is retried
once, if no answer has begun. A question that is not answered in time is not retried, because the service may still work
on it.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from http.cookiejar import DefaultCookiePolicy
from math import ceil
from threading import BoundedSemaphore

import msgspec
import requests
from pybreaker import STATE_CLOSED, CircuitBreaker, CircuitBreakerError
from requests.adapters import HTTPAdapter
from urllib3.exceptions import HTTPError

from api.arbiters.identity import Identity, OtherEdition
from api.arbiters.local import BOARD_BY_DIGEST, SEED, Reply
from api.arbiters.walks import TIMING, note, walk_s
from api.problems.catalogue import KINDS
from api.problems.handlers import OverBudget, ProblemError
from api.quotas.limiter import of_work, settle
from api.schemas.responses import JSON, PROBLEM
from api.schemas.scenes import Bodies, DecodedBody
from api.settings import Settings
from arbiter.game import Arbiter
from arbiter.odds.exact import PathBudgetExceeded, TimeBudgetExceeded
from infra import tracing

MAX_PAUSE_MS = 50
"""A retry waits for a random part of this, so that many retries do not arrive together."""

MAX_ANSWER_BYTES = 64 * 1024 * 1024
READ_BYTES = 262_144

FAILURES = 5
"""Failures in a row after which the breaker opens."""

OPEN_S = 5.0
"""Seconds for which an open breaker refuses every question; then it lets some through as a trial."""

QUIET_S = 5.0
"""Seconds without an answer after which an arbiter that half of the gateway's threads wait for is silent."""

_UPSTREAM = frozenset({HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT})
_PROBLEMS = frozenset(
    {HTTPStatus.REQUEST_ENTITY_TOO_LARGE, HTTPStatus.UNPROCESSABLE_ENTITY, HTTPStatus.INTERNAL_SERVER_ERROR}
)
_HEADERS = {"Content-Type": JSON, "Accept": JSON, "Accept-Encoding": "identity"}

_NO_DICE = "none"
"""The seed of a question that has no dice."""


class NoAnswer(Exception):
    """The response does not come from an arbiter; the message says what it was."""


class Unavailable(NoAnswer):
    """A proxy in front of the arbiter says that it cannot reach it."""


class _OddsBody(msgspec.Struct, frozen=True):
    """The members of an odds body that say how to count; it is well-formed, because an arbiter has read it."""

    heads: int | None = None
    policies: dict[str, str] = {}


class _Exceeded(msgspec.Struct, frozen=True):
    """The budget in a problem of odds that take too many paths, or too long."""

    type: str = ""
    budget: int = 0
    limit_s: float = 0.0


_OVER_BUDGET: Mapping[str, Callable[[_Exceeded], PathBudgetExceeded | TimeBudgetExceeded]] = {
    KINDS["too-many-paths"].path: lambda exceeded: PathBudgetExceeded(exceeded.budget),
    KINDS["odds-too-long"].path: lambda exceeded: TimeBudgetExceeded(exceeded.limit_s),
}


class RemoteArbiter:
    """Passes questions on to the service of one game, and returns its answers and problems unchanged."""

    def __init__(
        self,
        game: Arbiter,
        address: str,
        settings: Settings,
        bodies: Bodies | None = None,
        *,
        headers: Callable[[], Mapping[str, str]] = tracing.outgoing,
    ) -> None:
        """Ask the service at an address. `headers` gives further headers of each question.

        With `bodies`, a board that is named by its digest is sent whole: the service keeps none.
        """
        self.game, self.address, self.identity = game, address.rstrip("/"), Identity.of(game)
        self.connect_s, self.read_s = settings.remote_connect_s, settings.remote_read_s
        self.max_answer_bytes, self.quiet_s, self.answered_at = MAX_ANSWER_BYTES, QUIET_S, 0.0
        self.slots = BoundedSemaphore(max(1, settings.gateway_threads // 2))
        # A service of another edition is alive.
        self.breaker = CircuitBreaker(
            FAILURES, OPEN_S, name=game.name, exclude=[OtherEdition], throw_new_error_on_trip=False
        )
        self.session = requests.Session()
        # Proxies, passwords of the environment and cookies are not for our own services.
        self.session.trust_env = False
        self.session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=()))
        self.session.headers = {}
        adapter = HTTPAdapter(pool_connections=1, pool_maxsize=settings.gateway_threads)
        self.session.mount("http://", adapter)
        self.session.mount("https://", adapter)
        # Prepared once: parsing the address takes a quarter of the time of a request.
        self._prepared = requests.Request("POST", f"{self.address}/v1/games/{game.name}", _HEADERS).prepare()
        self._bodies, self._more = bodies, headers
        self._without_dice = frozenset(name for name, each in game.questions.items() if not each.dice)

    def ask(
        self, question: str, body: bytes, request_id: str, seed: str | None = None, decoded: DecodedBody | None = None
    ) -> Reply:
        """Have a question decided. A question without a seed gets a fresh one, which a retry keeps."""
        fresh = secrets.token_hex(8) if seed is None and question not in self._without_dice else _NO_DICE
        whole = self._whole(body)
        by_digest = {} if whole is body else {BOARD_BY_DIGEST: "1"}
        return self._reply(question, whole, {"X-Request-Id": request_id, SEED: seed or fresh, **by_digest})

    def odds(self, question: str, body: bytes, request_id: str, decoded: DecodedBody | None = None) -> Reply:
        """Have the odds of a question computed."""
        reply = self._reply(f"{question}/odds", self._whole(body), {"X-Request-Id": request_id})
        if reply.status == HTTPStatus.UNPROCESSABLE_ENTITY:
            exceeded = msgspec.json.decode(reply.body, type=_Exceeded)
            if exceeded.type in _OVER_BUDGET:
                # The alternatives depend on the gateway's jobs, which the arbiter does not know.
                odds = msgspec.json.decode(body, type=_OddsBody)
                raise OverBudget(_OVER_BUDGET[exceeded.type](exceeded), odds.heads, odds.policies)
        return reply

    def look(self, within_s: float) -> Identity:
        """Ask the service for its identity; raises `NoAnswer` if no arbiter answers."""
        try:
            answer = self.session.get(
                f"{self.address}/healthz", timeout=(min(self.connect_s, within_s), within_s), allow_redirects=False
            )
        except requests.RequestException as away:
            raise NoAnswer(type(away).__name__) from away
        there = Identity.from_headers(answer.headers)
        if answer.status_code != HTTPStatus.OK or there is None:
            raise NoAnswer(f"status {answer.status_code}")
        return there

    def _whole(self, body: bytes) -> bytes:
        return body if self._bodies is None else self._bodies.expand_boards(body)

    def _reply(self, page: str, body: bytes, headers: Mapping[str, str]) -> Reply:
        """Give the reply of the arbiter, and charge the time that it took; a `ProblemError` says why there is none."""
        request = self._prepared.copy()
        request.url = f"{self._prepared.url}/{page}"
        request.headers.update({**headers, **self._more()})
        request.prepare_body(body, None)
        try:
            with self.breaker.calling(), self._slot():
                reply = self._send_or_repeat(request)
        except CircuitBreakerError as open_:
            raise self._away("it failed several times", self.breaker.reset_timeout) from open_
        except OtherEdition as other:
            detail = f"The arbiter of {self.game.name} is of another edition: {other}. Answers of both are never mixed."
            raise ProblemError("edition-mismatch", detail, headers={"Retry-After": "5"}) from other
        except (requests.RequestException, HTTPError, NoAnswer) as away:
            raise self._away("ask again", 1.0) from away
        if reply.walk_s:
            note(reply.walk_s)
            settle(of_work(1_000 * reply.walk_s))
        return reply

    @contextmanager
    def _slot(self) -> Iterator[None]:
        """Wait for one of the slots, which half of the gateway's threads may hold; a busy arbiter frees one soon.

        If none is free and no answer arrives, the arbiter is silent: `NoAnswer`, and its breaker opens.
        """
        wait_s = self.quiet_s if self.breaker.current_state == STATE_CLOSED else 0.0
        while not self.slots.acquire(timeout=wait_s):
            if time.monotonic() - self.answered_at >= wait_s:
                self.breaker.open()
                raise NoAnswer("half of the threads wait for it, and it is silent")
        try:
            yield
        finally:
            self.slots.release()

    def _send_or_repeat(self, request: requests.PreparedRequest) -> Reply:
        deadline = time.monotonic() + self.connect_s + self.read_s
        try:
            return self._send(request, deadline)
        except (requests.ConnectTimeout, requests.exceptions.SSLError):
            raise
        except (requests.ConnectionError, Unavailable):
            # The connection was refused, or dropped before an answer began.
            time.sleep(secrets.randbelow(MAX_PAUSE_MS) / 1_000)
            return self._send(request, deadline)

    def _send(self, request: requests.PreparedRequest, deadline: float) -> Reply:
        left_s = max(0.001, deadline - time.monotonic())
        timeout = (min(self.connect_s, left_s), min(self.read_s, left_s))
        with self.session.send(request, stream=True, allow_redirects=False, timeout=timeout) as answer:
            self.answered_at = time.monotonic()
            status, form = answer.status_code, answer.headers.get("Content-Type", "")
            there = Identity.from_headers(answer.headers)
            if status in _UPSTREAM:
                raise Unavailable(f"status {status}")
            if there is None:
                raise NoAnswer(f"status {status} from a server that is not an arbiter")
            if there != self.identity:
                raise OtherEdition(there, self.identity)
            if (status, form) != (HTTPStatus.OK, JSON) and (status not in _PROBLEMS or form != PROBLEM):
                raise NoAnswer(f"status {status} with {form[:100]!r}")
            return Reply(self._content(answer, deadline), status, form, walk_s(answer.headers.get(TIMING, "")))

    def _content(self, answer: requests.Response, deadline: float) -> bytes:
        """Read a body of bounded size before the deadline; `requests` would read one of any size in any time."""
        content = bytearray()
        while piece := answer.raw.read1(READ_BYTES):
            content += piece
            if len(content) > self.max_answer_bytes:
                raise NoAnswer(f"an answer of more than {self.max_answer_bytes:,} bytes")
            if time.monotonic() > deadline:
                raise NoAnswer("no whole answer in time")
        return bytes(content)

    def _away(self, reason: str, wait_s: float) -> ProblemError:
        detail = f"The arbiter of {self.game.name} does not answer; {reason}."
        return ProblemError("arbiter-away", detail, headers={"Retry-After": str(max(1, ceil(wait_s)))})
