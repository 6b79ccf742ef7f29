"""The contract, OpenAPI 3.1, generated from the registry: one document, and the same as one file for each game."""

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from apispec import APISpec

from api.auth import keys
from api.openapi import operations, questions, service
from api.openapi.components import finish, owner, reachable, schemas
from api.openapi.operations import SHARED, Schema
from api.resources.limits import general
from api.schemas import codec
from api.schemas.json_schema import with_references
from api.schemas.responses import JSON
from api.settings import Settings
from api.signing.envelope import SIGNED
from api.signing.keys import KEYS_PATH
from arbiter.game import ENGINE, Arbiter

FILE = "openapi.yaml"

SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "bearerFormat": keys.PATTERN,
    "description": "A key of this service, `arb_sk_…` from servers and `arb_pk_…` from pages in a browser.",
}
"""How a caller authenticates."""

LICENSE = {"name": "None stated", "identifier": "NOASSERTION"}


class Contract:
    """The contract of the given games; each form of it is built at its first use."""

    def __init__(self, games: Mapping[str, Arbiter], settings: Settings) -> None:
        self.games, self.settings = games, settings
        self._of_games: dict[str, Contract] = {}

    @cached_property
    def document(self) -> Schema:
        """The OpenAPI document, as JSON's own types."""
        return _document(self.games, self.settings)

    @cached_property
    def as_json(self) -> bytes:
        """The document as JSON."""
        return codec.encode(self.document)

    @cached_property
    def of_questions(self) -> bytes:
        """Only the operations of the games, as JSON, with the components that they use."""
        document = self.document
        roots = tuple(f"/v1/games/{name}/" for name in self.games)
        paths = {path: item for path, item in document["paths"].items() if path.startswith(roots)}
        used = reachable(paths, document["components"]) | {("securitySchemes", "key")}
        components = {
            section: {name: part for name, part in parts.items() if (section, name) in used}
            for section, parts in document["components"].items()
        }
        tags = [tag for tag in document["tags"] if tag["name"] in self.games]
        return codec.encode({**document, "tags": tags, "paths": paths, "components": components})

    @cached_property
    def files(self) -> dict[str, bytes]:
        """The document as YAML: the root, and one file for each game, by their paths from the root."""
        return {path: _yaml(part) for path, part in _divide(self.document, self.games).items()}

    def of_game(self, name: str) -> "Contract":
        """Give the self-contained contract of one game."""
        return self._of_games.setdefault(name, Contract({name: self.games[name]}, self.settings))


def _document(games: Mapping[str, Arbiter], settings: Settings) -> Schema:
    spec = APISpec("Arbiter", ENGINE, "3.1.0")
    for game in games.values():
        spec.tag({"name": game.name, "description": f"{game.title}. {game.gist}"})
    for tag in SHARED["tags"]:
        spec.tag(tag)
    for name, schema in schemas(games, service.answers()).items():
        spec.components.schema(name, schema)
    for name, header in SHARED["headers"].items():
        spec.components.header(name, header)
    for name, parameter in operations.PARAMETERS.items():
        spec.components.parameter(operations.component(name), parameter["in"], {"name": name, **parameter})
    for name, parameter in service.path_parameters(games).items():
        spec.components.parameter(name, "path", parameter)
    for name, response in SHARED["responses"].items():
        spec.components.response(name, response)
    spec.components.security_scheme("key", SCHEME)
    written = codec.to_builtins(spec.to_dict())
    components = {**written["components"], "links": SHARED["links"]}
    paths = service.paths(games, settings)
    for game in games.values():
        paths |= questions.paths(game)
    finish(paths, components)
    limits = "\n".join(f"- {limit.name}: {limit.most:,} {limit.unit}. {limit.gist}" for limit in general(settings))
    text = Path(__file__).with_name("service.md").read_text(encoding="utf-8")
    words = text.format(signed=SIGNED, keys=KEYS_PATH, accept_query=JSON, limits=limits)
    return {
        "openapi": written["openapi"],
        "info": {**written["info"], "description": words, "license": LICENSE},
        "servers": [{"url": "/"}],
        # With a key or, if anonymous callers are allowed, without one.
        "security": [*([{}] if settings.anonymous else []), {"key": []}],
        "tags": written["tags"],
        "paths": paths,
        "components": components,
    }


def file_of(game: str) -> str:
    """Give the path of the file of a game, from the root."""
    return f"openapi/{game}.yaml"


def _divide(document: Schema, games: Mapping[str, Arbiter]) -> dict[str, Schema]:
    """Divide the document into the root, which refers to the paths of games, and one file for each game."""
    paths, schemas_ = document["paths"], document["components"]["schemas"]
    owners = {name: owner(name, games.values()) for name in schemas_}

    def relative(own: str | None, reference: str) -> str:
        target = owners.get(reference.rpartition("/")[2]) if reference.startswith("#/components/schemas/") else None
        if target == own:
            return reference
        file = FILE if target is None else file_of(target)
        return f"{file if own is None else '../' + file}{reference}"

    def part(own: str | None, items: Schema, components: Schema) -> Schema:
        mine = {name: schema for name, schema in schemas_.items() if owners[name] == own}
        divided = {"paths": items, "components": {**components, "schemas": mine}}
        return dict(with_references(divided, partial(relative, own)))

    files: dict[str, Schema] = {}
    elsewhere: Schema = {}
    for name, game in games.items():
        own = {path: item for path, item in paths.items() if path.startswith(f"/v1/games/{name}/")}
        info = {**document["info"], "title": f"Arbiter: {game.title}", "description": f"A part of {FILE}: one game."}
        files[file_of(name)] = {"openapi": document["openapi"], "info": info, **part(name, own, {})}
        for path in own:
            elsewhere[path] = {"$ref": f"{file_of(name)}#/paths/{path.replace('/', '~1')}"}
    shared = {path: item for path, item in paths.items() if path not in elsewhere}
    root = {**document, **part(None, shared, document["components"])}
    return {FILE: {**root, "paths": {**root["paths"], **elsewhere}}, **files}


if TYPE_CHECKING:
    from yaml import SafeDumper as _SafeDumper
else:
    # The dumper in C does the same, several times as fast; not every build of the library has it.
    _SafeDumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


LINE = 100
"""The greatest length, as JSON, of a mapping or list that is written on one line."""


class _Dumper(_SafeDumper):
    """Writes readable YAML: paragraphs as paragraphs, and short collections on one line."""

    def represent_data(self, data: Any) -> yaml.Node:
        """Write a value."""
        node: yaml.Node = super().represent_data(data)
        if isinstance(node, yaml.CollectionNode):
            node.flow_style = node.flow_style or len(codec.encode(data)) <= LINE
        return node

    def text(self, data: str) -> yaml.Node:
        """Write a text."""
        node: yaml.Node = self.represent_scalar("tag:yaml.org,2002:str", data, style="|" if "\n" in data else None)
        return node


_Dumper.add_representer(str, _Dumper.text)


def _yaml(document: Schema) -> bytes:
    # Copied through JSON, so that no object occurs twice, which YAML would write as an anchor.
    made = codec.to_builtins(document)
    text: str = yaml.dump(made, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=120, default_flow_style=None)
    return text.encode()
