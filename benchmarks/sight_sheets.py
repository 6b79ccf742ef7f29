"""The cost of a sheet of `line-of-sight` when a unit of the table page is dropped at a new position.

`python -m benchmarks.sight_sheets` asks through the whole gateway in this process, as the page does: the scene of the
page, with its unit as observer, which moves itself or sees another one move. Times are processor times, which a busy
machine affects less.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

from flask.testing import FlaskClient
from msgspec.structs import replace

from api.app import make_app
from api.settings import Settings
from api.web.warm_up import warm_up
from benchmarks.measure import Row, table, timed
from infra.startup import staying

SCENES = Path(__file__).parent.parent / "api" / "web" / "static" / "table" / "scenes"
SHEET = "application/vnd.arbiter.sheet+json"
QUESTION = "line-of-sight"
STEPS = {"rapture": 0.1, "stargrave": 0.1, "size-skirmish": 0.1}
"""The step of positions on open boards; on others units are on cells."""

FAR = 6
"""The greatest move of a unit along and across."""

MANY = 30
MOST_S = 0.025


def rows() -> list[Row]:
    """Ask for many sheets of each game."""
    client = _client()
    return [_row(client, path.stem, who) for path in sorted(SCENES.glob("*.json")) for who in ("itself", "another")]


def _client() -> FlaskClient:
    settings = replace(Settings.from_environment({}), rate_limits=False, log_level="error")
    with staying():
        app = make_app(settings)
        warm_up(app)
    return app.test_client()


def _row(client: FlaskClient, game: str, who: str) -> Row:
    found = _times(client, game, who)
    next(found)
    return timed(f"{game}: {who} moved", median(next(found) for _ in range(MANY)), at_most_s=MOST_S)


def _times(client: FlaskClient, game: str, who: str) -> Iterator[float]:
    """Give the seconds of each sheet; refused drops are left out."""
    story = json.loads((SCENES / f"{game}.json").read_bytes())
    facts: Any = client.get(f"/v1/games/{game}").json
    actor = next(deed["actor"] for deed in facts["deeds"] if deed["question"] == QUESTION)
    random = Random(f"{game} {who}")
    while True:
        scene = json.loads(json.dumps(story["scene"]))
        units = [unit for roster in facts["rosters"] for unit in scene.get(roster["list"], [])]
        moved = [unit for unit in units if (unit["id"] == story["unit"]) == (who == "itself")]
        _move(random.choice([place for unit in moved for place in _places(unit)]), random, STEPS.get(game, 1))
        body = {"case": {"scene": scene, actor: story["unit"]}, "dice": {"hand": {}}, "surplus": "ignore"}
        began = process_time()
        answer = client.post(f"/v1/games/{game}/{QUESTION}", json=body, headers={"Accept": SHEET})
        if answer.status_code == 200:
            yield process_time() - began


def _places(unit: dict[str, Any]) -> list[list[float]]:
    """Give the positions of a unit, or of each of its models; changing one moves it."""
    places = [unit.get("at"), unit.get("hex"), *unit.get("models", ())]
    return [place["at"] if isinstance(place, dict) else place for place in places if place]


def _move(place: list[float], random: Random, step: float) -> None:
    for axis, at in enumerate(place):
        there = max(0, round((at + random.uniform(-FAR, FAR)) / step))
        place[axis] = round(there * step, 3) if step < 1 else there


if __name__ == "__main__":
    print(table(rows()))
    sys.exit(0)
