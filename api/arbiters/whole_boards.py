"""Boards by digest for arbiters elsewhere: they keep none, and are sent each board in the place of its digest.

What comes back is what this process would have answered: where a board changes that was posted by its digest, the patch
puts the whole board in the place of the reference, because a reference has no parts that could change.
"""

from collections.abc import Iterable
from typing import Any

import msgspec

from api.schemas import codec

_PLACE = "/board"
_MAYBE_CHANGED = b'"path":"/board'


def board_in_place(whole: bytes, ruling: bytes, board_type: Any) -> bytes:
    """Give a ruling on a whole board as one on its digest: one step puts the changed board where the digest was."""
    if _MAYBE_CHANGED not in ruling:
        return ruling
    answer = msgspec.json.decode(ruling)
    steps = answer["effects"]["patch"]
    of_board = [step for step in steps if f"{step['path']}/".startswith(f"{_PLACE}/")]
    if not of_board:
        return ruling
    board = _after(msgspec.json.decode(whole)["case"]["scene"]["board"], of_board)
    # With every default spelled out, as the board of a scene after a ruling is.
    spelled = msgspec.to_builtins(msgspec.convert(board, board_type), str_keys=True)
    at = steps.index(of_board[0])
    others = [step for step in steps if step not in of_board]
    answer["effects"]["patch"] = [*others[:at], {"op": "add", "path": _PLACE, "value": spelled}, *others[at:]]
    return codec.encode(answer)


def _after(board: Any, steps: Iterable[dict[str, Any]]) -> Any:
    """Give a board after the steps of a patch (RFC 6902) that lie in it; their tests hold, for it was just decided."""
    root = {"board": board}
    for step in steps:
        if step["op"] == "test":
            continue
        *way, last = (part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:])
        inside: Any = root
        for part in way:
            inside = inside[int(part)] if isinstance(inside, list) else inside[part]
        if step["op"] == "remove":
            del inside[int(last) if isinstance(inside, list) else last]
        elif isinstance(inside, list):
            inside.insert(int(last), step["value"])
        else:
            inside[last] = step["value"]
    return root["board"]
