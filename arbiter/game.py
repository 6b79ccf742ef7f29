"""The arbiter of one game: its questions, rules, sources, readings and data behind one interface."""

import importlib
import pkgutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from msgspec import Raw

from arbiter.asking.ask_faults import no_crowd, no_mirror, no_worth, policy_faults, reading_faults
from arbiter.asking.dice_validation import dice_of, fault_of, left_over
from arbiter.asking.effects import effects_of
from arbiter.asking.fact_needs import fact_needs
from arbiter.asking.misspelt import misspelt_labels
from arbiter.asking.played import Played, laws_of_metrics, player_of
from arbiter.caching import Memory
from arbiter.dice_sources import DiceNeeded, WrongFace
from arbiter.drawing import Drawing, Shown
from arbiter.facts import Fact, FactNeeded, facts_of, with_passages
from arbiter.fault import Fault, Faults, UnknownName, together
from arbiter.json import encode
from arbiter.odds.best_play import BEST, best, best_play
from arbiter.odds.decisions import best_play_of
from arbiter.odds.distributions import chances, marginals
from arbiter.odds.exact import Budget, PathBudgetExceeded, head_count, law
from arbiter.odds.tables import law_fields, projection, table_of, unknown_fields
from arbiter.question import Ask, AskOdds, Decided, Mirrored, Question
from arbiter.rule import Forbidden, Reason, Rule
from arbiter.ruling import Citation, Needs, Odds, ReadingUsed, Ruling, Status
from arbiter.simulation.memo_table import Experience
from arbiter.simulation.simulate import Player, Simulate
from arbiter.sources.ledger import load_ledger, load_readings
from arbiter.sources.yaml_file import load_yaml
from arbiter.table import ChoiceNeeded, Chooser, OneTable, Policy, Recorded, Table, WrongOption, first

if TYPE_CHECKING:
    # Most games have no plane, and start faster without its geometry.
    from arbiter.maps.importer import ImportedMap

ENGINE = "0.2.0"
"""The version of the engine; a ruling can change only with it, with the edition, or with a reading."""

CITED_TOGETHER = 1_000
"""Groups of citations that a game remembers, in each of two generations."""

RECORDED = 2_048
"""Decisions of lasting grounds that a game remembers with their findings, in each of two generations."""

A = TypeVar("A")


class _Cited(NamedTuple):
    """Units of the ledger that are cited together: as citations, and in their written form."""

    units: tuple[Citation, ...]
    written: Any


class Arbiter:
    """One game: `package` is its folder, with ledger, readings, data, rules and examples.

    `players` names those who choose in a scene, each of whom may have a policy; without it, any name is accepted. A
    game on open boards has in `boards` the function that turns a map into a board of its scenes; it raises `Faults` for
    a map that fits none. `drawing` draws a scene, with the additions of a question and its answer: for `undrawn`
    questions only the acting unit. It gives None without a board, and raises `Faults` for an impossible scene.
    """

    def __init__(
        self,
        *,
        package: str,
        name: str,
        title: str,
        edition: str,
        gist: str,
        questions: Iterable[Question[Any, Any, Any]],
        policies: Mapping[str, Policy] | None = None,
        players: Callable[[Any], Iterable[str]] | None = None,
        boards: Callable[["ImportedMap"], Any] | None = None,
        drawing: Callable[[Any, Shown | None], Drawing | None] | None = None,
        undrawn: Collection[str] = (),
    ) -> None:
        self.package, self.name, self.title, self.edition, self.gist = package, name, title, edition, gist
        self.questions = {question.name: question for question in questions}
        self.players, self.boards, self.drawing, self.undrawn = players, boards, drawing, frozenset(undrawn)
        self.policies: dict[str, Policy] = {"first": first, **(policies or {})}
        if BEST in self.policies:
            raise ValueError(f"{name} has a policy of its own called {BEST!r}, which is the name of best play in odds")
        self.folder = Path(str(importlib.import_module(package).__file__)).parent
        self.ledger = load_ledger(self.folder / "sources.yaml")
        self.readings = load_readings(self.folder / "readings.yaml")
        self._cited_together: Memory[_Cited] = Memory(CITED_TOGETHER)
        self._recorded: Memory[Recorded] = Memory(RECORDED)
        self._recorded_at = Rule.switches

    @cached_property
    def rules(self) -> dict[str, Rule[..., Any]]:
        """Every rule of the game by id, chapter by chapter."""
        rules: dict[str, Rule[..., Any]] = {}
        for module, value in self._declarations():
            rule = value.rule if isinstance(value, Fact) else value
            if isinstance(rule, Rule) and rule.module == module and rules.setdefault(rule.id, rule) is not rule:
                raise ValueError(f"two rules of {self.name} are called {rule.id}")
        return rules

    @cached_property
    def facts(self) -> dict[str, Fact[..., Any]]:
        """Every fact that players can give, by name."""
        facts: dict[str, Fact[..., Any]] = {}
        for _, value in self._declarations():
            if isinstance(value, Fact) and facts.setdefault(value.name, value) is not value:
                raise ValueError(f"two facts of {self.name} are called {value.name}")
        return with_passages(facts, self.rules)

    def _declarations(self) -> Iterator[tuple[str, Any]]:
        """List the declarations in the modules of the rules, each with the name of its module."""
        home = importlib.import_module(f"{self.package}.rules")
        for name in sorted(info.name for info in pkgutil.iter_modules(home.__path__, f"{self.package}.rules.")):
            for value in vars(importlib.import_module(name)).values():
                yield name, value

    @cached_property
    def catalog(self) -> dict[str, Any]:
        """Profiles and tables as data: the rows of every file under `data/`, by the name of the file."""
        return {path.stem.replace("_", "-"): load_yaml(path) for path in sorted((self.folder / "data").glob("*.yaml"))}

    def question(self, name: str) -> Question[Any, Any, Any]:
        """Give the question of that name; `UnknownName` if the game has none."""
        try:
            return self.questions[name]
        except KeyError:
            raise UnknownName("question", name, self.questions) from None

    def ask(self, name: str, ask: Ask[Any], *, seed: str, posted: Callable[[], Any] | None = None) -> Ruling[Any]:
        """Decide a question.

        `seed` is used if the caller posts no dice and no seed. `posted` gives the scene as the client wrote it, against
        which the patch is made. Raises `Faults` for an impossible case; a forbidden action, and missing dice or
        choices, are rulings.
        """
        return self._rule(name, ask, seed, posted, written=False)

    def ask_json(self, name: str, ask: Ask[Any], *, seed: str, posted: Callable[[], Any] | None = None) -> bytes:
        """Decide a question as `ask` does, and give the ruling as `encode` writes it, to the byte.

        It is faster, because citations are already encoded.
        """
        return encode(self._rule(name, ask, seed, posted, written=True))

    def _rule(
        self, name: str, ask: Ask[Any], seed: str, posted: Callable[[], Any] | None, *, written: bool
    ) -> Ruling[Any]:
        """Decide a question, with its citations as values or in `written` form."""
        question = self.question(name)
        readings, policies, (dice, seed_used), facts, state = together(
            lambda: self._readings(ask.readings),
            lambda: self._policies(ask.policies, ask.case),
            lambda: dice_of(ask.dice, seed),
            lambda: facts_of(self.facts, ask.case),
            lambda: question.prepare(ask.case),
        )
        recorded = self._recorded_before(readings) if facts is None else None
        table = OneTable(dice, Chooser(ask.choices, policies), readings, known=recorded)
        table.facts = facts
        status: Status = "ruled"
        allowed, needs = True, None
        decided: Decided[Any] | None = None
        reasons: tuple[Reason, ...] = ()
        surplus: tuple[str, ...] = ()
        try:
            decided = question.rule(table, state)
            rolled, chosen = {throw.label for throw in table.throws}, {made.label for made in table.made}
            unneeded = left_over(dice, table.chooser, rolled, chosen)
            if unneeded and ask.surplus == "refuse":
                raise Faults(unneeded)
            surplus = tuple(fault.pointer for fault in unneeded)
        except Forbidden as forbidden:
            allowed, reasons = False, forbidden.reasons
        except DiceNeeded as needed:
            status, needs = "needs_dice", Needs(dice=needed.needs)
        except ChoiceNeeded as needed_choice:
            status, needs = "needs_choice", Needs(choice=needed_choice.needs)
        except FactNeeded as needed_fact:
            status, needs = (
                "needs_fact",
                fact_needs(needed_fact, self.facts, question, ask.case, state, readings, policies),
            )
        except (WrongFace, WrongOption) as wrong:
            raise Faults([fault_of(wrong, ask.dice)]) from None
        notices: tuple[Fault, ...] = ()
        if surplus or needs is not None:
            notices = misspelt_labels(ask, question, state, table, needs, self.facts, policies)
        if facts is not None and status != "needs_fact":
            surplus += facts.unneeded()
        throws = tuple(table.throws)
        cited = self._cite(table, reasons)
        ruling: Ruling[Any] = Ruling(
            game=self.name,
            edition=self.edition,
            engine=ENGINE,
            question=name,
            status=status,
            allowed=allowed,
            answer=decided.answer if decided else None,
            reasons=reasons,
            needs=needs,
            findings=tuple(table.findings),
            throws=throws,
            rolls=tuple(table.rolls),
            choices=tuple(table.made),
            effects=effects_of(table, ask.case, decided, posted),
            citations=cited.written if written else cited.units,
            readings=self._readings_used(table.read_ids),
            seed=seed_used if throws and any(throw.origin == "seed" for throw in throws) else None,
            surplus=surplus,
            facts=() if facts is None else tuple(facts.used.values()),
            notices=notices,
        )
        return ruling if ask.include is None else ruling.with_parts(ask.include)

    def odds(self, name: str, ask: AskOdds[Any], budget: int, watch: Callable[[], None] | None = None) -> Odds[Any]:
        """Give the exact law of a question's answer, or count heads when `ask.heads` says so.

        Choices are made by the named policies, by default the first option of the book. Raises `Faults` for an
        impossible case, `PathBudgetExceeded` for a law of more than `budget` paths, and the exceptions of `watch`,
        which is called repeatedly during the walk.
        """
        question = self.question(name)
        readings, policies, facts, state = self._asked_odds(question, ask)
        read_ids: dict[str, str] = {}
        needs = None
        spent = Budget(budget, watch=watch)
        masses: Mapping[Any, Fraction | int]
        reasons: tuple[Reason, ...] = ()
        play = None

        fields = law_fields(ask.fields, question.ends)
        wanted = frozenset(fields) or None
        projected = projection(question.answer, fields)

        def answer(table: Table, state: Any) -> Any:
            return projected(whole(table, state))

        def whole(table: Table, state: Any) -> Any:
            table.facts = facts
            return question.rule(table, state).answer

        try:
            if ask.heads is not None:
                masses = head_count(
                    ask.heads,
                    ask.seed,
                    answer,
                    state,
                    policies=policies,
                    readings=readings,
                    budget=spent,
                    read_ids=read_ids,
                    wanted=wanted,
                )
            elif question.worth is not None and BEST in ask.policies.values():
                # The worth of an answer may depend on fields that are not requested.
                play = best_play(
                    whole,
                    state,
                    worth=question.worth,
                    policies=policies,
                    readings=readings,
                    budget=spent,
                    read_ids=read_ids,
                    wanted=wanted,
                )
                best_masses: dict[Any, Fraction] = {}
                for given, mass in play.law.items():
                    best_masses[projected(given)] = best_masses.get(projected(given), Fraction(0)) + mass
                masses = best_masses
            else:
                masses = law(
                    answer, state, policies=policies, readings=readings, budget=spent, read_ids=read_ids, wanted=wanted
                )
        except Forbidden as forbidden:
            masses, reasons = {}, forbidden.reasons
        except FactNeeded as needed:
            masses = {}
            needs = fact_needs(needed, self.facts, question, ask.case, state, readings, policies)
        return Odds(
            game=self.name,
            edition=self.edition,
            engine=ENGINE,
            question=name,
            method="law" if ask.heads is None else "heads",
            allowed=not reasons,
            outcomes=chances(masses, ask.heads),
            marginals=marginals(masses, ask.heads),
            reasons=reasons,
            paths=spent.walked,
            heads=ask.heads,
            seed=None if ask.heads is None else str(ask.seed),
            # In a fixed order, so that the same question in another spelling has the same answer to the last byte.
            policies={who: policies[who][0] for who in sorted(policies)} if question.dice else {},
            readings=self._readings_used(read_ids),
            best=None if play is None else best_play_of(play),
            status="ruled" if needs is None else "needs_fact",
            needs=needs,
            facts=() if facts is None else tuple(facts.used.values()),
        )

    def odds_table(
        self,
        name: str,
        ask: AskOdds[Any],
        points: Sequence[AskOdds[Any]],
        budget: int,
        watch: Callable[[], None] | None = None,
    ) -> Odds[Any]:
        """Give the law at every point of a table, in the order of its grid; `points` are the bodies at these points.

        Raises the exceptions of `odds`; all points share the budget.
        """
        laws: list[Odds[Any]] = []
        for point in points:
            laws.append(self.odds(name, point, budget - sum(law.paths for law in laws), watch))
        return table_of(ask.vary, laws)

    def refuse_odds(self, name: str, ask: AskOdds[Any]) -> None:
        """Raise `Faults` for odds that a question cannot have, without walking any path."""
        self._asked_odds(self.question(name), ask)

    def _asked_odds(self, question: Question[Any, Any, Any], ask: AskOdds[Any]) -> list[Any]:
        """Give the readings, policies, facts and state for odds; raises `Faults`."""
        return together(
            lambda: self._readings(ask.readings),
            lambda: self._odds_policies(question, ask),
            lambda: facts_of(self.facts, ask.case),
            lambda: question.prepare(ask.case),
        )

    def player(
        self, name: str, ask: Simulate[Any], experience: Experience | None = None, *, mirrored: bool = False
    ) -> Player:
        """Prepare a question to be played many times: give the player of one game from a seed.

        Choices are made by the named policies, by default the first option of the book. Players under the same readings
        may share their `experience`. `mirrored` games have the positions of the sides swapped. Raises `Faults` for an
        impossible case.
        """
        mirror = self.mirrored(name, ask.case) if mirrored else None
        return player_of(self._played(name, ask), mirror, experience)

    def _played(self, name: str, ask: Simulate[Any]) -> Played:
        policies = self._policies({"*": "first", **ask.policies}, ask.case)
        return Played(self.question(name), ask, self._readings(ask.readings), policies, self.facts)

    def mirrored(self, name: str, case: Any) -> Mirrored[Any]:
        """Give a case with the positions of its two sides swapped; raises `Faults` if it has no mirror."""
        question = self.question(name)
        if question.mirror is None:
            raise Faults([no_mirror(name)])
        return question.mirror(case)

    def metric_laws(self, name: str, ask: Simulate[Any], budget: Budget) -> dict[str, dict[str, Fraction]]:
        """Give the exact law of every metric that a simulation counts, its values as JSON.

        Raises `PathBudgetExceeded` for a law of more paths than the budget.
        """
        return laws_of_metrics(self._played(name, ask), budget)

    def cite(self, id_: str) -> Citation:
        """Give a unit of the ledger as a citation."""
        unit = self.ledger[id_]
        return Citation(unit.id, unit.where, unit.gist)

    def _readings(self, options: Mapping[str, str]) -> dict[str, str]:
        if not options:
            return self.readings.defaults
        if faults := tuple(reading_faults(options, self.readings.by_id)):
            raise Faults(faults)
        return self.readings.complete(options)

    def _policies(self, names: Mapping[str, str], case: Any) -> dict[str, tuple[str, Policy]]:
        if not names:
            return {}
        if faults := tuple(policy_faults(names, self.policies, self._players(case))):
            raise Faults(faults)
        return {who: (name, self.policies[name]) for who, name in names.items()}

    def _players(self, case: Any) -> tuple[str, ...] | None:
        """Name those who choose in the scene of a case; None if any name may."""
        scene = getattr(case, "scene", None)
        return None if self.players is None or scene is None else (*self.players(scene), "*")

    def _odds_policies(self, question: Question[Any, Any, Any], ask: AskOdds[Any]) -> dict[str, tuple[str, Policy]]:
        """Give the policies of odds, one of which may be best play."""
        names = {"*": "first", **ask.policies}
        by_best = [who for who, name in names.items() if name == BEST]
        faults = unknown_fields(question.answer, ask.fields)
        faults += policy_faults(names, (*self.policies, BEST), self._players(ask.case))
        if question.worth is None:
            faults += [no_worth(question.name, who, self.policies) for who in by_best]
        elif by_best and ask.heads is not None:
            faults.append(no_crowd(ask.heads))
        if faults:
            raise Faults(faults)
        return {who: (name, best if name == BEST else self.policies[name]) for who, name in names.items()}

    def _recorded_before(self, readings: Mapping[str, str]) -> Memory[Recorded] | None:
        """Give the records of tables under the default readings, with the current switches of rules."""
        if readings is not self.readings.defaults:
            return None
        if self._recorded_at != Rule.switches:
            self._recorded, self._recorded_at = Memory(RECORDED), Rule.switches
        return self._recorded

    def _cite(self, table: OneTable, reasons: Sequence[Reason]) -> _Cited:
        cites = [finding.cites for finding in table.findings]
        if reasons or table.read_ids:
            cites += [reason.cites for reason in reasons]
            cites += [self.readings.by_id[reading].cites for reading in table.read_ids]
        # Questions of one kind repeatedly cite the same units.
        known = tuple(cites)
        cited = self._cited_together[known]
        if cited is None:
            units = tuple(self.cite(id_) for id_ in dict.fromkeys(id_ for ids in known for id_ in ids))
            cited = _Cited(units, Raw(encode(units)))
            self._cited_together.keep(known, cited)
        return cited

    def _readings_used(self, read_ids: Mapping[str, str]) -> tuple[ReadingUsed, ...]:
        if not read_ids:
            return ()
        return tuple(
            ReadingUsed(id_, option, (reading := self.readings.by_id[id_]).default, reading.question)
            for id_, option in read_ids.items()
        )


__all__ = ["ENGINE", "Arbiter", "PathBudgetExceeded"]
