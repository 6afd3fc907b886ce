"""The figures of the course."""
