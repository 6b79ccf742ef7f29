"""One direction of imports, no circles, no crowded folders, and a kernel that knows no world outside of it."""

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

MAY_IMPORT = {
    "infra": (),
    "arbiter": (),
    "services": ("arbiter",),
    "rendering": ("arbiter",),
    "workers": ("infra", "arbiter", "services"),
    "api": ("infra", "arbiter", "services", "rendering", "workers"),
    "cli": ("infra", "arbiter", "services", "rendering", "workers", "api"),
}
"""What each top-level package may import besides itself."""
OURS = (*MAY_IMPORT, "upkeep", "tests", "benchmarks")

IN_API = {"__init__.py", "app.py", "settings.py"}
"""The modules that stand directly in `api/`; everything else has a room by its topic."""
MOST_MODULES = 20

# A ruling must come out the same wherever and whenever it is asked for.
WORLDLY = frozenset(
    {"asyncio", "concurrent", "ctypes", "datetime", "getpass", "http", "locale", "multiprocessing", "os", "platform"}
    | {"queue", "random", "sched", "secrets", "signal", "smtplib", "socket", "ssl", "subprocess", "tempfile", "time"}
    | {"urllib", "uuid"}
)
KERNEL_MAY_USE = frozenset({"msgspec", "yaml"})
EXCEPTIONS = {
    "arbiter/dice_sources.py": {"random"},
    "arbiter/odds/exact.py": {"numpy"},
    "arbiter/geometry": {"numpy", "shapely"},
    "arbiter/sources/lookup": {"numpy", "rapidfuzz"},
    "arbiter/skirmish/faults.py": {"rapidfuzz"},
}


def modules(*layers: str) -> list[Path]:
    return [path for layer in layers for path in sorted((ROOT / layer).rglob("*.py"))]


@cache
def imports(path: Path) -> Sequence[tuple[int, str]]:
    """Give the line and the full name of everything a module imports, wherever in it."""
    return tuple(_imports(path))


@cache
def statements(path: Path) -> Sequence[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Give the import statements of a module, each with whether it is carried out as soon as the module is imported."""
    module = ast.parse(path.read_text(encoding="utf-8"))
    at_once = {id(node) for node in module.body}
    return tuple(
        (node, id(node) in at_once) for node in carried_out(module) if isinstance(node, ast.Import | ast.ImportFrom)
    )


def carried_out(block: ast.AST) -> Iterator[ast.stmt]:
    """Give every statement within a block, however deep; an expression has none, so that none is looked into."""
    for part in ("body", "orelse", "finalbody", "handlers", "cases"):
        for each in getattr(block, part, ()):
            if isinstance(each, ast.stmt):
                yield each
            yield from carried_out(each)


def _imports(path: Path) -> Iterator[tuple[int, str]]:
    for node, _ in statements(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, name.name) for name in node.names)
        else:
            package = path.relative_to(ROOT).parent.parts
            above = ".".join(package[: len(package) - node.level + 1]) if node.level else ""
            yield node.lineno, ".".join(part for part in (above, node.module) if part)


def dotted(path: Path) -> str:
    """Give the name by which a module is imported."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def names(path: Path) -> Sequence[str]:
    """Give the modules that a module needs as soon as it is imported, also those imported as names of a package."""
    return tuple(_names(path))


def _names(path: Path) -> Iterator[str]:
    for node, at_once in statements(path):
        if isinstance(node, ast.Import) and at_once:
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and at_once and node.module:
            for name in node.names:
                within = ROOT.joinpath(*node.module.split("."), f"{name.name}.py")
                yield f"{node.module}.{name.name}" if within.exists() else node.module


def named(path: Path, line: int, name: str) -> str:
    return f"{path.relative_to(ROOT)}:{line} imports {name}"


def excepted(path: Path) -> set[str]:
    place = path.relative_to(ROOT).as_posix()
    return {name for home, names in EXCEPTIONS.items() if place.startswith(home) for name in names}


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_a_package_imports_only_what_lies_below_it(package: str) -> None:
    allowed = {package, *MAY_IMPORT[package]}
    wrong = [
        named(path, line, name)
        for path in modules(package)
        for line, name in imports(path)
        if name.split(".")[0] in OURS and name.split(".")[0] not in allowed
    ]
    assert not wrong, "\n".join((*wrong, f"{package} may import {sorted(allowed)} only"))


@pytest.mark.parametrize("package", MAY_IMPORT)
def test_no_package_has_a_circle_inside(package: str) -> None:
    graph = {dotted(path): {*names(path)} for path in modules(package)}
    graph = {module: {name for name in needs if name in graph and name != module} for module, needs in graph.items()}
    try:
        tuple(TopologicalSorter(graph).static_order())
    except CycleError as circle:
        pytest.fail(" -> ".join(circle.args[1]))


def test_the_gateway_has_a_room_for_everything() -> None:
    loose = {path.name for path in (ROOT / "api").glob("*.py")} - IN_API
    assert not loose, f"put {sorted(loose)} into the package of api/ that their topic names"


def test_no_folder_is_crowded() -> None:
    folders = Counter(
        path.parent for path in modules(*MAY_IMPORT, "upkeep", "benchmarks") if path.name != "__init__.py"
    )
    # A game has one module of rules for each chapter of its text, or part of one.
    crowded = {folder.relative_to(ROOT).as_posix(): n for folder, n in folders.items() if folder.name != "rules"}
    crowded = {folder: n for folder, n in crowded.items() if n > MOST_MODULES}
    assert not crowded, f"{crowded}: give folders of more than {MOST_MODULES} modules rooms"


def test_kernel_and_games_know_no_web_no_queue_no_clock_and_no_chance() -> None:
    wrong = []
    for path in modules("arbiter", "services"):
        for line, name in imports(path):
            top = name.split(".")[0]
            outside = top not in sys.stdlib_module_names and top not in (*MAY_IMPORT, *KERNEL_MAY_USE)
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
        for path in modules(*MAY_IMPORT)
        for line, name in imports(path)
        if name.split(".")[0] == "random" and path != ROOT / "arbiter" / "dice_sources.py"
    ]
    assert not wrong, "\n".join((*wrong, "dice fall in arbiter/dice_sources.py"))


def test_the_reading_of_imports_sees_every_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "services" / "game" / "rules" / "moving.py"
    module.parent.mkdir(parents=True)
    module.write_text("import api.app as a, random\ndef f():\n    from ..model import X\n    from . import other\n")
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert imports(module) == ((1, "api.app"), (1, "random"), (3, "services.game.model"), (4, "services.game.rules"))
