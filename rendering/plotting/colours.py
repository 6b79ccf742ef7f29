"""The colours of plots: each once for light pages and once for dark ones, distinct for colour-blind readers, too.

A plot is drawn for a light page. Its style sheet gives every colour its dark counterpart if the reader's page is dark;
the background is the page's own. All colours except `FAINT`, which is only for guide lines, have a contrast of at least
4.5 to white, and their counterparts to `DARK_PAGE`.
"""

from typing import Any

DARK_PAGE = "#111111"

INK = "#1f2328"
FAINT = "#c3c8ce"

SERIES = ("#0072b2", "#b34700", "#00795a", "#9b4a80", "#7a6400", "#5f6368")
"""Colours of lines and bars; each has its own marker and dashes in `MARKERS` and `DASHES`."""

MARKERS = ("o", "s", "^", "v", "P", "X")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (5, 1.5, 1.2, 1.5)), (0, (8, 2)), (0, (2, 3)))

LAW = SERIES[3]
"""The marks of exact chances; diamonds, which no series has."""

DARK = {
    INK: "#e6edf3",
    FAINT: "#3d444d",
    **dict(zip(SERIES, ("#58b0f0", "#ff9b57", "#3fd0a4", "#f0a3d3", "#e8d44d", "#b3b9c1"), strict=True)),
}
"""The counterpart of every colour on a dark page."""

ON_LIGHT_CELL, ON_DARK_CELL = "#101010", "#ffffff"
"""The colours of numbers on the cells of heat maps, which are the same on any page."""


def style() -> str:
    """Give the style sheet of a plot: it selects elements by the style they were drawn with.

    A rule names no ancestors of its element, because browsers match the markers of a line without them.
    """
    rules = "".join(
        f'[style*="{paint}: {light}"]{{{paint}:{dark}!important}}'
        for light, dark in DARK.items()
        for paint in ("fill", "stroke")
    )
    return f":root{{color-scheme:light dark}}@media(prefers-color-scheme:dark){{{rules}}}"


def contrast(one: str, other: str) -> float:
    """Give the contrast of two colours by WCAG 2: from 1 for equal ones to 21 for black and white."""
    bright, dim = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


def on_cell(colour: str) -> str:
    """Give the colour to write with on a cell of this colour."""
    return max(ON_LIGHT_CELL, ON_DARK_CELL, key=lambda pen: contrast(pen, colour))


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
