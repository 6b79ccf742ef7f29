"""Jobs: how work that goes on by itself is looked at, listed, followed, dismissed, and where its result is had."""

import time
from typing import Annotated
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response, request
from msgspec import Meta

from api.auth.callers import Callers, caller
from api.jobs.service import JobService
from api.jobs.submission import refuse_without_result
from api.problems.handlers import ProblemError, unknown
from api.quotas import costs
from api.quotas.costs import charged
from api.resources import job_events
from api.schemas.job_status import JOBS, JobList, again_after_s, facts
from api.schemas.query import read
from api.schemas.responses import CSV, JSON, SVG, accept, accept_json, encoded
from arbiter.value import Value
from workers.jobs.models import Job

Cursor = Annotated[str, Meta(min_length=1, max_length=100)]


class JobsQuery(Value, frozen=True):
    """Which page of the caller's jobs."""

    after: Annotated[Cursor | None, Meta(description="`next` of the page before; leave it out at first.")] = None
    limit: Annotated[int, Meta(ge=1, le=100, description="Jobs of one page.")] = 20


def resource(desk: JobService, callers: Callers) -> Blueprint:
    """Show jobs."""
    pages = Blueprint("jobs", __name__)

    @pages.get(f"{JOBS}/<job>")
    @charged(costs.LOOKUP)
    def show(job: str) -> Response:
        """Tell of a job as it stands."""
        accept_json()
        look = desk.look(job, caller().name)
        answer = Response(look.told, content_type=JSON)
        if (again := again_after_s(look.job)) is not None:
            answer.headers.add("Retry-After", str(again))
        return answer

    @pages.delete(f"{JOBS}/<job>")
    @charged(costs.LOOKUP)
    def dismiss(job: str) -> Response:
        """End a job that is open; one that has ended stays as it is."""
        accept_json()
        desk.known(job, caller().name)
        dismissed = desk.store.dismiss(job)
        if dismissed is None:
            raise unknown("job", job, ())
        return Response(desk.seen(dismissed).told, content_type=JSON)

    @pages.get(JOBS)
    @charged(costs.LOOKUP)
    def every() -> Response:
        """List the caller's jobs, the newest first."""
        accept_json()
        asked = read(JobsQuery, request.args)
        found, following = desk.store.listed(caller().name, asked.after, asked.limit)
        links = {"self": JOBS}
        if following is not None:
            links["next"] = f"{JOBS}?{urlencode({'limit': asked.limit, 'after': following})}"
        answer = encoded(JobList(tuple(facts(job) for job in found), following, links))
        answer.headers["Cache-Control"] = "private"
        if following is not None:
            answer.headers["Link"] = f'<{links["next"]}>; rel="next"'
        return answer

    @pages.get(f"{JOBS}/<job>/result")
    @charged(costs.LOOKUP)
    def result(job: str) -> Response:
        """Give the result of a job, as the question itself would have answered; of a simulation also as a table."""
        ended = desk.ended(job, caller().name)
        form = accept(JSON, CSV) if ended.kind == "simulation" else accept(JSON)
        told = _result(desk, ended)
        if form == CSV:
            # Tables and plots are seldom asked for, and take what a gateway that is never asked need not load.
            from rendering.csv_table import csv

            return _kept(Response(csv(msgspec.json.decode(told)), content_type=f"{CSV}; charset=utf-8"), ended)
        return _kept(Response(told, content_type=JSON), ended)

    @pages.get(f"{JOBS}/<job>/result.svg")
    @charged(costs.LOOKUP)
    def plot(job: str) -> Response:
        """Give the result of a simulation as a plot."""
        ended = desk.ended(job, caller().name)
        accept(SVG)
        if ended.kind != "simulation":
            raise ProblemError(
                "not-found", f"There is no plot of a job of the kind {ended.kind!r}, only of simulations."
            )
        told = _result(desk, ended)
        from rendering.plots import svg

        return _kept(Response(svg(msgspec.json.decode(told)), content_type=SVG), ended)

    pages.add_url_rule(f"{JOBS}/<job>/events", "events", job_events.view(desk, callers), methods=["GET"])
    return pages


def _result(desk: JobService, job: Job) -> bytes:
    refuse_without_result(job)
    result = desk.store.result(job.id)
    if result is None:
        raise unknown("job", job.id, ())
    return result


def _kept(answer: Response, job: Job) -> Response:
    """Let the answer be kept as long as the job is: a result does not change any more."""
    left = max(0, int(job.expires - time.time()))
    answer.headers["Cache-Control"] = f"private, max-age={left}, immutable"
    answer.headers["Vary"] = "Accept, Authorization"
    return answer
