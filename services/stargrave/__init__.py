"""Stargrave: crews on an open table, in inches."""
