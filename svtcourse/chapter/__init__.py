"""What one chapter alone uses, or one and its evidence; a ValueError names the argument that is out of range."""
