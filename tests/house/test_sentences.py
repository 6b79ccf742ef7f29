"""What a referee says to players is English: numbers agree, nothing is left over, nobody is named twice."""

import re

import pytest

from arbiter.game import Arbiter
from tests.api.worked import examples, ruling_of
from tests.services.asking import every_game

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
    "a placeholder": re.compile(r"[{}]|\bNone\b|<[a-z]"),
    "a name twice": re.compile(r"\b([A-Za-z][\w'-]*) \(\1\)"),
    "our dialect": re.compile(r"\b(?:is told|is asked|in vain|the worse of|are told|are asked)\b"),
    "two spaces, or one before a comma": re.compile(r"  | [,.;]"),
    "a list with no end": re.compile(r"(?:, ){2}$|,$"),
}


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_sentences_of_the_worked_examples_are_english(game: Arbiter) -> None:
    rulings = [ruling_of(game, each) for each in examples(game)]
    steps = [step for ruling in rulings for step in (*ruling["findings"], *ruling["reasons"])]
    texts = {f"{step['rule']}: {step['text']}" for step in steps}
    assert len(texts) > 5
    wrong = [f"{what}: {text}" for text in sorted(texts) for what, pattern in WRONG.items() if pattern.search(text)]
    assert wrong == []
