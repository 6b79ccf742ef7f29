"""What tables of types say of a member, from its own description, from that of a value, and from its type's."""

from rendering.type_tables import TypeTables


def test_the_description_of_a_value_that_may_be_null_is_that_of_its_member() -> None:
    facing = {"anyOf": [{"type": "integer", "description": "A direction."}, {"type": "null"}]}
    unit = {"type": "object", "properties": {"facing": facing, "side": {"type": "string"}}}
    (table,) = TypeTables({"Unit": {**unit, "description": "It belongs to the `side`. It may move."}}, "").of("Unit")
    assert [(member.name, member.gist) for member in table.members] == [
        ("facing", "A direction."),
        ("side", "It belongs to the `side`."),
    ]


def test_an_id_and_a_member_whose_name_ends_in_a_sign_are_explained() -> None:
    text = {"type": "string"}
    ranges = {"type": "object", "properties": {"id": text, "4+": text}, "description": "`4+` is 4 and more."}
    (table,) = TypeTables({"Ranges": ranges}, "").of("Ranges")
    assert [(member.name, member.gist) for member in table.members] == [
        ("id", "The id by which the rest of the body names it."),
        ("4+", "`4+` is 4 and more."),
    ]
