"""The contract, OpenAPI 3.1, written from the registry: every path, typed by game and question, with run examples.

`python -m api.openapi.build` writes `openapi.yaml`; with `--check` it only says whether that file is up to date.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from apispec import APISpec

from api.auth import keys
from api.openapi import batch, boards_by_digest, caching, jobs, links, signing
from api.openapi import boards as openapi_boards
from api.openapi.lookups import LOOKUPS, lookup_operation, parameters
from api.openapi.questions import kinds_of, operations
from api.openapi.quotas import add_rates
from api.openapi.words import TAGS, description, problem_responses
from api.problems.handlers import SHAPES, Problem
from api.schemas import codec
from api.settings import Settings
from arbiter import registry
from arbiter.game import ENGINE, Arbiter
from arbiter.simulation.memo_table import collector_at_rest
from arbiter.sources.catalogue import shelf_for

FILE = Path(__file__).resolve().parents[2] / "openapi.yaml"
COMMAND = "python -m api.openapi.build"

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
        return codec.encode(self.document)

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
    boards = (*openapi_boards.KINDS, *boards_by_digest.KINDS, *boards_by_digest.kinds_of(games))
    others = (*jobs.KINDS, *boards, *batch.KINDS, *signing.KINDS)
    answers = [*pages, *others, Problem, *SHAPES.values()]
    components, schemas = codec.json_schema([*(kind for _, _, kinds in asked for kind in kinds), *answers])
    typed = iter(schemas)

    spec = APISpec("Arbiter", ENGINE, "3.1.0", info={"description": description(settings)})
    # Put in as they are: apispec would take `items: false`, which ends a row of fixed length, for the name of a schema.
    spec.components.schemas.update(boards_by_digest.with_references(components, games))
    spec.components.security_scheme("key", SCHEME)
    for name, response in problem_responses().items():
        spec.components.response(name, response)
    spec.components.response("Taken", jobs.taken())
    for name, header in {**jobs.HEADERS, **caching.HEADERS}.items():
        spec.components.header(name, header)
    for name, (place, parameter) in {**jobs.PARAMETERS, **caching.PARAMETERS}.items():
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
    for path, by_method in jobs.operations():
        spec.path(path, operations=by_method)
    parts = (
        caching.operations(),
        openapi_boards.operations(games),
        boards_by_digest.operations(shelves),
        batch.operations(shelves, settings),
    )
    for path, by_method in (each for part in parts for each in part.items()):
        spec.path(path, operations=by_method)
    for page in LOOKUPS:
        answered = next(typed) if page.answer is not None else None
        spec.path(page.path, operations={"get": lookup_operation(page, answered)})
    written = codec.to_builtins(spec.to_dict())
    written["components"]["links"] = links.LINKS
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
