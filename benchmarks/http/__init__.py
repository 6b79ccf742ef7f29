"""The service under load, compared with bare views and other servers."""
