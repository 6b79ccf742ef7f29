"""What a job computes: the law beside a simulation."""

import json
from fractions import Fraction
from itertools import pairwise

import pytest

from services._template.arbiter import ARBITER
from services._template.rules.turn import initiative
from tests.gateway_fixtures import workers_know_the_template as workers_know_the_template
from tests.reading import load_examples
from workers.jobs.work import LAW_STEPS, Work, _samples, compute, result, split

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


@pytest.mark.parametrize(
    ("estimate_s", "chunks"), [(0.1, 1), (25, 100), (256, 1_024), (4_096, 1_024), (32_000, 8_000), (1_000_000, 16_130)]
)
def test_a_million_games_are_cut_into_chunks_for_as_many_cores_as_there_may_be(estimate_s: float, chunks: int) -> None:
    """A quarter of a second each, then up to four seconds, then more of them: sixteen for each of a thousand cores."""
    work = Work("simulation", ARBITER.name, "battle", json.dumps({**FIGHT.odds_body(), "count": 1_000_000}))
    cut = split(work, 1_000 * estimate_s)
    assert (cut[0].start, cut[-1].stop) == (0, 1_000_000)
    assert all(one.stop == other.start for one, other in pairwise(cut))
    assert len(cut) == pytest.approx(chunks, rel=0.01)


def test_metrics_gives_what_was_asked_for_and_the_point_of_reference_is_named() -> None:
    body = {**FIGHT.odds_body(), "count": 4, "metrics": ["winner"], "vary": {"/case/rounds": [1, 2]}}
    work = Work("simulation", ARBITER.name, "battle", json.dumps({**body, "reference": {"/case/rounds": 2}}))
    simulated = json.loads(result(work, [compute(work, range(4), 0, lambda over: None)]))
    assert [[metric["name"] for metric in point["metrics"]] for point in simulated["points"]] == [["winner"]] * 2
    assert simulated["reference"] == {"/case/rounds": 2}
    assert simulated["points"][0]["differences"]
    assert simulated["points"][1]["differences"] == []


def test_each_point_has_its_law_where_its_own_can_be_walked() -> None:
    attack = next(each for each in load_examples(ARBITER.folder / "examples") if each.question == "attack")
    vary = {"/policies/*": ["first", "bold"]}
    work = Work("simulation", ARBITER.name, "attack", json.dumps({**attack.odds_body(), "count": 2, "vary": vary}))
    simulated = json.loads(result(work, [compute(work, range(2), 0, lambda over: None)]))
    assert simulated["law"] == "beside"
    for point in simulated["points"]:
        assert point["law"] == "beside"
        for metric in point["metrics"]:
            assert sum(Fraction(share["exact"]) for share in metric["shares"]) == 1
            if metric["mean_exact"] is not None:
                mean = sum(share["value"] * Fraction(share["exact"]) for share in metric["shares"])
                assert Fraction(metric["mean_exact"]) == mean


def test_a_process_that_has_played_the_games_plays_none_again(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work("simulation", ARBITER.name, "battle", json.dumps({**FIGHT.odds_body(), "count": 5, "seed": 3}))
    counts = compute(work, range(5), 0, lambda over: None)
    kept = json.loads(result(work, [counts]))["sample_games"]
    _samples.cache_clear()
    again = json.loads(result(work, [counts]))["sample_games"]
    assert kept == again
    monkeypatch.setattr("workers.jobs.work._players", None)
    assert json.loads(result(work, [counts]))["sample_games"] == kept
