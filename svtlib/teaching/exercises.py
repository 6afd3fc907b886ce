"""What the exercises call: `judge` answers a program with a proof or a counterexample, `replay` runs it on noise.

`check_proof` holds an alignment of the reader's own to the solver.
"""

from svtlib.teaching.check_proof import CheckedProof, Failure, check_proof
from svtlib.teaching.judge import Pair, Verdict, judge
from svtlib.teaching.replay import replay

__all__ = ["CheckedProof", "Failure", "Pair", "Verdict", "check_proof", "judge", "replay"]
