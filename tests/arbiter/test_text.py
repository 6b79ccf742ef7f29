"""What was decided, in words: texts are filled in as Python fills them in."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arbiter.json import to_builtins
from arbiter.text import Belonging, UnitName, format_text

NUMBERS = st.one_of(st.integers(-2, 2), st.booleans(), st.sampled_from([-1.0, 0.0, -0.0, 1.0, 2.0, 0.5]))
VALUES = st.one_of(
    NUMBERS,
    st.text(max_size=3),
    st.none(),
    st.fractions(max_denominator=9),
    st.tuples(NUMBERS),
    st.tuples(NUMBERS, NUMBERS),
    st.tuples(NUMBERS, st.text(max_size=3) | st.fractions(max_denominator=9)),
    st.tuples(st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS)),
)


TEXTS = st.lists(
    st.sampled_from(
        ["{a}", "{b}", "{a[0]}", "{b[1]}", "{{", "}}", "{{a}}", "%", "%s", "%(a)s", "From ", " [", "] ", "\n"]
    )
).map("".join)


@given(TEXTS, VALUES, VALUES)
def test_a_text_is_filled_in_as_python_does_it(text: str, a: Any, b: Any) -> None:
    try:
        filled = text.format(a=a, b=b, unused=1)
    except (TypeError, IndexError) as wrong:
        # No part of a value that has none.
        with pytest.raises(type(wrong)):
            format_text(text, {"a": a, "b": b, "unused": 1})
    else:
        assert format_text(text, {"a": a, "b": b, "unused": 1}) == filled


@given(VALUES, VALUES)
def test_values_stand_in_a_text_as_python_writes_them(a: Any, b: Any) -> None:
    assert format_text("From {a} to {b}, {{{a}}}", {"a": a, "b": b, "unused": 1}) == f"From {a} to {b}, {{{a}}}"


@given(st.tuples(st.tuples(NUMBERS, NUMBERS), st.tuples(NUMBERS, NUMBERS)))
def test_a_part_of_a_value_may_stand_in_a_text(side: Any) -> None:
    assert (
        format_text("{side[0]} and {side[1][1]} of {side}", {"side": side}) == f"{side[0]} and {side[1][1]} of {side}"
    )


@pytest.mark.parametrize(
    "text", ["{a:>6}", "{a!r}", "{a.real}", "{a.real:+}", "{b[k]}", "{b[k]!r:>9}", "{c[0][1]}", "{a}{c[1]}{b[k]}", ""]
)
def test_whatever_else_is_said_of_a_value_in_a_text_holds(text: str) -> None:
    values = {"a": 5, "b": {"k": Fraction(1, 3)}, "c": ((1, 2), "%d")}
    assert format_text(text, values) == text.format_map(values)


@pytest.mark.parametrize("text", ["{", "}", "{a", "{a[0}", "{a[0]x}", "{0}", "{}", "{z}", "{a[}", "{a[9]}"])
def test_a_text_that_is_none_is_a_fault_of_ours_as_it_is_in_python(text: str) -> None:
    values = {"a": (1, 2)}
    with pytest.raises((ValueError, LookupError)) as meant:
        text.format_map(values)
    with pytest.raises((ValueError, LookupError)) as seen:
        format_text(text, values)
    assert isinstance(seen.value, LookupError) == isinstance(meant.value, LookupError)


def test_a_sentence_begins_with_a_capital_but_not_a_name_or_an_id() -> None:
    assert format_text("the {what} ends", {"what": "turn"}) == "The turn ends"
    assert format_text("{who} rolls", {"who": "the leader (anna)"}) == "The leader (anna) rolls"
    assert format_text("{who} rolls", {"who": "anna"}) == "anna rolls"
    assert format_text("{what} falls", {"what": "eins"}) == "eins falls"


def test_what_belongs_to_a_unit_is_data_beside_its_words() -> None:
    rifle, blade = Belonging("Rifle", UnitName("ann", "Scout")), Belonging("Blade", UnitName("ann", "Scout"))
    assert format_text("{why} hits", {"why": rifle}) == "The Rifle of Scout (ann) hits"
    both, twice = rifle.with_(blade), rifle.with_(rifle)
    assert to_builtins([rifle, both, twice]) == [
        {"thing": "Rifle", "unit": "ann"},
        {"thing": "Rifle and Blade", "unit": "ann"},
        {"thing": "Rifle", "unit": "ann"},
    ]
    assert (both, twice) == (
        "the Rifle of Scout (ann) and the Blade of Scout (ann)",
        "the Rifle of Scout (ann), used twice",
    )
