"""Files are read as PyYAML reads them; what is unclear, or not of the house, is refused with its place."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from arbiter.sources.yaml_file import load_yaml, parse

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
ROOT = Path(__file__).parents[3]
OURS = sorted(path for folder in ("arbiter", "services", "api") for path in (ROOT / folder).rglob("*.yaml"))

FORMS = """\
truths: [yes, No, true, off, y, "yes", 'no']
numbers: [1, -2, 0x1f, 0o17, 017, 1_000, 1:30, 1.5, 1e3, 1.0e+3, .5, .inf, -.inf, "1", +1, 1.2.3]
nothing: [~, null, Null, "", 'null', {a: , b}]
empty value:
dates: [2026-11-27, "2026-11-27", 2026-11-27 10:00:00, 2026-13-01x]
texts:
  block: |
    one
      two

  folded: >-
    one
    two
  lines: one
    two
  quoted: "a\\tb\\u00e4 \\
    c"
  signs: "- # :"
17: a number as a key
? long key
: its value
~: nothing as a key
anchored: &base {a: 1, b: [1, 2], c: {d: 1}}
same: *base
merged: {<<: *base, a: 2}
after: {a: 2, <<: *base}
several: {<<: [{a: 3, e: 4}, *base], b: 0}
twice: {a: 1, a: 2}
explicit: [! 12, ! "12", ! [a], ! {b: 1}]
scalar: [&five 5, *five, &word five, *word]
flow: {a: [b, {c: d}], "e": 'it''s'}
empty: [[], {}, [[]], {a: {}}]
"""


def test_every_file_of_the_house_is_read_as_pyyaml_reads_it() -> None:
    assert len(OURS) > 100
    for path in OURS:
        # The form in which Python writes a value tells types apart, too, and the order of keys.
        assert repr(load_yaml(path)) == repr(yaml.load(path.read_text(encoding="utf-8"), Loader=LOADER)), path


def test_every_form_is_read_as_pyyaml_reads_it() -> None:
    got = parse(FORMS)
    assert repr(got) == repr(yaml.safe_load(FORMS))
    assert got["same"] is got["anchored"]
    assert [parse(text) for text in ("", "# a comment\n", "---\n...\n", "a", "- a\n")] == [None, None, None, "a", ["a"]]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner),
)


@given(values, st.booleans())
def test_whatever_pyyaml_writes_is_read_as_pyyaml_reads_it(value: object, flow: bool) -> None:
    text = yaml.safe_dump(value, default_flow_style=flow, sort_keys=False)
    assert repr(parse(text)) == repr(yaml.load(text, Loader=LOADER))


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: *nobody\n", 1, "nobody"),
        ("a: 1\nb: !!python/name:os.system x\n", 1, "python/name"),
        ("a: !mine {b: 1}\n", 0, "!mine"),
        ("a: &own [*own]\n", 0, "own"),
        ("a: 1\n? [b]\n: 1\n", 1, "a key is a scalar"),
        ("a: 1\n--- \nb: 1\n", 1, "one document"),
        ("a: [1\nb: 2\n", 1, "expected"),
        ("a: {<<: 5}\n", 0, "merge"),
        ("a: {<<: [5]}\n", 0, "merge"),
    ],
)
def test_what_is_unclear_is_refused_with_its_place(text: str, line: int, words: str) -> None:
    with pytest.raises(yaml.MarkedYAMLError, match=words) as refused:
        parse(text)
    assert refused.value.problem_mark is not None
    assert refused.value.problem_mark.line == line
