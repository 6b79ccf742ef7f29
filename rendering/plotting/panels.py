"""The content of a plot: the panels of a simulation and of sweeps over one, two and more pointers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from arbiter.simulation.statistics import Metric, Point, Simulated, wilson
from rendering.plotting.colours import INK, MARKERS, SERIES
from rendering.plotting.parts import Panel, Quantity, draw_laws, in_percent, legible
from rendering.plotting.sweeps import maps_of, of_one_axis, quantities
from rendering.simulation_view import Group, Order, display_name, metric_of, order, sides_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 12
"""Panels of one plot; the caption counts those that are left out."""

MOST_BARS = 30
"""Bars of a histogram; more numbers than that share bars."""

MOST_CLASSES = 10
"""Classes with their own bar; the rarest ones share the last bar."""

MOST_UNITS = 24
"""Units of one panel."""


def panels(result: Simulated[Any]) -> Iterator[Panel]:
    """Give all panels of a result, the most important first."""
    names = order(result)
    if not result.axes:
        yield from _of_simulation(result.points[0], names, sides_of(result))
    elif len(result.axes) == 1:
        yield from of_one_axis(result, names)
    else:
        # With a map for every combination of further pointers, there is space for only one quantity.
        for quantity in quantities(result, names)[: None if len(result.axes) == 2 else 1]:
            yield from maps_of(result, quantity)


def _of_simulation(point: Point, names: Order, sides: Mapping[str, int]) -> Iterator[Panel]:
    for name in names.alone:
        metric = metric_of(point, name)
        if metric is not None and metric.shares:
            yield _histogram(metric, point) if name in names.numbers else _classes(metric, point, sides)
    for group in names.groups:
        by_unit = {unit: metric for unit, name in group.metrics.items() if (metric := metric_of(point, name))}
        if panel := _units(group, by_unit, point, sides):
            yield panel


def _classes(metric: Metric, point: Point, sides: Mapping[str, int]) -> Panel:
    rows = [(display_name(share.value), share.games, share.probability) for share in metric.shares]
    if len(rows) > MOST_CLASSES:
        by_games = sorted(rows, key=lambda row: -row[1])
        shown, rest = by_games[: MOST_CLASSES - 1], by_games[MOST_CLASSES - 1 :]
        rows = [*(row for row in rows if row in shown), _together(f"{len(rest)} others", rest)]

    def draw(axes: "Axes") -> None:
        places = range(len(rows))
        colours = [SERIES[sides.get(name, 0) % len(SERIES)] for name, _, _ in rows]
        _bars(axes, places, rows, point, across=True, colours=colours)
        axes.set_yticks(places, [legible(name) for name, _, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        in_percent(axes, across=True)

    return Panel(legible(metric.name, 40), _describe(metric.name, rows, point), draw)


def _histogram(metric: Metric, point: Point) -> Panel:
    numbers = [int(share.value) for share in metric.shares if isinstance(share.value, int)]
    width = 1 + (max(numbers) - min(numbers)) // MOST_BARS
    bins: dict[int, list[tuple[str, int, float | None]]] = {}
    for number, share in zip(numbers, metric.shares, strict=True):
        bins.setdefault((number - min(numbers)) // width, []).append(("", share.games, share.probability))
    starts = [min(numbers) + at * width for at in bins]
    rows = [
        _together(str(start) if width == 1 else f"{start} to {start + width - 1}", held)
        for start, held in zip(starts, bins.values(), strict=True)
    ]
    mean = "" if metric.mean is None else f": mean {metric.mean:.4g}, median {metric.median}"

    def draw(axes: "Axes") -> None:
        from matplotlib.ticker import MaxNLocator

        _bars(axes, [start + (width - 1) / 2 for start in starts], rows, point, width=width)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        axes.set_xlim(starts[0] - 0.6, starts[-1] + width - 0.4)
        in_percent(axes)

    return Panel(legible(metric.name, 24) + mean, _describe(metric.name + mean, rows, point), draw)


def _together(name: str, rows: Sequence[tuple[str, int, float | None]]) -> tuple[str, int, float | None]:
    laws = [law for _, _, law in rows if law is not None]
    return name, sum(games for _, games, _ in rows), sum(laws) if laws else None


def _bars(
    axes: "Axes",
    places: Sequence[float],
    rows: Sequence[tuple[str, int, float | None]],
    point: Point,
    *,
    across: bool = False,
    width: float = 1,
    colours: Sequence[str] = (),
) -> None:
    ruled = point.games - point.forbidden
    shares = [games / ruled if ruled else 0.0 for _, games, _ in rows]
    ends = [wilson(games, ruled) for _, games, _ in rows]
    errors = [
        [max(0.0, share - low) for share, (low, _) in zip(shares, ends, strict=True)],
        [max(0.0, high - share) for share, (_, high) in zip(shares, ends, strict=True)],
    ]
    bar = axes.barh if across else axes.bar
    # Bars are pale, so that marks on them are visible on light and on dark pages.
    edges = colours or [SERIES[0]] * len(rows)
    faces = [(colour, 0.3) for colour in edges]
    bar(places, shares, 0.7 * width, facecolor=faces, edgecolor=edges, linewidth=1.2)
    if across:
        axes.errorbar(shares, places, xerr=errors, fmt="none", color=INK, elinewidth=1.2, capsize=2.5)
    else:
        axes.errorbar(places, shares, yerr=errors, fmt="none", color=INK, elinewidth=1.2, capsize=2.5)
    laws = [(place, law) for place, (_, _, law) in zip(places, rows, strict=True) if law is not None]
    draw_laws(axes, [(law, place) for place, law in laws] if across else laws)


def _describe(name: str, rows: Sequence[tuple[str, int, float | None]], point: Point) -> str:
    ruled = point.games - point.forbidden
    shown = ", ".join(f"{row} {games / ruled if ruled else 0:.1%}" for row, games, _ in rows)
    return f"{name}: {shown}"


def _units(group: Group, by_unit: Mapping[str, Metric], point: Point, sides: Mapping[str, int]) -> Panel | None:
    """Draw a metric of several units as one point with its interval each; classes other than yes and no are not."""
    rows = []
    for unit, metric in by_unit.items():
        mean = metric.mean is not None
        if not mean and not all(isinstance(share.value, bool) for share in metric.shares):
            return None
        if (at := Quantity(metric.name, mean, value=True).at(point)) is not None:
            rows.append((unit, mean, at))
    if not rows:
        return None
    means = rows[0][1]
    shown = rows[:MOST_UNITS]
    title = (
        f"{group.title} …" + (", mean" if means else "") if not group.title.startswith("is ") else f"… {group.title}"
    )

    def draw(axes: "Axes") -> None:
        places = range(len(shown))
        for place, (unit, _, (at, low, high)) in zip(places, shown, strict=True):
            number = sides.get(unit, 0) % len(SERIES)
            axes.errorbar(
                [at],
                [place],
                xerr=[[at - low], [high - at]],
                fmt=MARKERS[number],
                color=SERIES[number],
                ecolor=INK,
                elinewidth=1.2,
                capsize=2.5,
            )
        axes.set_yticks(places, [legible(unit) for unit, _, _ in shown], fontsize=9 if len(shown) <= 12 else 6.5)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        if all(low >= 0 for _, _, (_, low, _) in shown):
            axes.set_xlim(left=0)
        if not means:
            in_percent(axes, across=True)

    left_out = f", and {len(rows) - MOST_UNITS} more" if len(rows) > MOST_UNITS else ""
    says = ", ".join(f"{unit} {at:.3g}" if means else f"{unit} {at:.1%}" for unit, _, (at, _, _) in shown)
    return Panel(legible(title, 40), f"{title}: {says}{left_out}", draw)
