"""What has been worked out before, kept up to a bound: what has not been asked for in a while is forgotten."""

from collections.abc import Hashable
from typing import Generic, TypeVar

V = TypeVar("V")


class Memory(dict[Hashable, V | None], Generic[V]):
    """Answers by their question, in two generations of at most `most` each; None for what is not known.

    When the younger generation, the dictionary itself, is full, the older is forgotten and the younger takes its place;
    what is found in the older moves to the younger. So everything that is asked for again within `most` other questions
    is remembered. Read it as `memory[question]`.
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
