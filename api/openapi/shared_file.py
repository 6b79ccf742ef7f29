"""The contract as files that all processes of a gateway share, written by a program of its own when first asked for.

Writing it takes seconds of a core and some sixty MiB: in a process that serves it would hold all other requests up,
and each process would do it again. `python -m api.openapi.shared_file FOLDER` writes both forms into a folder.
"""

import fcntl
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from api.openapi.build import Contract
from api.problems.handlers import ProblemError
from api.settings import Settings
from arbiter import registry

AS_JSON, AS_YAML = "openapi.json", "openapi.yaml"

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The variable that names the folder which the processes of a gateway share for their counts, and for this."""

WRITTEN_WITHIN_S = 120
AGAIN_S = 10
"""Seconds after which to ask again while it is being written."""


class KeptContract:
    """The contract of every game, as the settings of the environment make it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def as_json(self) -> bytes:
        """The document as JSON."""
        return self._kept(AS_JSON)

    @cached_property
    def as_yaml(self) -> str:
        """The document as YAML."""
        return self._kept(AS_YAML).decode()

    def _kept(self, name: str) -> bytes:
        path = self.folder / name
        if not path.exists():
            self._have_written(path)
        return path.read_bytes()

    def _have_written(self, path: Path) -> None:
        """Have both forms written, by one process at a time; whoever comes meanwhile is asked to come again."""
        with (self.folder / "contract.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                said = "The contract is being written, which happens once after each start; ask again in a moment."
                raise ProblemError("busy", said, headers={"Retry-After": str(AGAIN_S)}) from None
            if path.exists():
                return
            command = (sys.executable, "-m", "api.openapi.shared_file", str(self.folder))
            root = Path(__file__).resolve().parents[2]
            subprocess.run(command, cwd=root, stdin=subprocess.DEVNULL, timeout=WRITTEN_WITHIN_S, check=True)


def main(arguments: Sequence[str]) -> int:
    """Write both forms into the folder; give the exit code."""
    os.nice(10)
    folder = Path(arguments[0])
    contract = Contract(registry.games(), Settings.from_environment(os.environ))
    for name, written in ((AS_YAML, contract.as_yaml.encode()), (AS_JSON, contract.as_json)):
        # Nobody may see half of it.
        begun = folder / f"{name}.begun"
        begun.write_bytes(written)
        begun.rename(folder / name)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
