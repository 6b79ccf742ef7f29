"""Rulings, odds and faults as plain text for people: the verdict first, then every step with its rule and source."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from arbiter import json
from arbiter.fault import Fault
from arbiter.game import Arbiter
from arbiter.rule import Reason
from arbiter.ruling import (
    BestPlay,
    Expected,
    FactNeeds,
    FactUsed,
    Finding,
    Marginal,
    Odds,
    OddsPoint,
    OptionWorth,
    Ruling,
    Throw,
)
from arbiter.sources.ledger import Reading
from rendering.events import event_lines
from rendering.sweep_labels import point_labels, short_axes

BAR = 30
"""Characters of the bar of a certain answer."""

MOST_ROWS = 40
"""Answers that the table of a law shows; one line sums up the others."""


MOST_WIDE = 70
"""Characters of an answer that such a table shows."""


_SAID_BY = {"given": "as the players say", "board": "as the board shows", "assumed": "as usual"}


def ruling(made: Ruling[Any], game: Arbiter | None = None, scene: Any = None) -> Iterator[str]:
    """Give the lines of a ruling of a game; the names of units come from the scene, given as JSON."""
    yield f"{verdict(made)}   ({made.game}, {made.question})"
    yield from _indent(_step(reason) for reason in made.reasons)
    if made.answer is not None:
        yield from _indent(members(made.answer))
    yield from _section("Needed", _needs(made))
    yield from _section("Not used", notices(made.notices))
    yield from _section("Why", (_step(finding) for finding in made.findings))
    yield from _section("Dice", dice_lines(made.throws))
    choices = (f"{each.who}, {each.label}: {each.option.label} ({each.origin})" for each in made.choices)
    yield from _section("Choices", choices)
    yield from _section("On the table", changes(made, game, scene))
    yield from _section("Facts", facts(made.facts))
    used = (f"{each.id}: {each.option}{_otherwise(each.option, each.default)}" for each in made.readings)
    yield from _section("Readings", used)
    yield from _section("Sources", (f"{each.id}: {each.gist} ({each.where})" for each in made.citations))
    if made.seed is not None:
        yield f"\nSeed {made.seed}: ask again with it for the same dice."


def odds(law: Odds[Any]) -> Iterator[str]:
    """Give the lines of a law: a table of each field of the answer, then one of whole answers."""
    how = f"exact, {law.paths:,} paths" if law.method == "law" else f"{law.heads:,} games counted, seed {law.seed}"
    yield f"Odds of {law.question}   ({law.game}; {how})"
    yield from _section("Needed", _needs(law))
    if not law.allowed:
        yield from _indent(["Forbidden:", *(f"{reason.text} [{', '.join(reason.cites)}]" for reason in law.reasons)])
    yield from _section("Facts", law_facts(law))
    if law.best is not None:
        yield from _section("Best play", _best(law.best))
    for marginal in law.marginals:
        mean = "" if marginal.mean is None else f", {marginal.mean:.4g} on average"
        yield f"\n{marginal.field}{mean}"
        yield from _table([(short(each.answer), each.mass, each.probability) for each in marginal.values])
    if law.points:
        yield from table_of_odds(law)
    if law.outcomes:
        yield "\nWhole answers"
        yield from _table([(_cut(short(each.answer)), each.mass, each.probability) for each in law.outcomes])


MOST_COLUMNS = 10
"""Values of a field with their own column in a table of odds, the likeliest of all points."""


def table_of_odds(law: Odds[Any]) -> Iterator[str]:
    """Give the lines of a table of laws: for each field of the answer a row for each point, in lowest terms."""
    for field, lines in parts_of_table(law):
        yield f"\n{field}"
        yield from lines


def parts_of_table(law: Odds[Any], most: int | None = None) -> Iterator[tuple[str, list[str]]]:
    """Give the fields of a table of laws, each with its lines; last the points without a law.

    A field with more than `most` values has only its mean.
    """
    titles, labels = [axis.title for axis in short_axes(law.axes)], point_labels(law.axes)
    for field in dict.fromkeys(marginal.field for point in law.points for marginal in point.marginals):
        laws = [next((each for each in point.marginals if each.field == field), None) for point in law.points]
        columns = _columns(marginal for marginal in laws if marginal is not None)
        means = any(marginal is not None and marginal.mean is not None for marginal in laws)
        columns = [] if means and most is not None and len(columns) > most else columns
        lines = [[*titles, *(["mean", ""] if means else []), *(part for name in columns for part in (name, ""))]]
        for label, marginal in zip(labels, laws, strict=True):
            lines.append([*label, *_chances(marginal, columns, means=means)])
        yield field, list(align(lines))
    points = [(", ".join(label), point) for label, point in zip(labels, law.points, strict=True)]
    missing = [f"  {label}: {' '.join(_needs(point))}" for label, point in points if point.needs is not None]
    forbidden = [
        f"  {label}: {' '.join(reason.text for reason in point.reasons)}"
        for label, point in points
        if not point.allowed
    ]
    yield from ((title, lines) for title, lines in (("Needed at", missing), ("Forbidden at", forbidden)) if lines)


def _columns(laws: Iterable[Marginal]) -> list[str]:
    """Give the likeliest values of a field over all points, numbers by size."""
    masses: dict[Any, float] = {}
    for marginal in laws:
        for chance in marginal.values:
            masses[chance.answer] = masses.get(chance.answer, 0.0) + chance.probability
    likeliest = sorted(masses, key=lambda value: -masses[value])[:MOST_COLUMNS]
    if all(isinstance(value, int) and not isinstance(value, bool) for value in likeliest):
        likeliest.sort()
    return [short(value) for value in likeliest]


def _chances(marginal: Marginal | None, columns: Sequence[str], *, means: bool) -> list[str]:
    if marginal is None:
        return ["-", ""] * (len(columns) + means)
    mean = [f"{marginal.mean:.4g}", _fraction(marginal.mean_exact)] if marginal.mean is not None else ["-", ""]
    known = {short(chance.answer): chance for chance in marginal.values}
    cells = mean if means else []
    for name in columns:
        chance = known.get(name)
        cells += ["0", ""] if chance is None else [f"{chance.probability:.3%}", _fraction(chance.mass)]
    return cells


def _fraction(exact: str | None) -> str:
    return exact if exact is not None and "/" in exact and len(exact) <= 15 else ""


def align(rows: Sequence[Sequence[str]], *, bar: bool = False) -> Iterator[str]:
    """Align cells: names to the left, numbers to the right, without empty columns."""
    count = max((len(row) for row in rows), default=0)
    filled = [[*row, *[""] * (count - len(row))] for row in rows]
    wide = [max(len(row[column]) for row in filled) for column in range(count)]
    for row in filled:
        cells = [
            cell.ljust(wide[column]) if column == 0 or (bar and column == count - 1) else cell.rjust(wide[column])
            for column, cell in enumerate(row)
            if wide[column]
        ]
        yield f"  {'  '.join(cells)}".rstrip()


def _best(play: BestPlay) -> Iterator[str]:
    yield from (f"worth to {who}: {_exact(worth)}" for who, worth in play.worth.items())
    for decision in play.decisions:
        yield f"{decision.who}, {decision.label} (reached with {decision.probability:.3%})"
        for option in decision.options:
            yield f"  {'*' if option.picked else ' '} {_option_text(option.option.id)}: {_exact(option)}"
        for situation in decision.situations:
            came = ", ".join(f"{each.label} {_inside(json.to_builtins(each.outcome))}" for each in situation.before)
            yield f"    {situation.probability:.3%} after {came or 'nothing'}"
        if decision.more_situations != 0:
            count = "too many" if decision.more_situations is None else f"{decision.more_situations} more"
            yield f"    in {count} situations"
    if play.more_decisions:
        yield f"and {play.more_decisions} decisions more, which are rarer"


def _exact(worth: Expected | OptionWorth) -> str:
    exact = f" ({worth.mean_exact})" if "/" in worth.mean_exact and len(worth.mean_exact) <= 30 else ""
    return f"{worth.mean:.4g}{exact}"


def faults(faults_: Iterable[Fault]) -> Iterator[str]:
    """Give the lines of a question's faults."""
    for fault in faults_:
        yield f"{fault.pointer or '/'}: {fault.message}"
        if fault.seen is not None:
            yield f"    seen:  {short(fault.seen)}"
        if fault.expected:
            yield f"    expected: {fault.expected}"
        if fault.hint:
            yield f"    hint:  {fault.hint}"


def cannot_be_asked(faults_: Collection[Fault]) -> Iterator[str]:
    """Give the lines that say why a question is invalid."""
    yield "This cannot be asked:" if len(faults_) == 1 else f"This cannot be asked, for {len(faults_)} reasons:"
    yield from faults(faults_)


def problem(title: str, detail: str, faults_: Collection[Fault]) -> Iterator[str]:
    """Give the lines of a problem from a service."""
    if faults_:
        yield from cannot_be_asked(faults_)
    else:
        yield (
            ": ".join(part for part in (title, detail) if part) or "The service has a problem, and does not say which."
        )


def games(arbiters: Iterable[Arbiter]) -> Iterator[str]:
    """Give the lines of the list of games."""
    for game in arbiters:
        counts = ", ".join(f"{count} {status}" for status, count in game.ledger.coverage().items() if count)
        yield f"{game.name}: {game.title} ({game.edition})"
        yield f"    {game.gist}"
        for question in game.questions.values():
            yield f"    {question.name + (' *' if question.dice else ''):<18} {question.gist}"
        yield f"    passages of the text: {counts}"
    yield "* has odds"


def readings(readings_: Iterable[Reading]) -> Iterator[str]:
    """Give the lines of a game's readings."""
    for reading in readings_:
        yield f"{reading.id}: {reading.question}"
        for option in reading.options:
            yield f"  {'*' if option.id == reading.default else ' '} {option.id}: {option.gist}"
        yield f"    {reading.why}"
    yield "* is taken unless another is asked for: --readings id=option"


def verdict(made: Ruling[Any]) -> str:
    """Give the verdict in a word or two."""
    if made.status == "needs_dice":
        return "Dice are missing"
    if made.status == "needs_choice":
        return "A choice is missing"
    if made.status == "needs_fact":
        return "A fact is missing" if made.needs and len(made.needs.facts or ()) == 1 else "Facts are missing"
    return "Ruled" if made.allowed else "Forbidden"


def _step(step: Finding | Reason) -> str:
    return f"{step.text}   [{step.rule}: {', '.join(step.cites)}]"


def _needs(made: Ruling[Any] | Odds[Any] | OddsPoint[Any]) -> Iterator[str]:
    if made.needs is None:
        return
    if dice := made.needs.dice:
        faces = ", ".join(str(face) for face in dice.faces)
        yield f"{dice.count} {dice.die} for {dice.label!r}: --dice '{dice.label}=…' with {faces}"
    for fact in made.needs.facts or ():
        yield f"{fact.question} --given '{fact.key}=…' with {values_of(fact)}"
    if choice := made.needs.choice:
        yield f"{choice.who} decides {choice.label!r}: --choose '{choice.label}=…', or --policies '{choice.who}=first'"
        for option in choice.options:
            written = _option_text(option.id)
            yield f"  {written}" if option.label == written else f"  {written}   {option.label}"


def dice_lines(throws: Iterable[Throw]) -> Iterator[str]:
    """Give a line for each handful of dice: their purpose, their faces, and the origin of these."""
    by_label: dict[tuple[str, str, str], list[str]] = {}
    for throw in throws:
        by_label.setdefault((throw.label, throw.die, throw.origin), []).append(str(throw.face))
    for (label, die, origin), faces in by_label.items():
        yield f"{label}: {' '.join(faces)}   ({die}, {'from the seed' if origin == 'seed' else 'handed'})"


def changes(made: Ruling[Any], game: Arbiter | None, scene: Any) -> Iterator[str]:
    """Give a line for each event of a ruling: a sentence, or its values if the game is not known."""
    if game is not None:
        return event_lines(game, scene, made.effects)
    return (f"{each.name}: {short(each.values)}" for each in made.effects.events)


def notices(noticed: Iterable[Fault]) -> Iterator[str]:
    """Give a line for each member of a request that looks misspelt."""
    yield from (f"{each.pointer}: {each.message}; {each.hint}" for each in noticed)


def facts(used: Iterable[FactUsed]) -> Iterator[str]:
    """Give a line for each fact that a ruling uses, with its origin."""
    yield from (f"{each.text} ({_SAID_BY[each.origin]})" for each in used)


def law_facts(law: Odds[Any]) -> Iterator[str]:
    """Give a line for each fact that a law uses; for a table, for each fact that all of its laws use."""
    first, *others = [point.facts for point in law.points if point.marginals] or [law.facts]
    return facts(each for each in first if all(each in used for used in others))


def values_of(fact: FactNeeds) -> str:
    """Give the values that a fact takes, in words."""
    if fact.type == "number":
        return f"a number of {fact.unit}"
    if fact.type == "units":
        return f"none, or some of {', '.join(fact.options)}" if fact.options else "none"
    return ", ".join(fact.options) or "yes or no"


def _otherwise(option: str, default: str) -> str:
    return "" if option == default else f" (unless asked: {default})"


def _table(rows: list[tuple[str, str, float]]) -> Iterator[str]:
    shown = rows[:MOST_ROWS]
    wide = max((len(answer) for answer, _, _ in shown), default=0)
    mass_wide = min(30, max((len(mass) for _, mass, _ in shown), default=0))
    for answer, mass, chance in shown:
        # A fraction of hundreds of digits tells a reader no more than its percentage.
        exact = mass if len(mass) <= 30 else "…"
        bar = "#" * round(BAR * chance)
        yield f"  {answer:<{wide}}  {exact:>{mass_wide}}  {chance:>8.3%}  {bar}".rstrip()
    if len(rows) > MOST_ROWS:
        rest = sum(chance for _, _, chance in rows[MOST_ROWS:])
        yield f"  and {len(rows) - MOST_ROWS} more with {rest:.3%} together"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_WIDE else text[: MOST_WIDE - 1] + "…"


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    held = list(lines)
    if held:
        yield f"\n{title}"
        yield from _indent(held)


def _indent(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"  {line}" for line in lines)


def members(answer: Any) -> Iterator[str]:
    """Give the lines of an answer, one for each of its fields or of a field's items."""
    plain = json.to_builtins(answer)
    if not isinstance(plain, dict):
        yield short(plain)
        return
    for name, value in plain.items():
        if isinstance(value, list) and value and any(isinstance(item, dict | list) for item in value):
            yield f"{name}:"
            yield from (f"  - {short(item)}" for item in value)
        elif isinstance(value, list) and any(isinstance(item, str) and " " in item for item in value):
            yield f"{name}:"
            yield from (f"  {item}" for item in value)
        elif isinstance(value, str) and "\n" in value:
            yield f"{name}:"
            yield from (f"  {line}" for line in value.splitlines())
        else:
            yield f"{name}: {short(value)}"


def short(value: Any) -> str:
    """Give a value in one line, with as little punctuation as possible."""
    plain = json.to_builtins(value)
    if isinstance(plain, dict):
        return ", ".join(f"{name} {_inside(part)}" for name, part in plain.items()) or "nothing"
    if isinstance(plain, list):
        return ", ".join(_inside(part) for part in plain) or "none"
    return _inside(plain)


def _inside(plain: Any) -> str:
    if plain is None:
        return "-"
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, dict | list):
        return f"({short(plain)})"
    return str(plain)


def _option_text(option: Any) -> str:
    """Give an option in the form in which it is sent."""
    plain = json.to_builtins(option)
    return plain if isinstance(plain, str) else json.encode(plain).decode()
