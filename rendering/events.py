"""Events as sentences for people: units, cards and weapons by name, in the words of the game's `events.yaml`."""

import string
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from arbiter.game import Arbiter
from arbiter.json import to_builtins
from arbiter.ruling import Effects
from arbiter.sources.yaml_file import load_yaml
from arbiter.text import Listing, Quantity, UnitName

FILE = "events.yaml"

OF_CARDS = frozenset(
    {"ability", "action", "card", "cards", "item", "mark", "movement", "power", "reaction", "rule", "status"}
    | {"statuses", "trap", "twist", "weapon"}
)
"""Values of events that are ids of cards, weapons and the like; other values that are not units are plain words."""


def event_lines(game: Arbiter, scene: Any, effects: Effects) -> Iterator[str]:
    """Give a sentence for each event of a ruling about a scene, given as JSON."""
    rows = [*_rows(scene), *(row for step in effects.patch for row in _rows(to_builtins(step.value)))]
    titles, units = _names(game, rows)
    cards = {**titles, **units}
    sentences = _sentences(game.folder / FILE)
    for event in effects.events:
        values = to_builtins(event.values)
        parts = {name: _shown(value, cards if name in OF_CARDS else units) for name, value in values.items()}
        shown = {name: part for name, part in parts.items() if part is not None}
        yield _say(sentences.get(event.name, ()), shown) or _list(event.name, shown)


def _say(sentences: Sequence[str], shown: Mapping[str, Any]) -> str:
    """Fill in the first sentence whose values are all present, preferably above 0; empty if there is none."""
    none = {name for name, value in shown.items() if isinstance(value, int | float) and value <= 0}
    none -= {name for name, value in shown.items() if isinstance(value, bool)}
    for there, sentence in product((shown.keys() - none, shown.keys()), sentences):
        if {name for _, name, _, _ in _FORM.parse(sentence) if name} <= there:
            filled = _FORM.vformat(sentence, (), shown)
            # A sentence that begins with the name or the id of a unit keeps its capitalisation.
            return (
                filled
                if sentence.startswith("{") and not filled.startswith("the ")
                else filled[:1].upper() + filled[1:]
            )
    return ""


def _list(name: str, shown: Mapping[str, Any]) -> str:
    values = ", ".join(f"{key} {value}" for key, value in shown.items())
    return f"{name}: {values}" if values else name


class _Form(string.Formatter):
    """Sentences in which `{boxes:box/boxes}` is a count, and `{success:succeeds/fails}` depends on a truth value.

    `{bar:^}` is in capitals, as HP.
    """

    def format_field(self, value: Any, format_spec: str) -> str:
        if not format_spec:
            return f"{value:g}" if isinstance(value, float) else str(value)
        if format_spec == "^":
            return str(value).upper()
        one, _, other = format_spec.partition("/")
        if isinstance(value, bool):
            return one if value else other
        return str(Quantity(value, one, other))


_FORM = _Form()


def _shown(value: Any, names: Mapping[str, str]) -> Any:
    """Give a value as a sentence shows it; None for a missing one, such as an unknown position."""
    if isinstance(value, str):
        return names.get(value) or value.replace("-", " ")
    if isinstance(value, list):
        if not value:
            return None
        if len(value) == 2 and all(isinstance(part, int | float) for part in value):
            return f"({value[0]:g}, {value[1]:g})"
        return Listing(_shown(part, names) for part in value)
    if isinstance(value, dict):
        return Listing(f"{name} {_shown(part, names)}" for name, part in value.items()) or None
    return value


@cache
def _sentences(path: Path) -> dict[str, tuple[str, ...]]:
    return {
        name: (sentences,) if isinstance(sentences, str) else tuple(sentences)
        for name, sentences in (load_yaml(path) if path.exists() else {}).items()
    }


@cache
def _titles(game: Arbiter) -> dict[str, str]:
    """Give the names of all cards, weapons and the like of a game, by their ids."""
    return {row["id"]: row["name"] for row in _rows([*game.catalog.values()]) if "name" in row}


def _names(game: Arbiter, rows: list[dict[str, Any]]) -> tuple[dict[str, str], dict[str, str]]:
    """Name the cards of a game and of a scene, and the units of the scene: by their profiles, with the id."""
    titles = {**_titles(game), **{row["id"]: row["name"] for row in rows if row.get("name")}}
    profiles = {row["id"]: titles.get(str(row["profile"]), "") for row in rows if row.get("profile")}
    return titles, {id_: str(UnitName(id_, title)) for id_, title in profiles.items()}


def _rows(value: Any) -> Iterator[dict[str, Any]]:
    """Find every object with an id in JSON, however deep."""
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value
        for part in value.values():
            yield from _rows(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _rows(part)
