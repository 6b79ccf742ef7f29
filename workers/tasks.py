"""What a worker can be asked: each task is a sentence around something the project knows already.

The tasks are plain functions; `workers.queue` makes them tasks of a Celery application.
"""

from fractions import Fraction
from typing import Any, cast

import msgspec

from arbiter import registry
from arbiter.question import Ask


def canary(song: str) -> str:
    """Give back what was given: shows that broker, worker and result store work together."""
    return song


def rule(game: str, question: str, ask: dict[str, Any], seed: str) -> Any:
    """Decide a question of a game; the ruling as JSON's own types. `ask` is read anew: a queue is not to be trusted."""
    arbiter = registry.game(game)
    asked = msgspec.convert(ask, cast(Any, Ask)[arbiter.question(question).case])
    ruling = arbiter.ask(question, asked, seed=seed, posted=lambda: ask["case"]["scene"])
    return msgspec.json.decode(msgspec.json.encode(ruling, enc_hook=_fraction))


def _fraction(value: Any) -> str:
    if isinstance(value, Fraction):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


TASKS: tuple[Any, ...] = (canary, rule)
"""Every task by the name of its function; what is not listed cannot be asked of a worker."""
