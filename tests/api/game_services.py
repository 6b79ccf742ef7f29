"""Games' own services for tests: the very apps, behind one real socket, each game below a path of its name."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock, Thread
from typing import Any

import msgspec
from werkzeug.serving import WSGIRequestHandler, make_server

from api.arbiters.local import ArbiterClient
from api.arbiters.remote import RemoteArbiter
from api.arbiters.routing import remote
from api.arbiters.single_game import make_game_app
from api.settings import Settings
from arbiter.game import Arbiter


class Quiet(WSGIRequestHandler):
    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


class Services:
    """The services of some games. An app is made when its game is first asked."""

    def __init__(self, games: Mapping[str, Arbiter], settings: Settings) -> None:
        self.games, self.settings = games, settings
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

    def seats(self) -> dict[str, RemoteArbiter]:
        """Give arbiters that ask the services."""
        return {name: remote(game, self.address(name), self.settings) for name, game in self.games.items()}

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


class EverywhereElse:
    """Seats every gateway that is made at services of its own, so that any test of the gateway can run that way."""

    def __init__(self) -> None:
        self._started: list[Services] = []

    def __call__(self, games: Mapping[str, Arbiter], settings: Settings, *_: object) -> Mapping[str, ArbiterClient]:
        self._started.append(Services(games, settings))
        return self._started[-1].seats()

    def close(self) -> None:
        """End all services."""
        for services in self._started:
            services.close()
