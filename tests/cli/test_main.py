"""The command line: the same answers as the service, to be read by people or by machines."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml
from flask.testing import FlaskClient

from api.schemas.bodies import ask_type
from arbiter.game import Arbiter
from cli import main
from rendering import text as rendering_text
from tests.api.posting import GAMES, TEMPLATE, attack
from tests.api.worked import examples, ruling_of
from tests.arbiter.mapping import scene, uvtt, wall

NAME = TEMPLATE.name


class Said(msgspec.Struct):
    code: int
    out: str
    err: str


@pytest.fixture
def arbiter(capsys: pytest.CaptureFixture[str]) -> Any:
    def run_it(*arguments: object) -> Said:
        code = main.main([str(each) for each in arguments], GAMES)
        said = capsys.readouterr()
        return Said(code, said.out, said.err)

    return run_it


@pytest.fixture
def body(tmp_path: Path) -> Any:
    def write(value: Any, name: str = "case.json") -> Path:
        file = tmp_path / name
        file.write_text(json.dumps(value) if name.endswith("json") else yaml.safe_dump(value))
        return file

    return write


def test_games_lists_every_game_and_question(arbiter: Any) -> None:
    said = arbiter("games")
    assert said.code == 0
    for game in GAMES.values():
        assert game.title in said.out
        assert all(name in said.out for name in game.questions)
    assert [each["name"] for each in json.loads(arbiter("games", "--json").out)] == list(GAMES)


def test_the_verdict_comes_first_and_each_step_with_its_rule_and_source(arbiter: Any, body: Any) -> None:
    hand = {"to hit": [4, 3, 6], "save": [5, 4]}
    said = arbiter("ask", NAME, "attack", body(attack(dice={"hand": hand}, choices={"dodge of bob": ["stand"]})))
    lines = said.out.splitlines()
    assert (said.code, said.err) == (0, "")
    assert lines[0].startswith("Ruled")
    assert {"  hits: 2", "  wounds: 1", "  slain: yes"} <= set(lines)
    assert "  bob is slain   [shooting.suffer: shooting/slain]" in lines
    assert "  to hit: 4 3 6   (d6, handed)" in lines
    assert "  blue, dodge of bob: take every hit (player)" in lines
    assert "  Scout (bob) is slain" in lines
    assert any(line.startswith("  shooting/slain: ") for line in lines)


def test_json_is_the_ruling_of_the_service(
    arbiter: Any, body: Any, game: Arbiter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Arbiter, "ask", asked_once(Arbiter.ask))
    # One of each question; that every example has the service's answer is held by the service's own tests.
    for each in {each.question: each for each in examples(game)}.values():
        file = body(each.ready_body())
        said = arbiter("ask", game.name, each.question, file, "--json")
        assert said.code == 0, said.err
        assert json.loads(said.out) == ruling_of(game, each)
        told = arbiter("ask", game.name, each.question, file)
        assert told.code == 0
        assert told.out


def asked_once(ask: Callable[..., Any]) -> Callable[..., Any]:
    """Decide once what is asked twice in a row, as JSON and to be read; where its dice fall is said in the question."""
    before: list[tuple[Any, Any]] = []

    def once(game: Arbiter, name: str, question: Any, **more: Any) -> Any:
        if not before or before[0][0] != (name, question):
            before[:] = [((name, question), ask(game, name, question, **more))]
        return before[0][1]

    return once


def test_a_case_alone_will_do_and_yaml_too(arbiter: Any, body: Any) -> None:
    whole = arbiter("ask", NAME, "attack", body(attack(dice={"seed": "s"})), "--json").out
    case = attack()["case"]
    assert arbiter("ask", NAME, "attack", body(case), "--seed", "s", "--json").out == whole
    assert arbiter("ask", NAME, "attack", body(case, "case.yaml"), "--seed", "s", "--json").out == whole
    assert arbiter("ask", NAME, "attack", body(attack(), "case.yaml"), "--seed", "s", "--json").out == whole


def test_standard_input_is_read(arbiter: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(attack())))
    assert arbiter("ask", NAME, "attack", "-", "--seed", "s").code == 0


def test_what_is_missing_is_asked_for_and_can_be_given(arbiter: Any, body: Any) -> None:
    file = body(attack())
    said = arbiter("ask", NAME, "attack", file, "--dice", "to hit=4,1")
    assert said.code == 0
    assert said.out.startswith("Dice are missing")
    assert "--dice 'to hit=…'" in said.out
    said = arbiter("ask", NAME, "attack", file, "--dice", "to hit=4,1,1")
    assert said.out.startswith("A choice is missing")
    assert "stand" in said.out
    assert "roll: 4 or more dodges one hit" in said.out
    said = arbiter("ask", NAME, "attack", file, "--dice", "to hit=4,1,1", "save=6", "--choose", "dodge of bob=stand")
    assert said.out.startswith("Ruled")
    assert "  wounds: 0" in said.out
    assert arbiter("ask", NAME, "attack", file, "--seed", "s", "--policies", "*=bold").out.startswith("Ruled")


def test_what_the_command_line_says_goes_before_what_the_file_says(arbiter: Any, body: Any) -> None:
    file = body(attack(dice={"seed": "file"}, policies={"*": "first"}, readings={"natural-one": "misses"}))
    said = arbiter("ask", NAME, "attack", file, "--seed", "line", "--policies", "blue=bold", "--json")
    told = json.loads(said.out)
    assert told["seed"] == "line"
    assert {made["origin"] for made in told["choices"]} <= {"policy bold"}
    said = arbiter("ask", NAME, "attack", file, "--readings", "natural-one=nonsense")
    assert (said.code, "/readings/natural-one" in said.err) == (2, True)


def test_the_forbidden_is_an_answer_with_its_reasons(arbiter: Any, body: Any) -> None:
    friend = attack()
    friend["case"]["scene"]["fighters"][1]["side"] = "red"
    said = arbiter("ask", NAME, "attack", body(friend))
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[:2] == [
        f"Forbidden   ({NAME}, attack)",
        "  bob is no enemy   [shooting.may_shoot: shooting/enemy]",
    ]


def test_odds_are_a_table_with_fractions_percents_and_bars(arbiter: Any, body: Any) -> None:
    said = arbiter("odds", NAME, "attack", body(attack(dice={"seed": 1})))
    lines = said.out.splitlines()
    assert said.code == 0
    assert "exact" in lines[0]
    slain = lines[lines.index("slain") + 1 :]
    assert slain[0].split() == ["yes", "19/27", "70.370%", "#" * round(30 * 19 / 27)]
    assert slain[1].split() == ["no", "8/27", "29.630%", "#" * round(30 * 8 / 27)]
    assert "hits, 1.5 on average" in lines


def test_odds_refuse_choices_for_they_take_policies(arbiter: Any, body: Any) -> None:
    said = arbiter("odds", NAME, "attack", body(attack(choices={"dodge of bob": ["stand"]})))
    assert (said.code, said.out) == (2, "")
    assert "/choices" in said.err
    assert "policies" in said.err


def test_odds_of_a_crowd(arbiter: Any, body: Any) -> None:
    said = arbiter("odds", NAME, "attack", body(attack()), "--heads", "1000", "--seed", "3", "--json")
    told = json.loads(said.out)
    assert (told["method"], told["heads"], told["seed"]) == ("heads", 1000, "3")


def test_a_law_that_is_too_long_offers_a_crowd(arbiter: Any, body: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main, "PATHS", 10)
    said = arbiter("odds", NAME, "attack", body(attack()))
    assert (said.code, "--heads" in said.err) == (2, True)


def test_what_the_service_answered_is_shown_as_if_it_were_asked_here(
    arbiter: Any, body: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = body(attack(dice={"seed": 7}, policies={"*": "first"}))
    for command in ("ask", "odds"):
        asked = arbiter(command, NAME, "attack", file).out
        answer = arbiter(command, NAME, "attack", file, "--json").out
        monkeypatch.setattr("sys.stdin", io.StringIO(answer))
        # The names of units are those of the case.
        shown = arbiter("show", "--case", file)
        assert (shown.code, shown.err) == (0, "")
        assert shown.out == asked


def test_a_ruling_is_drawn_into_a_file(
    arbiter: Any, body: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, drawn, again = body(attack(dice={"seed": 7}, policies={"*": "first"})), tmp_path / "a.svg", tmp_path / "b.svg"
    answer = arbiter("ask", NAME, "attack", file, "--json", "--svg", str(drawn)).out
    assert drawn.read_bytes().startswith(b"<svg ")
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert arbiter("show", "--svg", str(again), "--case", file).code == 0
    assert again.read_bytes() == drawn.read_bytes()
    monkeypatch.setattr("sys.stdin", io.StringIO(answer))
    assert "--case" in arbiter("show", "--svg", str(again)).err


def test_a_problem_of_the_service_is_shown_and_anything_else_refused(arbiter: Any, body: Any) -> None:
    problem = {"status": 422, "errors": [{"pointer": "/case/x", "code": "missing", "message": "is missing"}]}
    told = arbiter("show", body(problem))
    assert told.code == 2
    assert "/case/x: is missing" in told.err
    assert "not a ruling" in arbiter("show", body({"status": "ruled"})).err


def test_a_reader_that_has_seen_enough_is_no_error(body: Any) -> None:
    file = body(attack(dice={"seed": 7}, policies={"*": "first"}))
    imports = "import sys; from arbiter.registry import load; from cli.main import main"
    code = f"{imports}; sys.exit(main(sys.argv[1:], {{{NAME!r}: load('services._template')}}))"
    command = [sys.executable, "-c", code, "ask", NAME, "attack", str(file), "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as asking:
        assert asking.stdout is not None
        assert asking.stderr is not None
        asking.stdout.close()
        complaint = asking.stderr.read()
        assert asking.wait(60) == 0, complaint.decode()
    assert complaint == b""


def test_sentences_stand_on_lines_of_their_own() -> None:
    class Told(msgspec.Struct):
        story: tuple[str, ...]
        ids: tuple[str, ...]

    lines = list(rendering_text.members(Told(("Turn 1", "  bob falls"), ("bob", "eve"))))
    assert lines == ["story:", "  Turn 1", "    bob falls", "ids: bob, eve"]


def test_a_question_without_dice_has_no_odds(arbiter: Any, body: Any) -> None:
    said = arbiter("odds", NAME, "moves", body({"scene": attack()["case"]["scene"], "fighter": "ann"}))
    assert (said.code, "without dice" in said.err) == (2, True)


def test_every_fault_is_told_with_its_place_and_a_way_out(arbiter: Any, body: Any) -> None:
    wrong = attack()
    wrong["case"]["attacker"] = "zoe"
    wrong["case"]["scene"]["fighters"][1]["hex"] = [9, 9]
    said = arbiter("ask", NAME, "attack", body(wrong))
    assert (said.code, said.out) == (2, "")
    lines = said.err.splitlines()
    assert lines[0] == "This cannot be asked, for 2 reasons:"
    assert any(line.startswith("/case/attacker: ") for line in lines)
    assert any(line.startswith("/case/scene/fighters/1/hex: ") for line in lines)
    assert "    expected: one of ann, bob" in lines


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask", "chess", "attack", "x"], "there is no game 'chess'"),
        (["ask", NAME, "atack", "x"], "there is no question 'atack'"),
        (["ask", NAME, "attack", "/no/such/file"], "/no/such/file cannot be read"),
        (["rules", "chess", "x"], "there is no game"),
        (["readings", "chess"], "there is no game"),
        (["odds", NAME, "nothing", "x"], "there is no question"),
    ],
)
def test_what_is_not_there_is_named(arbiter: Any, arguments: list[str], said: str) -> None:
    told = arbiter(*arguments)
    assert (told.code, told.out) == (2, "")
    assert said in told.err


@pytest.mark.parametrize("text", ["{", "a: [", "\x00", "- x: y: z"])
def test_a_file_that_is_neither_json_nor_yaml(arbiter: Any, tmp_path: Path, text: str) -> None:
    file = tmp_path / "case"
    file.write_text(text)
    told = arbiter("ask", NAME, "attack", file)
    assert (told.code, "neither JSON" in told.err) == (2, True)


@pytest.mark.parametrize(
    "value", [[], 1, None, "case", {"case": None}, {"case": {}, "dice": []}, {"dice": 3, "case": 1}]
)
def test_a_file_of_something_else(arbiter: Any, body: Any, value: Any) -> None:
    told = arbiter("ask", NAME, "attack", body(value), "--seed", "1", "--policies", "a=b")
    assert (told.code, told.out) == (2, "")
    assert "cannot be asked" in told.err


def test_pairs_need_their_sign(arbiter: Any, body: Any) -> None:
    told = arbiter("ask", NAME, "attack", body(attack()), "--policies", "first")
    assert (told.code, "'first'" in told.err) == (2, True)


def test_rules_are_found_by_words_and_by_id(arbiter: Any) -> None:
    assert "shooting/dodge-once" in arbiter("rules", NAME, "dodge").out
    by_id = arbiter("rules", NAME, "shooting.to_hit").out.splitlines()
    assert by_id[0].startswith(f"shooting.to_hit ({NAME};")
    assert arbiter("rules", NAME, "can I run off the map").out.startswith("Nobody leaves the board.\n")
    assert "No word of this question is known here" in arbiter("rules", NAME, "zeppelin").out
    assert json.loads(arbiter("rules", NAME, "shooting/to-hit", "--json").out)["kind"] == "unit"
    assert json.loads(arbiter("rules", NAME, "who goes first", "--json").out)["answer"]["citation"]["id"] == (
        "turn/initiative"
    )
    told = arbiter("rules", NAME, "x" * 2_001)
    assert (told.code, "at most 2,000 characters" in told.err) == (2, True)


def test_readings_show_both_sides_and_which_is_taken(arbiter: Any) -> None:
    lines = arbiter("readings", NAME).out.splitlines()
    assert lines[0].startswith("natural-one: ")
    assert lines[1].startswith("  * misses: ")
    assert lines[2].startswith("    counts: ")


DRAWING = [game for game in GAMES.values() if (game.folder / "board_text.py").exists()]


@pytest.mark.parametrize("game", DRAWING, ids=lambda game: game.name)
def test_the_board_is_drawn_first_where_a_game_can_draw(arbiter: Any, body: Any, game: Arbiter) -> None:
    each = examples(game)[0]
    case = msgspec.convert(each.body(), ask_type(game.questions[each.question])).case
    drawn = main._drawing(game, case)[0]
    assert arbiter("ask", game.name, each.question, body(each.body())).out.startswith(drawn)


def test_serve_starts_the_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.serve.main", lambda: 7)
    with pytest.raises(SystemExit) as end:
        main.main(["serve"], GAMES)
    assert end.value.code == 7


def test_no_server_and_nothing_of_one_is_needed() -> None:
    asked = "import sys, cli.main; print(sorted({'flask', 'celery', 'redis', 'requests'} & set(sys.modules)))"
    path = str(Path(main.__file__).parent.parent)
    done = subprocess.run([sys.executable, "-c", asked], cwd=path, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


# Maps

ROOM = uvtt([(2, 3), (6, 3)], image="SECRET")


def test_a_map_is_printed_as_the_board_that_the_service_makes_of_it(
    arbiter: Any, body: Any, client: FlaskClient
) -> None:
    said = arbiter("import", body(ROOM, "room.json"), "--game", "stargrave", "--square", "1.5", "--thickness", "0.2")
    assert (said.code, said.err) == (0, "")
    made = client.post("/v1/boards/import?game=stargrave&square=1.5&thickness=0.2", json=ROOM)
    assert json.loads(said.out) == json.loads(made.data)["board"]
    assert json.loads(said.out)["pieces"][0]["outline"] == [[3, 4.6], [9, 4.6], [9, 4.4], [3, 4.4]]
    assert "SECRET" not in said.out


def test_what_was_changed_in_a_map_stands_beside_the_board(arbiter: Any, body: Any) -> None:
    said = arbiter("import", body(scene(wall(500, 500, 900, 500, dir=1))), "--game", "stargrave")
    assert said.code == 0
    assert json.loads(said.out)["width_in"] == 10
    assert said.err.splitlines() == ["walls that stop one side only are taken to stop both (1)"]


def test_a_map_is_read_from_standard_input_as_bytes(arbiter: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(ROOM).encode())))
    said = arbiter("import", "-", "--game", "stargrave")
    assert (said.code, json.loads(said.out)["depth_in"]) == (0, 8)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--game", "chess"], "there is no game 'chess'"),
        (["--game", NAME], "/game: "),
        (["--game", "stargrave", "--square", "0"], "/square: "),
        (["--game", "stargrave", "--square", "nan", "--thickness", "2"], "/thickness: "),
        (["--game", "stargrave", "--square", "inf"], "/square: "),
        (["--game", "stargrave", "--square", "13"], "at most 120 inches"),
    ],
)
def test_a_map_that_cannot_be_a_board_is_refused(arbiter: Any, body: Any, arguments: list[str], expected: str) -> None:
    said = arbiter("import", body(ROOM), *arguments)
    assert (said.code, said.out) == (2, "")
    assert expected in said.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [(b"\x89PNG\r\n", "no JSON"), (b"{}", "neither a Universal VTT map nor"), (None, "cannot be read")],
)
def test_a_file_that_is_no_map_is_refused(arbiter: Any, tmp_path: Path, text: bytes | None, expected: str) -> None:
    file = tmp_path / "map.uvtt"
    if text is not None:
        file.write_bytes(text)
    said = arbiter("import", file, "--game", "stargrave")
    assert (said.code, said.out) == (2, "")
    assert expected in said.err


SHORT = ("stargrave", "shoot", "--shooter", "recruit:carbine", "--target", "trooper")


def test_a_question_in_short_form_has_its_odds_by_the_usual_values_and_says_which(arbiter: Any) -> None:
    """Light cover: 31 of 80; in the open 19 of 40."""
    said = arbiter("ask", *SHORT, "--given", "cover=light", "range_in=8", "--odds")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert "hits, 0.3875 on average" in lines
    assert "  Cover of Trooper (target) from Recruit (shooter): light (as the players say)" in lines
    assert "  Recruit (shooter) sees Trooper (target) (as usual)" in lines
    assert arbiter("odds", *SHORT, "--given", "cover=light", "range_in=8").out == said.out
    assert "hits, 0.475 on average" in arbiter("odds", *SHORT, "--given", "range_in=8").out
    asked = arbiter("odds", *SHORT, "--given", "range_in=8", "--assume", "nothing")
    assert "--given 'sees:shooter,target=…'" in asked.out
    # Dice are rolled by what the players say alone.
    assert arbiter("ask", *SHORT, "--given", "range_in=8").out.startswith("Facts are missing")
