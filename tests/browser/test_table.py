import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.conftest import GAMES
from tests.browser.tables import centre, click, drag, grid, moves, opened, settled, unit

MOVED = {
    "blackstone-fortress": "espern",
    "rapture": "ada",
    "size-skirmish": "ari",
    "stargrave": "ivo",
    "warleague": "ann",
}


@pytest.mark.parametrize("game", GAMES)
def test_a_unit_goes_where_it_is_dragged_and_the_address_holds_it(page: Page, game: str) -> None:
    opened(page, game)
    here = page.locator("#board svg").evaluate("svg => svg.innerHTML")
    drag(page, MOVED[game], -45, 30)
    ((step,),) = moves(page)
    assert step["op"] == "replace"
    board = grid(page)
    if board["kind"] == "plane":
        a, b = step["value"]
        assert all(each / board["step"] == round(each / board["step"]) for each in (a, b))
        x, y = board["x"] + a * board["scale"], board["y"] - b * board["scale"]
    else:
        x, y = next(cell[2:] for cell in board["cells"] if cell[:2] == step["value"])
    at = page.locator(f'[data-place="{step["path"]}"]').get_attribute("data-at")
    assert [float(each) for each in (at or "").split()] == pytest.approx([x, y], abs=0.1)
    now = page.locator("#board svg").evaluate("svg => svg.innerHTML")
    page.reload()
    expect(page.locator("#ruling .verdict")).to_be_visible()
    settled(page)
    assert page.locator("#board svg").evaluate("svg => svg.innerHTML") == now
    page.get_by_role("button", name="Undo").click()
    settled(page)
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    assert moves(page) == []
    assert page.locator("#board svg").evaluate("svg => svg.innerHTML") == here


def test_arrow_keys_move_a_unit_by_a_step_and_the_focus_stays_on_it(page: Page) -> None:
    opened(page, "stargrave")
    sal = unit(page, "sal")
    sal.focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    page.wait_for_function("() => location.hash.includes('m=')")
    settled(page)
    assert [step["value"] for (step,) in moves(page)] == [[20.5, 5.5]]
    assert page.evaluate("document.activeElement.dataset.id") == "sal"


def test_a_base_upon_another_goes_back_and_the_fault_is_told_at_the_unit(page: Page) -> None:
    opened(page, "stargrave")
    (x, y), (there, below) = centre(page, "ines"), centre(page, "xan")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(there, below, steps=4)
    page.mouse.up()
    bubble = page.get_by_role("alert").filter(has_text="xan").or_(page.locator("#bubble:visible"))
    expect(bubble.first).to_be_visible()
    assert moves(page) == []
    assert centre(page, "ines") == pytest.approx((x, y), abs=1)
    box = page.locator("#bubble").bounding_box()
    assert box is not None
    assert abs(box["x"] + box["width"] / 2 - x) < 250


def test_a_shot_from_the_first_click_to_the_wound_that_stays(page: Page) -> None:
    """By hand: 18 and Shoot 4 make 22, 6 with Fight 3 and heavy cover 4 make 13; of 22, Armour 11 leaves 11."""
    opened(page, "stargrave")
    page.get_by_role("button", name="Shoot").click()
    settled(page)
    click(page, "cy")
    expect(page.locator("#ruling .verdict")).to_have_text("Roll the dice")
    page.get_by_role("button", name="18", exact=True).click()
    page.get_by_role("button", name="6", exact=True).click()
    expect(page.locator("#ruling .verdict")).to_have_text("11 damage, stunned")
    page.get_by_role("button", name="Take it").click()
    expect(page.locator("#ruling .verdict")).to_contain_text("in sight")
    (patch,) = moves(page)
    index = next(step["path"].split("/")[2] for step in patch if step.get("value") == "cy")
    assert {"op": "add", "path": f"/figures/{index}/stunned", "value": True} in patch
    expect(unit(page, "cy")).to_have_attribute("aria-label", re.compile("stunned"))


def test_a_reaction_is_chosen_and_weighed(page: Page) -> None:
    opened(page, "rapture")
    page.get_by_role("button", name="Shoot").click()
    settled(page)
    click(page, "gus")
    expect(page.locator("#ruling .verdict")).to_have_text("Blue chooses")
    page.get_by_role("button", name="What is each worth?").click()
    expect(page.locator(".worths .picked")).to_contain_text("Seek Shelter")
    page.get_by_role("button", name="Best reactions").click()
    page.get_by_role("button", name="Seek Shelter").click()
    expect(page.locator("#ruling .verdict")).to_have_text("Roll the dice")
    page.get_by_role("button", name="Roll for me").click()
    expect(page.locator("#ruling .rolls .die").first).to_be_visible()
    assert "seek-shelter" in page.url


def test_odds_add_up_and_their_fractions_are_shown_on_demand(page: Page) -> None:
    opened(page, "stargrave", "&e=story&u=sal&q=shoot&t=cy&p=%7B%22weapon%22%3A%22carbine%22%7D&v=odds")
    rows = page.locator(".bars").nth(1)
    shares = [float(text.split()[0]) for text in rows.locator(".share").all_inner_texts()]
    assert sum(shares) == pytest.approx(100, abs=0.2)
    expect(rows.locator(".mass").first).to_be_hidden()
    page.get_by_label("exact fractions").check()
    expect(rows.locator(".mass").first).to_be_visible()
    assert "/" in rows.locator(".mass").first.inner_text()


def test_a_copied_question_gives_the_ruling_on_the_page(page: Page, base_url: str) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened(page, "warleague")
    page.get_by_role("button", name="Copy as JSON").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    body: Any = json.loads(page.evaluate("navigator.clipboard.readText()"))
    answer = page.request.post(f"{base_url}/v1/games/warleague/line-of-sight", data=body)
    answered = answer.json()["answer"]
    expect(page.locator("#ruling .verdict")).to_have_text(f"{answered['seen']} of {len(answered['lines'])} in sight")


@pytest.mark.parametrize(("game", "list_"), [("blackstone-fortress", "explorers"), ("warleague", "units")])
def test_a_replay_ends_where_the_battle_ended(page: Page, game: str, list_: str) -> None:
    place = {"explorers": "hex", "units": "at"}[list_]
    opened(page, game)
    with page.expect_response("**/battle") as played:
        page.get_by_role("button", name="Play it out").click()
    slider = page.get_by_label("Moment of the battle")
    expect(slider).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.locator(".now-text")).to_contain_text("1 of")
    page.keyboard.press("End")
    patch = played.value.json()["effects"]["patch"]
    ends = {step["path"]: step["value"] for step in patch if step["path"].endswith(f"/{place}") and "value" in step}
    ends = {path: value for path, value in ends.items() if path.startswith(f"/{list_}/") and value}
    assert ends
    cells = {tuple(cell[:2]): cell[2:] for cell in grid(page)["cells"]}
    for path, value in ends.items():
        group = page.locator(f'[data-place="{path}"]:not(.gone)')
        if group.count():
            shift = group.get_attribute("transform") or "translate(0 0)"
            start = [float(each) for each in (group.get_attribute("data-at") or "").split()]
            moved = [float(each) for each in shift.removeprefix("translate(").removesuffix(")").split()]
            assert [a + b for a, b in zip(start, moved, strict=True)] == pytest.approx(cells[tuple(value)], abs=0.1)
    page.keyboard.press("Escape")
    expect(page.locator("#replay")).to_be_hidden()


def test_a_battle_that_becomes_a_job_is_followed_to_its_end(page: Page) -> None:
    """The job is told by this test: a gateway without Redis has none."""
    opened(page, "warleague")
    states = iter(["accepted", "running", "successful"])
    answers: list[Any] = []

    def submitted(route: Route) -> None:
        answers.append(route.fetch().json())
        route.fulfill(status=202, headers={"Location": "/v1/jobs/0123"}, json={})

    page.route("**/battle", submitted)
    page.route("**/v1/jobs/0123", lambda route: route.fulfill(json={"state": next(states), "seconds_left": 2}))
    page.route("**/v1/jobs/0123/result", lambda route: route.fulfill(json=answers[0]))
    page.get_by_role("button", name="Play it out").click()
    expect(page.get_by_label("Moment of the battle")).to_be_focused()
    assert next(states, None) is None


def test_a_pasted_scene_opens_and_one_without_a_board_is_asked_about(page: Page) -> None:
    opened(page, "stargrave")
    page.get_by_role("button", name="Your table").click()
    figures = [
        {"id": "ann", "profile": "recruit", "crew": "red", "weapons": ["carbine"]},
        {"id": "bob", "profile": "trooper", "crew": "blue"},
    ]
    page.get_by_label("A scene, or").fill(json.dumps({"figures": figures}))
    page.get_by_role("button", name="Open it").click()
    expect(page.locator("#board")).to_contain_text("no board")
    page.get_by_role("combobox", name="Unit").select_option("ann")
    page.get_by_role("button", name="Shoot").click()
    page.get_by_role("combobox", name="Target").select_option("bob")
    expect(page.locator("#ruling .verdict")).to_have_text("Look at the table")
