"""Canonical JSON, held to another implementation of RFC 8785 over any value, and to the standard's own examples."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from api.schemas.canonical_json import NotCanonical, canonical, digest

NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_every_value_is_written_as_the_library_of_the_standard_writes_it(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        # RFC 8785, appendix B: numbers; section 3.2.3: the order of names is that of UTF-16.
        (333333333.33333329, b"333333333.3333333"),
        (1e30, b"1e+30"),
        (4.50, b"4.5"),
        (2e-3, b"0.002"),
        (0.000000000000000000000000001, b"1e-27"),
        (-0.0, b"0"),
        (1.0, b"1"),
        (
            {"\ufb33": 1, "\U0001f600": 2, "\u20ac": 3, "\r": 4, "1": 5},
            '{"\\r":4,"1":5,"€":3,"\U0001f600":2,"\ufb33":1}'.encode(),
        ),
        ({"b": [1, 2.5], "a": {"z": None, "y": True}}, b'{"a":{"y":true,"z":null},"b":[1,2.5]}'),
    ],
)
def test_the_standards_examples(value: Any, written: bytes) -> None:
    assert canonical(value) == written


@pytest.mark.parametrize(
    "value",
    [
        1e16,
        -1e22,
        [1e-7],
        {"a": 123456789012345680.0},
        {"a": -5.0},
        [0.1, 2.0],
        9007199254740991,
        -0.0,
        1e21,
        {"a.0,": "3e5, 12345678901234567"},
        {"engine": "0.1.0"},
        "0e0",
        [100000000000000000000.0],
        1234567890123456.5,
    ],
)
def test_numbers_at_the_bounds_of_how_they_are_written(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


def test_the_way_a_client_writes_makes_no_difference() -> None:
    one = json.loads('{"scene": {"x": 1.0, "y": [1e2]}, "a": "\\u00e9"}')
    other = json.loads('{"a":"é","scene":{"y":[100],"x":1}}')
    assert canonical(one) == canonical(other)


@pytest.mark.parametrize("value", [2**53, -(2**53), "\ud800", 10**400])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(NotCanonical):
        canonical(value)


def test_parts_of_a_digest_cannot_run_into_each_other() -> None:
    assert digest(b"ab", b"c") != digest(b"a", b"bc")
