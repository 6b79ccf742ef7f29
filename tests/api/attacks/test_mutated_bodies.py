"""Every question of every game, with bodies of its examples that are changed a little: an answer or a problem, in time.

`ARBITER_FUZZ_BODIES=50000 make test ARGS=tests/api/attacks/test_mutated_bodies.py` tries as many.
"""

import json
import os
import time
from copy import deepcopy
from random import Random
from typing import Any

from api import create_app
from api.settings import Settings
from tests.api.posting import GAMES
from tests.api.worked import examples
from tests.effort import cases

BODIES = int(os.environ.get("ARBITER_FUZZ_BODIES") or cases(3_000, 500))
SEED = os.environ.get("ARBITER_FUZZ_SEED", "a table that somebody leaned on")

LIMIT_S = 2.0
"""Seconds of a core for one body, whatever it says."""

STATUSES = {200, 404, 422}
NUMBERS = (0, 1, -1, 2, 3, 6, 7, 10, 100, 0.5, -0.0, 1e-9, 1e6, 2**31, 2**63, 1e308)
OTHERS = (None, True, False, "", "x", "first", [], {}, [[0, 0]], "\u0000", "é" * 50)

Place = tuple[dict[str, Any] | list[Any], Any]


def places(value: Any) -> list[Place]:
    """Give every place in a body: what it is in, and its name or index there."""
    inside = (
        list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    )
    return [found for key, part in inside for found in ((value, key), *places(part))]


def change(random: Random, body: Any) -> None:
    """Change one place of a body, mostly into something that could stand there."""
    everywhere = places(body)
    if not everywhere:
        return
    where, key = random.choice(everywhere)
    seen = where[key]
    alike = [holder[name] for holder, name in everywhere if type(holder[name]) is type(seen)]
    how = random.random()
    if how < 0.4:
        # What stands elsewhere in the body: ids, places and shapes of other figures.
        where[key] = deepcopy(random.choice(alike))
    elif how < 0.6 and isinstance(seen, int | float) and not isinstance(seen, bool):
        where[key] = random.choice((*NUMBERS, seen + 1, seen - 1, -seen, seen + 0.5, seen * 2))
    elif how < 0.75:
        del where[key]
    elif how < 0.9 and isinstance(where, list):
        where.insert(random.randrange(len(where) + 1), deepcopy(random.choice(alike)))
    else:
        where[key] = random.choice((*NUMBERS, *OTHERS))


def test_bodies_that_are_changed_a_little_are_answered_in_time() -> None:
    random = Random(SEED)
    settings = Settings(log_level="critical", rate_limits=False, path_budget=500, sync_cost_ms=300, odds_limit_ms=300)
    client = create_app(settings, GAMES).test_client()
    asked = [(f"/v1/games/{game.name}/{each.question}", each) for game in GAMES.values() for each in examples(game)]
    wrong = []
    for _ in range(BODIES):
        path, example = random.choice(asked)
        body = example.body()
        for _ in range(random.choice((1, 1, 1, 2, 3))):
            change(random, body)
        if random.random() < 0.2:
            path, body = f"{path}/odds", {name: part for name, part in body.items() if name in {"case", "readings"}}
        data = json.dumps(body)
        began = time.thread_time()
        answer = client.post(path, data=data, content_type="application/json")
        took_s = time.thread_time() - began
        if answer.status_code not in STATUSES or took_s > LIMIT_S:
            wrong.append(f"{path} {answer.status_code} {took_s:.1f} s {data}")
    assert not wrong, f"{len(wrong)}, the first: {wrong[0]}"
