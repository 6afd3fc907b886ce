"""What the exercises call: `replay` hands a reader's program the noise of a run."""

from svtlib.teaching.replay import replay

__all__ = ["replay"]
