"""What plots of simulations are made of: panels, those of sweeps, their parts and colours."""
