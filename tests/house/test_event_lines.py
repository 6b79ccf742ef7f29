"""What changes on the table is said to people in sentences: each event has one, with names instead of ids."""

import ast
import string
from collections.abc import Iterator
from typing import Any

import pytest

from arbiter.game import Arbiter
from arbiter.json import to_builtins
from arbiter.ruling import Event
from arbiter.sources.yaml_file import load_yaml
from arbiter.text import UnitName
from rendering.events import event_lines
from tests.house.test_sentences import WRONG
from tests.services.asking import as_written, every_game, examples, is_light

GAMES = pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())

COMPUTED = {"rapture": {"casualty": {"unit", "by"}, "fled": {"unit", "by"}}}
"""Events whose names a rule works out, with their values."""


def raised(game: Arbiter) -> Iterator[tuple[str, set[str]]]:
    """Read the rules of a game for its events, each with the names of its values."""
    for path in game.folder.rglob("*.py"):
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "event"):
                continue
            if call.args and isinstance(name := call.args[0], ast.Constant):
                more = (key for each in call.keywords if isinstance(each.value, ast.Dict) for key in each.value.keys)
                yield (
                    str(name.value),
                    {each.arg for each in call.keywords if each.arg}
                    | {str(key.value) for key in more if isinstance(key, ast.Constant)},
                )
    yield from COMPUTED.get(game.name, {}).items()


def sentences(game: Arbiter) -> dict[str, tuple[str, ...]]:
    rows = load_yaml(game.folder / "events.yaml")
    return {name: (each,) if isinstance(each, str) else tuple(each) for name, each in rows.items()}


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@GAMES
def test_every_event_has_sentences_of_its_values_and_no_sentence_is_left(game: Arbiter) -> None:
    events: dict[str, set[str]] = {}
    for name, values in raised(game):
        events[name] = events.get(name, set()) | values
    known = sentences(game)
    assert known.keys() == events.keys()
    strange = {name: unknown for name in known for each in known[name] if (unknown := fields(each) - events[name])}
    assert not strange


@GAMES
def test_event_lines_are_sentences_with_names_instead_of_ids(game: Arbiter) -> None:
    known, lines = sentences(game), 0
    for example in filter(is_light, examples(game)):
        ruling = as_written(game, example).ruling
        names = {name.unit: name for finding in ruling.findings for name in _names(finding.values)}
        said = list(event_lines(game, example.body()["case"].get("scene"), ruling.effects))
        assert len(said) == len(ruling.effects.events)
        for event, line in zip(ruling.effects.events, said, strict=True):
            lines += 1
            assert not line.startswith(f"{event.name}:"), line
            wrong = [what for what, form in WRONG.items() if form.search(line)]
            assert not wrong, (wrong, line)
            # As the findings call a unit, the lines call it too.
            shown = set().union(*map(fields, known[event.name]))
            for id_ in _ids(event, shown) & names.keys():
                assert names[id_] in line, (names[id_], line, event)
    assert lines


def _names(values: Any) -> Iterator[UnitName]:
    if isinstance(values, UnitName):
        yield values
    parts = values.values() if isinstance(values, dict) else values if isinstance(values, tuple | list) else ()
    for part in parts:
        yield from _names(part)


def _ids(event: Event, shown: set[str]) -> set[str]:
    """Give the texts among the values of an event that its sentences show."""
    values = [value for name, value in to_builtins(event.values).items() if name in shown]
    return {id_ for value in values for id_ in (value if isinstance(value, list) else [value]) if isinstance(id_, str)}
