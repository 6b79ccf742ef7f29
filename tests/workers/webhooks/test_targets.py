"""Which addresses may be called. What is public is held to the IANA registries, written down here a second time."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.webhooks.targets import Resolve, Target, TargetRefused, check_target, reach

PUBLIC = "93.184.216.34"
PUBLIC_6 = "2606:2800:220:1::1"

# First and last address of every range of IPv4 that is not for the public internet.
SPECIAL_4 = (
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("168.63.129.16", "168.63.129.16"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.0.2.0", "192.0.2.255"),
    ("192.88.99.0", "192.88.99.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("198.51.100.0", "198.51.100.255"),
    ("203.0.113.0", "203.0.113.255"),
    ("224.0.0.0", "255.255.255.255"),
)

LOOPBACKS = (
    "127.0.0.1",
    "127.255.255.254",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.01",
    "１２７.０.０.１",
    "127。0。0。1",
    "①②⑦.⓪.⓪.①",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::127.0.0.1]",
)

OTHERS = (
    "0.0.0.0",
    "0",
    "0.1.2.3",
    "10.0.0.1",
    "167772161",
    "0xA000001",
    "012.0.0.1",
    "100.64.0.1",
    "100.100.100.200",
    "100.127.255.255",
    "168.63.129.16",
    "169.254.169.254",
    "0xa9fea9fe",
    "2852039166",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.192",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.9",
    "224.0.0.1",
    "224.0.1.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "[::]",
    "[::127.0.0.1]",
    "[::ffff:10.0.0.1]",
    "[::ffff:169.254.169.254]",
    "[::ffff:0:127.0.0.1]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b:1::a00:1]",
    "[100::1]",
    "[2001::1]",
    "[2001:1::1]",
    "[2001:20::1]",
    "[2001:1ff::1]",
    "[2001:0:4136:e378:8000:63bf:3fff:fdd2]",
    "[2001:db8::1]",
    "[2002:7f00:1::1]",
    "[2002:a00:1::1]",
    "[2606:2800:220:1:0:5efe:10.0.0.1]",
    "[2606:2800:220:1:200:5efe:10.0.0.1]",
    "[3fff::1]",
    "[4000::1]",
    "[fc00::1]",
    "[fd00:ec2::254]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[ff0e::1]",
)


def leads_to(*addresses: str) -> Resolve:
    return lambda host, port: addresses


def unasked(host: str, port: int) -> Sequence[str]:
    raise AssertionError(f"{host} was looked up")


def number(address: str) -> int:
    return int(IPv4Address(address))


def refused(url: str, *, loopback_allowed: bool) -> bool:
    """Decide whether a target is refused for not being public."""
    try:
        check_target(url, loopback_allowed=loopback_allowed)
    except TargetRefused as why:
        return "not on the public internet" in str(why)
    return False


def test_an_address_that_is_not_public_is_refused_however_it_is_spelled() -> None:
    hosts = LOOPBACKS + OTHERS
    assert [host for host in hosts if not refused(f"https://{host}/hook", loopback_allowed=False)] == []


def test_allowing_loopback_allows_nothing_else() -> None:
    urls = [f"{scheme}://{host}:8443/hook" for host in OTHERS for scheme in ("http", "https")]
    assert [url for url in urls if not refused(url, loopback_allowed=True)] == []


def test_loopback_may_be_called_where_it_is_allowed() -> None:
    for host in LOOPBACKS:
        target = check_target(f"http://{host}:5000/hook", loopback_allowed=True)
        assert not target.tls, host
        assert {reach(ip_address(address)) for address in target.addresses} == {"loopback"}, host


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "begin with https"),
        ("hook", "begin with https"),
        ("//example.org/", "begin with https"),
        ("ftp://example.org/", "begin with https"),
        ("file:///etc/passwd", "begin with https"),
        ("gopher://example.org:443/_", "begin with https"),
        ("http://example.org/", "begin with https"),
        ("http://127.0.0.1:5000/", "begin with https"),
        ("https://ann@example.org/", "user name"),
        ("https://ann:pw@example.org/", "user name"),
        ("https://example.org@127.0.0.1/", "user name"),
        ("https://@example.org/", "user name"),
        ("https://example.org:80/", "port"),
        ("https://example.org:442/", "port"),
        ("https://example.org:444/", "port"),
        ("https://example.org:6379/", "port"),
        ("https://example.org:8442/", "port"),
        ("https://example.org:8444/", "port"),
        ("https://example.org:0/", "port"),
        ("https://example.org:65536/", "port"),
        ("https://example.org:-1/", "port"),
        ("https://example.org:４４３/", "port"),
        ("https://example.org:https/", "port"),
        ("https://", "neither a name"),
        ("https:///hook", "neither a name"),
        ("https:example.org", "neither a name"),
        ("https://.example.org/", "neither a name"),
        ("https://a..example/", "neither a name"),
        ("https://%31%32%37.0.0.1/", "neither a name"),
        ("https://exa$mple.org/", "neither a name"),
        ("https://" + "a" * 64 + ".org/", "neither a name"),
        ("https://" + "a." * 127 + "org/", "neither a name"),
        ("https://[::1/", "not a url"),
        ("https://[v1.a]/", "neither a name"),
        ("https://[12345::1]/", "not a url"),
        ("https://[fe80::1%25eth0]/", "network interfaces"),
        ("https://[fe80::1%eth0]/", "network interfaces"),
        ("https://example.org\\@127.0.0.1/", "backslash"),
        ("https://example.org/a b", "space"),
        ("https://exam\tple.org/", "space"),
        ("https://example.org/\r\nX: y", "space"),
        (" https://example.org/", "space"),
        ("https://example.org/\x00", "space"),
        ("https://example.org/straße", "%XX"),
        ("https://example.org/?a=ß", "%XX"),
        ("https://exa℀mple.org/", "not a url"),
        ("https://☃.example/", "neither a name"),
    ],
)
def test_what_can_be_refused_by_its_looks_is_refused_before_anything_is_looked_up(url: str, why: str) -> None:
    with pytest.raises(TargetRefused, match=why):
        check_target(url, loopback_allowed=False, resolve=unasked)


@pytest.mark.parametrize(
    ("url", "host", "port", "path", "authority"),
    [
        ("https://example.org", "example.org", 443, "/", "example.org"),
        ("HTTPS://Example.ORG:443/a/b?c=%20d", "example.org", 443, "/a/b?c=%20d", "example.org"),
        ("https://example.org:8443/#x", "example.org", 8443, "/", "example.org:8443"),
        ("https://example.org?q", "example.org", 443, "/?q", "example.org"),
        ("https://Bücher.example/", "xn--bcher-kva.example", 443, "/", "xn--bcher-kva.example"),
        ("https://example.org./", "example.org.", 443, "/", "example.org."),
    ],
)
def test_a_public_place_may_be_called(url: str, host: str, port: int, path: str, authority: str) -> None:
    found = check_target(url, loopback_allowed=False, resolve=leads_to(PUBLIC))
    assert found == Target(True, host, port, path, (PUBLIC,))
    assert found.authority == authority


def test_a_public_number_may_be_called() -> None:
    assert check_target(f"https://{PUBLIC}/", loopback_allowed=False).addresses == (PUBLIC,)
    target = check_target(f"https://[{PUBLIC_6}]:8443/", loopback_allowed=False)
    assert target.addresses == (PUBLIC_6,)
    assert target.authority == f"[{PUBLIC_6}]:8443"


@pytest.mark.parametrize("bad", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:10.0.0.1", "fe80::1%2"])
@pytest.mark.parametrize("loopback_allowed", [False, True])
def test_one_bad_address_among_good_ones_is_enough_to_refuse(bad: str, loopback_allowed: bool) -> None:
    good = (PUBLIC, PUBLIC_6, "93.184.216.35", "93.184.216.36")
    for place in range(len(good) + 1):
        addresses = (*good[:place], bad, *good[place:])
        with pytest.raises(TargetRefused, match="not on the public internet") as refused:
            check_target("https://example.org/", loopback_allowed=loopback_allowed, resolve=leads_to(*addresses))
        assert bad not in str(refused.value)


def test_plain_http_is_for_loopback_alone_even_where_loopback_is_allowed() -> None:
    with pytest.raises(TargetRefused, match="begin with https"):
        check_target("http://example.org/", loopback_allowed=True, resolve=leads_to(PUBLIC))
    with pytest.raises(TargetRefused, match="port"):
        check_target("https://example.org:5000/", loopback_allowed=True, resolve=leads_to(PUBLIC))


@pytest.mark.parametrize(("port", "allowed"), [(80, False), (442, False), (443, True), (1023, False), (1024, True)])
def test_services_of_the_machine_itself_have_low_ports_and_are_left_alone(port: int, allowed: bool) -> None:
    url = f"https://localhost:{port}/"
    if allowed:
        assert check_target(url, loopback_allowed=True, resolve=leads_to("127.0.0.1", "::1")).port == port
    else:
        with pytest.raises(TargetRefused, match="1024"):
            check_target(url, loopback_allowed=True, resolve=leads_to("127.0.0.1", "::1"))


def test_a_host_that_is_nowhere_is_refused() -> None:
    def nowhere(host: str, port: int) -> Sequence[str]:
        raise OSError("no such host")

    with pytest.raises(TargetRefused, match="cannot be found"):
        check_target("https://example.org/", loopback_allowed=False, resolve=nowhere)
    with pytest.raises(TargetRefused):
        check_target("https://example.org/", loopback_allowed=False, resolve=leads_to())


def test_a_host_is_looked_up_once_and_some_addresses_of_each_family_are_kept() -> None:
    asked: list[tuple[str, int]] = []

    def resolve(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        return ["2606::1", "2606::2", "2606::3", "1.1.1.1", "1.1.1.2", "1.1.1.3"]

    target = check_target("https://example.org/", loopback_allowed=False, resolve=resolve)
    assert asked == [("example.org", 443)]
    assert target.addresses == ("2606::1", "2606::2", "1.1.1.1", "1.1.1.2")


def special(address: IPv4Address) -> bool:
    return any(number(first) <= int(address) <= number(last) for first, last in SPECIAL_4)


def test_ranges_end_where_the_registry_says() -> None:
    for place in (end for ends in SPECIAL_4 for end in ends):
        for near in range(max(number(place) - 1, 0), min(number(place) + 1, 2**32 - 1) + 1):
            assert (reach(IPv4Address(near)) == "public") == (not special(IPv4Address(near))), near


@given(st.ip_addresses(v=4))
def test_ipv4_is_public_outside_the_special_ranges(address: IPv4Address) -> None:
    assert (reach(address) == "public") == (not special(address))


@given(st.ip_addresses(v=4), st.integers(0, 2**64 - 1))
def test_ipv4_inside_ipv6_is_judged_as_itself_or_refused(inner: IPv4Address, rest: int) -> None:
    for text in (f"::ffff:{inner}", f"64:ff9b::{inner}"):
        assert reach(IPv6Address(text)) == reach(inner)
    six_to_four = IPv6Address(0x2002 << 112 | int(inner) << 80 | rest)
    teredo = IPv6Address(0x2001_0000 << 96 | int(inner) << 64 | rest)
    isatap = IPv6Address(0x2606_2800 << 96 | 0x5EFE << 32 | int(inner))
    assert {reach(six_to_four), reach(teredo), reach(isatap)} == {"other"}


@given(st.ip_addresses(v=6))
def test_ipv6_is_public_only_where_it_is_given_out(address: IPv6Address) -> None:
    first = int(address) >> 125
    if reach(address) == "public" and address.ipv4_mapped is None and int(address) >> 32 != 0x64FF9B << 64:
        assert first == 0b001
