"""The limiter: charges each caller's quota, a number of units a minute, for what the caller's requests cost.

The library `limits` counts, by its sliding window counter: the units of the current minute, and those of the minute
before in proportion to its overlap with the last sixty seconds, so that spent units come back gradually.

All processes count in Redis. While Redis is away each process counts for itself, with the whole quota, and tries Redis
again once a second; no request fails because of it.

The header fields follow draft-ietf-httpapi-ratelimit-headers-11: the policy is a quota of units in a window of seconds,
its state the units that remain, and the seconds until the whole quota is available or the refused request is admitted.
"""

from collections.abc import Callable, Mapping
from math import floor
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple, TypeVar

from cachetools import LRUCache
from flask import Flask, Response, current_app, has_request_context, request
from limits import RateLimitItem, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import MemoryStorage, RedisStorage
from limits.strategies import SlidingWindowCounterRateLimiter

from api.auth.callers import Caller, has_key_to_check, scope_of
from api.observability.request_log import Log
from api.problems.handlers import ProblemError
from api.quotas import costs
from api.settings import Settings
from infra.redis import key

POLICY = "burst"
"""The name of the policy; each caller has one quota under it."""

WINDOW_S = 60
"""Seconds of the window in which a quota may be spent."""

_ROUNDING_S = 1e-6

ANSWER_S = 0.5
"""Seconds that a charge waits for Redis; under load this includes the wait for the interpreter."""

FRESH_S = 0.25
"""Seconds for which a process uses a window that it has read, without seeing the charges of other processes."""

MOST_WINDOWS = 10_000
"""Callers whose windows a process remembers."""

RETRY_S = 1.0
"""Seconds between two attempts while Redis cannot be reached."""

_UNITS = "units_of_cost"
_CHARGE = "arbiter.charge"
_UNBOUNDED = 10**12

T = TypeVar("T")
View = TypeVar("View", bound=Callable[..., Any])
Store = MemoryStorage | RedisStorage


def redis_storage(url: str, answer_s: float = ANSWER_S) -> RedisStorage:
    """Give the storage that all processes share; it connects when it is first used, and raises `StorageError`."""
    # Without Redis its client is not loaded.
    from redis.backoff import NoBackoff
    from redis.retry import Retry

    # A connection that a restart of Redis has closed is retried once; by default the client retries for seconds.
    options: Any = {"retry": Retry(NoBackoff(), 1), "socket_timeout": answer_s, "socket_connect_timeout": answer_s}
    return RedisStorage(url, key_prefix=key("quota"), wrap_exceptions=True, **options)


def charged(units: int) -> Callable[[View], View]:
    """Declare the cost of requests to the decorated view; by default that of a look-up, if a scope is needed."""

    def declare(view: View) -> View:
        setattr(view, _UNITS, units)
        return view

    return declare


def units_of(view: Callable[..., Any] | None) -> int:
    """Give the cost of a request to a view; a path or method without a view costs a look-up."""
    default = costs.LOOKUP if view is None or scope_of(view) else 0
    return getattr(view, _UNITS, default)


class Window(NamedTuple):
    """What a caller spent: units in the previous window, back in `previous_s`, and in the current, in `current_s`."""

    previous: int
    previous_s: float
    current: int
    current_s: float

    def after(self, seconds: float) -> "Window":
        """Give the same window a moment later."""
        return self._replace(previous_s=max(0.0, self.previous_s - seconds), current_s=self.current_s - seconds)

    def left(self, quota: int) -> int:
        """Give the units that remain of a quota."""
        return min(quota, max(0, quota - self.current - floor(self.previous * self.previous_s / WINDOW_S)))

    def wait_s(self, quota: int, cost: int) -> int:
        """Give the whole seconds until a request of this cost is admitted, if nothing else is spent; at least 1."""
        # A request is admitted if less than this is spent, since fractions of a unit do not count.
        bound, wait = quota - cost + 1, 0.0
        if self.current >= bound:
            wait = self.current_s - WINDOW_S * bound / self.current
        elif self.previous > 0:
            wait = self.previous_s - WINDOW_S * (bound - self.current) / self.previous
        return max(1, floor(wait + _ROUNDING_S) + 1)


_EMPTY = Window(0, 0.0, 0, 0.0)


def most_of_request(quota: int) -> int:
    """Give the highest cost of a single request: half of the quota, so that its job can be polled afterwards."""
    return max(1, quota // 2)


def fields(quota: int, left: int, wait_s: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Give the two header fields of a response."""
    return ("RateLimit-Policy", f'"{POLICY}";q={quota};w={WINDOW_S}'), ("RateLimit", f'"{POLICY}";r={left};t={wait_s}')


class Charge:
    """The charges of one request so far, and the answer if they were too much."""

    def __init__(self, limiter: "Limiter", quota: RateLimitItem, caller: str) -> None:
        self._limiter, self._item, self._caller = limiter, quota, caller
        self.quota, self.spent = quota.amount, 0
        self._refused: tuple[int, int] | None = None

    def charge(self, units: int) -> int:
        """Charge units before the work they pay for, and give how many; `ProblemError` if too few are left."""
        due = self._due(units)
        known = self._limiter.recent_window(self._caller)
        # Recently spent units still count, so that a caller that continues after a refusal is refused without Redis.
        spent = known is not None and known.left(self.quota) < due
        if due and (spent or not self._hit(due)):
            # The next attempt is charged from the beginning, so it also needs the units charged before the refusal.
            cost = self.spent + due
            window = known if known is not None and spent else self._read()
            self._refused = window.left(self.quota), window.wait_s(self.quota, cost)
            raise _refusal(self.quota, cost, *self._refused)
        self._note(due)
        return due

    def settle(self, units: int) -> None:
        """Charge units for work that is done, even if too few are left."""
        if due := self._due(units):
            key = self._item.key_for(self._caller)
            self._limiter.count(lambda store: store.acquire_sliding_window_entry(key, _UNBOUNDED, WINDOW_S, due))
            self._note(due)

    def give_back(self, units: int) -> None:
        """Take back a charge for work that turned out to be done already."""
        if back := min(units, self.spent):
            self._hit(-back)
            self._note(-back)

    def state(self) -> tuple[int, int]:
        """Give the units that are left, and the seconds until the refused cost, or the whole quota, is available."""
        if self._refused is not None:
            return self._refused
        window = self._limiter.recent_window(self._caller) or self._read()
        return window.left(self.quota), window.wait_s(self.quota, self.quota)

    def _read(self) -> Window:
        key, limiter = self._item.key_for(self._caller), self._limiter
        window = Window(*limiter.count(lambda store: store.get_sliding_window(key, WINDOW_S)))
        with limiter.lock:
            limiter.windows[self._caller] = limiter.clock(), window
        return window

    def _note(self, units: int) -> None:
        """Record charged units, here and in the window that this process has just read."""
        self.spent += units
        with self._limiter.lock:
            if (known := self._limiter.windows.get(self._caller)) is not None:
                window = known[1]._replace(current=known[1].current + units)
                self._limiter.windows[self._caller] = known[0], window

    def _hit(self, units: int) -> bool:
        return self._limiter.count(
            lambda store: SlidingWindowCounterRateLimiter(store).hit(self._item, self._caller, cost=units)
        )

    def _due(self, units: int) -> int:
        return max(0, min(units, most_of_request(self.quota) - self.spent))


def _refusal(quota: int, cost: int, left: int, wait_s: int) -> ProblemError:
    return ProblemError(
        "too-many-requests",
        f"Units that the request costs: {cost:,}; units left: {left:,} of {quota:,} in {WINDOW_S} seconds "
        f"(policy {POLICY!r}). Seconds until it can be sent again: {wait_s}.",
        headers={"Retry-After": str(wait_s)},
        policy=POLICY,
        quota=quota,
        window_s=WINDOW_S,
        cost=cost,
        left=left,
        wait_s=wait_s,
    )


class Limiter:
    """The quotas of one app. `local` counts for this process alone, `shared` for all processes while it answers."""

    def __init__(
        self,
        settings: Settings,
        log: Log,
        identify: Callable[[dict[str, Any]], Caller],
        by_address: Callable[[Mapping[str, Any]], Caller],
        shared: Store | None = None,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """Charge the caller that `identify` names; if it refuses a key, the one that `by_address` names."""
        self._log, self._identify, self._by_address, self.clock = log, identify, by_address, clock
        self._anonymous, self._keyed = settings.anonymous_units_per_minute, settings.key_units_per_minute
        self._longest = settings.max_body_bytes
        self.shared, self.local = shared, MemoryStorage()
        # So that most responses state the quota without a second call to Redis.
        self.windows: LRUCache[str, tuple[float, Window]] = LRUCache(MOST_WINDOWS)
        self.lock = Lock()
        self._away, self._retry_at = False, 0.0

    def init_app(self, app: Flask) -> None:
        """Charge every request of an app, and add the header fields to its responses."""
        app.extensions["quotas"] = self
        app.before_request(self.charge_request)
        app.after_request(self.add_fields)

    def charge_request(self) -> None:
        """Charge the current request by its view and the length of its body, before the body is read."""
        environ = request.environ
        free = request.method == "OPTIONS"
        base = 0 if free else units_of(current_app.view_functions.get(request.endpoint or ""))
        # Guesses of keys are charged even where requests are free.
        if not base and (free or not has_key_to_check(environ)):
            return
        try:
            caller = self._identify(environ)
        except ProblemError:
            self.begin(environ, self._by_address(environ)).charge(costs.BAD_KEY)
            raise
        if base:
            self.begin(environ, caller).charge(base + self._body(environ))

    def add_fields(self, response: Response) -> Response:
        """Add the header fields to a response that was charged for."""
        if (charge := _current()) is not None:
            response.headers.extend(fields(charge.quota, *charge.state()))
        return response

    def begin(self, environ: dict[str, Any], caller: Caller) -> Charge:
        """Begin to count the cost of a request of this caller."""
        units = caller.units_per_minute or (self._anonymous if caller.anonymous else self._keyed)
        charge = environ[_CHARGE] = Charge(self, RateLimitItemPerMinute(units, namespace="units"), caller.name)
        return charge

    def _body(self, environ: Mapping[str, Any]) -> int:
        """Give the cost of reading the body, by its declared length; a chunked body costs as much as the longest."""
        length = environ.get("CONTENT_LENGTH") or ""
        if environ.get("HTTP_TRANSFER_ENCODING"):
            return self._longest // costs.UNIT_BYTES
        return int(length) // costs.UNIT_BYTES if length.isdecimal() and len(length) < 16 else 0

    def recent_window(self, caller: str) -> Window | None:
        """Give the window of a caller that this process has just read; None if it has to read it again."""
        with self.lock:
            read_at, window = self.windows.get(caller, (float("-inf"), _EMPTY))
        age_s = self.clock() - read_at
        # When the current window becomes the previous one, it is counted differently.
        return window.after(age_s) if 0 <= age_s < FRESH_S and window.current_s - age_s > WINDOW_S else None

    def count(self, action: Callable[[Store], T]) -> T:
        """Run an action in the shared storage, or in that of this process while the shared one is away."""
        if self.shared is not None and (not self._away or self.clock() >= self._retry_at):
            # While one thread tries again, others do not wait for it.
            self._retry_at = self.clock() + RETRY_S
            try:
                result = action(self.shared)
            except StorageError as error:
                self._retry_at = self.clock() + RETRY_S
                if not self._away:
                    self._away = True
                    self._log.warning("quotas-without-redis", reason=str(error))
            else:
                self._away = False
                return result
        # The library's storage in memory counts exactly for one thread at a time.
        with self.lock:
            return action(self.local)


def of_work(estimate_ms: float) -> int:
    """Give the cost of estimated work; less than a unit is free."""
    return int(estimate_ms / costs.UNIT_MS)


def charge(units: int) -> int:
    """Charge the current request for work it is about to do, and give how many units; `ProblemError` if too few.

    They are fewer than `units` if the request has reached its highest cost. Outside a request, and without quotas,
    nothing is charged.
    """
    current = _current()
    return 0 if current is None else current.charge(units)


def settle(units: int) -> None:
    """Charge the current request for work that is done, even if too few units are left."""
    if (current := _current()) is not None:
        current.settle(units)


def give_back(units: int) -> None:
    """Take back a charge of the current request for work that turned out to be done already."""
    if (current := _current()) is not None:
        current.give_back(units)


def _current() -> Charge | None:
    return request.environ.get(_CHARGE) if has_request_context() else None
