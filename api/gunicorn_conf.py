"""How gunicorn serves the gateway: `gunicorn --config api/gunicorn_conf.py 'api:create_app()'`.

The names of this module are gunicorn's own settings; their values come from the environment as `Settings` reads it.
"""

import os
import shutil
import tempfile
from typing import Any

from api.settings import Settings
from workers.settings import WrongSettings

# Each process of the gateway counts for itself, and the counts are added up through files of this folder. The metrics
# library reads the folder's name when it is first imported, which is in those processes: nothing here imports it.
_counts = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="arbiter-metrics-"))

try:
    _settings = Settings.from_environment(os.environ)
except WrongSettings as wrong:
    raise SystemExit(str(wrong)) from None

bind = f"{_settings.host}:{_settings.port}"
workers = _settings.gateway_workers
threads = _settings.gateway_threads
# A sync worker would be blocked by one open event stream.
worker_class = "gthread"
loglevel = _settings.log_level
# The gateway writes one structured line for each request itself.
accesslog = None
# By default gunicorn opens a socket in the home folder through which it can be steered; nobody here uses it.
control_socket_disable = True
# A port shared with SO_REUSEPORT would let a second service start on it unnoticed and take half of the requests.
reuse_port = False
# Heartbeats go to memory where the system has it, because a slow disk would make a healthy worker look dead.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None
graceful_timeout = 10


def child_exit(server: Any, worker: Any) -> None:
    """Forget the gauges of a worker that has ended."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """Take the counts away with the server."""
    shutil.rmtree(_counts, ignore_errors=True)
