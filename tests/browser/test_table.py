import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Request, Route, expect

from tests.arbiter.mapping import uvtt
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


def test_the_keyboard_alone_moves_a_figure_and_asks(page: Page) -> None:
    """From the last tool before the board: Tab to the first figure, Enter to ask about it, arrows to move it."""
    opened(page, "warleague")
    page.get_by_role("button", name="Attack").focus()
    page.keyboard.press("Tab")
    chosen = page.evaluate("document.activeElement.dataset.id")
    page.keyboard.press("Enter")
    page.wait_for_function("id => location.hash.includes(`u=${id}`)", arg=chosen)
    settled(page)
    expect(page.locator("#ruling .asked")).to_contain_text(f"{chosen}: Who can it see?")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash.includes('m=')")
    settled(page)
    assert page.evaluate("document.activeElement.dataset.id") == chosen
    expect(page.locator("#ruling .verdict")).to_contain_text("seen")
    page.keyboard.press("Control+z")
    page.wait_for_function("() => !location.hash.includes('m=')")


def test_what_is_said_is_grouped_by_whom_it_is_about_and_opens_at_who_was_moved(page: Page) -> None:
    """Cy stands behind a barricade that he touches; four inches to the east nothing is between him and the sniper."""
    opened(page, "stargrave")
    groups = page.locator("#ruling .group[data-about]")
    expect(groups).to_have_count(page.locator("#board .line").count())
    about_cy = page.locator('#ruling [data-about="cy"]')
    expect(about_cy.locator("summary")).to_contain_text("in heavy cover")
    assert not about_cy.evaluate("each => each.open")
    scale = grid(page)["scale"] * page.locator("#board svg").evaluate("svg => svg.getScreenCTM().a")
    drag(page, "cy", 4 * scale, 2 * scale)
    assert about_cy.evaluate("each => each.open")
    expect(about_cy.locator("summary")).to_contain_text("seen")
    expect(about_cy.locator("summary")).not_to_contain_text("cover")
    expect(about_cy.locator(".steps")).to_contain_text("sees Commando (cy)")


def test_another_reading_gives_another_ruling(page: Page, base_url: str) -> None:
    opened(page, "rapture")
    body = {"case": {"scene": scene_of(page, base_url, "rapture"), "observer": "kit"}}
    seen = page.request.post(f"{base_url}/v1/games/rapture/line-of-sight", data=body).json()["answer"]
    expect(page.locator("#ruling .verdict")).to_have_text(f"{seen['seen']} of {len(seen['lines'])} seen")
    reading = page.locator(".readings label").filter(has=page.locator('option[value="centre"]')).first
    page.locator(".readings summary").click()
    reading.get_by_role("combobox").select_option("centre")
    page.wait_for_function("() => location.hash.includes('r=')")
    settled(page)
    chosen = json.loads(parse_qs(urlsplit(page.url).fragment)["r"][0])
    fewer = page.request.post(f"{base_url}/v1/games/rapture/line-of-sight", data={**body, "readings": chosen}).json()
    assert fewer["answer"] != seen
    count = fewer["answer"]["seen"]
    expect(page.locator("#ruling .verdict")).to_have_text(f"{count} of {len(seen['lines'])} seen")


def scene_of(page: Page, base_url: str, game: str) -> Any:
    return page.request.get(f"{base_url}/table/scenes/{game}.json").json()["scene"]


def test_the_file_of_a_map_becomes_the_board(page: Page, tmp_path: Path) -> None:
    """A wall of four squares, from (2, 3) to (6, 3) of a map of 10 by 8, of which y counts from the top."""
    opened(page, "stargrave")
    file = tmp_path / "hall.uvtt"
    file.write_text(json.dumps(uvtt([(2, 3), (6, 3)])))
    page.get_by_role("button", name="Your table").click()
    page.get_by_label("Or a map").set_input_files(file)
    page.get_by_role("button", name="Import the map").click()
    text = page.get_by_label("A scene, or")
    expect(text).to_have_value(re.compile('"wall-1"'))
    scene = json.loads(text.input_value())
    assert (scene["board"]["width_in"], scene["board"]["depth_in"]) == (10, 8)
    ann = {"id": "ann", "profile": "recruit", "crew": "red", "at": [4, 2]}
    bob = {"id": "bob", "profile": "trooper", "crew": "blue", "at": [4, 7]}
    text.fill(json.dumps({"board": scene["board"], "figures": [ann, bob]}))
    page.get_by_role("button", name="Open it").click()
    click(page, "ann")
    expect(page.locator("#ruling .verdict")).to_have_text("Not seen")
    expect(page.locator('#ruling [data-about="bob"]')).to_contain_text("wall-1 in the way")


def test_hulls_do_not_stay_behind_in_a_replay(page: Page) -> None:
    opened(page, "rapture")
    page.get_by_role("button", name="Play it out").click()
    expect(page.get_by_label("Moment of the battle")).to_be_focused()
    hulls = page.locator("#board [data-hull]")
    assert hulls.count()
    expect(page.locator("#board [data-hull].gone")).to_have_count(0)
    page.keyboard.press("End")
    moved = page.locator("#board").evaluate(
        """board => [...board.querySelectorAll("[data-hull]")].filter(hull =>
          board.querySelector(`[data-id="${hull.dataset.hull}"]`).hasAttribute("transform")).length"""
    )
    assert 0 < moved <= page.locator("#board [data-hull].gone").count()


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


def test_a_unit_below_what_a_line_meets_is_moved_all_the_same(page: Page) -> None:
    """A figure beside a wall in front of it: the cross upon the wall hides the figure's middle."""
    opened(page, "stargrave")
    scale = grid(page)["scale"] * page.locator("#board svg").evaluate("svg => svg.getScreenCTM().a")
    drag(page, "sal", 8.5 * scale, -2 * scale)
    x, y = centre(page, "sal")
    above = page.evaluate("([x, y]) => document.elementFromPoint(x, y).closest('[data-id]')?.dataset.id", [x, y])
    assert above is None
    drag(page, "sal", -8 * scale, 0)
    assert len(moves(page)) == 2


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
    expect(page.locator("#ruling .verdict")).to_contain_text("seen")
    (patch,) = moves(page)
    index = next(step["path"].split("/")[2] for step in patch if step.get("value") == "cy")
    assert {"op": "add", "path": f"/figures/{index}/stunned", "value": True} in patch
    expect(unit(page, "cy")).to_have_attribute("aria-label", re.compile("stunned"))


def test_the_legend_stands_below_the_board_and_says_what_is_there(page: Page) -> None:
    opened(page, "stargrave")
    entries = page.get_by_role("list", name="What the signs mean").get_by_role("listitem")
    texts = entries.all_inner_texts()
    assert {"blue", "red", "creatures", "seen", "not seen", "what blocks", "who acts"} <= set(texts)
    assert len(texts) == len(set(texts)) == entries.locator("svg").count()
    expect(page.locator("#board .legend")).to_have_count(0)
    # Its letters are as large as those of the page, however small the board is.
    assert entries.first.evaluate("each => parseFloat(getComputedStyle(each).fontSize)") >= 12


def test_a_target_is_in_a_line_that_says_nothing_yet_until_the_dice_are_there(page: Page) -> None:
    opened(page, "stargrave", "&u=sal&q=shoot&t=cy")
    expect(page.locator("#hint")).to_contain_text("waits for you")
    expect(page.locator("#board .line path.s-ink")).to_have_count(1)
    page.get_by_role("button", name="Roll for me").click()
    expect(page.locator("#ruling .rolls .die").first).to_be_visible()
    expect(page.locator("#board .line path.s-part")).to_have_count(1)
    expect(page.locator("#board .line path.s-ink")).to_have_count(0)


def test_a_reaction_is_chosen_and_weighed(page: Page) -> None:
    opened(page, "rapture")
    page.get_by_role("button", name="Shoot").click()
    settled(page)
    click(page, "gus")
    expect(page.locator("#ruling .verdict")).to_have_text("Blue to choose")
    page.get_by_role("button", name="What is each worth?").click()
    expect(page.locator(".worths .picked")).to_contain_text("Seek Shelter")
    page.get_by_role("button", name="Best reactions").click()
    page.get_by_role("button", name="Seek Shelter").click()
    expect(page.locator("#ruling .verdict")).to_have_text("Roll the dice")
    page.get_by_role("button", name="Roll for me").click()
    expect(page.locator("#ruling .rolls .die").first).to_be_visible()
    settled(page)
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
    expect(page.locator("#ruling .verdict")).to_have_text(f"{answered['seen']} of {len(answered['lines'])} seen")


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


def test_a_table_that_the_quota_refuses_says_when_to_try_again(page: Page) -> None:
    """The refusal is told by this test: the service that it asks has no quotas."""
    opened(page, "warleague")
    refusal = {"status": 429, "title": "Quota exceeded", "detail": "The request costs 1 unit."}
    page.route(
        "**/v1/games/rapture/**", lambda route: route.fulfill(status=429, headers={"Retry-After": "17"}, json=refusal)
    )
    page.get_by_role("combobox", name="Game", exact=True).select_option("rapture")
    expect(page.locator("#board")).to_contain_text("try again in 17 s")
    expect(page.locator("#board svg")).to_have_count(0)


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


def stored(page: Page, base_url: str, more: dict[str, Any], hand: dict[str, list[int]]) -> str:
    """Have Sal's shot at Cy ruled, and give the address of the table to which its permalink leads."""
    case = {"scene": scene_of(page, base_url, "stargrave"), "shooter": "sal", "targets": ["cy"], "weapon": "carbine"}
    body = {"case": {**case, **more}, "dice": {"hand": hand}}
    page.goto(page.request.post(f"{base_url}/v1/games/stargrave/shoot", data=body).headers["content-location"])
    link = page.get_by_role("link", name="The table")
    address = link.get_attribute("href")
    assert address is not None
    return address


def asked_cases(page: Page, question: str = "shoot") -> list[dict[str, Any]]:
    """Collect the cases of a question that the page asks from now on."""
    cases: list[dict[str, Any]] = []

    def note(sent: Request) -> None:
        # The examples of the question are fetched, too.
        if sent.method == "POST" and urlsplit(sent.url).path.endswith(f"/{question}"):
            cases.append((sent.post_data_json or {})["case"])

    page.on("request", note)
    return cases


def test_what_the_case_of_a_permalink_says_beside_the_tools_goes_with_the_next_question(
    page: Page, base_url: str
) -> None:
    """Whoever has moved shoots with 1 less; a move on the board asks the same again, another figure forgets it."""
    extra = {"moved": "yes", "extra": {"shoot": 1}}
    address = stored(page, base_url, extra, {})
    cases = asked_cases(page)
    page.goto(address)
    expect(page.locator("#ruling .asked")).to_contain_text("sal: Shoot cy, moved: yes")
    settled(page)
    drag(page, "cy", 0, 40)
    assert len(cases) == 2
    assert all({name: case[name] for name in extra} == extra for case in cases)
    page.reload()
    expect(page.locator("#ruling .asked")).to_contain_text("moved: yes")
    assert cases[-1]["moved"] == "yes"
    page.get_by_role("combobox", name="Unit").select_option("ines")
    settled(page)
    assert "moved" not in page.url


def test_an_attack_on_several_targets_is_asked_on_all_of_them_until_one_is_chosen(page: Page, base_url: str) -> None:
    listed = page.request.get(f"{base_url}/v1/games/blackstone-fortress/questions/attack/examples").json()["examples"]
    several = [example["body"]["case"].get("targets") == ["guard-1", "guard-2"] for example in listed]
    cases = asked_cases(page, "attack")
    page.goto(f"/table#g=blackstone-fortress&e=attack.{several.index(True)}")
    expect(page.locator("#ruling .asked")).to_contain_text("Attack guard-1 and guard-2")
    settled(page)
    page.reload()
    expect(page.locator("#ruling .asked")).to_contain_text("Attack guard-1 and guard-2")
    assert [case["targets"] for case in cases] == [["guard-1", "guard-2"]] * 2
    expect(page.get_by_role("combobox", name="Target").locator("option:checked")).to_have_text("guard-1 and guard-2")
    page.get_by_role("combobox", name="Target").select_option("guard-2")
    settled(page)
    assert cases[-1]["targets"] == ["guard-2"]
    expect(page.locator("#ruling .asked")).not_to_contain_text("guard-1")


def test_a_misspelt_label_is_hinted_at_beside_the_ruling(page: Page, base_url: str) -> None:
    page.goto(stored(page, base_url, {}, {"sal: shoting": [9]}))
    expect(page.locator("#ruling .verdict")).to_have_text("Roll the dice")
    expect(page.locator("#ruling .notice")).to_have_text(re.compile("sal: shoting.*did you mean 'sal: shooting'"))
    page.get_by_role("button", name="18", exact=True).click()
    expect(page.locator("#ruling .notice")).to_have_count(0)
