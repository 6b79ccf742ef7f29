"""Options of a choice, for both who read them: how each is answered, what a player reads, and what it means as data."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from arbiter.value import Value


class Option(Value, frozen=True):
    """One option of a choice: the id that answers it, its label for players, and the values that it stands for."""

    id: Any
    label: str
    values: dict[str, Any] = {}


class LazyOptions(Sequence[Any]):
    """Options that are listed as somebody looks at them: where a policy decides, not all of them may have to be."""


class Candidates(LazyOptions):
    """Candidates in the book's order, each with a test: whoever decides ranks them, and only what is tried is tested.

    `every` are all candidates; as a sequence these are the options, which are those that pass.
    """

    def __init__(self, every: Sequence[Any], allowed: Callable[[Any], bool]) -> None:
        self.every, self._allowed = every, allowed
        self._tested: dict[Any, bool] = {}

    def __contains__(self, option: object) -> bool:
        passes = self._tested.get(option)
        if passes is None:
            passes = self._tested[option] = option in self.every and self._allowed(option)
        return passes

    def __iter__(self) -> Iterator[Any]:
        return (option for option in self.every if option in self)

    def __len__(self) -> int:
        return sum(option in self for option in self.every)

    def __getitem__(self, index: Any) -> Any:
        return next(iter(self)) if index == 0 else tuple(self)[index]


def ranked(options: Sequence[Any]) -> Sequence[Any]:
    """Give what a policy ranks: the candidates, or where all options are listed, these."""
    return options if isinstance(options, tuple) else getattr(options, "every", options)


Means = Callable[[Any], Option]
"""Gives the meaning of an option; called only when the option is shown."""


def plain(option: Any) -> Option:
    """Give an option that stands for itself."""
    return Option(option, ", ".join(map(str, option)) if isinstance(option, tuple) else str(option))


def place(name: str, label: str = "{}") -> Means:
    """Give what options mean that are coordinates: a value of that name."""
    return lambda at: Option(at, label.format(",".join(map(str, at))), {name: at})


def optional(means: Means, none: str, id_: str) -> Means:
    """Give what options mean of which one, of that id, is to do nothing."""
    return lambda option: Option(id_, none) if option == id_ else means(option)


def single(name: str, label: str = "{}") -> Means:
    """Give what options mean that are numbers, or ids of what has no name of its own: a value of that name."""
    return lambda value: Option(value, label.format(value), {name: value})


def labelled(labels: Mapping[Any, str], nothing: str, **values: Any) -> Means:
    """Give what options mean by a label for each; the values are those of all but the one that does nothing."""
    return lambda option: Option(option, labels[option], {} if option == nothing else values)


def answered(option: Any) -> Any:
    """Give what was said as it is compared with the options: an option as it was listed stands for its id."""
    if isinstance(option, Option):
        return option.id
    return frozen(option["id"] if isinstance(option, dict) and "id" in option else option)


def frozen(option: Any) -> Any:
    """Give JSON's lists as tuples."""
    return tuple(frozen(part) for part in option) if isinstance(option, list | tuple) else option
