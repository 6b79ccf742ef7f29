"""The atomic steps of jobs: the scripts of `workers/jobs/lua`, each with the shared code before it."""

from functools import cache
from typing import Any

from infra.redis import RedisStore, lua
from infra.settings import WorkerSettings
from workers.jobs.models import Job

FIELDS = (*(name for name in Job.__struct_fields__ if name not in {"id", "seconds_left"}), "at")
"""The fields that are read from the record of a job, in this order; `at` is when `done` was counted."""


class JobScripts(RedisStore):
    """The atomic steps of jobs. Everything raises `StoreUnavailable`."""

    def __init__(self, settings: WorkerSettings) -> None:
        """Remember where the store is; nothing is connected before the first use."""
        super().__init__(settings.redis_url)
        ended_ms = settings.result_expiry_s * 1_000
        self._expiry_ms = (ended_ms, ended_ms + settings.visibility_timeout_s * 1_000)

    def run(self, script: str, *arguments: str | bytes | float) -> Any:
        """Run a script by its name, as one step."""
        return super().run(_whole(script), *self._expiry_ms, *arguments)


@cache
def _whole(script: str) -> str:
    fields = ", ".join(f"'{name}'" for name in FIELDS)
    return f"local FIELDS = {{{fields}}}\n" + lua(__package__, "common") + lua(__package__, script)
