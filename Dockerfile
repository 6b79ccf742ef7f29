# One image for every part: compose starts it as gateway or as worker.
#
# Packages are installed in a stage of their own, so that neither pip nor what it leaves behind is in the image. Most of
# its size is numpy, matplotlib (which draws the plots of simulations) and their libraries.
FROM python:3.11.14-slim-trixie AS packages

ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/arbiter
ENV PATH=/opt/arbiter/bin:$PATH

# Dependencies change seldom and come first, so that a change of the code does not install them again.
COPY requirements-runtime.lock ./
RUN pip install --require-hashes -r requirements-runtime.lock

# The code stays where it is copied to, and is compiled once, because a container cannot write beside it.
WORKDIR /srv/arbiter
COPY . .
RUN pip install --no-index --no-deps --no-build-isolation --editable . \
    && python -m compileall -q /srv/arbiter \
    && pip uninstall --yes --quiet pip \
    && find /opt/arbiter -type d \( -name tests -o -name test -o -name sample_data \) -prune -exec rm -rf {} +


FROM python:3.11.14-slim-trixie

ENV PATH=/opt/arbiter/bin:$PATH PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 MPLCONFIGDIR=/tmp/matplotlib
COPY --from=packages /opt/arbiter /opt/arbiter
COPY --from=packages /srv/arbiter /srv/arbiter
WORKDIR /srv/arbiter

# The service writes nothing but to /tmp and needs no rights.
RUN useradd --system --no-create-home --uid 10001 arbiter
USER arbiter

EXPOSE 8000
# Compose says for each part how its health is told; this is the gateway's, where the image is started alone.
HEALTHCHECK --interval=10s --timeout=5s --start-period=10s CMD ["python", "-c", "from http.client import HTTPConnection; gateway = HTTPConnection('127.0.0.1', 8000, timeout=3); gateway.request('GET', '/healthz'); raise SystemExit(gateway.getresponse().status != 200)"]
CMD ["gunicorn", "--config", "deploy/gunicorn.conf.py", "api:create_app()"]
