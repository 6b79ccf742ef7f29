"""Why a service that was asked gave no answer; apart from the client, so that it can be caught without loading one."""

from collections.abc import Mapping
from typing import Any

import msgspec

from arbiter.fault import Fault


class Away(Exception):
    """The service cannot be reached, or what answers is no such service."""


class Problem(Exception):
    """The service refuses, or a job came to nothing: the problem as it was told (RFC 9457)."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        status = problem.get("status")
        self.status = status if isinstance(status, int) else 500
        self.title, self.detail = str(problem.get("title", "")), str(problem.get("detail", ""))
        try:
            self.faults = msgspec.convert(problem.get("errors", ()), tuple[Fault, ...])
        except msgspec.ValidationError:
            # The problem is told by whatever else it says.
            self.faults = ()
        super().__init__(self.detail or self.title)
