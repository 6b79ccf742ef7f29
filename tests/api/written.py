"""The contract of all games, written once for all tests of a run, in whichever process: it takes seconds of a core."""

import fcntl
import json
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from api.openapi.build import Contract
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.posting import GAMES


class SharedContract(Contract):
    """A contract that is written when somebody first asks for it; with a folder, for all processes that share that."""

    folder: Path | None = None

    @cached_property
    def document(self) -> dict[str, Any]:
        read: dict[str, Any] = json.loads(self.as_json)
        return read

    @cached_property
    def as_json(self) -> bytes:
        return self._once("openapi.json", lambda: Contract(self.games, self.settings).as_json)

    @cached_property
    def as_yaml(self) -> str:
        return self._once("openapi.yaml", lambda: super(SharedContract, self).as_yaml.encode()).decode()

    def _once(self, name: str, write: Callable[[], bytes]) -> bytes:
        """Write it, or read what another process has written; whoever comes meanwhile waits, and sees no half of it."""
        if self.folder is None:
            return write()
        path = self.folder / name
        with path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not path.exists():
                path.write_bytes(write())
        return path.read_bytes()


CONTRACT = SharedContract(GAMES, Settings())
"""Settings of a test could change its words alone."""


def contract_of(games: Mapping[str, Arbiter], settings: Settings) -> Contract:
    """Give the contract of a gateway: the one of all games where it has these."""
    return CONTRACT if games == GAMES else Contract(games, settings)
