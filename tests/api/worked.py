"""The worked examples of every game, read once for all tests of a process, and the ruling of each, made once.

The service's own pages of examples rest on the same ones.
"""

from types import SimpleNamespace
from typing import Any

import msgspec

from arbiter.game import Arbiter
from arbiter.json import encode
from arbiter.sources import examples as sources_examples
from arbiter.sources.catalogue import catalogue_of
from arbiter.sources.examples import Example
from tests.reading import load_examples
from tests.services.asking import every_game, remembered, ruled


def examples(game: Arbiter) -> tuple[Example, ...]:
    """Give the worked examples of a game, question by question."""
    return tuple(each for of_question in catalogue_of(game).examples.values() for each in of_question)


def ruling_of(game: Arbiter, each: Example) -> Any:
    """Give the ruling of a worked example, as it is decided without a service."""
    return msgspec.json.decode(_ruled(game, each))


def run(game: Arbiter, each: Example) -> Any:
    """Give the ruling of an example; that of a game which a test has changed is made anew."""
    return ruling_of(game, each) if every_game().get(game.name) is game else sources_examples.run(game, each)


SHELVED = SimpleNamespace(SEED=sources_examples.SEED, load_examples=load_examples, run=run)
"""What the service's shelves know of examples."""


@remembered
def _ruled(game: Arbiter, each: Example) -> bytes:
    return encode(ruled(game, each)[0])
