from collections.abc import Iterator
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser.conftest import GAMES
from tests.browser.tables import centre, moves, opened, settled

PHONE: ViewportSize = {"width": 390, "height": 844}
PAGES = (
    "/",
    "/?shot=wall",
    *(f"/table#g={game}" for game in GAMES),
    "/table#g=warleague&u=bob&q=attack&t=ann",
    "/table#g=rapture&u=kit&q=moves",
    "/v1/rules?q=cover",
    "/problems",
    "/problems/too-large",
    "/v1/limits",
    "/v1/games/stargrave/rules/shooting-modifiers%2Fheavy-cover",
)
REPLAY = "/table#g=rapture&replay"
PERMALINK = "permalink"
SHOWN = ".verdict, .need, main h1, main h2"


def shown(page: Page, address: str) -> None:
    """Open a page, and wait until it says something; also a battle that is played out, and a ruling's own page."""
    if address == PERMALINK:
        scene = page.request.get("/table/scenes/stargrave.json").json()
        case = {"scene": scene["scene"], "observer": scene["unit"]}
        answer = page.request.post("/v1/games/stargrave/line-of-sight", data={"case": case})
        address = answer.headers["content-location"]
    page.goto("about:blank")
    page.goto(address)
    expect(page.locator(SHOWN).first).to_be_visible()
    if address == REPLAY:
        settled(page)
        page.get_by_role("button", name="Play it out").click()
        expect(page.get_by_label("Moment of the battle")).to_be_focused()


@pytest.fixture(scope="module")
def phone(browser: Browser, base_url: str) -> Iterator[Page]:
    context = browser.new_context(
        base_url=base_url, viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="dark"
    )
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("address", [*PAGES, PERMALINK, REPLAY])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(page: Page, address: str, scheme: Any) -> None:
    page.emulate_media(color_scheme=scheme)
    shown(page, address)
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found] == []


@pytest.mark.parametrize("address", [*PAGES, PERMALINK, REPLAY])
def test_nothing_is_wider_than_a_phone(phone: Page, address: str) -> None:
    shown(phone, address)
    assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("game", GAMES)
def test_letters_on_a_board_are_large_enough_for_a_phone_and_each_unit_has_some(phone: Page, game: str) -> None:
    phone.goto("/")
    opened(phone, game)
    smallest, unnamed = phone.locator("#board svg").evaluate(
        """svg => {
          const pixels = svg.getScreenCTM().a;
          const seen = [...svg.querySelectorAll("text")].filter(each => each.getClientRects().length);
          const named = new Set(seen.map(each => each.closest("[data-id]")?.dataset.id ?? each.textContent));
          const ids = [...svg.querySelectorAll("[data-id]")].map(each => each.dataset.id);
          return [Math.min(...seen.map(each => parseFloat(getComputedStyle(each).fontSize) * pixels)),
                  ids.filter(id => !named.has(id))];
        }"""
    )
    assert smallest >= 9.9
    assert unnamed == []


def test_a_finger_chooses_a_unit_and_taps_where_it_goes(phone: Page) -> None:
    phone.goto("/")
    opened(phone, "stargrave")
    phone.touchscreen.tap(*centre(phone, "ivo"))
    expect(phone.locator("#ruling .asked")).to_contain_text("ivo")
    settled(phone)
    x, y = centre(phone, "ivo")
    phone.touchscreen.tap(x + 6, y + 60)
    phone.wait_for_function("() => location.hash.includes('m=')")
    settled(phone)
    ((step,),) = moves(phone)
    assert step["path"].startswith("/figures/")
    assert centre(phone, "ivo") == pytest.approx((x + 6, y + 60), abs=6)


def test_a_phone_shows_the_name_of_the_chosen_unit_in_letters_that_are_read(phone: Page) -> None:
    phone.goto("/")
    opened(phone, "stargrave")
    names = phone.locator("#board .name:visible")
    expect(names).to_have_text(["sal"])
    size = names.first.evaluate("each => parseFloat(getComputedStyle(each).fontSize) * each.getScreenCTM().a")
    assert size >= 12
    phone.touchscreen.tap(*centre(phone, "ivo"))
    settled(phone)
    expect(names).to_have_text(["ivo"])


def test_a_permalink_leads_to_its_own_scene_and_question_in_the_table(page: Page) -> None:
    """Cy stands elsewhere than in the story, and is shot at with the dice of the ruling."""
    scene = page.request.get("/table/scenes/stargrave.json").json()["scene"]
    next(each for each in scene["figures"] if each["id"] == "cy")["at"] = [24.5, 22.0]
    case = {"scene": scene, "shooter": "sal", "weapon": "carbine", "targets": ["cy"]}
    dice = {"hand": {"sal: shooting": [18], "cy: combat": [6]}}
    answer = page.request.post("/v1/games/stargrave/shoot", data={"case": case, "dice": dice, "surplus": "ignore"})
    page.goto(answer.headers["content-location"])
    verdict = page.locator("h1").inner_text()
    page.get_by_role("link", name="The table").click()
    expect(page.locator("#ruling .verdict")).to_have_text(verdict)
    expect(page.locator("#ruling .asked")).to_contain_text("sal: Shoot cy")
    expect(page.get_by_label("Scene")).to_have_value("own")


def test_dark_pages_have_dark_boards(page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    opened(page, "stargrave")
    floor = page.locator("#board .f-floor").first
    assert floor.evaluate("each => getComputedStyle(each).fill") == "rgb(36, 34, 30)"
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(23, 22, 19)"


def test_the_front_page_asks_again_without_a_script(browser: Browser, base_url: str) -> None:
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    expect(page.locator(".verdict")).to_have_text("11 damage, stunned")
    page.get_by_role("link", name="Behind the wall").click()
    expect(page.locator(".verdict")).to_have_text("Forbidden")
    expect(page.locator(".steps")).to_contain_text("does not see")
    page.get_by_role("link", name="Roll again").click()
    first = page.url
    page.get_by_role("link", name="Roll again").click()
    assert page.url != first
    assert page.locator(".shot img").evaluate("image => image.complete && image.naturalWidth > 0")
    context.close()
