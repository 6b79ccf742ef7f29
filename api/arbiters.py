"""Arbiters as the gateway asks them: body in, answer out, whether a game is decided here or by a service of its own."""

import secrets
from collections.abc import Mapping
from typing import Any, Protocol

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from api import wire
from api.answers import JSON
from api.board_store import InMemory
from api.boards_by_digest import BoardShelf
from api.bodies import ask_type, odds_type
from api.problems import OverBudget, Refused
from api.scenes import Bodies, Read
from api.settings import Settings
from arbiter.arbiter import Arbiter
from arbiter.law import PathBudgetExceeded
from arbiter.question import AskOdds
from arbiter.value import Value
from workers.settings import WrongSettings

ADDRESS_PREFIX = "ARBITER_URL_"
"""The address of a game's own service is read from the variable of this prefix and the game's name."""

CONNECT_S, READ_S = 2.0, 60.0
"""Seconds until a game's own service counts as away; the longest laws take a while."""


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

    def __init__(self, game: Arbiter, settings: Settings, bodies: Bodies | None = None) -> None:
        """Without `bodies`, no boards are known but whole ones."""
        self.game, self._budget = game, settings.path_budget
        self.bodies = bodies or Bodies(game, BoardShelf(InMemory(settings), settings), settings)
        self._asks = {name: ask_type(question) for name, question in game.questions.items()}
        self._odds = {name: odds_type(question) for name, question in game.questions.items()}

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        return Reply(self.ruled(question, self.bodies.read(self._asks[question], body), seed))

    def ruled(self, question: str, read: Read, seed: str | None = None) -> bytes:
        """Decide a question that was read; give the ruling."""
        # The patch has to fit the scene as the client wrote it, with the defaults it left out still left out.
        fresh = seed or (secrets.token_hex(8) if self.game.questions[question].dice else "")
        ruling = self.game.ask(question, read.ask, seed=fresh, posted=read.posted)
        return wire.encode(ruling)

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        return Reply(self.weighed(question, self.bodies.read(self._odds[question], body)))

    def weighed(self, question: str, read: Read) -> bytes:
        """Give the odds of a question that was read."""
        ask: AskOdds[Any] = read.ask
        try:
            return wire.encode(self.game.odds(question, ask, self._budget))
        except PathBudgetExceeded as exceeded:
            raise OverBudget(exceeded.budget, ask.heads, ask.policies) from None


class RemoteArbiter:
    """Passes questions on to a service of the game's own, and its answers and problems back as they are."""

    def __init__(self, game: str, address: str, *, connections: int = 16) -> None:
        self.game, self.address = game, address.rstrip("/")
        self._session = requests.Session()
        # Proxies and passwords of the environment are for other places than our own services.
        self._session.trust_env = False
        # A connection that cannot be made is tried again; a question that was taken is not asked twice.
        retries = Retry(total=None, connect=2, read=0, redirect=0, status=0, other=0, backoff_factor=0.05)
        adapter = HTTPAdapter(pool_connections=1, pool_maxsize=connections, max_retries=retries)
        self._session.mount("http://", adapter)
        self._session.mount("https://", adapter)

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        # The other service draws a seed of its own from the key, the same one for the same key.
        key = {} if seed is None else {"Idempotency-Key": seed}
        return self._post(f"/v1/games/{self.game}/{question}", body, {"X-Request-Id": request_id, **key})

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        return self._post(f"/v1/games/{self.game}/{question}/odds", body, {"X-Request-Id": request_id})

    def _post(self, path: str, body: bytes, said: Mapping[str, str]) -> Reply:
        headers = {"Content-Type": JSON, "Accept": JSON, **said}
        try:
            answer = self._session.post(
                self.address + path, data=body, headers=headers, timeout=(CONNECT_S, READ_S), allow_redirects=False
            )
        except requests.RequestException as away:
            raise Refused("arbiter-away", f"The arbiter of {self.game} cannot be reached; ask again.") from away
        return Reply(answer.content, answer.status_code, answer.headers.get("Content-Type", JSON))


class WithWholeBoards:
    """Passes questions on to an arbiter that keeps no boards: in the place of each digest goes the board."""

    def __init__(self, inner: Asked, bodies: Bodies) -> None:
        self.inner, self.bodies = inner, bodies

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        return self.inner.ask(question, self.bodies.expanded(body), request_id, seed)

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        return self.inner.odds(question, self.bodies.expanded(body), request_id)


def seats(
    games: Mapping[str, Arbiter], settings: Settings, addresses: Mapping[str, str], bodies: Mapping[str, Bodies]
) -> dict[str, Asked]:
    """Give the arbiter of every game: one of its own service where an address is known, else one in this process."""
    return {
        name: WithWholeBoards(RemoteArbiter(name, addresses[name], connections=settings.gateway_threads), bodies[name])
        if name in addresses
        else LocalArbiter(game, settings, bodies[name])
        for name, game in games.items()
    }


def addresses_in(environment: Mapping[str, str], games: Mapping[str, Arbiter]) -> dict[str, str]:
    """Read the addresses of games' own services: `ARBITER_URL_BLACKSTONE_FORTRESS` for blackstone-fortress.

    Raises `WrongSettings` for an address that is none, and for one of a game that is not there.
    """
    names = {ADDRESS_PREFIX + name.upper().replace("-", "_"): name for name in games}
    said = {
        variable: value.strip()
        for variable, value in sorted(environment.items())
        if variable.startswith(ADDRESS_PREFIX) and value.strip()
    }
    faults = [f"{variable} names no game; known: {', '.join(names)}." for variable in said if variable not in names]
    faults += [
        f"{variable}: {value!r} is no address; it begins with http:// or https://."
        for variable, value in said.items()
        if not value.startswith(("http://", "https://"))
    ]
    if faults:
        raise WrongSettings(tuple(faults))
    return {names[variable]: value for variable, value in said.items()}
