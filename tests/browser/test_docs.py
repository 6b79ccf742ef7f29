"""The documentation in a browser: on a phone, in the dark, without a script, and the contract to be tried out."""

import json
import re
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import GAMES
from tests.browser.tables import operations, settled

PHONE: Any = {"width": 390, "height": 844}
QUESTIONS = {
    "blackstone-fortress": "attack",
    "rapture": "shoot",
    "size-skirmish": "line-of-sight",
    "stargrave": "shoot",
    "warleague": "attack",
}
PAGES = ("/docs", "/docs/stargrave", *(f"/docs/{game}/{question}" for game, question in QUESTIONS.items()))


def violations(page: Page) -> list[tuple[str, list[str]]]:
    """Give what axe finds, with the first elements that have it."""
    found = Axe().run(page).response["violations"]
    return [(each["id"], [node["html"] for node in each["nodes"]][:3]) for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", PAGES)
def test_axe_finds_nothing_on_a_phone_and_nothing_is_wider(
    browser: Browser, base_url: str, address: str, scheme: Any
) -> None:
    context = browser.new_context(base_url=base_url, viewport=PHONE, is_mobile=True, color_scheme=scheme)
    page = context.new_page()
    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    for image in page.locator("img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("image => image.naturalWidth") > 0
    assert violations(page) == []
    context.close()


def test_it_is_read_without_a_script_from_the_doors_to_a_type(browser: Browser, base_url: str) -> None:
    context = browser.new_context(base_url=base_url, java_script_enabled=False)
    page = context.new_page()
    page.goto("/")
    page.get_by_role("navigation").get_by_role("link", name="Documentation").click()
    page.get_by_role("link", name="WarLeague", exact=True).click()
    page.get_by_role("link", name="line of sight", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Line of sight")
    expect(page.locator(".verdict")).to_be_visible()
    page.get_by_role("table").get_by_role("link", name="Scene", exact=True).first.click()
    assert page.url.endswith("#posted-WarleagueScene")
    expect(page.locator("#posted-WarleagueScene")).to_be_in_viewport()
    context.close()


@pytest.mark.parametrize("game", GAMES)
def test_an_example_opens_in_the_table_with_its_question(page: Page, game: str) -> None:
    page.goto(f"/docs/{game}/{QUESTIONS[game]}")
    page.get_by_role("link", name="Open it in the table").click()
    expect(page.locator("#ruling .verdict")).to_be_visible()
    settled(page)
    assert f"e={QUESTIONS[game]}." in page.url
    expect(page.locator("#asks button[aria-pressed=true]")).to_have_count(1)


def test_an_example_that_is_behind_no_button_opens_as_it_stands(page: Page) -> None:
    page.goto("/docs/blackstone-fortress/event")
    page.get_by_role("link", name="Open it in the table").click()
    expect(page.locator("#board svg")).to_be_visible()
    expect(page.get_by_label("Scene")).to_have_value(re.compile(r"event\.\d+"))


@pytest.mark.parametrize("game", GAMES)
def test_the_contract_lists_operations_and_shows_one(page: Page, game: str) -> None:
    page.goto(f"/docs/{game}/contract")
    expect(operations(page).first).to_be_visible()
    operations(page).first.click()
    expect(page.locator("openapi-explorer .expanded-endpoint-body")).to_contain_text(f"post /v1/games/{game}/")


def test_a_question_leads_to_its_operation(page: Page) -> None:
    page.goto("/docs/stargrave/shoot")
    page.get_by_role("link", name="contract", exact=True).click()
    expect(page.locator("openapi-explorer .expanded-endpoint-body")).to_contain_text("post /v1/games/stargrave/shoot")


def test_an_operation_shows_the_schemas_of_its_bodies_and_a_schema_has_an_address(page: Page) -> None:
    page.goto("/docs/stargrave/contract#?route=post-/v1/games/stargrave/shoot")
    body, answer = (page.locator(f"openapi-explorer {part}") for part in ("api-request", "api-response"))
    expect(body.get_by_text("StargraveShootCase", exact=True).first).to_be_visible()
    expect(answer.get_by_text("StargraveShotAnswer", exact=True).first).to_be_visible()
    body.get_by_text("StargraveShootCase", exact=True).first.click()
    shown = page.locator("openapi-explorer .expanded-endpoint-component")
    expect(shown).to_have_count(1)
    expect(shown).to_contain_text("shooter")
    page.reload()
    expect(shown).to_contain_text("StargraveShootCase")
    expect(shown).to_contain_text("shooter")


@pytest.mark.parametrize("game", GAMES)
def test_the_viewer_sends_an_example_of_the_service_that_is_answered(page: Page, game: str) -> None:
    page.goto(f"/docs/{game}/contract#?route=post-/v1/games/{game}/{QUESTIONS[game]}")
    request = page.locator("openapi-explorer api-request")
    request.get_by_role("button", name="Body").click()
    listed = page.request.get(f"/v1/games/{game}/questions/{QUESTIONS[game]}/examples").json()["examples"]
    body = request.locator("textarea.request-body-param-user-input")
    assert json.loads(body.input_value()) == listed[0]["body"]
    with page.expect_response(lambda answer: answer.request.method == "POST") as answered:
        request.locator(".btn-execute").click()
    assert answered.value.status == 200
    assert answered.value.json()["question"] == QUESTIONS[game]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_contract_is_read_on_a_phone_and_in_the_dark(browser: Browser, base_url: str, scheme: Any) -> None:
    context = browser.new_context(base_url=base_url, viewport=PHONE, is_mobile=True, color_scheme=scheme)
    page = context.new_page()
    page.goto("/docs/stargrave/contract")
    first = page.locator("openapi-explorer .endpoint-head").first
    expect(first).to_be_in_viewport()
    expect(first).to_contain_text("/v1/games/stargrave/initiative")
    first.click()
    expect(page.locator("openapi-explorer .endpoint-body").first).to_contain_text("In which order the players go")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    behind = page.locator("openapi-explorer").evaluate("each => getComputedStyle(each).backgroundColor")
    assert behind == {"light": "rgb(255, 253, 247)", "dark": "rgb(36, 34, 30)"}[scheme]
    # The viewer is not ours, and leaves a level of its headings out.
    assert [each for each in violations(page) if each[0] != "heading-order"] == []
    context.close()
