"""Processes of a service: programs that `cli.serve` starts and watches, each with its own log."""

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
"""Bytes after which a log is rotated, and the number of old ones."""


class ServiceFailed(Exception):
    """The service cannot continue; the message is for the person who started it."""


class Part:
    """A running program of the service, with its log. The logs of earlier starts are kept under other names."""

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        folder: Path,
        log: Path,
        environment: Mapping[str, str],
        inherited: Sequence[int],
    ) -> None:
        """Start the program in a folder; `inherited` are the open files that it inherits."""
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
        """Start or restart the program."""
        with self.log.open("ab") as output:
            # A new session keeps the terminal's Ctrl-C from the program: we end the programs ourselves, in order.
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
        """Rotate a long log; on a full disk the old one is dropped."""
        if self.log.stat().st_size < LOG_BYTES:
            return
        with suppress(OSError):
            self._rename_old()
            # The program has the file open, and continues to append to it.
            shutil.copyfile(self.log, _old(self.log, 1))
        os.truncate(self.log, 0)

    def end(self, within_s: float) -> None:
        """Tell the program to end and wait this long; then kill it and its remaining children."""
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
