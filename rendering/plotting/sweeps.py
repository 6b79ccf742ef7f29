"""The panels of sweeps: lines and differences over one pointer, maps over two and more."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from arbiter.question import Counted
from arbiter.simulation.statistics import Point, Simulated
from rendering.plotting.colours import DASHES, INK, MARKERS, SERIES, on_cell
from rendering.plotting.parts import Panel, Quantity, draw_laws, in_percent, legible
from rendering.simulation_view import Order, display_name, is_mean, sides_of, values_of
from rendering.sweep_labels import ShortAxis, reference_label, short_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def quantities(result: Simulated[Any], names: Order) -> list[Quantity]:
    """Give the quantities of sweeps over two and more pointers: classes of the first metric with any, then means."""
    classes = []
    if names.classes:
        values = values_of(result.points, names.classes[0])
        classes = [Quantity(names.classes[0], mean=False, value=value) for value in _telling(values)]
    return [*classes, *(Quantity(name, mean=True) for name in _means(result, names))]


def _means(result: Simulated[Any], names: Order) -> list[str]:
    return [name for name in names.alone if name in names.numbers and is_mean(result.points, name)]


def _telling(values: Sequence[Counted]) -> Sequence[Counted]:
    """Leave out redundant values: of yes and no, only yes is needed."""
    return (True,) if all(isinstance(value, bool) for value in values) else values[: len(SERIES)]


def of_one_axis(result: Simulated[Any], names: Order) -> Iterator[Panel]:
    """Give the lines of a sweep over one pointer: shares of the first classes, then means, each with differences."""
    for name in names.classes[:1]:
        shown = [Quantity(name, mean=False, value=value) for value in _telling(values_of(result.points, name))]
        yield _lines(result, shown[0].title if len(shown) == 1 else name, shown)
        if differences := _differences(result, shown):
            yield differences
    for name in _means(result, names):
        yield _lines(result, f"{name}, mean", [Quantity(name, mean=True)])
        if differences := _differences(result, [Quantity(name, mean=True)]):
            yield differences


def _lines(result: Simulated[Any], title: str, shown: Sequence[Quantity]) -> Panel:
    (axis,), sides = short_axes(result.axes), sides_of(result)
    values = axis.values
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)

    def draw(axes: "Axes") -> None:
        laws = []
        for number, quantity in enumerate(shown):
            # Classes are side by side on a name; on a number they are above it.
            aside = 0.0 if numeric else 0.14 * (number - (len(shown) - 1) / 2)
            rows = [
                (float(value) if numeric else index + aside, at, quantity.law(point))
                for index, (value, point) in enumerate(zip(values, result.points, strict=True))
                if (at := quantity.at(point)) is not None
            ]
            rows.sort(key=lambda row: row[0])
            label = None if quantity.mean else display_name(quantity.value)
            _line(axes, rows, sides.get(label or "", number) % len(SERIES), label, joined=numeric)
            laws += [(place, law) for place, _, law in rows if law is not None]
        draw_laws(axes, laws)
        _along(axes, axis, numeric=numeric)
        if not shown[0].mean:
            in_percent(axes)
        if len(shown) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)

    return Panel(legible(title, 40), _describe_points(result.points, title, shown), draw)


def _differences(result: Simulated[Any], shown: Sequence[Quantity]) -> Panel | None:
    """Draw the difference of every point from that of reference; equal points are on the line of 0."""
    (axis,), sides = short_axes(result.axes), sides_of(result)
    labels = axis.labels
    rows = [
        [(index, difference) for index, point in enumerate(result.points) if (difference := quantity.differs(point))]
        for quantity in shown
    ]
    if not any(rows):
        return None

    def draw(axes: "Axes") -> None:
        axes.axhline(0, color=INK, linewidth=0.8)
        for number, (quantity, of_quantity) in enumerate(zip(shown, rows, strict=True)):
            aside = 0.14 * (number - (len(shown) - 1) / 2)
            label = None if quantity.mean else display_name(quantity.value)
            line = [
                (index + aside, _with_ends(difference.difference, difference.low, difference.high), None)
                for index, difference in of_quantity
            ]
            _line(axes, line, sides.get(label or "", number) % len(SERIES), label, joined=False)
        _along(axes, axis, numeric=False)
        if not shown[0].mean:
            from matplotlib.ticker import PercentFormatter

            axes.yaxis.set_major_formatter(PercentFormatter(1))
        if len(shown) > 1:
            axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)

    name = f"{shown[0].metric}{', mean' if shown[0].mean else ''}"
    title = f"{name}, against {reference_label(result)}"
    says = "; ".join(
        f"at {labels[index]}: {'' if quantity.mean else display_name(quantity.value) + ' '}"
        + (f"{difference.difference:+.3g}" if quantity.mean else f"{difference.difference:+.1%}")
        for quantity, of_quantity in zip(shown, rows, strict=True)
        for index, difference in of_quantity
    )
    return Panel(legible(title, 40), f"{title}; {says}", draw)


def _with_ends(at: float, low: float | None, high: float | None) -> tuple[float, float, float]:
    return at, at if low is None else low, at if high is None else high


def _along(axes: "Axes", axis: ShortAxis, *, numeric: bool) -> None:
    """Label the axis with the varied value, by the last name of its pointer."""
    axes.set_xlabel(legible(axis.title, 44))
    if not numeric:
        _name(axes, axis.labels)
        axes.set_xlim(-0.5, len(axis.values) - 0.5)


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
        where = ", ".join(display_name(value) for value in point.values.values())
        each = (
            f"{display_name(quantity.value)} {at[0]:.1%}" if not quantity.mean else f"{at[0]:.4g}"
            for quantity in shown
            if (at := quantity.at(point)) is not None
        )
        texts.append(f"at {where}: {', '.join(each) or 'nothing'}")
    return f"{title}; {'; '.join(texts)}"


def maps_of(result: Simulated[Any], quantity: Quantity) -> Iterator[Panel]:
    """Give a map of the last two pointers for every combination of the others."""
    # Every map of the plot has the same colours for the same numbers.
    every = [at[0] for point in result.points if (at := quantity.at(point)) is not None]
    ends = min(every, default=0.0), max(every, default=0.0)
    maps: dict[tuple[int, ...], list[_Cell]] = {}
    places = product(*(range(len(axis.values)) for axis in result.axes))
    for (*others, row, column), point in zip(places, result.points, strict=True):
        maps.setdefault(tuple(others), []).append(_Cell(row, column, point))
    short = short_axes(result.axes)
    for fixed, cells in maps.items():
        where = ", ".join(f"{axis.title} {axis.labels[at]}" for axis, at in zip(short, fixed, strict=False))
        yield _map(short[-2:], f"{quantity.title} ({where})" if where else quantity.title, quantity, cells, ends)


class _Cell(NamedTuple):
    row: int
    column: int
    point: Point


def _map(
    axes_of_sweep: Sequence[ShortAxis],
    title: str,
    quantity: Quantity,
    cells: Sequence[_Cell],
    ends: tuple[float, float],
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
            ends_ = f"{at[1]:.3g} to {at[2]:.3g}" if quantity.mean else f"{at[1]:.0%} to {at[2]:.0%}"
            axes.text(column, row, shown, ha="center", va="bottom", color=on_cell(colour), fontsize=8)
            axes.text(column, row, ends_, ha="center", va="top", color=on_cell(colour), fontsize=5.5)
        axes.set_yticks(range(len(down.values)), [legible(label, 14) for label in down.labels])
        _name(axes, across.labels)
        axes.set_ylabel(legible(down.title, 36))
        axes.set_xlabel(legible(across.title, 36))
        axes.set_xlim(-0.5, len(across.values) - 0.5)
        axes.set_ylim(len(down.values) - 0.5, -0.5)
        axes.grid(visible=False)

    return Panel(legible(title, 44), _describe_points([cell.point for cell in cells], title, [quantity]), draw)


def _name(axes: "Axes", labels: Sequence[str]) -> None:
    """Write values below their ticks, rotated if they are too long to fit side by side."""
    names = [legible(label, 14) for label in labels]
    askew = sum(len(name) + 2 for name in names) > 36
    axes.set_xticks(range(len(names)), names, rotation=30 if askew else 0, ha="right" if askew else "center")
