"""Parts of a service: programs that `cli.serve` starts and watches, each with a log of its own."""

import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from infra.processes import end_with_parent

LAST_LINES = 20
"""Lines of a log that are shown when its program has ended."""

LOG_BYTES, OLD_LOGS = 10 * 1_048_576, 3
"""Bytes after which a log begins anew, and how many old ones there are."""


class ServiceFailed(Exception):
    """The service cannot go on; the message is for the person who started it."""


class Part:
    """A running program of the service, with its log. The logs of earlier starts are there under other names."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        folder: Path,
        log: Path,
        environment: Mapping[str, str],
        inherited: Sequence[int],
    ) -> None:
        """Start the program in a folder; `inherited` are the open files it takes over."""
        self.name, self.log = name, log
        self._command, self._folder, self._environment, self._inherited = command, folder, environment, inherited
        if log.exists():
            self._rename_old()
            log.replace(_old(log, 1))
        self.start()

    @property
    def ended(self) -> bool:
        """Whether the program has ended."""
        return self.process.poll() is not None

    def start(self) -> None:
        """Start the program, at first or once more."""
        with self.log.open("ab") as output:
            # A session of its own keeps the terminal's Ctrl-C from the part: we end the parts ourselves, in order.
            self.process = subprocess.Popen(
                self._command,
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=self._inherited,
                preexec_fn=end_with_parent,
            )

    def check(self) -> None:
        """Raise `ServiceFailed` with the end of its log if the program has ended."""
        code = self.process.poll()
        if code is not None:
            how = f"was killed by signal {-code}" if code < 0 else f"ended with exit code {code}"
            with self.log.open(errors="replace") as lines:
                last = "".join(f"  | {text}" for text in deque(lines, LAST_LINES))
            raise ServiceFailed(f"the {self.name} {how}. The end of {self.log}:\n{last}")

    def rotate_log(self) -> None:
        """Let the log begin anew where it is long; where the disk has no room for the old one, without it."""
        if self.log.stat().st_size < LOG_BYTES:
            return
        with suppress(OSError):
            self._rename_old()
            # The program has the file open, and writes on at its end.
            shutil.copyfile(self.log, _old(self.log, 1))
        os.truncate(self.log, 0)

    def end(self, within_s: float) -> None:
        """Ask the program to end and wait for it so long; kill whatever is left of it and its children."""
        self.process.terminate()
        try:
            self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            print(f"The {self.name} did not end in {within_s:.0f} s and is killed.", file=sys.stderr)
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _rename_old(self) -> None:
        for number in range(OLD_LOGS - 1, 0, -1):
            if _old(self.log, number).exists():
                _old(self.log, number).replace(_old(self.log, number + 1))


def _old(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
