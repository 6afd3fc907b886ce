"""What the exercises call: `judge` answers a program with a proof or a counterexample, `replay` runs it on noise.

`check_proof` holds an alignment of the reader's own to the solver, `assert_answers` a program to what it was asked.
"""

from svtcourse.judge.answers import assert_answers
from svtcourse.judge.check_proof import CheckedProof, Failure, check_proof
from svtcourse.judge.judge import Pair, Verdict, judge
from svtcourse.judge.language.replay import replay

__all__ = ["CheckedProof", "Failure", "Pair", "Verdict", "assert_answers", "check_proof", "judge", "replay"]
