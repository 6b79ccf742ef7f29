"""What holds of quotas whoever asks when and where: what is spent, what is refused, and a store that comes and goes."""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import Barrier, Thread
from typing import Any

import pytest
import structlog
from hypothesis import example, given
from hypothesis import strategies as st

from api.problems.handlers import ProblemError
from api.quotas.headers import WINDOW_S, fields, quota
from api.quotas.limiter import AGAIN_S, LEASE_S, MOST_CALLERS, AnonymousClient, Charge, Rates, UnitsAway
from api.settings import Settings

UNITS = 600
ANN = AnonymousClient("ann")


class Pot:
    """A bucket in exact fractions, by the clock that a test moves; a store for several processes, or the ideal."""

    def __init__(self, units: int = UNITS) -> None:
        self.units, self.level, self.at = units, Fraction(units), Fraction(0)
        self.now = Fraction(0)
        self.away, self.asked = False, 0

    def flow(self) -> None:
        self.level = min(Fraction(self.units), self.level + (self.now - self.at) * self.units / WINDOW_S)
        self.at = self.now

    def take(
        self, caller: str, capacity: int, per_s: float, need: int, share: int, back: int, *, forced: bool = False
    ) -> tuple[int, float]:
        self.asked += 1
        if self.away:
            raise UnitsAway("nobody answers")
        assert capacity == self.units
        assert per_s == capacity / WINDOW_S
        self.flow()
        self.level = min(Fraction(capacity), self.level + back)
        granted = 0
        if forced or self.level >= need:
            granted = need + share if self.level - need >= 2 * share else need
        self.level = max(self.level - granted, Fraction(-capacity))
        return granted, float(self.level)


@contextmanager
def telling(pot: Pot) -> Iterator[None]:
    """Let the pot tell the time."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("api.quotas.limiter.monotonic", lambda: float(pot.now))
        yield


def rates(store: Any, processes: int = 2, units: int = UNITS) -> Rates:
    settings = Settings(anonymous_units_per_minute=units, gateway_workers=processes)
    return Rates(settings, structlog.get_logger(), store)


def asked(one: Rates, units: int, who: AnonymousClient = ANN) -> bool:
    """Ask for units in a request of its own; say whether they were there."""
    try:
        one.begin({}, who).charge(units)
    except ProblemError:
        return False
    return True


eighths = st.integers(0, 40).map(lambda count: Fraction(count, 8))
bursts = st.lists(st.tuples(st.just(Fraction(0)) | eighths, st.integers(0, 15), st.integers(1, 300)), max_size=80)
FLOOD = [(Fraction(0), index % 4, 1) for index in range(700)]
LEFT_BEHIND = [
    *((Fraction(0), index % 2, 1) for index in range(4)), (Fraction(5), 0, 300), (Fraction(0), 0, 290),
    *((Fraction(0), index % 2, 5) for index in range(30)),
]  # fmt: skip


@given(st.integers(1, 16), bursts)
@example(4, FLOOD)
@example(2, LEFT_BEHIND)
def test_processes_agree_to_a_tenth_of_the_quota(count: int, story: list[tuple[Fraction, int, int]]) -> None:
    store, ideal = Pot(), Pot()
    processes = [rates(store, count) for _ in range(count)]
    spent: list[tuple[Fraction, int]] = []
    with telling(store):
        for gap, process, units in story:
            store.now = ideal.now = store.now + gap
            ideal.flow()
            if asked(processes[process % count], units):
                ideal.level -= units
                spent.append((store.now, units))
            else:
                assert ideal.level < units + UNITS // 10, "refused though it was there"
    for first, (begin, _) in enumerate(spent):
        so_far = 0
        for end, units in spent[first:]:
            so_far += units
            assert so_far <= UNITS + UNITS // 10 + (end - begin) * UNITS / WINDOW_S, "more than was there"


@given(bursts)
@example(FLOOD)
def test_one_process_alone_counts_exactly(story: list[tuple[Fraction, int, int]]) -> None:
    alone, ideal = rates(None), Pot()
    with telling(ideal):
        for gap, _, units in story:
            ideal.now += gap
            ideal.flow()
            # What is within a hair of the bound may go either way in binary fractions.
            if abs(ideal.level - units) > Fraction(1, 10**6):
                assert asked(alone, units) == (ideal.level >= units)
                ideal.level -= units if ideal.level >= units else 0


def test_a_share_is_spent_without_a_look_at_the_store() -> None:
    store = Pot()
    one = rates(store)
    with telling(store):
        # A share is a twentieth of the quota where two processes serve: 30 units, after the one that was needed.
        assert all(asked(one, 1) for _ in range(31))
        assert store.asked == 1
        assert store.level == UNITS - 31
        assert asked(one, 1)
        assert store.asked == 2


def test_what_was_not_spent_in_time_is_handed_back() -> None:
    store = Pot()
    one = rates(store)
    with telling(store):
        asked(one, 1)
        assert store.level == UNITS - 31
        store.now += Fraction(LEASE_S) - Fraction(1, 100)
        asked(one, 1)
        assert store.asked == 1
        store.now += Fraction(1, 100)
        asked(one, 1)
        assert store.asked == 2
        assert store.level == UNITS - 31, "29 came back, and in the meantime all else has flowed in"


def test_the_last_units_are_counted_one_by_one() -> None:
    store = Pot()
    first, second = rates(store), rates(store)
    with telling(store):
        taken = sum(asked(one, 1) for _ in range(UNITS) for one in (first, second))
        assert taken == UNITS
        assert store.level == 0


def test_a_flood_of_a_refused_caller_does_not_reach_the_store() -> None:
    store = Pot()
    one = rates(store)
    with telling(store):
        for _ in range(3):
            asked(one, 300)
        before = store.asked
        assert not any(asked(one, 1) for _ in range(1_000))
        assert store.asked <= before + 1
        store.now += Fraction(1, 8)
        assert asked(one, 1), "a tenth of a second later there is one"


def test_while_the_store_is_away_each_counts_for_itself_from_what_it_saw_last() -> None:
    store = Pot()
    one = rates(store)
    with telling(store):
        assert asked(one, 200)
        store.away = True
        # 400 were left, and none of them is given twice.
        assert sum(asked(one, 100) for _ in range(10)) == 4
        assert store.asked == 2, "a store that is away is not asked by every request"
        store.now += Fraction(AGAIN_S)
        asked(one, 100)
        asked(one, 100)
        assert store.asked == 3
        assert asked(one, 300, AnonymousClient("somebody else")), "who was never seen has all"
        store.away = False
        store.now += Fraction(AGAIN_S)
        assert asked(one, 1)
        store.now += Fraction(LEASE_S)
        assert asked(one, 1)
        assert store.asked == 5, "it is back, and asked again"


def test_threads_of_a_process_never_hold_two_shares() -> None:
    entered = Barrier(4)

    class Slow(Pot):
        def take(self, *said: Any, **more: Any) -> tuple[int, float]:
            entered.wait(5)
            return super().take(*said, **more)

    store = Slow()
    one = rates(store)
    with telling(store):
        threads = [Thread(target=asked, args=(one, 1)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert store.level == UNITS - 4 - 30


def test_so_many_callers_are_remembered_and_no_more() -> None:
    alone, pot = rates(None, units=10), Pot(10)
    with telling(pot):
        for _ in range(10):
            assert asked(alone, 1, AnonymousClient("first"))
        for index in range(MOST_CALLERS - 1):
            asked(alone, 1, AnonymousClient(str(index)))
        assert not asked(alone, 1, AnonymousClient("first"))
        for index in range(3 * MOST_CALLERS):
            asked(alone, 1, AnonymousClient(f"again {index}"))
        assert len(alone._accounts) + len(alone._accounts._old) <= 2 * MOST_CALLERS


@given(st.lists(st.tuples(st.sampled_from(["charge", "settle", "give_back"]), st.integers(0, 1_000)), max_size=20))
def test_no_request_costs_more_than_half_nor_less_than_nothing(steps: list[tuple[str, int]]) -> None:
    alone, pot = rates(None), Pot()
    with telling(pot):
        request: Charge = alone.begin({}, ANN)
        for step, units in steps:
            before = request.spent
            getattr(request, step)(units)
            assert 0 <= request.spent <= UNITS // 2
            assert (request.spent >= before) == (step != "give_back" or units == 0 or before == 0)
        assert request.account.left(float(pot.now)) == UNITS - request.spent


@given(st.lists(st.tuples(eighths, st.integers(1, 300)), max_size=60))
def test_debts_are_bounded_and_paid_back_in_time(story: list[tuple[Fraction, int]]) -> None:
    store = Pot()
    one = rates(store)
    with telling(store):
        for gap, units in story:
            store.now += gap
            one.begin({}, ANN).settle(units)
            assert store.level >= -UNITS
        store.now += 2 * WINDOW_S
        assert asked(one, 300)


@given(st.integers(10, 10**7), st.integers(1, 256), st.floats(-1.0, 1.0), st.none() | st.floats(0, 200))
def test_the_fields_are_whole_numbers_that_a_client_can_live_by(
    units: int, processes: int, part: float, refused_s: float | None
) -> None:
    of = quota(units, processes)
    left = part * units
    (policy, said), (limit, stands) = fields(left, of, refused_s)
    assert (policy, limit) == ("RateLimit-Policy", "RateLimit")
    assert said == f'"burst";q={units};w=60'
    name, remains, again = stands.split(";")
    assert name == '"burst"'
    assert remains == f"r={max(0, int(left))}"
    assert again[:2] == "t="
    seconds = int(again[2:])
    assert seconds >= 1
    # After so many seconds there is what was promised, and not a whole second earlier.
    wait = (units - left) * WINDOW_S / units if refused_s is None else refused_s
    assert seconds >= wait - 1e-6
    assert seconds == 1 or seconds - 1 < wait + 1e-6
    assert of.share * processes <= units / 10
    assert of.most * 2 <= units
