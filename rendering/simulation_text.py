"""Simulations and jobs as plain text for people: the outcome first, then numbers, then every unit in one line."""

import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from arbiter.question import Counted
from arbiter.simulation.statistics import Difference, Metric, Point, Share, Simulated
from rendering.simulation_view import Group, Order, Result, display_name, idle, metric_of, order, read, values_of
from rendering.sweep_labels import point_labels, reference_label, short_axes
from rendering.text import BAR, align

MOST_VALUES = 24
"""Values of a metric with their own line; the others share one."""

MOST_CLASSES = 4
"""Values of a metric with their own column in a sweep, the most frequent ones."""

MOST_POINTS_BY_UNIT = 5
"""Points of a sweep that are compared for every unit; the CSV has more."""

_LAWS = {
    "beside": "with the exact law",
    "too-many-paths": "without the law: too many paths",
    "heavy": "without the law: too heavy",
}


def simulation(result: Result) -> Iterator[str]:
    """Give the lines of a simulation's result."""
    made = read(result)
    each = (", each also in the mirror," if made.mirror else "") + (" at each point" if made.axes else "")
    yield f"{made.count:,} games of {made.question}{each}   ({made.game}; seed {made.seed}; {_LAWS[made.law]})"
    for title, choices in (("Policies", made.policies), ("Readings", made.readings)):
        if choices:
            yield f"  {title}: {', '.join(f'{who} {option}' for who, option in choices.items())}"
    for axis in short_axes(made.axes):
        between = "; " if any("," in label for label in axis.labels) else ", "
        yield f"  Varied: {axis.title}: {between.join(axis.labels)}"
    yield f"  In brackets: the interval that holds the true value in {made.confidence:.0%} of simulations."
    yield from _stalls(made)
    yield from _sweep(made, order(made)) if made.axes else _whole(made.points[0], order(made))
    yield from _examples(made)


def job(facts: Mapping[str, Any]) -> Iterator[str]:
    """Give the lines of a job, from its status."""
    progress = facts["progress"]
    yield f"Job {facts['id']} is {facts['state']}   ({facts['game']}, {facts['kind']} of {facts['question']})"
    yield f"  {progress['done']:,} of {progress['total']:,} games are over" + _seconds_left(facts)
    for when in ("created", "started", "finished", "expires"):
        if facts.get(when):
            yield f"  {when}: {facts[when]}"
    if cause := facts.get("cause"):
        yield f"  cause: {cause['detail']} ({cause['code']})"
    yield from (f"  {name}: {link}" for name, link in facts.get("links", {}).items() if isinstance(link, str))


def _seconds_left(facts: Mapping[str, Any]) -> str:
    left = facts.get("seconds_left")
    return "" if left is None else f", about {left:,.0f} s are left"


def _stalls(made: Simulated[Any]) -> Iterator[str]:
    """Say in how many games a round changes nothing."""
    labels = point_labels(made.axes)
    for point, label in zip(made.points, labels, strict=True):
        if share := idle(point):
            at = f" at {', '.join(label)}" if label else ""
            yield f"  Nothing changes for a whole round or more in {share:.1%} of games{at}: a policy may stall."


def _whole(point: Point, names: Order) -> Iterator[str]:
    yield from _forbidden_lines([point])
    for name in names.alone:
        metric = metric_of(point, name)
        if metric is not None:
            yield f"\n{name}{_mean(metric)}"
            yield from align(_shares(metric, point), bar=True)
    for group in names.groups:
        yield f"\n{group.title} …" if not group.title.startswith("is ") else f"\n… {group.title}"
        yield from align([[unit, *_of_unit(metric_of(point, name))] for unit, name in group.metrics.items()])
    yield from _mirror(point, names)


def _mirror(point: Point, names: Order) -> Iterator[str]:
    """Say what the positions of the sides and their order are worth: as posted compared with the mirror."""
    rows = []
    for name in names.alone:
        for each in point.mirror:
            if each.metric == name:
                value = "mean" if each.of == "mean" else display_name(each.value)
                rows.append([name, value, _change(each, "+.3g" if each.of == "mean" else "+.1%")])
    if rows:
        yield "\nAs posted, against the mirror"
        yield from align(rows)


def _mean(metric: Metric) -> str:
    if metric.mean is None:
        return ""
    law = "" if metric.exact_mean is None else f", by the law {metric.exact_mean:.4g}"
    return f", {metric.mean:.4g}{_ends(metric.low, metric.high, '.4g')} on average{law}; median {metric.median}"


def _ends(low: float | None, high: float | None, form: str) -> str:
    return "" if low is None or high is None else f" [{low:{form}} {high:{form}}]"


def _shares(metric: Metric, point: Point) -> list[list[str]]:
    lines = [_line(share) for share in metric.shares[:MOST_VALUES]]
    if rest := metric.shares[MOST_VALUES:]:
        games = sum(share.games for share in rest)
        part = games / max(1, point.games - point.forbidden)
        lines.append([f"{len(rest)} more", f"{games:,}", f"{part:.1%}", "", *_law(rest), "#" * round(BAR * part)])
    return lines


def _line(share: Share) -> list[str]:
    ends = _ends(share.low, share.high, ".1%").strip()
    return [
        display_name(share.value),
        f"{share.games:,}",
        f"{share.share:.1%}",
        ends,
        *_law([share]),
        "#" * round(BAR * share.share),
    ]


def _law(shares: Sequence[Share]) -> list[str]:
    chances = [share.probability for share in shares if share.probability is not None]
    if not chances:
        return ["", ""]
    exact = shares[0].exact if len(shares) == 1 else None
    # A fraction of many digits tells a reader no more than its percentage.
    return [f"law {sum(chances):.3%}", exact if exact is not None and len(exact) <= 15 else ""]


def _of_unit(metric: Metric | None) -> list[str]:
    """Give the summary of one unit: a mean, the share of yes, or the most frequent classes."""
    if metric is None:
        return ["-"]
    if metric.mean is not None:
        law = "" if metric.exact_mean is None else f"law {metric.exact_mean:.3g}"
        return [f"{metric.mean:.3g}", _ends(metric.low, metric.high, ".3g").strip(), f"median {metric.median}", law]
    if all(isinstance(share.value, bool) for share in metric.shares):
        yes = _share_of(metric, value=True)
        return (
            ["0.0%"] if yes is None else [f"{yes.share:.1%}", _ends(yes.low, yes.high, ".1%").strip(), _law([yes])[0]]
        )
    often = sorted(metric.shares, key=lambda share: -share.games)[:MOST_CLASSES]
    return [", ".join(f"{display_name(share.value)} {share.share:.1%}" for share in often if share.games)]


def _share_of(metric: Metric, value: Counted) -> Share | None:
    return next((share for share in metric.shares if share.value == value and type(share.value) is type(value)), None)


def _sweep(made: Simulated[Any], names: Order) -> Iterator[str]:
    yield from _forbidden_lines(made.points)
    titles, labels = [axis.title for axis in short_axes(made.axes)], point_labels(made.axes)
    against = f"against {reference_label(made)}"
    for name in names.alone:
        yield f"\n{name}" + (", on average" if name in names.numbers else "")
        columns: Sequence[Counted] = (None,)
        if name not in names.numbers:
            values = values_of(made.points, name)
            columns = [True] if all(isinstance(value, bool) for value in values) else values[:MOST_CLASSES]
        heads = ["mean"] if name in names.numbers else [display_name(value) for value in columns]
        rows = [[*titles, *(cell for head in heads for cell in (head, against))]]
        for point, label in zip(made.points, labels, strict=True):
            cells = [_cells(point, name, value, mean=name in names.numbers) for value in columns]
            rows.append([*label, *(part for cell in cells for part in cell)])
        yield from align(rows)
    yield "\n* changes by more than chance explains: the interval leaves out 0. Every point plays the same seeds."
    if names.groups and len(made.points) > MOST_POINTS_BY_UNIT:
        yield f"What became of each unit is shown for {MOST_POINTS_BY_UNIT} points at most; --csv and --json have all."
        return
    for group in names.groups:
        yield from _units_side_by_side(made, group)


def _cells(point: Point, name: str, value: Counted, *, mean: bool) -> tuple[str, str]:
    """Give a point's mean or share with its interval, and its difference from the first point."""
    metric = metric_of(point, name)
    differs = next((each for each in point.differences if each.metric == name and _is_of(each, value, mean=mean)), None)
    changed = "" if differs is None else _change(differs, "+.1%" if not mean else "+.3g")
    if metric is None or point.games == point.forbidden:
        return "-", changed
    if mean:
        law = "" if metric.exact_mean is None else f" law {metric.exact_mean:.3g}"
        return f"{metric.mean:.3g}{_ends(metric.low, metric.high, '.3g')}{law}", changed
    share = _share_of(metric, value)
    if share is None:
        return "0.0%", changed
    law = "" if share.probability is None else f" law {share.probability:.1%}"
    return f"{share.share:.1%}{_ends(share.low, share.high, '.1%')}{law}", changed


def _is_of(difference: Difference, value: Counted, *, mean: bool) -> bool:
    if mean or difference.of == "mean":
        return mean and difference.of == "mean"
    return difference.value == value and type(difference.value) is type(value)


def _change(differs: Difference, form: str) -> str:
    sure = differs.low is not None and differs.high is not None and (differs.low > 0 or differs.high < 0)
    by = f"{differs.difference:{form}}" if differs.difference else "0"
    ends = _ends(differs.low, differs.high, form) if differs.low or differs.high else ""
    return f"{by}{ends}{' *' if sure else ''}"


def _units_side_by_side(made: Simulated[Any], group: Group) -> Iterator[str]:
    yield f"\n{group.title} …" if not group.title.startswith("is ") else f"\n… {group.title}"
    rows = [["", *(", ".join(label) for label in point_labels(made.axes))]]
    for unit, name in group.metrics.items():
        rows.append([unit, *(" ".join(_of_unit(metric_of(point, name))[:2]) for point in made.points)])
    yield from align(rows)


def _forbidden_lines(points: Iterable[Point]) -> Iterator[str]:
    for point in points:
        if point.forbidden:
            where = ", ".join(f"{place} is {display_name(value)}" for place, value in point.values.items())
            yield f"  The book forbids {point.forbidden:,} of {point.games:,} games" + (
                f" where {where}" if where else ""
            )


def _examples(made: Simulated[Any]) -> Iterator[str]:
    if not made.sample_games:
        return
    yield "\nSample games; each is played again by its seed"
    settled = [f"{who}={policy}" for who, policy in made.policies.items()]
    more = f" --policies {shlex.join(settled)}" if settled else ""
    if made.readings:
        more += f" --readings {shlex.join(f'{id_}={option}' for id_, option in made.readings.items())}"
    for game in made.sample_games:
        ranked_by = "" if made.ranked_by is None else f", by {made.ranked_by}"
        command = shlex.join(["arbiter", "ask", made.game, made.question])
        yield f"  the {game.which}{ranked_by}: game {game.game}"
        yield f"    {command} CASE --seed {shlex.quote(game.seed)}{more}"
