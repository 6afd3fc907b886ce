"""Programs as they are written: their text, their language, and how they are run."""
