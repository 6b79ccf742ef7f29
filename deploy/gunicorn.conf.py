"""The configuration of gunicorn for the gateway, and for each game's own service, from the root of the repository:

    gunicorn --config deploy/gunicorn.conf.py "api:create_app()"

The names in this module are gunicorn's own settings; the values come from the environment, through `Settings`.
"""

import os
import shutil
import sys
import tempfile
from typing import Any

# gunicorn runs this file again at a reload, so that new processes load only the code that is on the disk.
_ours = {"api", "arbiter", "infra", "services", "workers"}
for _name in [name for name in sys.modules if name.partition(".")[0] in _ours]:
    del sys.modules[_name]

from api.settings import Settings  # noqa: E402 - after the lines above
from infra import telemetry  # noqa: E402 - after the lines above
from infra.settings import WrongSettings  # noqa: E402 - after the lines above

# Each process counts for itself, and the counts are added up through files of this folder. The metrics library reads
# the folder's name when it is first imported, which is in those processes: nothing here imports it.
_counts = os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", tempfile.mkdtemp(prefix="arbiter-metrics-"))

try:
    _settings = Settings.from_environment(os.environ)
    telemetry.check(_settings)
except WrongSettings as wrong:
    raise SystemExit(str(wrong)) from None

bind = f"{_settings.host}:{_settings.port}"
workers = _settings.gateway_workers
threads = _settings.gateway_threads
worker_class = "gthread"
# Longer than nginx keeps an idle connection to us (60 s), so that nginx is the side that closes them.
keepalive = 75
# Seconds that a stopping process has to finish its requests.
graceful_timeout = _settings.drain_s
# The limits of nginx.conf.
limit_request_line = 4094
limit_request_field_size = 4094
limit_request_fields = 100
# With a proxy, only the proxy reaches the gateway; without one, no peer is trusted.
forwarded_allow_ips = "*" if _settings.trusted_proxies else ""
forwarder_headers = ""
# The gateway logs each request itself. Below errors gunicorn would log malformed ones, with address and first line.
accesslog = None
loglevel = "error"
# By default gunicorn opens a control socket in the home folder.
control_socket_disable = True
# Heartbeats go to memory if the system supports it: on a slow disk a healthy process would look dead.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None


def post_worker_init(worker: Any) -> None:
    """Let event streams and long polls of this process end when gunicorn stops it."""
    from api.web import drain

    drain.follow(lambda: bool(worker.alive))


def child_exit(server: Any, worker: Any) -> None:
    """Remove the gauges of a process that has ended."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """Remove the counts when the server stops."""
    shutil.rmtree(_counts, ignore_errors=True)
