"""Bounded caches of earlier results: entries that are not used for a while are evicted."""

from collections.abc import Callable, Hashable
from functools import lru_cache, wraps
from typing import Any, Generic, Protocol, TypeVar, TypeVarTuple, overload

A = TypeVarTuple("A")
K = TypeVar("K")
V = TypeVar("V")

MAX_BOARDS = 64
"""Boards that a game keeps prepared. Other large data of a board is stored with the board, or limited to as few."""

BOARDS_AT_HAND, SCENES_AT_HAND = 16, 32
"""Boards and scenes that a game recognises by identity; equal boards are recognised as well.

They are the most recent ones, so that at most `MAX_BOARDS` boards are prepared, including theirs.
"""

BOOKS_KEPT = 64
"""Books with the profiles of scenes that a game keeps."""


class Versioned(Protocol):
    """An object that is constant between questions, such as a ground; its number is unique in the process."""

    @property
    def number(self) -> int: ...


class Holder(Protocol):
    """A short-lived value about which tables ask the same questions repeatedly, such as the positions of all units.

    `answers` caches what tables have derived from it, for as long as it lives.
    """

    @property
    def answers(self) -> dict[Any, Any]: ...


class CachedAttribute(Generic[V]):
    """A property that is computed on first access and stored; a `cached_property` without its lock."""

    def __init__(self, worked_out: Callable[[Any], V]) -> None:
        self.worked_out, self.name, self.__doc__ = worked_out, worked_out.__name__, worked_out.__doc__

    @overload
    def __get__(self, instance: None, owner: type) -> "CachedAttribute[V]": ...

    @overload
    def __get__(self, instance: object, owner: type) -> V: ...

    def __get__(self, instance: object | None, owner: type) -> "V | CachedAttribute[V]":
        if instance is None:
            return self
        value = instance.__dict__[self.name] = self.worked_out(instance)
        return value


class Memory(dict[Hashable, V | None], Generic[V]):
    """Answers by their question, in two generations of at most `most` each; None for an unknown one.

    When the younger generation, the dictionary itself, is full, the older one is dropped and the younger one replaces
    it; an entry that is found in the older one moves to the younger one. So every entry that is used again within
    `most` other questions is kept. Read it as `memory[question]`.
    """

    def __init__(self, most: int) -> None:
        super().__init__()
        self.most = most
        self._old: dict[Hashable, V | None] = {}

    def __missing__(self, question: Hashable) -> V | None:
        found = self._old.get(question)
        if found is not None:
            self.keep(question, found)
        return found

    def keep(self, question: Hashable, answer: V) -> None:
        """Remember the answer to a question."""
        if len(self) >= self.most:
            self._old = dict(self)
            self.clear()
        self[question] = answer


class Weighed(Generic[K, V]):
    """Answers by their question as in `Memory`, in two generations that weigh at most `most` each.

    A single answer that weighs more is not kept. Thread-safe.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self._young: dict[K, tuple[V, int]] = {}
        self._old: dict[K, tuple[V, int]] = {}
        self._weight = 0

    def __getitem__(self, question: K) -> V | None:
        """Give the known answer, or None."""
        found = self._young.get(question)
        if found is None:
            found = self._old.get(question)
            if found is None:
                return None
            self.keep(question, *found)
        return found[0]

    def keep(self, question: K, answer: V, weight: int) -> None:
        """Remember the answer to a question."""
        if weight > self.most:
            return
        before = self._young.get(question)
        more = weight if before is None else weight - before[1]
        # Concurrent threads may count one too few or too many, until the next generation begins at zero.
        if self._weight + more > self.most:
            self._old, self._young, self._weight, more = self._young, {}, 0, weight
        self._weight += more
        self._young[question] = answer, weight


def of_the_same(most: int) -> Callable[[Callable[[K], V]], Callable[[K], V]]:
    """Let a function of one value remember its results for the last objects, by identity.

    An equal object is computed again: nothing is hashed or compared, so that even large objects are found quickly. The
    last `most` objects are kept alive with their results; exceptions are not remembered.
    """

    def remembering(function: Callable[[K], V]) -> Callable[[K], V]:
        known: dict[int, tuple[K, V]] = {}

        @wraps(function)
        def remembered(value: K) -> V:
            found = known.get(id(value))
            if found is not None:
                return found[1]
            given = function(value)
            # Threads may do this at the same time; then some results are computed again, but none is mixed up.
            while len(known) >= most:
                known.pop(next(iter(tuple(known)), 0), None)
            known[id(value)] = value, given
            return given

        return remembered

    return remembering


def by_board(function: Callable[[K], V]) -> Callable[[K], V]:
    """Let a function of a board remember its results for the last boards, or equal ones."""
    equal: Callable[[K], V] = lru_cache(maxsize=MAX_BOARDS)(function)
    return of_the_same(BOARDS_AT_HAND)(equal)


def held_by_first(
    most: int, weigh: Callable[[Any], int] | None = None
) -> Callable[[Callable[[K, *A], V]], Callable[[K, *A], V]]:
    """Let the first argument of a function hold the results for the others, so that both are freed together.

    So no cached answer keeps a large object alive. Two generations of `most` answers each are held, or with `weigh` as
    many as weigh that much together. The other arguments are hashable; the answer must not refer to the first, which
    would otherwise not be freed immediately.
    """

    def remembering(function: Callable[[K, *A], V]) -> Callable[[K, *A], V]:
        place = f"_held_{function.__module__}.{function.__qualname__}"

        @wraps(function)
        def remembered(first: K, *others: *A) -> V:
            held: dict[str, Any] = first.__dict__
            memory: Memory[tuple[V]] | Weighed[tuple[Any, ...], tuple[V]] | None = held.get(place)
            if memory is None:
                # Concurrent threads get the same one.
                memory = held.setdefault(place, Memory(most) if weigh is None else Weighed(most))
            found = memory[others]
            if found is None:
                found = (function(first, *others),)
                if isinstance(memory, Weighed):
                    memory.keep(others, found, 1 + (0 if weigh is None else weigh(found[0])))
                else:
                    memory.keep(others, found)
            return found[0]

        return remembered

    return remembering
