"""The steps by which jobs change: the scripts of `workers/jobs/lua`, each after what all of them share."""

from collections.abc import Callable
from importlib.resources import files
from typing import Any

from redis import Redis

from infra.redis import RedisStore, T
from infra.settings import WorkerSettings

FIELDS = (
    "kind",
    "game",
    "question",
    "owner",
    "state",
    "done",
    "total",
    "estimate_ms",
    "created",
    "started",
    "finished",
    "expires",
    "attempts",
    "cause",
    "at",
)
"""What is read of the record of a job, in this order."""


class JobScripts:
    """The steps by which jobs change. Everything raises `StoreUnavailable`."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        self._redis = RedisStore(settings.redis_url)
        kept_ms = settings.result_expiry_s * 1_000
        self._kept_ms = (kept_ms, kept_ms + settings.visibility_timeout_s * 1_000)
        folder = files(__package__) / "lua"
        fields = ", ".join(f"'{name}'" for name in FIELDS)
        self._common = f"local FIELDS = {{{fields}}}\n" + (folder / "common.lua").read_text()
        self._folder, self._scripts = folder, dict[str, str]()

    def run(self, step: str, *arguments: str | bytes | float) -> Any:
        """Take a step by its name, as one."""
        if step not in self._scripts:
            self._scripts[step] = self._common + (self._folder / f"{step}.lua").read_text()
        return self._redis.run(self._scripts[step], *self._kept_ms, *arguments)

    def ask(self, question: Callable[[Redis], T]) -> T:
        """Ask the store something directly."""
        return self._redis.ask(question)
