"""Whole combats: how many battles of the example combat one core plays in a second. Nobody has a figure to beat."""

import json
import time
from pathlib import Path

import msgspec

from arbiter.registry import game
from arbiter.table import Chooser, OneTable
from arbiter.throwing import PlainDice
from benchmarks.measure import Row, table
from services.blackstone_fortress.battle import fight
from services.blackstone_fortress.checks import checked
from services.blackstone_fortress.model import Scene

COMBAT = Path(__file__).parent.parent / "examples" / "blackstone-fortress" / "combat.json"
BATTLES = 30
MOST_TURNS = 20


def rows() -> list[Row]:
    """Play the example combat with both of the explorers' policies, on one core."""
    arbiter = game("blackstone-fortress")
    field = checked(msgspec.json.decode(COMBAT.read_bytes(), type=Scene))
    found = []
    for name in ("bold", "escaping"):
        policies = {"explorers": (name, arbiter.policies[name]), "*": ("first", arbiter.policies["first"])}
        ends: dict[str, int] = {}
        turns = 0
        start = time.process_time()
        for seed in range(BATTLES):
            dice = PlainDice(seed)
            played = OneTable(dice, Chooser({}, policies), arbiter.readings.defaults, keep=False)
            fought = fight(played, field, MOST_TURNS)[1]
            ends[fought.outcome] = ends.get(fought.outcome, 0) + 1
            turns += fought.turns
        took = time.process_time() - start
        story = f"{turns / BATTLES:.1f} turns each; {json.dumps(ends)}"
        found.append(
            Row(f"battles of the example combat, {name} explorers", f"{BATTLES / took:.1f} /core-second", story)
        )
    return found


if __name__ == "__main__":
    print(table(rows()))
