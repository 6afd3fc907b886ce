"""Exact probabilities: what a run compared, as integrals over the threshold noise, and where their mass is."""
