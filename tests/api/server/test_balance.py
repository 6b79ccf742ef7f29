"""Shares of connections: who leaves new ones to others, and for how long."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.server import balance


@pytest.fixture(autouse=True)
def page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(balance, "_PAGE", memoryview(bytearray(balance.SLOTS * 4)).cast("I"))


def test_one_alone_takes_whatever_comes() -> None:
    assert not balance.ahead(1)
    balance.has(1, 1_000)
    assert not balance.ahead(1)


def test_whoever_has_more_leaves_new_ones_to_whoever_has_fewer() -> None:
    balance.has(1, 1)
    balance.has(2, 0)
    assert balance.ahead(1)
    assert not balance.ahead(2)
    balance.has(2, 1)
    assert not balance.ahead(1), "as many is not more"


def test_one_that_takes_none_is_no_reason_to_wait() -> None:
    balance.has(1, 5)
    balance.has(2, 0)
    balance.leaves(2)
    assert not balance.ahead(1)


@given(st.lists(st.integers(1, 8), min_size=1, max_size=200), st.integers(2, 8))
def test_shares_are_equal_whoever_is_awake_first(eager: list[int], processes: int) -> None:
    held = dict.fromkeys(range(1, processes + 1), 0)
    for age in range(balance.SLOTS):
        balance.leaves(age)
    for age in held:
        balance.has(age, 0)
    for first in eager:
        awake = sorted(held, key=lambda age: (age - first) % processes)
        taker = next(age for age in awake if not balance.ahead(age))
        held[taker] += 1
        balance.has(taker, held[taker])
    assert max(held.values()) - min(held.values()) <= 1
