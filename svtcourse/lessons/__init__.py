"""One module for each chapter: the data behind its figures, and the asserts that guard the numbers in its prose."""
