"""Measures the table: `python -m tests.browser.measure [URL]`, of a service that is running without quotas.

For each game the median of 20 drops of a unit, from letting go of it to the answer drawn; and the first paint of the
pages, and when the first operation of a game's contract is seen. The browser measures, by its own clock.
"""

import json
import shutil
import statistics
import sys
from collections.abc import Iterable, Sequence

from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.tables import centre, moves, opened, operations, settled

UNITS = {
    "blackstone-fortress": "espern",
    "rapture": "kit",
    "size-skirmish": "ari",
    "stargrave": "sal",
    "warleague": "bob",
}
DROPS = 20
VISITS = 5
STRIDE = (0.7549, 0.5698)
"""Parts of the board's width and depth between one drop and the next: multiples of both spread evenly over it (R2)."""
MEASURES = "() => performance.getEntriesByName('answered').map(each => each.duration)"
PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0].startTime"


def drops(page: Page, game: str, unit: str) -> list[float]:
    """Drop a unit at one place after the other; give the milliseconds of each drop, until its answer was painted.

    No place comes twice: the service remembers what is seen from where, and a player seldom goes back. A drop where the
    unit was before, or that is refused, does not count.
    """
    board = page.locator("#board .ground").first
    opened(page, game)
    page.wait_for_timeout(2_000)
    places, taken = set[str](), []
    for number in range(4 * DROPS):
        page.evaluate("() => performance.clearMeasures()")
        before = len(moves(page))
        box = board.bounding_box()
        assert box is not None
        page.mouse.move(*centre(page, unit))
        page.mouse.down()
        across, down = (0.1 + 0.8 * (number * stride % 1) for stride in STRIDE)
        page.mouse.move(box["x"] + across * box["width"], box["y"] + down * box["height"], steps=2)
        page.mouse.up()
        page.wait_for_timeout(150)
        settled(page)
        steps = moves(page)
        place = json.dumps(steps[-1:])
        if len(steps) > before and place not in places:
            taken += page.evaluate(MEASURES)
        places.add(place)
        if len(taken) == DROPS:
            break
    return taken


def lines(browser: Browser, url: str) -> Iterable[str]:
    """Tell what was measured, line by line."""
    page = browser.new_page(base_url=url, viewport={"width": 1360, "height": 860})
    for game, unit in UNITS.items():
        taken = drops(page, game, unit)
        median, most = statistics.median(taken), max(taken)
        yield f"{game:20} drop to answer, median of {len(taken)}: {median:6.1f} ms, most {most:6.1f}"
    for path in ("/", "/table", "/docs", "/docs/stargrave/shoot"):
        fresh = browser.new_context(base_url=url).new_page()
        fresh.goto(path)
        fresh.wait_for_timeout(500)
        yield f"{path:20} first paint: {fresh.evaluate(PAINT):6.0f} ms"
    for game in UNITS:
        visits = []
        for _ in range(VISITS):
            fresh = browser.new_context(base_url=url).new_page()
            fresh.goto(f"/docs/{game}/contract", wait_until="commit")
            operations(fresh).first.wait_for()
            visits.append(fresh.evaluate("() => performance.now()"))
        yield f"{game:20} first operation of the contract, median of {VISITS}: {statistics.median(visits):6.0f} ms"


def main(arguments: Sequence[str]) -> None:
    """Measure a service, and print a table."""
    url = arguments[0] if arguments else "http://127.0.0.1:8000"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for line in lines(browser, url):
            print(line)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
