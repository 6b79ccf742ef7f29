"""Job submission: when a question is decided in the request, when it becomes a job, and how the job is answered.

A client that prefers not to wait (`Prefer: respond-async`, RFC 7240) gets a job for any question; one that waits
(`wait=N`) gets the result itself if it is ready in time. A question with a heavy estimate becomes a job automatically.
Everything is validated, prepared and estimated before submission, so that an accepted job can be completed.
"""

import secrets
from collections.abc import Callable
from hashlib import blake2b

from flask import Response, request

from api.arbiters.local import Reply
from api.auth.callers import caller, require
from api.jobs.service import JobService
from api.jobs.sweeps import game_ms, odds_ms, read
from api.problems.handlers import ProblemError
from api.quotas import costs
from api.quotas.limiter import charge, give_back, of_work
from api.schemas.bodies import ask_type, later_type, odds_points, odds_type, without_callback
from api.schemas.headers import Preferences, job_headers
from api.schemas.job_status import again_after_s, path
from api.schemas.responses import JSON
from api.schemas.scenes import Bodies, DecodedBody
from api.settings import Settings
from arbiter.fault import Faults, pointer
from arbiter.game import Arbiter
from arbiter.question import AskOdds, DiceSpec
from arbiter.simulation.simulate import Simulate
from infra import tracing
from workers.jobs.models import FINAL, Job
from workers.jobs.work import Kind, Work
from workers.webhooks.callback import Callback
from workers.webhooks.targets import TargetRefused, check_target


def by_preference(answer: Response) -> Response:
    """Add `Vary: Prefer`, since the answer depends on the client's preferences."""
    answer.headers.add("Vary", "Prefer")
    return answer


AtOnce = Callable[[str | None, DecodedBody | None], Reply]
"""Asks the arbiter: with the seed of dice that the body does not name, and with the body if it is already decoded."""


class JobSubmission:
    """Decides questions of one game in the request or as jobs."""

    def __init__(self, game: Arbiter, settings: Settings, jobs: JobService, bodies: Bodies) -> None:
        self.game, self.settings, self.jobs, self.bodies = game, settings, jobs, bodies

    def decide(self, kind: Kind, question: str, body: bytes, at_once: AtOnce) -> Response:
        """Answer a question or its odds, by preference and weight: in the request, after a wait, or with a job.

        A body that has to be decoded here is decoded only once.
        """
        asking, safe = self.game.questions[question], request.method == "QUERY"
        # A safe method creates nothing, and so no job; a preference may be ignored.
        prefer, key = self._headers()
        prefer = Preferences() if safe else prefer
        own_seed = None if key is None else _seed(key, body)
        weighed = asking.cost is not None
        later = prefer.respond_async and self.jobs.open
        if not (weighed or later):
            return at_once(own_seed, None).response
        at_once_type = ask_type(asking) if kind == "ruling" else odds_type(asking)
        body_type = later_type(asking, kind) if later else at_once_type
        decoded = self.bodies.decode(body_type, body)
        ask = decoded.ask
        weighs = isinstance(ask, AskOdds)
        if isinstance(ask, AskOdds):
            asks = odds_points(self.game, question, ask, self.bodies.expand_boards(body)) if ask.vary else [ask]
            estimate_ms = sum(odds_ms(asking, each) for each in asks)
        else:
            estimate_ms = game_ms(asking, ask.case)
        at_once_ms = self.settings.odds_limit_ms if weighs else self.settings.sync_cost_ms
        if estimate_ms > at_once_ms:
            later = True
            simulations = f"/v1/games/{self.game.name}/{question}/simulations"
            hint = f"; {simulations} plays it as often as you say" if weighs else ""
            if safe:
                raise _too_dear(estimate_ms, at_once_ms / 1000, hint or "; POST makes a job of it")
            if not self.jobs.open or estimate_ms > 1_000 * self.settings.job_odds_limit_s:
                limit_s = self.settings.job_odds_limit_s if self.jobs.open else at_once_ms / 1000
                raise _too_dear(estimate_ms, limit_s, hint)
        if not later:
            # Odds are charged while they are walked.
            charge(0 if weighs else of_work(estimate_ms))
            return at_once(own_seed, decoded).response
        # Names of readings and policies are looked up, and the case is prepared, without playing anything.
        if isinstance(ask, AskOdds):
            for each in asks:
                self.game.refuse_odds(question, each)
        else:
            self.game.player(question, Simulate(case=ask.case, policies=ask.policies, readings=ask.readings))
        diceless = asking.dice and not isinstance(ask, AskOdds) and ask.dice == DiceSpec()
        seed = (own_seed or secrets.token_hex(8)) if diceless else ""
        callback: Callback | None = getattr(ask, "callback", None)
        if callback is not None:
            _check(callback, loopback_allowed=self.settings.callbacks_to_loopback)
        # A job may run after the board that it names has expired.
        work = Work(kind, self.game.name, question, without_callback(self.bodies.expand_boards(body)).decode(), seed)
        more = costs.ODDS_LATER if kind == "odds" else costs.RULING_LATER
        return self._submit(work, estimate_ms, prefer, key, callback, more)

    def simulate(self, question: str, body: bytes) -> Response:
        """Accept a simulation: answer with its job, or with its result if the client waits long enough."""
        prefer, key = self._headers()
        whole, asking = self.bodies.expand_boards(body), self.game.questions[question]
        simulation = read(
            self.game, asking, whole, self.settings.max_depth, lambda points: charge(points // costs.UNIT_POINTS)
        )
        if simulation.callback is not None:
            _check(simulation.callback, loopback_allowed=self.settings.callbacks_to_loopback)
        work = Work("simulation", self.game.name, question, simulation.body)
        return self._submit(work, simulation.estimate_ms, prefer, key, simulation.callback)

    def _headers(self) -> tuple[Preferences, str | None]:
        headers = job_headers.load(dict(request.headers))
        return headers["prefer"].limit_wait(self.settings.most_wait_s), headers["key"]

    def _submit(
        self,
        work: Work,
        estimate_ms: float,
        prefer: Preferences,
        key: str | None,
        callback: Callback | None = None,
        more_units: int = 0,
    ) -> Response:
        require(caller(), "jobs")
        if estimate_ms > self.settings.job_cost_s * 1000:
            raise _too_dear(estimate_ms, self.settings.job_cost_s)
        store, units = self.jobs.store, of_work(estimate_ms) + more_units
        charged, fresh, who = charge(units), False, caller()
        try:
            submitted = store.submit(
                work,
                caller=who.name,
                keyed=not who.anonymous,
                estimate_ms=estimate_ms,
                callback=callback,
                key=key,
                trace=tracing.current(),
            )
            job, fresh = submitted.job, submitted.fresh
        finally:
            # Refused work, and work that is already a job, is refunded; posting it again costs only the request.
            if not fresh:
                give_back(charged)
        waited = False
        if prefer.wait_s is not None:
            # A client that finds no free thread gets the job immediately, as if it had sent no preference.
            with self.jobs.place_to_wait(who.name) as waited:
                job = self.jobs.wait(job, prefer.wait_s) if waited else job
            if waited and job.state in FINAL and (ended := self._final_response(job)) is not None:
                ended.headers["Preference-Applied"] = f"wait={prefer.wait_s}"
                return ended
        return self._accepted_response(job, prefer, waited=waited)

    def _final_response(self, job: Job) -> Response | None:
        """Give the result of a job that was waited for, as the request itself would answer; None if it has expired."""
        if job.state == "failed" and job.cause and job.cause.errors:
            raise Faults(job.cause.errors)
        refuse_without_result(job)
        result = self.jobs.store.result(job.id)
        if result is None:
            return None
        return Response(result, 200, {"Content-Location": f"{path(job.id)}/result"}, content_type=JSON)

    def _accepted_response(self, job: Job, prefer: Preferences, *, waited: bool) -> Response:
        headers = {"Location": path(job.id)}
        if (again := again_after_s(job)) is not None:
            headers["Retry-After"] = str(again)
        applied = ["respond-async"] if prefer.respond_async else []
        if applied := applied + ([f"wait={prefer.wait_s}"] if waited else []):
            headers["Preference-Applied"] = ", ".join(applied)
        return Response(self.jobs.remember(job).body, 202, headers, content_type=JSON)


def refuse_without_result(job: Job) -> None:
    """Refuse a request for the result of a job that has none, with the reason."""
    if job.state == "dismissed":
        raise ProblemError("job-dismissed", "The job was dismissed, so there is no result.")
    if job.state == "failed":
        assert job.cause is not None
        raise ProblemError("job-failed", job.cause.detail, job.cause.errors, cause=job.cause)
    if (again := again_after_s(job)) is not None:
        detail = f"The job is {job.state}: {job.done:,} of {job.total:,} games are over."
        raise ProblemError("not-finished", detail, headers={"Retry-After": str(again)})


def _too_dear(estimate_ms: float, limit_s: float, hint: str = "") -> ProblemError:
    estimate_s = estimate_ms / 1000
    detail = f"This is estimated to take {estimate_s:,.1f} seconds of one core; at most {limit_s:,.1f} may be asked for"
    return ProblemError("too-dear", f"{detail}{hint}.", estimate_s=estimate_s, limit_s=float(limit_s))


def _seed(key: str, body: bytes) -> str:
    """Give the seed of a ruling that names none: a request that is repeated under its key gets the same seed."""
    return blake2b(b"\0".join((caller().name.encode(), key.encode(), body)), digest_size=8).hexdigest()


def _check(callback: Callback, *, loopback_allowed: bool) -> None:
    try:
        check_target(callback.url, loopback_allowed=loopback_allowed)
    except TargetRefused as refused:
        raise Faults.one(
            pointer("callback", "url"),
            "refused-callback",
            str(refused),
            seen=callback.url,
            expected="an https address on the public internet",
            hint="or leave the callback out, and follow the events of the job",
        ) from None
