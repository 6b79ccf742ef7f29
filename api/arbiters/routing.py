"""Seats: who decides each game: a service of its own where its address is known, else this process."""

import re
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

import requests

from api.arbiters.local import ArbiterClient, LocalArbiter
from api.arbiters.remote import RemoteArbiter
from api.arbiters.whole_boards import WithWholeBoards
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter.game import Arbiter
from infra import tracing
from infra.settings import WrongSettings

ADDRESS_PREFIX = "ARBITER_URL_"
"""The address of a game's own service is read from the variable of this prefix and the game's name."""

_PRINTED = re.compile(r"[!-~]+")

ArbiterRouting = Callable[[Mapping[str, Arbiter], Settings], Mapping[str, ArbiterClient]]


def seats(
    games: Mapping[str, Arbiter],
    settings: Settings,
    addresses: Mapping[str, str],
    bodies: Mapping[str, Bodies] | None = None,
) -> dict[str, ArbiterClient]:
    """Give the arbiter of every game; `addresses` are those of games that are decided elsewhere.

    `bodies` are what reads the bodies of games that are decided here, where they share boards and scenes.
    """
    known = bodies or {}
    return {
        name: remote(game, addresses[name], settings)
        if name in addresses
        else LocalArbiter(game, settings, known.get(name))
        for name, game in games.items()
    }


def with_whole_boards(
    seated: Mapping[str, ArbiterClient], bodies: Mapping[str, Bodies], games: Mapping[str, Arbiter]
) -> dict[str, ArbiterClient]:
    """Give the same arbiters, those elsewhere asked with each board in the place of its digest: they keep none."""
    return {
        name: seat if isinstance(seat, LocalArbiter) else WithWholeBoards(seat, bodies[name], games[name])
        for name, seat in seated.items()
    }


def remote(game: Arbiter, address: str, settings: Settings) -> RemoteArbiter:
    """Give the arbiter of a game that a service of its own decides."""
    return RemoteArbiter(
        game, address,
        connect_s=settings.remote_connect_s, read_s=settings.remote_read_s, threads=settings.gateway_threads,
        more=tracing.outgoing,
    )  # fmt: skip


def variable(game: str) -> str:
    """Name the variable that holds the address of a game: `ARBITER_URL_BLACKSTONE_FORTRESS` for blackstone-fortress."""
    return ADDRESS_PREFIX + game.upper().replace("-", "_")


def addresses_in(environment: Mapping[str, str], games: Mapping[str, Arbiter]) -> dict[str, str]:
    """Read the addresses of games' own services.

    Raises `WrongSettings` for an address that is none, and for one of a game that is not there.
    """
    names = {variable(name): name for name in games}
    said = {
        variable: value.strip()
        for variable, value in sorted(environment.items())
        if variable.startswith(ADDRESS_PREFIX) and value.strip()
    }
    faults = [f"{variable} names no game; known: {', '.join(names)}." for variable in said if variable not in names]
    faults += [f"{variable}: {wrong}" for variable, value in said.items() if (wrong := _wrong(value))]
    if faults:
        raise WrongSettings(tuple(faults))
    return {names[variable]: value for variable, value in said.items()}


def _wrong(address: str) -> str:
    """Say what is wrong with an address; nothing if it leads to a service."""
    if not address.startswith(("http://", "https://")):
        return f"{address!r} is no address; it begins with http:// or https://."
    try:
        requests.Request("POST", address).prepare()
        parts = urlsplit(address)
        whole = parts.port != 0 and _PRINTED.fullmatch(address)
    except (requests.RequestException, ValueError):
        whole = None
    if not whole:
        return f"{address!r} is no address: a host, a port that there is, or its letters will not do."
    if parts.username is not None or parts.query or parts.fragment:
        return "an address has neither a password nor a query; it is a host, a port and at most a path."
    return ""
