"""The colours of pictures, each for light and for dark pages, and the one style sheet that every picture has.

Colours are applied by classes: `f-wall` fills and `s-wall` strokes with the colour `wall`. No picture has other styles,
so that a page with a strict policy can allow the sheet by its digest (`SHEETS`). Sides and lines have a contrast of at
least 4.5 to the floor, and also differ in shape or dashes.
"""

from collections.abc import Mapping
from typing import Literal

from arbiter.drawing import Verdict

Theme = Literal["auto", "light", "dark"]

COLOURS: dict[str, tuple[str, str]] = {
    "paper": ("#f6f2e8", "#171613"),
    "floor": ("#fffdf7", "#24221e"),
    "grid": ("#ddd5c2", "#3a362f"),
    "ink": ("#25221c", "#f1ece0"),
    "dim": ("#6f6858", "#a79f8e"),
    "wall": ("#3a3530", "#d8d0c0"),
    "edge": ("#b98b16", "#e2b53c"),
    "rock": ("#a79d8b", "#575045"),
    "vein": ("#8a8172", "#756c5d"),
    "rough": ("#dfe6c8", "#2f3724"),
    "grass": ("#7c8b4d", "#8fa05c"),
    "water": ("#c8e1ee", "#1e3a49"),
    "wave": ("#4b93b8", "#5fa9cf"),
    "low": ("#d9cdb4", "#3b352a"),
    "mid": ("#bfb095", "#4d4637"),
    "high": ("#9c8c72", "#665c48"),
    "shade": ("#000000", "#000000"),
    "a": ("#0a5fa5", "#6db7f2"),
    "b": ("#b5480c", "#ff9d5c"),
    "c": ("#7a6400", "#e3cf52"),
    "d": ("#9b4a80", "#f0a3d3"),
    "n": ("#4d4d45", "#cfcfc4"),
    "yes": ("#12805c", "#45d6a0"),
    "part": ("#a86400", "#f2b047"),
    "no": ("#c22f2f", "#ff7d75"),
    "lava": ("#ee6a40", "#ff7a4d"),
    "hole": ("#2a2622", "#0a0908"),
    "loot": ("#d9a400", "#f0c33c"),
    "pale": ("#fffdf7", "#fffdf7"),
    "print": ("#25221c", "#25221c"),
}
"""Each colour by its name: on light pages, and on dark ones. `print` and `pale` are written on
loot and lava, and on holes."""

SIDES = ("a", "b", "c", "d")
"""The colours of sides in their order; the neutral side has `n`."""

NAMED = {"blue": 0, "red": 1, "orange": 1, "yellow": 2, "gold": 2, "pink": 3, "purple": 3}
"""The index of the colour for a side whose name is a colour."""

VERDICTS: Mapping[Verdict, str] = {"seen": "yes", "cover": "part", "blocked": "no", "aimed": "ink"}
"""The colours of lines and rings."""

DASHES = {"seen": "", "cover": "9 3", "blocked": "2 3", "aimed": "8 3 2 3"}
"""The dashes of lines and rings, for readers who cannot distinguish the colours."""

_TEXT = """\
text{font:600 11px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.title{font-size:15px;font-weight:700}.note{font-size:11px;font-weight:400}
.name{font-size:10px;text-anchor:middle;paint-order:stroke;stroke-width:3px;stroke-linejoin:round}
.in{font-weight:700;text-anchor:middle}.small{font-size:8.5px}.tiny{font-size:8px;font-weight:400;text-anchor:middle}
.none{fill:none}.end{text-anchor:end}.mid{text-anchor:middle}
.w400{font-weight:400}.w700{font-weight:700}.z13{font-size:13px}.z16{font-size:16px}.z24{font-size:24px}
.z40{font-size:40px}.z32{font-size:32px}.z20{font-size:20px}
"""


def side_colour(side: int) -> str:
    """Give the name of a side's colour."""
    return "n" if side < 0 else SIDES[side % len(SIDES)]


def _rules(dark: bool) -> str:
    return "".join(f".f-{name}{{fill:{pair[dark]}}}.s-{name}{{stroke:{pair[dark]}}}" for name, pair in COLOURS.items())


def sheet(theme: Theme) -> str:
    """Give the style sheet of every picture of a theme; `auto` follows the reader's page."""
    if theme == "auto":
        return (
            f"svg{{color-scheme:light dark}}{_TEXT}{_rules(False)}@media(prefers-color-scheme:dark){{{_rules(True)}}}"
        )
    return _TEXT + _rules(theme == "dark")


SHEETS: dict[Theme, str] = {theme: sheet(theme) for theme in ("auto", "light", "dark")}
