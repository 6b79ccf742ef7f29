"""Ledgers and readings: what they hold, and what they refuse."""

from pathlib import Path

import msgspec
import pytest

from arbiter.fault import Fault, Faults, UnknownName, pointer
from arbiter.sources.ledger import (
    Document,
    Ledger,
    Place,
    Reading,
    ReadingOption,
    Readings,
    Unit,
    load_ledger,
    load_readings,
)
from services._template.arbiter import ARBITER

BOOK = Document("book", "A book")


def unit(id_: str = "a/one", *, status: str = "ruled", document: str = "book", because: str = "") -> Unit:
    return Unit(id_, Place(document, section="Part"), "procedure", "Something holds.", status, because)


def reading(id_: str = "unclear", default: str = "this") -> Reading:
    return Reading(
        id_, "This or that?", (ReadingOption("this", "This."), ReadingOption("that", "That.")), default, "So."
    )


def test_a_ledger_gives_units_and_counts_them() -> None:
    ledger = Ledger(
        [BOOK], [unit(), unit("a/two", status="open"), unit("a/three", status="excused", because="Flavour.")]
    )
    assert ledger["a/two"].status == "open"
    assert ledger.coverage() == {"ruled": 1, "data": 0, "excused": 1, "open": 1}
    assert list(ledger.units) == ["a/one", "a/two", "a/three"]
    with pytest.raises(UnknownName, match="no source unit 'a/four'"):
        ledger["a/four"]


@pytest.mark.parametrize(
    ("units", "why"),
    [
        ([unit(), unit()], "lists a/one twice"),
        ([unit(document="letter")], "stands in 'letter', which is no document"),
        ([unit(status="excused")], "'because' goes with the status 'excused'"),
        ([unit(because="No reason.")], "'because' goes with the status 'excused'"),
    ],
)
def test_a_ledger_refuses_what_does_not_fit(units: list[Unit], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        Ledger([BOOK], units)


def test_a_unit_says_where_it_stands() -> None:
    place = Place("book", section="Part > Chapter", page=7, lines="3-5", source="a site")
    assert msgspec.structs.replace(unit(), at=place).where == "book, Part > Chapter, page 7, a site"
    assert unit().where == "book, Part"


def test_readings_give_the_default_or_what_was_said() -> None:
    readings = Readings([reading(), reading("other", "that")])
    assert readings.complete({}) == {"unclear": "this", "other": "that"}
    assert readings.complete({"unclear": "that"}) == {"unclear": "that", "other": "that"}
    assert readings.defaults == {"unclear": "this", "other": "that"}


def test_readings_refuse_what_does_not_fit() -> None:
    with pytest.raises(ValueError, match="unclear is listed twice"):
        Readings([reading(), reading()])
    with pytest.raises(ValueError, match="unclear has no option 'nothing', its default"):
        Readings([reading(default="nothing")])


def test_files_are_refused_with_the_place_of_what_is_wrong(tmp_path: Path) -> None:
    ledger, readings = tmp_path / "sources.yaml", tmp_path / "readings.yaml"
    ledger.write_text("documents: []\nunits: [{id: a, at: {document: b}, kind: rumour, gist: g, status: ruled}]\n")
    with pytest.raises(msgspec.ValidationError, match=r"rumour.*\$\.units\[0\]\.kind"):
        load_ledger(ledger)
    ledger.write_text("documents: []\nunits: []\nchapters: []\n")
    with pytest.raises(msgspec.ValidationError, match="unknown field `chapters`"):
        load_ledger(ledger)
    readings.write_text("[{id: a, question: q, options: [], default: x, reason: r}]\n")
    with pytest.raises(msgspec.ValidationError, match=r"`reason`|`why`"):
        load_readings(readings)


def test_a_game_cites_units_with_their_place_and_gist() -> None:
    citation = ARBITER.cite("shooting/dodge")
    assert (citation.id, citation.where) == ("shooting/dodge", "rules, Shooting")
    assert citation.gist == ARBITER.ledger["shooting/dodge"].gist


# Faults


def test_a_pointer_escapes_what_json_pointers_escape() -> None:
    assert pointer() == ""
    assert pointer("a", 0, "b/c", "d~e", "~1") == "/a/0/b~1c/d~0e/~01"


def test_faults_say_everything_at_once() -> None:
    faults = Faults([Fault("/a", "one", "this is wrong"), Fault("", "two", "and that")])
    assert str(faults) == "/a: this is wrong; /: and that"
    assert [fault.code for fault in faults.faults] == ["one", "two"]
