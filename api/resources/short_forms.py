"""Short forms: `GET /v1/games/{game}/{question}?shooter=recruit&target=trooper&cover=light`, a link for a button.

The parameters are the units of the question by their profiles, facts of the table, and members of the case. The answer
is the same as for the whole question: missing facts give `needs_fact`, `odds=1` requests the odds, and several values
of a fact, separated by commas, a table of odds. JSON is answered directly; a page, text, Markdown or a picture by a
redirect to the permalink.
"""

from typing import Any

from flask import Blueprint, Response, request
from werkzeug.exceptions import MethodNotAllowed, NotFound

from api.auth.callers import needs
from api.caching.etags import ASK_METHODS
from api.observability.request_log import request_id
from api.openapi.operations import Operation
from api.quotas import costs
from api.quotas.limiter import charge, charged
from api.resources.permalinks import FORMS
from api.resources.questions import QUESTION, PostedQuestion, refuse_without_dice
from api.schemas import codec
from api.schemas.responses import JSON, accept
from api.web.services import services
from arbiter.asking.short_forms import case_of, forms_of, plain, varied_facts
from arbiter.fault import pointer

OWN = ("odds", "heads", "fields", "seed", "dice", "choose", "reading", "policy")
"""Parameters that are not part of a case: whether odds are requested, with how many heads and which answer fields;
the seed of the dice, or `dice=hand` for the players' own, as `dice:<label>=<faces>`; choices, readings and policies, as
`choose:<label>=<option>`, `reading:<id>=<option>` and `policy:<side>=<policy>`."""

pages = Blueprint("short_forms", __name__)


@pages.get(QUESTION)
@Operation("shortForm", forms=FORMS)
@needs("ask")
@charged(costs.RULING)
def short_form(game: str, question: str) -> Response:
    """Ask one of the most common questions of a game in short form, without a board."""
    arbiter = services().game(game)
    if question not in arbiter.questions:
        raise NotFound
    forms = forms_of(arbiter)
    if forms is None or question not in forms.questions:
        raise MethodNotAllowed([*ASK_METHODS, "OPTIONS"])
    form = accept(*FORMS)
    parameters = {name: value for name, value in request.args.items() if name.partition(":")[0] not in OWN}
    wants_odds = request.args.get("odds", "no").lower() in ("1", "yes", "true")
    vary = varied_facts(arbiter, parameters) if wants_odds else {}
    once = {name: value for name, value in parameters.items() if name not in vary}
    body = {"case": case_of(arbiter, forms, question, once), **_ask_members(wants_odds=wants_odds)}
    if vary:
        body["vary"] = {pointer("case", "given", name): values for name, values in vary.items()}
    posted = PostedQuestion(arbiter, question, codec.encode(body), request_id())
    if wants_odds:
        refuse_without_dice(arbiter, question)
        charge(costs.ODDS)
    answer = posted.respond("odds" if wants_odds else "ruling")
    permalink = answer.headers.get("Content-Location")
    if form == JSON or permalink is None or answer.status_code != 200:
        return answer
    return Response(status=303, headers={"Location": permalink})


def _ask_members(*, wants_odds: bool) -> dict[str, Any]:
    """Give the members besides the case: readings and policies, and for a ruling its dice and choices."""
    named: dict[str, dict[str, Any]] = {own: {} for own in OWN}
    for name, value in request.args.items():
        own, colon, label = name.partition(":")
        if colon and own in named:
            named[own][label] = value
    settled: dict[str, Any] = {"readings": named["reading"], "policies": named["policy"]}
    if wants_odds:
        settled["fields"] = list(filter(None, request.args.get("fields", "").split(",")))
        settled["heads"] = plain(request.args.get("heads", "null"))
    else:
        hand = {label: [plain(face) for face in faces.split(",")] for label, faces in named["dice"].items()}
        seed = {"seed": request.args["seed"]} if "seed" in request.args else {}
        settled["dice"] = {**seed, "hand": hand} if hand or request.args.get("dice") == "hand" else seed
        settled["choices"] = {label: [plain(option)] for label, option in named["choose"].items()}
    return {name: part for name, part in settled.items() if part not in ({}, [], None)}
