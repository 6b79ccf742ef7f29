"""The view of a stored ruling in sections: outcome, reasons, dice and changes, for a page or a chat.

All of it is plain text. Names and ids in it come from the client, and may contain anything: characters that control a
terminal or change the direction of writing are removed here, and the writers of pages and Markdown escape the rest.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

import msgspec

from arbiter.game import Arbiter
from arbiter.rule import Reason
from arbiter.ruling import Finding, Marginal, Odds, Ruling
from arbiter.value import Value
from rendering import text as rendering_text
from rendering.stored_ruling import StoredRuling

MOST_WIDE, MOST_VALUES = 100, 4
"""Characters of a line in a table of odds, and values of a field with their own column."""

# Control characters, marks of direction, and Unicode line ends.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Step(Value, frozen=True):
    """One step of the reasons: the decision, its rule, the path of the rule, and its citations.

    `about` is its unit, if a ruling is about several.
    """

    text: str
    rule: str
    path: str
    cites: tuple[str, ...]
    about: str = ""


class Source(Value, frozen=True):
    """A passage that the ruling cites: its id, its reference, its gist, and its path."""

    id: str
    where: str
    gist: str
    path: str


class Row(Value, frozen=True):
    """One possible answer: its probability, and its exact chance."""

    answer: str
    chance: float
    exact: str

    @property
    def percent(self) -> str:
        """Give the chance in percent."""
        return f"{self.chance:.2%}"


class Chances(Value, frozen=True):
    """The probability of each value of one part of the answer, likeliest first; `more` were left out."""

    of: str
    mean: str
    rows: tuple[Row, ...]
    more: int = 0


class Table(Value, frozen=True):
    """One part of the answer at every point of a table of odds, as aligned lines."""

    of: str
    lines: tuple[str, ...]


class RulingView(Value, frozen=True):
    """A ruling, or odds, in readable sections."""

    kind: str
    verdict: str
    game: str
    title: str
    question: str
    edition: str
    engine: str
    answer: tuple[str, ...] = ()
    reasons: tuple[Step, ...] = ()
    needs: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    steps: tuple[Step, ...] = ()
    dice: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    readings: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    chances: tuple[Chances, ...] = ()
    tables: tuple[Table, ...] = ()
    seed: str = ""


def view_of(stored: StoredRuling, games: Mapping[str, Arbiter]) -> RulingView | None:
    """Give the view of a stored ruling; None if another version made it in an unknown form."""
    game = games.get(stored.game)
    title = stored.game if game is None else game.title
    try:
        made = _of_ruling(stored, title, game) if stored.kind == "ruling" else _of_odds(stored, title)
    except msgspec.ValidationError:
        return None
    return msgspec.convert(_visible(msgspec.to_builtins(made)), RulingView)


def _of_ruling(stored: StoredRuling, title: str, game: Arbiter | None) -> RulingView:
    made: Ruling[Any] = msgspec.convert(_fields(stored, Ruling), Ruling[Any])
    choices = (f"{each.who}, {each.label}: {each.option.label} ({each.origin})" for each in made.choices)
    return RulingView(
        stored.kind,
        rendering_text.verdict(made),
        made.game,
        title,
        made.question,
        made.edition,
        made.engine,
        answer=() if made.answer is None else tuple(rendering_text.members(made.answer)),
        reasons=steps(made.game, made.reasons),
        needs=tuple(_needs(made)),
        notices=tuple(rendering_text.notices(made.notices)),
        steps=steps(made.game, made.findings),
        dice=tuple(rendering_text.dice_lines(made.throws)),
        choices=tuple(choices),
        changes=tuple(rendering_text.changes(made, game, _scene(stored))),
        facts=tuple(rendering_text.facts(made.facts)),
        readings=tuple(f"{each.question} {each.option} (by default {each.default})" for each in made.readings),
        sources=tuple(Source(each.id, each.where, each.gist, rule_path(made.game, each.id)) for each in made.citations),
        seed=made.seed or "",
    )


def _of_odds(stored: StoredRuling, title: str) -> RulingView:
    law: Odds[Any] = msgspec.convert(_fields(stored, Odds), Odds[Any])
    how = f"exact, {law.paths:,} paths" if law.method == "law" else f"{law.heads or 0:,} games counted"
    return RulingView(
        stored.kind,
        "Facts are missing" if law.needs else f"Odds ({how})" if law.allowed else "Forbidden",
        law.game,
        title,
        law.question,
        law.edition,
        law.engine,
        reasons=steps(law.game, law.reasons),
        needs=tuple(_needs(law)),
        facts=tuple(rendering_text.law_facts(law)),
        readings=tuple(f"{each.question} {each.option} (by default {each.default})" for each in law.readings),
        chances=tuple(_chances(marginal) for marginal in law.marginals),
        tables=tuple(_tables(law)),
    )


def _scene(stored: StoredRuling) -> Any:
    """Give the scene of the question as it was posted."""
    return msgspec.json.decode(stored.body).get("case", {}).get("scene")


def _fields(stored: StoredRuling, kind: Any) -> dict[str, Any]:
    """Give the members of an answer that belong to a ruling or odds; it may have others."""
    members = msgspec.json.decode(stored.answer)
    return {name: members[name] for name in kind.__struct_fields__ if name in members}


def steps(game: str, findings: Iterable[Finding | Reason]) -> tuple[Step, ...]:
    """Give findings or reasons with the unit of each: the one that it names and most others do not."""
    every = tuple(findings)
    named = [_unit_ids(each) for each in every]
    # The unit that most steps name is the acting one; a step is about the other unit that it names.
    often = Counter(id_ for ids in named for id_ in ids)
    whole = {id_ for id_, many in often.items() if 2 * many > len(every)}
    about = [next((id_ for id_ in ids if id_ not in whole), "") for ids in named]
    apart = len(set(about) - {""}) > 1
    return tuple(
        Step(each.text, each.rule, rule_path(game, each.rule), each.cites, id_ if apart else "")
        for each, id_ in zip(every, about, strict=True)
    )


def _unit_ids(step: Finding | Reason) -> list[str]:
    """Give the ids of the units that a step names, in its order."""
    values = step.values or {}
    return [
        value["unit"] for value in values.values() if isinstance(value, dict) and isinstance(value.get("unit"), str)
    ]


def _needs(made: Ruling[Any] | Odds[Any]) -> Iterator[str]:
    if made.needs is None:
        return
    if dice := made.needs.dice:
        yield f"{dice.count} {dice.die} for {dice.label}"
    for fact in made.needs.facts or ():
        yield f"{fact.question} ({fact.key}: {rendering_text.values_of(fact)})"
    if choice := made.needs.choice:
        yield f"{choice.who} decides {choice.label}:"
        yield from (f"  {option.label}" for option in choice.options)


def _chances(marginal: Marginal) -> Chances:
    shown = marginal.values[: rendering_text.MOST_ROWS]
    # A fraction of hundreds of digits says no more to a reader than its percentage does.
    rows = tuple(
        Row(rendering_text.short(each.answer), each.probability, each.mass if len(each.mass) <= 30 else "")
        for each in shown
    )
    mean = "" if marginal.mean is None else f"{marginal.mean:.4g}"
    return Chances(marginal.field, mean, rows, len(marginal.values) - len(shown))


def _tables(law: Odds[Any]) -> Iterator[Table]:
    """Give the parts of a table of odds that fit: wide lines, of whole parts of answers, are left out."""
    for of, lines in rendering_text.parts_of_table(law, MOST_VALUES) if law.points else ():
        if max(map(len, lines)) <= MOST_WIDE or of.endswith(" at"):
            yield Table(of, tuple(line.removeprefix("  ") for line in lines))


def rule_path(game: str, id_: str) -> str:
    """Give the path under which a rule or a unit of the source can be read."""
    return f"/v1/games/{quote(game)}/rules/{quote(id_)}"


def _visible(value: Any) -> Any:
    """Give JSON's own types without invisible characters."""
    if isinstance(value, str):
        return _UNSEEN.sub("\ufffd", value)
    if isinstance(value, list | tuple):
        return [_visible(part) for part in value]
    if isinstance(value, dict):
        return {name: _visible(part) for name, part in value.items()}
    return value


def body_lines(stored: StoredRuling, most: int) -> str:
    """Give the question's body for readers, shortened if it is too long."""
    text = "\n".join(
        _UNSEEN.sub("\ufffd", line) for line in msgspec.json.format(stored.body, indent=2).decode().split("\n")
    )
    return text if len(text) <= most else text[:most] + "\n…"
