"""The command line `arbiter`, and the commands that start services."""
