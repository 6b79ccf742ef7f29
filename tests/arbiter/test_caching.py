"""A memory of two generations: it forgets in the end, and never what is still in use."""

import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.caching import Memory, Weighed, held_by_first, of_the_same


def test_what_is_not_known_is_none() -> None:
    assert Memory[int](3)["nothing"] is None


def test_what_was_kept_is_found() -> None:
    memory: Memory[str] = Memory(2)
    memory.keep("one", "1")
    assert memory["one"] == "1"


def test_two_full_generations_later_it_is_forgotten() -> None:
    memory: Memory[int] = Memory(2)
    for number in range(5):
        memory.keep(number, number)
    assert [memory[number] for number in (0, 1)] == [None, None]
    assert [memory[number] for number in (2, 3, 4)] == [2, 3, 4]


def test_what_is_asked_for_in_time_stays() -> None:
    memory: Memory[str] = Memory(2)
    memory.keep("dear", "kept")
    for number in range(50):
        memory.keep(number, "other")
        assert memory["dear"] == "kept"


@given(st.lists(st.tuples(st.integers(0, 12), st.booleans())), st.integers(1, 6))
def test_it_gives_what_was_kept_or_nothing_and_never_grows_beyond_two_generations(
    asked: list[tuple[int, bool]], most: int
) -> None:
    memory: Memory[int] = Memory(most)
    for number, keep in asked:
        if keep:
            memory.keep(number, number * number)
        assert memory[number] in ((number * number,) if keep else (number * number, None))
        assert len(memory) <= most
        assert len(memory._old) <= most


def test_what_weighs_too_much_is_not_kept_and_harms_nothing() -> None:
    memory: Weighed[str, int] = Weighed(10)
    memory.keep("light", 1, 10)
    memory.keep("heavy", 2, 11)
    assert (memory["light"], memory["heavy"], memory["never"]) == (1, None, None)


def test_a_generation_gives_way_by_weight() -> None:
    memory: Weighed[str, int] = Weighed(10)
    memory.keep("old", 1, 6)
    memory.keep("young", 2, 6)
    assert (memory["young"], memory["old"]) == (2, 1), "the one is young, the other old, and asked for"
    memory.keep("next", 3, 6)
    memory.keep("last", 4, 6)
    assert memory["young"] is None


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 8)), max_size=60))
def test_two_generations_never_weigh_more_than_they_may(kept: list[tuple[int, int]]) -> None:
    memory: Weighed[int, int] = Weighed(10)
    for question, weight in kept:
        memory.keep(question, weight, weight)
        assert memory[question] == weight
        for generation in (memory._young, memory._old):
            assert sum(weight for _, weight in generation.values()) <= 10


def test_the_very_same_is_known_and_an_equal_one_is_not() -> None:
    asked: list[list[int]] = []

    @of_the_same(2)
    def length(value: list[int]) -> int:
        """Count."""
        asked.append(value)
        return len(value)

    one, equal = [1, 2], [1, 2]
    assert [length(one), length(one), length(equal), length(one)] == [2, 2, 2, 2]
    assert [id(value) for value in asked] == [id(one), id(equal)]
    assert (length.__name__, length.__doc__) == ("length", "Count.")


def test_no_more_are_kept_alive_than_were_asked_for_last() -> None:
    @of_the_same(3)
    def itself(value: list[int]) -> list[int]:
        return [*value]

    values = [[number] for number in range(10)]
    given_ = [itself(value) for value in values]
    assert [itself(value) is known for value, known in zip(values[-3:], given_[-3:], strict=True)] == [True] * 3
    assert itself(values[0]) is not given_[0]


def test_an_object_that_takes_the_place_of_another_is_not_taken_for_it() -> None:
    @of_the_same(4)
    def first(value: list[int]) -> int:
        return value[0]

    # Objects that are made and dropped take one another's places in memory.
    assert [first([number]) for number in range(1_000)] == list(range(1_000))


def test_what_is_raised_is_raised_again() -> None:
    @of_the_same(4)
    def refusing(value: list[int]) -> int:
        raise ValueError(value)

    value = [1]
    for _ in range(2):
        with pytest.raises(ValueError, match=r"\[1\]"):
            refusing(value)


def test_threads_are_never_given_what_is_anothers() -> None:
    @of_the_same(2)
    def doubled(value: tuple[int]) -> int:
        return 2 * value[0]

    values = [(number,) for number in range(8)]
    with ThreadPoolExecutor(4) as pool:
        got = list(pool.map(lambda number: doubled(values[number % 8]), range(4_000)))
    assert got == [2 * (number % 8) for number in range(4_000)]


class Ground:
    """Something large that has places."""


def test_what_the_first_argument_holds_is_not_worked_out_again() -> None:
    asked: list[tuple[int, int]] = []

    @held_by_first(2)
    def between(ground: Ground, a: int, b: int) -> int | None:
        """Count."""
        asked.append((a, b))
        return None if a == b else a - b

    one, other = Ground(), Ground()
    assert [between(one, 3, 1), between(one, 3, 1), between(one, 2, 2), between(one, 2, 2)] == [2, 2, None, None]
    assert asked == [(3, 1), (2, 2)]
    assert between(other, 3, 1) == 2
    assert asked[2:] == [(3, 1)]
    for a in range(10, 20):
        between(one, a, 0)
    assert between(one, 3, 1) == 2
    assert asked[-1] == (3, 1)
    assert (between.__name__, between.__doc__) == ("between", "Count.")


def test_what_the_first_argument_holds_gives_way_by_weight() -> None:
    asked: list[int] = []

    @held_by_first(10, len)
    def below(ground: Ground, most: int) -> range:
        asked.append(most)
        return range(most)

    ground = Ground()
    # Each weighs one more than its length, so that a generation holds the first three of these, or five of nothing.
    for most in (2, 2, 3, 2, 0, 1, 1, 0):
        assert below(ground, most) == range(most)
    assert asked == [2, 3, 0, 1]
    # What weighs more than a generation is worked out each time.
    assert [below(ground, 20), below(ground, 20)] == [range(20)] * 2
    assert asked[4:] == [20, 20]
    # Two further generations are full, and what was first is forgotten.
    for most in (8, 9, 7):
        below(ground, most)
    assert below(ground, 3) == range(3)
    assert asked[6:] == [8, 9, 7, 3]


def test_what_is_held_for_something_goes_when_it_goes() -> None:
    @held_by_first(4)
    def around(ground: Ground, at: int) -> Ground:
        return Ground()

    @held_by_first(4)
    def else_(ground: Ground, at: int) -> int:
        return at

    ground = Ground()
    near = weakref.ref(around(ground, 1))
    gone = weakref.ref(ground)
    assert else_(ground, 1) == 1
    assert near() is around(ground, 1)
    gc.disable()
    try:
        del ground
        assert gone() is None
        assert near() is None
    finally:
        gc.enable()
