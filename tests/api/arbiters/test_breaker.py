"""The breaker and the patience of one arbiter, with a clock that is set by hand."""

from threading import Barrier, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.arbiters.breaker import Breaker, Closed, Patience, Terms

TERMS = Terms(in_a_row=3, ratio=0.5, least=10, window_s=10.0, open_s=1.0, longest_s=4.0, probe_s=7.0)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def breaker(clock: Clock) -> Breaker:
    return Breaker(TERMS, clock)


def fail(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        breaker.failed(breaker.admit())


def succeed(breaker: Breaker, times: int = 1) -> None:
    for _ in range(times):
        breaker.succeeded(breaker.admit())


def wait_s(breaker: Breaker) -> float:
    with pytest.raises(Closed) as closed:
        breaker.admit()
    return closed.value.wait_s


def test_it_opens_at_the_last_failure_of_a_row_and_no_sooner(breaker: Breaker) -> None:
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 2)
    breaker.failed(breaker.admit())
    assert wait_s(breaker) == 1.0


def test_failures_in_a_row_count_however_far_apart(breaker: Breaker, clock: Clock) -> None:
    for _ in range(3):
        fail(breaker)
        clock.now += 60
    # The row is complete, but it has been open for longer than it stays so: one probe goes through.
    breaker.admit()
    assert wait_s(breaker) <= 1.0


def test_it_opens_by_ratio_from_enough_questions_on(breaker: Breaker) -> None:
    for _ in range(4):
        fail(breaker)
        succeed(breaker)
    succeed(breaker)
    fail(breaker)  # the tenth, and the fifth that failed
    assert wait_s(breaker) == 1.0


def test_just_below_the_ratio_it_stays_closed(breaker: Breaker) -> None:
    for _ in range(30):
        fail(breaker)
        succeed(breaker, 2)
    breaker.admit()


def test_what_failed_in_an_earlier_window_is_forgotten(breaker: Breaker, clock: Clock) -> None:
    for _ in range(4):
        fail(breaker)
        succeed(breaker)
    clock.now += TERMS.window_s
    succeed(breaker, 5)
    fail(breaker, 2)
    breaker.admit()


def test_it_is_open_up_to_the_moment_it_said(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 0.75
    assert wait_s(breaker) == 0.25
    clock.now += 0.25
    breaker.admit()


def test_half_open_lets_one_probe_through(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 1
    probe = breaker.admit()
    assert 0 < wait_s(breaker) <= 1
    breaker.succeeded(probe)
    for _ in range(50):
        breaker.admit()


def test_each_probe_that_fails_doubles_the_time_up_to_a_bound(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    for expected in (1.0, 2.0, 4.0, 4.0, 4.0):
        assert wait_s(breaker) == expected
        clock.now += expected
        fail(breaker)
    clock.now += 4
    succeed(breaker)
    fail(breaker, 3)
    assert wait_s(breaker) == 1.0, "a success forgets how long it was open"


def test_after_a_probe_the_row_begins_anew(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 1
    succeed(breaker)
    fail(breaker, 2)
    breaker.admit()


def test_what_was_asked_before_it_opened_tells_nothing(breaker: Breaker, clock: Clock) -> None:
    early, late = breaker.admit(), breaker.admit()
    fail(breaker, 3)
    breaker.succeeded(early)
    assert wait_s(breaker) == 1.0
    clock.now += 1
    probe = breaker.admit()
    breaker.failed(late)
    breaker.succeeded(probe)
    breaker.admit()
    # Nor does a ticket that is handed back twice.
    for _ in range(5):
        breaker.failed(probe)
    breaker.admit()


def test_a_probe_that_is_lost_gives_its_place_up(breaker: Breaker, clock: Clock) -> None:
    fail(breaker, 3)
    clock.now += 1
    lost = breaker.admit()
    clock.now += TERMS.probe_s - 0.001
    assert wait_s(breaker) > 0
    clock.now += 0.001
    second = breaker.admit()
    breaker.succeeded(lost)
    assert wait_s(breaker) > 0, "the first probe came too late to count"
    breaker.succeeded(second)
    breaker.admit()


def test_who_watches_is_told_how_it_stands_and_of_each_change(breaker: Breaker, clock: Clock) -> None:
    told: list[bool] = []
    breaker.watch(told.append)
    assert told == [False]
    fail(breaker, 2)
    succeed(breaker)
    fail(breaker, 2)
    assert told == [False]
    fail(breaker)
    assert told == [False, True]
    # Probes that fail, or are lost, change nothing: it was open, and is.
    for _ in range(3):
        clock.now += TERMS.longest_s
        fail(breaker)
    clock.now += TERMS.longest_s
    breaker.admit()
    clock.now += TERMS.probe_s
    assert told == [False, True]
    succeed(breaker)
    assert told == [False, True, False]
    late: list[bool] = []
    fail(breaker, 3)
    breaker.watch(late.append)
    assert late == [True]


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 5)), max_size=60))
def test_who_watches_is_told_of_every_other_state_once(story: list[tuple[bool, float]]) -> None:
    clock, told = Clock(), list[bool]()
    breaker = Breaker(TERMS, clock)
    breaker.watch(told.append)
    for well, pause in story:
        clock.now += pause
        try:
            ticket = breaker.admit()
        except Closed:
            assert told[-1]
            continue
        (breaker.succeeded if well else breaker.failed)(ticket)
        if well:
            assert not told[-1], "whatever was answered closes it"
    assert told == [bool(index % 2) for index in range(len(told))]


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 5)), max_size=60))
def test_it_lets_through_again_after_the_longest_time_whatever_came_before(story: list[tuple[bool, float]]) -> None:
    clock = Clock()
    breaker = Breaker(TERMS, clock)
    waits = []
    for well, pause in story:
        clock.now += pause
        try:
            ticket = breaker.admit()
        except Closed as closed:
            waits.append(closed.wait_s)
            continue
        (breaker.succeeded if well else breaker.failed)(ticket)
    # Moments are binary fractions, whose difference may be off by the last bit.
    assert all(0 < wait <= TERMS.longest_s + 1e-9 for wait in waits)
    assert not waits or sum(not well for well, _ in story) >= TERMS.in_a_row
    clock.now += TERMS.longest_s
    succeed(breaker, 2)


@given(st.integers(1, 8), st.integers(2, 12))
def test_however_many_come_at_once_one_probe_goes_through(rounds: int, threads: int) -> None:
    clock = Clock()
    breaker = Breaker(TERMS, clock)
    fail(breaker, 3)
    for _ in range(rounds):
        clock.now += TERMS.longest_s
        through: list[int] = []
        start = Barrier(threads)

        def come(start: Barrier = start, through: list[int] = through) -> None:
            start.wait()
            try:
                through.append(breaker.admit())
            except Closed:
                return

        comers = [Thread(target=come) for _ in range(threads)]
        for comer in comers:
            comer.start()
        for comer in comers:
            comer.join()
        assert len(through) == 1
        breaker.failed(through[0])


def test_everybody_waits_for_an_arbiter_that_answers(clock: Clock) -> None:
    patience = Patience(2, 5.0, clock)
    for _ in range(20):
        patience.enter()
        patience.enter()
        patience.enter()
        clock.now += 4.5
        for _ in range(3):
            patience.leave(heard=True)


def test_a_silent_arbiter_holds_no_more_than_its_share(clock: Clock) -> None:
    patience = Patience(2, 5.0, clock)
    patience.enter()
    patience.enter()
    clock.now += 4.9
    patience.enter()
    clock.now += 0.1
    with pytest.raises(Closed, match="3 questions wait") as closed:
        patience.enter()
    assert closed.value.wait_s == 1.0
    # Giving up is not hearing of it.
    patience.leave(heard=False)
    with pytest.raises(Closed):
        patience.enter()
    patience.leave(heard=False)
    patience.enter()
    with pytest.raises(Closed):
        patience.enter()
    patience.leave(heard=True)
    patience.enter()
    patience.enter()


def test_an_arbiter_that_owes_nothing_is_not_silent(clock: Clock) -> None:
    patience = Patience(1, 5.0, clock)
    patience.enter()
    patience.leave(heard=False)
    clock.now += 3600
    patience.enter()
    patience.enter()
