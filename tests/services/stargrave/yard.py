"""Scenes for tests of movement: plain tables, and yards of pieces that are drawn."""

from typing import Any

from hypothesis import strategies as st

from services.stargrave.geometry import footing
from services.stargrave.rules import wayfinding
from tests.services.stargrave.asking import arbiter as arbiter
from tests.services.stargrave.asking import ask as ask
from tests.services.stargrave.asking import field_of as field_of
from tests.services.stargrave.asking import table as table


def kel(at: tuple[float, float], **more: Any) -> dict[str, Any]:
    return {"id": "kel", "profile": "captain", "crew": "red", "role": "captain", "at": list(at), **more}


def empty(*figures: dict[str, Any], pieces: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {"board": {"width_in": 24, "depth_in": 24, "pieces": pieces or []}, "figures": list(figures)}


def on_the_ground(search: wayfinding.Search) -> bool:
    """Say whether the figure that looks for ways stands on the ground, and has room there."""
    return search.standing_at(search.body.at) and not footing.support(search.pieces, search.body.at)


def tenths(low: int, high: int) -> st.SearchStrategy[float]:
    """Draw inches in tenths."""
    return st.integers(low, high).map(lambda number: number / 10)


@st.composite
def pieces(draw: st.DrawFn, most: int = 4) -> list[dict[str, Any]]:
    """Draw slanted boxes that do not overlap, each in its own quarter of the middle of a table of 24 by 24 inches."""
    result = []
    for number in range(draw(st.integers(1, most))):
        left, low = 5 + 7 * (number % 2), 5 + 7 * (number // 2)
        x, y = left + draw(tenths(0, 20)), low + draw(tenths(0, 20))
        wide, deep, skew = draw(tenths(10, 30)), draw(tenths(10, 30)), draw(tenths(0, 8))
        corners = [[x, y], [x + wide, y], [x + wide + skew, y + deep], [x + skew, y + deep]]
        result.append(
            {
                "id": f"piece-{number}",
                "outline": [[round(u, 3), round(v, 3)] for u, v in corners],
                "height_in": draw(st.sampled_from([0.3, 0.5, 1.0, 1.7, 2.5])),
                "ground": draw(st.sampled_from(["impassable", "impassable", "rough", "even"])),
                "climbable": draw(st.booleans()),
            }
        )
    return result
