"""Elements of plots: a panel, the quantities of a sweep, and shared settings of axes."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from arbiter.question import Counted
from arbiter.simulation.statistics import Difference, Metric, Point, Share, wilson
from rendering.plotting.colours import LAW
from rendering.simulation_view import display_name, metric_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_WIDE = 26
"""Characters of a name in a plot."""


class Panel(NamedTuple):
    """One panel: its title, its content in words, and the function that draws it."""

    title: str
    says: str
    draw: Callable[["Axes"], None]


class Quantity(NamedTuple):
    """The quantity of a sweep at each point: the mean of a metric, or the share of one of its values."""

    metric: str
    mean: bool
    value: Counted = None

    @property
    def title(self) -> str:
        """The name of the quantity."""
        return f"{self.metric}, mean" if self.mean else f"{self.metric}: {display_name(self.value)}"

    def at(self, point: Point) -> tuple[float, float, float] | None:
        """Give the quantity at a point with the ends of its interval; None if no game counted it."""
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

    def differs(self, point: Point) -> Difference | None:
        """Give the difference of the quantity from that of the point of reference."""
        return next(
            (
                each
                for each in point.differences
                if each.metric == self.metric
                and (each.of == "mean") is self.mean
                and (self.mean or same(each.value, self.value))
            ),
            None,
        )

    def law(self, point: Point) -> float | None:
        """Give its value by the exact law at a point, if it is known."""
        metric = metric_of(point, self.metric)
        if metric is None or self.mean:
            return None if metric is None else metric.exact_mean
        share = self._share(metric)
        return None if share is None else share.probability

    def _share(self, metric: Metric) -> Share | None:
        return next((share for share in metric.shares if same(share.value, self.value)), None)


def legible(name: str, most: int = MOST_WIDE) -> str:
    """Give a name as it can be drawn: in one line, shortened to fit, and without control characters."""
    plain = "".join(sign if sign.isprintable() else " " if sign.isspace() else "\ufffd" for sign in name)
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def draw_laws(axes: "Axes", at: Sequence[tuple[float, float]]) -> None:
    """Mark exact chances."""
    if at:
        across, up = zip(*at, strict=True)
        # A mark has no fill, so that the bar or the line under it stays visible.
        axes.plot(across, up, "D", color=LAW, markersize=6, markerfacecolor="none", markeredgewidth=1.6)


def in_percent(axes: "Axes", *, across: bool = False) -> None:
    """Label an axis of shares, which begins at 0."""
    from matplotlib.ticker import PercentFormatter

    if across:
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(visible=False, axis="y")
    else:
        axes.set_ylim(bottom=0)
        axes.yaxis.set_major_formatter(PercentFormatter(1))
        axes.grid(visible=False, axis="x")


def same(one: Counted, other: Counted) -> bool:
    """Decide whether two values are the same; yes is not 1."""
    return one == other and type(one) is type(other)
