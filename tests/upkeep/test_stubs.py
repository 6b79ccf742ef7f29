"""Stubs of rules and examples, made from the ledger of a new game."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arbiter import registry
from arbiter.game import Arbiter
from arbiter.sources.examples import load_examples
from upkeep.new_game import new_game
from upkeep.stubs import main, tidy, unruled, write

UNITS = """
  - id: sight/smoke
    at: {document: rules, section: "Sight"}
    kind: procedure
    gist: "Nobody sees through smoke."
    status: ruled
  - id: fire/spread-far
    at: {document: rules, section: "Fire"}
    kind: procedure
    gist: "Fire spreads to the next square."
    status: open
  - id: fire/colour
    at: {document: rules, section: "Fire"}
    kind: flavour
    gist: "Fire is red."
    status: excused
    because: "Flavour."
"""


@pytest.fixture
def game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Arbiter]:
    """A game of its own in a package of its own, with passages that nothing rules."""
    new_game("Stub Game", tmp_path, "square-4")
    (tmp_path / "services").rename(tmp_path / "stubbed")
    for path in (tmp_path / "stubbed").rglob("*.py"):
        path.write_text(path.read_text().replace("services.stub_game", "stubbed.stub_game"))
    ledger = tmp_path / "stubbed" / "stub_game" / "sources.yaml"
    ledger.write_text(ledger.read_text() + UNITS)
    monkeypatch.syspath_prepend(tmp_path)
    yield registry.load("stubbed.stub_game")
    for name in [name for name in sys.modules if name.split(".")[0] == "stubbed"]:
        del sys.modules[name]


def test_every_passage_without_a_rule_gets_a_rule_and_an_example(game: Arbiter) -> None:
    assert [unit.id for unit in unruled(game)] == ["sight/fog", "sight/smoke", "fire/spread-far"]
    examples = load_examples(game.folder / "examples")
    assert write(game) == (
        "sight/fog: rules/sight.py, examples/sight.yaml",
        "sight/smoke: rules/sight.py, examples/sight.yaml",
        "fire/spread-far: rules/fire.py, examples/fire.yaml",
    )
    tidy([game.folder / "rules"])
    for name in [name for name in sys.modules if name.split(".")[0] == "stubbed"]:
        del sys.modules[name]
    again = registry.load("stubbed.stub_game")
    added = {id_: rule for id_, rule in again.rules.items() if id_ not in game.rules}
    assert {id_: rule.cites for id_, rule in added.items()} == {
        "sight.fog": ("sight/fog",),
        "sight.smoke": ("sight/smoke",),
        "fire.spread_far": ("fire/spread-far",),
    }
    assert added["sight.smoke"].gist == "Decide: Nobody sees through smoke."
    with pytest.raises(NotImplementedError, match="fire/spread-far has no rule yet"):
        added["fire.spread_far"](table := type("T", (), {"rule": None})(), table)
    assert unruled(again) == ()
    # The examples are comments: they load as before, and each names its passage and a question of its chapter.
    assert load_examples(again.folder / "examples") == examples
    text = (again.folder / "examples" / "sight.yaml").read_text()
    assert "#   question: line-of-sight\n#   cites: [sight/smoke]\n" in text
    assert write(again) == ()


def test_a_game_that_is_whole_and_one_that_is_none(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-game"]) == 2
    assert "no-such-game" in capsys.readouterr().err
