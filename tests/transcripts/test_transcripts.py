"""Golden transcripts: whole battles of every game that has the question `battle`, as text to read.

Each example of that question that hands no dice is played from a few seeds. A change of a rule shows here as a changed
story: `make transcripts` writes them anew, and what has changed is read as a diff.
"""

import json
import re
from pathlib import Path
from textwrap import wrap

import pytest

from arbiter.game import Arbiter
from arbiter.json import to_builtins
from arbiter.ruling import Ruling
from arbiter.sources.examples import Example
from tests.services.asking import ask, every_game, examples, per_game

HOME = Path(__file__).parent
SEEDS = (1, 2)
WIDTH = 110


def home(game: Arbiter, example: Example, seed: int) -> Path:
    """Give the file of one battle."""
    title = re.sub("[^a-z0-9]+", "-", example.title.lower())[:60].strip("-")
    return HOME / game.name / f"{title}-seed-{seed}.txt"


BATTLES = {
    home(game, example, seed): (game, example, seed)
    for game in every_game().values()
    for example in examples(game)
    if example.question == "battle" and "hand" not in example.dice
    for seed in SEEDS
}


def told(game: Arbiter, example: Example, seed: int) -> str:
    """Play an example's battle from a seed and tell it; choices that no policy of the example makes go to `first`."""
    policies = {"*": "first", **example.policies}
    ruling = ask(game, example, dice={"seed": seed}, choices={}, policies=policies)
    played = ", ".join(f"{who} by {policy}" for who, policy in policies.items())
    head = [f"{game.title}, edition {game.edition}", example.title, f"Seed {seed}; choices of {played}."]
    return "\n".join((*head, "", *_steps(ruling), "", *_end(ruling))) + "\n"


def _steps(ruling: Ruling[object]) -> list[str]:
    widest = max((len(finding.rule) for finding in ruling.findings), default=0)
    indent = " " * (widest + 2)
    told = [f"{finding.rule:{widest}}  {finding.text}" for finding in ruling.findings]
    return [line for step in told for line in wrap(step, WIDTH, subsequent_indent=indent)]


def _end(ruling: Ruling[object]) -> list[str]:
    events = [f"  {event.name}: {_json(event.values)}" for event in ruling.effects.events]
    answer = wrap(f"Answer: {_json(ruling.answer)}", WIDTH, subsequent_indent="  ")
    return [*answer, f"Dice: {len(ruling.throws)}", "Events:", *events]


def _json(value: object) -> str:
    return json.dumps(to_builtins(value))


@pytest.mark.parametrize("path", [pytest.param(path, id=f"{path.parent.name}/{path.name}") for path in BATTLES])
def test_battle_is_the_one_that_was_read(path: Path, request: pytest.FixtureRequest) -> None:
    text = told(*BATTLES[path])
    if request.config.getoption("--rewrite"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    again = "read the change after: make transcripts"
    assert path.is_file(), f"{path.relative_to(HOME)} is not there; {again}"
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines(), again


@per_game()
def test_every_game_with_battles_tells_one(game: Arbiter) -> None:
    records_findings = any(each.name == game.name for each, _, _ in BATTLES.values())
    assert records_findings or "battle" not in game.questions, "write an example of `battle` that hands no dice"


def test_no_transcript_is_left_of_a_battle_that_is_gone(request: pytest.FixtureRequest) -> None:
    stale = [path for path in sorted(HOME.glob("*/*.txt")) if path not in BATTLES]
    if request.config.getoption("--rewrite"):
        for path in stale:
            path.unlink()
        stale = []
    assert not stale, f"make transcripts removes {', '.join(str(path.relative_to(HOME)) for path in stale)}"
