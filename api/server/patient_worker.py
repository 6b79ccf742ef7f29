"""The worker process of the gateway: a thread is taken for a request that is there, and for nothing else.

gunicorn's threaded worker reads bodies and writes answers in its few threads, so that as many slow clients as there are
threads stop it. Here one loop holds every connection: requests arrive in it (`arrival.py`), a thread decides a whole
one, and the loop sends on what the client does not take at once (`outgoing.py`). Whoever is too slow is refused; when
there are too many connections, the one that has waited longest makes room. Events of a job hold a thread by design.

An ending process answers everything it has begun to read; at a reload it takes requests until a new process does.
TLS and HTTP/2 are for the proxy in front.
"""

import errno
import math
import os
import socket
import time
from collections.abc import Callable
from queue import SimpleQueue
from selectors import EVENT_READ, EVENT_WRITE
from threading import Lock, Thread
from typing import Any

from gunicorn.http.errors import NoMoreData, ParseException
from gunicorn.workers.gthread import ThreadWorker

from api.server import balance, succession
from api.server.arrival import Bounds, Unbearable
from api.server.line import Line, Phase, answered, read
from api.server.outgoing import PACE, WAIT_S, Kept
from api.settings import Settings

MOST_ARRIVING = 67_108_864
"""Bytes of requests that one process holds; beyond, the longest of those that have not wholly arrived is refused."""

MOST_KEPT = 67_108_864
"""Bytes of answers that one process keeps for slow clients."""

PIECE = 262_144
"""Bytes that are read at once."""

LINGER_S = 2.0
"""Seconds for which a connection that is over is read on, so that its client gets to see the last answer."""

LAST_S = {Phase.IDLE: 2.0, Phase.ARRIVING: 5.0}
"""Seconds that an ending process has for requests that may be on their way, and for those that are half there."""

SUCCESSION_S = 20.0
"""Seconds that a worker waits for the one that replaces it."""

SPARED = (Phase.IDLE, Phase.CLOSING, Phase.ARRIVING)
"""Whose connection is closed where there are too many, those first that miss least."""

TICK_S = 0.5
"""How often it is looked who is too slow."""

_CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


class PatientWorker(ThreadWorker):
    """A worker process of gunicorn that no slow client stops."""

    alive: bool

    @classmethod
    def check_config(cls, cfg: Any, log: Any) -> None:
        """Refuse what this worker does not do."""
        if cfg.is_ssl or cfg.proxy_protocol != "off":
            raise RuntimeError("TLS and the PROXY protocol are for the proxy in front of this worker, not for it.")
        super().check_config(cfg, log)

    def init_process(self) -> None:
        """Make what a process needs for itself, and serve."""
        settings = Settings.from_environment(os.environ)
        self._arrive_s = settings.arrival_s
        # A map may be longer than any other body; which path is asked is seen later.
        self._bounds = Bounds(max(settings.max_body_bytes, settings.max_map_bytes))
        self._kept = Kept(MOST_KEPT)
        self._lines: set[Line] = set()
        # Guards the count of what is held, and the moment at which a connection goes from a thread back to the loop.
        self._lock = Lock()
        self._held = 0
        self._piece = memoryview(bytearray(PIECE))
        self._leave_by = math.inf
        self._looked = 0.0
        self._left_at = -math.inf
        # The pool that gunicorn makes stays empty: it takes longer over each request.
        self._threads = Threads(self.cfg.threads, self._decide)
        super().init_process()

    def load_wsgi(self) -> None:
        """Load the app, and what refuses in its name; both belong to this process and are new after a reload."""
        super().load_wsgi()
        from api.server import drain, early

        self._drain, self._early = drain, early
        # Another app may be served too, and writes as it likes.
        self._log_lines = getattr(self.wsgi, "lines", None)
        if self._log_lines is not None:
            self._log_lines.gather()

    def handle_exit(self, sig: int, frame: Any) -> None:
        """End, but not before there is a successor, if there is to be one. Asked a second time, end at once."""
        if self._leave_by == math.inf and succession.replaced(self.age):
            self._leave_by = time.monotonic() + SUCCESSION_S
            self.method_queue.defer(lambda: None)
        else:
            super().handle_exit(sig, frame)

    def run(self) -> None:
        """Serve until asked to end, then answer what has been begun."""
        called = self.method_queue.fileno()
        assert called is not None, "the queue was opened when the process began"
        self.poller.register(called, EVENT_READ, self.method_queue.run_callbacks)
        succession.ready(self.age)
        balance.has(self.age, 0)
        while self.alive and self.is_parent_alive():
            full = len(self._lines) >= self.worker_connections and self._oldest() is None
            left = time.monotonic() < self._left_at + balance.PATIENCE_S
            self.set_accept_enabled(not (full or left))
            self._turn(balance.PATIENCE_S if left else TICK_S)
            if self._leave_by < math.inf and (succession.succeeded() or time.monotonic() > self._leave_by):
                self.alive = False
        self._end()

    def _turn(self, within_s: float = TICK_S) -> None:
        """Do what there is to do within a short time."""
        self.notify()
        self.wait_for_and_dispatch_events(timeout=within_s)
        if self._log_lines is not None:
            self._log_lines.flush_in_time()
        now = time.monotonic()
        if now >= self._looked + TICK_S:
            self._looked = now
            for line in [line for line in self._lines if line.deadline <= now]:
                self._late(line)

    def _end(self) -> None:
        """Take no more connections, and answer what comes on those there are until nobody waits, or time is up."""
        self._drain.begin()
        balance.leaves(self.age)
        # Who stands in the system's queue would otherwise be sent away when the socket is closed.
        for listener in self.sockets:
            while len(self._lines) < self.worker_connections and self._accepted(listener):
                pass
        self.set_accept_enabled(False)
        for listener in self.sockets:
            listener.close()
        now = time.monotonic()
        # A second less than the master waits, so that what is cut off is cut off in order.
        deadline = now + max(self.cfg.graceful_timeout - 1, 0)
        for line in self._lines:
            line.deadline = min(line.deadline, now + LAST_S.get(line.phase, math.inf))
        while self._lines and time.monotonic() < deadline and self.is_parent_alive():
            self._turn()
        for line in list(self._lines):
            self._close(line)
        if self._log_lines is not None:
            self._log_lines.flush()
        self.poller.close()
        self.method_queue.close()

    # What follows runs in the loop, and never waits.

    def accept(self, listener: socket.socket) -> None:
        """Take a new connection, or leave it for a moment to those that have fewer."""
        if balance.ahead(self.age):
            now = time.monotonic()
            if now >= self._left_at + 2 * balance.PATIENCE_S:
                self._left_at = now
            if now < self._left_at + balance.PATIENCE_S:
                self.set_accept_enabled(False)
                return
        self._accepted(listener)

    def _accepted(self, listener: socket.socket) -> bool:
        """Take a connection if one waits; say whether one did."""
        try:
            sock, client = listener.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                # Until the next turn, when somebody has made room.
                self._make_room()
                self.set_accept_enabled(False)
            elif error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return False
        sock.setblocking(False)
        if len(self._lines) >= self.worker_connections:
            self._make_room()
        line = Line(sock, client, listener.getsockname(), self._bounds, self._kept)
        self._lines.add(line)
        self._note()
        if not self.alive:
            line.deadline = time.monotonic() + LAST_S[Phase.IDLE]
        # Most clients have sent their request by now, so that the poller need not be told of them.
        self._receive(line)
        return True

    def _receive(self, line: Line) -> None:
        """Read what a client has sent, and look whether it is a request."""
        with self._lock:
            if line.phase is Phase.DECIDED:
                # It says more before it has its answer, or goes away; that has to wait.
                self._unwatch(line)
                return
        size = self._read(line)
        if size is None:
            self._watch(line, EVENT_READ, self._receive)
        elif size == 0:
            self._close(line)
        else:
            self._arrived(line, size)

    def _arrived(self, line: Line, size: int) -> None:
        line.arrival.data += self._piece[:size]
        self._hold(line)
        self._look(line)

    def _hold(self, line: Line) -> None:
        """Count what is held of a request."""
        with self._lock:
            now = len(line.arrival.data) + line.deciding
            self._held += now - line.held
            line.held = now

    def _read(self, line: Line) -> int | None:
        """Read into the piece; give how much, None when nothing has come, 0 when nothing will."""
        try:
            return line.sock.recv_into(self._piece)
        except BlockingIOError:
            return None
        except OSError:
            return 0

    def _look(self, line: Line) -> None:
        """Have a whole request decided; go on waiting for the rest of one."""
        if line.phase is Phase.IDLE:
            line.phase, line.began = Phase.ARRIVING, time.monotonic()
            line.deadline = line.began + (self._arrive_s if self.alive else LAST_S[Phase.ARRIVING])
        try:
            whole = line.arrival.whole()
        except Unbearable as fault:
            self._refuse(line, fault.slug, fault.detail)
            return
        if whole:
            line.deciding, line.deadline, line.phase = line.held, math.inf, Phase.DECIDED
            # It is watched on: most clients say nothing until they have their answer.
            self._threads.submit(line)
            return
        if line.arrival.continues and not line.told:
            line.told = True
            self._send(line, _CONTINUE)
        self._watch(line, EVENT_READ, self._receive)
        if self._held > MOST_ARRIVING:
            longest = max((each for each in self._lines if each.phase is Phase.ARRIVING), key=lambda each: each.held)
            self._refuse(longest, "busy", "Too many requests are being sent at the same time; ask again.")

    def _finish(self, line: Line) -> None:
        """Go on with a connection whose request has been answered."""
        line.deciding = 0
        self._hold(line)
        if line.out.pending:
            line.phase = Phase.SENDING
            line.deadline = time.monotonic() + WAIT_S + line.out.pending / PACE
            self._watch(line, EVENT_WRITE, self._send_on)
        else:
            self._answered(line)

    def _send_on(self, line: Line) -> None:
        try:
            if line.out.go_on():
                self._unwatch(line)
                self._answered(line)
        except OSError:
            self._close(line)

    def _answered(self, line: Line) -> None:
        """Wait for the next request, or let the client see that there will be none."""
        if not line.keep:
            self._part(line)
            return
        line.idle(self.cfg.keepalive if self.alive else LAST_S[Phase.IDLE])
        if line.held:
            self._look(line)
        else:
            self._watch(line, EVENT_READ, self._receive)

    def _late(self, line: Line) -> None:
        """Deal with a client whose time is over."""
        if line.phase is Phase.ARRIVING:
            self._refuse(line, "too-slow", f"The request did not arrive within {self._arrive_s:g} seconds.")
        elif line.phase is Phase.IDLE and (size := self._read(line)):
            # It came at the last moment.
            self._arrived(line, size)
        else:
            self._close(line)

    def _oldest(self) -> Line | None:
        """Find the connection that can be spared best: idle for the longest time, else sending for the longest."""
        spared = (line for line in self._lines if line.phase in SPARED)
        return min(spared, key=lambda line: (SPARED.index(line.phase), line.began), default=None)

    def _make_room(self) -> None:
        oldest = self._oldest()
        if oldest is None:
            return
        if oldest.phase is Phase.ARRIVING:
            detail = "There are too many connections, and this one has been sending for longest; ask again."
            self._send(oldest, self._early.refusal("busy", detail, self.wsgi, oldest.arrival.origin))
        self._close(oldest)

    def _refuse(self, line: Line, slug: str, detail: str) -> None:
        """Refuse what has come so far, whatever it was to become."""
        took = time.monotonic() - line.began
        self._send(line, self._early.refusal(slug, detail, self.wsgi, line.arrival.origin, took))
        self._part(line)

    def _send(self, line: Line, data: bytes) -> None:
        """Send a few bytes that a client takes or does without."""
        try:
            line.sock.send(data)
        except OSError as error:
            self.log.debug("A client was not there to be told: %s", error)

    def _part(self, line: Line) -> None:
        """Close our side, and read the other one to its end, since what is unread there would undo the last answer."""
        line.phase, line.deadline = Phase.CLOSING, time.monotonic() + LINGER_S
        try:
            line.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self._close(line)
            return
        self._pass_over(line)

    def _pass_over(self, line: Line) -> None:
        size = self._read(line)
        if size == 0:
            self._close(line)
        else:
            self._watch(line, EVENT_READ, self._pass_over)

    def _close(self, line: Line) -> None:
        self._unwatch(line)
        line.arrival.data.clear()
        line.deciding = 0
        self._hold(line)
        line.out.drop()
        self._lines.discard(line)
        self._note()
        line.sock.close()

    def _note(self) -> None:
        """Let the other processes know how many connections this one has, as long as it takes new ones."""
        if self.alive:
            balance.has(self.age, len(self._lines))

    def _watch(self, line: Line, events: int, then: Callable[[Line], None]) -> None:
        """Have `then` called whenever the connection can be read from, or written to."""
        if line.watch == (events, then):
            return
        change = self.poller.modify if line.watch else self.poller.register
        change(line.sock, events, lambda _: then(line))
        line.watch = (events, then)

    def _unwatch(self, line: Line) -> None:
        if line.watch:
            self.poller.unregister(line.sock)
            line.watch = None

    # What follows runs in a thread.

    def _decide(self, line: Line) -> None:
        """Answer a request that is there, and give the connection back to the loop."""
        line.keep = self._kept_after(line)
        if line.keep and self.alive and not line.out.pending and not line.arrival.data:
            with self._lock:
                if line.watch is not None:
                    # The loop has it still, and need not be woken.
                    self._held -= line.held
                    line.held = line.deciding = 0
                    line.idle(self.cfg.keepalive)
                    return
        self.method_queue.defer(self._finish, line)

    def _kept_after(self, line: Line) -> bool:
        """Answer the request; say whether the connection may be used again."""
        try:
            request, body = read(line, self.cfg)
        except (NoMoreData, StopIteration):
            # It looked whole and is not: who frames requests in such a way is told nothing.
            return False
        except ParseException as error:
            return self._refused(line, self._early.slug_of(error), self._early.detail_of(error))
        self.nr += 1
        if self.nr >= self.max_requests and self.alive:
            self.log.info("The worker is replaced after this request.")
            self.handle_exit(0, None)
        try:
            return answered(self.wsgi, line, request, body, self.cfg, self._is_ending)
        except ParseException as error:
            return self._refused(line, self._early.slug_of(error), self._early.detail_of(error))
        except OSError as error:
            self.log.info("A client went away: %s", error)
        except Exception:
            self.log.exception("The app failed in a way that it does not know.")
            if not line.spoke:
                return self._refused(line, "internal", "The service failed at this request; the fault is logged.")
        return False

    def _is_ending(self) -> bool:
        return not self.alive

    def _refused(self, line: Line, slug: str, detail: str) -> bool:
        took = time.monotonic() - line.began
        self._send(line, self._early.refusal(slug, detail, self.wsgi, line.arrival.origin, took))
        return False


class Threads:
    """The threads of a process that decide requests, in the order in which those were there."""

    def __init__(self, number: int, decide: Callable[[Line], None]) -> None:
        self._decide = decide
        self._lines: SimpleQueue[Line] = SimpleQueue()
        for each in range(number):
            # What still runs when time is up ends with the process.
            Thread(target=self._work, name=f"request-{each}", daemon=True).start()

    def submit(self, line: Line) -> None:
        """Have a request decided."""
        self._lines.put(line)

    def _work(self) -> None:
        while True:
            self._decide(self._lines.get())
