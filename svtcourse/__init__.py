"""What the lessons draw and say beside their visible code."""
