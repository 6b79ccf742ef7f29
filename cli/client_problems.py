"""Errors of a service, separate from the client, so that they can be caught without loading it."""

from collections.abc import Mapping
from typing import Any

import msgspec

from arbiter.fault import Fault


class Away(Exception):
    """The service cannot be reached, or the server is not such a service."""


class Problem(Exception):
    """The service refuses, or a job has no result: the problem as it was sent (RFC 9457)."""

    def __init__(self, problem: Mapping[str, Any]) -> None:
        status = problem.get("status")
        self.status = status if isinstance(status, int) else 500
        self.title, self.detail = str(problem.get("title", "")), str(problem.get("detail", ""))
        try:
            self.faults = msgspec.convert(problem.get("errors", ()), tuple[Fault, ...])
        except msgspec.ValidationError:
            # The problem's other members describe it.
            self.faults = ()
        super().__init__(self.detail or self.title)
