"""Rates: how much each caller may ask in a while, counted in units of cost, in one bucket that all processes share.

A bucket holds a quota of units and fills again at an even pace. So that counting costs a request next to nothing, a
process takes a share of a caller's units out of the store at a time, spends it for a quarter of a second, and hands
back what is left when it comes again. All shares together are at most a tenth of the quota: by that much two answers
of different processes may disagree, and a burst be too long. Near the bottom of a bucket no shares are taken.

While the store is away each process counts for itself, from what it saw last, and asks again once in a second.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import blake2b
from threading import Lock
from time import monotonic
from typing import Any, Protocol

from flask import has_request_context, request

from api.auth.callers import checked, prefix
from api.observability.request_log import Log
from api.problems.handlers import ProblemError
from api.quotas import costs, headers
from api.quotas.headers import POLICY, WINDOW_S, Quota, quota
from api.settings import Settings
from arbiter.caching import Memory
from arbiter.value import Value

LEASE_S = 0.25
"""Seconds for which a process spends the share that it has taken, and believes that a bucket is empty."""

AGAIN_S = 1.0
"""Seconds between two tries while the store is away."""

Headers = tuple[tuple[str, str], ...]

MOST_CALLERS = 10_000
"""Callers that a process remembers at least; who has not asked for longest is forgotten first."""

NEARLY = 1e-6
"""Part of a unit that may be missing, because binary fractions round."""

SPENDING = "arbiter.spending"
"""Under this name the WSGI environment of a request holds what the request has cost so far."""


class UnitsAway(Exception):
    """The store of quotas cannot be reached."""


class Units(Protocol):
    """What keeps the quotas for all processes; it raises `UnitsAway` when it cannot be reached."""

    def take(
        self, caller: str, capacity: int, per_s: float, need: int, share: int, back: int, *, forced: bool = False
    ) -> tuple[int, float]:
        """Hand units back, then take what is needed and a share where there is plenty: what was granted, what is left.

        Nothing is granted where too little is there, unless it is forced.
        """


class Subject(Protocol):
    """Who asks: the name that its quota is kept under, and how much it may ask where that is not as for all others."""

    @property
    def name(self) -> str:
        """Give the name."""

    @property
    def anonymous(self) -> bool:
        """Say whether nothing but an address is known."""

    @property
    def units_per_minute(self) -> int | None:
        """Give the quota of this caller alone; None for that of all its kind."""


class AnonymousClient(Value, frozen=True):
    """A caller of whom nothing is known but the address."""

    name: str
    anonymous: bool = True
    units_per_minute: int | None = None


def by_address(environ: Mapping[str, Any]) -> AnonymousClient:
    """Say who asks by the address alone: an IPv4 address, or the /64 of an IPv6 one, which is one household's."""
    return _neighbour(environ.get("REMOTE_ADDR", ""))


@lru_cache(MOST_CALLERS)
def _neighbour(said: str) -> AnonymousClient:
    return AnonymousClient(blake2b(prefix(said).encode(), digest_size=8, person=b"arbiter-caller").hexdigest())


class _Account:
    """What a process knows of a caller: what was in the bucket and when, and the share it holds until when."""

    __slots__ = ("at", "believed_until", "given", "level", "name", "quota", "refused", "share", "sharing", "until")

    def __init__(self, name: str, of: Quota, now: float) -> None:
        self.name, self.quota = name, of
        self.level, self.at = float(of.units), now
        self.share, self.until, self.sharing = 0, 0.0, False
        self.given = 0
        self.refused, self.believed_until = 0, 0.0

    def flowed(self, now: float) -> float:
        """Give what was seen in the bucket and has flowed in since."""
        return min(float(self.quota.units), self.level + (now - self.at) * self.quota.per_s)

    def left(self, now: float) -> float:
        """Estimate what is left: what is in the bucket, the share, and what was given back."""
        return min(float(self.quota.units), self.flowed(now) + self.share + self.given)

    def handed_back(self) -> int:
        """Give up the share, and what was given back."""
        back, self.share, self.given = self.share + self.given, 0, 0
        return back

    def wait(self, units: int, now: float) -> float:
        """Give the seconds until so many units are there."""
        return max(0.0, (units - self.left(now)) / self.quota.per_s)


class Charge:
    """What one request has cost so far, and of whom; `wait_s` is there when it was refused."""

    __slots__ = ("_rates", "account", "spent", "wait_s")

    def __init__(self, rates: "Rates", account: _Account) -> None:
        self._rates, self.account = rates, account
        self.spent = 0
        self.wait_s: float | None = None

    def charge(self, units: int) -> int:
        """Take units before the work that they pay for, and say how many; `ProblemError` where too few are left."""
        needed = self._due(units)
        if needed <= 0:
            return 0
        if self._rates.take(self.account, needed) is not None:
            # Who asks again is charged again from the door on.
            whole, now = self.spent + needed, monotonic()
            self.wait_s = self.account.wait(whole, now)
            raise self._refused(whole, self.account.left(now))
        self.spent += needed
        return needed

    def settle(self, units: int) -> None:
        """Take units for work that is done already, even if they are not there."""
        needed = self._due(units)
        if needed > 0:
            self._rates.take(self.account, needed, forced=True)
            self.spent += needed

    def give_back(self, units: int) -> None:
        """Give back what was taken for work that turned out to be done already."""
        back = min(units, self.spent)
        self._rates.give_back(self.account, back)
        self.spent -= back

    def _due(self, units: int) -> int:
        # A single request never costs more than part of the quota; else the dearest could never be asked.
        return min(units, self.account.quota.most - self.spent)

    def _refused(self, needed: int, left: float) -> ProblemError:
        of = self.account.quota
        remains, again = max(0, int(left)), headers.seconds(left, of, self.wait_s)
        return ProblemError(
            "too-many-requests",
            f"This costs {needed:,} {_units(needed)} and {remains:,} {'is' if remains == 1 else 'are'} left of the "
            f"{of.units:,} that the policy {POLICY!r} gives in {WINDOW_S} seconds. Ask again in {again} "
            f"second{'' if again == 1 else 's'}.",
            headers={"Retry-After": str(again)},
            policy=POLICY, quota=of.units, window_s=WINDOW_S, asked=needed, left=remains, wait_s=again,
        )  # fmt: skip


# Bounded, because clients make up methods.
_of_route = lru_cache(maxsize=4_096)(costs.of_route)


def _units(count: int) -> str:
    return "unit" if count == 1 else "units"


class Rates:
    """The rates of one app: takes from each caller's quota what its requests cost."""

    def __init__(
        self,
        settings: Settings,
        log: Log,
        store: Units | None = None,
        who: Callable[[dict[str, Any]], Subject] = by_address,
        nobody: Callable[[Mapping[str, Any]], Subject] = by_address,
    ) -> None:
        """Count in the store, or without one in this process alone; `who` says who asks, or raises `ProblemError`.

        Who is refused pays as `nobody` says.
        """
        self._log, self._store, self._who, self._nobody = log, store, who, nobody
        self._longest, self._processes = settings.max_body_bytes, settings.gateway_workers
        self._anonymous = quota(settings.anonymous_units_per_minute, self._processes)
        self._keyed = quota(settings.key_units_per_minute, self._processes)
        self._own: dict[int, Quota] = {}
        self._accounts: Memory[_Account] = Memory(MOST_CALLERS)
        self._lock = Lock()
        self._away, self._ask_again = False, 0.0

    def at_the_door(self) -> None:
        """Take what the current request costs by its route, before anything of its body is read."""
        environ, rule = request.environ, request.url_rule
        base = self._base(environ, None if rule is None else rule.rule)
        # What could not be answered on the short way has paid there. Where asking is free, trying keys is not.
        if SPENDING in environ or not (base or checked(environ)):
            return
        try:
            who = self._who(environ)
        except ProblemError:
            self.begin(environ, self._nobody(environ)).charge(costs.BAD_KEY)
            raise
        if base:
            self.begin(environ, who).charge(base)

    def admits(self, environ: dict[str, Any], rule: str) -> bool:
        """Take what a request to a route costs that is answered without the app; say whether enough was there."""
        try:
            self.begin(environ, self._who(environ)).charge(self._base(environ, rule))
        except ProblemError:
            environ.pop(SPENDING, None)
            return False
        return True

    def _base(self, environ: Mapping[str, Any], rule: str | None) -> int:
        """Give what a request costs by its route and the length of its body; what is free stays so with any body."""
        base = _of_route(environ["REQUEST_METHOD"], rule)
        if not base:
            return 0
        return base + costs.of_body(environ.get("CONTENT_LENGTH"), environ.get("HTTP_TRANSFER_ENCODING"), self._longest)

    def said(self, environ: Mapping[str, Any]) -> Headers:
        """Give the fields of the answer to a request; none where the rates do not concern it."""
        spending: Charge | None = environ.get(SPENDING)
        if spending is None:
            return ()
        account = spending.account
        return headers.fields(account.left(monotonic()), account.quota, spending.wait_s)

    def take(self, account: _Account, units: int, *, forced: bool = False) -> float | None:
        """Take units of an account: None, or the seconds after which they are there."""
        now = monotonic()
        with self._lock:
            if account.share >= units and now < account.until:
                account.share -= units
                return None
            # Who asks on and on with an empty bucket does not cost a look at the store each time.
            if not forced and now < account.believed_until and units >= account.refused:
                return account.wait(units, now)
            back = account.handed_back()
            here = self._store is None or (self._away and now < self._ask_again)
            if here:
                account.level += back
                return self._taken_here(account, units, now, forced=forced)
            if self._away:
                self._ask_again = now + AGAIN_S
            # One thread at a time takes a share, so that a process never holds two.
            first = not account.sharing
            account.sharing = True
        return self._taken_there(account, units, back, now, first=first, forced=forced)

    def give_back(self, account: _Account, units: int) -> None:
        """Put units back into an account; they are in the bucket for all processes when this one comes there next."""
        with self._lock:
            account.given += units
            account.believed_until = 0.0

    def _taken_there(
        self, account: _Account, units: int, back: int, now: float, *, first: bool, forced: bool
    ) -> float | None:
        of, store = account.quota, self._store
        assert store is not None, "without one everything is taken here"
        share = of.share if first else 0
        try:
            granted, level = store.take(account.name, of.units, of.per_s, units, share, back, forced=forced)
        except UnitsAway as away:
            with self._lock:
                news, self._away, self._ask_again = not self._away, True, monotonic() + AGAIN_S
                account.sharing = account.sharing and not first
                account.level += back
                wait = self._taken_here(account, units, now, forced=forced)
            if news:
                self._log.warning("rates-alone", reason=repr(away.__cause__ or away))
            return wait
        with self._lock:
            self._away = False
            account.sharing = account.sharing and not first
            account.level, account.at = level, now
            if granted:
                account.share += granted - units
                account.until = now + LEASE_S
                account.believed_until = 0.0
                return None
            wait = account.wait(units, now)
            account.refused, account.believed_until = units, now + min(wait, LEASE_S)
            return wait

    def _taken_here(self, account: _Account, units: int, now: float, *, forced: bool) -> float | None:
        level = account.flowed(now)
        if level < units - NEARLY and not forced:
            account.level, account.at = level, now
            return account.wait(units, now)
        account.level, account.at = max(level - units, -float(account.quota.units)), now
        return None

    def begin(self, environ: dict[str, Any], who: Subject) -> Charge:
        """Begin to count what a request of this caller costs."""
        of = self._quota_of(who)
        account = self._accounts[who.name]
        if account is None:
            with self._lock:
                account = self._accounts[who.name]
                if account is None:
                    account = _Account(who.name, of, monotonic())
                    self._accounts.keep(who.name, account)
        if account.quota is not of:
            account.quota = of
        spending = environ[SPENDING] = Charge(self, account)
        return spending

    def _quota_of(self, who: Subject) -> Quota:
        own = who.units_per_minute
        if own is None:
            return self._anonymous if who.anonymous else self._keyed
        if own not in self._own:
            self._own[own] = quota(own, self._processes)
        return self._own[own]


def charge(units: int) -> int:
    """Take units for what the current request is about to do, and say how many; `ProblemError` where too few are left.

    They are fewer than asked for where the request has cost its most. Outside of a request, and where there are no
    rates, nothing is taken.
    """
    spending = _spending()
    return 0 if spending is None else spending.charge(units)


def settle(units: int) -> None:
    """Take units for what the current request has done already, even if they are not there; bounded like any charge."""
    if (spending := _spending()) is not None:
        spending.settle(units)


def give_back(units: int) -> None:
    """Give back what was taken for work of the current request that turned out to be done already."""
    if (spending := _spending()) is not None:
        spending.give_back(units)


def _spending() -> Charge | None:
    return request.environ.get(SPENDING) if has_request_context() else None
