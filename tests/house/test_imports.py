"""One direction of imports, `arbiter` <- `services` <- `workers` <- `api`, and a kernel that knows nothing else."""

import ast
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = ("arbiter", "services", "workers", "api")

# A ruling must come out the same wherever and whenever it is asked for.
WORLDLY = frozenset(
    {"asyncio", "concurrent", "ctypes", "datetime", "getpass", "http", "locale", "multiprocessing", "os", "platform"}
    | {"queue", "random", "sched", "secrets", "signal", "smtplib", "socket", "ssl", "subprocess", "tempfile", "time"}
    | {"urllib", "uuid"}
)
KERNEL_MAY_USE = frozenset({"msgspec", "yaml"})
EXCEPTIONS = {
    "arbiter/throwing.py": {"random"},
    "arbiter/law.py": {"numpy"},
    "arbiter/geometry": {"numpy", "shapely"},
}


def modules(*layers: str) -> list[Path]:
    return [path for layer in layers for path in sorted((ROOT / layer).rglob("*.py"))]


@cache
def imports(path: Path) -> Sequence[tuple[int, str]]:
    """Give the line and the full name of everything a module imports, wherever in it."""
    return tuple(_imports(path))


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = path.relative_to(ROOT).parent.parts
            above = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            yield node.lineno, ".".join(part for part in (above, node.module) if part)


def named(path: Path, line: int, name: str) -> str:
    return f"{path.relative_to(ROOT)}:{line} imports {name}"


def excepted(path: Path) -> set[str]:
    place = path.relative_to(ROOT).as_posix()
    return {name for home, names in EXCEPTIONS.items() if place.startswith(home) for name in names}


@pytest.mark.parametrize("layer", LAYERS)
def test_a_layer_imports_only_what_lies_below_it(layer: str) -> None:
    above = LAYERS[LAYERS.index(layer) + 1 :]
    wrong = [
        named(path, line, name)
        for path in modules(layer)
        for line, name in imports(path)
        if name.split(".")[0] in (*above, "tests", "benchmarks")
    ]
    assert not wrong, "\n".join((*wrong, f"{layer} may import from {LAYERS[: LAYERS.index(layer) + 1]} only"))


def test_kernel_and_games_know_no_web_no_queue_no_clock_and_no_chance() -> None:
    wrong = []
    for path in modules("arbiter", "services"):
        for line, name in imports(path):
            top = name.split(".")[0]
            outside = top not in sys.stdlib_module_names and top not in (*LAYERS, *KERNEL_MAY_USE)
            if (outside or top in WORLDLY) and top not in excepted(path):
                wrong.append(named(path, line, name))
    assert not wrong, "\n".join((*wrong, "rules are decided from their arguments and their table alone"))


def test_one_game_does_not_lean_on_another() -> None:
    wrong = []
    for path in modules("services"):
        place = path.relative_to(ROOT).parts
        for line, name in imports(path):
            parts = name.split(".")
            if len(place) > 2 and parts[0] == "services" and len(parts) > 1 and parts[1] != place[1]:
                wrong.append(named(path, line, name))
    assert not wrong, "\n".join((*wrong, "what two games share belongs into arbiter/"))


def test_chance_has_one_home() -> None:
    wrong = [
        named(path, line, name)
        for path in modules(*LAYERS)
        for line, name in imports(path)
        if name.split(".")[0] == "random" and path != ROOT / "arbiter" / "throwing.py"
    ]
    assert not wrong, "\n".join((*wrong, "dice fall in arbiter/throwing.py"))


def test_the_reading_of_imports_sees_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "services" / "game" / "rules" / "moving.py"
    module.parent.mkdir(parents=True)
    module.write_text("import api.app as a, random\ndef f():\n    from ..model import X\n    from . import other\n")
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert imports(module) == (
        (1, "api.app"),
        (1, "random"),
        (3, "services.game.model"),
        (4, "services.game.rules"),
    )
