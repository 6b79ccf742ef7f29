"""Timing of alternatives side by side: interleaved rounds, the median of each, and their ratios.

On a shared machine absolute times drift; alternatives that take turns drift together, so that their ratio is reliable.
"""

import gc
import time
from collections.abc import Callable, Iterable, Mapping
from statistics import median
from typing import NamedTuple

# One sample calls a fast function often enough to last this long, in seconds.
SHORTEST_SAMPLE = 0.02


class Row(NamedTuple):
    """One line of a table of results: the task, our figure and the peer's, their ratio, and the target.

    `met` is None if there is no target.
    """

    what: str
    ours: str
    peer: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None


def side_by_side(ways: Mapping[str, Callable[[], object]], *, rounds: int = 9) -> dict[str, float]:
    """Call each alternative in turn, round by round, and give the median seconds of one call of each."""
    calls = {name: _calls(way) for name, way in ways.items()}
    samples: dict[str, list[float]] = {name: [] for name in ways}
    collecting = gc.isenabled()
    gc.disable()
    try:
        for _ in range(rounds):
            for name, way in ways.items():
                samples[name].append(_seconds(way, calls[name]))
    finally:
        if collecting:
            gc.enable()
    return {name: median(found) for name, found in samples.items()}


def timed(
    what: str,
    ours_s: float,
    peer: str = "",
    peer_s: float | None = None,
    *,
    at_least: float | None = None,
    at_most_s: float | None = None,
) -> Row:
    """Make a row of times: `at_least` is the ratio to reach, `at_most_s` the most seconds that ours may take."""
    ratio = None if peer_s is None else peer_s / ours_s
    targets = []
    met = []
    if at_least is not None:
        targets.append(f"at least {at_least:g} times as fast")
        met.append(ratio is not None and ratio >= at_least)
    if at_most_s is not None:
        targets.append(f"at most {spelled(at_most_s)}")
        met.append(ours_s <= at_most_s)
    theirs = "" if peer_s is None else f"{spelled(peer_s)} {peer}"
    return Row(what, spelled(ours_s), theirs, ratio, ", ".join(targets), all(met) if met else None)


def spelled(seconds: float) -> str:
    """Write a time in a suitable unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def table(rows: Iterable[Row]) -> str:
    """Lay rows out as a table in Markdown."""
    lines = ["| what | ours | peer | ratio | target | met |", "|---|---|---|---|---|---|"]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
        met = {True: "yes", False: "NO", None: ""}[row.met]
        lines.append(f"| {row.what} | {row.ours} | {row.peer} | {ratio} | {row.target} | {met} |")
    return "\n".join(lines)


def _calls(way: Callable[[], object]) -> int:
    took = _seconds(way, 1)
    return max(1, round(SHORTEST_SAMPLE / max(min(took, _seconds(way, 1)), 1e-9)))


def _seconds(way: Callable[[], object], calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        way()
    return (time.perf_counter() - start) / calls
