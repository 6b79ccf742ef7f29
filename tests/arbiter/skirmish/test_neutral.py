"""Battlefields that a missing rule leaves as they are."""

from arbiter.rule import rule
from arbiter.skirmish.neutral import unchanged


def test_without_a_rule_the_battlefield_stays_as_it_is_whatever_the_rule_takes() -> None:
    @rule("test.grown", cites="test/grown", neutral=unchanged)
    def grown(table: object, field: str, more: str = "", *, times: int = 1) -> str:
        return field + more * times

    with grown.switched_off():
        assert [grown(None, "a"), grown(None, "a", "b"), grown(None, "a", more="b", times=3)] == ["a", "a", "a"]
