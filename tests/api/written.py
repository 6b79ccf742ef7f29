"""The contract of all games, built once for all tests of a process."""

from collections.abc import Mapping

from api.openapi.build import Contract
from api.settings import Settings
from arbiter.game import Arbiter
from tests.api.posting import GAMES

CONTRACT = Contract(GAMES, Settings())
"""Settings of a test could change its words alone."""


def contract_of(games: Mapping[str, Arbiter], settings: Settings) -> Contract:
    """Give the contract of a gateway: the one of all games where it has these."""
    return CONTRACT if games == GAMES else Contract(games, settings)
