"""A load from wrk, which uses less of the machine than Python processes: install it from your system.

Without it `load.py` is used, and the ratios are nearer to one than the true ones.
"""

import json
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple

from benchmarks.http import load
from benchmarks.http.load import Load

_SCRIPT = """
wrk.method = {method}
wrk.path = {path}
wrk.headers = {{ {headers} }}
local file = io.open({file}, "rb")
wrk.body = file:read("*a")
file:close()
if #wrk.body == 0 then wrk.body = nil end
{varied}
function done(summary, latency, requests)
  local e = summary.errors
  io.stderr:write(string.format('{{"n":%d,"us":%d,"p50":%d,"p99":%d,"wrong":%d,"lost":%d}}',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), e.status,
    e.connect + e.read + e.write + e.timeout))
end
"""

# Every request has a different body: the gaps of the text are filled with distinct positions and names.
_VARIED = """
local text, whole, at = {{}}, wrk.body, 1
while true do
  local gap = whole:find("\\0", at, true)
  text[#text + 1] = whole:sub(at, gap and gap - 1)
  if not gap then break end
  text[#text + 1] = ""
  at = gap + 1
end
local sets = {{ {sets} }}
math.randomseed({seed})
function request()
  local at = 2
  for _, set in ipairs(sets) do
    for i = 1, set.gaps do
      local j = math.random(i, #set)
      set[i], set[j] = set[j], set[i]
      text[at] = set[i]
      at = at + 2
    end
  end
  return wrk.format(nil, nil, nil, table.concat(text))
end
"""


class Varied(NamedTuple):
    """A body with gaps, marked by zeros: the first of them are filled from the first set, and so on.

    A set is the number of its gaps and the values for them; no value fills two gaps.
    """

    text: bytes
    sets: Sequence[tuple[int, Sequence[str]]]

    def one(self) -> bytes:
        """Give one such body."""
        filled = [value for gaps, values in self.sets for value in values[:gaps]]
        first, *rest = self.text.split(b"\0")
        return first + b"".join(value.encode() + part for value, part in zip(filled, rest, strict=True))


def loaded(
    port: int,
    path: str,
    body: bytes | Varied = b"",
    *,
    method: str = "POST",
    headers: Mapping[str, str] | None = None,
    status: int = 200,
    connections: int = 32,
    seconds: float = 3.0,
) -> Load:
    """Send requests over this many connections for some seconds, equal or varied. RuntimeError for another status.

    The first answer is checked in detail, and later ones only for errors: checking each would slow the service down.
    """
    said = {"Accept": "application/json", **({"Content-Type": "application/json"} if body else {}), **(headers or {})}
    program = shutil.which("wrk")
    varied, body = (body, body.one()) if isinstance(body, Varied) else (None, body)
    if program is None:
        if varied is not None:
            raise RuntimeError("only wrk asks questions that are all different: install it")
        print("wrk is not installed: the load comes from processes of Python", file=sys.stderr)
        return load.asked(port, method, path, body, said, status, connections=connections, seconds=seconds)
    seen = _asked_once(port, method, path, body, said)
    if seen != status:
        raise RuntimeError(f"{path}: {seen}")
    with tempfile.TemporaryDirectory() as folder:
        file, script = Path(folder, "body"), Path(folder, "ask.lua")
        file.write_bytes(body if varied is None else varied.text)
        lines = ", ".join(f"[{json.dumps(name)}] = {json.dumps(value)}" for name, value in said.items())
        script.write_text(
            _SCRIPT.format(
                method=json.dumps(method),
                path=json.dumps(path),
                headers=lines,
                file=json.dumps(str(file)),
                varied="" if varied is None else _filling(varied),
            )
        )
        done = subprocess.run(
            [
                program,
                "-t",
                "1",
                "-c",
                str(connections),
                "-d",
                f"{max(1, round(seconds))}s",
                "-s",
                str(script),
                f"http://127.0.0.1:{port}",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
    told = json.loads(done.stderr[done.stderr.index("{") :])
    if told["wrong"] or told["lost"] or not told["n"]:
        raise RuntimeError(f"{path}: {told}")
    return Load(told["n"] / told["us"] * 1e6, told["p50"] / 1000, told["p99"] / 1000)


def _filling(varied: Varied) -> str:
    sets = ", ".join(f"{{ gaps = {gaps}, {', '.join(map(json.dumps, values))} }}" for gaps, values in varied.sets)
    return _VARIED.format(sets=sets, seed=secrets.randbelow(2**31))


def _asked_once(port: int, method: str, path: str, body: bytes, said: Mapping[str, str]) -> int:
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as line:
        line.request(method, path, body or None, dict(said))
        answer = line.getresponse()
        answer.read()
        return answer.status
