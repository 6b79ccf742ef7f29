"""What is loaded to stay is left alone by the search for garbage, and the search itself goes on afterwards."""

import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from weakref import ref

import pytest

from infra.startup import staying

ROOT = Path(__file__).parents[2]


class Node:
    """Something that can only be found by a search: it holds on to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    gc.enable()
    gc.unfreeze()


def test_what_is_made_in_the_block_is_never_searched_and_what_comes_later_is() -> None:
    with staying():
        assert not gc.isenabled()
        inside = ref(Node())
    assert gc.isenabled()
    outside = ref(Node())
    gc.collect()
    assert inside() is not None
    assert outside() is None


def test_the_search_goes_on_after_a_fault() -> None:
    with pytest.raises(ZeroDivisionError), staying():
        raise ZeroDivisionError
    assert gc.isenabled()


def test_whoever_had_switched_the_search_off_finds_it_off() -> None:
    gc.disable()
    with staying():
        pass
    assert not gc.isenabled()


@pytest.mark.parametrize(
    ("load", "stays"),
    [
        ("import workers.app", True),
        ("from api import create_app; create_app()", True),
        ("from api import create_game_app; create_game_app('rapture')", True),
        # Of such apps there may be many, one after the other.
        ("from api import create_app; from api.settings import Settings; create_app(Settings(), {})", False),
    ],
)
def test_the_programs_of_the_service_load_to_stay(load: str, stays: bool) -> None:
    said = f"{load}\nimport gc; print(gc.isenabled(), gc.get_freeze_count() > 10_000)"
    done = subprocess.run([sys.executable, "-c", said], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", str(stays)]
