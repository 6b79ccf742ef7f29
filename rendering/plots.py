"""A simulation's result as a picture: SVG for light and dark pages, and for screen readers.

A simulation is drawn as small panels: the share of each class, the distribution of numbers, the outcome for each unit;
the exact law is added as diamonds if it is known. A sweep over one pointer is drawn as lines with bands, or as points
if the values are names; over two pointers as maps with numbers; over more, as one map for every combination of the
others. Equal results give equal bytes.
"""

import io
import re
import textwrap
import warnings
from collections.abc import Sequence
from threading import Lock
from typing import Any
from xml.sax.saxutils import escape

from arbiter.simulation.statistics import Simulated
from rendering.plotting.colours import FAINT, INK, style
from rendering.plotting.panels import MOST_PANELS, panels
from rendering.plotting.parts import Panel, legible
from rendering.simulation_view import Result, read

MOST_SAID = 4_000
"""Characters of the description in words."""

_PEN = Lock()
"""Matplotlib's settings are global to all threads, so one plot is drawn at a time."""

_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "arbiter",
    "text.parse_math": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.linewidth": 0.6,
    "grid.color": FAINT,
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "figure.titlesize": 12,
    "figure.labelsize": 8.5,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.8,
    "lines.markersize": 5.5,
}


def svg(result: Result) -> bytes:
    """Draw the result of a simulation; raises `msgspec.ValidationError` for an invalid one."""
    simulated = read(result)
    every = list(panels(simulated))
    shown = every[:MOST_PANELS]
    title = (
        f"{simulated.game}: {simulated.question}, {simulated.count:,} games"
        f"{' at each point' if simulated.axes else ''}, seed {legible(simulated.seed, 48)}"
    )
    caption = _caption(simulated, len(every) - len(shown))
    description = " ".join([caption, *(f"{panel.says}." for panel in shown)])
    return _with_description(_draw(shown, title, caption), title, description)


def _caption(result: Simulated[Any], left_out: int) -> str:
    if len(result.axes) < 2:
        lines = "Bands and thin lines" if result.axes else "Thin lines"
        parts = [f"{lines}: intervals that hold the true value in {result.confidence:.0%} of simulations."]
    else:
        parts = [
            f"Below each number: the interval that holds the true value in {result.confidence:.0%} of simulations."
        ]
    if result.law == "beside" and len(result.axes) < 2:
        parts.append("Diamonds: the exact law.")
    if forbidden := sum(point.forbidden for point in result.points):
        parts.append(f"The book forbids {forbidden:,} of the games, which are left out.")
    if left_out:
        parts.append(f"{left_out} more panels are left out.")
    parts.append(f"Policies: {', '.join(f'{who} {policy}' for who, policy in result.policies.items())}.")
    return " ".join(parts)


def _draw(shown: Sequence[Panel], title: str, caption: str) -> str:
    # The library takes half a second to load, and plots are rarely requested.
    from matplotlib import rc_context
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    columns = min(len(shown), 3 if len(shown) > 4 else 2) or 1
    rows = -(-len(shown) // columns) or 1
    with _PEN, rc_context(_SETTINGS), warnings.catch_warnings():
        # Names may be in a script that the library's fonts lack; the reader's browser has them.
        warnings.filterwarnings("ignore", "Glyph .* missing", UserWarning)
        figure = Figure(figsize=(4.1 * max(columns, 2), 0.9 + 2.8 * rows))
        figure.set_layout_engine(ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1))
        figure.suptitle(title, x=0.01, ha="left", weight="bold")
        figure.supxlabel("\n".join(textwrap.wrap(legible(caption, 600), 62 * max(columns, 2))), x=0.01, ha="left")
        grid = figure.subplots(rows, columns, squeeze=False)
        for place, axes in enumerate(grid.flat):
            if place < len(shown):
                axes.set_title(shown[place].title)
                shown[place].draw(axes)
            else:
                axes.set_axis_off()
        written = io.StringIO()
        nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(written, format="svg", transparent=True, metadata=nothing)
    return written.getvalue()


def _with_description(picture: str, title: str, description: str) -> bytes:
    """Add the names for screen readers and the style sheet to the drawing, and remove unneeded parts."""
    opening, inside = re.split(r"(?<=>)", picture[picture.index("<svg") :], maxsplit=1)
    description = legible(description, MOST_SAID)
    head = (
        f'{opening[:-1]} role="img" aria-labelledby="plot-title plot-description">'
        f'<title id="plot-title">{escape(title)}</title><desc id="plot-description">{escape(description)}</desc>'
        f"<style>{style()}</style>"
    )
    inside = inside.replace("'DejaVu Sans', sans-serif", "sans-serif")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head}{inside}'.encode()
