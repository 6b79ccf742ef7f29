"""Code shared by gateway and workers: settings, logging, tracing and start-up; imports no other package."""
