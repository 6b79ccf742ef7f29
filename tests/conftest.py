"""For every test: Hypothesis without a deadline, for machines are shared, and the option to rewrite golden files."""

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None)
settings.load_profile("house")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write the golden transcripts anew instead of comparing")
