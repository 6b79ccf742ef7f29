"""What a job computes: the law beside a simulation."""

import json

import pytest

from services._template.arbiter import ARBITER
from services._template.rules.turn import initiative
from tests.gateway_fixtures import workers_know_the_template as workers_know_the_template
from tests.reading import load_examples
from workers.jobs.work import LAW_STEPS, Work, compute, result

FIGHT = next(each for each in load_examples(ARBITER.folder / "examples") if each.question == "battle")


def test_a_whole_battle_without_an_estimate_gives_its_law_up_after_a_few_paths(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many paths take seconds of one core and lead to no law. How many are tried is no matter of time."""
    rounds = 0
    plain = initiative.function

    def counted(table):
        nonlocal rounds
        rounds += 1
        return plain(table)

    work = Work("simulation", ARBITER.name, "battle", json.dumps({**FIGHT.odds_body(), "count": 2, "seed": 1}))
    played = compute(work, range(2), 0, lambda over: None)
    monkeypatch.setattr(initiative, "function", counted)
    simulated = json.loads(result(work, [played]))
    assert simulated["law"] == "too-many-paths"
    # A round rolls two dice at least. All `LAW_PATHS` paths have some 16,000 rounds together.
    assert 0 < rounds < LAW_STEPS / 2
