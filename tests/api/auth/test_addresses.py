"""Who asks without a key: what addresses are believed, and who is told apart by them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.auth.callers import CALLER, Callers, address, prefix
from tests.api.memory_keys import OLD_PEPPER, PEPPER, MemoryKeys, settings


@pytest.mark.parametrize(
    ("hops", "forwarded", "found"),
    [
        # Nobody is believed by default.
        (0, "198.51.100.7", "192.0.2.1"),
        (0, None, "192.0.2.1"),
        # One proxy: its entry is the last, whatever a client has written before it.
        (1, "198.51.100.7", "198.51.100.7"),
        (1, "10.0.0.1, 198.51.100.7", "198.51.100.7"),
        (2, "10.0.0.1, 198.51.100.7, 203.0.113.9", "198.51.100.7"),
        # Who did not come by way of all proxies has written the header alone.
        (2, "198.51.100.7", "192.0.2.1"),
        (1, None, "192.0.2.1"),
        (1, "", "192.0.2.1"),
        # What is no address is none.
        (1, "unknown", "192.0.2.1"),
        (1, "198.51.100.7,", "192.0.2.1"),
        (1, "1.2.3", "192.0.2.1"),
        (1, "a" * 5_000, "192.0.2.1"),
        (1, "198.51.100.7:4711", "198.51.100.7"),
        (1, "[2001:db8::1]:4711", "2001:db8::1"),
        (1, "[2001:db8::1]", "2001:db8::1"),
        (1, "2001:db8::1", "2001:db8::1"),
    ],
)
def test_as_many_proxies_are_believed_as_there_are(hops: int, forwarded: str | None, found: str) -> None:
    environ = {"REMOTE_ADDR": "192.0.2.1", **({} if forwarded is None else {"HTTP_X_FORWARDED_FOR": forwarded})}
    assert address(environ, hops) == found


def test_a_connection_without_an_address_is_somebody_too() -> None:
    assert address({}, 0) == ""
    assert Callers(settings(())).identify({}).anonymous


@given(st.lists(st.text(max_size=20), max_size=5), st.integers(1, 3))
def test_what_a_client_writes_before_its_proxies_changes_nothing(invented: list[str], hops: int) -> None:
    proxies = [f"198.51.100.{number}" for number in range(hops)]
    said = ",".join([*invented, *proxies])
    assert address({"REMOTE_ADDR": "192.0.2.1", "HTTP_X_FORWARDED_FOR": said}, hops) == "198.51.100.0"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.1", True),
        ("192.0.2.1", "192.0.2.2", False),
        ("::ffff:192.0.2.1", "192.0.2.1", True),
        ("2001:db8::1", "2001:db8::ffff:ffff:ffff:ffff", True),
        ("2001:db8:0:1::1", "2001:db8::1", False),
        ("2001:db8::1", "2001:0DB8:0:0::9", True),
        ("", "", True),
        ("fe80::1%eth0", "fe80::2%eth1", True),
    ],
)
def test_a_household_has_one_ipv4_address_or_half_of_an_ipv6_one(one: str, other: str, same: bool) -> None:
    assert (prefix(one) == prefix(other)) is same


def test_who_asks_is_noted_for_all_that_follows() -> None:
    made = MemoryKeys()
    environ: dict[str, Any] = {"REMOTE_ADDR": "192.0.2.1", "HTTP_AUTHORIZATION": f"Bearer {made.make()}"}
    found = Callers(settings(), made, now=lambda: 1_000.0).identify(environ)
    assert environ[CALLER] is found


def test_nobody_without_the_pepper_can_tell_whose_name_it_is() -> None:
    """The names of callers are in the store of jobs, and the addresses of the internet are quickly tried."""
    environ = {"REMOTE_ADDR": "192.0.2.1"}
    names = {Callers(settings(peppers)).identify(dict(environ)).name for peppers in ((), (PEPPER,), (OLD_PEPPER,))}
    assert len(names) == 3
    assert Callers(settings((PEPPER, OLD_PEPPER))).identify(dict(environ)).name in names
