"""The input of the command line: files with cases and bodies, pairs of names and values, and sweeps."""

import argparse
import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from arbiter.asking.short_forms import case_of, forms_of, read_facts
from arbiter.game import Arbiter


class Unreadable(Exception):
    """The command line, or a file it names, cannot be read."""


def body(arguments: argparse.Namespace, held: Any = None) -> dict[str, Any]:
    """Read the body of a question: the file, or `held` instead, has the whole body, or only its case."""
    held = file(arguments.case) if held is None else held
    made = dict(held) if isinstance(held, dict) and "case" in held else {"case": held}
    for member in ("readings", "policies"):
        add(made, member, dict(pairs(getattr(arguments, member))))
    return made


def body_at_table(arguments: argparse.Namespace, game: Arbiter, *, usual: bool = False) -> dict[str, Any]:
    """Read the body of a question, with the given facts; without a file the options are a case in short form.

    In short form `usual` values are taken for facts that are not given, unless the caller says otherwise.
    """
    made = body(arguments, {"case": _short(arguments, game)} if arguments.case is None else None)
    if isinstance(made["case"], dict):
        made["case"] = dict(made["case"])
        add(made["case"], "given", read_facts(game, dict(pairs(arguments.given))))
        assume = arguments.assume or ("usual" if usual and arguments.case is None else None)
        if assume is not None:
            made["case"]["assume"] = assume
    return made


def _short(arguments: argparse.Namespace, game: Arbiter) -> dict[str, Any]:
    forms = forms_of(game)
    if forms is None or arguments.question not in forms.questions:
        known = ", ".join(forms.questions) if forms else "none"
        raise Unreadable(f"{arguments.question} has no short form, and needs a file with the case; short: {known}")
    words, parameters = iter(arguments.rest), {}
    for word in words:
        name, sign, value = word.partition("=")
        if not name.startswith("--"):
            raise Unreadable(f"{word!r} is no option; write --target trooper")
        parameters[name[2:].replace("-", "_")] = value if sign else next(words, "")
    return case_of(game, forms, arguments.question, parameters)


def add(made: dict[str, Any], member: str, members: Mapping[str, Any]) -> None:
    """Let the command line override the file."""
    if members:
        held = made.get(member, {})
        # A value that is not an object is left as it is, so that the fault is reported at its place.
        made[member] = {**held, **members} if isinstance(held, dict) else held


def file(name: str) -> Any:
    """Read a file as JSON or YAML; - is standard input."""
    try:
        text = sys.stdin.read() if name == "-" else Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as wrong:
        raise Unreadable(f"{name} cannot be read: {wrong}") from None
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError as no_json:
        try:
            return yaml.safe_load(text)
        except yaml.YAMLError as no_yaml:
            raise Unreadable(f"{name} is neither JSON ({no_json}) nor YAML ({no_yaml})") from None


def pairs(words: Iterable[str]) -> Iterable[tuple[str, str]]:
    """Read `name=value`, again and again."""
    for each in words:
        name, sign, value = each.partition("=")
        if not sign:
            raise Unreadable(f"{each!r} has to have the form name=value")
        yield name, value


def face(text: str) -> int | str:
    """Read a face of a die, or a seed: a number if it is one."""
    return int(text) if text.strip().lstrip("-").isdecimal() else text.strip()


def option(text: str) -> Any:
    """Read an option: JSON if it is valid, otherwise a name."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


GIVEN_HELP = "what the players see, as cover=light, range_in=8, sees=yes; for some units only as cover:rob,cy=light"

ASSUME_HELP = (
    "the values of facts that are not given; the odds of a question in short form take the usual values, unless "
    "this says nothing"
)

VARY_HELP = "JSON Pointer into the body, such as /case/turns, and the values to take there: JSON, or names"


def varied_places(words: Iterable[str]) -> dict[str, list[Any]]:
    """Read pointers into a body, each with its values: `/case/turns=10,20`."""
    vary: dict[str, list[Any]] = {}
    for place, several in pairs(words):
        if place in vary:
            raise Unreadable(f"{place} is varied twice; write all its values after one =")
        vary[place] = values(several)
    return vary


def values(text: str) -> list[Any]:
    """Read values separated by commas, each JSON if it is valid, otherwise a name: `10,[0,1],bold`."""
    read: list[Any] = []
    at = 0
    while at <= len(text):
        value, end = _value(text, at)
        read.append(value)
        at = end + 1
    return read


def _value(text: str, at: int) -> tuple[Any, int]:
    start = at + len(text[at:]) - len(text[at:].lstrip())
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
        rest = text[end:].lstrip()
        if not rest or rest.startswith(","):
            # Values that Python's library reads but JSON does not have, such as NaN, are names.
            return option(text[start:end]), len(text) - len(rest)
    except ValueError:
        pass
    end = comma if (comma := text.find(",", at)) >= 0 else len(text)
    return text[at:end].strip(), end
