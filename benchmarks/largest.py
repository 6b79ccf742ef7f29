"""The largest legal tables: the cost of one question of sight, one of moves and the odds of one attack.

Each board has as many hexes, tiles, or pieces and corners, and each scene as many units as the game allows. A separate
process asks the gateway, without quotas, once with cold and once with warm caches, and prints time and memory.

The attack of Rapture has the most dice, boxes and points that a card may have, and both sides react. That of Blackstone
Fortress has the most outcomes of all cards: flames at three hostiles in one hex. In Size Skirmish two of its toughest
models exchange blows. For the other games it is the slowest attack among their examples.
"""

import json
import random
import resource
import subprocess
import sys
import time
from math import cos, pi, sin
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from api import create_app
from api.settings import Settings
from arbiter import registry
from arbiter.sources.examples import load_examples

Case = dict[str, Any]
QUESTIONS = ("line-of-sight", "moves")


def star(x: float, y: float, reach: float, corners: int) -> list[list[float]]:
    """Give the outline of a piece with this many corners, every other one halfway in."""
    return [
        [round(x + r * cos(2 * pi * at / corners), 3), round(y + r * sin(2 * pi * at / corners), 3)]
        for at in range(corners)
        for r in [reach if at % 2 else reach / 2]
    ]


def grid(side: float, many: int) -> list[tuple[float, float]]:
    """Give this many positions of a square table, evenly spread."""
    across = int(many**0.5) + 1
    step = side / across
    return [(step * (at % across + 0.5), step * (at // across + 0.5)) for at in range(many)]


def pieces(side: float, many: int, corners: int) -> list[dict[str, Any]]:
    """Fill a table with pieces that leave space between them."""
    reach = side / (many**0.5) / 3.5
    return [{"id": f"p{at}", "outline": star(x, y, reach, corners)} for at, (x, y) in enumerate(grid(side, many))]


def corners_of(side: float, many: int, count: int) -> list[list[float]]:
    """Give positions between the pieces of such a table."""
    step = side / (int(many**0.5) + 1)
    free = [
        [round(step * a, 3), round(step * b, 3)] for a in range(1, int(side / step)) for b in range(1, int(side / step))
    ]
    return random.Random(5).sample(free, count)


def fortress(case: Case) -> Case:
    """Fill a board of 50 by 50 hexes with walls and units."""
    scene, rng = case["scene"], random.Random(5)
    hexes = [[q, r] for r in range(50) for q in range(50)]
    sides = [[[q, r], [q + 1, r]] for q, r in hexes if q < 49] + [[[q, r], [q, r + 1]] for q, r in hexes if r < 49]
    rng.shuffle(sides)
    scene["board"] = {"hexes": hexes, "walls": sides[:500], "cover": sides[500:1500]}
    places = rng.sample(hexes, 90)
    units = scene["explorers"][:1] + [scene["hostiles"][0] | {"id": f"u{at}"} for at in range(80)]
    for unit, place in zip(units, places, strict=False):
        unit["hex"] = place
    return {"scene": {"board": scene["board"], "explorers": units[:1], "hostiles": units[1:]}}


def open_table(scene: Case, names: tuple[str, str, str], units: str, sizes: tuple[float, int, int, int]) -> None:
    """Fill an open table with pieces, at most 4,000 corners in total, and units."""
    side, many, corners, count = sizes
    scene["board"] = {names[0]: side, names[1]: side, "pieces": pieces(side, many, corners)}
    first, other = scene[units][0], scene[units][1]
    spots = corners_of(side, many, count)
    placed = []
    for at, spot in enumerate(spots):
        unit = dict(first if at == 0 else other) | {"id": f"u{at}"}
        unit[names[2]] = [spot] if names[2] == "models" else spot
        placed.append(unit)
    scene[units] = placed


def bodies(name: str) -> dict[str, Case]:
    """Give the questions of a game at its largest table."""
    game = registry.game(name)
    examples = load_examples(game.folder / "examples")
    base: dict[str, Case] = {}
    for each in examples:
        if each.question in QUESTIONS and each.question not in base:
            base[each.question] = json.loads(json.dumps(each.body()))
    sight = base["line-of-sight"]["case"]
    if name == "blackstone-fortress":
        full = fortress(sight)
        who = full["scene"]["explorers"][0]["id"]
        targets = [unit["id"] for unit in full["scene"]["hostiles"]]
        full["scene"]["hostiles"][0].update(id="u0")
        return {"line-of-sight": {**full, "observer": who, "targets": targets}, "moves": {**full, "unit": who}}
    if name == "warleague":
        scene, rng = sight["scene"], random.Random(5)
        tiles = [[a, b] for a in range(50) for b in range(50)]
        rng.shuffle(tiles)
        first, other = scene["units"][0], scene["units"][1]
        scene["board"] = {"columns": 50, "rows": 50, "difficult": tiles[200:900]}
        scene["units"] = [dict(first if at == 0 else other) | {"id": f"u{at}", "at": tiles[at]} for at in range(100)]
        scene["obstacles"] = [{"id": f"o{at}", "at": tiles[100 + at], "kind": "column"} for at in range(100)]
        scene["crates"] = scene["concealed"] = []
        return {
            "line-of-sight": {"scene": scene, "observer": "u0", "targets": [f"u{at}" for at in range(1, 100)]},
            "moves": {"scene": scene, "unit": "u0", "points": 20},
        }
    if name == "stargrave":
        open_table(sight["scene"], ("width_in", "depth_in", "at"), "figures", (120, 300, 12, 60))
        return {
            "line-of-sight": {"scene": sight["scene"], "observer": "u0"},
            "moves": {"scene": sight["scene"], "figure": "u0"},
            "moves, finest": {"scene": sight["scene"], "figure": "u0", "spacing_in": 0.5},
        }
    if name == "rapture":
        open_table(sight["scene"], ("width_cm", "depth_cm", "models"), "units", (200, 200, 20, 60))
        return {
            "line-of-sight": {"scene": sight["scene"], "observer": "u0"},
            "moves": {"scene": sight["scene"], "unit": "u0"},
        }
    open_table(sight["scene"], ("width", "depth", "at"), "models", (200, 200, 20, 60))
    scene = sight["scene"]
    return {"line-of-sight": {"scene": scene, "observer": "u0"}, "moves": {"scene": scene, "model": "u0"}}


def duel() -> Case:
    """Let two units with the maximum of everything on a card of Rapture strike at each other."""
    card = {
        "kind": "hero", "ccs": 4, "att": 20, "tec": 20, "def": 20, "ap": 2, "rp": 20, "mov_cm": 10,
        "hp": [{}] * 20, "mp": [{}] * 20,
    }  # fmt: skip
    scene = {
        "sides": [{"id": "red", "edge": "west"}, {"id": "blue", "edge": "east"}],
        "units": [
            {"id": id_, "side": side, "profile": id_, "models": [[x, 10]]}
            for id_, side, x in (("ada", "red", 10), ("lin", "blue", 13))
        ],
        "profiles": {"units": [card | {"id": "ada"}, card | {"id": "lin"}]},
    }
    return {"case": {"scene": scene, "attacker": "ada", "target": "lin"}, "policies": {"*": "reacting"}}


def flames() -> Case:
    """Apply two dice to each of three hostiles, and reroll those that fail."""
    scene = {
        "board": {"hexes": [[q, r] for q in range(4) for r in range(2)]},
        "explorers": [{"id": "vorne", "profile": "pious-vorne", "inspired": True, "hex": [0, 0], "marks": ["speech"]}],
        "hostiles": [{"id": f"u{at}", "profile": "ur-ghul", "group": "ghuls", "hex": [2, 0]} for at in range(3)],
    }
    case = {"scene": scene, "attacker": "vorne", "action": "cleansing-flames", "die": "free", "targets": ["u0"]}
    return {"case": case, "readings": {"two-dice": "each", "reroll-scope": "failed-dice"}}


def blows() -> Case:
    """Let two ogres exchange blows, and test the morale of both."""
    models = [
        {"id": id_, "side": side, "profile": "dray-ogre", "at": [x, 10], "facing": [ahead, 0]}
        for id_, side, x, ahead in (("ada", "red", 10, 1), ("bob", "blue", 11.5, -1))
    ]
    scene = {"sides": [{"id": "red"}, {"id": "blue"}], "models": models}
    back = {"model": "bob", "action": "strike", "target": "ada"}
    return {"case": {"scene": scene, "attacker": "ada", "target": "bob", "reactions": [back]}}


def attacks(name: str) -> list[Case]:
    """Give the attacks of a game, of which the slowest is measured."""
    if name == "rapture":
        return [duel()]
    if name == "blackstone-fortress":
        return [flames()]
    if name == "size-skirmish":
        return [blows()]
    examples = load_examples(registry.game(name).folder / "examples")
    known = ("case", "readings", "policies")
    return [
        {member: value for member, value in each.body().items() if member in known}
        for each in examples
        if each.question == "attack"
    ]


def measure(name: str) -> None:
    """Ask every question of a game twice, and print its cost."""
    client = gateway(name)
    for question, case in bodies(name).items():
        body = json.dumps({"case": case})
        for caches in ("cold", "warm"):
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            answer, took = posted(client, f"/v1/games/{name}/{question.split(',')[0]}", body)
            more = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
            print(
                f"{name:20} {question:16} {len(body) // 1024:5} KiB {caches}: {answer.status_code} "
                f"{took * 1000:7.0f} ms, {more:4.0f} MiB more, answer {len(answer.data) // 1024} KiB",
                flush=True,
            )
            if answer.status_code not in (200, 202):
                print(answer.get_data(as_text=True)[:900])


def measure_odds(name: str) -> None:
    """Ask for the odds of attacks, and print the cost of the slowest: each gateway is new, and remembers no answer."""
    rows = []
    for case in attacks(name):
        body = json.dumps(case)
        (_, cold), (answer, warm) = (posted(gateway(name), f"/v1/games/{name}/attack/odds", body) for _ in range(2))
        outcomes, size = len(answer.get_json().get("outcomes", ())), len(answer.data) // 1024
        took = f"{cold * 1000:.0f} ms cold, {warm * 1000:.0f} ms warm"
        row = f"{answer.status_code} {took}, {outcomes} outcomes, answer {size} KiB"
        rows.append((min(cold, warm), f"{name:20} attack/odds      {len(body) // 1024:5} KiB: {row}"))
    print(max(rows)[1], flush=True)


def gateway(name: str) -> FlaskClient:
    """Make a gateway for one game, without quotas."""
    return create_app(Settings(log_level="error", rate_limits=False), {name: registry.game(name)}).test_client()


def posted(client: FlaskClient, path: str, body: str) -> tuple[TestResponse, float]:
    """Give the answer to a body, and the seconds of a core that it took."""
    start = time.thread_time()
    answer = client.post(path, data=body, content_type="application/json")
    return answer, time.thread_time() - start


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure_odds(sys.argv[1])
        measure(sys.argv[1])
    else:
        for each in registry.games():
            subprocess.run([sys.executable, "-m", "benchmarks.largest", each], check=True)
