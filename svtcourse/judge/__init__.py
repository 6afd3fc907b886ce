"""The judge of a reader's program, and of a reader's proof."""
