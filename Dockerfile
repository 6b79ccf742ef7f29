# One image for every part: compose starts it as gateway or as worker.
FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /srv/arbiter

# Dependencies change seldom and come first, so that a change of the code does not install them again.
COPY requirements-runtime.lock ./
RUN pip install --require-hashes -r requirements-runtime.lock

COPY . .
RUN pip install --no-index --no-deps --no-build-isolation --editable .

# The service writes nothing but to /tmp and needs no rights.
RUN useradd --system --no-create-home arbiter
USER arbiter

EXPOSE 8000
CMD ["gunicorn", "--config", "api/gunicorn_conf.py", "api:create_app()"]
