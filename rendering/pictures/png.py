"""Pictures as PNG: rasterised by resvg with the fonts of matplotlib, the same everywhere."""

import re
from functools import cache
from pathlib import Path

MOST_PIXELS = 1_200
"""Pixels of a picture's width or height at most."""

ZOOM = 1.5
"""The number of pixels for a unit of the SVG, if that is not too many."""

_SIZE = re.compile(rb'<svg [^>]*?width="([0-9.]+)" height="([0-9.]+)"')


@cache
def _fonts() -> list[str]:
    # Only PNGs need matplotlib.
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return [str(folder / name) for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf")]


def png(svg: bytes) -> bytes:
    """Rasterise one of our pictures, which must not have the theme `auto`: the rasteriser knows no reader's page."""
    import resvg_py

    size = _SIZE.search(svg)
    wide, high = (float(part) for part in size.groups()) if size else (MOST_PIXELS, MOST_PIXELS)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg.decode(),
            zoom=min(ZOOM, MOST_PIXELS / max(wide, high)),
            skip_system_fonts=True,
            font_files=_fonts(),
            font_family="DejaVu Sans",
            sans_serif_family="DejaVu Sans",
        )
    )
