"""Values of findings: a sentence for people, data for programs."""

import json
import pickle

from arbiter.dice_sources import SeededDice
from arbiter.json import encode
from arbiter.rule import rule
from arbiter.table import Chooser, OneTable, Table
from arbiter.text import Added, Listing, Quantity, Signed, UnitName, format_text


def test_a_unit_is_named_in_sentences_and_is_its_id_as_data() -> None:
    ann = UnitName("ann", "Scrapper")
    assert format_text("{unit} moves", {"unit": ann}) == "Scrapper (ann) moves"
    assert json.loads(encode({"unit": ann})) == {"unit": {"unit": "ann"}}
    # A title that is the id, or none, is not said twice.
    assert [UnitName("ann"), UnitName("ann", "ann")] == ["ann", "ann"]
    again = pickle.loads(pickle.dumps(ann))
    assert (again, again.unit) == ("Scrapper (ann)", "ann")


def test_a_signed_number_has_its_sign_in_sentences_and_is_a_number_as_data() -> None:
    numbers = {"more": Signed(2), "less": Signed(-3), "none": Signed(0)}
    assert format_text("{more}, {less}, {none}", numbers) == "+2, \N{MINUS SIGN}3, +0"
    assert json.loads(encode(numbers)) == {"more": 2, "less": -3, "none": 0}


def test_an_added_number_stands_in_a_sum_and_is_a_number_as_data() -> None:
    numbers = {"more": Added(12), "less": Added(-3), "none": Added(0)}
    assert format_text("9 {more} {less} {none} = 18", numbers) == "9 + 12 \N{MINUS SIGN} 3 + 0 = 18"
    assert json.loads(encode(numbers)) == {"more": 12, "less": -3, "none": 0}


def test_a_quantity_agrees_with_its_number_and_is_a_number_as_data() -> None:
    inches = {f"n{index}": Quantity(number, "inch", "inches") for index, number in enumerate((1, 0, 2, 6.5))}
    assert format_text("{n0}, {n1}, {n2}, {n3}", inches) == "1 inch, 0 inches, 2 inches, 6.5 inches"
    assert str(Quantity(1, "hit")) + str(Quantity(3, "hit")) == "1 hit3 hits"
    assert json.loads(encode(inches)) == {"n0": 1, "n1": 0, "n2": 2, "n3": 6.5}
    assert len({Quantity(1, "hit"), Quantity(1, "hit"), Quantity(1, "miss", "misses")}) == 2


def test_a_listing_reads_as_one_and_is_its_things_as_data() -> None:
    units = [UnitName(id_) for id_ in ("ann", "bob", "cid")]
    for count, text in enumerate(("", "ann", "ann and bob", "ann, bob and cid")):
        listing = Listing(units[:count])
        assert format_text("{units}", {"units": listing}) == text
        assert json.loads(encode(listing)) == [{"unit": unit} for unit in units[:count]]


def test_a_finding_holds_the_values_that_its_sentence_is_made_of() -> None:
    @rule("names.moves", cites="", neutral=None)
    def moves(table: Table) -> None:
        """Let two units move."""
        table.find("{units} move {inches} inches", units=Listing([UnitName("a", "Recruit"), UnitName("b")]), inches=6)

    table = OneTable(SeededDice("1"), Chooser({}, {}), {})
    moves(table)
    (found,) = json.loads(encode(table.findings))
    assert found["text"] == "Recruit (a) and b move 6 inches"
    assert found["values"] == {"units": [{"unit": "a"}, {"unit": "b"}], "inches": 6}
