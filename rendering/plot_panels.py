"""What a plot shows: the panels of a simulation and of sweeps over one, two and more places."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.question import Counted
from arbiter.simulation.statistics import Metric, Point, Share, Simulated, wilson
from arbiter.sweep import Axis
from rendering.plot_colours import DASHES, INK, LAW, MARKERS, SERIES, on_cell
from rendering.simulation_view import Group, Order, called, is_mean, metric_of, order, values_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 12
"""Panels of one plot; the caption says how many are left out."""

MOST_BARS = 30
"""Bars of a histogram; more numbers than that share bars."""

MOST_CLASSES = 10
"""Classes that have a bar of their own; those that are rarest share the last bar."""

MOST_UNITS = 24
"""Units of one panel."""

MOST_WIDE = 26
"""Characters of a name in a plot."""


class Panel(NamedTuple):
    """One panel: what stands above it, what it says in words, and what draws it."""

    title: str
    says: str
    draw: Callable[["Axes"], None]


class Quantity(NamedTuple):
    """What a sweep shows of each point: the mean of a metric, or the share of one of its values."""

    metric: str
    mean: bool
    value: Counted = None

    @property
    def title(self) -> str:
        """What it is called."""
        return f"{self.metric}, mean" if self.mean else f"{self.metric}: {called(self.value)}"

    def at(self, point: Point) -> tuple[float, float, float] | None:
        """Give the quantity at a point with the ends of its interval; None where no game counted it."""
        metric = metric_of(point, self.metric)
        if metric is None or point.games == point.forbidden:
            return None
        if self.mean:
            if metric.mean is None:
                return None
            low, high = metric.low, metric.high
            return metric.mean, metric.mean if low is None else low, metric.mean if high is None else high
        share = self._share(metric)
        return (
            (0.0, *wilson(0, point.games - point.forbidden)) if share is None else (share.share, share.low, share.high)
        )

    def law(self, point: Point) -> float | None:
        """Give what the exact law says of it at a point, where it is known."""
        metric = metric_of(point, self.metric)
        if metric is None or self.mean:
            return None if metric is None else metric.exact_mean
        share = self._share(metric)
        return None if share is None else share.probability

    def _share(self, metric: Metric) -> Share | None:
        return next((share for share in metric.shares if _same(share.value, self.value)), None)


def panels(result: Simulated[Any]) -> Iterator[Panel]:
    """Give everything that could be drawn of a result, what matters most first."""
    names = order(result)
    if not result.axes:
        yield from _of_simulation(result.points[0], names)
    elif len(result.axes) == 1:
        yield from _of_one_axis(result, names)
    else:
        # With a map for every combination of further places, there is room for one quantity only.
        for quantity in _quantities(result, names)[: None if len(result.axes) == 2 else 1]:
            yield from _maps(result, quantity)


def legible(name: str, most: int = MOST_WIDE) -> str:
    """Give a name as it can be drawn: in one line, no longer than there is room for, and without control characters."""
    plain = "".join(sign if sign.isprintable() else " " if sign.isspace() else "\ufffd" for sign in name)
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def _of_simulation(point: Point, names: Order) -> Iterator[Panel]:
    for name in names.alone:
        metric = metric_of(point, name)
        if metric is not None and metric.shares:
            yield _histogram(metric, point) if name in names.numbers else _classes(metric, point)
    for group in names.groups:
        by_unit = {unit: metric for unit, name in group.metrics.items() if (metric := metric_of(point, name))}
        if panel := _units(group, by_unit, point):
            yield panel


def _classes(metric: Metric, point: Point) -> Panel:
    rows = [(called(share.value), share.games, share.probability) for share in metric.shares]
    if len(rows) > MOST_CLASSES:
        by_games = sorted(rows, key=lambda row: -row[1])
        shown, rest = by_games[: MOST_CLASSES - 1], by_games[MOST_CLASSES - 1 :]
        rows = [*(row for row in rows if row in shown), _together(f"{len(rest)} others", rest)]

    def draw(axes: "Axes") -> None:
        places = range(len(rows))
        _bars(axes, places, rows, point, across=True)
        axes.set_yticks(places, [legible(name) for name, _, _ in rows])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        _in_percent(axes, across=True)

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
        _in_percent(axes)

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
) -> None:
    ruled = point.games - point.forbidden
    shares = [games / ruled if ruled else 0.0 for _, games, _ in rows]
    ends = [wilson(games, ruled) for _, games, _ in rows]
    errors = [
        [max(0.0, share - low) for share, (low, _) in zip(shares, ends, strict=True)],
        [max(0.0, high - share) for share, (_, high) in zip(shares, ends, strict=True)],
    ]
    bar = axes.barh if across else axes.bar
    # Bars are pale, so that what stands on them is seen on light and on dark pages.
    bar(places, shares, 0.7 * width, facecolor=(SERIES[0], 0.3), edgecolor=SERIES[0], linewidth=1.2)
    if across:
        axes.errorbar(shares, places, xerr=errors, fmt="none", color=INK, elinewidth=1.2, capsize=2.5)
    else:
        axes.errorbar(places, shares, yerr=errors, fmt="none", color=INK, elinewidth=1.2, capsize=2.5)
    laws = [(place, law) for place, (_, _, law) in zip(places, rows, strict=True) if law is not None]
    _laws(axes, [(law, place) for place, law in laws] if across else laws)


def _laws(axes: "Axes", at: Sequence[tuple[float, float]]) -> None:
    if at:
        across, up = zip(*at, strict=True)
        # A mark is filled with nothing, so that the bar or the line under it stays to be seen.
        axes.plot(across, up, "D", color=LAW, markersize=6, markerfacecolor="none", markeredgewidth=1.6)


def _describe(name: str, rows: Sequence[tuple[str, int, float | None]], point: Point) -> str:
    ruled = point.games - point.forbidden
    shown = ", ".join(f"{row} {games / ruled if ruled else 0:.1%}" for row, games, _ in rows)
    return f"{name}: {shown}"


def _units(group: Group, by_unit: Mapping[str, Metric], point: Point) -> Panel | None:
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
        middle = [at for _, _, (at, _, _) in shown]
        errors = [[at - low for _, _, (at, low, _) in shown], [high - at for _, _, (at, _, high) in shown]]
        axes.errorbar(
            middle, places, xerr=errors, fmt=MARKERS[0], color=SERIES[0], ecolor=INK, elinewidth=1.2, capsize=2.5
        )
        axes.set_yticks(places, [legible(unit) for unit, _, _ in shown], fontsize=9 if len(shown) <= 12 else 6.5)
        axes.set_ylim(len(shown) - 0.4, -0.6)
        axes.set_xlim(left=0)
        if not means:
            _in_percent(axes, across=True)

    left_out = f", and {len(rows) - MOST_UNITS} more" if len(rows) > MOST_UNITS else ""
    says = ", ".join(f"{unit} {at:.3g}" if means else f"{unit} {at:.1%}" for unit, _, (at, _, _) in shown)
    return Panel(legible(title, 40), f"{title}: {says}{left_out}", draw)


def _quantities(result: Simulated[Any], names: Order) -> list[Quantity]:
    """Give what sweeps over two places and more show: classes of the first metric that has any, then means."""
    classes = []
    if names.classes:
        values = values_of(result.points, names.classes[0])
        classes = [Quantity(names.classes[0], mean=False, value=value) for value in _telling(values)]
    return [*classes, *(Quantity(name, mean=True) for name in _means(result, names))]


def _means(result: Simulated[Any], names: Order) -> list[str]:
    return [name for name in names.alone if name in names.numbers and is_mean(result.points, name)]


def _telling(values: Sequence[Counted]) -> Sequence[Counted]:
    """Leave out what follows from the rest: where there is only yes and no, yes says all."""
    return (True,) if all(isinstance(value, bool) for value in values) else values[: len(SERIES)]


def _of_one_axis(result: Simulated[Any], names: Order) -> Iterator[Panel]:
    for name in names.classes[:1]:
        shown = [Quantity(name, mean=False, value=value) for value in _telling(values_of(result.points, name))]
        yield _lines(result, shown[0].title if len(shown) == 1 else name, shown)
    for name in _means(result, names):
        yield _lines(result, f"{name}, mean", [Quantity(name, mean=True)])


def _lines(result: Simulated[Any], title: str, shown: Sequence[Quantity]) -> Panel:
    (axis,) = result.axes
    values = [point.values[axis.place] for point in result.points]
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)

    def draw(axes: "Axes") -> None:
        laws = []
        for number, quantity in enumerate(shown):
            # Classes beside each other on a place that has a name; on a number they stand above it.
            aside = 0.0 if numeric else 0.14 * (number - (len(shown) - 1) / 2)
            rows = [
                (float(value) if numeric else index + aside, at, quantity.law(point))
                for index, (value, point) in enumerate(zip(values, result.points, strict=True))
                if (at := quantity.at(point)) is not None
            ]
            rows.sort(key=lambda row: row[0])
            _line(axes, rows, number, None if quantity.mean else called(quantity.value), joined=numeric)
            laws += [(place, law) for place, _, law in rows if law is not None]
        _laws(axes, laws)
        axes.set_xlabel(legible(axis.place, 44))
        if not numeric:
            _name(axes, values)
            axes.set_xlim(-0.5, len(values) - 0.5)
        if not shown[0].mean:
            _in_percent(axes)
        if len(shown) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)

    return Panel(legible(title, 40), _describe_points(result.points, title, shown), draw)


def _line(
    axes: "Axes",
    rows: Sequence[tuple[float, tuple[float, float, float], float | None]],
    number: int,
    label: str | None,
    *,
    joined: bool,
) -> None:
    places = [place for place, _, _ in rows]
    middle, low, high = ([at[part] for _, at, _ in rows] for part in range(3))
    name = None if label is None else legible(label, 18)
    colour, marker = SERIES[number], MARKERS[number]
    if joined:
        axes.fill_between(places, low, high, color=colour, alpha=0.22, linewidth=0)
        axes.plot(places, middle, color=colour, marker=marker, linestyle=DASHES[number], label=name)
        return
    errors = [
        [at - end for at, end in zip(middle, low, strict=True)],
        [end - at for at, end in zip(middle, high, strict=True)],
    ]
    axes.errorbar(places, middle, yerr=errors, fmt=marker, color=colour, elinewidth=1.4, capsize=2.5, label=name)


def _describe_points(points: Sequence[Point], title: str, shown: Sequence[Quantity]) -> str:
    texts = []
    for point in points:
        where = ", ".join(called(value) for value in point.values.values())
        each = (
            f"{called(quantity.value)} {at[0]:.1%}" if not quantity.mean else f"{at[0]:.4g}"
            for quantity in shown
            if (at := quantity.at(point)) is not None
        )
        texts.append(f"at {where}: {', '.join(each) or 'nothing'}")
    return f"{title}; {'; '.join(texts)}"


def _maps(result: Simulated[Any], quantity: Quantity) -> Iterator[Panel]:
    """Give a map of the last two places for every combination of the others."""
    # Every map of the plot has the same colours for the same numbers.
    every = [at[0] for point in result.points if (at := quantity.at(point)) is not None]
    ends = min(every, default=0.0), max(every, default=0.0)
    maps: dict[tuple[int, ...], list[_Cell]] = {}
    places = product(*(range(len(axis.values)) for axis in result.axes))
    for (*others, row, column), point in zip(places, result.points, strict=True):
        maps.setdefault(tuple(others), []).append(_Cell(row, column, point))
    for fixed, cells in maps.items():
        where = ", ".join(
            f"{axis.place.rsplit('/', 1)[-1]} {called(axis.values[at])}"
            for axis, at in zip(result.axes, fixed, strict=False)
        )
        yield _map(result.axes[-2:], f"{quantity.title} ({where})" if where else quantity.title, quantity, cells, ends)


class _Cell(NamedTuple):
    row: int
    column: int
    point: Point


def _map(
    axes_of_sweep: Sequence[Axis], title: str, quantity: Quantity, cells: Sequence[_Cell], ends: tuple[float, float]
) -> Panel:
    (down, across), (least, most) = axes_of_sweep, ends

    def draw(axes: "Axes") -> None:
        from matplotlib import colormaps
        from matplotlib.colors import to_hex
        from matplotlib.patches import Rectangle

        for row, column, point in cells:
            if (at := quantity.at(point)) is None:
                axes.text(column, row, "–", ha="center", va="center")
                continue
            level = (at[0] - least) / (most - least) if most > least else 0.5
            colour = to_hex(colormaps["cividis"](level))
            axes.add_patch(Rectangle((column - 0.5, row - 0.5), 1, 1, facecolor=colour, linewidth=0))
            shown = f"{at[0]:.3g}" if quantity.mean else f"{at[0]:.0%}"
            axes.text(column, row, shown, ha="center", va="center", color=on_cell(colour), fontsize=8)
        axes.set_yticks(range(len(down.values)), [legible(called(value), 14) for value in down.values])
        _name(axes, across.values)
        axes.set_ylabel(legible(down.place, 36))
        axes.set_xlabel(legible(across.place, 36))
        axes.set_xlim(-0.5, len(across.values) - 0.5)
        axes.set_ylim(len(down.values) - 0.5, -0.5)
        axes.grid(visible=False)

    return Panel(legible(title, 44), _describe_points([cell.point for cell in cells], title, [quantity]), draw)


def _name(axes: "Axes", values: Sequence[Any]) -> None:
    """Write values below their places, askew where they are too long to stand side by side."""
    names = [legible(called(value), 14) for value in values]
    askew = sum(len(name) + 2 for name in names) > 36
    axes.set_xticks(range(len(names)), names, rotation=30 if askew else 0, ha="right" if askew else "center")


def _in_percent(axes: "Axes", *, across: bool = False) -> None:
    from matplotlib.ticker import PercentFormatter

    if across:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(visible=False, axis="y")
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(visible=False, axis="x")


def _same(one: Counted, other: Counted) -> bool:
    return one == other and type(one) is type(other)
