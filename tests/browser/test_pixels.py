"""Five pictures as the browser draws them, beside the same as another program rasterises them: pixel by pixel, roughly.

Letters are drawn with other fonts, so that pictures are compared at a quarter of their size.
"""

from base64 import b64encode
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Page

from rendering.pictures.png import png
from tests.browser.conftest import GAMES

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"

FAR = 48
"""Of 255, by how much a pixel is another."""

MOST = 0.01
"""The share of pixels that may be."""


def pixels(image: bytes, size: tuple[int, int]) -> NDArray[np.int16]:
    small = Image.open(BytesIO(image)).convert("RGB").resize(size, Image.Resampling.BOX)
    return np.asarray(small, dtype=np.int16)


def unlike(page: Page, picture: bytes, other: bytes) -> float:
    """Give the share of pixels that differ between a picture in the browser and another one, rasterised."""
    page.set_content(f'<img src="data:image/svg+xml;base64,{b64encode(picture).decode()}">')
    image = page.locator("img")
    image.evaluate("image => image.decode()")
    shot = image.screenshot()
    wide, high = Image.open(BytesIO(shot)).size
    size = wide // 4, high // 4
    apart = np.abs(pixels(shot, size) - pixels(png(other), size)).max(axis=2)
    return float((apart > FAR).mean())


@pytest.mark.parametrize("game", GAMES)
def test_the_browser_and_the_rasteriser_draw_the_same(page: Page, game: str) -> None:
    picture = (PICTURES / f"{game}-sight.svg").read_bytes()
    page.emulate_media(color_scheme="light")
    assert unlike(page, picture, picture) < MOST
    # Without its ground it is another picture: what is compared would show.
    assert unlike(page, picture, picture.replace(b"f-floor", b"f-wall")) > 10 * MOST
