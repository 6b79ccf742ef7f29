"""`arbiter verify`: whether a signed ruling is what it says; `arbiter signing-key`: the secrets of a service."""

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import msgspec

from arbiter.game import Arbiter
from cli.client_problems import Away
from cli.inputs import Unreadable

_MARKS = {"holds": "ok", "fails": "WRONG", "open": "open"}
_CODES = {"holds": 0, "fails": 1, "open": 2}
_SUMS = {
    "holds": "It is what it says.",
    "fails": "It is not what it says.",
    "open": "Nothing is wrong with it, but not all of it could be checked.",
}


class Verdict(Exception):
    """A ruling was checked; the exit code is the outcome."""

    def __init__(self, code: int) -> None:
        self.code = code
        super().__init__(str(code))


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `arbiter verify`."""
    parser.add_argument("ruling", help="file with the signed ruling; - reads standard input")
    parser.add_argument("--url", help="address of the service to fetch keys and epochs from")
    parser.add_argument("--keys", help="file with its keys (a JWK Set), instead of the published ones")
    parser.add_argument("--epochs", help="file with an epoch or a list of them, instead of the published ones")


def verify(arguments: argparse.Namespace, games: Mapping[str, Arbiter]) -> Iterable[str]:
    """Check a signed ruling, a line for each step.

    Ends with `Verdict`: 0 if everything holds, 1 if anything fails, 2 if something could not be checked.
    """
    # The verifier is slow to load, and only this command needs it.
    from cli.verification import Evidence, verdict, verify

    document = _json(arguments.ruling)
    evidence = Evidence(_keys(arguments), _epochs(arguments), games)
    steps = list(verify(document, evidence))
    outcome = verdict(steps)
    if arguments.json:
        yield msgspec.json.format(msgspec.json.encode({"outcome": outcome, "steps": steps}), indent=2).decode()
    else:
        yield from (f"{_MARKS[step.outcome]:<6}{step.about}: {step.reason}" for step in steps)
        yield _SUMS[outcome]
    raise Verdict(_CODES[outcome])


def signing_key(arguments: argparse.Namespace, games: Mapping[str, Arbiter]) -> Iterable[str]:
    """Make a key and a secret for epochs, as settings; they are not stored, and printed once."""
    from cli.signing_keys import fresh_secret, public_of

    key, secret = fresh_secret(), fresh_secret()
    if arguments.json:
        made = {"signing_key": key, "public": public_of(key), "epoch_secret": secret}
        return [msgspec.json.format(msgspec.json.encode(made), indent=2).decode()]
    return [
        "# Secret: the signing key, and the secret of all epochs. Anyone who has them can sign, and knows all dice.",
        f"ARBITER_SIGNING_KEY={key}",
        f"ARBITER_EPOCH_SECRET={secret}",
        "# Public; set it with the next key, so that rulings signed with this one stay valid:",
        f"# ARBITER_SIGNING_KEYS_BEFORE={public_of(key)}",
    ]


def _keys(arguments: argparse.Namespace) -> dict[str, bytes] | None:
    from api.signing.keys import KEYS_PATH, NoKey
    from cli.signing_keys import known_keys

    if arguments.keys is None and arguments.url is None:
        return None
    try:
        return known_keys(_json(arguments.keys) if arguments.keys is not None else _fetched(arguments.url, KEYS_PATH))
    except NoKey as wrong:
        raise Unreadable(f"{arguments.keys or arguments.url + KEYS_PATH} holds no keys: {wrong}") from None


def _epochs(arguments: argparse.Namespace) -> Callable[[str], Any] | None:
    from api.signing.epochs import Epoch, EpochList

    if arguments.epochs is not None:
        held = _json(arguments.epochs)
        try:
            if isinstance(held, dict) and "id" in held:
                listed: tuple[Epoch | None, ...] = (msgspec.convert(held, Epoch),)
            else:
                every = msgspec.convert(held, EpochList)
                listed = (every.current, *every.coming, *every.past)
        except msgspec.ValidationError as wrong:
            raise Unreadable(f"{arguments.epochs} holds no epoch: {wrong}") from None
        return {each.id: each for each in listed if each is not None}.get
    if arguments.url is None:
        return None

    def fetched(id_: str) -> Any:
        try:
            return msgspec.convert(_fetched(arguments.url, f"/v1/epochs/{quote(id_, safe='')}"), Epoch)
        except msgspec.ValidationError as wrong:
            raise Unreadable(f"{arguments.url} gives the epoch {id_} in an unknown form: {wrong}") from None

    return fetched


def _fetched(address: str, path: str) -> Any:
    from cli.client import looked_up

    try:
        return looked_up(address, path)
    except Away as away:
        # Exit code 1 would say that the ruling is wrong.
        raise Unreadable(str(away)) from None


def _json(name: str) -> Any:
    """Read a file only as JSON: in YAML, the same text may have a different meaning."""
    try:
        return msgspec.json.decode(sys.stdin.buffer.read() if name == "-" else Path(name).read_bytes())
    except OSError as wrong:
        raise Unreadable(f"{name} cannot be read: {wrong}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as wrong:
        raise Unreadable(f"{name} is no JSON: {wrong}") from None
