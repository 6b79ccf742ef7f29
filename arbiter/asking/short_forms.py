"""Short forms: the most common questions in one line, with the profiles of units and the facts of the table.

`shooter=recruit:carbine target=trooper cover=light range_in=8` is a whole case without a board. The game's
`short_forms.yaml` says how units become rows of a scene, and which members of a case they are.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from arbiter.asking.fact_kinds import Number, Units, YesNo
from arbiter.fault import Fault, Faults, did_you_mean, pointer
from arbiter.game import Arbiter
from arbiter.sources.yaml_file import load_yaml
from arbiter.value import Value

FILE = "short_forms.yaml"
WORDS = {"yes": True, "true": True, "no": False, "false": False}
NOBODY = ("", "none", "nobody")


class Form(Value, frozen=True):
    """The short form of a question: an example as a query string, its units with the side of each, and its case.

    In the case `@unit` is the id of a unit, `@unit:` the part after its profile; in rows they are `@id`, `@profile`,
    `@side` and `@more`. A member without a value is left out. `rosters` and `rows` name the list of the scene for
    single units, and further members of their row.
    """

    example: str
    units: dict[str, str]
    case: dict[str, Any]
    rosters: dict[str, str] = {}
    rows: dict[str, dict[str, Any]] = {}


class ShortForms(Value, frozen=True):
    """The short forms of a game: the list of units in a scene, a row of it, other members of a scene, and questions."""

    roster: str
    row: dict[str, Any]
    questions: Annotated[dict[str, Form], Meta(min_length=1)]
    scene: dict[str, Any] = {}


def forms_of(game: Arbiter) -> ShortForms | None:
    """Read the short forms of a game, if it has any."""
    path = game.folder / FILE
    return _read(path) if path.is_file() else None


@cache
def _read(path: Path) -> ShortForms:
    return msgspec.convert(load_yaml(path), ShortForms)


def case_of(game: Arbiter, forms: ShortForms, question: str, parameters: Mapping[str, str]) -> dict[str, Any]:
    """Give the case of a question in short form; raises `Faults` for parameters that it does not have."""
    form = forms.questions[question]
    members = {field.name for field in msgspec.structs.fields(game.questions[question].case)} - {"scene", "given"}
    faults = list(_faults(game, form, members, parameters))
    if faults:
        raise Faults(faults)
    named = {name: parameters[name] for name in form.units if name in parameters}
    scene: dict[str, Any] = {**forms.scene}
    for name, value in named.items():
        profile, _, more = value.partition(":")
        words = {"@id": name, "@profile": profile, "@side": form.units[name], "@more": plain(more)}
        row = _fill({**forms.row, **form.rows.get(name, {})}, words)
        scene.setdefault(form.rosters.get(name, forms.roster), []).append(row)
    words = {word: value for name, text in named.items() for word, value in _words(name, text)}
    case: dict[str, Any] = {"scene": scene, **_fill(form.case, words)}
    facts = {name: value for name, value in parameters.items() if name.partition(":")[0] in game.facts}
    case |= {name: plain(value) for name, value in parameters.items() if name not in named and name not in facts}
    return {**case, "given": read_facts(game, facts)} if facts else case


def read_facts(game: Arbiter, facts: Mapping[str, str]) -> dict[str, Any]:
    """Read facts that are given in words: yes and no, numbers, options, ids with commas; unknown ones stay words."""
    kinds = {name: game.facts.get(name.partition(":")[0]) for name in facts}
    return {
        name: value if (fact := kinds[name]) is None else _fact_value(fact.kind, value) for name, value in facts.items()
    }


def varied_facts(game: Arbiter, parameters: Mapping[str, str]) -> dict[str, list[Any]]:
    """Give the facts with several values, separated by commas: odds have a law for each of them."""
    kinds = {name: game.facts[fact].kind for name in parameters if (fact := name.partition(":")[0]) in game.facts}
    return {
        name: [_fact_value(kind, value) for value in parameters[name].split(",")]
        for name, kind in kinds.items()
        if "," in parameters[name] and not isinstance(kind, Units)
    }


def _words(name: str, text: str) -> Iterator[tuple[str, str]]:
    yield f"@{name}", name
    yield f"@{name}:", text.partition(":")[2]


def _fill(template: Any, words: Mapping[str, str]) -> Any:
    """Fill in the words; members without a value are left out."""
    if isinstance(template, dict):
        filled = {name: _fill(part, words) for name, part in template.items()}
        return {name: part for name, part in filled.items() if part not in (None, [])}
    if isinstance(template, list):
        return [filled for part in template if (filled := _fill(part, words)) is not None]
    if isinstance(template, str) and template.startswith("@"):
        return words.get(template) or None
    return template


def _fact_value(kind: Any, text: str) -> Any:
    word = text.strip()
    if isinstance(kind, Units):
        return [] if word in NOBODY else word.split(",")
    if isinstance(kind, YesNo):
        return WORDS.get(word.lower(), word)
    return plain(word) if isinstance(kind, Number) else word


def plain(text: str) -> Any:
    """Read a value as JSON if it is valid, yes and no as booleans, and otherwise as text."""
    if text.lower() in WORDS:
        return WORDS[text.lower()]
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return text


def _faults(game: Arbiter, form: Form, members: set[str], parameters: Mapping[str, str]) -> Iterator[Fault]:
    known = [*form.units, *game.facts, *sorted(members)]
    for name in parameters:
        if name.partition(":")[0] not in game.facts and name not in form.units and name not in members:
            yield Fault(
                pointer(name),
                "unknown-parameter",
                f"there is no parameter {name!r} here",
                name,
                f"units: {', '.join(form.units)}; facts: {', '.join(game.facts)}; members of the case",
                did_you_mean(name, known),
            )
    for name in form.units:
        if name not in parameters and not _is_optional(form, name):
            yield Fault(
                pointer(name), "missing-unit", f"who is the {name}?", None, f"a profile, as in `{form.example}`"
            )


def _is_optional(form: Form, name: str) -> bool:
    return f"@{name}" not in msgspec.json.encode(form.case).decode()
