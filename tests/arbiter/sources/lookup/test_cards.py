"""What stands on a card beside its passage: the exceptions, from what rules and data cite together with it."""

from arbiter import registry
from arbiter.sources.catalogue import catalogue_of

CATALOGUE = catalogue_of(registry.game("stargrave"))


def exceptions(id_: str) -> set[str]:
    return {each.id for each in CATALOGUE.cards.card(CATALOGUE.by_id[id_]).exceptions}


def test_what_a_rule_cites_with_a_passage_and_limits_it_is_an_exception() -> None:
    assert {"stunned/never", "stunned/high-pain-threshold"} <= exceptions("shooting/stunned")


def test_a_reading_joins_no_passages_of_different_chapters() -> None:
    # From where distances are measured matters to both, and nothing else joins them.
    reading = CATALOGUE.game.readings.by_id["distance-from"]
    assert {"shooting/range", "loot/no-enemy-near"} <= set(reading.cites)
    assert "loot/no-enemy-near" not in exceptions("shooting/range")
