"""States of questions, and battlefields that a missing rule leaves as they are."""

import pytest

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged
from arbiter.skirmish.states import CaseState


def test_a_state_is_its_battlefield_and_its_case() -> None:
    state = CaseState("field", 3)
    assert (state.field, state.case) == ("field", 3)
    assert state == CaseState("field", 3)
    with pytest.raises(AttributeError):
        state.case = 4  # type: ignore[misc]  # frozen


def test_without_a_rule_the_battlefield_stays_as_it_is_whatever_the_rule_takes() -> None:
    @rule("test.grown", cites="test/grown", neutral=unchanged)
    def grown(table: object, field: str, more: str = "", *, times: int = 1) -> str:
        return field + more * times

    with grown.switched_off():
        assert [grown(None, "a"), grown(None, "a", "b"), grown(None, "a", more="b", times=3)] == ["a", "a", "a"]
