"""Worked examples: how a file is read and refused, and how a ruling is compared with what is expected."""

from fractions import Fraction
from pathlib import Path
from textwrap import dedent

import msgspec
import pytest

from arbiter.fault import Faults
from arbiter.game import PathBudgetExceeded
from arbiter.sources.examples import (
    Example,
    differences,
    first_examples,
    load_examples,
    odds_differences,
    run,
    run_odds,
)
from services._template.arbiter import ARBITER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scenes").mkdir()
    (tmp_path / "scenes" / "hall.yaml").write_text("rows: [{id: a, hex: [0, 0]}, {id: b}]\nturn: 1\n")
    return tmp_path


def load(folder: Path, text: str, name: str = "file.yaml") -> tuple[Example, ...]:
    (folder / name).write_text(dedent(text))
    return load_examples(folder)


def test_a_scene_becomes_part_of_the_case_with_its_changes(folder: Path) -> None:
    one, two = load(
        folder,
        """
        - title: One
          question: attack
          scene: hall
          set: {/rows/0/hex: [3, 1], /rows/1/wounds: 2, /rows/-: {id: c}, /turn: 2, /open~1door: true}
          case: {attacker: a}
          expect: {allowed: true}
        - {title: Two, question: attack, scene: hall, expect: {allowed: true}}
        """,
    )
    assert one.case == {
        "scene": {
            "rows": [{"id": "a", "hex": [3, 1]}, {"id": "b", "wounds": 2}, {"id": "c"}],
            "turn": 2,
            "open/door": True,
        },
        "attacker": "a",
    }
    assert two.case == {"scene": {"rows": [{"id": "a", "hex": [0, 0]}, {"id": "b"}], "turn": 1}}


def test_changes_reach_a_scene_written_in_the_case(folder: Path) -> None:
    (example,) = load(
        folder, "- {title: T, question: q, case: {scene: {turn: 1}}, set: {/turn: 2}, expect: {allowed: true}}"
    )
    assert example.case == {"scene": {"turn": 2}}


def test_bodies_hold_what_was_said_and_no_more(folder: Path) -> None:
    (example,) = load(
        folder,
        """
        - title: T
          question: q
          case: {a: 1}
          dice: {hand: {x: [1]}}
          choices: {y: [b]}
          policies: {red: first}
          readings: {r: o}
          odds: {wounds: {0: "7/12", 1: 5/12, 2: 0}, hit: {true: "1"}, by: by hand}
        """,
    )
    assert example.body() == {
        "case": {"a": 1},
        "dice": {"hand": {"x": [1]}},
        "choices": {"y": ["b"]},
        "policies": {"red": "first"},
        "readings": {"r": "o"},
    }
    assert example.odds_body() == {"case": {"a": 1}, "policies": {"red": "first"}, "readings": {"r": "o"}}
    example.body()["case"]["a"] = 2
    assert example.case == {"a": 1}
    assert example.odds == {"wounds": {0: Fraction(7, 12), 1: Fraction(5, 12), 2: 0}, "hit": {True: 1}}
    assert example.odds_by == "by hand"
    bare = msgspec.structs.replace(example, dice={}, choices={}, policies={}, readings={})
    assert bare.body() == bare.odds_body() == {"case": {"a": 1}}


def test_the_first_example_of_a_question_is_shown(folder: Path) -> None:
    load(folder, "- {title: Later, question: q, expect: {allowed: true}}", "b.yaml")
    examples = load(
        folder,
        """
        - {title: First, question: q, expect: {allowed: true}}
        - {title: Second, question: q, expect: {allowed: true}}
        - {title: Other, question: r, expect: {allowed: true}}
        """,
        "a.yaml",
    )
    assert [example.title for example in examples] == ["First", "Second", "Other", "Later"]
    assert {question: example.title for question, example in first_examples(examples).items()} == {
        "q": "First",
        "r": "Other",
    }
    assert [example.file for example in examples] == ["a.yaml"] * 3 + ["b.yaml"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("title: T", "is a list of them"),
        ("- {title: T, question: q, expects: {}}", r"example 1 \(T\): .*unknown field `expects`"),
        ("- {question: q, expect: {a: 1}}", r"example 1 \(without a title\): .*missing required field `title`"),
        ("- {title: T, question: q}", "must say what to `expect`"),
        ("- just words", r"example 1 \(without a title\)"),
        ("- {title: T, question: q, scene: attic, expect: {a: 1}}", "attic.yaml"),
        ("- {title: T, question: q, scene: hall, case: {scene: {}}, expect: {a: 1}}", "a scene of its own"),
        ("- {title: T, question: q, set: {/turn: 1}, expect: {a: 1}}", "there is none"),
        ("- {title: T, question: q, scene: hall, set: {turn: 1}, expect: {a: 1}}", "begins with '/'"),
        ("- {title: T, question: q, scene: hall, set: {/rows/7/hex: 1}, expect: {a: 1}}", "no '7' in the scene"),
        ("- {title: T, question: q, scene: hall, set: {/rows/2: 1}, expect: {a: 1}}", "no '2' in the scene"),
        ("- {title: T, question: q, scene: hall, set: {/walls/0: 1}, expect: {a: 1}}", "no 'walls' in the scene"),
        ("- {title: T, question: q, scene: hall, set: {/turn/0: 1}, expect: {a: 1}}", "no '0' in the scene"),
        ("- {title: T, question: q, odds: {wounds: {0: 1}}}", "in `by` who worked"),
        ("- {title: T, question: q, odds: {by: me}, expect: {a: 1}}", "in `by` who worked"),
        ("- {title: T, question: q, odds: {wounds: 3, by: me}}", "each value with its chance"),
        ("- {title: T, question: q, choices: {x: [b]}, odds: {wounds: {0: 1}, by: me}}", "`odds` take no `choices`"),
        ("- {title: T, question: q, odds: {wounds: {0: 0.5}, by: me}}", "0.5 is no exact chance"),
        ("- {title: T, question: q, odds: {wounds: {0: half}, by: me}}", "half is no exact chance"),
        ("- {title: T, question: q, odds: {wounds: {0: 1/0}, by: me}}", "1/0 is no exact chance"),
        ("- {title: T, question: q, odds: {wounds: {0: null}, by: me}}", "None is no exact chance"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_file_and_example(folder: Path, text: str, why: str) -> None:
    with pytest.raises(ValueError, match=why) as caught:
        load(folder, text)
    assert "file.yaml" in str(caught.value)


def test_a_title_is_used_once(folder: Path) -> None:
    load(folder, "- {title: T, question: q, expect: {a: 1}}", "a.yaml")
    with pytest.raises(ValueError, match=r"b.yaml, example 1: a.yaml has the title 'T' already"):
        load(folder, "- {title: T, question: q, expect: {a: 1}}", "b.yaml")


# Comparing


@pytest.mark.parametrize(
    ("expected", "got"),
    [
        ({}, {"a": 1}),
        ({"a": {"b": 1}}, {"a": {"b": 1, "c": 2}, "d": 3}),
        ([1, {"a": 2}], [1, {"a": 2, "b": 3}]),
        ({"contains": [2, 1]}, [1, 2, 3]),
        ({"contains": []}, []),
        ({"contains": [{"cites": {"contains": ["x"]}}]}, [{"cites": ["y"]}, {"cites": ["x", "z"]}]),
        ({"contains": 1}, {"contains": 1, "b": 2}),
        (None, None),
        (True, True),
        (1, 1.0),
    ],
)
def test_what_is_as_expected(expected: object, got: object) -> None:
    assert differences(expected, got) == []


@pytest.mark.parametrize(
    ("expected", "got", "lines"),
    [
        (1, 2, ["/: expected 1, got 2"]),
        (True, 1, ["/: expected True, got 1"]),
        (0, False, ["/: expected 0, got False"]),
        ({"a": 1}, None, ["/: expected {'a': 1}, got None"]),
        ({"a": {"b/c": 1}}, {"a": {"b/c": 2}}, ["/a/b~1c: expected 1, got 2"]),
        ({"a": 1}, {"b": 1}, ["/a: expected 1, got nothing; there are b"]),
        ({"a": None}, {}, ["/a: expected None, got nothing; there are "]),
        ([1, 2], [1], ["/: expected [1, 2], got [1]"]),
        ([1, 2], [2, 1], ["/0: expected 1, got 2", "/1: expected 2, got 1"]),
        ({"a": {"contains": [3]}}, {"a": [1]}, ["/a: nothing in it is like 3; it holds [1]"]),
        ({"a": {"contains": [3]}}, {"a": 3}, ["/a: expected a list, got 3"]),
        ({"a": 1, "b": 2}, {"a": 2, "b": 1}, ["/a: expected 1, got 2", "/b: expected 2, got 1"]),
    ],
)
def test_what_is_not_as_expected_is_told_with_its_place(expected: object, got: object, lines: list[str]) -> None:
    assert differences(expected, got) == lines


def test_odds_are_compared_as_fractions() -> None:
    odds = {
        "marginals": [{"field": "wounds", "values": [{"answer": 0, "mass": "7/12"}, {"answer": 1, "mass": "5/12"}]}]
    }
    assert odds_differences({"wounds": {0: Fraction(14, 24), 2: Fraction(0)}}, odds) == []
    assert odds_differences({"wounds": {0: Fraction(1, 2)}}, odds) == ["/marginals/wounds/0: expected 1/2, got 7/12"]
    assert odds_differences({"wounds": {2: Fraction(1, 9)}}, odds) == ["/marginals/wounds/2: expected 1/9, got 0"]
    assert odds_differences({"slain": {0: Fraction(1)}}, odds) == [
        "/marginals/slain: the odds give no such field; they give wounds"
    ]


# Asking


def test_an_example_is_asked_as_it_is_posted() -> None:
    example = first_examples(load_examples(ARBITER.folder / "examples"))["attack"]
    ruling = run(ARBITER, example)
    assert ruling["game"] == "template-skirmish"
    assert ruling["answer"] == {"hits": 2, "dodged": 0, "wounds": 1, "slain": True}
    assert run_odds(ARBITER, example)["method"] == "law"


def test_what_goes_wrong_in_an_example_names_game_question_and_example() -> None:
    example = next(each for each in load_examples(ARBITER.folder / "examples") if each.odds)
    with pytest.raises(PathBudgetExceeded) as too_many:
        run_odds(ARBITER, example, budget=2)
    with pytest.raises(Faults) as impossible:
        run(ARBITER, msgspec.structs.replace(example, case={**example.case, "attacker": "nobody"}))
    for caught in (too_many, impossible):
        for part in (ARBITER.name, repr(example.question), repr(example.title), example.file):
            assert part in caught.value.__notes__[0]


def test_without_dice_an_example_comes_out_the_same_every_time() -> None:
    example = msgspec.structs.replace(first_examples(load_examples(ARBITER.folder / "examples"))["attack"], dice={})
    assert run(ARBITER, example) == run(ARBITER, example)
    assert run(ARBITER, example)["seed"] == "example"
