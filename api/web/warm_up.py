"""Warm-up: what the first caller of a question would wait for is made before anybody calls."""

from urllib.parse import parse_qsl

from flask import Flask

from api.arbiters.local import LocalArbiter
from api.schemas import codec
from api.web.services import Services
from arbiter.asking.short_forms import case_of, forms_of


def warm_up(app: Flask) -> None:
    """Decide the example of every short form once, with its odds, where a game is decided in this process.

    They are the commonest questions. Decoders of bodies, the books of the games and their facts are made for the first
    of them, and stay.
    """
    services: Services = app.extensions["arbiter"]
    for name, arbiter in services.arbiters.items():
        game = services.games[name]
        forms = forms_of(game)
        if forms is None or not isinstance(arbiter, LocalArbiter):
            continue
        for question, form in forms.questions.items():
            case = case_of(game, forms, question, dict(parse_qsl(form.example)))
            arbiter.warm_up(question, codec.encode({"case": case}))
