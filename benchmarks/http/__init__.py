"""The service under load beside bare views and other servers."""
