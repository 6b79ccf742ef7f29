"""The contract, OpenAPI 3.1, written from the registry: every path, typed by game and question, with run examples.

`python -m api.contract` writes `openapi.yaml`; with `--check` it only says whether that file is up to date.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from apispec import APISpec

from api import (
    contract_batch,
    contract_boards,
    contract_by_digest,
    contract_jobs,
    contract_lasting,
    contract_links,
    contract_signing,
    keys,
    wire,
)
from api.contract_lookups import LOOKUPS, lookup_operation, parameters
from api.contract_questions import kinds_of, operations
from api.contract_rates import add_rates
from api.contract_words import TAGS, description, problem_responses
from api.problems import SHAPES, Problem
from api.settings import Settings
from api.shelf import shelf_for
from arbiter import registry
from arbiter.arbiter import ENGINE, Arbiter
from arbiter.swift import collector_at_rest

FILE = Path(__file__).resolve().parent.parent / "openapi.yaml"
COMMAND = "python -m api.contract"

SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": keys.PATTERN,
    "description": "A key of this service, `arb_sk_…` from servers and `arb_pk_…` from pages in a browser.",
}
"""How a caller says who asks."""


class Contract:
    """The contract of the given games, written when it is first asked for."""

    def __init__(self, games: Mapping[str, Arbiter], settings: Settings) -> None:
        self.games, self.settings = games, settings

    @cached_property
    def document(self) -> dict[str, Any]:
        """The OpenAPI document, as JSON's own types."""
        with collector_at_rest():
            return _document(self.games, self.settings)

    @cached_property
    def as_json(self) -> bytes:
        """The document as JSON."""
        return wire.encode(self.document)

    @cached_property
    def as_yaml(self) -> str:
        """The document as YAML."""
        document = self.document
        with collector_at_rest():
            return _yaml(document)


if TYPE_CHECKING:
    from yaml import SafeDumper as _SafeDumper
else:
    # The one written in C does the same, several times as fast; not every build of the library has it.
    _SafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _Dumper(_SafeDumper):
    """Writes YAML to be read: everything in its place instead of behind an anchor, and paragraphs as paragraphs."""

    def ignore_aliases(self, data: Any) -> bool:
        return True

    def text(self, data: str) -> yaml.Node:
        """Write a text."""
        style = "|" if "\n" in data else None
        node: yaml.Node = self.represent_scalar("tag:yaml.org,2002:str", data, style=style)
        return node


_Dumper.add_representer(str, _Dumper.text)


def _yaml(document: dict[str, Any]) -> str:
    return str(
        yaml.dump(document, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)
    )


def _document(games: Mapping[str, Arbiter], settings: Settings) -> dict[str, Any]:
    asked = [(game, question, kinds_of(question)) for game in games.values() for question in game.questions.values()]
    pages = [page.answer for page in LOOKUPS if page.answer is not None]
    boards = (*contract_boards.KINDS, *contract_by_digest.KINDS, *contract_by_digest.kinds_of(games))
    others = (*contract_jobs.KINDS, *boards, *contract_batch.KINDS, *contract_signing.KINDS)
    answers = [*pages, *others, Problem, *SHAPES.values()]
    components, schemas = wire.json_schema([*(kind for _, _, kinds in asked for kind in kinds), *answers])
    typed = iter(schemas)

    spec = APISpec("Arbiter", ENGINE, "3.1.0", info={"description": description(settings)})
    # Put in as they are: apispec would take `items: false`, which ends a row of fixed length, for the name of a schema.
    spec.components.schemas.update(contract_by_digest.with_references(components, games))
    spec.components.security_scheme("key", SCHEME)
    for name, response in problem_responses().items():
        spec.components.response(name, response)
    spec.components.response("Taken", contract_jobs.taken())
    for name, header in {**contract_jobs.HEADERS, **contract_lasting.HEADERS}.items():
        spec.components.header(name, header)
    for name, (place, parameter) in {**contract_jobs.PARAMETERS, **contract_lasting.PARAMETERS}.items():
        spec.components.parameter(name, place, parameter)
    shelves = {name: shelf_for(game) for name, game in games.items()}
    for name, parameter in parameters(shelves).items():
        spec.components.parameter(name, "path", parameter)
    for game in games.values():
        spec.tag({"name": game.name, "description": f"{game.title}. {game.gist}"})
    for tag in TAGS:
        spec.tag(tag)
    for game, question, kinds in asked:
        of_question = [next(typed) for _ in kinds]
        for path, operation in operations(shelves[game.name], question, of_question):
            spec.path(path, operations={"post": operation})
    for path, by_method in contract_jobs.operations():
        spec.path(path, operations=by_method)
    parts = (
        contract_lasting.operations(),
        contract_boards.operations(games),
        contract_by_digest.operations(shelves),
        contract_batch.operations(shelves, settings),
    )
    for path, by_method in (each for part in parts for each in part.items()):
        spec.path(path, operations=by_method)
    for page in LOOKUPS:
        answered = next(typed) if page.answer is not None else None
        spec.path(page.path, operations={"get": lookup_operation(page, answered)})
    written = wire.to_builtins(spec.to_dict())
    written["components"]["links"] = contract_links.LINKS
    add_rates(written)
    # With a key or, where somebody unknown may ask as well, without one.
    written["security"] = [*([{}] if settings.anonymous else []), {"key": []}]
    return {part: written[part] for part in ("openapi", "info", "security", "tags", "paths", "components")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the contract, or say whether it is up to date; give the exit code."""
    said = argparse.ArgumentParser(prog=COMMAND, description="Write openapi.yaml from the registry of games.")
    said.add_argument("--check", action="store_true", help="write nothing; exit code 1 if the file is out of date")
    check = said.parse_args(arguments).check
    written = Contract(registry.games(), Settings()).as_yaml
    up_to_date = FILE.exists() and FILE.read_text(encoding="utf-8") == written
    if not check and not up_to_date:
        FILE.write_text(written, encoding="utf-8")
    if check and not up_to_date:
        print(f"{FILE.name} is not what the registry says; write it anew with: {COMMAND}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
