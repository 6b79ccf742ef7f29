"""The part of the contract that says where an answer leads: which of its values name what may be asked for next."""

from typing import Any

Schema = dict[str, Any]


def _link(gist: str, operation: str, **parameters: str) -> Schema:
    return {"operationId": operation, **({"parameters": parameters} if parameters else {}), "description": gist}


_OF_A_JOB = {
    "JobResult": ("The result, once the job has ended.", "job_result"),
    "JobEvents": ("What becomes of the job, as it happens.", "job_events"),
    "JobDismissal": ("The job is no longer wanted.", "job_dismissed"),
}

LINKS: dict[str, Schema] = {
    "Job": _link("The job as it stands.", "job", job="$response.body#/id"),
    **{name: _link(gist, operation, job="$response.body#/id") for name, (gist, operation) in _OF_A_JOB.items()},
    "NewestJob": _link("The newest job of the page.", "job", job="$response.body#/jobs/0/id"),
    # No expression of OpenAPI takes a part of a value.
    "KeptRuling": _link("The permalink: `digest` is the last part of `Content-Location`.", "kept_ruling"),
    "CurrentEpoch": _link("The epoch whose dice can be asked for.", "epoch", epoch="$response.body#/current/id"),
    "NextEpoch": _link("The epoch that comes next.", "epoch", epoch="$response.body#/coming/0/id"),
    "LastEpoch": _link("The epoch that was over last.", "epoch", epoch="$response.body#/past/0/id"),
}
"""Links by their name among the components."""


def links(*names: str) -> Schema:
    """Give the links of an answer."""
    return {"links": {name: {"$ref": f"#/components/links/{name}"} for name in names}}


def to_board(operation: str) -> Schema:
    """Give the link from a board that was put to the one that is kept."""
    return {"links": {"Board": _link("The board as it is kept.", operation, digest="$request.path.digest")}}


OF_A_JOB = links(*_OF_A_JOB)
OF_WHAT_BECAME_A_JOB = links("Job", *_OF_A_JOB)
OF_JOBS = links("NewestJob")
OF_A_RULING = links("KeptRuling")
OF_EPOCHS = links("CurrentEpoch", "NextEpoch", "LastEpoch")
"""The links of answers, as a response has them."""
