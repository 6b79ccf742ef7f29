"""For every test: how Hypothesis looks for counterexamples, and the option to rewrite golden files.

There is no deadline, for machines are shared. Where `CI` is set the examples are the same in every run, so that a
change is judged by what it changes; elsewhere they are new each time.

Compiled modules are kept, whatever the environment says: the service and its command line are started some hundred
times, and every process would compile them anew.
"""

import os
import signal
import sys

import pytest
from hypothesis import settings

settings.register_profile("house", deadline=None, derandomize=bool(os.environ.get("CI")))
settings.load_profile("house")

# For the processes that tests start, those of pytest-xdist among them, and for this one.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--rewrite", action="store_true", help="write the golden transcripts anew instead of comparing")
