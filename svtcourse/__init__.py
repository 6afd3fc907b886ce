"""The course: what its chapters draw and compute besides their visible cells."""
