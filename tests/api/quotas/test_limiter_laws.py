"""What holds of quotas whoever asks when and where: what is spent, what is refused, and a store that comes and goes."""

from collections.abc import Callable
from fractions import Fraction
from threading import Thread
from time import monotonic

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from limits.storage import MemoryStorage

from api.auth.callers import Caller
from api.problems.handlers import ProblemError
from api.quotas.limiter import RETRY_S, WINDOW_S, Limiter, Store, Window, fields, most_of_request
from api.settings import Settings
from tests.api.small_quotas import Clock, ClockStorage

UNITS = 600
ANN = Caller("ann", ())


class Log:
    """Remembers which warnings were written."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def warning(self, event: str, **_: object) -> None:
        self.events.append(event)


def limiter(clock: Clock, shared: Store | None = None, log: Log | None = None, units: int = UNITS) -> Limiter:
    """The limiter of one process, by the clock of a test."""
    settings = Settings(anonymous_units_per_minute=units)
    made = Limiter(settings, log or Log(), lambda _: ANN, lambda _: ANN, shared, clock)
    made.local = ClockStorage(clock)
    return made


def asked(one: Limiter, units: int, who: Caller = ANN) -> bool:
    """Ask for units in a request of its own; say whether they were there."""
    try:
        one.begin({}, who).charge(units)
    except ProblemError:
        return False
    return True


eighths = st.integers(0, 40).map(lambda count: Fraction(count, 8))
bursts = st.lists(st.tuples(st.just(Fraction(0)) | eighths, st.integers(0, 15), st.integers(1, 300)), max_size=80)
FLOOD = [(Fraction(0), index % 4, 1) for index in range(700)]
AT_THE_EDGE = [(Fraction(119, 2), 0, 300), (Fraction(0), 1, 300), (Fraction(1), 0, 10), *[(Fraction(5), 1, 50)] * 20]


@given(st.integers(1, 16), bursts)
@example(4, FLOOD)
@example(2, AT_THE_EDGE)
def test_processes_together_spend_one_quota_in_a_window_and_two_in_any_minute(
    count: int, story: list[tuple[Fraction, int, int]]
) -> None:
    clock = Clock()
    shared = ClockStorage(clock)
    processes = [limiter(clock, shared) for _ in range(count)]
    spent: list[tuple[Fraction, int]] = []

    def spent_since(begin: Fraction) -> int:
        return sum(units for at, units in spent if at > begin)

    for gap, process, units in story:
        clock.now += gap
        if asked(processes[process % count], units):
            spent.append((clock.now, units))
            assert spent_since(clock.now - WINDOW_S) <= 2 * UNITS
            assert sum(units for at, units in spent if at // WINDOW_S == clock.now // WINDOW_S) <= UNITS
        else:
            assert spent_since(clock.now - 2 * WINDOW_S) + units > UNITS, "refused though it was there"


@given(st.lists(st.tuples(eighths, st.integers(1, 300), st.integers(-300, 300)), max_size=40))
def test_the_storage_of_these_tests_counts_as_that_of_the_library(story: list[tuple[Fraction, int, int]]) -> None:
    clock, real = Clock(), MemoryStorage()
    ours = ClockStorage(clock)
    with pytest.MonkeyPatch.context() as patched:
        # The library reads the time itself. A little later, for in binary fractions the ends of windows are not exact.
        patched.setattr("limits.storage.memory.time.time", lambda: float(clock.now) + 1e-5)
        for gap, limit, units in story:
            clock.now += gap
            took = [each.acquire_sliding_window_entry("ann", limit, WINDOW_S, units) for each in (ours, real)]
            previous, weight, _ = ours._counted("ann", WINDOW_S)
            if (previous * weight).denominator > 1:
                assert took[0] == took[1]
            if took[0] != took[1]:
                return
            expected = ours.get_sliding_window("ann", WINDOW_S)
            assert real.get_sliding_window("ann", WINDOW_S) == pytest.approx(expected, abs=1e-4)


@given(
    st.integers(0, 1_200),
    st.integers(0, 480).map(lambda count: Fraction(count, 8)),
    st.integers(0, 1_200),
    st.integers(1, UNITS),
)
@example(UNITS, Fraction(0), 0, UNITS)
@example(UNITS, Fraction(0), UNITS, 1)
def test_after_the_wait_a_request_is_admitted_and_not_a_second_earlier(
    previous: int, into: Fraction, current: int, cost: int
) -> None:
    clock = Clock()
    store = ClockStorage(clock)
    store.acquire_sliding_window_entry("ann", 10**6, WINDOW_S, previous)
    clock.now += WINDOW_S + min(into, Fraction(479, 8))
    store.acquire_sliding_window_entry("ann", 10**6, WINDOW_S, current)
    window = Window(*store.get_sliding_window("ann", WINDOW_S))
    wait, now = window.wait_s(UNITS, cost), clock.now
    assert 1 <= wait <= 2 * WINDOW_S + 1
    for seconds, there in ((wait - 1, False), (wait, True)):
        clock.now = now + seconds
        if there or wait > 1:
            left = Window(*store.get_sliding_window("ann", WINDOW_S)).left(UNITS)
            assert (left >= cost) == there
            assert store.acquire_sliding_window_entry("ann", UNITS, WINDOW_S, cost) == there


def test_the_last_units_are_counted_one_by_one() -> None:
    clock = Clock()
    shared = ClockStorage(clock)
    first, second = limiter(clock, shared), limiter(clock, shared)
    assert sum(asked(one, 1) for _ in range(UNITS) for one in (first, second)) == UNITS


def test_threads_of_one_process_spend_no_more_than_there_is() -> None:
    """By the clock of the machine and in the library's own storage."""
    one = Limiter(Settings(), Log(), lambda _: ANN, lambda _: ANN)
    taken: list[bool] = []
    began = monotonic()
    threads = [Thread(target=lambda: taken.extend([asked(one, 1) for _ in range(150)])) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(taken) == 1_200
    assert UNITS <= sum(taken) <= UNITS + 1 + (monotonic() - began) * UNITS / WINDOW_S


def test_while_the_store_is_away_each_counts_for_itself_and_asks_again_each_second() -> None:
    clock, log = Clock(), Log()
    shared = ClockStorage(clock)
    one, other = limiter(clock, shared, log), limiter(clock, shared)
    assert asked(one, 200)
    shared.away, before = True, shared.asked
    assert sum(asked(one, 100) for _ in range(10)) == 6, "a whole quota of its own"
    assert shared.asked == before + 1, "a store that is away is not asked by every request"
    clock.now += Fraction(RETRY_S)
    for _ in range(3):
        asked(one, 1)
    assert shared.asked == before + 2
    assert asked(one, 300, Caller("somebody else", ()))
    assert asked(other, 300)
    shared.away = False
    clock.now += Fraction(RETRY_S)
    assert asked(one, 300), "it is back, and nothing of the meantime is counted there"
    assert not asked(other, 200)
    assert log.events == ["quotas-without-redis"], "it is said once, not for each request"


@given(st.lists(st.tuples(st.sampled_from(["charge", "settle", "give_back"]), st.integers(0, 1_000)), max_size=20))
def test_no_request_costs_more_than_half_nor_less_than_nothing(steps: list[tuple[str, int]]) -> None:
    clock = Clock()
    request = limiter(clock).begin({}, ANN)
    for name, units in steps:
        before = request.spent
        step: Callable[[int], object] = getattr(request, name)
        step(units)
        assert 0 <= request.spent <= UNITS // 2
        assert (request.spent >= before) == (name != "give_back" or units == 0 or before == 0)
    assert request.state()[0] == UNITS - request.spent


@given(st.lists(st.tuples(eighths, st.integers(1, 300)), max_size=60))
def test_debts_are_counted_in_full_and_gone_after_two_windows(story: list[tuple[Fraction, int]]) -> None:
    clock = Clock()
    one, owed = limiter(clock), 0
    for _, units in story[:10]:
        one.begin({}, ANN).settle(units)
        owed += units
        assert asked(one, 1) == (owed < UNITS)
        owed += owed < UNITS
    for gap, units in story:
        clock.now += gap
        one.begin({}, ANN).settle(units)
    clock.now += 2 * WINDOW_S
    assert asked(one, 300)


@given(st.integers(10, 10**7), st.integers(0, 10**7), st.integers(1, 121))
def test_the_fields_are_whole_numbers_of_the_quota(quota: int, left: int, wait_s: int) -> None:
    assert fields(quota, left, wait_s) == (
        ("RateLimit-Policy", f'"burst";q={quota};w=60'),
        ("RateLimit", f'"burst";r={left};t={wait_s}'),
    )
    assert 1 <= most_of_request(quota) <= quota / 2
