"""Programs that make clients take the contract of every game without an error, and what they make works.

Each program runs once for all games. Those of Node are installed from `generators/package-lock.json` into the folder
`build/`, once for each state of that file.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import msgspec
import pytest

from api.schemas import codec
from arbiter.sources.catalogue import catalogue_of
from tests.api.posting import GAMES
from tests.api.worked import run
from tests.api.written import CONTRACT
from upkeep import javascript
from upkeep.contract import write

pytestmark = pytest.mark.long

HERE = Path(__file__).parent / "generators"


@pytest.fixture(scope="module")
def node() -> Path:
    """Give the folder of the programs of Node; skips the test where they cannot be had."""
    try:
        return javascript.programs()
    except javascript.NoPrograms as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def contracts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the contract of each game into a folder."""
    folder = tmp_path_factory.mktemp("contracts")
    for name in GAMES:
        (folder / f"{name}.json").write_bytes(CONTRACT.of_game(name).as_json)
    return folder


OF_ALL_GAMES = {"GameName", "AssumedFacts"}
"""Schemas that name what the games of a contract have, and so are others in a contract of more games."""


def test_the_whole_contract_is_that_of_every_game() -> None:
    """The whole contract has the same paths and schemas of a game as the contract of that game."""
    whole = json.loads(CONTRACT.as_json)
    for name in GAMES:
        own = json.loads(CONTRACT.of_game(name).as_json)
        assert [path for path, item in own["paths"].items() if whole["paths"].get(path) != item] == [], name
        schemas = {part: value for part, value in own["components"]["schemas"].items() if part not in OF_ALL_GAMES}
        prefix = name.title().replace("-", "")
        assert any(part.startswith(prefix) for part in schemas)
        # What games describe alike has a name of the game in its own contract, and one for all in the whole.
        missing = [part for part, value in schemas.items() if value not in whole["components"]["schemas"].values()]
        assert missing == [], name


def execute(folder: Path, *command: str | Path) -> str:
    """Run a program in a folder, and give its words; it has to succeed."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_lock_of_node_names_no_registry() -> None:
    lock = json.loads((HERE / "package-lock.json").read_bytes())
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]


SETTLE = """\
import type {{ components }} from "./{game}";
type Ruling = components["schemas"]["{prefix}{question}Ruling"];
type Ask = components["schemas"]["{prefix}{question}Ask"];
export function told(ruling: Ruling): string {{
  switch (ruling.status) {{
    case "ruled": return ruling.answer === null ? "forbidden" : "answered";
    case "needs_dice": return ruling.needs.dice.label + ruling.needs.dice.count;
    case "needs_choice": return ruling.needs.choice.who;
    case "needs_fact": return ruling.needs.facts.map((fact) => fact.question).join();
  }}
}}
export function least(scene: Ask["case"]): Ask {{ return {{ case: scene }}; }}
"""
"""A program that tells rulings apart without a cast, and posts a case with nothing else."""


def test_typescript_takes_every_game(node: Path, contracts: Path) -> None:
    apis = {name: {"root": f"{name}.json", "x-openapi-ts": {"output": f"ts/{name}.ts"}} for name in GAMES}
    (contracts / "apis.yaml").write_bytes(codec.encode({"apis": apis}))
    execute(contracts, node / "openapi-typescript", "--redocly", "apis.yaml")
    for name, game in GAMES.items():
        prefix, question = (each.title().replace("-", "") for each in (name, next(iter(game.questions))))
        text = SETTLE.format(game=name, prefix=prefix, question=question)
        (contracts / "ts" / f"{name}-settle.ts").write_text(text)
    files = sorted((contracts / "ts").glob("*.ts"))
    assert len(files) == 2 * len(GAMES)
    execute(contracts, node / "tsc", "--noEmit", "--strict", "--target", "es2022", "--lib", "es2022", *files)


def test_the_linter_is_content_and_the_bundle_is_the_whole(node: Path, tmp_path: Path) -> None:
    write(CONTRACT.files, tmp_path)
    shutil.copy(HERE / "redocly.yaml", tmp_path)
    words = execute(tmp_path, node / "redocly", "lint", "openapi.yaml", "--format=summary")
    assert "warning" not in words.lower().replace("deprecation warning", ""), words
    execute(tmp_path, node / "redocly", "bundle", "openapi.yaml", "--output", "whole.json")
    # JavaScript has no whole numbers above 2**53.
    bundle = json.loads((tmp_path / "whole.json").read_bytes(), parse_int=float)
    assert bundle == json.loads(CONTRACT.as_json, parse_int=float)


def test_a_client_of_python_is_made(contracts: Path) -> None:
    (contracts / "config.yaml").write_text("post_hooks: []\n")
    words = execute(contracts, sys.executable, HERE / "clients.py", contracts)
    warned = [line for line in words.splitlines() if line.startswith(("WARNING", "ERROR"))]
    # Forms that are neither JSON nor text are left out: pictures, and the contract as YAML.
    assert [line for line in warned if not re.search(r"(\.(svg|png|yaml)|/picture) within \w+\.$", line)] == [], words
    for name in GAMES:
        for game, question in ((name, each) for each in GAMES[name].questions):
            path = contracts / f"client-{name}" / "api" / game.replace("-", "_")
            assert (path / f"{game}_{question}.py".replace("-", "_")).exists(), question


def models(folder: Path) -> Iterator[tuple[str, Any]]:
    """Give the module of models of each game."""
    for name in GAMES:
        spec = spec_from_file_location(f"contract_{name}".replace("-", "_"), folder / f"{name}_models.py")
        assert spec is not None
        assert spec.loader is not None
        module = module_from_spec(spec)
        sys.modules[spec.name] = module
        try:
            spec.loader.exec_module(module)
            yield name, module
        finally:
            del sys.modules[spec.name]


def test_generated_models_hold_every_example(contracts: Path) -> None:
    """Bodies come back from the models with nothing added, and rulings with nothing lost."""
    execute(contracts, sys.executable, "-W", "ignore", HERE / "models.py", contracts)
    for name, module in models(contracts):
        game = GAMES[name]
        for question, examples in catalogue_of(game).examples.items():
            title = f"{name}-{question}".title().replace("-", "")
            body, ruling = examples[0].ready_body(), run(game, examples[0])
            for kind, value in (("Ask", body), ("Ruling", ruling)):
                given = msgspec.convert(value, getattr(module, f"{title}{kind}"))
                assert msgspec.json.decode(msgspec.json.encode(given)) == value, (title, kind)
