"""What one chapter alone uses, or one and its evidence."""
