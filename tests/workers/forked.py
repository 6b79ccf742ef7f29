"""Workers that are copied from one process, which has imported what workers need: most of a start are imports.

A copy has the command line, the environment, the log and the process group of a worker that is started as a program,
and runs the same program in it. Workers as a person starts them stand in `tests/house` and in
`tests/api/resources/test_jobs_for_real.py`.
"""

import os
import runpy
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from multiprocessing import forkserver, get_context
from multiprocessing.context import ForkServerContext
from pathlib import Path

IMPORTED = (
    "celery.__main__",
    "celery.apps.worker",
    "celery.bin.celery",
    "celery.concurrency.prefork",
    "celery.fixups.django",
    "celery.worker.components",
    "celery.worker.consumer",
    "kombu.transport.redis",
    "tests.workers.naps",
    "workers.celery_config",
    "workers.jobs.chunk_store",
    "workers.tasks",
)
"""What is imported before copies are made: all but modules that read the environment."""


class Forked:
    """A worker that runs, as `subprocess.Popen` has it."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path) -> None:
        self._process = _context().Process(target=_run, args=(tuple(command), folder, dict(environment), log))
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        if (code := self._process.exitcode) is None:
            raise TimeoutError(f"process {self.pid} still runs after {timeout} s")
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            # It may end in between, and then its parent has already seen it off; `Popen` passes over that, too.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)


@cache
def _context() -> ForkServerContext:
    context = get_context("forkserver")
    context.set_forkserver_preload([*IMPORTED])
    return context


def end() -> None:
    """Let the process end that copies are made from, and wait for it."""
    forkserver._forkserver._stop()  # type: ignore[attr-defined]  # multiprocessing has no public way


def _run(command: Sequence[str], folder: Path, environment: Mapping[str, str], log: Path) -> None:
    """Be `python -m command` in a process group of its own."""
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(output, 1)
    os.dup2(output, 2)
    os.close(output)
    sys.argv = [*command]
    runpy.run_module(command[0], run_name="__main__", alter_sys=True)
