"""Options are data: each has an id that answers it, a label that no other has, and the values it stands for."""

from typing import Any

import pytest

from arbiter.fault import Faults
from arbiter.game import Arbiter
from arbiter.json import to_builtins
from arbiter.ruling import ChoiceNeeds
from arbiter.sources.examples import SEED
from tests.services.asking import as_written, ask, every_game, examples, is_light

MOST_CHOICES = 12
"""Choices of one example that are answered one by one; of a whole game the first ones."""


def stops(game: Arbiter) -> list[ChoiceNeeds]:
    """Ask every example with a seed and without policies, and answer each choice by its last option as it is listed."""
    needs = {}
    for example in examples(game):
        if not example.body().get("choices") and not example.body().get("policies") and is_light(example):
            continue
        said: dict[str, list[Any]] = {}
        for _ in range(MOST_CHOICES):
            try:
                ruling = ask(game, example, dice={"seed": SEED}, choices=said, policies={}, surplus="ignore")
            except Faults:
                break  # an example of what is impossible
            if ruling.needs is None or (choice := ruling.needs.choice) is None:
                break
            needs[choice.label, tuple(map(repr, choice.options))] = choice
            said.setdefault(choice.label, []).append(to_builtins(choice.options[-1]))
    return list(needs.values())


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_options_have_a_label_of_their_own_and_values(game: Arbiter) -> None:
    needs = stops(game)
    assert len(needs) > 2
    for choice in needs:
        labels = [option.label for option in choice.options]
        assert all(labels), choice
        assert len(set(labels)) == len(labels), choice
        silent = [option.id for option in choice.options if not option.values]
        assert len(silent) <= 1, f"only doing nothing means nothing: {choice}"


@pytest.mark.parametrize("game", every_game().values(), ids=every_game().keys())
def test_an_option_is_answered_by_its_id_or_as_it_is_listed(game: Arbiter) -> None:
    tried = 0
    for example in examples(game):
        said = example.body().get("choices")
        if not said or tried == 5:
            continue
        ruled = as_written(game, example).ruling
        listed = {label: [{"id": each, "label": "whatever"} for each in options] for label, options in said.items()}
        assert ask(game, example, choices=listed) == ruled
        tried += 1
    assert tried
