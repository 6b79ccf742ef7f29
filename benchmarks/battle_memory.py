"""The growth of a process that plays battles: `python -m benchmarks.battle_memory GAME [BATTLES]`.

It plays as a worker does, in chunks, on the example table of the game, by each of its policies in turn. Its caches are
bounded and are filled by the first battles. It prints the size after each thousand battles, or each tenth of fewer.
Exit code 1 above `MOST_MIB`, or if the second half is larger than the first by more than `MOST_GROWTH_MIB`.
"""

import json
import os
import sys
from itertools import cycle
from pathlib import Path
from statistics import mean

import msgspec

from arbiter import registry
from arbiter.simulation.memo_table import Experience, collector_at_rest
from arbiter.simulation.simulate import Simulate, game_seed
from benchmarks.battles import ROOT, TABLES
from benchmarks.memory import MOST_GROWTH_MIB

MOST_MIB = 400.0
CHUNK = 50
"""Battles between two runs of the collector."""


def main(name: str, battles: int) -> int:
    """Play, measure, and print; give the exit code."""
    body = json.loads((ROOT / "examples" / name / TABLES.get(name, "table.json")).read_bytes())
    game, experience = registry.game(name), Experience()
    case = msgspec.convert(body if "scene" in body else {"scene": body}, game.question("battle").case)
    plays = [game.player("battle", Simulate(case=case, policies={"*": each}), experience) for each in game.policies]
    print(f"{resident():.1f} MiB before any battle", flush=True)
    step, sizes, play_next = max(1, min(1_000, battles // 10)), [], cycle(plays)
    for done in range(0, battles, step):
        for first in range(done, done + step, CHUNK):
            with collector_at_rest():
                for index in range(first, min(first + CHUNK, done + step)):
                    next(play_next)(game_seed("memory", index))
        sizes.append(resident())
        print(f"{sizes[-1]:.1f} MiB after {done + step:,} battles", flush=True)
    half = len(sizes) // 2
    growth = mean(sizes[half:]) - mean(sizes[:half] or sizes)
    print(f"{growth:+.1f} MiB from the first half to the second, on average")
    return int(max(sizes) > MOST_MIB or growth > MOST_GROWTH_MIB)


def resident() -> float:
    """Give the resident MiB of this process."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 10_000))
