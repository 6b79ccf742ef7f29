"""The view of a stored ruling, in parts: the outcome first, then why, the dice, and what changes, for a page or a chat.

All of it is plain text. Names and ids in it are the client's, and may hold anything: characters that steer a terminal
or turn the direction of writing are taken out here, and whoever writes a page or Markdown escapes the rest.
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
"""Characters of a line of a table of odds that is shown, and values of a field that have columns of their own."""

# Control characters, marks of direction, and line ends that only Unicode knows.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


class Step(Value, frozen=True):
    """One step of the reasons: what was decided, by which rule, where that can be read, and what it cites.

    `about` is the unit that it is about, where a ruling is about several.
    """

    text: str
    rule: str
    path: str
    cites: tuple[str, ...]
    about: str = ""


class Source(Value, frozen=True):
    """A passage that the ruling rests on: its id, where it stands, its gist, and where more is to be read."""

    id: str
    where: str
    gist: str
    path: str


class Row(Value, frozen=True):
    """One possible answer: how likely, and its exact chance."""

    answer: str
    chance: float
    exact: str

    @property
    def percent(self) -> str:
        """Give the chance in percent."""
        return f"{self.chance:.2%}"


class Chances(Value, frozen=True):
    """How likely each value of one part of the answer is, likeliest first; `more` were left out."""

    of: str
    mean: str
    rows: tuple[Row, ...]
    more: int = 0


class Table(Value, frozen=True):
    """One part of the answer at every point of a table of odds, as aligned lines."""

    of: str
    lines: tuple[str, ...]


class RulingView(Value, frozen=True):
    """A ruling, or odds, in parts that can be read."""

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
    """Give the view of a stored ruling; None where another version made it in an unknown form."""
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
    """Give the members of an answer that are a ruling's, or those of odds: others may have been put beside them."""
    members = msgspec.json.decode(stored.answer)
    return {name: members[name] for name in kind.__struct_fields__ if name in members}


def steps(game: str, findings: Iterable[Finding | Reason]) -> tuple[Step, ...]:
    """Give findings or reasons with what each is about: whom it names that most of them do not."""
    every = tuple(findings)
    named = [_unit_ids(each) for each in every]
    # Whoever most steps name is the one who asks; what sets a step apart is whom else it names.
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
    """Give what of a table of odds can be read at a glance: wide lines are of whole parts of answers."""
    for of, lines in rendering_text.parts_of_table(law, MOST_VALUES) if law.points else ():
        if max(map(len, lines)) <= MOST_WIDE or of.endswith(" at"):
            yield Table(of, tuple(line.removeprefix("  ") for line in lines))


def rule_path(game: str, id_: str) -> str:
    """Give the path under which a rule or a unit of the source can be read."""
    return f"/v1/games/{quote(game)}/rules/{quote(id_)}"


def _visible(value: Any) -> Any:
    """Give JSON's own types without characters that nobody sees."""
    if isinstance(value, str):
        return _UNSEEN.sub("\ufffd", value)
    if isinstance(value, list | tuple):
        return [_visible(part) for part in value]
    if isinstance(value, dict):
        return {name: _visible(part) for name, part in value.items()}
    return value


def body_lines(stored: StoredRuling, most: int) -> str:
    """Give the question's body to be read, cut where it is too long for that."""
    text = "\n".join(
        _UNSEEN.sub("\ufffd", line) for line in msgspec.json.format(stored.body, indent=2).decode().split("\n")
    )
    return text if len(text) <= most else text[:most] + "\n…"
