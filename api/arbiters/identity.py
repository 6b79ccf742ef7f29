"""Identity: the game, edition and engine that decide an answer, named on every answer of a game's own service.

Rulings of two editions, or of two versions of the engine, may differ, so a gateway never mixes them.
"""

from collections.abc import Mapping
from typing import Self
from urllib.parse import quote

from arbiter.game import ENGINE, Arbiter
from arbiter.value import Value

GAME, EDITION, ENGINE_VERSION = "Arbiter-Game", "Arbiter-Edition", "Arbiter-Engine"
"""The headers by which a game's own service names itself."""

MAX_SHOWN = 100


class Identity(Value, frozen=True):
    """What decides: the game, the edition of its text, and the version of the engine, as headers give them."""

    game: str
    edition: str
    engine: str

    @classmethod
    def of(cls, game: Arbiter) -> Self:
        """Give the identity of a game as it is decided in this process."""
        # Editions are named freely, and a header is ASCII.
        return cls(game.name, quote(game.edition, safe=" .:+"), ENGINE)

    @classmethod
    def from_headers(cls, headers: Mapping[str, str]) -> Self | None:
        """Read who answered; None if it is not a game's own service."""
        game, edition, engine = headers.get(GAME), headers.get(EDITION), headers.get(ENGINE_VERSION)
        if game is None or edition is None or engine is None:
            return None
        return cls(game[:MAX_SHOWN], edition[:MAX_SHOWN], engine[:MAX_SHOWN])

    def headers(self) -> list[tuple[str, str]]:
        """Give the headers that name it."""
        return [(GAME, self.game), (EDITION, self.edition), (ENGINE_VERSION, self.engine)]

    def __str__(self) -> str:
        return f"{self.game}, edition {self.edition}, engine {self.engine}"


class OtherEdition(Exception):
    """The service of a game is of another edition or engine, or of another game, than the gateway."""

    def __init__(self, there: Identity, here: Identity) -> None:
        super().__init__(f"the service at its address is {there}; this gateway has {here}")
