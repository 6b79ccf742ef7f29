"""Rulings: `POST` or `QUERY /v1/games/{game}/{question}`."""

from collections.abc import Mapping

from flask import Blueprint, Response, request

from api.arbiters.local import TrustedLocalArbiter, seed_passed_on
from api.auth.callers import needs
from api.caching.etags import ASK_METHODS, vary
from api.pictures import making
from api.quotas import costs
from api.quotas.limiter import charge, charged
from api.resources.questions import QUESTION, PostedQuestion, posted
from api.schemas import responses
from api.schemas.queries import PictureQuery, load_parameters
from api.schemas.responses import ANY, JSON, SHEET
from api.signing.commitments import is_committed
from api.web.services import services

pages = Blueprint("rulings", __name__)
pages.after_request(vary)


@pages.before_request
def accept() -> None:
    """Refuse a client that accepts neither JSON, nor a picture, nor the signed form."""
    if request.headers.get("Accept", ANY) not in (ANY, JSON) and _form() == JSON:
        services().signing.accept()


@pages.route(QUESTION, methods=ASK_METHODS)
@needs("ask")
@charged(costs.RULING)
@posted
def ruling(question: PostedQuestion) -> Response:
    """Decide a question: the ruling, with every step, die, choice, change and source, or a picture or sheet of it."""
    signed = "signed" in request.headers.get("Accept", ANY).lower() and services().signing.applies(request.environ)
    if signed or _has_committed_dice(question):
        return _statement(question)
    answer = question.respond("ruling")
    form = _form()
    if form == JSON or answer.status_code != 200:
        return answer
    return _sheet(question, answer) if form == SHEET else _picture(question, answer, form)


def _form() -> str:
    """Give the form that the client requests: a picture or a sheet if it names one and prefers it."""
    accepted = request.headers.get("Accept", ANY)
    if accepted in (ANY, JSON) or ("image/" not in accepted and SHEET not in accepted):
        return JSON
    return responses.accept(JSON, *making.FORMS, SHEET)


def _picture(question: PostedQuestion, answer: Response, form: str) -> Response:
    """Draw a ruling."""
    parameters = load_parameters(PictureQuery, request.args)
    charge(costs.PICTURE)
    drawing = making.of_answer(question.game, question.name, question.body, answer.get_data())
    content = making.draw(drawing, form, **parameters)
    return _convert(answer, content, form, making.HEADERS)


def _sheet(question: PostedQuestion, answer: Response) -> Response:
    """Write the sheet of a ruling: verdict, sentence, reasons in groups, and the picture, with the ruling itself."""
    ground = load_parameters(PictureQuery, request.args)["ground"]
    charge(costs.PICTURE)
    content = making.sheet_of(question.game, question.name, question.body, answer.get_data(), ground)
    return _convert(answer, content, SHEET, {})


def _convert(answer: Response, content: bytes, form: str, more: Mapping[str, str]) -> Response:
    """Give a ruling in another form: with its permalink, and with its tag in the weak form."""
    headers = {name: answer.headers[name] for name in ("Cache-Control", "Content-Location") if name in answer.headers}
    if "ETag" in answer.headers:
        headers["ETag"] = f"W/{answer.headers['ETag']}"
    return Response(content, 200, {**headers, **more}, content_type=form)


def _statement(question: PostedQuestion) -> Response:
    """Decide a question whose ruling is signed, or whose dice are committed: every time again, and never stored."""
    # A verifier does not have our boards, so the board replaces its digest.
    body = question.submission.bodies.expand_boards(question.body)
    answer, commitment = services().commitments.respond(
        question.game,
        question.name,
        body,
        lambda settled: question._replace(body=settled).decide("ruling"),
        plainly=question.at_once,
    )
    answer.headers["Cache-Control"] = "no-store"
    return services().signing.respond(body, answer, commitment)


def _has_committed_dice(question: PostedQuestion) -> bool:
    if b'"committed"' not in question.body:
        return False
    # A gateway replaces committed dice before it passes a question on; any that arrive here are refused.
    settled_before = isinstance(question.arbiter, TrustedLocalArbiter) and seed_passed_on(request.environ) is not None
    return not settled_before and is_committed(question.body)
