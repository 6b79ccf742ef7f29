"""The book of a game: its tables by name, shipped as data, overlaid with the rows of a scene."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Self, TypeVar, get_args, get_type_hints

from msgspec import Struct

from arbiter.caching import BOOKS_KEPT
from arbiter.sources.rows import Rows, laid_over

B = TypeVar("B", bound="SkirmishBook")


@dataclass(frozen=True, eq=False, slots=True)
class SkirmishBook:
    """Tables of rows by id, one for each field; compared by identity, and shared by all scenes with the same profiles.

    A field `Mapping[Id, Row]` is filled from the data file of the same name.
    """

    @classmethod
    def shipped(cls, rows: Rows, **tables: Any) -> Self:
        """Give the book from the game's data; `tables` are those that are not read directly from a file."""
        types = {name: get_args(hint)[1] for name, hint in get_type_hints(cls).items() if name not in tables}
        return cls(**tables, **{name: rows.typed(name, type_) for name, type_ in types.items()})

    def overlaid(self, profiles: Struct, **tables: str) -> Self:
        """Give the book overlaid with the profiles of a scene, or this same book if the scene has none.

        Each list of the profiles goes to the table of the same name, or to the one that `tables` names for it.
        """
        lists = {tables.get(name, name): getattr(profiles, name) for name in profiles.__struct_fields__}
        over = {name: laid_over(getattr(self, name), rows) for name, rows in lists.items() if rows}
        return dataclasses.replace(self, **over) if over else self


def by_profiles(shipped: Callable[[], B], **tables: str) -> Callable[[Struct], B]:
    """Give the function that overlays the shipped book with the profiles of a scene; equal profiles share a book."""
    book = cache(shipped)
    return lru_cache(maxsize=BOOKS_KEPT)(lambda profiles: book().overlaid(profiles, **tables))
