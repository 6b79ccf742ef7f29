"""The locked dependencies: what pyproject.toml asks for, pinned and hashed, without an address of any place."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from cli.serve import ROOT

FULL, RUNTIME = ROOT / "requirements.lock", ROOT / "requirements-runtime.lock"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())


def pins(text: str) -> dict[str, tuple[str, frozenset[str]]]:
    """Give version and hashes of each pinned package."""
    entries = re.findall(r"^([\w.-]+)==(\S+) \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE)
    return {
        canonicalize_name(name): (version, frozenset(re.findall("[0-9a-f]{64}", hashes)))
        for name, version, hashes in entries
    }


@pytest.mark.parametrize("path", [FULL, RUNTIME], ids=lambda path: path.name)
def test_every_line_is_a_hashed_pin_and_none_names_a_place(path: Path) -> None:
    text = path.read_text()
    assert not re.search(r"://|^-|@ | /\w", text, re.MULTILINE), "run: make lock"
    requirements = [line for line in text.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(requirements) == len(pins(text))


@pytest.mark.parametrize(
    ("path", "asked"),
    [
        (
            FULL,
            [
                *PROJECT["project"]["dependencies"],
                *PROJECT["project"]["optional-dependencies"]["dev"],
                *PROJECT["build-system"]["requires"],
            ],
        ),
        (RUNTIME, [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"]]),
    ],
    ids=["everything", "runtime"],
)
def test_what_the_project_asks_for_is_pinned(path: Path, asked: list[str]) -> None:
    pinned = pins(path.read_text())
    for requirement in map(Requirement, asked):
        version, _ = pinned.get(canonicalize_name(requirement.name), ("", frozenset()))
        assert version, f"{requirement.name} is not locked; run: make lock"
        assert requirement.specifier.contains(version), f"{requirement} is locked as {version}; run: make lock"


def test_the_runtime_is_a_part_of_the_whole() -> None:
    assert pins(RUNTIME.read_text()).items() <= pins(FULL.read_text()).items()
    assert {"pytest", "mypy", "ruff", "hypothesis"}.isdisjoint(pins(RUNTIME.read_text()))
