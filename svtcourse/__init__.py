"""What the lessons draw, say and judge."""
