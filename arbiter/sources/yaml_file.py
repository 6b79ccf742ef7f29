"""How the YAML files of the house are read: in one pass over the parser's events.

Every process reads sources, readings and data when it starts. Without the tree of nodes that PyYAML makes in between,
this takes a third of the time. Tags, and mappings as keys, are refused; no file of the house has them.
"""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml
from yaml.constructor import ConstructorError
from yaml.events import AliasEvent, MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, StreamEndEvent
from yaml.nodes import ScalarNode

TEXT = "tag:yaml.org,2002:str"
MERGE = "<<"


def load_yaml(path: Path) -> Any:
    """Read a YAML file of the house."""
    return parse(path.read_text(encoding="utf-8"))


def parse(text: str) -> Any:
    """Give what the one document of a text says, as `yaml.safe_load` does; `yaml.YAMLError` where it is not clear."""
    return _Document(text).read()


class _Document:
    def __init__(self, text: str) -> None:
        self._loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(text)
        self._next = self._loader.get_event
        self._anchors: dict[str, Any] = {}
        self._plain: dict[str, Any] = {}

    def read(self) -> Any:
        self._next()  # The stream begins.
        if isinstance(self._next(), StreamEndEvent):
            return None
        value = self._value(self._next())
        self._next()  # The document ends.
        if not isinstance(second := self._next(), StreamEndEvent):
            raise _refusal("a file has one document", second)
        return value

    def _value(self, event: Any) -> Any:
        kind = type(event)
        if kind is AliasEvent:
            if event.anchor not in self._anchors:
                raise _refusal(f"nothing before is called {event.anchor!r}", event)
            return self._anchors[event.anchor]
        if event.tag not in (None, "!"):
            raise _refusal(f"the tag {event.tag!r} is not known here", event)
        if kind is ScalarEvent:
            value = self._scalar(event.value) if event.implicit[0] else event.value
        elif kind is MappingStartEvent:
            value = self._mapping()
        else:
            value = self._sequence()
        if event.anchor is not None:
            self._anchors[event.anchor] = value
        return value

    def _sequence(self) -> list[Any]:
        values = []
        while type(event := self._next()) is not SequenceEndEvent:
            values.append(self._value(event))
        return values

    def _mapping(self) -> dict[Any, Any]:
        own: dict[Any, Any] = {}
        merged: list[dict[Any, Any]] = []
        while type(event := self._next()) is not MappingEndEvent:
            if type(event) is ScalarEvent and event.value == MERGE and event.implicit[0]:
                value = self._value(self._next())
                mappings = value[::-1] if isinstance(value, list) else [value]
                if not all(isinstance(each, dict) for each in mappings):
                    raise _refusal("only mappings can be merged", event)
                merged += mappings
                continue
            key = self._value(event)
            if not isinstance(key, Hashable):
                raise _refusal("a key is a scalar", event)
            own[key] = self._value(self._next())
        return {key: value for each in (*merged, own) for key, value in each.items()} if merged else own

    def _scalar(self, text: str) -> Any:
        """Give a plain scalar as the number, truth, date or nothing that it is written as, or as its text."""
        if text in self._plain:
            return self._plain[text]
        tag = self._loader.resolve(ScalarNode, text, (True, False))
        value = text if tag == TEXT else self._loader.construct_object(ScalarNode(tag, text))
        self._plain[text] = value
        return value


def _refusal(words: str, event: Any) -> ConstructorError:
    return ConstructorError(None, None, words, event.start_mark)
