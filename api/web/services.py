"""The services that an app's views use, made once with the app."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from flask import current_app

from api.arbiters.health import RemoteHealth
from api.arbiters.routing import ArbiterFactory, ArbiterRouter, addresses_in
from api.auth.callers import Callers
from api.caching.board_library import BoardLibrary
from api.caching.board_store import store_of
from api.caching.etags import ConditionalResponses
from api.caching.ruling_store import RedisRulings, RulingStore
from api.jobs.service import JobService
from api.jobs.submission import JobSubmission
from api.observability.metrics import Metrics
from api.observability.request_log import Log
from api.problems.handlers import no_such
from api.schemas.scenes import BoardCache, Bodies
from api.settings import Settings
from api.signing.commitments import Commitments
from api.signing.envelope import Signing
from api.signing.keys import Signer
from api.signing.nonces import Nonces
from api.web.readiness import make_readiness
from arbiter.game import Arbiter
from arbiter.sources.catalogue import GameCatalogue, catalogue_of

if TYPE_CHECKING:
    from api.auth.key_store import Keystore
    from api.openapi.build import Contract
    from workers.jobs.store import Jobs


PAGES = ("data", "rules", "sources", "readings", "questions")
"""The pages of a game; no question may have one of these names."""

PICTURE = "picture"
"""The name of the path for pictures of scenes; no question may have it either."""


class Services:
    """The services that the views of one app use. Services of each game are mappings from its name."""

    def __init__(
        self,
        settings: Settings,
        games: Mapping[str, Arbiter],
        environment: Mapping[str, str],
        log: Log,
        contract: "Contract",
        store: "Jobs | None" = None,
        keys: "Keystore | None" = None,
        router: ArbiterFactory | None = None,
    ) -> None:
        """Make all services; the last three arguments replace those from the settings and the environment."""
        for game in games.values():
            if reserved := {*PAGES, PICTURE} & set(game.questions):
                raise ValueError(f"{game.name}: no question can be called {' or '.join(sorted(reserved))}")
        self.settings, self.games, self.contract, self.counts = settings, games, contract, Metrics()
        self.with_redis = "REDIS_URL" in environment or settings.redis_url != Settings().redis_url
        # Modules that use Redis are loaded only if it is configured: a gateway without it starts faster.
        if store is None and self.with_redis:
            from workers.jobs.store import Jobs

            store = Jobs(settings)
        if keys is None and settings.key_peppers:
            from api.auth.key_store import Keystore

            keys = Keystore(settings)
        self.callers, self.jobs = Callers(settings, keys), JobService(settings, store)
        self.catalogues = {name: catalogue_of(game) for name, game in games.items()}
        self.boards, cache = BoardLibrary(store_of(settings, with_redis=self.with_redis), settings), BoardCache()
        self.bodies = {name: Bodies(game, self.boards, settings, cache) for name, game in games.items()}
        self.submissions = {
            name: JobSubmission(game, settings, self.jobs, self.bodies[name]) for name, game in games.items()
        }
        router = router or ArbiterRouter(addresses_in(environment, games))
        self.arbiters = {name: router(game, settings, self.bodies[name]) for name, game in games.items()}
        rulings = RedisRulings(settings) if self.with_redis else None
        self.responses = ConditionalResponses(RulingStore(settings, rulings, log, self.counts.count_ruling))
        self.commitments = Commitments(settings, Nonces(settings) if self.with_redis else None)
        self.signing = Signing(Signer.of(settings.signing_key, settings.signing_keys_before))
        remote = RemoteHealth(self.arbiters, settings.health_timeout_s)
        remote.watch(self.counts.set_breaker)
        self.readiness = make_readiness(games, settings, remote, with_jobs=self.with_redis)

    def game(self, name: str) -> Arbiter:
        """Give a game; raises `ProblemError` for an unknown one."""
        if name not in self.games:
            raise no_such("game", name, self.games)
        return self.games[name]

    def catalogue(self, name: str) -> GameCatalogue:
        """Give the catalogue of a game; raises `ProblemError` for an unknown one."""
        return self.catalogues[self.game(name).name]


def services() -> Services:
    """Give the services of the app that handles the current request."""
    return cast(Services, current_app.extensions["arbiter"])
