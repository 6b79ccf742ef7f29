"""Kinds of facts: the possible values, and how a given value is read and compared with the board."""

from typing import Any, Protocol

from arbiter.value import Value


class Kind(Protocol):
    """The possible values of a fact."""

    @property
    def asked(self) -> str:
        """The accepted values, in words."""

    @property
    def samples(self) -> tuple[Any, ...]:
        """Some values, the usual one first."""

    @property
    def has_usual(self) -> bool:
        """Whether the first sample may be assumed."""

    def read(self, value: Any) -> Any:
        """Give a posted value in the rule's form; ValueError for an impossible one."""

    def same(self, given: Any, measured: Any) -> bool:
        """Decide whether a given value agrees with the board."""

    def needs(self) -> dict[str, Any]:
        """Give the data with which a client can ask for a value: the members of `FactNeeds`."""


class YesNo(Value, frozen=True):
    """Yes or no; `usual` is the usual answer."""

    usual: bool = True

    @property
    def asked(self) -> str:
        return "true or false"

    @property
    def samples(self) -> tuple[Any, ...]:
        return self.usual, not self.usual

    @property
    def has_usual(self) -> bool:
        return True

    def read(self, value: Any) -> Any:
        if not isinstance(value, bool):
            raise ValueError(self.asked)
        return value

    def same(self, given: Any, measured: Any) -> bool:
        return bool(given == measured)

    def needs(self) -> dict[str, Any]:
        return {"type": "yes-no"}


class OneOf(Value, frozen=True):
    """One of some options, the usual one first."""

    options: tuple[str, ...]

    @property
    def asked(self) -> str:
        return "one of " + ", ".join(self.options)

    @property
    def samples(self) -> tuple[Any, ...]:
        return self.options

    @property
    def has_usual(self) -> bool:
        return True

    def read(self, value: Any) -> Any:
        if not isinstance(value, str) or value not in self.options:
            raise ValueError(self.asked)
        return value

    def same(self, given: Any, measured: Any) -> bool:
        return bool(given == measured)

    def needs(self) -> dict[str, Any]:
        return {"type": "option", "options": self.options}


class Number(Value, frozen=True):
    """A number with its unit, from `least` to `most`; a board agrees with one that is off by `tolerance` at most.

    `among` are values in between for which rules decide differently than for both ends.
    """

    unit: str
    least: float = 0.0
    most: float = 200.0
    whole: bool = False
    tolerance: float = 0.0
    usual: float | None = None
    among: tuple[float, ...] = ()

    @property
    def asked(self) -> str:
        return f"a {'whole ' if self.whole else ''}number of {self.unit} from {self.least:g} to {self.most:g}"

    @property
    def samples(self) -> tuple[Any, ...]:
        each = (self.least if self.usual is None else self.usual, self.least, self.most, *self.among)
        return tuple(dict.fromkeys(int(value) if self.whole else value for value in each))

    @property
    def has_usual(self) -> bool:
        return self.usual is not None

    def read(self, value: Any) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float) or not self.least <= value <= self.most:
            raise ValueError(self.asked)
        if not self.whole:
            return float(value)
        if value != int(value):
            raise ValueError(self.asked)
        return int(value)

    def same(self, given: Any, measured: Any) -> bool:
        return bool(abs(given - measured) <= self.tolerance)

    def needs(self) -> dict[str, Any]:
        return {"type": "number", "unit": self.unit, "whole": self.whole, "least": self.least, "most": self.most}


class Units(Value, frozen=True):
    """Some units of the scene, by their ids, in the order in which they count; often none."""

    @property
    def asked(self) -> str:
        return "a list of ids of units, each once, which may be empty"

    @property
    def samples(self) -> tuple[Any, ...]:
        return ((),)

    @property
    def has_usual(self) -> bool:
        return True

    def read(self, value: Any) -> Any:
        if not isinstance(value, tuple | list) or not all(isinstance(id_, str) for id_ in value):
            raise ValueError(self.asked)
        if len(set(value)) < len(value):
            raise ValueError(self.asked)
        return tuple(value)

    def same(self, given: Any, measured: Any) -> bool:
        return sorted(given) == sorted(measured)

    def needs(self) -> dict[str, Any]:
        return {"type": "units"}
