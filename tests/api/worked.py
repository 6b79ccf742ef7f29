"""The worked examples of every game, read once for all tests of a process, and the ruling of each, made once."""

from functools import cache
from typing import Any

import msgspec

from api.shelf import shelf_for
from arbiter import example
from arbiter.arbiter import Arbiter
from arbiter.example import Example


def examples(game: Arbiter) -> tuple[Example, ...]:
    """Give the worked examples of a game, question by question."""
    return tuple(each for of_question in shelf_for(game).examples.values() for each in of_question)


def ruling_of(game: Arbiter, each: Example) -> Any:
    """Give the ruling of a worked example, as it is decided without a service."""
    return msgspec.json.decode(_ruled(game)[each.title])


@cache
def _ruled(game: Arbiter) -> dict[str, bytes]:
    return {each.title: msgspec.json.encode(example.run(game, each)) for each in examples(game)}
