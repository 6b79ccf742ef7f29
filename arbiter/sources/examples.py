"""Worked examples: a question with its case and dice, and what the ruling must say, in YAML that anyone can write.

They are in `services/<game>/examples/*.yaml`, each file a list of examples in this form:

    - title: "A sentence that says what the example shows"
      question: attack
      cites: [shooting/save]                # units of the ledger that the ruling must cite
      scene: crossfire                      # examples/scenes/crossfire.yaml becomes the case's scene …
      set: {/fighters/0/hex: [3, 1]}        # … with these changes, each at its JSON Pointer
      case: {attacker: ann, target: bob}    # the rest of the case
      dice: {hand: {to hit: [4]}}           # as they are posted; so are choices, policies and readings
      expect: {answer: {wounds: 1}}         # a part of the ruling
      odds: {wounds: {0: "7/12", 1: "5/12"}, by: "enumeration by hand"}
      example_of_book: true                 # the text itself prints this example

In `expect`, an object needs only the members that matter, a list must be complete, and `{contains: […]}` requires that
a list contains an item that matches each of its items. `odds` gives exact chances of single fields of the answer, and
their origin. Odds take no choices: if the example has some, `policies` names how they are made in its odds. The first
example of a question, in the order of the files' names, is the one that is shown for it.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, cast

import msgspec

from arbiter.fault import pointer
from arbiter.game import Arbiter, PathBudgetExceeded
from arbiter.json import encode
from arbiter.odds.tables import EVERY
from arbiter.question import Ask, AskOdds
from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value

SEED = "example"
"""The seed of an example without dice."""

ODDS_BUDGET = 200_000
"""The most paths of an example's odds."""


class Example(Value, frozen=True, kw_only=True):
    """One worked example, with its whole case."""

    title: str
    question: str
    case: dict[str, Any]
    cites: tuple[str, ...] = ()
    dice: dict[str, Any] = {}
    choices: dict[str, Any] = {}
    policies: dict[str, str] = {}
    readings: dict[str, str] = {}
    expect: dict[str, Any] = {}
    odds: dict[str, dict[Any, Fraction]] = {}
    odds_by: str = ""
    example_of_book: bool = False
    file: str = ""

    def body(self) -> dict[str, Any]:
        """Give the body of the question."""
        return self._posted("case", "dice", "choices", "policies", "readings")

    def ready_body(self) -> dict[str, Any]:
        """Give that body with fixed dice, so that posting it always gives the same ruling."""
        body = self.body()
        return body if "dice" in body else {**body, "dice": {"seed": SEED}}

    def odds_body(self) -> dict[str, Any]:
        """Give the body of the odds: without dice, and with policies instead of choices."""
        return self._posted("case", "policies", "readings")

    def _posted(self, *members: str) -> dict[str, Any]:
        said = {member: getattr(self, member) for member in members}
        posted = {member: value for member, value in said.items() if value or member == "case"}
        # A copy that may be changed; encoding and decoding it is many times faster than copying part by part.
        copied: dict[str, Any] = msgspec.msgpack.decode(msgspec.msgpack.encode(posted))
        return copied


class _Row(Value, frozen=True, kw_only=True):
    title: str
    question: str
    cites: tuple[str, ...] = ()
    scene: str | None = None
    changes: dict[str, Any] = msgspec.field(default_factory=dict, name="set")
    case: dict[str, Any] = {}
    dice: dict[str, Any] = {}
    choices: dict[str, Any] = {}
    policies: dict[str, str] = {}
    readings: dict[str, str] = {}
    expect: dict[str, Any] = {}
    odds: dict[str, Any] = {}
    example_of_book: bool = False


def load_examples(folder: Path) -> tuple[Example, ...]:
    """Read every example of a game's `examples/` folder, file by file in the order of their names.

    Raises `ValueError`, naming the file and the example, for an unknown or missing member, a missing scene, a change
    without a target, a chance that is not a fraction, or a repeated title.
    """
    examples: list[Example] = []
    titles: dict[str, str] = {}

    @cache
    def scene(name: str) -> Any:
        return load_yaml(folder / "scenes" / f"{name}.yaml")

    for path in sorted(folder.glob("*.yaml")):
        rows = load_yaml(path)
        if rows is None:
            continue  # nothing but comments so far
        if not isinstance(rows, list):
            raise ValueError(f"{path}: a file of examples is a list of them, each beginning with '- title: …'")
        for number, row in enumerate(rows, 1):
            title = row.get("title") if isinstance(row, dict) else None
            try:
                example = _example(msgspec.convert(row, _Row), scene, path.name)
            except (ValueError, OSError) as wrong:
                raise ValueError(f"{path}, example {number} ({title or 'without a title'}): {wrong}") from wrong
            if example.title in titles:
                raise ValueError(f"{path}, example {number}: {titles[example.title]} has the title {title!r} already")
            titles[example.title] = path.name
            examples.append(example)
    return tuple(examples)


def first_examples(examples: Iterable[Example]) -> dict[str, Example]:
    """Give the example that is shown for each question: its first."""
    first: dict[str, Example] = {}
    for example in examples:
        first.setdefault(example.question, example)
    return first


def run(game: Arbiter, example: Example) -> dict[str, Any]:
    """Ask the question of the example and give the ruling as JSON; an exception gets a note with the example."""
    question = game.question(example.question)
    with _named(game, example):
        ask: Ask[Any] = msgspec.convert(example.body(), cast(Any, Ask)[question.case])
        posted = example.case.get("scene")
        return _json(game.ask(example.question, ask, seed=SEED, posted=lambda: posted))


def run_odds(game: Arbiter, example: Example, budget: int = ODDS_BUDGET) -> dict[str, Any]:
    """Ask for the odds of the example's question and give them as JSON; an exception gets a note with the example."""
    question = game.question(example.question)
    with _named(game, example):
        body = {**example.odds_body(), "fields": [EVERY]}
        ask: AskOdds[Any] = msgspec.convert(body, cast(Any, AskOdds)[question.case])
        return _json(game.odds(example.question, ask, budget))


@contextmanager
def _named(game: Arbiter, example: Example) -> Iterator[None]:
    """Add the game and the example to exceptions raised inside the block."""
    try:
        yield
    except Exception as wrong:
        wrong.add_note(f"in {game.name}, question {example.question!r}, example {example.title!r} of {example.file}")
        if isinstance(wrong, PathBudgetExceeded):
            wrong.add_note("merge equal results with `table.call`, or give the example a smaller case")
        raise


def differences(expected: Any, got: Any) -> list[str]:
    """List where a ruling differs from the expected one, a line for each JSON Pointer; empty if it does not."""
    return _differences(expected, got, ())


def odds_differences(expected: Mapping[str, Mapping[Any, Fraction]], odds: Mapping[str, Any]) -> list[str]:
    """List which chances of single fields differ from the expected ones; unnamed values may have any chance."""
    marginals = {marginal["field"]: marginal["values"] for marginal in odds["marginals"]}
    lines = []
    for field, chances in expected.items():
        if field not in marginals:
            known = ", ".join(marginals) or "none"
            lines.append(f"{pointer('marginals', field)}: the odds give no such field; they give {known}")
            continue
        masses = {chance["answer"]: Fraction(chance["mass"]) for chance in marginals[field]}
        for value, chance in chances.items():
            if masses.get(value, Fraction(0)) != chance:
                lines.append(
                    f"{pointer('marginals', field, str(value))}: expected {chance}, got {masses.get(value, 0)}"
                )
    return lines


def _example(row: _Row, scene: Callable[[str], Any], file: str) -> Example:
    case = dict(row.case)
    if row.scene is not None:
        if "scene" in case:
            raise ValueError("the case holds a scene of its own beside the one that `scene` names")
        case = {"scene": scene(row.scene), **case}
    if row.changes and "scene" not in case:
        raise ValueError("`set` changes a scene, but there is none")
    for place, value in row.changes.items():
        case["scene"] = _with(case["scene"], place, value)
    if not row.expect and not row.odds:
        raise ValueError("an example must say what to `expect`, or which `odds`")
    chances = dict(row.odds)
    by = chances.pop("by", "")
    if bool(chances) != bool(by) or not isinstance(by, str):
        raise ValueError("`odds` names fields of the answer, and in `by` who worked the chances out")
    if chances and row.choices and not row.policies:
        raise ValueError(
            "`odds` take no `choices`: say in `policies` which policy chooses in them, such as policies: {'*': first}"
        )
    return Example(
        title=row.title,
        question=row.question,
        case=case,
        cites=row.cites,
        dice=row.dice,
        choices=row.choices,
        policies=row.policies,
        readings=row.readings,
        expect=row.expect,
        odds={field: _fractions(field, values) for field, values in chances.items()},
        odds_by=by,
        example_of_book=row.example_of_book,
        file=file,
    )


def _fractions(field: str, values: Any) -> dict[Any, Fraction]:
    if not isinstance(values, dict):
        raise ValueError(f"`odds` of {field}: write each value with its chance, as in {{0: '7/12', 1: '5/12'}}")
    for chance in values.values():
        # A decimal number is rarely the intended chance: 0.33 is not a third.
        if not re.fullmatch(r"[0-9]+(/[1-9][0-9]*)?", str(chance)):
            raise ValueError(f"`odds` of {field}: {chance} is no exact chance; write a fraction, as in '7/12'")
    return {value: Fraction(chance) for value, chance in values.items()}


def _with(scene: Any, place: str, value: Any) -> Any:
    """Give a scene with one member or row set; `-` is the row after the last. Unchanged parts are shared."""
    parts = [part.replace("~1", "/").replace("~0", "~") for part in place.split("/")]
    if len(parts) < 2 or parts[0]:
        raise ValueError(f"`set`: {place!r} is no JSON Pointer into the scene; it begins with '/'")
    return _replaced(scene, parts[1:], value, place)


def _replaced(where: Any, parts: Sequence[str], value: Any, place: str) -> Any:
    part, *rest = parts
    if rest:
        value = _replaced(where[_index(where, part, place)], rest, value, place)
    if isinstance(where, dict):
        return {**where, part: value}
    if isinstance(where, list) and part == "-":
        return [*where, value]
    at = _index(where, part, place)
    return [*where[:at], value, *where[at + 1 :]]


def _index(where: Any, part: str, place: str) -> Any:
    if isinstance(where, dict) and part in where:
        return part
    if isinstance(where, list) and part.isdecimal() and int(part) < len(where):
        return int(part)
    raise ValueError(f"`set`: {place} leads nowhere, for there is no {part!r} in the scene")


def _differences(expected: Any, got: Any, path: tuple[str | int, ...]) -> list[str]:
    where = pointer(*path) or "/"
    if isinstance(expected, dict) and set(expected) == {"contains"} and not isinstance(got, dict):
        if not isinstance(got, list):
            return [f"{where}: expected a list, got {got!r}"]
        return [
            f"{where}: nothing in it is like {item!r}; it holds {got!r}"
            for item in expected["contains"]
            if all(_differences(item, held, ()) for held in got)
        ]
    if isinstance(expected, dict) and isinstance(got, dict):
        lines = []
        for name, value in expected.items():
            if name in got:
                lines += _differences(value, got[name], (*path, name))
            else:
                lines.append(f"{pointer(*path, name)}: expected {value!r}, got nothing; there are {', '.join(got)}")
        return lines
    if isinstance(expected, list) and isinstance(got, list) and len(expected) == len(got):
        return [
            line
            for index, (wanted, held) in enumerate(zip(expected, got, strict=True))
            for line in _differences(wanted, held, (*path, index))
        ]
    # In JSON, true is not 1.
    same = expected == got and isinstance(expected, bool) == isinstance(got, bool)
    return [] if same else [f"{where}: expected {expected!r}, got {got!r}"]


def _json(value: Value) -> dict[str, Any]:
    return msgspec.json.decode(encode(value), type=dict[str, Any])
