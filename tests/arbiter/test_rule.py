"""Rules: what they carry, who is at work, and what holds when one is not in the book."""

import copy
import pickle
from contextlib import suppress

import pytest

from arbiter.dice_sources import SeededDice
from arbiter.rule import Forbidden, Reason, Rule, rule
from arbiter.table import Chooser, OneTable
from services._template.rules.shooting import close, to_hit


def seat() -> OneTable:
    return OneTable(SeededDice("x"), Chooser({}, {}), {})


@rule("chapter.outer", cites="a/outer", neutral="without")
def outer(table, fails: bool) -> str:
    """Decide the outer thing.

    More about it.
    """
    table.find("before")
    with suppress(Forbidden):
        inner(table, fails)
    table.find("after")
    return "with"


@rule("chapter.inner", cites=("a/inner", "a/other"), neutral=None)
def inner(table, fails: bool) -> None:
    """Decide the inner thing."""
    table.find("inside")
    if fails:
        raise Forbidden(table.reason("{what} is wrong", what="this"), table.reason("and that", cites="a/other"))


def test_a_rule_carries_its_id_its_gist_and_its_sources() -> None:
    assert (outer.id, outer.gist, outer.cites) == ("chapter.outer", "Decide the outer thing.", ("a/outer",))
    assert inner.cites == ("a/inner", "a/other")
    assert outer.module == __name__
    assert repr(outer) == "<rule chapter.outer>"


@pytest.mark.parametrize("fails", [True, False])
def test_after_a_rule_inside_the_outer_one_is_at_work_again(fails: bool) -> None:
    table = seat()
    assert outer(table, fails) == "with"
    assert [finding.rule for finding in table.findings] == ["chapter.outer", "chapter.inner", "chapter.outer"]
    assert table.rule is None


def test_a_prohibition_gives_every_reason_in_words_with_its_source() -> None:
    with pytest.raises(Forbidden, match="this is wrong; And that") as caught:
        inner(seat(), True)
    one, two = caught.value.reasons
    assert (one.rule, one.text, one.cites, one.values) == (
        "chapter.inner",
        "this is wrong",
        ("a/inner", "a/other"),
        {"what": "this"},
    )
    assert two.cites == ("a/other",)


def test_reasons_can_be_told_apart_and_kept_in_sets() -> None:
    one, same = (Reason("a.b", "this is 1", ("u",), {"n": [1]}) for _ in range(2))
    assert len({one, same, Reason("a.b", "this is 2", ("u",), {"n": [2]})}) == 2


def test_a_rule_that_is_switched_off_gives_what_holds_without_it() -> None:
    with outer.switched_off():
        assert outer(seat(), True) == "without"
        with outer.switched_off():
            assert outer(seat(), True) == "without"
        assert outer(seat(), True) == "without", "the inner block has switched it on again"
    assert outer(seat(), True) == "with"


def test_a_rule_comes_back_also_after_an_exception() -> None:
    with pytest.raises(KeyError), outer.switched_off():
        raise KeyError
    assert outer(seat(), True) == "with"


def test_one_rule_is_switched_off_and_no_other() -> None:
    with inner.switched_off():
        table = seat()
        assert outer(table, True) == "with"
    assert [finding.text for finding in table.findings] == ["Before", "After"]


@pytest.mark.parametrize("known", [to_hit, close])
def test_a_copy_of_a_rule_is_the_rule(known: Rule) -> None:
    assert copy.deepcopy(known) is known
    assert pickle.loads(pickle.dumps(known)) is known
