"""How gunicorn serves the gateway, and each game's own service, from the root of the repository:

    gunicorn --config deploy/gunicorn.conf.py "api:create_app()"

The names of this module are gunicorn's own settings; the values come from the environment, as `Settings` reads them.
"""

import os
import shutil
import sys
import tempfile
from typing import Any

# gunicorn runs this file again at a reload: the processes that follow have the code and no other than is on the disk.
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
# Longer than nginx keeps an idle connection to us (60 s), so that it is nginx that closes them.
keepalive = 75
# An ending process has so long for what it has begun.
graceful_timeout = _settings.drain_s
# What nginx.conf lets through.
limit_request_line = 4094
limit_request_field_size = 4094
limit_request_fields = 100
# Where there is a proxy, nobody else reaches the gateway; where there is none, nobody is believed.
forwarded_allow_ips = "*" if _settings.trusted_proxies else ""
forwarder_headers = ""
# The gateway logs each request itself. Below errors gunicorn would log malformed ones, with address and first line.
accesslog = None
loglevel = "error"
# By default gunicorn opens a socket in the home folder through which it can be steered.
control_socket_disable = True
# Heartbeats go to memory where the system has it: on a slow disk a healthy process would look dead.
worker_tmp_dir = "/dev/shm" if os.path.isdir("/dev/shm") else None


def post_worker_init(worker: Any) -> None:
    """Let event streams and long polls of this process end when gunicorn asks it to."""
    from api.web import drain

    drain.follow(lambda: bool(worker.alive))


def child_exit(server: Any, worker: Any) -> None:
    """Forget the gauges of a process that has ended."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(worker.pid)


def on_exit(server: Any) -> None:
    """Remove the counts with the server."""
    shutil.rmtree(_counts, ignore_errors=True)
