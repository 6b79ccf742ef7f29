"""Every passage of a text is covered: cited, exercised by an example, and pulling its weight.

A red test names the unit, where it stands and what to write; `make sources` shows the whole matrix.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from arbiter.fault import Faults, UnknownName
from arbiter.game import Arbiter, PathBudgetExceeded
from arbiter.rule import Rule
from arbiter.sources.coverage import rows
from arbiter.sources.examples import Example, differences, odds_differences, run, run_odds
from arbiter.sources.ledger import Unit
from tests.services.asking import examples, is_light, per_game, ruled

MATRIX = "The whole matrix: make sources"

MOST_PATHS = 20_000
"""Paths that are walked to find out whether odds change without a rule."""


def refuse(wrong: Iterable[str]) -> None:
    """Fail with every line, and the command that shows more."""
    lines = list(wrong)
    assert not lines, "\n".join((*lines, MATRIX))


def place(unit: Unit) -> str:
    """Name a unit with its place and its lines."""
    lines = f", lines {unit.at.lines}" if unit.at.lines else ""
    return f"{unit.id} ({unit.where}{lines}): {unit.gist}"


@per_game()
def test_every_citation_is_in_the_ledger(game: Arbiter) -> None:
    said = [(f"the rule {rule.id}", unit) for rule in game.rules.values() for unit in rule.cites]
    said += [(row.name, unit) for row in rows(game) for unit in row.cites]
    said += [(f"the reading {reading.id}", unit) for reading in game.readings.by_id.values() for unit in reading.cites]
    said += [(f"the example {example.title!r}", unit) for example in examples(game) for unit in example.cites]
    refuse(
        f"{who} cites {unit}, which {game.folder.name}/sources.yaml does not list: add the unit or mend the citation"
        for who, unit in said
        if unit not in game.ledger.units
    )


@per_game()
def test_every_step_of_a_ruling_cites_what_is_in_the_ledger(game: Arbiter) -> None:
    wrong = []
    for example in examples(game):
        try:
            ruled(game, example)
        except UnknownName as unknown:
            wrong.append(f"a finding or a reason in {example.title!r}: {unknown}")
    refuse(wrong)


@per_game()
def test_every_unit_is_cited_by_a_rule_or_a_data_row(game: Arbiter) -> None:
    by_rules = {unit for rule in game.rules.values() for unit in rule.cites}
    by_rows = {unit for row in rows(game) for unit in row.cites}
    wrong = []
    for unit in game.ledger.units.values():
        # An example that the text prints is no rule of its own; it has a test of its own below.
        if unit.status == "ruled" and unit.kind != "example" and unit.id not in by_rules | by_rows:
            wrong.append(
                f"{place(unit)}\n  is ruled, but no rule cites it: cite it in services/{game.folder.name}/rules"
            )
        if unit.status == "data" and unit.id not in by_rows | by_rules:
            wrong.append(f"{place(unit)}\n  is data, but no row cites it: cite it in services/{game.folder.name}/data")
    refuse(wrong)


@per_game()
def test_what_is_open_stands_in_the_readme(game: Arbiter) -> None:
    readme = (game.folder / "README.md").read_text(encoding="utf-8")
    refuse(
        f"{place(unit)}\n  is open: rule it, or name `{unit.id}` in {game.folder.name}/README.md as not ruled yet"
        for unit in game.ledger.units.values()
        if unit.status == "open" and not re.search(rf"(?<![\w/-]){re.escape(unit.id)}(?![\w/-])", readme)
    )


@per_game()
def test_every_ruled_unit_is_exercised_by_an_example(game: Arbiter) -> None:
    exercised: set[str] = set()
    for example in examples(game):
        ruling, _ = ruled(game, example)
        exercised.update(unit for step in (*ruling["findings"], *ruling["reasons"]) for unit in step["cites"])
    refuse(
        f"{place(unit)}\n  is exercised by no example: write one whose ruling has a finding or a reason that cites it"
        for unit in game.ledger.units.values()
        if unit.status == "ruled" and unit.kind != "example" and unit.id not in exercised
    )


@per_game()
def test_every_example_of_the_text_is_here(game: Arbiter) -> None:
    shown = {unit for example in examples(game) if example.example_of_book for unit in example.cites}
    refuse(
        f"{place(unit)}\n  is an example of the text: write it down with `example_of_book: true`, citing {unit.id}"
        for unit in game.ledger.units.values()
        if unit.kind == "example" and unit.status == "ruled" and unit.id not in shown
    )


@per_game()
def test_every_rule_pulls_its_weight(game: Arbiter) -> None:
    wrong = []
    for rule in game.rules.values():
        touching = [example for example in examples(game) if rule.id in ruled(game, example)[1]]
        if not touching:
            wrong.append(f"{rule.id}: no example asks this rule; write one that does: {rule.gist}")
            continue
        try:
            pulls = matters(game, rule, touching)
        except Exception as unfit:
            wrong.append(f"{rule.id}: {type(unfit).__name__}: {unfit} {' '.join(unfit.__notes__)}")
            continue
        if not pulls:
            wrong.append(
                f"{rule.id}: without this rule all {len(touching)} examples that ask it come out as they do with it; "
                f"write one in which it matters: {rule.gist}"
            )
    refuse(wrong)


def matters(game: Arbiter, rule: Rule[..., object], touching: list[Example]) -> bool:
    """Decide whether any of the examples that ask a rule comes out otherwise than expected when it is not in the book.

    Those that cite what the rule cites come first, for they were written for it. What takes longest comes last: odds,
    and then whole battles.
    """
    written_for_it = sorted(touching, key=lambda example: set(rule.cites).isdisjoint(example.cites))
    light = [example for example in written_for_it if is_light(example)]
    heavy = [example for example in written_for_it if not is_light(example)]
    return (
        any(is_ruled_otherwise(game, rule, example) for example in light)
        or any(has_other_odds(game, rule, example) for example in light if example.odds)
        or any(is_ruled_otherwise(game, rule, example) for example in heavy)
    )


def is_ruled_otherwise(game: Arbiter, rule: Rule[..., object], example: Example) -> bool:
    """Decide whether the ruling is another without a rule; to be refused as impossible is another ruling too."""
    with without(rule, example):
        try:
            return bool(differences(example.expect, run(game, example)))
        except Faults:
            return True


def has_other_odds(game: Arbiter, rule: Rule[..., object], example: Example) -> bool:
    """Decide whether the odds are others without a rule. Odds of too many paths show nothing."""
    with without(rule, example):
        try:
            return bool(odds_differences(example.odds, run_odds(game, example, MOST_PATHS)))
        except Faults:
            return True
        except PathBudgetExceeded:
            return False


@contextmanager
def without(rule: Rule[..., object], example: Example) -> Iterator[None]:
    """Take a rule out of the book inside the block; an error there says what is probably wrong."""
    with rule.switched_off():
        try:
            yield
        except Exception as unfit:
            unfit.add_note(f"(`without` of a rule takes and gives what the rule does; found by {example.title!r})")
            raise
