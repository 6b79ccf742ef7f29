"""The services of an app: what its views ask, made once when the app is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from flask import current_app

from api.arbiters.health import RemoteHealth
from api.arbiters.local import ArbiterClient
from api.arbiters.routing import ArbiterFactory, ArbiterRouter, addresses_in
from api.auth.callers import Callers
from api.caching import board_store
from api.caching.board_library import BoardLibrary
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
from api.web.readiness import Held, make_readiness
from arbiter.game import Arbiter
from arbiter.sources.catalogue import GameCatalogue, catalogue_of

if TYPE_CHECKING:
    from api.auth.key_store import Keystore
    from api.openapi.build import Contract
    from workers.jobs.store import Jobs


PAGES = ("data", "rules", "sources", "readings", "questions")
"""The pages of a game; no question may have one of these names."""

PICTURE = "picture"
"""Under this name the picture of a scene is asked for; no question may have it either."""


@dataclass(frozen=True, eq=False)
class Services:
    """What the views of one app ask. Everything that is one of each game is a mapping from its name."""

    settings: Settings
    games: Mapping[str, Arbiter]
    catalogues: Mapping[str, GameCatalogue]
    arbiters: Mapping[str, ArbiterClient]
    bodies: Mapping[str, Bodies]
    submissions: Mapping[str, JobSubmission]
    callers: Callers
    jobs: JobService
    boards: BoardLibrary
    responses: ConditionalResponses
    commitments: Commitments
    signing: Signing
    readiness: Held
    counts: Metrics
    contract: "Contract"
    with_redis: bool

    def game(self, name: str) -> Arbiter:
        """Give a game; raises `ProblemError` for one that is not here."""
        if name not in self.games:
            raise no_such("game", name, self.games)
        return self.games[name]

    def catalogue(self, name: str) -> GameCatalogue:
        """Give the catalogue of a game; raises `ProblemError` for one that is not here."""
        return self.catalogues[self.game(name).name]


def services() -> Services:
    """Give the services of the app that the current request came to."""
    return cast(Services, current_app.extensions["arbiter"])


def make_services(
    settings: Settings,
    games: Mapping[str, Arbiter],
    environment: Mapping[str, str],
    log: Log,
    counts: Metrics,
    contract: "Contract",
    store: "Jobs | None" = None,
    keys: "Keystore | None" = None,
    router: ArbiterFactory | None = None,
) -> Services:
    """Make the services of an app; the last three take the place of what the settings and the environment name."""
    for game in games.values():
        if reserved := {*PAGES, PICTURE} & set(game.questions):
            raise ValueError(f"{game.name}: no question can be called {' or '.join(sorted(reserved))}")
    with_redis = "REDIS_URL" in environment or settings.redis_url != Settings().redis_url
    boards = BoardLibrary(board_store.store_of(settings, with_redis=with_redis), settings)
    cache = BoardCache()
    bodies = {name: Bodies(game, boards, settings, cache) for name, game in games.items()}
    router = router or ArbiterRouter(addresses_in(environment, games))
    arbiters = {name: router(game, settings, bodies[name]) for name, game in games.items()}
    jobs = JobService(settings, _jobs_in_redis(settings) if store is None and with_redis else store)
    rulings = RulingStore(settings, RedisRulings(settings) if with_redis else None, log, counts.count_ruling)
    remote = RemoteHealth(arbiters, settings.health_timeout_s)
    remote.watch(counts.set_breaker)
    return Services(
        settings=settings,
        games=games,
        catalogues={name: catalogue_of(game) for name, game in games.items()},
        arbiters=arbiters,
        bodies=bodies,
        submissions={name: JobSubmission(game, settings, jobs, bodies[name]) for name, game in games.items()},
        callers=Callers(settings, _keys_in_redis(settings) if keys is None and settings.key_peppers else keys),
        jobs=jobs,
        boards=boards,
        responses=ConditionalResponses(rulings),
        commitments=Commitments(settings, Nonces(settings) if with_redis else None),
        signing=Signing(Signer.of(settings.signing_key, settings.signing_keys_before)),
        readiness=make_readiness(games, settings, remote, with_jobs=with_redis),
        counts=counts,
        contract=contract,
        with_redis=with_redis,
    )


# What reaches Redis is loaded where there is one: a gateway without starts faster.


def _keys_in_redis(settings: Settings) -> "Keystore":
    from api.auth.key_store import Keystore

    return Keystore(settings)


def _jobs_in_redis(settings: Settings) -> "Jobs":
    from workers.jobs.store import Jobs

    return Jobs(settings)
