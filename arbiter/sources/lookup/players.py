"""Players' language: the questions that a unit or a reading answers, and players' words for the terms of a text."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value

Words = Annotated[str, msgspec.Meta(min_length=1, max_length=400)]

T = TypeVar("T")


class Questions(Value, frozen=True):
    """Players' questions about one unit or reading, the decision in one sentence, and what it depends on."""

    asked: tuple[Words, ...] = ()
    answer: str = ""
    depends_on: str = ""


class Absent(Value, frozen=True):
    """A subject of other games that a text lacks: the words for it, and a sentence that says so."""

    words: tuple[Words, ...]
    answer: Words


class Glossary(Value, frozen=True):
    """Players' words for the terms of a text, and subjects that the text lacks."""

    terms: dict[Words, tuple[Words, ...]] = {}
    absent: tuple[Absent, ...] = ()


def load_questions(path: Path, ids: Iterable[str]) -> Mapping[str, Questions]:
    """Read `asked.yaml`, whose keys must be among `ids`; `ValueError` with the place of the first fault of its form.

    A game without the file has no such questions.
    """
    questions = _load(path, dict[str, Questions])
    if unknown := sorted(set(questions) - set(ids)):
        raise ValueError(f"{path}: {', '.join(unknown)} is neither a unit of sources.yaml nor a reading")
    for id_, each in questions.items():
        if not each.asked:
            raise ValueError(f"{path}: {id_} has no question under `asked`")
    return questions


def load_glossary(path: Path) -> Glossary:
    """Read `glossary.yaml`; `ValueError` with the place of the first fault of its form."""
    return _load(path, Glossary)


def _load(path: Path, type_: type[T]) -> T:
    if not path.is_file():
        return type_()
    try:
        return msgspec.convert(load_yaml(path) or {}, type_)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"{path}: {wrong}") from wrong
