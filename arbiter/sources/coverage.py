"""The coverage matrix: `make sources` shows which passages of each game's text are ruled, data, excused and open.

Each unit has the rules and data rows that cite it, and the number of worked examples that exercise it.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from arbiter import registry
from arbiter.fault import UnknownName
from arbiter.game import Arbiter
from arbiter.sources.examples import Example, load_examples, run
from arbiter.sources.ledger import Unit
from arbiter.value import Value


class Row(Value, frozen=True):
    """A data row: its file and index, and the members that every row has."""

    table: str
    place: int
    content: dict[str, Any]

    @property
    def name(self) -> str:
        """Name the row by its table and its id, or its index if it has none."""
        return f"data/{self.table}/{self.content.get('id', self.place)}"

    @property
    def cites(self) -> tuple[str, ...]:
        """The units that the row cites, including those of the rows inside it."""
        return tuple(dict.fromkeys(_citations(self.content)))


class Coverage(Value, frozen=True):
    """The coverage of one unit: the rules and data rows that cite it, and the examples that exercise it."""

    unit: Unit
    rules: tuple[str, ...]
    rows: tuple[str, ...]
    examples: tuple[str, ...]


def _citations(content: Any) -> Iterator[str]:
    if isinstance(content, dict):
        cites = content.get("cites", ())
        yield from (cites,) if isinstance(cites, str) else cites
        content = list(content.values())
    if isinstance(content, list):
        for part in content:
            yield from _citations(part)


def rows(game: Arbiter) -> tuple[Row, ...]:
    """Give every row of a game's data; `ValueError` for a file that is not a list of rows."""
    found = []
    for table, content in game.catalog.items():
        if not isinstance(content, list) or not all(isinstance(row, dict) for row in content):
            raise ValueError(f"{game.folder}/data/{table}.yaml must be a list of rows, each beginning with '- id: …'")
        found += [Row(table, place, row) for place, row in enumerate(content, 1)]
    return tuple(found)


def exercises(game: Arbiter, examples: Iterable[Example]) -> Iterator[tuple[str, str]]:
    """Give each unit that a finding or a reason of an example's ruling cites, with the example's title.

    An example that the text prints exercises the unit it names, too.
    """
    for example in examples:
        ruling = run(game, example)
        steps = (*ruling["findings"], *ruling["reasons"])
        cited = {unit for step in steps for unit in step["cites"]}
        if example.example_of_book:
            cited.update(unit for unit in example.cites if game.ledger[unit].kind == "example")
        for unit in cited:
            yield unit, example.title


def coverage(game: Arbiter) -> tuple[Coverage, ...]:
    """Give the coverage of every unit of a game, in the order of its ledger."""
    by_rules = _group((unit, rule.id) for rule in game.rules.values() for unit in rule.cites)
    by_rows = _group((unit, row.name) for row in rows(game) for unit in row.cites)
    by_examples = _group(exercises(game, load_examples(game.folder / "examples")))
    return tuple(
        Coverage(unit, by_rules.get(unit.id, ()), by_rows.get(unit.id, ()), by_examples.get(unit.id, ()))
        for unit in game.ledger.units.values()
    )


def matrix(game: Arbiter) -> str:
    """Write the coverage of a game as a table to read."""
    covered = coverage(game)
    widest = max(len(each.unit.id) for each in covered)
    counts = ", ".join(f"{count} {status}" for status, count in game.ledger.coverage().items())
    lines = [f"{game.title}, edition {game.edition}: {counts}"]
    section = None
    for each in covered:
        if (each.unit.at.document, each.unit.at.section) != section:
            section = (each.unit.at.document, each.unit.at.section)
            lines.append(f"\n  {', '.join(part for part in section if part)}")
        lines.append(f"    {each.unit.status:8}{each.unit.id:{widest + 2}}{_format_row(each)}")
    return "\n".join(lines)


def _format_row(each: Coverage) -> str:
    if each.unit.because:
        return each.unit.because
    cited = [*each.rules, f"data rows: {len(each.rows)}"] if each.rows else each.rules
    return f"{', '.join(cited) or 'no rule'}; examples: {len(each.examples)}"


def _group(pairs: Iterable[tuple[str, str]]) -> Mapping[str, tuple[str, ...]]:
    by: dict[str, tuple[str, ...]] = {}
    for unit, name in pairs:
        by[unit] = (*by.get(unit, ()), name)
    return by


def main(arguments: list[str]) -> int:
    """Print the matrix of every game, or of the named ones; a name with a dot is a package."""
    try:
        asked = [registry.load(name) if "." in name else registry.game(name) for name in arguments]
    except (UnknownName, ModuleNotFoundError) as wrong:
        print(wrong, file=sys.stderr)
        return 2
    print("\n\n".join(matrix(game) for game in asked or registry.games().values()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
