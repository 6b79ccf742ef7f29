"""Findings as data: whoever a sentence names stands among its values, so that nobody has to read sentences."""

import re
from collections.abc import Iterator
from typing import Any

from arbiter.text import Series
from services.size_skirmish.arbiter import ARBITER
from tests.services.asking import examples, ruled


def units(value: Any) -> Iterator[str]:
    """Give the ids of all units in a value."""
    if isinstance(value, dict):
        if value.keys() == {"unit"}:
            yield value["unit"]
        for part in value.values():
            yield from units(part)
    elif isinstance(value, list):
        for part in value:
            yield from units(part)


def test_every_model_that_a_finding_names_is_among_its_values() -> None:
    named, wrong = 0, []
    for example in examples(ARBITER):
        models = {model["id"] for model in example.case["scene"]["models"]} if example.case.get("scene") else set()
        for finding in ruled(ARBITER, example)[0]["findings"]:
            told = models & set(re.findall(r"[\w-]+", finding["text"]))
            named += len(told)
            wrong += [(finding["rule"], finding["text"])] * bool(told - set(units(finding.get("values", {}))))
    assert named > 1000
    assert not wrong


def test_sentences_in_a_series_are_told_apart() -> None:
    assert f"{Series(['One', 'Two'])}" == "One; Two"
    assert f"{Series(())}" == ""
