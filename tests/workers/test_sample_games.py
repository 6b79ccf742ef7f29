"""The sample games of a simulation: a few of its games are answered in full, as the single question answers them."""

from pathlib import Path

import msgspec

from arbiter.question import Ask
from services.blackstone_fortress.arbiter import ARBITER
from services.blackstone_fortress.questions.battle import BattleCase
from workers.jobs.work import Work, compute, result

COMBAT = Path(__file__).parents[2] / "examples" / "blackstone-fortress" / "combat.json"


def test_sample_games_are_what_the_single_question_answers() -> None:
    scene = msgspec.json.decode(COMBAT.read_bytes())
    case, policies = {"scene": scene, "turns": 3}, {"explorers": "bold"}
    body = msgspec.json.encode({"case": case, "count": 4, "seed": 5, "policies": policies}).decode()
    work = Work("simulation", "blackstone-fortress", "battle", body)
    simulated = msgspec.json.decode(result(work, [compute(work, range(4), 1, lambda over: None)]))
    assert simulated["sample_games"]
    for sample in simulated["sample_games"]:
        asked = {"case": case, "policies": {"*": "first", **policies}, "dice": {"seed": sample["seed"]}}
        single = ARBITER.ask("battle", msgspec.convert(asked, Ask[BattleCase]), seed="", posted=lambda: scene)
        assert sample["answer"] == msgspec.json.decode(msgspec.json.encode(single.answer))
        assert sample["answer"]["transcript"]
