"""The page `docs/your-first-game.md`, followed to the letter in a checkout of its own."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from shutil import copy, copytree, ignore_patterns

from tests.upkeep.test_new_game import checkout
from upkeep.new_game import ROOT, SPLIT

PAGE = (ROOT / "docs" / "your-first-game.md").read_text(encoding="utf-8")
BLOCK = re.compile(
    r"(?:^Put this into `(?P<path>[^`]+)`:\n\n)?^```(?P<lang>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def as_run(line: str) -> str:
    """Give the command that a line of the page becomes: what the Makefile does, with the Python of these tests."""
    if not line.startswith("make "):
        return line.replace(".venv/bin/arbiter", "$PY -m cli.main")
    words = shlex.split(line)[1:]
    values = dict(word.split("=", 1) for word in words if "=" in word)
    recipes = []
    for target in (word for word in words if "=" not in word):
        found = re.search(rf"^{target}: .*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)
        assert found, f"the Makefile has no target {target}"
        recipes += [command.removeprefix("\t").removeprefix("@") for command in found[1].splitlines()]
    return "\n".join(re.sub(r"\$\((\w+)\)", lambda name: variable(name[1], values), recipe) for recipe in recipes)


def variable(name: str, values: dict[str, str]) -> str:
    return values.get(name, {"PY": "$PY", "TEST_PROCESSES": "0"}.get(name, ""))


def script() -> str:
    """Write what the page says to do as one script: files, edits and commands, and what their output has to hold."""
    steps = ["set -euo pipefail"]
    for block in BLOCK.finditer(PAGE):
        path, lang, text = block["path"], block["lang"], block["text"]
        if path:
            steps.append(f"mkdir -p {Path(path).parent}\ncat > {path} <<'END_OF_FILE'\n{text}END_OF_FILE")
        elif lang == "diff":
            steps.append(f"git apply <<'END_OF_FILE'\n{text}END_OF_FILE")
        elif lang == "sh":
            commands = "\n".join(as_run(line) for line in text.splitlines())
            steps.append(f"{{\n{commands}\n}} 2>&1 | tee output.txt")
        else:
            assert lang == "text", f"the test does not know what to do with a block of {lang}"
            steps += [f"grep -qF -- {shlex.quote(line)} output.txt" for line in text.splitlines()]
    return "\n".join(steps)


def test_the_page_leads_to_a_green_game(tmp_path: Path) -> None:
    checkout(tmp_path)
    for package in ("infra", "rendering", "workers", "api", "cli"):
        copytree(ROOT / package, tmp_path / package, ignore=ignore_patterns("__pycache__"))
    copy(ROOT / SPLIT, tmp_path / SPLIT)
    # The checkout is no part of a repository that it may lie in.
    own = {"PY": sys.executable, "PYTHONPATH": str(tmp_path), "GIT_CEILING_DIRECTORIES": str(tmp_path.parent)}
    done = subprocess.run(
        ["bash", "-x", "-c", script()],
        cwd=tmp_path,
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, **own},
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
    ledger = (tmp_path / "services" / "rat_cellar" / "sources.yaml").read_text()
    assert ledger.count("\n  - id: ") - 1 == 21
    assert "rat-cellar" in (tmp_path / SPLIT).read_text()
