"""`python -m svtlib.teaching.explorers`."""

import sys

from svtlib.teaching.explorers import main

sys.exit(main())
