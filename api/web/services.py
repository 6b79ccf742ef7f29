"""The services of an app: what its views ask, made once when the app is made."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from flask import current_app

from api.arbiters.health import RemoteHealth
from api.arbiters.local import ArbiterClient
from api.auth.callers import Callers
from api.caching.board_library import BoardLibrary
from api.caching.conditional import ConditionalResponses
from api.jobs.service import JobService
from api.jobs.submission import JobSubmission
from api.problems.handlers import unknown
from api.schemas.scenes import Bodies
from api.settings import Settings
from api.signing.commitments import Commitments
from api.signing.envelope import Signing
from arbiter.game import Arbiter
from arbiter.sources.catalogue import GameCatalogue


@dataclass(frozen=True)
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
    remote: RemoteHealth
    with_redis: bool

    def game(self, name: str) -> Arbiter:
        """Give a game; raises `ProblemError` for one that is not here."""
        if name not in self.games:
            raise unknown("game", name, self.games)
        return self.games[name]


def services() -> Services:
    """Give the services of the app that the current request came to."""
    return cast(Services, current_app.extensions["arbiter"])
