"""What holds for all inputs and what does not: search, prove, decide, certify, align, audit."""
