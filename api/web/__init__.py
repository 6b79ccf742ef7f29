"""The shared services of the app, and support for browsers."""
