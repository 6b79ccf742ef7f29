"""Tables for tests of movement: an arbiter that is asked about moves and creatures alone, drawn yards, plain tables."""

from functools import cache
from typing import Any

import msgspec
from hypothesis import strategies as st

from arbiter.arbiter import Arbiter
from arbiter.question import Ask, AskOdds
from arbiter.ruling import Odds, Ruling
from arbiter.source import load_readings
from arbiter.table import Chooser, OneTable, first
from arbiter.throwing import SeededDice
from services.stargrave.battlefield import Battlefield, prepare
from services.stargrave.model import Scene
from services.stargrave.questions import creatures, moves


@cache
def arbiter() -> Arbiter:
    return Arbiter(
        package="services.stargrave",
        name="stargrave",
        title="Stargrave",
        edition="test",
        gist="Moves and creatures.",
        questions=(*moves.QUESTIONS, *creatures.QUESTIONS),
    )


def ask(question: str, case: dict[str, Any], **rest: Any) -> Ruling[Any]:
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, Ask[wanted.case])
    return arbiter().ask(question, posted, seed="test", posted=lambda: case["scene"])


def odds(question: str, case: dict[str, Any], **rest: Any) -> Odds[Any]:
    wanted = arbiter().question(question)
    posted = msgspec.convert({"case": case, **rest}, AskOdds[wanted.case])
    return arbiter().odds(question, posted, 20_000)


def table(seed: str = "test", **readings: str) -> OneTable:
    """Give a table with dice from a seed, at which every choice is the first option."""
    chosen = {
        reading.id: reading.default for reading in load_readings(arbiter().folder / "readings.yaml").by_id.values()
    }
    return OneTable(SeededDice(seed), Chooser({}, {"*": ("first", first)}), {**chosen, **readings})


def field_of(scene: dict[str, Any]) -> Battlefield:
    return prepare(msgspec.convert(scene, Scene))


def kel(at: tuple[float, float], **more: Any) -> dict[str, Any]:
    return {"id": "kel", "profile": "captain", "crew": "red", "role": "captain", "at": list(at), **more}


def empty(*figures: dict[str, Any], pieces: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"board": {"width_in": 24, "depth_in": 24, "pieces": pieces or []}, "figures": list(figures)}


def tenths(low: int, high: int) -> st.SearchStrategy[float]:
    """Draw inches in tenths."""
    return st.integers(low, high).map(lambda number: number / 10)


@st.composite
def pieces(draw: st.DrawFn, most: int = 4) -> list[dict[str, Any]]:
    """Draw slanted boxes that do not overlap, each in its own quarter of the middle of a table of 24 by 24 inches."""
    found = []
    for number in range(draw(st.integers(1, most))):
        left, low = 5 + 7 * (number % 2), 5 + 7 * (number // 2)
        x, y = left + draw(tenths(0, 20)), low + draw(tenths(0, 20))
        wide, deep, skew = draw(tenths(10, 30)), draw(tenths(10, 30)), draw(tenths(0, 8))
        corners = [[x, y], [x + wide, y], [x + wide + skew, y + deep], [x + skew, y + deep]]
        found.append(
            {
                "id": f"piece-{number}",
                "outline": [[round(u, 3), round(v, 3)] for u, v in corners],
                "height_in": draw(st.sampled_from([0.3, 0.5, 1.0, 1.7, 2.5])),
                "ground": draw(st.sampled_from(["impassable", "impassable", "rough", "even"])),
                "climbable": draw(st.booleans()),
            }
        )
    return found
