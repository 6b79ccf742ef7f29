"""The behaviour roll: which column of its table applies to a hostile, and which action the Blackstone dice give it."""

from collections.abc import Iterator, Mapping
from typing import Any

from arbiter.dice import D20
from arbiter.rule import rule
from arbiter.table import Table
from arbiter.text import Listing
from arbiter.value import Value
from services.blackstone_fortress.battlefield import Battlefield
from services.blackstone_fortress.book import table as rows
from services.blackstone_fortress.profiles import BehaviourColumn, BehaviourRow, BehaviourTable
from services.blackstone_fortress.rules import armoury, sight

Ids = tuple[str, ...]


class ColumnTest(Value, frozen=True):
    """One column that was tested: its id, whether it applies to the hostile, and why or why not."""

    column: str
    applies: bool
    why: str


def seen_by(table: Table, field: Battlefield, hostile_id: str) -> Ids:
    """Give the ids of the explorers whom a hostile sees, in the scene's order."""
    return tuple(explorer.id for explorer in sight.seen(table, field, field.hostile(hostile_id)))


def _without(column: str) -> ColumnTest:
    """Give the test of a column that no card has."""
    return ColumnTest(column, False, "no card has this column")


@rule("behaviour.hidden", cites="behaviour/hidden", neutral=_without("hidden"))
def hidden(table: Table, field: Battlefield, hostile_id: str, seen: Ids) -> ColumnTest:
    """Decide whether a hostile is hidden: it has no line of sight to any explorer."""
    why = "it sees {explorers}" if seen else "it sees no explorer"
    return _test(table, "hidden", not seen, why, "behaviour/hidden", explorers=Listing(map(field.name, seen)))


@rule("behaviour.engaged", cites="behaviour/engaged", neutral=_without("engaged"))
def engaged(table: Table, field: Battlefield, hostile_id: str, seen: Ids) -> ColumnTest:
    """Decide whether a hostile is engaged: it is adjacent to an explorer whom it sees."""
    near = sight.beside(table, field, field.hostile(hostile_id)) if seen else ()
    why = "it is adjacent to {explorers}" if near else "no explorer whom it sees is adjacent"
    return _test(table, "engaged", bool(near), why, "behaviour/engaged", explorers=Listing(map(field.name, near)))


@rule("behaviour.in_cover", cites=("behaviour/in-cover", "behaviour/in-cover-any-weapon"), neutral=_without("in-cover"))
def in_cover(table: Table, field: Battlefield, hostile_id: str, seen: Ids, needed: str | None) -> ColumnTest:
    """Decide whether a hostile counts as in cover: from all it sees, with the weapon its card asks for."""
    hostile = field.hostile(hostile_id)
    cites = "behaviour/in-cover-any-weapon" if needed is None else "behaviour/in-cover"
    if needed is not None and needed not in armoury.weapons_carried(field, hostile):
        # A table that the scene brings may ask for a weapon that nobody has.
        rows_of_weapon = field.book.weapons.get(needed)
        name = rows_of_weapon[0].name if rows_of_weapon else needed
        return _test(table, "in-cover", False, "it carries no {weapon}", cites, weapon=name)
    in_the_open = tuple(id_ for id_ in seen if not sight.shelters(table, field, field.explorer(id_), hostile))
    if in_the_open or not seen:
        why = "it is in the open for {explorers}" if seen else "it sees no explorer"
        return _test(table, "in-cover", False, why, cites, explorers=Listing(map(field.name, in_the_open)))
    return _test(table, "in-cover", True, "it is in cover from every explorer it sees", cites)


@rule("behaviour.close", cites="behaviour/close", neutral=_without("close"))
def close(table: Table, field: Battlefield, hostile_id: str, seen: Ids) -> ColumnTest:
    """Decide whether an explorer is close: the nearest of those the hostile sees is at a range of 2 or 3."""
    hostile = field.hostile(hostile_id)
    ranges = [sight.apart(table, field, hostile, field.explorer(id_)) for id_ in seen]
    why = "the nearest explorer it sees is at range {range}" if ranges else "it sees no explorer"
    nearest = min(ranges, default=0)
    return _test(table, "close", 2 <= nearest <= 3, why, "behaviour/close", range=nearest)


def _tests(
    table: Table, field: Battlefield, hostile_id: str, columns: tuple[BehaviourColumn, ...]
) -> Iterator[ColumnTest]:
    seen = seen_by(table, field, hostile_id)
    for column in columns:
        if column.id == "hidden":
            yield hidden(table, field, hostile_id, seen)
        elif column.id == "engaged":
            yield engaged(table, field, hostile_id, seen)
        elif column.id == "in-cover":
            yield in_cover(table, field, hostile_id, seen, column.requires_weapon)
        elif column.id == "close":
            yield close(table, field, hostile_id, seen)
        else:
            yield _test(table, "other", True, "no earlier column does", "behaviour/other")


@rule(
    "behaviour.columns", cites=("behaviour/first-column", "behaviour/other"), neutral=(ColumnTest("other", True, ""),)
)
def columns(table: Table, field: Battlefield, hostile_id: str) -> tuple[ColumnTest, ...]:
    """Decide which column applies: they are tested from left to right as the card has them, up to the first that fits.

    The last of the tests is that of the column that applies.
    """
    tests: list[ColumnTest] = []
    for test in _tests(table, field, hostile_id, table_of(field, hostile_id).columns):
        tests.append(test)
        if test.applies:
            break
    text = "{hostile} uses the column {column}, the first that applies"
    table.find(text, cites="behaviour/first-column", hostile=field.name(hostile_id), column=_title(tests[-1].column))
    return tuple(tests)


def column(table: Table, field: Battlefield, hostile_id: str) -> str:
    """Give the id of the column that applies to a hostile."""
    return columns(table, field, hostile_id)[-1].column


def table_of(field: Battlefield, hostile_id: str) -> BehaviourTable:
    """Give the behaviour table of a hostile's reference card."""
    return field.book.behaviours[field.card(field.hostile(hostile_id)).behaviour]


@rule("behaviour.roll", cites="behaviour/roll", neutral=20)
def roll(table: Table, field: Battlefield, hostile_id: str) -> int:
    """Roll the Blackstone dice for the behaviour of one hostile."""
    rolled: int = table.roll(D20, f"{hostile_id}: behaviour")
    table.record(f"{hostile_id}: behaviour", total=rolled)
    table.find("{hostile} rolls {roll} for its behaviour", hostile=field.name(hostile_id), roll=rolled)
    return rolled


@rule("behaviour.cell", cites=("behaviour/roll", "behaviour/bands"), neutral="hold")
def cell(table: Table, field: Battlefield, hostile_id: str, column: str, rolled: int) -> str:
    """Decide which action a table gives for a roll in a column; each cell that sources dispute is a reading."""
    behaviour = table_of(field, hostile_id)
    row = row_of(behaviour, rolled)
    action = next(action for action, one in zip(row.actions, behaviour.columns, strict=True) if one.id == column)
    for disputed in behaviour.disputed:
        meant = disputed.column == column and disputed.rolls[0] <= rolled <= disputed.rolls[1]
        if meant and table.read(disputed.reading) == disputed.option:
            action = disputed.action
    table.explain(_record_cell, field, behaviour.id, column, rolled, row, action)
    return action


def _record_cell(
    table: Table, field: Battlefield, id_: str, column: str, rolled: int, row: BehaviourRow, action: str
) -> None:
    table.find(
        "in the column {column} a roll of {roll} gives {action}",
        cites=("behaviour/roll", *_cites(field, id_)),
        column=_title(column),
        roll=rolled,
        action=action_name(action),
        rolls=row.rolls,
    )


def row_of(behaviour: BehaviourTable, rolled: int) -> BehaviourRow:
    """Give the row of a table in which a roll stands."""
    return next(row for row in behaviour.rows if row.rolls[0] <= rolled <= row.rolls[1])


_COLUMNS = {"hidden", "engaged", "in-cover", "close", "other", "in-cover-any-weapon"}


def _cites(field: Battlefield, id_: str) -> Ids:
    """Give the units that a shipped table rests on, besides those of its columns; one brought by the scene has none."""
    if any(brought.id == id_ for brought in field.scene.profiles.behaviours):
        return ()
    row = next(row for row in rows("behaviours") if row["id"] == id_)
    return tuple(unit for unit in row["cites"] if unit.removeprefix("behaviour/") not in _COLUMNS)


def action_name(action_id: str) -> str:
    """Give the name of a hostile action as it stands in the tables."""
    return str(next(row["name"] for row in rows("hostile_actions") if row["id"] == action_id))


@rule("behaviour.caught_unawares", cites="twists/odd-rolls-hold", neutral=False)
def caught_unawares(table: Table, field: Battlefield, rolled: int) -> bool:
    """Decide whether a twist turns a behaviour roll into Hold: an odd one, in the first turn of the combat."""
    holds = field.scene.turn.number == 1 and rolled % 2 == 1
    if holds:
        table.find("a twist has hostiles hold on odd rolls in the first turn, and {roll} is odd", roll=rolled)
    return holds


def action_on(table: Table, field: Battlefield, hostile_id: str, column: str, rolled: int) -> str:
    """Give the action that a roll gives a hostile in a column, with the twist of the first turn if it is in play."""
    if "odd-rolls-hold" in field.scene.twists and caught_unawares(table, field, rolled):
        return "hold"
    return cell(table, field, hostile_id, column, rolled)


def action(table: Table, field: Battlefield, hostile_id: str) -> str:
    """Give the action that a hostile takes: its column is found, the dice rolled and the table looked up."""
    return action_on(table, field, hostile_id, column(table, field, hostile_id), roll(table, field, hostile_id))


def _title(column: str) -> str:
    """Write a column's id as the card heads the column."""
    return column.replace("-", " ").upper()


def _test(table: Table, column: str, applies: bool, text: str, cites: str, **values: Any) -> ColumnTest:
    table.explain(_record_test, column, applies, text, cites, values)
    return ColumnTest(column, applies, text.format_map(values))


def _record_test(table: Table, column: str, applies: bool, why: str, cites: str, values: Mapping[str, Any]) -> None:
    verdict = "applies" if applies else "does not apply"
    text = f"the column {{column}} {verdict}: {why}"
    table.find(text, cites=cites, column=_title(column), applies=applies, **values)
