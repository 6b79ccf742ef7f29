"""Stubs of rules and examples: `make rules GAME=my-game` writes one for each passage that nothing rules yet.

A passage `shooting/sight` of `sources.yaml` gets a function `sight` in `rules/shooting.py`, which fails until it is
written, and an example in `examples/shooting.yaml`, which is a comment until it is filled in. What is there already
stays as it is.
"""

import ast
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from arbiter import registry
from arbiter.fault import UnknownName
from arbiter.game import Arbiter
from arbiter.sources.coverage import rows
from arbiter.sources.ledger import Unit

RULED = frozenset({"procedure", "definition", "table"})
"""Kinds of passages that a rule decides; an example of the text, a fact and flavour need none."""


def unruled(game: Arbiter) -> tuple[Unit, ...]:
    """Give the passages that should have a rule and have none, in the order of the text."""
    cited = {unit for rule in game.rules.values() for unit in rule.cites}
    cited |= {unit for row in rows(game) for unit in row.cites}
    return tuple(
        unit
        for unit in game.ledger.units.values()
        if unit.kind in RULED and unit.status in ("ruled", "open") and unit.id not in cited
    )


def write(game: Arbiter) -> tuple[str, ...]:
    """Write the stubs of a game; say in a line for each what was written, or why it was not."""
    lines = []
    for unit in unruled(game):
        chapter, _, rest = unit.id.replace("-", "_").partition("/")
        name = rest.replace("/", "_") or chapter
        if f"{chapter}.{name}" in game.rules:
            lines.append(f"{unit.id}: the rule {chapter}.{name} is there; cite {unit.id} there, or rename the unit")
            continue
        module = game.folder / "rules" / f"{chapter}.py"
        if not module.exists():
            title = chapter.replace("_", " ").capitalize()
            module.write_text(f'"""{title}. In the order of the text."""\n', encoding="utf-8")
        module.write_text(_with_rule(module.read_text(encoding="utf-8"), game, unit, chapter, name), encoding="utf-8")
        examples = game.folder / "examples" / f"{chapter.replace('_', '-')}.yaml"
        before = examples.read_text(encoding="utf-8") if examples.exists() else ""
        examples.write_text(before + _example(game, unit, chapter), encoding="utf-8")
        lines.append(f"{unit.id}: {module.relative_to(game.folder)}, {examples.relative_to(game.folder)}")
    return tuple(lines)


def _with_rule(text: str, game: Arbiter, unit: Unit, chapter: str, name: str) -> str:
    """Add a rule to a module, with the imports that it needs and the module does not have."""
    needed = {
        "rule": "from arbiter.rule import rule",
        "Table": "from arbiter.table import Table",
        "Scene": f"from {game.package}.scene import Scene",
    }
    tree = ast.parse(text)
    there = {alias.name for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    imports = "\n".join(line for imported, line in needed.items() if imported not in there)
    lines = text.rstrip("\n").split("\n")
    # A module begins with its docstring: the imports come after it.
    at = tree.body[0].end_lineno or 1
    stub = f'''@rule("{chapter}.{name}", cites="{unit.id}", neutral=None)
def {name}(table: Table, scene: Scene) -> None:
    """Decide: {unit.gist}"""
    raise NotImplementedError("{unit.id} has no rule yet")
'''
    return "\n".join([*lines[:at], "", imports, *lines[at:], "", "", stub])


def _example(game: Arbiter, unit: Unit, chapter: str) -> str:
    """Give an example that cites a passage, as a comment to fill in."""
    asked = next((each for each in game.questions.values() if _chapter(each.rule) == chapter), None)
    question = asked or next(iter(game.questions.values()))
    scenes = sorted(path.stem for path in (game.folder / "examples" / "scenes").glob("*.yaml"))
    return f"""
# - title: "{unit.gist}"
#   question: {question.name}
#   cites: [{unit.id}]
#   scene: {scenes[0] if scenes else "…"}
#   case: {{}}
#   dice: {{hand: {{}}}}
#   expect: {{answer: {{}}}}
"""


def _chapter(function: object) -> str:
    return str(getattr(function, "__module__", "")).rpartition(".")[2]


def tidy(paths: Iterable[Path]) -> None:
    """Bring modules into the form of the house: imports in order, lines as the formatter writes them."""
    for command in (("check", "--select", "I", "--fix"), ("format",)):
        subprocess.run([sys.executable, "-m", "ruff", *command, "--quiet", *map(str, paths)], check=False)


def main(arguments: list[str]) -> int:
    """Write the stubs of the game that the command line names."""
    name = " ".join(arguments).strip()
    try:
        game = registry.game(name)
    except UnknownName as wrong:
        print(wrong, file=sys.stderr)
        return 2
    lines = write(game)
    tidy([game.folder / "rules"])
    print("\n".join(lines) or f"Every passage of {game.title} that needs a rule has one.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
