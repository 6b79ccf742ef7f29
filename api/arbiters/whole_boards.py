"""Boards by digest for arbiters elsewhere: they keep none, and so are sent each board in the place of its digest.

Whoever names a board by its digest sends little, and it is looked for there. In a long text that would take a tenth of
the time of the question, and is nearly always in vain: it goes as it is, and again where the arbiter knows no board.

What comes back is what this process would have answered: where a board changes that was posted by its digest, the patch
puts the whole board in the place of the reference, for a reference has no parts that could change.
"""

from collections.abc import Iterable
from http import HTTPStatus
from typing import Any

import msgspec

from api.arbiters.local import ArbiterClient, Reply
from api.caching.board_library import board_type
from api.problems.catalogue import KINDS
from api.schemas import codec
from api.schemas.scenes import Bodies
from arbiter.game import Arbiter

LONG_BYTES = 8_192
"""Bytes from which on a question goes as it is at first."""

_PLACE = "/board"
_MAYBE_CHANGED = b'"path":"/board'
_UNKNOWN = KINDS["unknown-board"].path.encode()


class WithWholeBoards:
    """Passes questions on to an arbiter that keeps no boards."""

    def __init__(self, inner: ArbiterClient, bodies: Bodies, game: Arbiter) -> None:
        self.inner, self.bodies = inner, bodies
        self._board = board_type(game)

    def ask(self, question: str, body: bytes, request_id: str, seed: str | None = None) -> Reply:
        whole = body if len(body) >= LONG_BYTES else self.bodies.expanded(body)
        reply = self.inner.ask(question, whole, request_id, seed)
        if whole is body and reply.status == HTTPStatus.UNPROCESSABLE_ENTITY and _UNKNOWN in reply.body:
            whole = self.bodies.expanded(body)
            if whole is not body:
                reply = self.inner.ask(question, whole, request_id, seed)
        if whole is body or reply.status != HTTPStatus.OK or _MAYBE_CHANGED not in reply.body:
            return reply
        return Reply(self._in_place(whole, reply.body))

    def odds(self, question: str, body: bytes, request_id: str) -> Reply:
        return self.inner.odds(question, self.bodies.expanded(body), request_id)

    def _in_place(self, whole: bytes, ruling: bytes) -> bytes:
        """Give the ruling with one step in its patch that puts the changed board in the place of the reference."""
        told = msgspec.json.decode(ruling)
        steps = told["effects"]["patch"]
        of_board = [step for step in steps if f"{step['path']}/".startswith(f"{_PLACE}/")]
        if not of_board:
            return ruling
        board = _after(msgspec.json.decode(whole)["case"]["scene"]["board"], of_board)
        # With every default spelled out, as the board of a scene after a ruling is.
        spelled = msgspec.to_builtins(msgspec.convert(board, self._board), str_keys=True)
        at = steps.index(of_board[0])
        others = [step for step in steps if step not in of_board]
        told["effects"]["patch"] = [*others[:at], {"op": "add", "path": _PLACE, "value": spelled}, *others[at:]]
        return codec.encode(told)


def _after(board: Any, steps: Iterable[dict[str, Any]]) -> Any:
    """Give a board after the steps of a patch (RFC 6902) that lie in it; their tests hold, for it was just decided."""
    held = {"board": board}
    for step in steps:
        if step["op"] == "test":
            continue
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:])
        inside: Any = held
        for part in way:
            inside = inside[int(part)] if isinstance(inside, list) else inside[part]
        if step["op"] == "remove":
            del inside[int(last) if isinstance(inside, list) else last]
        elif isinstance(inside, list):
            inside.insert(int(last), step["value"])
        else:
            inside[last] = step["value"]
    return held["board"]
