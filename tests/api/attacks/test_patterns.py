"""Regular expressions that see what clients write: none takes more than a time that grows as the text does.

Every pattern of the sources is listed here with what keeps it quick, and every door that one of them guards is tried
with the texts that patterns are slow on, within a bound of processor time that a slow pattern exceeds by far.
"""

import ast
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from marshmallow import ValidationError
from werkzeug.datastructures import MultiDict
from werkzeug.http import parse_etags

from api.auth import keys
from api.problems.handlers import ProblemError
from api.schemas.canonical_json import canonical
from api.schemas.codec import _HALF_CHARACTER
from api.schemas.headers import read_event_id, read_idempotency_key, read_preferences
from api.schemas.queries import MapQuery, QuerySchema, RulesQuery, load_parameters
from api.schemas.scenes import may_refer
from api.signing import epochs
from arbiter.asking import misspelt
from arbiter.fault import Faults
from arbiter.sources.lookup.words import sentences, words_of
from cli.serve import ROOT
from infra import tracing
from rendering.permalink_page import escape_markdown
from workers.webhooks import callback, targets

SOURCES = [ROOT / folder for folder in ("api", "workers", "arbiter")]

NOT_FOR_CLIENTS = {
    "api/arbiters/routing.py": "reads addresses, which are the operator's",
    "api/openapi/service.py": "reads the routes, which are ours",
    "api/web/cors.py": "is made of the operator's origins, letter by letter",
    "api/settings.py": "reads settings, which are the operator's",
    "rendering/plots.py": "divides a drawing of our own",
    "arbiter/sources/examples.py": "reads examples, which are ours",
    "arbiter/sources/lookup/cards.py": "reads gists, which are ours",
    "arbiter/sources/lookup/texts.py": "reads ids, which are ours",
    "upkeep/new_game.py": "reads the name that a developer gives a new game",
    "infra/settings.py": "reads settings, which are the operator's",
}

QUICK = {
    "api/arbiters/walks.py": "bounded: nine digits and three, from a service of our own",
    "api/arbiters/local.py": "one class, 128 characters at most",
    "api/caching/board_library.py": "bounded: 64 characters",
    "api/signing/epochs.py": "bounded: seven digits, ten digits",
    "api/auth/keys.py": "bounded: 56 characters behind a word of its own",
    "rendering/permalink_page.py": "one character each; a few digits at the beginning of a line",
    "api/resources/permalinks.py": "bounded: 32 characters; one class, 255 characters at most",
    "api/schemas/scenes.py": "bounded: six characters",
    "rendering/view.py": "one class, one character",
    "api/schemas/canonical_json.py": "no repetition that could give back: one look at each byte",
    "api/jobs/service.py": "bounded: 32 characters",
    "api/observability/request_log.py": "one class, 128 characters at most",
    "api/schemas/headers.py": "one pass: what is taken in quotation marks is not given back",
    "api/schemas/queries.py": "bounded: nine digits",
    "api/schemas/derive.py": "bounded: 18 digits, 18 of a fraction, 2 of a power, or one run; patterns of types below",
    "api/schemas/codec.py": "one class, one character",
    "arbiter/skirmish/fields.py": "one class, 60 characters at most",
    "arbiter/asking/misspelt.py": "one class",
    "arbiter/sources/lookup/words.py": "one class after another, none overlapping; 2,000 characters at most",
    "arbiter/simulation/simulate.py": "one character and a look ahead by one",
    "arbiter/simulation/sweep.py": "one character and a look ahead by one",
    "arbiter/json.py": "two runs of digits with a stroke between",
    "workers/callbacks.py": "bounded: 32 characters",
    "workers/jobs/store.py": "bounded: 15 digits, 32 characters",
    "workers/webhooks/targets.py": "labels with dots between, 254 characters at most",
    "workers/tasks.py": "bounded: 200 characters",
    "infra/tracing.py": "bounded: 55 characters, and one run to the end of the line",
    "workers/webhooks/callback.py": "groups of four, 94 characters at most",
}


def with_patterns() -> Iterator[str]:
    """Name the modules that make or use a pattern."""
    for folder in SOURCES:
        for path in sorted(folder.rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                used = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"
                if used or (isinstance(node, ast.keyword) and node.arg == "pattern"):
                    yield str(path.relative_to(ROOT))
                    break


def test_every_pattern_is_accounted_for() -> None:
    known = QUICK.keys() | NOT_FOR_CLIENTS.keys() | {"api/schemas/json_schema.py", "arbiter/skirmish/fields.py"}
    assert set(with_patterns()) <= known, "a new pattern: say here what keeps it quick, and attack it below"


def test_no_pattern_of_a_game_can_run_away() -> None:
    """Ids of games have one class and a length; anything else has to be looked at by a person."""
    found = {
        match[1]
        for folder in ("services", "arbiter/skirmish")
        for path in Path(ROOT / folder).rglob("*.py")
        for match in re.finditer(r"pattern=r?\"(.*?)\"[,)]", path.read_text())
    }
    assert found == {r"^[A-Za-z0-9][A-Za-z0-9._:+-]*(?!\n)$"}


def tried(door: Callable[[str], object]) -> Callable[[str], None]:
    def go(text: str) -> None:
        try:
            door(text)
        except (ProblemError, Faults, ValidationError, targets.TargetRefused, ValueError):
            return

    return go


def looked_up(name: str, schema: type[QuerySchema] = RulesQuery) -> Callable[[str], object]:
    return lambda text: load_parameters(schema, MultiDict({name: text}))


DOORS: dict[str, Callable[[str], None]] = {
    "a preference": tried(read_preferences),
    "a preference after a sound one": tried(lambda text: read_preferences(f'a="b", {text}')),
    "a key": tried(read_idempotency_key),
    "a key in quotation marks": tried(lambda text: read_idempotency_key(f'"{text}')),
    "a place in a story": tried(read_event_id),
    "a number of a page": tried(looked_up("limit")),
    "a place in a list": tried(looked_up("cursor")),
    "a search": tried(looked_up("q")),
    "a question of a player": tried(sentences),
    "words of a question": tried(words_of),
    "a label of dice": tried(lambda text: list(misspelt._words(text))),
    "a number of a map": tried(looked_up("square", MapQuery)),
    "half a character": tried(_HALF_CHARACTER.search),
    "a text to be signed": tried(canonical),
    "a callback": tried(lambda text: targets.check_target(text, loopback_allowed=False, resolve=lambda host, port: [])),
    "the host of a callback": tried(
        lambda text: targets.check_target(f"https://{text}", loopback_allowed=False, resolve=lambda host, port: [])
    ),
    "a secret": tried(lambda text: re.search(callback._SECRET, f"whsec_{text}")),
    "a trace": tried(tracing.below),
    "a trace after a sound one": tried(lambda text: tracing.below(f"00-{'1' * 32}-{'1' * 16}-01-{text}")),
    "a tag": tried(parse_etags),
    "a key of a caller": tried(keys.parse),
    "a key in an address": tried(keys.holds_key),
    "an epoch": tried(epochs.span_of),
    "a reference": tried(lambda text: may_refer(text.encode())),
    "a line of a chat": tried(escape_markdown),
    "an id": tried(lambda text: re.search(r"^[A-Za-z0-9][A-Za-z0-9._:+-]*(?!\n)$", text)),
}

TEXTS: dict[str, Callable[[int], str]] = {
    "one letter": lambda n: "a" * n,
    "one letter, and then none": lambda n: "a" * n + "!",
    "digits": lambda n: "1" * n + "x",
    "marks": lambda n: '"' * n,
    "escaped marks": lambda n: '"' + '\\"' * (n // 2),
    "escaped marks, many beginnings": lambda n: '"a\\"' * (n // 4),
    "backslashes": lambda n: '"' + "\\" * n,
    "commas": lambda n: "," * n,
    "marks and commas": lambda n: '",' * (n // 2) + '"',
    "semicolons": lambda n: "a;" * (n // 2),
    "equals": lambda n: "a=" * (n // 2),
    "spaces": lambda n: "a" + " " * n + "\x01",
    "tabs around": lambda n: "a" + "\t" * (n // 2) + "=" + "\t" * (n // 2) + "\x01",
    "dots": lambda n: "a." * (n // 2) + "!",
    "dots alone": lambda n: "." * n,
    "dashes": lambda n: "a-" * (n // 2) + "_.",
    "line breaks": lambda n: "\n" * n,
    "noughts": lambda n: ".0" * (n // 2),
    "groups of four": lambda n: "AAA=" * (n // 4),
    "letters beyond": lambda n: "é" * n,
}

LENGTH = 100_000
"""More than a dozen of the longest header lines."""

CPU_S = 10.0
"""Processor time that all texts at one door may take: a thousand times what they need, and nothing to a pattern whose
work grows with the square of the text."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` when what is inside takes more processor time; `re` looks for signals while it searches."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"took more than {seconds} seconds of processor time")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


@pytest.mark.parametrize("door", DOORS)
def test_no_text_makes_a_pattern_run_away(door: str) -> None:
    with bounded(CPU_S):
        for text in TEXTS.values():
            DOORS[door](text(LENGTH))


def test_a_pattern_that_runs_away_is_noticed() -> None:
    with pytest.raises(TimeoutError), bounded(0.2):
        re.search("(a+)+b", "a" * 40)


@pytest.mark.parametrize("place", ["id\n", "\nid", "id\n\n", "i\nd"])
def test_no_id_ends_in_a_line_break(place: str) -> None:
    """`$` in Python also stands before a last line break, in JSON Schema it does not: an id could be two."""
    from services.stargrave.profiles import Id

    pattern = Id.__metadata__[0].pattern
    assert re.search(pattern, "id")
    assert not re.search(pattern, place)
