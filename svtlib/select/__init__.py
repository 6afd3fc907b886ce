"""The top c of many scores: simulation, expectation, the exponential mechanism, errors, thresholds."""
