"""What battles are estimated to take, against the rules that they ask: counted work, which no busy machine changes."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from arbiter import registry
from arbiter.rule import Rule
from arbiter.simulation.memo_table import Experience
from arbiter.simulation.simulate import Simulate
from arbiter.skirmish.reasons import ViolationsRule

EXAMPLES = Path(__file__).parents[2] / "examples"

US_OF_A_RULE = {"blackstone-fortress": 5.0, "rapture": 5.7, "size-skirmish": 13.0, "stargrave": 50.0, "warleague": 6.5}
"""What a rule takes on one calm core of 2026, with all that is done between two of them; measured apart from this.

In Stargrave most of it is the search for ways.
"""


@pytest.mark.parametrize(
    ("name", "policies"),
    [
        ("blackstone-fortress", ("first", "bold")),
        ("rapture", ("charging",)),
        ("size-skirmish", ("charging", "shooting")),
        ("stargrave", ("first", "charging", "shooting")),
        ("warleague", ("first", "charging")),
    ],
)
def test_a_battle_is_estimated_within_a_factor_of_two_of_its_work(name: str, policies: tuple[str, ...]) -> None:
    game = registry.game(name)
    question = game.question("battle")
    table = "combat.json" if name == "blackstone-fortress" else "table.json"
    case = msgspec.convert({"scene": json.loads((EXAMPLES / name / table).read_bytes())}, question.case)
    assert question.cost is not None
    estimate_ms = question.cost(question.prepare(case))
    asked = 0

    def counting(plain: Callable[..., object]) -> Callable[..., object]:
        def count(rule: Rule[..., object], *args: object, **named: object) -> object:
            nonlocal asked
            asked += 1
            return plain(rule, *args, **named)

        return count

    for policy in policies:
        play = game.player("battle", Simulate(case=case, policies={"*": policy}), Experience())
        asked = 0
        with ExitStack() as patches:
            for kind in (Rule, ViolationsRule):
                patches.enter_context(patch.object(kind, "__call__", counting(kind.__call__)))
            play("estimate/0")
        assert estimate_ms / 2 <= asked * US_OF_A_RULE[name] / 1_000 <= 2 * estimate_ms, (policy, asked)
