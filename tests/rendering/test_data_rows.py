"""A row of data in words, as a card shows it."""

from typing import Any

import pytest

from arbiter.sources.lookup.cards import Numbers
from rendering.data_rows import table_lines, values_line


def row(**values: Any) -> Numbers:
    return Numbers("weapons", "bow", "Bow", values)


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ({"kind": "missile", "range_in": 12, "slots": 2}, "kind missile, range 12 inches, slots 2"),
        ({"mov_cm": 2.5, "speed_hexes": 3}, "mov 2.5 cm, speed 3 hexes"),
        ({"damage": (5, 3, 2), "each": False, "both": True, "method": None}, "damage 5/3/2, both yes"),
        ({"bands": ({"up_to": 6.0, "modifier": 1}, {"up_to": 9.0})}, "bands (up to 6, modifier 1), (up to 9)"),
        ({"hp": ({}, {"att": -1})}, "hp -, (att -1)"),
        (
            {"columns": ({"id": "hidden", "weapon": None}, {"id": "in-cover", "weapon": "lasgun"})},
            "columns hidden, in-cover (weapon lasgun)",
        ),
        ({"throw": {"tiles": 3, "way": "away"}}, "throw (tiles 3, way away)"),
        ({"rules": [{"name": "Strategist", "gist": "One gambit is free."}]}, "rules Strategist (One gambit is free)"),
    ],
)  # fmt: skip
def test_values_stand_on_one_line(values: dict[str, Any], line: str) -> None:
    assert values_line(row(**values)) == line
    assert list(table_lines(row(**values))) == []


def test_a_long_table_has_a_line_for_each_row() -> None:
    rows = [{"rolls": (first, last), "small": 6} for first, last in ((1, 3), (4, 6), (7, 19), (20, 20))]
    table = row(size="small", rows=rows)
    assert values_line(table) == "size small"
    assert list(table_lines(table)) == [
        f"rolls {rolls}, small 6" for rolls in ("1 to 3", "4 to 6", "7 to 19", "20")
    ]  # fmt: skip


def test_a_long_mapping_has_a_line_of_its_own() -> None:
    side = {f"value_{number}": number for number in range(20)}
    assert values_line(row(spaces=4, inspired=side)) == "spaces 4"
    (line,) = table_lines(row(spaces=4, inspired=side))
    assert line.startswith("inspired: value 0 0, value 1 1")
