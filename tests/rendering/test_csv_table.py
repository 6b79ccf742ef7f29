"""CSV of simulations: every number of the result, a header in order, and nothing that a spreadsheet would run."""

import csv
import io
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.simulation.statistics import Difference, Metric, Point, Share, Simulated
from arbiter.simulation.sweep import Axis
from rendering import csv_table

HEADER = [
    "row",
    "metric",
    "value",
    "games",
    "share",
    "low",
    "high",
    "exact",
    "probability",
    "mean",
    "deviation",
    "median",
    "exact_mean",
    "difference",
    "forbidden",
]


def simulated(*points: Point, **more: Any) -> Simulated[Any]:
    return Simulated("g", "e", "1", "q", 4, "7", 0.95, {}, {}, more.pop("axes", ()), points, "heavy", **more)


def rows(result: Any) -> list[list[str]]:
    return list(csv.reader(io.StringIO(csv_table.csv(result).decode(), newline=""), strict=True))


WON = Metric("outcome", (Share("won", 3, 0.75, 0.3, 0.95, "2/3", 0.6667), Share("lost", 1, 0.25, 0.05, 0.7)))
TURNS = Metric("turns", (Share(4, 4, 1.0, 0.5, 1.0),), 4.0, 3.5, 4.5, 0.1, 4, 3.75)


def test_every_number_has_its_column() -> None:
    axes = (Axis("/case/turns", (10, 20)), Axis("/policies/a,b", ("x",)))
    differences = (
        Difference("turns", "mean", None, -1.5, -2.0, -1.0),
        Difference("outcome", "share", "won", 0.5, 0, 1),
    )
    point = Point({"/case/turns": 10, "/policies/a,b": "x"}, 4, 1, (WON, TURNS), differences)
    assert rows(simulated(point, axes=axes)) == [
        ["turns", "a,b", *HEADER],
        ["10", "x", "games", "", "", "4", *[""] * 10, "1"],
        ["10", "x", "share", "outcome", "won", "3", "0.75", "0.3", "0.95", "2/3", "0.6667", *[""] * 6],
        ["10", "x", "share", "outcome", "lost", "1", "0.25", "0.05", "0.7", *[""] * 8],
        ["10", "x", "share", "turns", "4", "4", "1.0", "0.5", "1.0", *[""] * 8],
        ["10", "x", "mean", "turns", "", "", "", "3.5", "4.5", "", "", "4.0", "0.1", "4", "3.75", "", ""],
        ["10", "x", "difference", "turns", "", "", "", "-2.0", "-1.0", *[""] * 6, "-1.5", ""],
        ["10", "x", "difference", "outcome", "won", "", "", "0", "1", *[""] * 6, "0.5", ""],
    ]


def test_columns_that_no_row_fills_are_left_out_and_a_difference_of_zero_is_there() -> None:
    same = Difference("outcome", "share", "won", 0.0, 0.0, 0.0)
    bare = Metric("outcome", (Share("won", 4, 1.0, 0.5, 1.0),))
    axes = (Axis("/case/turns", (10,)),)
    assert rows(simulated(Point({"/case/turns": 10}, 4, 0, (bare,), (same,)), axes=axes)) == [
        ["turns", "row", "metric", "value", "games", "share", "low", "high", "difference", "forbidden"],
        ["10", "games", "", "", "4", "", "", "", "", "0"],
        ["10", "share", "outcome", "won", "4", "1.0", "0.5", "1.0", "", ""],
        ["10", "difference", "outcome", "won", "", "", "0.0", "0.0", "0.0", ""],
    ]


def test_a_value_and_its_json_give_the_same_bytes() -> None:
    result = simulated(Point({}, 4, 0, (WON, TURNS)))
    assert csv_table.csv(result) == csv_table.csv(msgspec.json.decode(msgspec.json.encode(result)))
    with pytest.raises(msgspec.ValidationError):
        csv_table.csv({"status": "ruled"})


def test_values_that_are_no_names_stand_as_in_json() -> None:
    shares = tuple(Share(value, 1, 0.25, 0, 1) for value in (True, None, -3, "none"))
    axes = (Axis("/case/x", ([1, 2],)),)
    told = rows(simulated(Point({"/case/x": {"b": [1]}}, 4, 0, (Metric("m", shares),)), axes=axes))
    assert [row[3] for row in told[2:]] == ["true", "null", "-3", "none"]
    assert {row[0] for row in told[1:]} == {'{"b":[1]}'}


@given(st.text(max_size=8), st.text(max_size=8), st.text(max_size=8))
def test_no_text_of_a_client_is_a_formula_and_none_is_lost(metric: str, value: str, varied: str) -> None:
    axes = (Axis("/case/x", (varied,)),)
    result = simulated(Point({"/case/x": varied}, 4, 0, (Metric(metric, (Share(value, 1, 1, 0, 1),)),)), axes=axes)
    told = rows(result)
    assert {len(row) for row in told} == {len(told[0])}
    for cell, text in zip((told[2][2], told[2][3], told[2][0]), (metric, value, varied), strict=True):
        assert cell[:1] not in {"=", "+", "-", "@", "\t", "\r", "\n"} or not cell
        assert cell.removeprefix("'") == text.removeprefix("'") or cell == text


@pytest.mark.parametrize("text", ["=1+1", "+1", "-cmd", "@sum", "\t=1", "\r=1", '=HYPERLINK("x","y")'])
def test_formulas_are_disarmed(text: str) -> None:
    told = rows(simulated(Point({}, 1, 0, (Metric(text, (Share(text, 1, 1, 0, 1),)),))))
    assert told[2][1:3] == [f"'{text}"] * 2
