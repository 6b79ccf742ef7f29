"""What a player does at the table, as the tests do it."""

import json
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect


def opened(page: Page, game: str, more: str = "") -> None:
    """Open the table of a game, and wait for the first ruling."""
    page.goto(f"/table#g={game}{more}")
    expect(page.locator("#ruling .verdict")).to_be_visible()
    settled(page)


def settled(page: Page) -> None:
    """Wait until what is shown is the answer to what was asked last."""
    expect(page.locator("#ruling")).to_have_attribute("aria-busy", "false")


def unit(page: Page, name: str) -> Locator:
    """Give a unit, or the first model of a squad."""
    return page.locator(f'#board [data-id="{name}"]').first


def centre(page: Page, name: str) -> tuple[float, float]:
    """Give where a unit is on the screen."""
    box = unit(page, name).locator("circle").first.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, name: str, across: float, down: float) -> None:
    """Drag a unit by the mouse, and wait for the answer."""
    x, y = centre(page, name)
    before = page.url
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + across, y + down, steps=4)
    page.mouse.up()
    page.wait_for_function("before => location.href !== before", arg=before)
    settled(page)


def click(page: Page, name: str) -> None:
    """Click on a unit."""
    page.mouse.click(*centre(page, name))
    settled(page)


def moves(page: Page) -> list[Any]:
    """Give the steps that the address holds, which is written once the answer is painted."""
    settled(page)
    return json.loads(parse_qs(urlsplit(page.url).fragment).get("m", ["[]"])[0])


def operations(page: Page) -> Locator:
    """Give the operations that the page of a contract lists."""
    return page.locator("openapi-explorer .nav-bar-path")


def grid(page: Page) -> Any:
    """Give what the picture says of its board."""
    return json.loads(page.locator("[data-grid]").get_attribute("data-grid") or "null")
