"""Shared parts of operations: names, answers with their headers, and links to the next requests."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from api.schemas.headers import KEY_PATTERN
from api.schemas.json_schema import component_name
from api.schemas.queries import PictureQuery, describe_parameters
from api.schemas.responses import JSON, YAML
from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value

Schema = dict[str, Any]
V = TypeVar("V", bound=Callable[..., Any])

_OPERATION = "operation"
_TEXT: Schema = {"type": "string"}

SHARED: dict[str, Any] = load_yaml(Path(__file__).with_name("shared.yaml"))
"""The shared parts of the contract: tags, and components by section and name."""

OF_A_JOB = ("JobResult", "JobEvents", "JobDismissal")
OF_EPOCHS = ("CurrentEpoch", "NextEpoch", "LastEpoch")

_OF_PICTURES = {each["name"]: each for each in describe_parameters(PictureQuery)}

PARAMETERS: dict[str, Schema] = {
    **SHARED["parameters"],
    **{name: {part: each[part] for part in ("in", "description", "schema")} for name, each in _OF_PICTURES.items()},
}
"""Parameters by their name in a request: the location and description of each."""

PARAMETERS["Idempotency-Key"]["schema"]["pattern"] = KEY_PATTERN


def component(name: str) -> str:
    """Give the name of a header or parameter among the components."""
    return name.replace("-", "")


def reference(name: str, section: str = "schemas") -> Schema:
    """Refer to a component."""
    return {"$ref": f"#/components/{section}/{name}"}


def type_reference(kind: Any) -> Schema:
    """Refer to the schema of a type."""
    return reference(component_name(kind))


def response(
    gist: str,
    schema: Schema | None = None,
    headers: Iterable[str] = (),
    forms: Iterable[str] = (JSON,),
    links: Iterable[str] = (),
) -> Schema:
    """Describe an answer: its JSON, its other forms, its headers, and its links."""
    content = {form: {"schema": schema if form in (JSON, YAML) and schema is not None else _TEXT} for form in forms}
    answer: Schema = {"description": gist}
    if names := list(headers):
        answer["headers"] = {name: reference(component(name), "headers") for name in names}
    if schema is not None or JSON not in content:
        answer["content"] = content
    if targets := list(links):
        answer["links"] = {name: reference(name, "links") for name in targets}
    return answer


class Operation(Value, frozen=True):
    """What the contract says about a view, in addition to its path, its docstring and its other decorators.

    `answer` is the type of its JSON, if that is one of ours. `takes` are headers of the request, `others` the statuses
    other than 200.
    """

    name: str
    answer: Any = None
    forms: tuple[str, ...] = (JSON,)
    links: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    takes: tuple[str, ...] = ()
    others: dict[str, str] = {}

    def __call__(self, view: V) -> V:
        """Decorate the view."""
        setattr(view, _OPERATION, self)
        return view


def operation_of(view: Callable[..., Any]) -> Operation | None:
    """Give what the contract says about a view; None for one that is described elsewhere or not at all."""
    return getattr(view, _OPERATION, None)


TAGGED: dict[str, Any] = {
    "headers": ("ETag", "Cache-Control"),
    "takes": ("If-None-Match",),
    "others": {"304": "The client has the answer: `If-None-Match` names its tag."},
}
"""The members of an operation whose answer has a tag."""
