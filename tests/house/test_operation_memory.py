"""Memory: many requests of all kinds leave nothing behind. `make memory` looks at 100,000 of a real server."""

import gc
import tracemalloc

from flask.testing import FlaskClient

from api import create_app
from api.settings import Settings
from tests.api.posting import ATTACK, TEMPLATE, attack

ROUNDS = 100
MOST_GROWTH_BYTES = 40_000
"""Over 700 requests: fifty-seven bytes of each, where the smallest object that could stay behind has more."""


def test_requests_leave_nothing_behind() -> None:
    client = create_app(Settings(log_level="error", rate_limits=False), {TEMPLATE.name: TEMPLATE}).test_client()
    tracemalloc.start()
    try:
        # Traced as well, so that what later takes the place of it in a bounded cache is no growth.
        ask(client, 60, "warm")
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        ask(client, ROUNDS, "asked")
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < MOST_GROWTH_BYTES


def ask(client: FlaskClient, rounds: int, seed: str) -> None:
    """Ask what is right, wrong, unknown and never the same."""
    for number in range(rounds):
        # Rulings are kept for their permalinks, within a bound that a few never reach: they come again and again.
        right = client.post(ATTACK, json=attack(dice={"seed": number % 40}, policies={"*": "first"}))
        assert right.status_code == 200
        assert client.post(ATTACK, json={"case": {f"field-{seed}-{number}": 1}}).status_code == 422
        assert client.post(ATTACK, data=b"{" * (number + 1), content_type="application/json").status_code == 422
        assert client.get(f"/v1/{seed}/{number}").status_code == 404
        assert client.get(f"/v1/games/{TEMPLATE.name}/rules?q={seed}{number}").status_code in {200, 422}
        assert client.get("/healthz", headers={"X-Request-Id": f"{seed}-{number}"}).status_code == 200
        assert client.open(ATTACK, method=f"M{number}").status_code == 405
