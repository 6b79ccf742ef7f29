"""The workers: Celery tasks around the registry, for questions that are too heavy for a request."""
