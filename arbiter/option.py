"""Options of a choice, for programs and players: the id to answer with, the label, and the meaning as data."""

from collections.abc import Callable, Mapping
from typing import Any

from arbiter.value import Value


class Option(Value, frozen=True):
    """One option of a choice: the id that answers it, its label for players, and the values that it stands for."""

    id: Any
    label: str
    values: dict[str, Any] = {}


Means = Callable[[Any], Option]
"""Gives the meaning of an option; called only when the option is shown."""


def plain(option: Any) -> Option:
    """Give an option whose value is its meaning."""
    return Option(option, ", ".join(map(str, option)) if isinstance(option, tuple) else str(option))


def place(name: str, label: str = "{}") -> Means:
    """Give the meaning of options that are coordinates: a value of that name."""
    return lambda at: Option(at, label.format(",".join(map(str, at))), {name: at})


def optional(means: Means, none: str, id_: str) -> Means:
    """Give the meaning of options with one, of that id, that does nothing."""
    return lambda option: Option(id_, none) if option == id_ else means(option)


def single(name: str, label: str = "{}") -> Means:
    """Give the meaning of options that are numbers, or ids without a name: a value of that name."""
    return lambda value: Option(value, label.format(value), {name: value})


def with_labels(labels: Mapping[Any, str], nothing: str, **values: Any) -> Means:
    """Give the meaning of options by a label for each; the values apply to all but the one that does nothing."""
    return lambda option: Option(option, labels[option], {} if option == nothing else values)


def chosen_id(option: Any) -> Any:
    """Give a choice in the form for comparison with the options: a listed option is replaced by its id."""
    if isinstance(option, Option):
        return option.id
    return freeze(option["id"] if isinstance(option, dict) and "id" in option else option)


def freeze(option: Any) -> Any:
    """Give JSON's lists as tuples."""
    return tuple(freeze(part) for part in option) if isinstance(option, list | tuple) else option
