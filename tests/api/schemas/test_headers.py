"""The headers that views read: preferences after RFC 7240, idempotency keys, and the last event seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.problems.handlers import ProblemError
from api.schemas.headers import LONGEST_KEY, Preferences, read_event_id, read_idempotency_key, read_preferences

MOST = 30
BOTH = Preferences(respond_async=True, wait_s=10)


def preferences(text: str) -> Preferences:
    return read_preferences(text).limit_wait(MOST)


def test_preferences() -> None:
    cases = [
        ("", Preferences()),
        ("respond-async", Preferences(respond_async=True)),
        ("Respond-ASYNC", Preferences(respond_async=True)),
        ("wait=10", Preferences(wait_s=10)),
        ("wait=0", Preferences(wait_s=0)),
        ("WAIT = 10", Preferences(wait_s=10)),
        ('wait="10"', Preferences(wait_s=10)),
        ("wait=31", Preferences(wait_s=30)),
        ("wait=999999999", Preferences(wait_s=30)),
        # The examples of the RFC: two preferences, in one line or two, and one with a parameter.
        ("respond-async, wait=10", BOTH),
        ("respond-async,wait=10", BOTH),
        ("wait=10; foo=bar, respond-async; foo", BOTH),
        ('foo; bar=""', Preferences()),
        ('respond-async=""', Preferences(respond_async=True)),
        # Of a preference that is said twice the first counts.
        ("wait=10, wait=20, respond-async", BOTH),
        ("handling=lenient, return=minimal, respond-async, wait=10", BOTH),
        # A comma or a word in quotation marks is part of a value.
        ('foo="a, wait=5", respond-async, wait=10', BOTH),
        (r'foo="a \", wait=5", respond-async, wait=10', BOTH),
        ('foo=bar; x="respond-async, wait=3"', Preferences()),
        # Empty elements of a list are none.
        (",, respond-async ,\t, wait=10,", BOTH),
        # What is malformed is passed over.
        ("wait", Preferences()),
        ("wait=", Preferences()),
        ("wait=-1", Preferences()),
        ("wait=1.5", Preferences()),
        ("wait=ten", Preferences()),
        ("wait=10 s", Preferences()),
        ("wait=9999999999", Preferences()),
        ("wait=١٠", Preferences()),
        ("respond-async=yes", Preferences()),
        ("respond-async wait=10", Preferences()),
        ('"respond-async"', Preferences()),
        # A mark that is never closed takes what follows with it.
        ('foo="never closed, respond-async', Preferences()),
    ]
    for text, preferred in cases:
        assert preferences(text) == preferred, text


token = st.text(st.sampled_from("abcXYZ019-!#$%&'*+.^_`|~"), min_size=1, max_size=6)
quoted = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8).map(
    lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
)
word = token | quoted
spaces = st.sampled_from(["", " ", "\t", "  "])


@st.composite
def others(draw: st.DrawFn) -> str:
    """A well-formed preference that is neither of ours, with parameters."""
    said = "x-" + draw(token) + draw(st.just("") | word.map(lambda value: f"={value}"))
    for _ in range(draw(st.integers(0, 2))):
        said += f"{draw(spaces)};{draw(spaces)}{draw(token)}" + draw(st.just("") | word.map(lambda value: f"={value}"))
    return said


@given(st.lists(others(), max_size=3), st.lists(others(), max_size=3), st.integers(0, 10**9 - 1), spaces, st.data())
def test_other_preferences_change_nothing(
    before: list[str], after: list[str], wait: int, gap: str, data: st.DataObject
) -> None:
    ours = data.draw(st.permutations(["respond-async", f"wait={wait}", *before, *after]))
    assert preferences(f"{gap},{gap}".join(ours)) == Preferences(respond_async=True, wait_s=min(wait, MOST))


@given(st.text(st.characters(min_codepoint=0, max_codepoint=255), max_size=60))
def test_anything_can_be_preferred(text: str) -> None:
    found = preferences(text)
    assert found.wait_s is None or 0 <= found.wait_s <= MOST
    assert not found.respond_async or "respond-async" in text.lower()


def test_idempotency_keys() -> None:
    for text, key in (
        ("abc", "abc"),
        ('"abc"', "abc"),
        ('  "abc"\t', "abc"),
        (r'"a \"b\" \\c"', r'a "b" \c'),
        ("8e03978e-40d5-43dd-bc93-6894a57f9324", "8e03978e-40d5-43dd-bc93-6894a57f9324"),
        ("k" * LONGEST_KEY, "k" * LONGEST_KEY),
        ('"' + "k" * LONGEST_KEY + '"', "k" * LONGEST_KEY),
    ):
        assert read_idempotency_key(text) == key, text


def test_malformed_idempotency_keys_are_refused() -> None:
    for text in (
        "",
        " ",
        '""',
        '"abc',
        "abc def",
        '"a"b"',
        r'"a\b"',
        '"ä"',
        "ä",
        "a, b",
        '"a", "b"',
        '"a"; b=1',
        "\x00",
        "k" * (LONGEST_KEY + 1),
        '"' + "k" * (LONGEST_KEY + 1) + '"',
    ):
        with pytest.raises(ProblemError, match="1 to 255 ASCII characters") as caught:
            read_idempotency_key(text)
        assert caught.value.kind.slug == "bad-request", text


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=LONGEST_KEY))
def test_every_key_can_be_written_in_quotation_marks(key: str) -> None:
    assert read_idempotency_key('"' + key.replace("\\", "\\\\").replace('"', '\\"') + '"') == key


def test_the_last_event_seen_is_ignored_where_it_is_none() -> None:
    for text, event in (("", None), ("1-0", "1-0"), ("a b", None), ("x" * 65, None), ("ä", None), ("x" * 64, "x" * 64)):
        assert read_event_id(text) == event, text
