"""A memory of two generations: it forgets in the end, and never what is still in use."""

from hypothesis import given
from hypothesis import strategies as st

from arbiter.memory import Memory


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
