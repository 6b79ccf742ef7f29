"""A simulation's result as CSV: one long table, with a row for every number that a reader may draw or compare.

The columns are the varied values, by their short names as in plots, and then those of `COLUMNS` that some row fills.
`row` is the kind of a row: the `games` of a point and the number that is `forbidden`, the `share` of a value, the
`mean` of a numeric metric, or the `difference` of a mean or a share from the point of reference. Columns that do not
apply to a row are empty. Names are plain, all other values are as in JSON; a text that a spreadsheet would read as a
formula begins with an apostrophe.
"""

import csv as csv_of_python
import io
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from arbiter.simulation.statistics import Metric, Point
from rendering.simulation_view import Result, read
from rendering.sweep_labels import short_place

COLUMNS = (
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
)
"""The columns after the varied values; `low` and `high` bound the share, the mean or the difference of their row."""

_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv(result: Result) -> bytes:
    """Give the result as CSV in UTF-8, by RFC 4180: commas, quotes where needed, lines that end in CR LF."""
    simulated = read(result)
    places = [axis.place for axis in simulated.axes]
    text = io.StringIO(newline="")
    writer = csv_of_python.writer(text)
    rows = [(point, row) for point in simulated.points for row in _rows(point)]
    columns = [column for column in COLUMNS if any(row.get(column) is not None for _, row in rows)]
    writer.writerow([*map(_cell_text, _titles(places)), *columns])
    for point, row in rows:
        varied = (_cell_text(point.values[place]) for place in places)
        writer.writerow([*varied, *(row.get(column) for column in columns)])
    return text.getvalue().encode()


def _titles(places: Sequence[str]) -> list[str]:
    """Give the short names of the varied values; a pointer whose name is that of another column stays whole."""
    short = [short_place(place, places) for place in places]
    return [place if name in COLUMNS else name for name, place in zip(short, places, strict=True)]


def _rows(point: Point) -> Iterator[dict[str, Any]]:
    yield {"row": "games", "games": point.games, "forbidden": point.forbidden}
    for metric in point.metrics:
        yield from _metric(metric)
    for each in point.differences:
        value = None if each.of == "mean" else _cell_text(each.value)
        yield {
            "row": "difference",
            "metric": _cell_text(each.metric),
            "value": value,
            "difference": each.difference,
            "low": each.low,
            "high": each.high,
        }


def _metric(metric: Metric) -> Iterator[dict[str, Any]]:
    name = _cell_text(metric.name)
    for share in metric.shares:
        yield {"row": "share", "metric": name, **msgspec.structs.asdict(share), "value": _cell_text(share.value)}
    if metric.mean is not None or metric.exact_mean is not None:
        yield {"row": "mean", **msgspec.structs.asdict(metric), "metric": name}


def _cell_text(value: Any) -> str:
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULAS) else value
    return msgspec.json.encode(value).decode()
