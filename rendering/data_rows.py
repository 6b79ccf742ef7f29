"""A row of a game's data in words: its values on one line, and a line for each row of a long table within it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from msgspec import json

from arbiter.sources.lookup.cards import Numbers

LENGTHS = {"_in": "inches", "_cm": "cm", "_hexes": "hexes"}
"""Suffixes of names, with the unit of the number."""

SPANS = {"rolls"}
"""Names of values that are the first and the last of a series."""

MOST_INLINE = 3
"""The most rows of a table on the line of the other values."""

MOST_CHARACTERS = 100
"""The most characters of a mapping on the line of the other values."""

_LABELS = ("name", "id")
_NOT_SHOWN = {*_LABELS, "assumed", "cites", "confidence", "disputed"}


def values_line(row: Numbers) -> str:
    """Give the values of a row, without the long tables within it."""
    shown, tables = _plain(row), _tables(row)
    return ", ".join(_named(name, value) for name, value in shown.items() if name not in tables)


def table_lines(row: Numbers) -> Iterator[str]:
    """Give the rows of the long tables within a row, a line each."""
    yield from (line for lines in _tables(row).values() for line in lines)


def _plain(row: Numbers) -> dict[str, Any]:
    """Give the values of a row that are not empty, as JSON."""
    return {name: value for name, value in json.decode(json.encode(row.values)).items() if _tells(name, value)}


def _tables(row: Numbers) -> dict[str, list[str]]:
    """Give the lines of the long values: lists of mappings without a name, and long mappings."""
    tables: dict[str, list[str]] = {}
    for name, value in _plain(row).items():
        if isinstance(value, list) and len(value) > MOST_INLINE and all(map(_is_nameless, value)):
            tables[name] = [_content(each) for each in value]
        elif isinstance(value, dict) and len(_content(value)) > MOST_CHARACTERS:
            tables[name] = [f"{_words(name)}: {_content(value)}"]
    return tables


def _named(name: str, value: Any) -> str:
    for end, length in LENGTHS.items():
        if name.endswith(end) and isinstance(value, int | float):
            return f"{_words(name.removesuffix(end))} {value:g} {length}"
    if name in SPANS and isinstance(value, list) and len(value) == 2:
        first, last = value
        return f"{_words(name)} {first}" if first == last else f"{_words(name)} {first} to {last}"
    return f"{_words(name)} {_value(value)}"


def _value(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:g}"
        case dict():
            return _mapping(value)
        case list():
            return _listed(value)
    return str(value)


def _listed(values: Sequence[Any]) -> str:
    if all(isinstance(each, int | float) for each in values):
        return "/".join(_value(each) for each in values)
    return ", ".join(f"({_value(each)})" if isinstance(each, list) else _value(each) for each in values)


def _mapping(value: Mapping[str, Any]) -> str:
    """Give a mapping in words: its name, then its content in brackets."""
    label, content = _label(value), _content(value)
    return f"{label} ({content})" if label and content else label or (f"({content})" if content else "-")


def _content(value: Mapping[str, Any]) -> str:
    """Give the content of a mapping, and its gist after that."""
    told = [_named(name, each) for name, each in value.items() if name != "gist" and _tells(name, each)]
    return ", ".join([*told, *([value["gist"].rstrip(".")] if value.get("gist") else [])])


def _is_nameless(value: Any) -> bool:
    return isinstance(value, dict) and not _label(value)


def _label(value: Mapping[str, Any]) -> str:
    return next((str(value[name]) for name in _LABELS if value.get(name)), "")


def _tells(name: str, value: Any) -> bool:
    return name not in _NOT_SHOWN and value not in (None, [], {}) and value is not False


def _words(name: str) -> str:
    return name.replace("_", " ")
