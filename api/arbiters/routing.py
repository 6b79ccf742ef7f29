"""Routing: which arbiter decides each game: its own service if its address is known, else this process."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import requests

from api.arbiters.local import LocalArbiter
from api.arbiters.remote import RemoteArbiter
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter.game import Arbiter
from infra.settings import WrongSettings

ADDRESS_PREFIX = "ARBITER_URL_"
"""The address of a game's own service is in the variable named by this prefix and the game's name."""

_PRINTED = re.compile(r"[!-~]+")


ArbiterClient = LocalArbiter | RemoteArbiter
"""The arbiter of a game, wherever it is."""

ArbiterFactory = Callable[[Arbiter, Settings, Bodies], ArbiterClient]
"""Makes the arbiter of a game; the bodies decode its posted questions, including boards by digest."""


class ArbiterRouter:
    """Makes the arbiter of each game: the service at its address, or this process for a game without one."""

    def __init__(self, addresses: Mapping[str, str]) -> None:
        self.addresses = addresses

    def __call__(self, game: Arbiter, settings: Settings, bodies: Bodies) -> ArbiterClient:
        if game.name in self.addresses:
            return RemoteArbiter(game, self.addresses[game.name], settings, bodies)
        return LocalArbiter(game, settings, bodies)


def variable(game: str) -> str:
    """Name the variable that holds the address of a game: `ARBITER_URL_BLACKSTONE_FORTRESS` for blackstone-fortress."""
    return ADDRESS_PREFIX + game.upper().replace("-", "_")


def addresses_in(environment: Mapping[str, str], games: Mapping[str, Arbiter]) -> dict[str, str]:
    """Read the addresses of games' own services.

    Raises `WrongSettings` for a malformed address, and for one of an unknown game.
    """
    names = {variable(name): name for name in games}
    addresses = {
        variable: value.strip()
        for variable, value in sorted(environment.items())
        if variable.startswith(ADDRESS_PREFIX) and value.strip()
    }
    faults = [
        f"{variable} names no game; known: {', '.join(names)}." for variable in addresses if variable not in names
    ]
    faults += [f"{variable}: {wrong}" for variable, value in addresses.items() if (wrong := _wrong(value))]
    if faults:
        raise WrongSettings(tuple(faults))
    return {names[variable]: value for variable, value in addresses.items()}


def _wrong(address: str) -> str:
    """Give the error of an address; empty for a valid one."""
    if not address.startswith(("http://", "https://")):
        return f"{address!r} is not an address; one begins with http:// or https://."
    try:
        requests.Request("POST", address).prepare()
        parts = urlsplit(address)
        whole = parts.port != 0 and _PRINTED.fullmatch(address)
    except (requests.RequestException, ValueError):
        whole = None
    if not whole:
        return f"{address!r} is not an address: its host, its port or a character is invalid."
    if parts.username is not None or parts.query or parts.fragment:
        return "an address has neither a password nor a query; it is a host, a port and at most a path."
    return ""
