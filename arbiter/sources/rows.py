"""The rows of a game's data: its files as written, and as the types of the game.

The description of a row (its gist, sources, confidence) is for people who look it up, and not part of the type.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from arbiter.sources.yaml_file import load_yaml

T = TypeVar("T", bound=msgspec.Struct)


class _HasId(Protocol):
    @property
    def id(self) -> Any: ...


R = TypeVar("R", bound=_HasId)


class Rows:
    """The data files of one folder, each read once."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.table = cache(self._table)
        self.row = cache(self._row)
        self.number = cache(self._number)

    def _table(self, name: str) -> tuple[dict[str, Any], ...]:
        """Give the rows of one data file."""
        return tuple(load_yaml(self._folder / f"{name}.yaml"))

    def _row(self, name: str, id_: str) -> dict[str, Any]:
        """Give a row of a data file by its id."""
        return next(row for row in self.table(name) if row["id"] == id_)

    def _number(self, id_: str) -> int:
        """Give a single number of the rules by its id, of the table `numbers`."""
        return int(self.row("numbers", id_)["value"])

    def typed(self, name: str, type_: type[T]) -> dict[Any, T]:
        """Give the rows of a file by id, as values of the type."""
        return {row["id"]: as_typed(row, type_) for row in self.table(name)}


def as_typed(row: Mapping[str, Any], type_: type[T]) -> T:
    """Give a row as a value of the type."""
    return msgspec.convert(only(row, type_), type_)


def only(row: Mapping[str, Any], type_: type[msgspec.Struct]) -> dict[str, Any]:
    """Give the members of a row that are fields of the type."""
    fields = {field.encode_name for field in msgspec.structs.fields(type_)}
    return {name: value for name, value in row.items() if name in fields}


def laid_over(shipped: Mapping[Any, R], rows: Iterable[R]) -> dict[Any, R]:
    """Give the shipped rows overlaid with a scene's own, by id."""
    return {**shipped, **{row.id: row for row in rows}}
