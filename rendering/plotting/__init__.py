"""Plots of simulations: panels, panels of sweeps, their elements and colours."""
