"""Callers: authentication by API key or, without one, by address, and the scopes of each caller.

A key is sent as `Authorization: Bearer arb_…` and nowhere else. A request with a key is never treated as anonymous:
a bad key is refused with the reason, and a key that cannot be checked now is answered with 503.
"""

import time
from collections.abc import Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from ipaddress import IPv6Address, ip_address
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from flask import current_app, request

from api.auth import keys
from api.auth.keys import SCOPES, KeyFacts, Malformed, Scope
from api.problems.handlers import ProblemError
from api.schemas.canonical_json import digest
from api.settings import Settings
from arbiter.value import Value
from infra.errors import StoreUnavailable

if TYPE_CHECKING:
    from api.auth.key_store import Keystore

V = TypeVar("V", bound=Callable[..., Any])

CALLER = "arbiter.caller"
"""The name under which the WSGI environment of a request holds its caller."""

FRESH_S = 0.25
"""Seconds for which a valid key is cached, and so the delay of a revocation."""

TRUSTED_S = 60.0
"""Seconds for which a cached key stays valid while the store of keys is away."""

AWAY_S = 1.0
"""Seconds without a new attempt after the store was away, so that not all requests wait for it."""

RETRY_S = 2
"""Seconds after which to repeat a request whose key could not be checked."""

MOST_REMEMBERED = 10_000
"""Keys that one process caches; beyond this the cache is cleared."""

_SCOPE, _PUBLIC = "scope", "is_public"
_LONGEST_ADDRESS = 60
_NOBODY = "0" * 64

# The same words for an unknown id and for a wrong secret.
_UNKNOWN = "The key is unknown. Check that it was copied completely, and that it belongs to this service."


class Caller(Value, frozen=True):
    """A caller: a stable name, the scopes, and the API key, if any.

    The `name` owns jobs: it is derived from the key's holder or, without a key, from the address.
    """

    name: str
    scopes: tuple[Scope, ...]
    key: str | None = None
    holder: str | None = None
    units_per_minute: int | None = None
    anonymous: bool = True


class _CachedKey(NamedTuple):
    facts: KeyFacts
    caller: Caller
    at: float


class Callers:
    """Identifies callers. Without a store of keys, or without peppers, all callers are anonymous."""

    def __init__(
        self,
        settings: Settings,
        source: "Keystore | None" = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._settings, self._clock, self._now = settings, clock, now
        self._source = source if settings.key_peppers else None
        self._pepper = settings.key_peppers[0] if settings.key_peppers else ""
        self._cache: dict[bytes, _CachedKey] = {}
        self._away_until = float("-inf")

    def guard(self) -> None:
        """Identify the caller before the view runs; refuse invalid keys, and callers out of scope."""
        environ = request.environ
        view = current_app.view_functions.get(request.endpoint or "")
        if is_public(view):
            return
        if request.method == "OPTIONS":
            # A browser sends its preflight without a key.
            environ[CALLER] = self.by_address(environ)
            return
        client = self.identify(environ)
        scope = scope_of(view)
        if scope is None:
            return
        if client.anonymous and not self._settings.anonymous:
            raise ProblemError(
                "key-needed",
                "This service answers no caller without a key. Send one as `Authorization: Bearer arb_…`.",
                headers={"WWW-Authenticate": 'Bearer realm="arbiter"'},
            )
        require(client, scope)

    def identify(self, environ: dict[str, Any]) -> Caller:
        """Give the caller, and note it in the WSGI environment; refuses an invalid key, or one of another origin."""
        cached: Caller | None = environ.get(CALLER)
        if cached is not None:
            return cached
        header = environ.get("HTTP_AUTHORIZATION")
        if header is not None:
            client = self._by_key(header, environ.get("HTTP_ORIGIN"))
        elif "arb_" in environ.get("HTTP_X_API_KEY", ""):
            raise _bad("A key is sent as `Authorization: Bearer arb_…`, and in no other header.")
        else:
            client = self.by_address(environ)
        environ[CALLER] = client
        return client

    def counts(self, asking: Caller) -> bool:
        """Decide whether a caller that was admitted would be admitted again; raises `StoreUnavailable`."""
        if asking.key is None or self._source is None:
            return asking.anonymous
        record = self._source.find(asking.key)
        return record is not None and record.facts.state(self._now()) == "live"

    def by_address(self, environ: Mapping[str, Any]) -> Caller:
        """Give the caller of a request without a key."""
        return _anonymous(prefix(address(environ, self._settings.trusted_proxies)), self._pepper)

    def _by_key(self, header: str, origin: str | None) -> Caller:
        scheme, _, credentials = header.partition(" ")
        if scheme.lower() != "bearer":
            raise _bad(
                "A key is sent in `Authorization` with one scheme: write `Bearer` and one space before it, and nothing "
                "else, as in `Authorization: Bearer arb_…`."
            )
        facts, client, _ = self._look_up(credentials.strip(" "))
        state = facts.state(self._now())
        if state != "live":
            raise _bad(f"This key is {state} and no longer valid. Ask the operator who gave it to you for a new one.")
        if facts.kind == "secret" and origin is not None:
            raise ProblemError(
                "secret-key-in-browser",
                "This is a secret key, and it came from a page in a browser, where anyone can read it. Have it "
                "revoked, and let the page send a publishable key.",
            )
        if facts.kind == "publishable" and origin not in facts.origins:
            raise ProblemError(
                "wrong-origin",
                "This key may only be sent by pages of the origins that it was made for, and this request "
                + ("names another." if origin else "names none."),
            )
        return client

    def _look_up(self, text: str) -> _CachedKey:
        """Give the cached entry of a key, and check its secret; looks it up if it is not fresh."""
        if self._source is None:
            raise _bad("This service takes no keys: none are configured. Send the request without one.")
        # Cached by its digest, so that this process does not hold a list of keys.
        mark, now = sha256(text.encode(errors="replace")).digest(), self._clock()
        cached = self._cache.get(mark)
        if cached is not None and now < cached.at + FRESH_S:
            return cached
        try:
            parts = keys.parse(text)
        except Malformed as wrong:
            raise _bad(f"This cannot be a key: {wrong}.") from None
        try:
            if now < self._away_until:
                raise StoreUnavailable("the store of keys was away a moment ago")
            record = self._source.find(parts.id)
        except StoreUnavailable as away:
            if now >= self._away_until:
                self._away_until = now + AWAY_S
            if cached is not None and now < cached.at + TRUSTED_S:
                return cached
            raise ProblemError(
                "store-away",
                "The store of keys cannot be reached, so this key cannot be checked. Send the request again.",
                headers={"Retry-After": str(RETRY_S)},
            ) from away
        # An unknown id takes as long as a wrong secret.
        fits = keys.fits(parts, _NOBODY if record is None else record.seal, self._settings.key_peppers)
        if record is None or not fits:
            self._cache.pop(mark, None)
            raise _bad(_UNKNOWN)
        if len(self._cache) >= MOST_REMEMBERED:
            self._cache = {}
        self._cache[mark] = entry = _CachedKey(record.facts, _holder(record.facts), now)
        return entry


def refuse_in_url() -> None:
    """Refuse a request that has a key in its URL, before the key is checked."""
    path, query = request.environ.get("PATH_INFO", ""), request.environ.get("QUERY_STRING", "")
    # Few URLs have these letters, or escaped ones.
    if any(("arb" in text.lower() or "%" in text) and keys.holds_key(text) for text in (path, query)):
        raise ProblemError(
            "key-in-url",
            "There is a key in the URL of this request, and URLs are kept in logs and histories. Have it "
            "revoked, and send the next one as `Authorization: Bearer arb_…`.",
        )


def has_key_to_check(environ: Mapping[str, Any]) -> bool:
    """Decide whether a request has a key to check."""
    return (
        ("HTTP_AUTHORIZATION" in environ or "HTTP_X_API_KEY" in environ)
        and environ["REQUEST_METHOD"] != "OPTIONS"
        and not is_public(current_app.view_functions.get(request.endpoint or ""))
    )


def caller() -> Caller:
    """Give the caller of the current request."""
    current: Caller = request.environ[CALLER]
    return current


def needs(scope: Scope) -> Callable[[V], V]:
    """Let only callers of this scope reach a view."""

    def declare(view: V) -> V:
        setattr(view, _SCOPE, scope)
        return view

    return declare


def public(view: V) -> V:
    """Let a view answer without authentication, whatever key the request has."""
    setattr(view, _PUBLIC, True)
    return view


def scope_of(view: Callable[..., Any] | None) -> Scope | None:
    """Give the scope that a view needs; None if it needs none."""
    return getattr(view, _SCOPE, None)


def is_public(view: Callable[..., Any] | None) -> bool:
    """Decide whether a view answers without authentication."""
    return getattr(view, _PUBLIC, False)


def address(environ: Mapping[str, Any], hops: int) -> str:
    """Give the address of the client, trusting exactly as many proxies in front of us as there are.

    Each proxy appends the address of its peer to `X-Forwarded-For`; the client may have made up all earlier entries. If
    there is no such address, the address of the connection counts. (werkzeug's `ProxyFix` reads quotation marks, with
    which a client can forge the entry of the last proxy.)
    """
    peer: str = environ.get("REMOTE_ADDR") or ""
    if not hops:
        return peer
    forwarded = environ.get("HTTP_X_FORWARDED_FOR", "").split(",")
    return (_ip(forwarded[-hops].strip()) if len(forwarded) >= hops else None) or peer


@lru_cache(maxsize=4_096)
def prefix(host: str) -> str:
    """Give the network of a client: all of an IPv4 address, the /64 of an IPv6 one."""
    try:
        ip = ip_address(host)
    except ValueError:
        # A server on a Unix socket sees no addresses.
        return host
    if not isinstance(ip, IPv6Address):
        return str(ip)
    if ip.ipv4_mapped is not None:
        return str(ip.ipv4_mapped)
    return f"{IPv6Address(ip.packed[:8] + bytes(8))}/64"


def _ip(entry: str) -> str | None:
    """Give the address in an entry of `X-Forwarded-For`, which may have a port; None if it has none."""
    if len(entry) > _LONGEST_ADDRESS:
        return None
    if entry.startswith("["):
        entry = entry[1:].partition("]")[0]
    elif entry.count(":") == 1:
        entry = entry.partition(":")[0]
    try:
        ip_address(entry)
    except ValueError:
        return None
    return entry


@lru_cache(maxsize=4_096)
def _anonymous(place: str, pepper: str) -> Caller:
    # Addresses are few: without the pepper, anyone who reads the store could try them all and identify callers.
    return Caller(digest(b"address", pepper.encode(), place.encode())[:32], SCOPES)


def _holder(facts: KeyFacts) -> Caller:
    return Caller(
        name=digest(b"holder", facts.holder.encode())[:32],
        scopes=facts.scopes,
        key=facts.id,
        holder=facts.holder,
        units_per_minute=facts.units_per_minute,
        anonymous=False,
    )


def require(asking: Caller, scope: Scope) -> None:
    """Refuse a caller whose key lacks the scope."""
    if scope not in asking.scopes:
        raise ProblemError(
            "out-of-scope",
            f"This key is not for {scope!r}, only for {', '.join(asking.scopes)}.",
            headers={"WWW-Authenticate": f'Bearer realm="arbiter", error="insufficient_scope", scope="{scope}"'},
        )


def _bad(detail: str) -> ProblemError:
    return ProblemError(
        "bad-key", detail, headers={"WWW-Authenticate": 'Bearer realm="arbiter", error="invalid_token"'}
    )
