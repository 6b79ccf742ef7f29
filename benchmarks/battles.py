"""Whole combats: how many battles of the example combat one core plays in a second, and how many it played before.

The battle as it was is taken from the repository's history and played in turns with ours, each in a process of its own:
the same combats, policies and dice, which have to come to the same ends. Ours plays as a simulation does: no story is
told, and Python's search for cycles rests; it has played some hundred battles before, as a worker has that plays
thousands. `python -m benchmarks.battles 10000` plays so many combats of all kinds at the swift table and at the plain
one, and compares them die by die.
"""

import subprocess
import sys
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from arbiter.simulation.memo_table import Experience
from benchmarks.measure import Row, table
from tests.services.blackstone_fortress.combats import combat, played_plainly, played_swiftly

ROOT = Path(__file__).parent.parent
AS_FOUND = "4444d47"
POLICIES = ("bold", "escaping")
MOST_TURNS = 20
WARM_UP, ROUNDS, BATTLES = 300, 12, 10
SWIFT, PLAIN = "swift", "plain"

# What each process does, in any state of the repository: told a policy and two numbers, it plays the combats of these
# seeds, and says how long that took on the core, how many turns there were, and how they ended.
PLAYER = f"""
import sys, time
from collections import Counter
from contextlib import nullcontext
import msgspec
from arbiter.registry import game
from arbiter.table import Chooser, OneTable
from arbiter.dice_sources import SeededDice
from services.blackstone_fortress.battle import fight
from services.blackstone_fortress.checks import checked
from services.blackstone_fortress.scene import Scene

arbiter = game("blackstone-fortress")
field = checked(msgspec.json.decode(open(sys.argv[2], "rb").read(), type=Scene))
readings = arbiter.readings.defaults
at_rest = nullcontext
if sys.argv[1] == "swift":
    from arbiter.simulation.memo_table import Experience, SwiftTable, collector_at_rest as at_rest
    experience = Experience()

def played(seed, policies):
    dice, chooser = SeededDice(f"benchmark/{{seed}}"), Chooser({{}}, policies)
    if sys.argv[1] == "swift":
        at = SwiftTable(dice, chooser, readings, experience, stories=False)
    else:
        at = OneTable(dice, chooser, readings, keep=False)
    return fight(at, field, {MOST_TURNS})[1]

for line in sys.stdin:
    name, first, last = line.split()
    policies = {{"explorers": (name, arbiter.policies[name]), "*": ("first", arbiter.policies["first"])}}
    ends, turns, start = Counter(), 0, time.process_time()
    with at_rest():
        for seed in range(int(first), int(last)):
            fought = played(seed, policies)
            ends[fought.outcome] += 1
            turns += fought.turns
    took = time.process_time() - start
    print(took, turns, *sorted(f"{{end}}:{{count}}" for end, count in ends.items()), flush=True)
"""


class Player:
    """A process that plays battles when it is told to."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def play(self, policy: str, first: int, last: int) -> tuple[float, str]:
        """Play the battles of these seeds; give the seconds of one core, and how they ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{policy} {first} {last}\n")
        self._process.stdin.flush()
        took, ends = self._process.stdout.readline().split(maxsplit=1)
        return float(took), ends.strip()


def rows() -> list[Row]:
    """Play the example combat by both of the explorers' policies: ours, the plain table, and the battle as found."""
    found = []
    with ExitStack() as stack:
        players = {kind: stack.enter_context(_player(ROOT, kind)) for kind in (SWIFT, PLAIN)}
        before = _as_found(Path(stack.enter_context(TemporaryDirectory())))
        if before is not None:
            players[AS_FOUND] = stack.enter_context(_player(before, PLAIN))
        for policy in POLICIES:
            found += _compared(policy, players)
    return found


def _compared(policy: str, players: dict[str, Player]) -> list[Row]:
    took: dict[str, list[float]] = {kind: [] for kind in players}
    players[SWIFT].play(policy, 10_000, 10_000 + WARM_UP)
    turns = 0
    for number in range(ROUNDS):
        first = number * BATTLES
        told = {}
        for kind, player in players.items():
            seconds, told[kind] = player.play(policy, first, first + BATTLES)
            took[kind].append(seconds / BATTLES)
        if len(set(told.values())) > 1:
            raise AssertionError(f"the battles of seeds {first} to {first + BATTLES - 1} end differently: {told}")
        turns += int(told[SWIFT].split()[0])
    # Every round has its own battles, longer and shorter ones, so that rounds are compared and not their medians.
    ratios = {kind: median(a / b for a, b in zip(took[kind], took[SWIFT], strict=True)) for kind in players}
    a_battle = {kind: sum(rounds) / ROUNDS for kind, rounds in took.items()}
    what = f"battles of the example combat, {policy} explorers"
    ours = f"{1 / a_battle[SWIFT]:.1f} /core-second, {turns / ROUNDS / BATTLES:.1f} turns each"
    if AS_FOUND in players:
        target, ratio = "at least 5 times as fast", ratios[AS_FOUND]
        row = Row(what, ours, f"{1 / a_battle[AS_FOUND]:.1f} at {AS_FOUND}", ratio, target, ratio >= 5)
    else:
        row = Row(what, ours, f"{AS_FOUND} is not in this clone's history")
    return [row, Row(what, ours, f"{1 / a_battle[PLAIN]:.1f} at the plain table", ratios[PLAIN])]


@contextmanager
def _player(root: Path, kind: str) -> Iterator[Player]:
    scene = ROOT / "examples" / "blackstone-fortress" / "combat.json"
    process = subprocess.Popen(
        [sys.executable, "-c", PLAYER, kind, str(scene)],
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


def _as_found(home: Path) -> Path | None:
    """Take the battle as found out of the history; None where the clone does not reach so far back."""
    archive = subprocess.run(["git", "archive", AS_FOUND], cwd=ROOT, capture_output=True, check=False)
    if archive.returncode:
        return None
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as tar:
        tar.extractall(home, filter="data")
    return home


def prove(combats: int) -> int:
    """Play so many combats of all kinds at both tables; give how many of them differ, and name those."""
    experience = Experience()
    differing = 0
    for number in range(combats):
        drawn = combat(number)
        if played_swiftly(drawn, experience) != played_plainly(drawn):
            differing += 1
            print(f"combat {number} ({drawn.name}) is played differently")
        if number % 500 == 499:
            print(f"{number + 1} combats played at both tables, {differing} differ", flush=True)
    return differing


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(1 if prove(int(sys.argv[1])) else 0)
    print(table(rows()))
