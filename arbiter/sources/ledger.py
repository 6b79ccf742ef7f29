"""Sources: the ledger of a rulebook, and the readings of its unclear passages."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from arbiter.fault import UnknownName
from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value

Kind = Literal["procedure", "table", "definition", "example", "fact", "flavour"]
Status = Literal["ruled", "data", "excused", "open"]
Confidence = Literal["high", "medium", "low", "invented"]


class Document(Value, frozen=True):
    """A text or a collection of facts that contains units."""

    id: str
    title: str
    kind: str = "rulebook"
    seed: str = ""
    year: int | None = None
    trust: str = ""


class Place(Value, frozen=True):
    """The reference of a unit: the document, and within it the section, page and lines, or the outside source."""

    document: str
    section: str = ""
    page: str | int = ""
    lines: str = ""
    source: str = ""


class Unit(Value, frozen=True):
    """The smallest passage of a source that can be right or wrong; the gist is ours, the sentence is not stored."""

    id: str
    at: Place
    kind: Kind
    gist: str
    status: Status
    because: str = ""
    confidence: Confidence | None = None

    @property
    def where(self) -> str:
        """Give the reference of the unit in one line."""
        page = f"page {self.at.page}" if self.at.page else ""
        return ", ".join(part for part in (self.at.document, self.at.section, page, self.at.source) if part)


class ReadingOption(Value, frozen=True):
    """One way to read an unclear passage."""

    id: str
    gist: str


class Reading(Value, frozen=True):
    """An unclear or contradictory passage, the ways to read it, our default, and the reason."""

    id: str
    question: str
    options: tuple[ReadingOption, ...]
    default: str
    why: str
    cites: tuple[str, ...] = ()


class _LedgerFile(Value, frozen=True):
    documents: tuple[Document, ...]
    units: tuple[Unit, ...]


class Ledger:
    """Every unit of a game's sources, by id, in the order of the text."""

    def __init__(self, documents: Iterable[Document], units: Iterable[Unit]) -> None:
        self.documents = {document.id: document for document in documents}
        self.units: dict[str, Unit] = {}
        for unit in units:
            if unit.id in self.units:
                raise ValueError(f"the ledger lists {unit.id} twice")
            if unit.at.document not in self.documents:
                raise ValueError(f"{unit.id} stands in {unit.at.document!r}, which is no document of the ledger")
            if (unit.status == "excused") != bool(unit.because):
                raise ValueError(f"{unit.id}: 'because' goes with the status 'excused' and with no other")
            self.units[unit.id] = unit

    def __getitem__(self, id_: str) -> Unit:
        """Give the unit of that id; `UnknownName` if there is none."""
        try:
            return self.units[id_]
        except KeyError:
            raise UnknownName("source unit", id_, ()) from None

    def coverage(self) -> dict[str, int]:
        """Count the units by status."""
        counts = {"ruled": 0, "data": 0, "excused": 0, "open": 0}
        for unit in self.units.values():
            counts[unit.status] += 1
        return counts


class Readings:
    """The readings of a game, by id."""

    def __init__(self, readings: Iterable[Reading]) -> None:
        self.by_id: dict[str, Reading] = {}
        for reading in readings:
            if reading.id in self.by_id:
                raise ValueError(f"the reading {reading.id} is listed twice")
            if reading.default not in {option.id for option in reading.options}:
                raise ValueError(f"the reading {reading.id} has no option {reading.default!r}, its default")
            self.by_id[reading.id] = reading
        self.defaults = {reading.id: reading.default for reading in self.by_id.values()}

    def complete(self, options: Mapping[str, str]) -> dict[str, str]:
        """Give the option of every reading: the default, or the caller's choice. The caller's options are trusted."""
        return {**self.defaults, **options} if options else self.defaults


def load_ledger(path: Path) -> Ledger:
    """Read `sources.yaml`; an invalid row is refused with its place."""
    file = msgspec.convert(load_yaml(path), _LedgerFile)
    return Ledger(file.documents, file.units)


def load_readings(path: Path) -> Readings:
    """Read `readings.yaml`."""
    return Readings(msgspec.convert(load_yaml(path), tuple[Reading, ...]))
