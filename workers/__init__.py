"""The workers: Celery tasks around the registry, for questions too heavy to answer while the caller waits."""
