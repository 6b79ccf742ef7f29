"""Games' own services for tests: the very apps, behind one real socket, each game below a path of its name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Any, ClassVar

import msgspec
from werkzeug.serving import WSGIRequestHandler, make_server

from api.arbiters.routing import ArbiterClient, ArbiterRouter
from api.arbiters.single_game import make_game_app
from api.schemas.scenes import Bodies
from api.settings import Settings
from arbiter.game import Arbiter


class Quiet(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


class Services:
    """The services of some games. An app is made when its game is first asked."""

    def __init__(self, games: Mapping[str, Arbiter], settings: Settings) -> None:
        self.games, self.settings = dict(games), settings
        # They share standard output with the gateway, whose lines tests read: of theirs only faults are wanted.
        self._inner = msgspec.structs.replace(settings, log_level="error")
        self._apps: dict[str, Any] = {}
        self._lock = Lock()
        self._server = make_server("127.0.0.1", 0, self._answer, threaded=True, request_handler=Quiet)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    def address(self, game: str) -> str:
        """Give the address of a game's service."""
        return f"http://127.0.0.1:{self._server.port}/{game}"

    def router(self) -> ArbiterRouter:
        """Give the router that has every game decided by its service."""
        return ArbiterRouter({name: self.address(name) for name in self.games})

    def close(self) -> None:
        """End them."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _answer(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        _, name, rest = environ["PATH_INFO"].split("/", 2)
        with self._lock:
            if name not in self._apps:
                self._apps[name] = make_game_app(self.games[name], self._inner)
        answered: Iterable[bytes] = self._apps[name](
            {**environ, "SCRIPT_NAME": f"/{name}", "PATH_INFO": f"/{rest}"}, start_response
        )
        return answered


@contextmanager
def serving(games: Mapping[str, Arbiter], settings: Settings) -> Iterator[Services]:
    """Let the services run within the block."""
    services = Services(games, settings)
    try:
        yield services
    finally:
        services.close()


class FixedRouter(ArbiterRouter):
    """Has games decided by arbiters that a test has made."""

    def __init__(self, arbiters: Mapping[str, ArbiterClient]) -> None:
        super().__init__({})
        self._arbiters = arbiters

    def __call__(self, game: Arbiter, *_: object) -> ArbiterClient:
        return self._arbiters[game.name]


class RemoteRouter(ArbiterRouter):
    """Has every game decided by a service that it starts, so that any test of the gateway can run that way."""

    started: ClassVar[list[Services]] = []

    def __init__(self, addresses: Mapping[str, str]) -> None:
        super().__init__(addresses)
        self._services: Services | None = None

    def __call__(self, game: Arbiter, settings: Settings, bodies: Bodies) -> ArbiterClient:
        if self._services is None:
            self._services = Services({}, settings)
            self.started.append(self._services)
        self._services.games[game.name] = game
        return self._services.router()(game, settings, bodies)

    @classmethod
    def close(cls) -> None:
        """End all services."""
        for services in cls.started:
            services.close()
