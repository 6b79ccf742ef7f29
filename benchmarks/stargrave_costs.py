"""Estimates of Stargrave's heavy questions compared with their times, row by row, without targets.

Each question runs in its own process, which has loaded the rules but not the table. The ratio is estimate over
measurement: above 1 the estimate is too high. `python -m benchmarks.stargrave_costs` takes some minutes.
"""

import json
import time
from collections.abc import Iterator
from math import cos, hypot, pi, sin
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from random import Random
from typing import Any, cast

import msgspec

from arbiter.question import Ask
from arbiter.registry import game
from benchmarks.measure import Row, spelled, table

TABLE = Path(__file__).parent.parent / "examples" / "stargrave" / "table.json"
LONGEST_S = 90.0
"""The time limit of a question."""

POLICIES = ("first", "charging", "shooting")
TURNS = (1, 3, 6)
SIZES = (2, 10, 20)
FAR_IN = (3.0, 8.0, 20.0)

Scene = dict[str, Any]


def rows() -> list[Row]:
    """Ask everything once, and compare estimates with times."""
    # The first question loads the rules, and every other process inherits them.
    _prepared("battle", {"scene": _fewer(json.loads(TABLE.read_bytes()), SIZES[0])}, POLICIES[0])
    return [_row(*asked) for asked in _asked()]


def _asked() -> Iterator[tuple[str, str, dict[str, Any], str]]:
    """Give the questions: name, question, case and policy."""
    for name, scene in _tables().items():
        id_ = scene["figures"][3]["id"]
        yield f"line-of-sight, {name}", "line-of-sight", {"scene": scene, "observer": id_}, "first"
        yield f"moves, {name}", "moves", {"scene": scene, "figure": id_}, "first"
        for far in FAR_IN:
            case = {"scene": scene, "figure": id_, "goal": _goal(scene, far), "carry_out": False}
            yield f"path of {far:g} inches, {name}", "path", case, "first"
    whole = json.loads(TABLE.read_bytes())
    for size in SIZES:
        scene = _fewer(whole, size)
        for policy in POLICIES:
            for turns in TURNS:
                what = f"battle of {size} figures, {turns} turns, {policy}"
                yield what, "battle", {"scene": scene, "turns": turns}, policy


def _tables() -> dict[str, Scene]:
    return {
        "the example table": json.loads(TABLE.read_bytes()),
        "40 squares": _squares(40, 36.0),
        "200 squares": _squares(200, 48.0),
        "300 stars of 12 corners, 1 inch": _stars(1.0),
        "300 stars of 12 corners, 3 inches": _stars(3.0),
    }


def _squares(many: int, side_in: float) -> Scene:
    """Lay squares in rows, each with its own rotation, and figures on the corners between them."""
    random = Random(many)
    rows_ = round(many**0.5 + 0.49)
    step = side_in / rows_
    half = min(0.85, step * 0.3)
    pieces = []
    for number in range(many):
        x, y, first = (number % rows_ + 0.5) * step, (number // rows_ + 0.5) * step, random.uniform(0, pi / 2)
        corners = [(x + half * cos(first + k * pi / 2), y + half * sin(first + k * pi / 2)) for k in range(4)]
        kind = {"climbable": random.random() < 0.5, "ground": random.choice(["impassable"] * 4 + ["rough"])}
        pieces.append({**_piece(number, corners, random.choice([1, 2, 3])), **kind})
    places = [(x * step, y * step) for x in range(1, rows_) for y in range(1, rows_)]
    return _scene(side_in, pieces, random.sample(places, 20))


def _stars(height_in: float) -> Scene:
    spots = [(4 + n % 20 * 5.5, 4 + n // 20 * 7.0) for n in range(300)]
    outlines = [
        [(x + r * cos(pi * k / 6), y + r * sin(pi * k / 6)) for k in range(12) for r in [2.4 if k % 2 else 1.44]]
        for x, y in spots
    ]
    pieces = [_piece(number, outline, height_in) for number, outline in enumerate(outlines)]
    return _scene(120.0, pieces, [(1.3 + n % 12 * 9, 0.8 + n // 12 * 27) for n in range(60)])


def _piece(number: int, corners: list[tuple[float, float]], height_in: float) -> Scene:
    return {"id": f"p{number}", "outline": [[round(x, 3), round(y, 3)] for x, y in corners], "height_in": height_in}


def _scene(side_in: float, pieces: list[Scene], places: list[tuple[float, float]]) -> Scene:
    figures = [
        {"id": f"f{n}", "profile": "recruit", "crew": ("red", "blue")[n % 2], "at": [round(x, 3), round(y, 3)]}
        for n, (x, y) in enumerate(places)
    ]
    return {"board": {"width_in": side_in, "depth_in": side_in, "pieces": pieces}, "figures": figures}


def _goal(scene: Scene, far_in: float) -> list[float]:
    """Give the position at this distance from the fourth figure towards the middle of the table."""
    x, y = scene["figures"][3]["at"]
    board = scene["board"]
    to_x, to_y = board.get("width_in", 36.0) / 2 - x, board.get("depth_in", 36.0) / 2 - y
    share = min(1.0, far_in / (hypot(to_x, to_y) or 1.0))
    return [round(x + share * to_x, 3), round(y + share * to_y, 3)]


def _fewer(scene: Scene, size: int) -> Scene:
    """Keep this many figures of both crews together, and no creatures."""
    crews: dict[str | None, list[Scene]] = {}
    for figure in scene["figures"]:
        crews.setdefault(figure.get("crew"), []).append({**figure, "carries": None})
    kept = [figure for crew, figures in crews.items() if crew is not None for figure in figures[: size // 2]]
    return {**scene, "figures": kept, "tokens": []}


def _row(what: str, question: str, case: dict[str, Any], policy: str) -> Row:
    context = get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_measured, args=(there, question, case, policy))
    process.start()
    estimated = here.recv() if here.poll(LONGEST_S) else 0.0
    took = here.recv() if here.poll(LONGEST_S) else None
    process.kill()
    process.join()
    ours = f"estimated {spelled(estimated)}"
    if took is None:
        return Row(what, ours, f"over {LONGEST_S:g} s", None)
    return Row(what, ours, f"measured {spelled(took)}", estimated / took)


def _measured(told: Connection, question: str, case: dict[str, Any], policy: str) -> None:
    """Send the estimate, and then the seconds of core time."""
    estimated, ask = _prepared(question, case, policy)
    start = time.process_time()
    told.send(estimated)
    game("stargrave").ask(question, ask, seed="benchmark")
    told.send(time.process_time() - start)


def _prepared(question: str, case: dict[str, Any], policy: str) -> tuple[float, Ask[Any]]:
    """Give the estimate in seconds, and the posted question."""
    known = game("stargrave").questions[question]
    body = {"case": case, "dice": {"seed": 1}, "policies": {"*": policy}}
    ask: Ask[Any] = msgspec.convert(body, cast(Any, Ask)[known.case])
    assert known.cost is not None
    return known.cost(known.prepare(ask.case)) / 1000, ask


if __name__ == "__main__":
    print(table(rows()))
