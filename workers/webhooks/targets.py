"""Whether the address of a callback may be called: only the public internet, never our internal network.

The name of the host is looked up once and each of its addresses is checked; the connection goes to a checked address
without a second look-up, because a name may resolve differently a moment later. Special ranges are those of the IANA
registries for IPv4 and IPv6 (RFC 6890 and its updates).

This module cannot know which public addresses are the service's own, and which prefixes its network translates to IPv4.
Firewall rules for outgoing traffic have to block these.
"""

import re
import socket
from collections.abc import Callable, Sequence
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address, ip_network
from typing import Literal
from urllib.parse import SplitResult, urlsplit

import idna

from arbiter.value import Value

PORTS = (443, 8443)
"""The https ports that may be called; others belong to other services, and trying them is a port scan."""

LOWEST_LOOPBACK_PORT = 1024
"""The lowest port that may be called on this machine, where that is allowed at all."""

ADDRESSES_PER_FAMILY = 2
"""Addresses of IPv4 and of IPv6 that may be connected to; all are checked."""

Resolve = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host, numbers as text; raises `OSError` when there are none."""

Reach = Literal["public", "loopback", "other"]

_HOST = re.compile(r"(?=.{1,254}\Z)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?\Z")
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f\\]")

_GLOBAL_6 = ip_network("2000::/3")
"""The only part of IPv6 that is assigned to the public internet."""

# Python calls these global, or did in a version that we support: the IETF's own range, the 6to4 relay, an address that
# machines in one cloud use to reach their host, the IETF's range in IPv6 with Teredo in it, 6to4, examples.
_NOT_PUBLIC = tuple(
    ip_network(text)
    for text in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "2001::/23", "2002::/16", "3fff::/20")
)

_MAPPED = ip_network("::ffff:0:0/96")
_NAT64 = ip_network("64:ff9b::/96")
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


class TargetRefused(ValueError):
    """The address may not be called; the message says why, and reveals nothing about the look-up."""


class Target(Value, frozen=True):
    """A host that may be called, only at the checked addresses.

    `host` is the name in ASCII or the number, without brackets; `path` includes the query.
    """

    tls: bool
    host: str
    port: int
    path: str
    addresses: tuple[str, ...]

    @property
    def authority(self) -> str:
        """The host as in a request: with its port if that is not the scheme's default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


def look_up(host: str, port: int) -> tuple[str, ...]:
    """Ask the system for every address of a host; it also reads numeric addresses, in all their spellings."""
    infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(address[0]) for *_, address in infos))


def check_target(url: str, *, loopback_allowed: bool, resolve: Resolve = look_up) -> Target:
    """Decide whether a url may be called, and at which addresses; raises `TargetRefused`.

    It has to be https to port 443 or 8443 of a host whose addresses are all public. With `loopback_allowed`, for
    development, http and any port from 1024 up are allowed too, if all addresses are this machine's own loopback.
    """
    parts = _split(url)
    tls, host = parts.scheme == "https", _host(parts)
    port = _port(parts)
    if not loopback_allowed:
        _check_public(tls, port)
    try:
        addresses = [ip_address(text) for text in resolve(host, port)]
    except OSError as missing:
        raise TargetRefused("The host of the callback cannot be found.") from missing
    reaches = {reach(address) for address in addresses}
    if loopback_allowed and reaches == {"loopback"}:
        if port < LOWEST_LOOPBACK_PORT and port not in PORTS:
            raise TargetRefused(f"The port of a callback to this machine has to be {LOWEST_LOOPBACK_PORT} or above.")
    elif reaches != {"public"}:
        raise TargetRefused("The host of the callback has an address that is not on the public internet.")
    else:
        _check_public(tls, port)
    return Target(
        tls=tls,
        host=host,
        port=port,
        path=(parts.path or "/") + (f"?{parts.query}" if parts.query else ""),
        addresses=tuple(str(address) for address in _first_of_each_family(addresses)),
    )


def reach(address: IPv4Address | IPv6Address) -> Reach:
    """Decide whether an address is on the public internet, this machine's own loopback, or anything else.

    An IPv4 address inside an IPv6 one counts as itself if the packets end there (mapped, NAT64). Tunnels to IPv4 (6to4,
    Teredo, ISATAP) always count as anything else.
    """
    if isinstance(address, IPv6Address):
        if address in _MAPPED or address in _NAT64:
            return reach(IPv4Address(int(address) & 0xFFFF_FFFF))
        if not address.is_loopback and (address not in _GLOBAL_6 or (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP):
            return "other"
    if address.is_loopback:
        return "loopback"
    if not address.is_global or address.is_multicast or any(address in network for network in _NOT_PUBLIC):
        return "other"
    return "public"


def _split(url: str) -> SplitResult:
    # Parsers of urls differ in what they skip or repair, and each difference has been a way around such checks.
    if _AMBIGUOUS.search(url):
        raise TargetRefused("The url of the callback contains a space, a control character or a backslash.")
    try:
        parts = urlsplit(url)
    except ValueError as fault:
        raise TargetRefused("The callback is not a url.") from fault
    if parts.scheme not in {"http", "https"}:
        raise TargetRefused("The url of the callback has to begin with https://.")
    if "@" in parts.netloc:
        raise TargetRefused("The url of the callback contains a user name or a password; sign with a secret instead.")
    if not (parts.path + parts.query).isascii():
        raise TargetRefused("The path of the callback contains characters that have to be written as %XX.")
    return parts


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    try:
        if "[" in parts.netloc:
            address = IPv6Address(host)
            if address.scope_id is not None:
                raise TargetRefused("The host of the callback names one of our network interfaces, after the %.")
            return str(address)
        if not host.isascii():
            host = idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, AddressValueError) as fault:
        raise TargetRefused("The host of the callback is neither a name nor an address.") from fault
    if not _HOST.match(host):
        raise TargetRefused("The host of the callback is neither a name nor an address.")
    return host


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError as fault:
        raise TargetRefused("The port of the callback is not a number from 1 to 65535.") from fault
    if port is None:
        return 443 if parts.scheme == "https" else 80
    return port


def _check_public(tls: bool, port: int) -> None:
    if not tls:
        raise TargetRefused("The url of the callback has to begin with https://.")
    if port not in PORTS:
        raise TargetRefused(f"The port of the callback has to be one of {', '.join(map(str, PORTS))}.")


def _first_of_each_family(addresses: Sequence[IPv4Address | IPv6Address]) -> list[IPv4Address | IPv6Address]:
    """Keep the first addresses of both families, so that a network without IPv6 still reaches the others."""
    first: list[IPv4Address | IPv6Address] = []
    for address in addresses:
        if sum(other.version == address.version for other in first) < ADDRESSES_PER_FAMILY:
            first.append(address)
    return first
