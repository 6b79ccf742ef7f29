"""The worked examples of games, read once for all tests of a process: reading all of them takes seconds of a core."""

from functools import cache
from pathlib import Path

from arbiter.sources import examples
from arbiter.sources.examples import Example


@cache
def load_examples(folder: Path) -> tuple[Example, ...]:
    """Read the examples of a folder."""
    return examples.load_examples(folder)
