"""`arbiter simulate` and `arbiter sweep` without a service: the numbers, what people read, processes, Ctrl-C."""

import csv
import io
import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter import registry
from arbiter.simulation.simulate import Game, Player, Simulate, as_key, played
from arbiter.simulation.statistics import Metric, Point, SampleGame, Share, Simulated, point
from arbiter.simulation.sweep import Axis
from cli import inputs, main, pool
from rendering import simulation_text
from services._template.questions import AttackCase
from tests.api.posting import GAMES, TEMPLATE, attack
from tests.house.serving import children
from tests.patience import PATIENCE_S, within
from tests.reading import load_examples
from workers.jobs.work import Work, compute, result, split

pytestmark = pytest.mark.long

NAME = TEMPLATE.name
OTHER = registry.game("blackstone-fortress")
VOLLEY = next(each for each in load_examples(OTHER.folder / "examples") if each.question == "attack").body()


@pytest.fixture
def arbiter(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(registry, "game", GAMES.__getitem__)

    def run_it(*arguments: object) -> tuple[int, str, str]:
        code = main.main([str(each) for each in arguments], GAMES)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run_it


@pytest.fixture
def body(tmp_path: Path) -> Any:
    def write(value: Any, name: str = "case.json") -> Path:
        file = tmp_path / name
        file.write_text(json.dumps(value))
        return file

    return write


def direct(seed: str | int, count: int, **body: Any) -> Point:
    """Sum up the games without anything of the command line and without the law."""
    play = TEMPLATE.player("attack", msgspec.convert({**attack(), **body}, Simulate[AttackCase]))
    return point({}, played([[play]], seed, range(count), lambda over: None)[0], {})


# The numbers


def test_json_is_the_result_of_the_games_one_by_one(arbiter: Any, body: Any) -> None:
    code, out, err = arbiter("simulate", NAME, "attack", body(attack()), "--count", 50, "--seed", 7, "--json")
    assert (code, err) == (0, "")
    told = msgspec.json.decode(out, type=Simulated[Any])
    assert (told.game, told.question, told.count, told.seed, told.law) == (NAME, "attack", 50, "7", "beside")
    expected = direct(7, 50)
    for metric, mine in zip(told.points[0].metrics, expected.metrics, strict=True):
        assert (metric.name, metric.mean, metric.low, metric.high) == (mine.name, mine.mean, mine.low, mine.high)
        assert {as_key(share.value): share.games for share in metric.shares if share.games} == {
            as_key(share.value): share.games for share in mine.shares
        }


def test_the_command_line_goes_before_the_file_and_what_settles_one_game_is_left_out(arbiter: Any, body: Any) -> None:
    posted = attack(count=9, seed="file", dice={"seed": 3}, choices={"dodge of bob": ["stand"]}, metrics=["slain"])
    line = ("--seed", "line", "--policies", "blue=bold", "--metrics", "hits", "dodged", "--json")
    told = json.loads(arbiter("simulate", NAME, "attack", body(posted), *line)[1])
    assert (told["count"], told["seed"], told["policies"]) == (9, "line", {"*": "first", "blue": "bold"})
    assert [metric["name"] for metric in told["points"][0]["metrics"]] == ["dodged", "hits"]


def test_csv_is_a_table(arbiter: Any, body: Any) -> None:
    _, out, _ = arbiter(
        "sweep", NAME, "attack", body(attack()), "--count", 20, "--vary", "/policies/blue=first,bold", "--csv"
    )
    rows = list(csv.DictReader(io.StringIO(out)))
    assert {row["blue"] for row in rows} == {"first", "bold"}
    slain = direct(0, 20, policies={"blue": "bold"})
    (share,) = (share for each in slain.metrics if each.name == "slain" for share in each.shares if share.value is True)
    told = [row for row in rows if (row["blue"], row["metric"], row["value"]) == ("bold", "slain", "true")]
    assert [row["games"] for row in told if row["row"] == "share"] == [str(share.games)]
    assert "\r" not in out


def test_a_plot_is_drawn_into_a_file(arbiter: Any, body: Any, tmp_path: Path) -> None:
    file = tmp_path / "plot.svg"
    code, out, _ = arbiter("simulate", NAME, "attack", body(attack()), "--count", 5, "--svg", file)
    assert (code, out.splitlines()[-1]) == (0, f"Drawn: {file}")
    assert "<svg" in file.read_text()
    code, _, err = arbiter("simulate", NAME, "attack", body(attack()), "--count", 5, "--svg", tmp_path)
    assert (code, "cannot be written" in err) == (2, True)


# What people read


def test_shares_stand_with_intervals_bars_and_the_law(arbiter: Any, body: Any) -> None:
    _, out, _ = arbiter("simulate", NAME, "attack", body(attack()), "--count", 200, "--seed", 7)
    lines = out.splitlines()
    assert lines[0] == f"200 games of attack   ({NAME}; seed 7; with the exact law)"
    (share,) = (
        share for each in direct(7, 200).metrics if each.name == "slain" for share in each.shares if share.value is True
    )
    yes = next(line.split() for line in lines[lines.index("slain") :] if line.split()[:1] == ["yes"])
    # By hand: three shots that wound with 1/3 each slay with 19/27.
    assert yes == [
        "yes",
        str(share.games),
        f"{share.share:.1%}",
        f"[{share.low:.1%}",
        f"{share.high:.1%}]",
        "law",
        "70.370%",
        "19/27",
        "#" * round(30 * share.share),
    ]
    assert lines.index("slain") < next(at for at, line in enumerate(lines) if line.startswith("hits, "))
    assert any(line.startswith("hits, ") and "by the law 1.5; median " in line for line in lines)


def test_a_sweep_is_told_point_by_point_with_what_changes(arbiter: Any, body: Any) -> None:
    line = ("--count", 300, "--vary", "/case/scene/fighters/1/hex=[2,0],[1,0]", "/policies/blue=first,bold")
    code, out, err = arbiter("sweep", NAME, "attack", body(attack()), *line)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert "  Varied: hex: 2, 0; 1, 0" in lines
    at = lines.index("slain")
    assert lines[at + 1].split() == ["hex", "blue", "yes", "against", "2,", "0,", "first"]
    rows = [row.replace(", ", ",").split() for row in lines[at + 2 : at + 6]]
    assert [row[:2] for row in rows] == [["2,0", "first"], ["2,0", "bold"], ["1,0", "first"], ["1,0", "bold"]]
    assert rows[0][-2:] == ["law", "70.4%"], "the first point is compared with nothing"
    # In the next hex two of three faces more hit: 1 - (5/9)^3 against 1 - (2/3)^3, and the gain is sure.
    near, far = 1 - (5 / 9) ** 3, 1 - (2 / 3) ** 3
    assert rows[2][5:7] == ["law", f"{near:.1%}"]
    gained = float(rows[2][7].rstrip("%")) / 100
    assert gained == pytest.approx(near - far, abs=0.1)
    assert rows[2][-1] == "*"


def test_forbidden_games_are_told(arbiter: Any, body: Any) -> None:
    friend = attack()
    friend["case"]["scene"]["fighters"][1]["side"] = "red"
    code, out, _ = arbiter("simulate", NAME, "attack", body(friend), "--count", 5)
    assert (code, "  The book forbids 5 of 5 games" in out.splitlines()) == (0, True)


def combat(points: int = 1) -> Simulated[Any]:
    """Make up the result of a combat of twenty units."""
    units = [f"unit-{index}" for index in range(20)]
    metrics = (
        *(
            Metric(f"cause of {unit}", (Share("none", 3, 0.75, 0, 1), Share("a beast", 1, 0.25, 0, 1)))
            for unit in units
        ),
        Metric("outcome", (Share("lost", 1, 0.25, 0.05, 0.7), Share("won", 3, 0.75, 0.3, 0.95))),
        Metric("slain", (Share(2, 4, 1.0, 0.5, 1.0),), 2.0, 1.5, 2.5, 0.5, 2),
        Metric("turns", (Share(4, 3, 0.75, 0, 1), Share(9, 1, 0.25, 0, 1)), 5.25, 3.5, 7.5, 2.5, 4),
        *(Metric(f"wounds of {unit}", (Share(1, 4, 1.0, 0.5, 1.0),), 1.0, 0.5, 1.5, 0.1, 1) for unit in units),
        *(Metric(f"{unit} is lost", (Share(False, 3, 0.75, 0, 1), Share(True, 1, 0.25, 0.05, 0.7))) for unit in units),
    )
    axes = (Axis("/case/turns", tuple(range(points))),) if points > 1 else ()
    made = tuple(Point({axis.place: index for axis in axes}, 4, 0, metrics) for index in range(points))
    told = (SampleGame("shortest", 3, "7/3", {}), SampleGame("longest", 12, "7/12", {}))
    policies = {"*": "first", "the explorers": "bold"}
    return Simulated(
        OTHER.name,
        "e",
        "1",
        "battle",
        4,
        "7",
        0.95,
        policies,
        {"a": "b"},
        axes,
        made,
        "heavy",
        "turns",
        () if axes else told,
    )


def test_a_battle_leads_with_what_decides_and_has_a_line_for_each_unit() -> None:
    lines = list(simulation_text.simulation(combat()))
    at = {line.strip(): index for index, line in enumerate(lines)}
    titles = ("turns, 5.25 [3.5 7.5] on average; median 4", "outcome", "slain, 2 [1.5 2.5] on average; median 2")
    places = [at[title] for title in titles] + [at["cause of …"], at["wounds of …"], at["… is lost"]]
    assert places == sorted(places)
    assert lines[at["cause of …"] + 1].split() == ["unit-0", "none", "75.0%,", "a", "beast", "25.0%"]
    assert lines[at["wounds of …"] + 20].split() == ["unit-19", "1", "[0.5", "1.5]", "median", "1"]
    assert lines[at["… is lost"] + 1].split() == ["unit-0", "25.0%", "[5.0%", "70.0%]"]
    assert len(lines) < 100


def test_told_games_say_how_they_are_asked_again() -> None:
    lines = list(simulation_text.simulation(combat()))
    again = "--policies '*=first' 'the explorers=bold' --readings a=b"
    assert lines[-4:] == [
        "  the shortest, by turns: game 3",
        f"    arbiter ask {OTHER.name} battle CASE --seed 7/3 {again}",
        "  the longest, by turns: game 12",
        f"    arbiter ask {OTHER.name} battle CASE --seed 7/12 {again}",
    ]


def test_asking_a_game_again_gives_that_game(arbiter: Any, body: Any) -> None:
    play: Player = TEMPLATE.player("attack", msgspec.convert(attack(), Simulate[AttackCase]))
    game: Game = play("7/12")
    _, out, _ = arbiter("ask", NAME, "attack", body(attack()), "--seed", "7/12", "--policies", "*=first", "--json")
    assert json.loads(out)["answer"] == msgspec.to_builtins(game.answer)


def test_units_of_a_sweep_stand_side_by_side_unless_there_are_too_many_points() -> None:
    few, many = (list(simulation_text.simulation(combat(points))) for points in (3, 9))
    assert "\n… is lost" in few
    row = few[few.index("\n… is lost") + 2].split()
    assert row == ["unit-0", *["25.0%", "[5.0%", "70.0%]"] * 3]
    assert "\n… is lost" not in many
    assert "--csv" in many[-1]


def test_simulations_and_jobs_are_shown(arbiter: Any, body: Any) -> None:
    line = ("simulate", NAME, "attack", body(attack()), "--count", 20)
    _, plainly, _ = arbiter(*line)
    answer = body(json.loads(arbiter(*line, "--json")[1]), "answer.json")
    assert arbiter("show", answer) == (0, plainly, "")
    job = {
        "id": "1f",
        "kind": "simulation",
        "game": "g",
        "question": "q",
        "state": "running",
        "estimate_s": 3,
        "progress": {"done": 1200, "total": 5000},
        "seconds_left": 12.4,
        "created": "2026-01-01T00:00:00.000Z",
        "started": None,
        "cause": {"code": "too-long", "detail": "it took too long", "errors": []},
        "links": {"self": "/v1/jobs/1f"},
    }
    code, out, _ = arbiter("show", body(job, "job.json"))
    assert (code, out.splitlines()) == (
        0,
        [
            "Job 1f is running   (g, simulation of q)",
            "  1,200 of 5,000 games are over, about 12 s are left",
            "  created: 2026-01-01T00:00:00.000Z",
            "  cause: it took too long (too-long)",
            "  self: /v1/jobs/1f",
        ],
    )


def test_a_problem_without_faults_is_shown_by_its_words(arbiter: Any, body: Any) -> None:
    full = {"status": 503, "title": "There is too much to do", "detail": "Come back in a minute.", "errors": []}
    code, out, err = arbiter("show", body(full))
    assert (code, out, err) == (1, "", "There is too much to do: Come back in a minute.\n")


# What cannot be asked


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--count", "0"], "/count"),
        (["--count", "1000001"], "/count"),
        (["--policies", "a=wild"], "/policies/a"),
        (["--metrics", "zeal"], "/metrics/0"),
        (["--vary", "/case/nowhere/x=1"], "/vary"),
        (["--vary", "/case/attacker=zoe"], "zoe"),
        (["--vary", "/case/attacker"], "name=value"),
        (["--vary", "/case/attacker=ann", "/case/attacker=bob"], "varied twice"),
        (["--processes", "0"], "--processes"),
        (["--csv", "--json"], "both"),
    ],
)
def test_what_cannot_be_asked_is_told_and_no_game_is_played(
    arbiter: Any, body: Any, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(pool, "simulate", None)
    code, out, err = arbiter("simulate", NAME, "attack", body(attack()), *arguments)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["simulate", "chess", "attack"], "no game 'chess'"),
        (["simulate", NAME, "atack"], "no question 'atack'"),
        (["simulate", NAME, "moves"], "without dice"),
        (["sweep", NAME, "attack"], "nothing is varied"),
    ],
)
def test_what_is_not_there_is_named(arbiter: Any, body: Any, arguments: list[str], said: str) -> None:
    code, _, err = arbiter(*arguments, body(attack()))
    assert (code, said in err) == (2, True)


# Values to vary


@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("10,20", [10, 20]),
        ("bold,escaping", ["bold", "escaping"]),
        ("[1,2],[3,4]", [[1, 2], [3, 4]]),
        ('{"a":[1,2]},bold, 3', [{"a": [1, 2]}, "bold", 3]),
        ("true,null,1.5", [True, None, 1.5]),
        ('"10","a,b"', ["10", "a,b"]),
        ("10-destiny", ["10-destiny"]),
        ("NaN,Infinity", ["NaN", "Infinity"]),
        ("", [""]),
        ("a,", ["a", ""]),
        ("[1,bold", ["[1", "bold"]),
        ("1 2,3", ["1 2", 3]),
    ],
)
def test_values_are_json_where_they_are_some_and_names_otherwise(said: str, values: list[Any]) -> None:
    assert inputs.values(said) == values


@given(
    st.lists(
        st.recursive(
            st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
            max_leaves=5,
        ),
        min_size=1,
    )
)
def test_values_written_as_json_are_read_back(values: list[Any]) -> None:
    assert inputs.values(",".join(json.dumps(value) for value in values)) == values


# Processes


def test_processes_give_the_result_of_one_to_the_last_bit() -> None:
    posted = {"case": VOLLEY["case"], "count": 40, "seed": 3, "vary": {"/case/die/die": [3, 4]}}
    work = Work("simulation", OTHER.name, "attack", json.dumps(posted))
    whole = result(work, [compute(work, games, 0, lambda over: None) for games in split(work, 1)])
    heard: list[tuple[int, int]] = []
    assert pool.simulate(work, pool.SMALL_MS - 1, 2, lambda *over: heard.append(over)) == whole
    assert heard[-1] == (80, 80)
    assert pool.simulate(work, pool.SMALL_MS, 2, lambda *over: heard.append(over)) == whole
    assert heard[-1] == (80, 80)


def long_one(tmp_path: Path) -> list[str]:
    file = tmp_path / "volley.json"
    file.write_text(json.dumps(VOLLEY))
    code = "import sys; from cli.main import main\nif __name__ == '__main__': sys.exit(main(sys.argv[1:]))"
    program = tmp_path / "program.py"
    program.write_text(code)
    return [
        sys.executable,
        str(program),
        "simulate",
        OTHER.name,
        "attack",
        str(file),
        "--count",
        "1000000",
        "--processes",
        "2",
    ]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="reads the processes from /proc")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_however_it_ends_it_leaves_no_process_behind(tmp_path: Path, ending: signal.Signals) -> None:
    started = subprocess.Popen(
        long_one(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": str(Path(main.__file__).parent.parent)},
    )
    # The two that work, and the one that keeps track of what they share.
    assert within(lambda: len(children(started.pid)) == 3)
    begun = children(started.pid)
    if ending == signal.SIGINT:
        os.killpg(started.pid, ending)  # as a terminal does on Ctrl-C
    else:
        started.kill()
    out, err = started.communicate(timeout=PATIENCE_S)
    if ending == signal.SIGINT:
        assert (started.returncode, out, err) == (130, b"", b"Interrupted; nothing is kept.\n")
    assert within(lambda: not any(Path(f"/proc/{pid}").exists() for pid in begun))


def test_a_bar_is_shown_to_a_terminal_alone(tmp_path: Path) -> None:
    file = tmp_path / "volley.json"
    file.write_text(json.dumps(VOLLEY))
    line = [sys.executable, "-m", "cli.main", "simulate", OTHER.name, "attack", str(file), "--count", "30"]
    root = str(Path(main.__file__).parent.parent)
    mine, theirs = pty.openpty()
    done = subprocess.run(line, cwd=root, stdout=subprocess.PIPE, stderr=theirs, check=True)
    os.close(theirs)
    shown = os.read(mine, 10_000).decode()
    os.close(mine)
    assert "games" in shown
    assert "100%" in shown
    assert "games  [" not in done.stdout.decode()
    quiet = subprocess.run(line, cwd=root, capture_output=True, check=True)
    assert (quiet.stderr, quiet.stdout) == (b"", done.stdout)
