"""Candidates: options in the book's order that are tested only when they are read.

Taking the length or iterating gives exactly those that pass, as in a tuple. A policy that needs a single option tests
no more than necessary.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar, overload

T = TypeVar("T")


class Candidates(Sequence[T]):
    """The candidates that pass a test, in order; each is tested once, when it is first read.

    `is_one` says that there is a single candidate, so that no player has to choose. The check for any option at all
    uses the order of `soonest`, if it is given: it begins with those that are read later in any case.
    """

    def __init__(
        self, every: Iterable[T], passes: Callable[[T], bool], soonest: Callable[[T], Any] | None = None
    ) -> None:
        """Take all candidates, each of them once, and the test; an iterator is read no further than necessary."""
        self._soonest = soonest
        # A check of the abstract class would take longer than everything else here.
        count = getattr(every, "__len__", None)
        self.is_one = count is not None and count() == 1
        self._passes = passes
        self._listed: list[T] = []
        self._rest = iter(every)
        self._tested: dict[object, bool] = {}

    def every(self) -> Iterator[T]:
        """Iterate over all candidates, whether they pass or not."""
        place = 0
        while place < len(self._listed) or self._list_next():
            yield self._listed[place]
            place += 1

    def _list_next(self) -> bool:
        for candidate in self._rest:
            self._listed.append(candidate)
            return True
        return False

    def _list_all(self) -> list[T]:
        self._listed += self._rest
        return self._listed

    def least(self, key: Callable[[T], Any]) -> T:
        """Return the option of the least key, the first of equals; ValueError if none passes."""
        for candidate in sorted(self._list_all(), key=key):
            if self._test(candidate):
                return candidate
        raise ValueError("none of the candidates passes")

    def __iter__(self) -> Iterator[T]:
        return filter(self._test, self.every())

    def __len__(self) -> int:
        return sum(map(self._test, self.every()))

    def __bool__(self) -> bool:
        every = sorted(self._list_all(), key=self._soonest) if self._soonest else self.every()
        return any(map(self._test, every))

    def __contains__(self, option: object) -> bool:
        passed = self._tested.get(option)
        if passed is not None:
            return passed
        return any(candidate == option and self._test(candidate) for candidate in self.every())

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[T, ...]: ...
    def __getitem__(self, place: int | slice) -> T | tuple[T, ...]:
        if place == 0:
            for option in self:
                return option
        return tuple(self)[place]

    def _test(self, candidate: T) -> bool:
        passed = self._tested.get(candidate)
        if passed is None:
            passed = self._tested[candidate] = self._passes(candidate)
        return passed


def least(options: Sequence[T], key: Callable[[T], Any]) -> T:
    """Return the option of the least key, the first of equals; no more candidates are tested than necessary."""
    return options.least(key) if isinstance(options, Candidates) else min(options, key=key)
