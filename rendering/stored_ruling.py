"""A ruling, or odds, as it was answered and stored, for permalinks."""

from typing import Literal

from arbiter.value import Value


class StoredRuling(Value, frozen=True):
    """The question's body and the answer byte for byte, with the edition, the engine and the time that it was made."""

    kind: Literal["ruling", "odds", "simulation"]
    game: str
    question: str
    edition: str
    engine: str
    made: float
    body: bytes
    answer: bytes
