"""How gunicorn serves the gateway: `gunicorn --config api/server/gunicorn_conf.py 'api:create_app()'`.

The names of this module are gunicorn's own settings; their values come from the environment as `Settings` reads it.
"""

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from typing import Any

from api.server import balance, cores, succession
from api.settings import Settings
from infra import telemetry
from infra.settings import WrongSettings

# Each process of the gateway counts for itself, and the counts are added up through files of this folder. The metrics
# library reads the folder's name when it is first imported, which is in those processes: nothing here imports it.
_counts = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="arbiter-metrics-"))

try:
    _settings = Settings.from_environment(os.environ)
    telemetry.check(_settings)
    cores.check(_settings)
except WrongSettings as wrong:
    raise SystemExit(str(wrong)) from None

bind = f"{_settings.host}:{_settings.port}"
workers = _settings.gateway_workers
threads = _settings.gateway_threads
# A worker of gunicorn's own would be stopped by as many slow clients as it has threads.
worker_class = "api.server.patient_worker.PatientWorker"
worker_connections = _settings.most_connections
keepalive = _settings.idle_s
loglevel = _settings.log_level
# The gateway writes one structured line for each request itself.
accesslog = None
# By default gunicorn opens a socket in the home folder through which it can be steered; nobody here uses it.
control_socket_disable = True
# A port shared with SO_REUSEPORT would let a second service start on it unnoticed and take half of the requests.
reuse_port = False
# Heartbeats go to memory where the system has it, because a slow disk would make a healthy worker look dead.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None
# Until then an ending process answers what it has begun.
graceful_timeout = _settings.drain_s
# As long as a path may be that names a few things; heads as a whole are bounded by the worker.
limit_request_line = 4094
limit_request_fields = 64


def on_reload(server: Any) -> None:
    """Let the workers there are serve until new ones do."""
    succession.replace(server.worker_age)


def pre_fork(server: Any, worker: Any) -> None:
    """Choose the core of the new process."""
    if _settings.bind_cores:
        cores.choose(worker.age)


def post_fork(server: Any, worker: Any) -> None:
    """Let the new process finish what it is at, and load the app as it is on the disk now, not as the master did."""
    cores.bind(worker.age)
    if hasattr(os, "SCHED_BATCH"):
        # Whatever else wakes up would interrupt it for its turn; on a full machine the caches then cost more than the
        # work. Where the system forbids to say so, it is as it is without.
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    for name in [name for name in sys.modules if name.partition(".")[0] in {"api", "workers", "services", "arbiter"}]:
        del sys.modules[name]


def child_exit(server: Any, worker: Any) -> None:
    """Forget the gauges, the connections and the core of a worker that has ended."""
    balance.leaves(worker.age)
    cores.leaves(worker.age)
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """Take the counts away with the server."""
    shutil.rmtree(_counts, ignore_errors=True)
