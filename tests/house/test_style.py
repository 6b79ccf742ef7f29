"""What ruff and mypy do not see of the house's style."""

import ast
import re
from pathlib import Path
from tokenize import COMMENT, NL, STRING, generate_tokens

ROOT = Path(__file__).parents[2]
MOST_LINES = 450
CODE = ("infra", "arbiter", "services", "rendering", "workers", "api", "cli", "upkeep")


def modules() -> list[Path]:
    return [path for layer in CODE for path in sorted((ROOT / layer).rglob("*.py"))]


def test_no_module_is_longer_than_one_can_keep_in_mind() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    wrong = [f"{path.relative_to(ROOT)} has {length} lines" for path, length in lengths.items() if length > MOST_LINES]
    assert not wrong, "\n".join((*wrong, f"a module of over {MOST_LINES} lines wants to be two"))


def test_every_module_says_what_it_is_for() -> None:
    wrong = [str(path.relative_to(ROOT)) for path in modules() if path.stat().st_size and not docstring(path)]
    assert not wrong, "\n".join((*wrong, "begin the module with a docstring"))


def docstring(path: Path) -> str:
    """Give the text that a module begins with, without reading on."""
    with path.open(encoding="utf-8") as lines:
        first = next(each for each in generate_tokens(lines.readline) if each.type not in (COMMENT, NL))
    return str(ast.literal_eval(first.string)).strip() if first.type == STRING else ""


def test_nothing_is_left_for_later() -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{number} {line.strip()}"
        for path in modules()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\b(TODO|FIXME|XXX|HACK)\b", line) or re.search(r"(type: ignore|noqa)(?!.*(#| - ))", line)
    ]
    assert not wrong, "\n".join((*wrong, "finish it, list it in the README as open, or say why a check is waived"))
