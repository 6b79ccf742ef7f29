"""Simulations without a service: the chunks of the work, run in local processes.

The result is bit for bit that of the service; both compute the same chunks with the same functions.
"""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing.connection import wait as wait_for
from threading import Thread
from typing import Any

from workers.jobs.work import CHUNK_MS, Work, compute, result, split

NO_ODDS = 0
"""Paths that odds may walk: there are none here."""

SMALL_MS = 1_000.0
"""Work below this estimate is done before other processes would have started."""

_TICK_S = 0.1
"""Seconds between two reports of progress."""

OnProgress = Callable[[int, int], None]
"""Called at intervals with the number of finished games, and their total."""


def simulate(work: Work, estimate_ms: float, processes: int, on_progress: OnProgress) -> bytes:
    """Run a simulation; give its result as JSON. An exception from `on_progress` ends the work."""
    if processes == 1 or estimate_ms < SMALL_MS:
        return result(work, _here(work, estimate_ms, on_progress))
    # A few chunks for each process, so that none is left alone with a long last one.
    cut = split(work, max(estimate_ms, 4 * processes * CHUNK_MS))
    return result(work, _in_processes(work, cut, processes, on_progress))


def _here(work: Work, estimate_ms: float, on_progress: OnProgress) -> Iterator[bytes]:
    total, before = work.total, 0

    def tell(over: int) -> None:
        on_progress(before + over, total)

    for games in split(work, estimate_ms):
        tick = _Tick(tell)
        yield compute(work, games, NO_ODDS, tick.at)
        before += tick.over
    on_progress(total, total)


def _in_processes(work: Work, cut: Sequence[range], processes: int, on_progress: OnProgress) -> list[bytes]:
    context = multiprocessing.get_context("spawn")
    over = context.Value("q", 0)
    total, done = work.total, list[bytes]()
    others = set(multiprocessing.active_children())
    with ProcessPoolExecutor(min(processes, len(cut)), context, _begin, (work, over)) as pool:
        try:
            with _interrupts_noted() as interrupts:
                with _interrupts_held():
                    waiting: set[Future[bytes]] = {pool.submit(_piece, games) for games in cut}
                while waiting:
                    ended, waiting = wait(waiting, _TICK_S, FIRST_COMPLETED)
                    done += [piece.result() for piece in ended]
                    on_progress(over.value, total)
                    if interrupts:
                        raise KeyboardInterrupt
        except BaseException:
            for child in set(multiprocessing.active_children()) - others:
                child.terminate()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return done


@contextmanager
def _interrupts_noted() -> Iterator[list[int]]:
    """Record Ctrl-C: raised in the middle of `wait`, it would leave locks held that the command's end waits for."""
    interrupts: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Block Ctrl-C while processes start: they never receive it, and the command ends them."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


class _Tick:
    """Reports the finished games of a chunk, but not after every game."""

    def __init__(self, report: Callable[[int], None]) -> None:
        self.over = 0
        self._report, self._next = report, time.monotonic() + _TICK_S

    def at(self, over: int) -> None:
        self.over = over
        if (now := time.monotonic()) >= self._next:
            self._next = now + _TICK_S
            self._report(over)


class _Mine:
    """The work of a process of the pool."""

    work: Work
    over: Any


def _begin(work: Work, over: Any) -> None:
    _Mine.work, _Mine.over = work, over
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """End the process when its command is killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait_for([parent.sentinel])
    os._exit(1)


def _piece(games: range) -> bytes:
    reported = 0

    def tell(over: int) -> None:
        nonlocal reported
        with _Mine.over.get_lock():
            _Mine.over.value += over - reported
        reported = over

    tick = _Tick(tell)
    made = compute(_Mine.work, games, NO_ODDS, tick.at)
    tell(tick.over)
    return made
