"""Jobs: status, list, cancellation and results of asynchronous work."""

import time
from typing import Any
from urllib.parse import urlencode

import msgspec
from flask import Blueprint, Response

from api.auth.callers import caller, needs
from api.jobs.submission import refuse_without_result
from api.openapi.operations import OF_A_JOB, Operation
from api.problems.handlers import ProblemError, no_such
from api.schemas.job_status import JOBS, JobFacts, JobList, again_after_s, facts
from api.schemas.queries import JobsQuery, query
from api.schemas.responses import CSV, JSON, SVG, accept, accept_json, json_response
from api.web.services import services
from workers.jobs.models import Job

pages = Blueprint("jobs", __name__)


@pages.get(f"{JOBS}/<job>")
@Operation("job", JobFacts, links=OF_A_JOB, headers=("Retry-After",))
@needs("jobs")
def show(job: str) -> Response:
    """Give a job in its current state."""
    accept_json()
    status = services().jobs.status(job, caller().name)
    answer = Response(status.body, content_type=JSON)
    if (again := again_after_s(status.job)) is not None:
        answer.headers.add("Retry-After", str(again))
    return answer


@pages.delete(f"{JOBS}/<job>")
@Operation("dismissJob", JobFacts)
@needs("jobs")
def dismiss(job: str) -> Response:
    """Dismiss a job that is open; one that has ended stays as it is."""
    accept_json()
    services().jobs.get(job, caller().name)
    dismissed = services().jobs.store.dismiss(job)
    if dismissed is None:
        raise no_such("job", job, ())
    return Response(services().jobs.remember(dismissed).body, content_type=JSON)


@pages.get(JOBS)
@Operation("jobs", JobList, links=("NewestJob",), headers=("Link",))
@needs("jobs")
@query(JobsQuery)
def every(after: str | None, limit: int) -> Response:
    """List the caller's jobs, the newest first."""
    accept_json()
    listed, following = services().jobs.store.list_jobs(caller().name, after, limit)
    links = {"self": JOBS}
    if following is not None:
        links["next"] = f"{JOBS}?{urlencode({'limit': limit, 'after': following})}"
    answer = json_response(JobList(tuple(facts(job) for job in listed), following, links))
    answer.headers["Cache-Control"] = "private"
    if following is not None:
        answer.headers["Link"] = f'<{links["next"]}>; rel="next"'
    return answer


@pages.get(f"{JOBS}/<job>/result")
@Operation("jobResult", Any, (JSON, CSV))
@needs("jobs")
def result(job: str) -> Response:
    """Give the result of a job; that of a simulation also as a table."""
    ended = services().jobs.get(job, caller().name)
    form = accept(JSON, CSV) if ended.kind == "simulation" else accept(JSON)
    content = _result(ended)
    if form == CSV:
        # Tables and plots are rarely requested, and their libraries are loaded only then.
        from rendering.csv_table import csv

        return _cacheable(Response(csv(msgspec.json.decode(content)), content_type=f"{CSV}; charset=utf-8"), ended)
    return _cacheable(Response(content, content_type=JSON), ended)


@pages.get(f"{JOBS}/<job>/result.svg")
@Operation("jobPlot", forms=(SVG,))
@needs("jobs")
def plot(job: str) -> Response:
    """Draw the result of a simulation."""
    ended = services().jobs.get(job, caller().name)
    accept(SVG)
    if ended.kind != "simulation":
        raise ProblemError("not-found", f"There is no plot of a job of the kind {ended.kind!r}, only of simulations.")
    content = _result(ended)
    from rendering.plots import svg

    return _cacheable(Response(svg(msgspec.json.decode(content)), content_type=SVG), ended)


def _result(job: Job) -> bytes:
    refuse_without_result(job)
    result = services().jobs.store.result(job.id)
    if result is None:
        raise no_such("job", job.id, ())
    return result


def _cacheable(answer: Response, job: Job) -> Response:
    """Let the answer be cached while the job is stored: a result does not change."""
    left = max(0, int(job.expires - time.time()))
    answer.headers["Cache-Control"] = f"private, max-age={left}, immutable"
    answer.headers["Vary"] = "Accept, Authorization"
    return answer
