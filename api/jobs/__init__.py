"""The gateway's side of jobs: submission, sweeps, waiting."""
