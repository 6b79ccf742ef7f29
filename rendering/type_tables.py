"""Types of the contract as tables for people: every reachable type, with its members in words."""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from rendering.docs_page import Member, Part, TypeTable

Schema = dict[str, Any]

_USUAL = {"id": "The id by which the rest of the body names it."}
"""The default description of members that mean the same in every type."""

_SHORTEST_BOUND = 2
"""The least lower bound of a length that is worth stating."""


def sentence_about(member: str, text: str) -> str:
    """Give the part of a type's description that names a member; empty if none does."""
    parts = re.split(r"(?<=[.;]) ", " ".join(text.split()))
    return next((part.rstrip(";") for part in parts if re.search(rf"`{re.escape(member)}(?!\w)", part)), "")


class TypeTables:
    """Writes the tables of types of a contract; `prefix` is the prefix of a game's schema names."""

    def __init__(self, schemas: dict[str, Schema], prefix: str) -> None:
        self._schemas, self._prefix = schemas, prefix

    def of(self, root: str) -> tuple[TypeTable, ...]:
        """Give the table of a type, and of every type that it reaches, nearest first."""
        found, queue = dict.fromkeys([root]), [root]
        for name in queue:
            new = [each for each in self._types_with_table(self._schemas[name]) if each not in found]
            found |= dict.fromkeys(new)
            queue += dict.fromkeys(new)
        return tuple(self._table(name) for name in queue)

    def _table(self, name: str) -> TypeTable:
        schema = self._schemas[name]
        required = schema.get("required", ())
        members = (
            Member(
                member,
                tuple(_join(self._parts(each))),
                self._gist(each) or sentence_about(member, schema.get("description", "")) or _USUAL.get(member, ""),
                member in required,
            )
            for member, each in schema["properties"].items()
        )
        return TypeTable(name, self._title(name), schema.get("description", ""), tuple(members))

    def _title(self, name: str) -> str:
        return name.removeprefix(self._prefix)

    def _gist(self, schema: Schema) -> str:
        """Give the description of a member, or else of the one type that it names: alone, in a list, or nullable."""
        own = str(schema.get("description", ""))
        if "$ref" in schema:
            target = self._schemas[_name(schema)]
            if own and "properties" in target:
                return own
            return " ".join(filter(None, (_first(target), own)))
        named = list(dict.fromkeys(_named(schema)))
        described = [each["description"] for each in _within(schema) if "description" in each]
        return own or (_first(self._schemas[named[0]]) if len(named) == 1 else next(iter(described), ""))

    def _types_with_table(self, schema: Schema) -> Iterator[str]:
        """List the types with a table that a schema names, in its order."""
        if "$ref" in schema:
            target = self._schemas[_name(schema)]
            if "properties" in target:
                yield _name(schema)
            else:
                yield from self._types_with_table(target)
        yield from chain.from_iterable(map(self._types_with_table, _within(schema)))

    def _parts(self, schema: Schema) -> Iterator[Part]:
        """Describe the possible values in words."""
        match schema:
            case {"$ref": _}:
                target = self._schemas[_name(schema)]
                if "properties" in target:
                    yield Part(self._title(_name(schema)), _name(schema))
                else:
                    yield from self._parts(target)
            case {"anyOf": options} | {"oneOf": options}:
                yield from _alternatives([list(self._parts(each)) for each in options])
            case {"enum": values}:
                yield from _alternatives([[Part(f'"{value}"')] for value in values])
            case {"const": value}:
                yield Part(f'"{value}"')
            case {"type": "array", "prefixItems": items}:
                yield Part("[")
                for index, each in enumerate(items):
                    yield from (Part(", "),) if index else ()
                    yield from self._parts(each)
                yield Part("]")
            case {"type": "array", "items": items}:
                yield Part(f"list{_length(schema, 'Items')} of ")
                yield from self._parts(items)
            case {"type": "object", "additionalProperties": dict(values)} if values:
                yield Part("object of ")
                yield from self._parts(values)
            case {"type": "string"}:
                yield Part(f"string{_length(schema, 'Length')}")
            case {"type": ("integer" | "number") as kind}:
                yield Part(f"{kind}{_range(schema)}")
            case _:
                yield Part(str(schema.get("type", "anything")))


def _name(schema: Schema) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _named(schema: Schema) -> Iterator[str]:
    """List the types that a schema names."""
    if "$ref" in schema:
        yield _name(schema)
    else:
        yield from chain.from_iterable(map(_named, _within(schema)))


def _first(schema: Schema) -> str:
    """Give the description of a type; of one with a table, only the first paragraph."""
    text = str(schema.get("description", ""))
    return text.partition("\n\n")[0] if "properties" in schema else text


def _within(schema: Schema) -> Iterator[Schema]:
    """List the schemas inside a schema."""
    yield from schema.get("properties", {}).values()
    for several in ("anyOf", "oneOf", "allOf", "prefixItems"):
        yield from schema.get(several, ())
    for one in ("items", "additionalProperties"):
        if isinstance(schema.get(one), dict):
            yield schema[one]


def _alternatives(options: list[list[Part]]) -> Iterator[Part]:
    """Join the alternatives of a value; null comes last."""
    ordered = sorted(options, key=lambda parts: parts == [Part("null")])
    for index, parts in enumerate(ordered):
        yield from (Part(" or "),) if index else ()
        yield from parts


def _join(parts: Iterable[Part]) -> Iterator[Part]:
    """Join neighbours without links."""
    text = ""
    for part in parts:
        if part.target:
            yield from (Part(text),) if text else ()
            yield part
            text = ""
        else:
            text += part.text
    yield from (Part(text),) if text else ()


def _length(schema: Schema, of: str) -> str:
    """Describe the length limits of a list or a text."""
    least, most = schema.get(f"min{of}", 0), schema.get(f"max{of}")
    if least == most:
        return f" ({most})"
    if least < _SHORTEST_BOUND:
        return "" if most is None else f" (at most {most:,})"
    return f" ({least:,} or more)" if most is None else f" ({least:,} to {most:,})"


def _range(schema: Schema) -> str:
    """Describe the bounds of a number."""
    least, above = schema.get("minimum"), schema.get("exclusiveMinimum")
    most, below = schema.get("maximum"), schema.get("exclusiveMaximum")
    if least is not None and most is not None:
        return f" {least:,} to {most:,}"
    bounds = (("from", least), ("above", above), ("up to", most), ("below", below))
    return "".join(f" {word} {bound:,}" for word, bound in bounds if bound is not None)
