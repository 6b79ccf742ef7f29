"""Warm-up: fills caches before the first request, and generates contracts and pages in a thread alongside requests."""

from functools import partial
from threading import Thread
from time import sleep, thread_time
from urllib.parse import parse_qsl

from flask import Flask

from api.arbiters.local import LocalArbiter
from api.resources.front.docs import document_question
from api.schemas import codec
from api.web.services import Services
from arbiter.asking.short_forms import case_of, forms_of


def warm_up(app: Flask) -> None:
    """Decide the example of every short form once, with its odds, for each game that this process decides.

    They are the most common questions. The first of them creates the decoders of bodies, the books of the games and
    their facts, which are kept.
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


def make_pages(app: Flask) -> None:
    """Generate contracts and documentation in a thread that leaves half of the time to callers.

    For each game it generates the contract, and the page of the first question, which shares the most with the others.
    """
    services: Services = app.extensions["arbiter"]

    def make() -> None:
        with app.app_context():
            for name, game in services.games.items():
                contract = services.contract.of_game(name)
                first = partial(document_question, services.catalogue(name), next(iter(game.questions)))
                for part in (lambda contract=contract: contract.of_questions, first):
                    began = thread_time()
                    part()
                    sleep(thread_time() - began)

    Thread(target=make, name="pages", daemon=True).start()
