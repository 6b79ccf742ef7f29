"""Keys as they are written, read, sealed and agreed on; the form is checked with code that shares nothing with ours."""

import hashlib
import hmac
import re
import string
import zlib
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from api.auth import keys
from api.auth.keys import KeyFacts, KeyRefused, Malformed, fits, holds_key, make, parse, seal, without_key
from cli.key_schema import MOST_ORIGINS, new_key
from tests.api.memory_keys import OLD_PEPPER, PEPPER

ALPHABET = "abcdefghijklmnopqrstuvwxyz234567"


def by_hand(mark: str, id_: str, secret: str) -> str:
    """Write a key by the words of its form: CRC-32 of what comes before, its 32 bits as seven digits to the base 32."""
    body = f"{mark}{id_}_{secret}"
    # Seven digits are 35 bits: the three that are left over are zeros at the end.
    number = zlib.crc32(body.encode()) << 3
    digits = ""
    for _ in range(7):
        digits, number = ALPHABET[number % 32] + digits, number // 32
    return body + digits


texts = st.text(alphabet=ALPHABET, min_size=8, max_size=8), st.text(alphabet=ALPHABET, min_size=32, max_size=32)


@given(st.sampled_from(["arb_sk_", "arb_pk_"]), *texts)
def test_a_key_is_written_as_its_form_says(mark: str, id_: str, secret: str) -> None:
    written = by_hand(mark, id_, secret)
    parts = parse(written)
    assert (parts.kind, parts.id, parts.secret) == ({"s": "secret", "p": "publishable"}[mark[4]], id_, secret)
    assert parts.written == written


@pytest.mark.parametrize(("kind", "mark"), [("secret", "arb_sk_"), ("publishable", "arb_pk_")])
def test_new_keys_have_160_random_bits_and_are_all_different(kind: keys.Kind, mark: str) -> None:
    made = [make(kind) for _ in range(200)]
    assert all(parts.written.startswith(mark) for parts in made)
    assert all(re.fullmatch(keys.PATTERN, parts.written) for parts in made)
    # 32 letters of 5 bits each, and every letter is seen somewhere.
    assert {len(parts.secret) * 5 for parts in made} == {160}
    assert {letter for parts in made for letter in parts.secret} == set(ALPHABET)
    assert len({parts.secret for parts in made}) == len(made)
    assert all(parse(parts.written) == parts for parts in made)


@given(st.sampled_from(["secret", "publishable"]), st.data())
def test_every_single_typing_error_is_noticed(kind: keys.Kind, data: st.DataObject) -> None:
    written = make(kind).written
    place = data.draw(st.integers(0, len(written) - 1))
    letter = data.draw(st.sampled_from(string.ascii_letters + string.digits + "_- "))
    assume(letter != written[place])
    for wrong in (
        written[:place] + letter + written[place + 1 :],
        written[:place] + written[place + 1 :],
        written[:place] + letter + written[place:],
    ):
        with pytest.raises(Malformed):
            parse(wrong)


@given(st.integers(0, 53))
def test_two_neighbours_that_change_places_are_noticed(place: int) -> None:
    written = make("secret").written
    swapped = written[:place] + written[place + 1] + written[place] + written[place + 2 :]
    assume(swapped != written)
    with pytest.raises(Malformed):
        parse(swapped)


@pytest.mark.parametrize("around", ["{}\n", "\n{}", " {}", "{} ", "{}\0", "\ufeff{}", "{0}{0}", "{0},{0}", '"{}"'])
def test_nothing_may_stand_around_a_key(around: str) -> None:
    with pytest.raises(Malformed):
        parse(around.format(make("secret").written))


def test_another_spelling_of_a_key_is_no_key() -> None:
    written = make("secret").written
    for wrong in ("", "arb_sk_", written.upper(), written.replace("arb_sk_", "arb_pk_"), written.replace("_", "-")):
        with pytest.raises(Malformed):
            parse(wrong)


@given(st.text(max_size=80))
def test_what_is_no_key_is_refused_without_being_repeated(text: str) -> None:
    assume(len(text) > 3)
    with pytest.raises(Malformed) as refused:
        parse(f"{text}§")
    assert text not in str(refused.value)


def test_a_key_does_not_show_its_secret() -> None:
    parts = make("secret")
    assert parts.secret not in repr(parts)
    assert parts.id in repr(parts)


def test_the_page_about_keys_shows_one_as_they_are() -> None:
    page = (Path(keys.__file__).parents[2] / "docs" / "keys.md").read_text(encoding="utf-8")
    shown = re.findall(rf"\b{keys.PATTERN}\b", page)
    assert shown
    assert all(parse(each).written == each for each in shown)
    assert f"`{keys.PATTERN}`" in page
    assert all(f"`{scope}`" in page for scope in keys.SCOPES)


# Seals


def test_a_seal_is_an_hmac_of_the_whole_key_but_its_checksum() -> None:
    parts = make("publishable")
    expected = hmac.new(PEPPER.encode(), parts.written[:-7].encode(), hashlib.sha256).hexdigest()
    assert seal(parts, PEPPER) == expected
    assert parts.secret not in expected


def test_a_key_fits_its_seal_under_any_of_the_peppers_and_no_other() -> None:
    parts, other = make("secret"), make("secret")
    sealed = seal(parts, OLD_PEPPER)
    assert fits(parts, sealed, (OLD_PEPPER,))
    assert fits(parts, sealed, (PEPPER, OLD_PEPPER))
    assert fits(parts, sealed, (OLD_PEPPER, PEPPER))
    assert not fits(parts, sealed, (PEPPER,))
    assert not fits(parts, sealed, ())
    assert not fits(parts, sealed[:-1], (OLD_PEPPER,))
    assert not fits(other, sealed, (OLD_PEPPER, PEPPER))


def test_a_seal_fits_no_key_of_another_name_or_kind() -> None:
    """Who can write into the store cannot make their own record stand for a key that they know the secret of."""
    parts = make("secret")
    sealed = seal(parts, PEPPER)
    renamed = keys.Parts("secret", "aaaaaaaa", parts.secret)
    turned = keys.Parts("publishable", parts.id, parts.secret)
    assert not any(fits(each, sealed, (PEPPER,)) for each in (renamed, turned))


# Keys where none should be


@pytest.mark.parametrize(
    "text",
    [
        "/v1/games/arb_sk_aaaaaaaa",
        "arb_pk_",
        "key=arb%5Fsk%5Faaaa",
        "%61rb_sk_x",
        "x%2561rb%255Fsk_x",
        "?k=ARB_SK_X",
        "a=1&b=Arb_Pk_q",
        "%2525615rb arb_sk_",
    ],
)
def test_a_key_is_found_in_whatever_way_an_address_writes_it(text: str) -> None:
    assert holds_key(text)
    assert without_key(text) == "/"


@pytest.mark.parametrize("text", ["", "/v1/games", "/v1/arb_", "arb_xk_aaaa", "/%", "/%zz%61", "arbsk", "a%5Fb"])
def test_what_holds_no_key_is_left_as_it_is(text: str) -> None:
    assert not holds_key(text)
    assert without_key(text) == text


@given(st.text(), st.sampled_from(["secret", "publishable"]), st.text())
def test_no_text_around_a_key_hides_it(before: str, kind: keys.Kind, after: str) -> None:
    assume("%" not in before)
    written = make(kind).written
    assert holds_key(before + written + after)


# What is agreed on


def test_a_secret_key_is_for_everything_and_a_publishable_one_for_asking() -> None:
    assert new_key("secret", "acme") == KeyFacts("", "secret", "acme", ("ask", "jobs", "boards"))
    origin = ("https://table.example",)
    assert new_key("publishable", "acme", (), origin) == KeyFacts("", "publishable", "acme", ("ask",), origin)


def test_scopes_are_kept_once_and_in_one_order() -> None:
    assert new_key("secret", "acme", ("boards", "ask", "boards")).scopes == ("ask", "boards")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("https://table.example", "https://table.example"),
        ("https://Table.Example/", "https://table.example"),
        # Browsers leave the usual port out, and no other.
        ("https://table.example:443", "https://table.example"),
        ("http://table.example:80", "http://table.example"),
        ("https://table.example:80", "https://table.example:80"),
        ("http://localhost:30000", "http://localhost:30000"),
        ("http://192.168.1.4:30000", "http://192.168.1.4:30000"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        (" https://table.example ", "https://table.example"),
    ],
)
def test_origins_are_kept_as_browsers_send_them(said: str, meant: str) -> None:
    assert new_key("publishable", "acme", (), (said,)).origins == (meant,)


@pytest.mark.parametrize(
    "said",
    [
        "",
        "*",
        "null",
        "table.example",
        "https://",
        "https://table.example/page",
        "https://table.example?x",
        "https://table.example#x",
        "https://me@table.example",
        "https://*.table.example",
        "ftp://table.example",
        "https://table.example:0",
        "https://table.example:99999",
        "https://table.example:x",
        "https://täble.example",
        "javascript:alert(1)",
        "https://table.example https://other.example",
        "https://" + "a" * 200,
        "http://[::1",
        "https://-a",
        "https://table.example\nx",
        "https://table.example,https://b",
    ],
)
def test_what_is_no_origin_is_refused(said: str) -> None:
    with pytest.raises(KeyRefused):
        new_key("publishable", "acme", (), (said,))


@pytest.mark.parametrize("holder", ["a", "acme-vtt", "0", "a" * 64, "a.b_c-d"])
def test_holders_have_plain_names(holder: str) -> None:
    assert new_key("secret", holder).holder == holder


@pytest.mark.parametrize("holder", ["", "A", "acme vtt", "a" * 65, "-a", ".a", "ä", "a\n", "a\0", "a/b", "а"])
def test_names_that_could_be_taken_for_others_are_refused(holder: str) -> None:
    with pytest.raises(KeyRefused, match="holder"):
        new_key("secret", holder)


def test_a_publishable_key_has_origins_and_a_secret_one_has_none() -> None:
    with pytest.raises(KeyRefused, match="origins"):
        new_key("publishable", "acme")
    with pytest.raises(KeyRefused, match="origins"):
        new_key("secret", "acme", (), ("https://table.example",))
    many = [f"https://{number}.example" for number in range(MOST_ORIGINS + 1)]
    assert len(new_key("publishable", "acme", (), many[:-1]).origins) == MOST_ORIGINS
    with pytest.raises(KeyRefused, match="at most"):
        new_key("publishable", "acme", (), many)


def test_unknown_scopes_and_impossible_rates_are_refused() -> None:
    with pytest.raises(KeyRefused, match="admin"):
        new_key("secret", "acme", ("ask", "admin"))
    for units in (0, -1, 1_000_000_001):
        with pytest.raises(KeyRefused, match="units"):
            new_key("secret", "acme", (), (), units)
    assert new_key("secret", "acme", (), (), 1).units_per_minute == 1


def test_a_key_is_refused_with_every_reason_at_once() -> None:
    with pytest.raises(KeyRefused, match=r"holder must be .*; there is no scope 'admin', .*; .*'x' is not an origin"):
        new_key("publishable", "Acme", ("admin",), ("x",))


@pytest.mark.parametrize(
    ("expires", "revoked", "now", "state"),
    [
        (None, None, 1e12, "live"),
        (100.0, None, 99.9, "live"),
        (100.0, None, 100.0, "expired"),
        (100.0, None, 101.0, "expired"),
        (None, 50.0, 99.0, "revoked"),
        (100.0, 50.0, 200.0, "revoked"),
    ],
)
def test_a_key_counts_until_it_expires_or_is_revoked(
    expires: float | None, revoked: float | None, now: float, state: str
) -> None:
    facts = KeyFacts("aaaaaaaa", "secret", "acme", ("ask",), expires=expires, revoked=revoked)
    assert facts.state(now) == state
