"""The contract of all games, written once for all tests of a process: it takes seconds of a core."""

from collections.abc import Mapping

from posting import GAMES

from api.contract import Contract
from api.settings import Settings
from arbiter.arbiter import Arbiter

CONTRACT = Contract(GAMES, Settings())
"""It is written when it is first asked for. Settings of a test could change its words alone."""


def contract_of(games: Mapping[str, Arbiter], settings: Settings) -> Contract:
    """Give the contract of a gateway: the one of all games where it has these."""
    return CONTRACT if games == GAMES else Contract(games, settings)
