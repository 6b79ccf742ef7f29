"""Redis or Valkey (7 or later, no cluster): connections, names of keys, scripts and errors."""

from collections.abc import Callable
from hashlib import blake2b
from importlib.resources import files
from typing import Any, TypeVar

from redis import Redis
from redis._parsers.base import BaseParser
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as NotConnected
from redis.exceptions import OutOfMemoryError, ReadOnlyError
from redis.exceptions import TimeoutError as TooSlow
from redis.retry import Retry

from infra.errors import StoreUnavailable

T = TypeVar("T")

ANSWER_S = 5.0
"""Seconds after which a store that does not answer counts as unavailable, because a caller is waiting."""

AWAY = (NotConnected, TooSlow, OutOfMemoryError, ReadOnlyError)
"""Errors of a server that cannot be reached, or cannot serve a request now, including `LOADING`."""

# redis-py has no class for a server that cannot write because its disk is full, it has too few replicas, or a script
# blocks it. It changes nothing until it can, like a read-only server.
BaseParser.EXCEPTION_CLASSES |= dict.fromkeys(("MISCONF", "NOREPLICAS", "MASTERDOWN", "BUSY"), ReadOnlyError)

ONCE_MORE = Retry(NoBackoff(), 1, supported_errors=(NotConnected,))
"""A connection that a restart of the server has closed is retried once; every script may run twice. By default
redis-py retries for minutes with a server that hangs."""

PREFIX = "arbiter:"

_PRELUDE = f"""
local P, call = '{PREFIX}', redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""
"""The prelude of every script: the prefix of keys, and the server's own time in milliseconds since 1970."""


def connect(url: str, answer_s: float = ANSWER_S) -> Redis:
    """Give a client with timeouts; nothing is connected before the first use."""
    client: Redis = Redis.from_url(
        url, socket_timeout=answer_s, socket_connect_timeout=answer_s, socket_keepalive=True, retry=ONCE_MORE
    )
    return client


class RedisStore:
    """A store in Redis, used directly or by scripts. Thread-safe."""

    def __init__(self, url: str, answer_s: float = ANSWER_S) -> None:
        """Remember the address of the store and its time limit; nothing is connected before the first use."""
        self._redis = connect(url, answer_s)
        self._scripts: dict[str, Callable[..., Any]] = {}

    def run(self, script: str, *arguments: str | bytes | float) -> Any:
        """Run a script as one step; raises `StoreUnavailable`. Scripts name their keys themselves."""
        if script not in self._scripts:
            self._scripts[script] = self._redis.register_script(_PRELUDE + script)
        return self.ask(lambda _: self._scripts[script](args=arguments))

    def ask(self, question: Callable[[Redis], T]) -> T:
        """Use the client of the store directly; raises `StoreUnavailable`."""
        try:
            return question(self._redis)
        except AWAY as away:
            raise StoreUnavailable(str(away)) from away


def lua(package: str | None, name: str) -> str:
    """Give a script from the folder `lua` of a package."""
    assert package is not None, "scripts belong to packages"
    return (files(package) / "lua" / f"{name}.lua").read_text(encoding="utf-8")


def key(*parts: str) -> str:
    """Give the name of a key."""
    return PREFIX + ":".join(parts)


def digest(*parts: str) -> str:
    """Give a short name for texts that may be long, or that names of keys should not reveal."""
    return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()
