"""What the exercises call: `judge` answers a program with a proof or a counterexample, `replay` runs it on noise."""

from svtlib.teaching.judge import Pair, Verdict, judge
from svtlib.teaching.replay import replay

__all__ = ["Pair", "Verdict", "judge", "replay"]
