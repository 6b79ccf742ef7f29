"""Whole battles: the number that one core plays in a second in each game, by each policy, now and before.

The earlier code is taken from the repository's history and plays in turns with ours, each in its own process, on one
example table of each game, with the same seeds and policies. The table also says whether the battles end alike. Both
play as a simulation does: without stories, with the garbage collector off, and after some battles that warm the process
up. `python -m benchmarks.battles stargrave` plays only one game; `... blackstone-fortress@86715a7` compares with that
commit. The ratio to a loop in plain Python, timed in the same minutes, compares machines.
"""

import subprocess
import sys
import tarfile
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from arbiter import registry
from benchmarks.measure import Row, table

ROOT = Path(__file__).parent.parent
BEFORE = "86715a7"
WANTED = {"blackstone-fortress": 60.0}
"""Battles per core-second to reach, if not `USUAL`."""
USUAL = 20.0
TABLES = {"blackstone-fortress": "combat.json"}
SECONDS, ROUNDS, WARM_UP = 4.0, 5, 3
"""The approximate length of a round of a policy, the number of rounds, and the battles that warm a process up."""

PLAYER = """
import hashlib, json, sys, time
import msgspec
from arbiter.registry import game
from arbiter.simulation.memo_table import Experience, collector_at_rest
from arbiter.simulation.simulate import Simulate, game_seed

arbiter = game(sys.argv[1])
body = json.load(open(sys.argv[2]))
case = msgspec.convert(body if "scene" in body else {"scene": body}, arbiter.question("battle").case)
experience = Experience()
for line in sys.stdin:
    policy, first, last = line.split()
    play = arbiter.player("battle", Simulate(case=case, policies={"*": policy}), experience)
    ends, start = hashlib.sha256(), time.process_time()
    with collector_at_rest():
        for seed in range(int(first), int(last)):
            ends.update(msgspec.json.encode(play(game_seed("benchmark", seed))))
    print(time.process_time() - start, ends.hexdigest(), flush=True)
"""


class Player:
    """A process that plays battles on request."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def play(self, policy: str, first: int, last: int) -> tuple[float, str]:
        """Play the battles of these seeds; give the seconds of one core, and a digest of their results."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{policy} {first} {last}\n")
        self._process.stdin.flush()
        took, ends = self._process.stdout.readline().split()
        return float(took), ends


def rows(names: Iterable[str] = (), before: str = BEFORE) -> list[Row]:
    """Play each game by each of its policies, with our code and the earlier code."""
    found = []
    with ExitStack() as stack:
        old = _as_it_was(Path(stack.enter_context(TemporaryDirectory())), before)
        for name in names or registry.games():
            ours = stack.enter_context(_player(ROOT, name))
            theirs = old and stack.enter_context(_player(old, name))
            found += [_compared(name, policy, ours, theirs, before) for policy in registry.game(name).policies]
    return found


def _compared(name: str, policy: str, ours: Player, theirs: Player | None, before: str) -> Row:
    warm, _ = ours.play(policy, 10_000, 10_000 + WARM_UP)
    battles = max(1, round(SECONDS / (warm / WARM_UP) / ROUNDS))
    took, ratios, alike = [], [], True
    for number in range(ROUNDS):
        first = number * battles
        seconds, ends = ours.play(policy, first, first + battles)
        took.append(seconds / battles)
        if theirs is not None:
            was, ended = theirs.play(policy, first, first + battles)
            ratios.append(was / seconds)
            alike = alike and ended == ends
    rate, wanted = len(took) / sum(took), WANTED.get(name, USUAL)
    ends = "all end alike" if alike else "some END DIFFERENTLY"
    peer = f"{before}; {ends}" if ratios else f"{before} is not in this clone's history"
    return Row(
        f"{name}, {policy}, {ROUNDS * battles} battles",
        f"{rate:.3g} /core-second, one in {sum(took) / len(took) / _loop_s():.3g} million loops",
        peer,
        median(ratios) if ratios else None,
        f"at least {wanted:g} /core-second",
        rate >= wanted,
    )


def _loop_s() -> float:
    """Time a million rounds of a loop in plain Python."""
    start, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number & 7
    assert total
    return time.process_time() - start


@contextmanager
def _player(root: Path, name: str) -> Iterator[Player]:
    scene = ROOT / "examples" / name / TABLES.get(name, "table.json")
    process = subprocess.Popen(
        [sys.executable, "-c", PLAYER, name, str(scene)],
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Player(process)
    finally:
        process.kill()
        process.communicate()


def _as_it_was(home: Path, commit: str) -> Path | None:
    """Check out the earlier code from the history; None if the clone does not have it."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        return None
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as tar:
        tar.extractall(home, filter="data")
    return home


if __name__ == "__main__":
    *games, last = [*sys.argv[1:]] or [""]
    last, _, commit = last.partition("@")
    print(table(rows([name for name in (*games, last) if name], commit or BEFORE)))
