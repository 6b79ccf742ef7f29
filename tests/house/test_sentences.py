"""What a referee says to players is English: numbers agree, nothing is left over, nobody is named twice."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from arbiter.game import Arbiter
from arbiter.sources.examples import Example
from arbiter.text import Listing, Quantity, format_text
from tests.api.worked import examples, ruling_of
from tests.services.asking import as_written, every_game, is_light

NOUNS = {
    "inches": "inch",
    "dice": "die",
    "successes": "success",
    "boxes": "box",
    "hexes": "hex",
    "centimetres": "centimetre",
    **{
        f"{one}s": one
        for one in (
            "hand",
            "hostile",
            "explorer",
            "round",
            "turn",
            "tile",
            "model",
            "figure",
            "unit",
            "point",
            "wound",
            "hit",
            "action",
            "card",
            "space",
            "activation",
            "marker",
            "counter",
            "token",
            "modifier",
            "victory point",
            "hit point",
            "reroll",
        )
    },
}
"""What the games count, by its name for many and for one."""

WRONG = {
    "one of many": re.compile(rf"(?<![\d.,/-])(?<!of )\b1 ({'|'.join(NOUNS)})\b(?! \d)"),
    "many of one": re.compile(
        rf"(?<![\d.,-])\b(?:0|[2-9]|[1-9]\d+) ({'|'.join(NOUNS.values())})\b(?! (?:points?|value))"
    ),
    "one with a verb for many": re.compile(
        r"(?<![\d.,/-])(?<!of )(?<!than )(?<!show )(?<!round )\b1 (?:[a-z]+ )?"
        r"(?:are|were|have|do|share|count|need|cost|buy)\b"
    ),
    "a placeholder": re.compile(r"[{}]|\bNone\b|<[a-z]"),
    "a name twice": re.compile(r"\b([A-Za-z][\w'-]*) \(\1\)"),
    "our dialect": re.compile(r"\b(?:is told|is asked|in vain|the worse of|are told|are asked)\b"),
    "two spaces, or one before a comma": re.compile(r"  | [,.;]"),
    "a list with no end": re.compile(r"(?:, ){2}$|,$"),
}


ROSTERS = ("fighters", "figures", "units", "models", "explorers", "hostiles")
"""The lists of units in the scenes of the games."""


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_sentences_and_options_name_cards_by_their_names(game: Arbiter) -> None:
    """No id of a card with a hyphen stands in words, but for units with that id, which have it in brackets."""
    rows = [row for table in game.catalog.values() for row in table if isinstance(row, dict)]
    ids = {row["id"] for row in rows if "-" in str(row.get("id", "")) and row.get("name") not in (None, "", row["id"])}
    raw = re.compile(rf"(?<![\w(-])(?:{'|'.join(map(re.escape, sorted(ids)))})(?![\w)-])")
    words = set()
    for ruling in (ruling_of(game, each) for each in examples(game)):
        words |= {f"{step['rule']}: {step['text']}" for step in (*ruling["findings"], *ruling["reasons"])}
        asked = (ruling["needs"] or {}).get("choice") or {"options": []}
        words |= {option["label"] for option in (*asked["options"], *(made["option"] for made in ruling["choices"]))}
    assert not ids or sorted(filter(raw.search, words)) == []


def units_of(example: Example) -> set[str]:
    scene = example.case.get("scene") or {}
    return {unit["id"] for roster in ROSTERS for unit in scene.get(roster, ())}


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_a_unit_that_a_sentence_names_is_among_its_values(game: Arbiter) -> None:
    missing = set()
    for example in examples(game):
        ids, ruling = units_of(example), ruling_of(game, example)
        for step in (*ruling["findings"], *ruling["reasons"]):
            named = set(re.findall(r"\(([\w-]+)\)", step["text"])) & ids
            values = json.dumps(step["values"])
            missing |= {f"{step['rule']}: {step['text']}" for id_ in named if f'"unit": "{id_}"' not in values}
    assert sorted(missing) == []


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_sentences_of_the_worked_examples_are_english(game: Arbiter) -> None:
    rulings = [ruling_of(game, each) for each in examples(game)]
    steps = [step for ruling in rulings for step in (*ruling["findings"], *ruling["reasons"])]
    texts = {f"{step['rule']}: {step['text']}" for step in steps}
    assert len(texts) > 5
    wrong = [f"{what}: {text}" for text in sorted(texts) for what, pattern in WRONG.items() if pattern.search(text)]
    assert wrong == []


def variants(values: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Give the values of a text with each number none, one, two and three, and each list one, two and three long."""
    for name, value in values.items():
        if isinstance(value, Quantity):
            others: list[Any] = [replaced(value, number) for number in range(4)]
        elif isinstance(value, Listing) and value:
            others = [Listing((*value, *value, *value)[:count]) for count in (1, 2, 3)]
        else:
            others = [*range(4)] if type(value) is int else []
        yield from ({**values, name: other} for other in others)


def replaced(quantity: Quantity, number: int) -> Quantity:
    return Quantity(number, quantity._one, quantity._many)


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_every_text_is_english_for_one_two_and_three(game: Arbiter) -> None:
    """Texts whose words depend on a number in the code are seen as the code words them; the others hold for any."""
    seen: dict[str, Mapping[str, Any]] = {}
    for example in filter(is_light, examples(game)):
        seen = {**as_written(game, example).texts, **seen}
    assert len(seen) > 5
    wrong = {
        f"{what}: {text}: {filled}"
        for text, values in seen.items()
        for filled in (format_text(text, each) for each in variants(values))
        for what, pattern in WRONG.items()
        if pattern.search(filled)
    }
    assert sorted(wrong) == []
