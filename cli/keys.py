"""`arbiter keys`: makes, lists and revokes the keys of callers, in the Redis of the service.

Only the new key is printed to standard output, once; everything else goes to standard error.
"""

import argparse
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from api.auth import keys
from api.auth.keys import SCOPES, KeyFacts, KeyRefused, Malformed
from api.settings import Settings
from arbiter.value import Value
from cli.client_problems import Away
from cli.inputs import Unreadable
from cli.key_schema import new_key
from infra.settings import WrongSettings, variable

if TYPE_CHECKING:
    from api.auth.key_store import Keystore

DAY_S = 86_400

MOST_DAYS = 3_650
"""The longest expiry of a key, in days."""


class Made(Value, frozen=True):
    """A new key, with its facts."""

    key: str
    facts: KeyFacts


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command."""
    what = parser.add_subparsers(required=True, metavar="what")
    made = _command(what, "create", _create, "Make a key, and print it this once.")
    made.add_argument("--holder", required=True, metavar="NAME", help="owner of the jobs that it makes, as acme-vtt")
    made.add_argument("--publishable", action="store_true", help="a key that pages in a browser may hold")
    made.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="origin whose pages may send the publishable key, as https://table.example; again for each",
    )
    made.add_argument(
        "--scope",
        action="append",
        default=[],
        choices=SCOPES,
        help="its scope; again for each (a secret key: all, a publishable one: ask)",
    )
    made.add_argument("--expires", type=int, metavar="DAYS", help="days after which it expires (never)")
    made.add_argument("--units-per-minute", type=int, metavar="N", help="its own rate, instead of the default")
    _command(what, "list", _list, "List the keys, including those that ended in the last 30 days.")
    gone = _command(what, "revoke", _revoke, "Revoke a key, from this moment on.")
    gone.add_argument("id", help="id of the key, as `arbiter keys list` shows it")


def _command(what: Any, name: str, act: Callable[..., Iterable[str]], gist: str) -> argparse.ArgumentParser:
    made: argparse.ArgumentParser = what.add_parser(name, help=gist, description=gist)
    made.set_defaults(act=act)
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def run(arguments: argparse.Namespace, games: Mapping[str, Any]) -> Iterable[str]:
    """Run a command on keys; give the lines to print."""
    # Only these commands need the client of Redis.
    from redis.exceptions import RedisError

    from api.auth.key_store import Keystore
    from infra.errors import StoreUnavailable

    try:
        settings = Settings.from_environment(os.environ)
    except WrongSettings as wrong:
        raise Unreadable(str(wrong)) from None
    try:
        lines: Iterable[str] = arguments.act(arguments, settings, Keystore(settings))
    except (StoreUnavailable, RedisError) as away:
        raise Away(f"the Redis of {variable('redis_url')} refuses this: {away}") from None
    return lines


def _create(arguments: argparse.Namespace, settings: Settings, store: "Keystore") -> Iterable[str]:
    from api.auth.key_store import MOST_LIVE, EnoughKeys

    if not settings.key_peppers:
        raise Unreadable(
            f"{variable('key_peppers')} is not set, but seals all keys. Make one with `openssl rand -hex 32`, "
            "and set it here and for every gateway."
        )
    if arguments.expires is not None and not 1 <= arguments.expires <= MOST_DAYS:
        raise Unreadable(f"a key expires after 1 to {MOST_DAYS:,} days")
    kind: keys.Kind = "publishable" if arguments.publishable else "secret"
    try:
        facts = new_key(kind, arguments.holder, arguments.scope, arguments.origin, arguments.units_per_minute)
    except KeyRefused as refused:
        raise Unreadable(str(refused)) from None
    lasts_s = None if arguments.expires is None else arguments.expires * DAY_S
    try:
        written, facts_made = store.create(facts, settings.key_peppers[0], lasts_s)
    except EnoughKeys as enough:
        raise Unreadable(
            f"{facts.holder} already has {MOST_LIVE} valid keys: {', '.join(enough.live)}. "
            "Revoke the unused one with `arbiter keys revoke ID`."
        ) from None
    if arguments.json:
        return [_json(Made(written, facts_made))]
    print(f"{_line(facts_made)}\nThe key is not shown again, and is not stored.", file=sys.stderr)
    return [written]


def _list(arguments: argparse.Namespace, settings: Settings, store: "Keystore") -> Iterable[str]:
    every = store.list_keys()
    if arguments.json:
        return [_json(every)]
    return [_line(facts) for facts in every] or ["There are no keys; `arbiter keys create --holder NAME` makes one."]


def _revoke(arguments: argparse.Namespace, settings: Settings, store: "Keystore") -> Iterable[str]:
    # A whole key is accepted, too, for someone who has found one.
    try:
        key_id = keys.parse(arguments.id).id
    except Malformed:
        key_id = arguments.id
    facts = store.revoke(key_id) if keys.is_id(key_id) else None
    if facts is None:
        raise Unreadable("there is no such key; `arbiter keys list` shows all keys")
    return [_json(facts) if arguments.json else _line(facts)]


def _line(facts: KeyFacts) -> str:
    """Describe a key in one line."""
    state = facts.state(datetime.now(UTC).timestamp())
    ended = facts.revoked if state == "revoked" else facts.expires
    validity = state if ended is None else f"{state}, {_day(ended)}" if state != "live" else f"live until {_day(ended)}"
    parts = [facts.id, facts.holder, facts.kind, "+".join(facts.scopes), f"made {_day(facts.made)}", validity]
    parts += facts.origins
    if facts.units_per_minute is not None:
        parts.append(f"{facts.units_per_minute:,} units a minute")
    return "  ".join(parts)


def _day(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")


def _json(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()
